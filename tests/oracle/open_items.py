"""Contas a pagar e a receber, inadimplência: R08, R09, R10."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from .context import FAIXAS, Context, configured_label, mistyped, open_titulos
from .days import Month, add_days, month_of
from .dimensions import category_path, person_name
from .flow import balance, projected
from .values import ZERO, one_decimal, percent, total

Record = dict[str, Any]

# R10, régua: worst last. "Dar baixa" stands below every reminder: nothing is asked of the customer.
ETAPAS = (
    "",
    "Dar baixa",
    "Lembrete",
    "Vence hoje/carência",
    "1º aviso",
    "2º aviso",
    "Contato",
    "Negociação",
    "Negativação",
    "Protesto/jurídico",
)


def detail(ctx: Context, tipo: str) -> list[Record]:
    """One dict per open título of the type, sorted by dias desc, |valor| desc, id.

    Keys: id, vencimento, data_efetiva, dias_de_atraso, faixa, situacao, posicao ("Vencido"/"Vence hoje"/"A vencer"),
    vencido, em_carencia, pessoa_id, pessoa, documento, descricao (the carrier's, without "+ n itens"), qtde_linhas,
    parcela ("2/3" or ""), categoria (path, "Várias" if the linhas differ), centro_id (None if the linhas differ),
    conta_id, forma, bruto, deducoes, valor, dias_mora, multa_est, juros_est, valor_atualizado (grows away from 0),
    automatico, cobrancas (ids of live charges), cobranca_paga.
    """
    rows = []
    for titulo in open_titulos(ctx, tipo):
        paths = {category_path(ctx.categorias, linha["categoria_id"]) for linha in titulo["linhas"]}
        centres = {linha["centro_custo_lucro_id"] for linha in titulo["linhas"]}
        number, size = titulo["numero_repeticao"], titulo["total_repeticoes"]
        sign = 1 if tipo == "R" else -1
        rows.append(
            {
                "id": titulo["titulo_id"],
                "vencimento": titulo["data_vencimento"],
                "data_prevista": titulo["data_prevista"],
                "data_efetiva": titulo["data_efetiva"],
                "dias_de_atraso": titulo["dias"],
                "faixa": titulo["faixa"],
                "situacao": titulo["situacao"],
                "posicao": titulo["posicao"],
                "vencido": titulo["vencido"],
                "em_carencia": titulo["em_carencia"],
                "pessoa_id": titulo["pessoa_id"],
                "pessoa": person_name(ctx.pessoas, titulo["pessoa_id"]),
                "documento": titulo["documento"],
                "descricao": titulo["descricao"],
                "qtde_linhas": titulo["qtde_linhas"],
                "parcela": f"{number}/{size}" if number and size else "",
                "categoria": paths.pop() if len(paths) == 1 else "Várias",
                "centro_id": centres.pop() if len(centres) == 1 else None,
                "conta_id": titulo["conta_id"],
                "forma": configured_label(ctx.params["formas"], "forma", titulo["forma_pagamento_id"]),
                "bruto": titulo["bruto"],
                "deducoes": titulo["deducoes"],
                "valor": titulo["valor"],
                "dias_mora": titulo["dias_mora"],
                "multa_est": titulo["multa"],
                "juros_est": titulo["juros"],
                "valor_atualizado": titulo["valor"] + sign * titulo["encargos"],
                "automatico": titulo["pagamento_automatico"],
                "cobrancas": titulo["cobrancas"],
                "cobranca_paga": titulo["cobranca_paga"],
            }
        )
    return sorted(rows, key=lambda row: (-row["dias_de_atraso"], -abs(row["valor"]), row["id"]))


def summary(rows: list[Record]) -> list[Record]:
    """Summary of R08/R09 rows by faixa, all six in order, then "Total".

    Keys: faixa, qtde, valor, pct_do_total, pessoas (distinct; the títulos without person count as one).
    """
    whole = total(row["valor"] for row in rows)
    table = []
    for faixa in (*FAIXAS, "Total"):
        members = [row for row in rows if faixa in (row["faixa"], "Total")]
        amount = total(row["valor"] for row in members)
        table.append(
            {
                "faixa": faixa,
                "qtde": len(members),
                "valor": amount,
                "pct_do_total": percent(abs(amount), abs(whole)),
                "pessoas": len({row["pessoa_id"] for row in members}),
            }
        )
    return table


def position_totals(rows: list[Record]) -> Record:
    """Totals of R08/R09 rows.

    Keys: total, vencido, vence_hoje, a_vencer (add to total), em_carencia, vencido_efetivo (vencido and not em
    carência), vencido_sem_carencia is the same figure under its S8 name.
    """

    def add(condition: Iterable[bool]) -> Decimal:
        return total(row["valor"] for row, chosen in zip(rows, condition, strict=True) if chosen)

    return {
        "total": total(row["valor"] for row in rows),
        "vencido": add(row["posicao"] == "Vencido" for row in rows),
        "vence_hoje": add(row["posicao"] == "Vence hoje" for row in rows),
        "a_vencer": add(row["posicao"] == "A vencer" for row in rows),
        "em_carencia": add(row["em_carencia"] for row in rows),
        "vencido_efetivo": add(row["vencido"] and not row["em_carencia"] for row in rows),
    }


def by_person(rows: list[Record]) -> dict[int | None, dict[str, Decimal]]:
    """Pessoa x faixa of R08/R09 rows, every person: pessoa_id -> {faixa: valor, "Total": valor}."""
    people = {row["pessoa_id"] for row in rows}
    return {
        person: {
            faixa: total(
                row["valor"] for row in rows if row["pessoa_id"] == person and faixa in (row["faixa"], "Total")
            )
            for faixa in (*FAIXAS, "Total")
        }
        for person in people
    }


def by_person_top(rows: list[Record], count: int = 20) -> list[Record]:
    """The `count` largest persons by |total|, ties by id, then "Demais" if any are left, then those without a person.

    Keys: pessoa_id ("Demais", null), valores {faixa: valor, "Total": valor}.
    """
    table = by_person(rows)
    order = sorted((one for one in table if one is not None), key=lambda one: (-abs(table[one]["Total"]), one))
    result: list[Record] = [{"pessoa_id": person, "valores": table[person]} for person in order[:count]]
    rest = order[count:]
    if rest:
        names = (*FAIXAS, "Total")
        result.append({"pessoa_id": "Demais", "valores": {name: total(table[p][name] for p in rest) for name in names}})
    return result + [{"pessoa_id": None, "valores": table[None]} for _ in [0] if None in table]


def agenda(ctx: Context, days: int = 15) -> list[Record]:
    """Agenda de pagamentos: one dict per date and account with payables, D..D+14, by date and account.

    Keys: data, conta_id, saldo_antes (projected closing of the day before; on D the balance at D), a_pagar (payable
    títulos projected on the day), saldo_depois (antes + a_pagar), cobre ("Sim"/"Não", None without balance).
    """
    rows = []
    for offset in range(days):
        day = add_days(ctx.data_base, offset)
        due = [titulo for titulo in open_titulos(ctx, "P") if titulo["data_projetada"] == day]
        for conta_id in sorted({t["conta_id"] for t in due}, key=lambda c: (c is None, c or 0)):
            before = balance(ctx, conta_id, ctx.data_base)
            if before is not None and offset:
                before += total(
                    linha["valor"]
                    for linha in projected(ctx, ctx.data_base, add_days(day, -1))
                    if linha["conta_id"] == conta_id
                )
            to_pay = total(titulo["valor"] for titulo in due if titulo["conta_id"] == conta_id)
            after = None if before is None else before + to_pay
            rows.append(
                {
                    "data": day,
                    "conta_id": conta_id,
                    "saldo_antes": before,
                    "a_pagar": to_pay,
                    "saldo_depois": after,
                    "cobre": None if after is None else "Sim" if after >= 0 else "Não",
                }
            )
    return rows


# --- R10 ---


def receivables(ctx: Context) -> list[Record]:
    """Return the receivable títulos, paid or open, that are not fora and not transfers (R10)."""
    return [
        titulo
        for _, titulo in sorted(ctx.titulos.items())
        if titulo["tipo"] == "R" and not titulo["transferencia"] and not titulo["fora_resultado"]
    ]


def stage(ctx: Context, titulo: Record) -> str:
    """Return the régua stage of an open receivable (R10); the days count from the live charge's due date if any."""
    if titulo["cobranca_paga"]:
        return "Dar baixa"
    if mistyped(ctx, titulo):
        return ""
    base: date = titulo["data_prevista"]
    if titulo["cobrancas"]:
        base = ctx.cobrancas[titulo["cobrancas"][0]]["data_vencimento"]
    if base > ctx.data_base:
        return "Lembrete" if (base - ctx.data_base).days <= 3 else ""
    late = titulo["dias_mora"]
    for limit, name in zip((0, 5, 15, 30, 60, 90), ETAPAS[3:], strict=False):
        if late <= limit:
            return name
    return ETAPAS[-1]


def r10(ctx: Context) -> list[Record]:
    """Inadimplência por cliente: one dict per person with open receivables not fora, sorted by vencido desc, id.

    Keys: pessoa_id, cliente, em_aberto, a_vencer (today included), vencido, 1-30, 31-60, 61-90, 91-180, >180
    (overdue by faixa), em_carencia, maior_atraso (0 if none), atraso_medio (None if none), encargos_est,
    valor_atualizado, pct_do_vencido, pct_acumulado, com_cobranca_paga, ultimo_recebimento, etapa.
    """
    everything = receivables(ctx)
    rows = []
    for person in {titulo["pessoa_id"] for titulo in everything if not titulo["pago"]}:
        own = [titulo for titulo in everything if titulo["pessoa_id"] == person]
        still_open = [titulo for titulo in own if not titulo["pago"]]
        late = [titulo for titulo in still_open if titulo["vencido"]]
        overdue = total(titulo["valor"] for titulo in late)
        amount = total(titulo["valor"] for titulo in still_open)
        fees = total(titulo["encargos"] for titulo in still_open)
        receipts = [titulo["data_pagamento"] for titulo in own if titulo["pago"]]
        rows.append(
            {
                "pessoa_id": person,
                "cliente": person_name(ctx.pessoas, person),
                "em_aberto": amount,
                "a_vencer": amount - overdue,
                "vencido": overdue,
                **{
                    faixa: total(titulo["valor"] for titulo in late if titulo["faixa"] == faixa) for faixa in FAIXAS[1:]
                },
                "em_carencia": total(t["valor"] for t in still_open if t["em_carencia"]),
                "maior_atraso": max((titulo["dias"] for titulo in late), default=0),
                "atraso_medio": one_decimal(total(t["valor"] * t["dias"] for t in late), overdue),
                "encargos_est": fees,
                "valor_atualizado": amount + fees,
                "com_cobranca_paga": total(t["valor"] for t in still_open if t["cobranca_paga"]),
                "ultimo_recebimento": max(receipts) if receipts else None,
                "etapa": max((stage(ctx, titulo) for titulo in still_open), key=ETAPAS.index),
            }
        )
    rows.sort(key=lambda row: (-row["vencido"], row["pessoa_id"] is None, row["pessoa_id"] or 0))
    whole = total(row["vencido"] for row in rows)
    running = ZERO
    for row in rows:
        running += row["vencido"]
        row["pct_do_vencido"] = percent(row["vencido"], whole)
        row["pct_acumulado"] = percent(running, whole)
    return rows


def r10_indices(ctx: Context) -> Record:
    """Ratios of R10, each (numerator, denominator, percent or None).

    Keys: carteira, acima_90, ajustada, safra {(year, month) of due: (still open, all)}.
    """
    everything = receivables(ctx)
    still_open = [titulo for titulo in everything if not titulo["pago"]]
    late = [titulo for titulo in still_open if titulo["vencido"]]
    since = add_days(ctx.data_base, -365)

    def add(titulos: Iterable[Record]) -> Decimal:
        return total(titulo["valor"] for titulo in titulos)

    def ratio(part: Decimal, whole: Decimal) -> tuple[Decimal, Decimal, Decimal | None]:
        return (part, whole, percent(part, whole))

    portfolio = add(still_open)
    months: list[Month] = sorted({month_of(titulo["data_vencimento"]) for titulo in everything})
    return {
        "carteira": ratio(add(late), portfolio),
        "acima_90": ratio(
            add(titulo for titulo in still_open if titulo["dias"] > ctx.params["inadimplencia_dias"]),
            add(titulo for titulo in everything if since < titulo["data_vencimento"] <= ctx.data_base),
        ),
        "ajustada": ratio(
            add(titulo for titulo in late if not titulo["em_carencia"] and not titulo["cobranca_paga"]), portfolio
        ),
        "safra": {
            month: ratio(
                add(titulo for titulo in still_open if month_of(titulo["data_vencimento"]) == month),
                add(titulo for titulo in everything if month_of(titulo["data_vencimento"]) == month),
            )
            for month in months
        },
    }
