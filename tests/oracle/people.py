"""Posição por pessoa, curva ABC, prazos médios: R12."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from .accrual import map_state
from .context import SAIDAS, Context, open_titulos, window
from .days import first_day, last_day, shift_month
from .dimensions import mapped_group, person_name
from .flow import consolidated_balance, of_class, realised
from .values import ZERO, one_decimal, percent, total

JANELA = 90
"""Days of PMR, PMP and the effective terms."""
Record = dict[str, Any]


def r12(ctx: Context) -> list[Record]:
    """One dict per person (None = Sem pessoa) that has a non-transfer título or linha, zero ones left out.

    Keys: pessoa_id, pessoa, tipo (None if unknown), ativo, a_receber_a_vencer (today included), a_receber_vencido,
    a_pagar_a_vencer, a_pagar_vencido, posicao_liquida, recebido_12m, pago_12m (caixa títulos in (D-365, D]),
    receita_12m, pct_acumulado, classe, prazo_medio, atraso_medio (títulos of both signs paid in the window),
    ultimo_movimento (last payment up to D). Sorted by |posição líquida| desc, id (null last).
    """
    active = [t for t in ctx.titulos.values() if not t["transferencia"] and t["tipo"] != "Z"]
    linhas = [linha for linha in ctx.linhas if not linha["transferencia"] and linha["valor"] != 0]
    people = {titulo["pessoa_id"] for titulo in active} | {linha["pessoa_id"] for linha in linhas}
    ranking = abc(ctx)
    since, until = window(ctx, 365)
    rows = []
    for person in people:
        still_open = [titulo for titulo in open_titulos(ctx) if titulo["pessoa_id"] == person]
        own = [titulo for titulo in active if titulo["pessoa_id"] == person]
        cash = [t for t in own if t["caixa"] and since <= t["data_pagamento"] <= until]
        payments = [titulo["data_pagamento"] for titulo in own if titulo["pago"]]
        known = ctx.pessoas.get(person) if person is not None else None
        terms = paid_terms(ctx, [titulo for titulo in own if not titulo["fora_resultado"]])
        rank = ranking.get(person, {"receita_12m": ZERO, "pct_acumulado": None, "classe": "C"})

        def add(titulos: Iterable[Record], tipo: str, late: bool | None = None) -> Decimal:
            return total(t["valor"] for t in titulos if t["tipo"] == tipo and (late is None or t["vencido"] == late))

        rows.append(
            {
                "pessoa_id": person,
                "pessoa": person_name(ctx.pessoas, person),
                "tipo": known["tipo"] if known else None,
                "ativo": known["ativo"] if known else None,
                "a_receber_a_vencer": add(still_open, "R", False),
                "a_receber_vencido": add(still_open, "R", True),
                "a_pagar_a_vencer": add(still_open, "P", False),
                "a_pagar_vencido": add(still_open, "P", True),
                "posicao_liquida": total(titulo["valor"] for titulo in still_open),
                "recebido_12m": add(cash, "R"),
                "pago_12m": add(cash, "P"),
                **rank,
                "prazo_medio": terms["prazo"],
                "atraso_medio": terms["atraso"],
                "ultimo_movimento": max(payments) if payments else None,
            }
        )
    return sorted(rows, key=lambda row: (row["pessoa_id"] is None, -abs(row["posicao_liquida"]), row["pessoa_id"] or 0))


def revenue_12m(ctx: Context) -> dict[int | None, Decimal]:
    """Competence revenue (natureza R, not fora, non-transfer linhas) of the 12 closed months, by the linha's person."""
    first, last = first_day(shift_month(ctx.mes, -12)), last_day(shift_month(ctx.mes, -1))
    revenue: dict[int | None, Decimal] = {}
    for linha in ctx.linhas:
        day = linha["data_competencia_ef"]
        if linha["transferencia"] or linha["fora_resultado"] or linha["natureza"] != "R" or day is None:
            continue
        if first <= day <= last:
            revenue[linha["pessoa_id"]] = revenue.get(linha["pessoa_id"], ZERO) + linha["valor"]
    return revenue


