"""Previsto x realizado (R13) and mudanças desde o último relatório (R14): two runs compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from .context import Context
from .days import Month, add_days, last_day, month_of
from .values import ZERO, percent, total

Record = dict[str, Any]
Key = tuple[int | None, int, bool]

CLASSES_R13 = (
    "Mudança de valor",
    "Excluídos",
    "A realizar",
    "Adiados",
    "Pagos antes",
    "Outros (previsto)",
    "Novos",
    "Antecipados",
    "Atrasados recuperados",
    "Outros (realizado)",
)


def linha_key(linha: Record) -> Key:
    """Identity of a linha over time: its id within its composite, whatever the `origem` (R14).

    The third part tells a "Diferença de composto" from its carrier.
    """
    return (linha["composto"], linha["linha_id"], linha["origem"] == "diferenca")


def keyed(ctx: Context) -> dict[Key, Record]:
    """Return the linhas of a run by identity."""
    return {linha_key(linha): linha for linha in ctx.linhas}


def choose_run(run_days: Iterable[date], first: date, lead: int) -> date | None:
    """Return the day of S: the latest complete run up to P0-L (L=0: P0-1), None without history (R13)."""
    limit = add_days(first, -max(lead, 1))
    usable = [day for day in run_days if day <= limit]
    return max(usable) if usable else None


def forecast(before: Context, first: date, last: date) -> dict[Key, Decimal]:
    """Return p: the linhas forecast at S for P (R13). `before` is the run of S, at its own D. Transfers out."""
    chosen = {}
    for key, linha in keyed(before).items():
        if linha["transferencia"]:
            continue
        if linha["pago"]:
            inside = linha["caixa"] and first <= linha["data_pagamento"] <= min(last, before.data_base)
        else:
            inside = not linha["vencida"] and first <= linha["data_prevista"] <= last
        if inside:
            chosen[key] = linha["valor"]
    return chosen


def actual(now: Context, first: date, last: date) -> dict[Key, Decimal]:
    """Return r: the caixa linhas in P as of D (R13). Transfers out."""
    return {
        key: linha["valor"]
        for key, linha in keyed(now).items()
        if linha["caixa"] and not linha["transferencia"] and first <= linha["data_pagamento"] <= last
    }


def r13(now: Context, before: Context, first: date, last: date) -> Record:
    """Table 2 of R13, the waterfall of P=[first, last] from the forecast of run `before` to the cash of `now`.

    Returns:
        dict(previsto, realizado, cascata {class of CLASSES_R13: amount}, linhas {class: {linha key: r-p}},
        p {linha key: amount}, r {linha key: amount}).
    """
    p, r = forecast(before, first, last), actual(now, first, last)
    then, here = keyed(before), keyed(now)
    linhas: dict[str, dict[Key, Decimal]] = {name: {} for name in CLASSES_R13}
    for key in sorted(p.keys() | r.keys(), key=lambda k: (k[0] or 0, k[1], k[2])):
        name = _waterfall_class(key, p, r, then.get(key), here.get(key), now, first, last)
        linhas[name][key] = r.get(key, ZERO) - p.get(key, ZERO)
    return {
        "previsto": total(p.values()),
        "realizado": total(r.values()),
        "cascata": {name: total(amounts.values()) for name, amounts in linhas.items()},
        "linhas": linhas,
        "p": p,
        "r": r,
    }


def _waterfall_class(
    key: Key,
    p: dict[Key, Decimal],
    r: dict[Key, Decimal],
    then: Record | None,
    here: Record | None,
    now: Context,
    first: date,
    last: date,
) -> str:
    if key in p and key in r:
        return "Mudança de valor"
    if key in p:
        if here is None:
            return "Excluídos"
        if not here["pago"]:
            due = here["data_prevista"]
            return "A realizar" if first <= due <= last and due >= now.data_base else "Adiados"
        if here["data_pagamento"] > last:
            return "Adiados"
        return "Pagos antes" if here["data_pagamento"] < first else "Outros (previsto)"
    if then is None:
        return "Novos"
    if then["pago"]:
        return "Outros (realizado)"
    return "Antecipados" if then["data_prevista"] > last else "Atrasados recuperados"


def r13_acuracia(now: Context, before: Context, first: date, last: date) -> Record:
    """Table 1 of R13 for one period; inner grain category, fora left out (by the linha's run).

    Returns:
        dict(previsto, realizado, erro (r-p), soma_erro_absoluto, wape, aderencia, vies (percent or None)).
    """
    p, r = forecast(before, first, last), actual(now, first, last)
    then, here = keyed(before), keyed(now)

    def by_category(amounts: dict[Key, Decimal], source: dict[Key, Record]) -> dict[int | None, Decimal]:
        sums: dict[int | None, Decimal] = defaultdict(lambda: ZERO)
        for key, value in amounts.items():
            if not source[key]["fora_resultado"]:
                sums[source[key]["categoria_id"]] += value
        return sums

    planned, done = by_category(p, then), by_category(r, here)
    categories = planned.keys() | done.keys()
    error = total(abs(done.get(c, ZERO) - planned.get(c, ZERO)) for c in categories)
    larger = total(max(abs(done.get(c, ZERO)), abs(planned.get(c, ZERO))) for c in categories)
    forecasted, happened = total(planned.values()), total(done.values())
    return {
        "previsto": forecasted,
        "realizado": happened,
        "erro": happened - forecasted,
        "soma_erro_absoluto": error,
        "wape": percent(error, total(abs(value) for value in done.values())),
        "aderencia": percent(larger - error, larger),
        "vies": percent(happened - forecasted, total(abs(value) for value in planned.values())),
    }


def r13_vencimento_pagamento(ctx: Context) -> dict[tuple[Month, str], Record]:
    """ "Vencimento x pagamento": (due month, R/P) -> dict(vencia, pago_no_mes, pago_antes, pago_depois, em_aberto,

    pct_realizacao (paid up to month end / vencia)). Non-transfer títulos with value, paid = pago(D).
    """
    table: dict[tuple[Month, str], Record] = {}
    for titulo in ctx.titulos.values():
        if titulo["transferencia"] or titulo["tipo"] == "Z":
            continue
        month = month_of(titulo["data_vencimento"])
        names = ("vencia", "pago_no_mes", "pago_antes", "pago_depois", "em_aberto")
        row = table.setdefault((month, titulo["tipo"]), dict.fromkeys(names, ZERO))
        row["vencia"] += titulo["valor"]
        if not titulo["pago"]:
            name = "em_aberto"
        elif month_of(titulo["data_pagamento"]) == month:
            name = "pago_no_mes"
        else:
            name = "pago_depois" if titulo["data_pagamento"] > last_day(month) else "pago_antes"
        row[name] += titulo["valor"]
    for row in table.values():
        row["pct_realizacao"] = percent(abs(row["pago_no_mes"] + row["pago_antes"]), abs(row["vencia"]))
    return dict(sorted(table.items()))


# --- R14 ---

# priority after EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO: type -> field
CAMPOS = {
    "VALOR": "valor",
    "VENCIMENTO": "data_vencimento",
    "PAGAMENTO": "data_pagamento",
    "COMPETENCIA": "data_competencia",
    "CATEGORIA": "categoria_id",
    "CONTA": "conta_id",
    "PESSOA": "pessoa_id",
    "CENTRO": "centro_custo_lucro_id",
}
OUTROS = (
    "descricao",
    "documento",
    "observacao",
    "forma_pagamento_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
    "grupo_id",
    "numero_repeticao",
    "total_repeticoes",
    "periodicidade",
    "pedido_id",
    "lancamento_transferencia_id",
    "pagamento_automatico",
    "tags",
)


def r14(now: Context, before: Context) -> list[Record]:
    """Changes from run A (`before`) to run B (`now`), one dict per changed linha, by identity.

    Keys: tipo (the first that holds of EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, VALOR, VENCIMENTO, PAGAMENTO,
    COMPETENCIA, CATEGORIA, CONTA, PESSOA, CENTRO, OUTROS), chave, linha_id, titulo_id, campos {field: (antes,
    depois)}, impacto_aberto, impacto_resultado (B minus A; open non-transfer; competence non-fora), mes_fechado (an
    old or new payment date <= `fechamento`, or competence where more than a payment changed). Paid and
    open are as of each run's D.
    """
    then, here = keyed(before), keyed(now)
    # Without a closing date the months older than that of run A count as closed.
    closed_on = now.params["fechamento"] or add_days(before.data_base.replace(day=1), -1)
    rows = []
    for key in sorted(then.keys() | here.keys(), key=lambda k: (k[0] or 0, k[1], k[2])):
        old, new = then.get(key), here.get(key)
        fields = {}
        if old is not None and new is not None:
            fields = {name: (old[name], new[name]) for name in (*CAMPOS.values(), *OUTROS) if old[name] != new[name]}
        tipo = _change_type(old, new, fields)
        if tipo is None:
            continue
        sample = new or old or {}
        # A settlement is no change of the month of its competence.
        sold = [record["data_competencia_ef"] for record in (old, new) if record is not None]
        settled = len(sold) == 2 and not fields.keys() - {"data_pagamento"} and sold[0] == sold[1]
        dates = [record["data_pagamento"] for record in (old, new) if record is not None]
        dates += [] if settled else sold
        rows.append(
            {
                "tipo": tipo,
                "chave": key,
                "linha_id": key[1],
                "titulo_id": sample["titulo_id"],
                "campos": fields,
                "impacto_aberto": _open_value(new) - _open_value(old),
                "impacto_resultado": _result_value(new) - _result_value(old),
                "mes_fechado": any(day is not None and day <= closed_on for day in dates),
            }
        )
    return rows


def _change_type(old: Record | None, new: Record | None, fields: Record) -> str | None:
    if new is None:
        return "EXCLUIDO"
    if old is None:
        return "NOVO"
    if old["pago"] and not new["pago"]:
        return "ESTORNADO"
    if new["pago"] and not old["pago"]:
        return "LIQUIDADO"
    for tipo, name in CAMPOS.items():
        if name in fields:
            return tipo
    return "OUTROS" if fields else None


def _open_value(linha: Record | None) -> Decimal:
    return ZERO if linha is None or linha["pago"] or linha["transferencia"] else linha["valor"]


def _result_value(linha: Record | None) -> Decimal:
    if linha is None or linha["transferencia"] or linha["fora_resultado"] or linha["data_competencia_ef"] is None:
        return ZERO
    value: Decimal = linha["valor"]
    return value


def r14_ponte(now: Context, before: Context) -> dict[str, Decimal]:
    """Portfolio bridge over the non-transfer linhas: Aberto A to Aberto B (R14, V17).

    Keys: aberto_a, novos_abertos, excluidos_abertos, liquidados (at A's value), estornados (at B's),
    mudanca_de_valor, aberto_b. The second, third and fourth are signed as they add to the bridge (an excluded payable
    adds a positive amount). A linha that became a transfer, or stopped being one, counts as excluded or new.
    """

    def part(ctx: Context) -> dict[Key, Record]:
        return {key: linha for key, linha in keyed(ctx).items() if not linha["transferencia"]}

    then, here = part(before), part(now)
    bridge = dict.fromkeys(
        ("aberto_a", "novos_abertos", "excluidos_abertos", "liquidados", "estornados", "mudanca_de_valor", "aberto_b"),
        ZERO,
    )
    for key in then.keys() | here.keys():
        old, new = then.get(key), here.get(key)
        open_before, open_now = _open_value(old), _open_value(new)
        bridge["aberto_a"] += open_before
        bridge["aberto_b"] += open_now
        if old is None:
            name = "novos_abertos"
        elif new is None:
            name = "excluidos_abertos"
        elif old["pago"]:
            name = "estornados"
        else:
            name = "liquidados" if new["pago"] else "mudanca_de_valor"
        bridge[name] += open_now - open_before
    return bridge


def r14_cobrancas(now: Context, before: Context) -> list[Record]:
    """Charges that changed status or were cancelled (not the new ones): dict(cobranca_id, antes, depois), by id."""
    rows = []
    for charge_id, charge in sorted(now.cobrancas.items()):
        old = before.cobrancas.get(charge_id)
        if old is not None and old["status"] != charge["status"]:
            rows.append({"cobranca_id": charge_id, "antes": old["status"], "depois": charge["status"]})
    return rows