def abc(ctx: Context) -> dict[int | None, Record]:
    """Curva ABC: person -> dict(receita_12m, pct_acumulado (share up to the person, None if revenue <= 0), classe).

    By revenue desc, id (null last); the whole is the sum of the positive revenues; A if the cumulative share before
    the person is below the first cut, B below the second, else C; revenue <= 0 is C (R12).
    """
    first_cut, second_cut = (Decimal(80), Decimal(95))
    revenue = revenue_12m(ctx)
    whole = total(value for value in revenue.values() if value > 0)
    order = sorted(revenue, key=lambda person: (-revenue[person], person is None, person or 0))
    table: dict[int | None, Record] = {}
    running = ZERO
    for person in order:
        if revenue[person] <= 0:
            table[person] = {"receita_12m": revenue[person], "pct_acumulado": None, "classe": "C"}
            continue
        before = running * 100
        classe = "A" if before < first_cut * whole else "B" if before < second_cut * whole else "C"
        running += revenue[person]
        table[person] = {"receita_12m": revenue[person], "pct_acumulado": percent(running, whole), "classe": classe}
    return table


def paid_terms(ctx: Context, titulos: Iterable[Record]) -> Record:
    """Value-weighted days of the títulos paid in (D-90, D].

    Returns:
        dict(prazo (pagamento - competência), atraso (pagamento - vencimento), one decimal or None; soma_prazo,
        soma_atraso (value x days), peso (sum |v|)). Títulos without competence are left out of `prazo`.
    """
    since, until = window(ctx, JANELA)
    paid = [t for t in titulos if t["pago"] and since <= t["data_pagamento"] <= until]
    dated = [t for t in paid if t["data_competencia_ef"] is not None]
    term = total(abs(t["valor"]) * (t["data_pagamento"] - t["data_competencia_ef"]).days for t in dated)
    delay = total(abs(t["valor"]) * (t["data_pagamento"] - t["data_vencimento"]).days for t in paid)
    dated_weight, weight = total(abs(t["valor"]) for t in dated), total(abs(t["valor"]) for t in paid)
    return {
        "prazo": one_decimal(term, dated_weight),
        "atraso": one_decimal(delay, weight),
        "soma_prazo": term,
        "soma_atraso": delay,
        "peso": weight,
    }


def r12_prazos(ctx: Context) -> Record:
    """PMR, PMP, ciclo, prazo efetivo, atraso médio, dias de caixa (one decimal, None if the base is not positive).

    Keys: pmr, pmp, ciclo, pmr_parcelas, pmp_parcelas (numerator, denominator; PMP's printed positive), recebimento,
    pagamento (see `paid_terms`), saidas_90 (positive), dias_de_caixa.
    """
    since, until = window(ctx, JANELA)

    def supplied(categoria_id: int | None) -> bool:
        group = mapped_group(ctx.categorias, ctx.params["dre_mapa"], categoria_id)
        return group not in ("pessoal", "ir_csll", "deducoes", "financeiro", "fora")

    def numerator(tipo: str) -> Decimal:
        return total(
            titulo["valor"]
            for titulo in open_titulos(ctx, tipo)
            if not titulo["fora_resultado"]
            and titulo["data_competencia_ef"] is not None
            and titulo["data_competencia_ef"] <= ctx.data_base
            and (tipo == "R" or supplied(titulo["categoria_id"]))
        )

    def denominator(natureza: str) -> Decimal:
        return total(
            linha["valor"]
            for linha in ctx.linhas
            if not linha["transferencia"]
            and not linha["fora_resultado"]
            and linha["natureza"] == natureza
            and linha["data_competencia_ef"] is not None
            and since <= linha["data_competencia_ef"] <= until
            and (natureza == "R" or supplied(linha["categoria_id"]))
        )

    days = JANELA
    receiving = (numerator("R"), denominator("R"))
    # Without a map nobody can tell purchases from the rest (S17, section 7).
    paying = (-numerator("P"), -denominator("D")) if map_state(ctx)["margens"] else None
    pmr, pmp = one_decimal(*receiving, days), None if paying is None else one_decimal(*paying, days)
    settled = [
        t for t in ctx.titulos.values() if not t["transferencia"] and not t["fora_resultado"] and t["tipo"] != "Z"
    ]
    spent_since, _ = window(ctx, 90)
    spent = -of_class(realised(ctx, spent_since, ctx.data_base), SAIDAS)
    return {
        "pmr": pmr,
        "pmp": pmp,
        "ciclo": None if pmr is None or pmp is None else pmr - pmp,
        "pmr_parcelas": receiving,
        "pmp_parcelas": paying,
        "recebimento": paid_terms(ctx, [t for t in settled if t["tipo"] == "R"]),
        "pagamento": paid_terms(ctx, [t for t in settled if t["tipo"] == "P"]),
        "saidas_90": spent,
        "dias_de_caixa": one_decimal(consolidated_balance(ctx, ctx.data_base), spent, 90),
    }
