"""The KPIs of R00."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from .accrual import r06
from .charge_reports import in_transit, r11_divergencias
from .context import Context, open_titulos
from .days import add_days, first_day, month_of, shift_month
from .flow import balance, consolidated_balance, lowest_projected, of_class, r01, realised
from .open_items import detail, position_totals, r10_indices
from .people import r12_prazos
from .values import ZERO, total

Record = dict[str, Any]


def ahead(ctx: Context, tipo: str, days: int) -> Decimal:
    """Return the open, not overdue títulos with projected date in D..D+days (R00)."""
    last: date = add_days(ctx.data_base, days)
    return total(
        titulo["valor"]
        for titulo in open_titulos(ctx, tipo)
        if not titulo["vencido"] and titulo["data_projetada"] <= last
    )


def r00(ctx: Context) -> Record:
    """KPIs in the order of R00.

    Keys: saldo_ontem, saldo_atual, menor_saldo_projetado, data_menor_saldo, situacao_menor_saldo
    ("OK"/"Atenção"/"Crítico"), a_receber_hoje, a_receber_7, a_receber_30, a_pagar_hoje, a_pagar_7, a_pagar_30,
    vencido_a_receber, em_carencia (of the receivables), vencido_a_pagar, pct_carteira_vencida, inadimplencia_90, pmr,
    pmp, receita_mes (natureza R without fora), receita_bruta_mes (DRE line 1), receita_liquida_mes (line 3),
    resultado_mes (line 14), the same four with `_anterior` for the previous month, fluxo_operacional_mes (realised),
    cobrancas_em_transito, cobrancas_pagas_em_aberto_qtde (charges), cobrancas_pagas_em_aberto_valor (their open
    títulos, each once), dias_de_caixa, saldo_parcial (an account is not configured: "variação, não saldo").
    """
    lowest, lowest_on = lowest_projected(ctx)
    receivable, payable = position_totals(detail(ctx, "R")), position_totals(detail(ctx, "P"))
    indices, terms = r10_indices(ctx), r12_prazos(ctx)
    month, before = ctx.mes, shift_month(ctx.mes, -1)
    dre = r06(ctx, [month, before])
    done = realised(ctx, first_day(month), ctx.data_base)
    unsettled = [row for row in r11_divergencias(ctx) if row["tipo"] == "M1"]
    open_ids = {titulo_id for row in unsettled for titulo_id in row["lancamentos"]}
    result: Record = {
        "saldo_ontem": consolidated_balance(ctx, add_days(ctx.data_base, -1)),
        "saldo_atual": consolidated_balance(ctx, ctx.data_base),
        "menor_saldo_projetado": lowest,
        "data_menor_saldo": lowest_on,
        "situacao_menor_saldo": "Crítico" if lowest < 0 else "Atenção" if lowest < ctx.params["saldo_minimo"] else "OK",
    }
    for name, tipo in (("a_receber", "R"), ("a_pagar", "P")):
        for label, days in (("hoje", 0), ("7", 7), ("30", 30)):
            result[f"{name}_{label}"] = ahead(ctx, tipo, days)
    result |= {
        "vencido_a_receber": receivable["vencido"],
        "em_carencia": receivable["em_carencia"],
        "vencido_a_pagar": payable["vencido"],
        "pct_carteira_vencida": indices["carteira"][2],
        "inadimplencia_90": indices["acima_90"][2],
        "pmr": terms["pmr"],
        "pmp": terms["pmp"],
    }
    for suffix, chosen in (("", month), ("_anterior", before)):
        result[f"receita_mes{suffix}"] = dre[chosen]["receitas"]
        result[f"receita_bruta_mes{suffix}"] = dre[chosen]["total"].get("receita_bruta")
        result[f"receita_liquida_mes{suffix}"] = dre[chosen]["total"].get("receita_liquida")
        result[f"resultado_mes{suffix}"] = dre[chosen]["total"]["resultado"]
    result |= {
        "fluxo_operacional_mes": of_class(done, "Entradas") + of_class(done, "Saídas"),
        "cobrancas_em_transito": in_transit(ctx),
        "cobrancas_pagas_em_aberto_qtde": len(unsettled),
        "cobrancas_pagas_em_aberto_valor": total(ctx.titulos[t]["valor"] for t in open_ids),
        "dias_de_caixa": terms["dias_de_caixa"],
        "saldo_parcial": any(not account["configurada"] for account in ctx.contas.values()),
    }
    return result


# --- the example questions of section 4 ---


def question(ctx: Context, number: int) -> Any:
    """Answer an example question of section 4 (1 to 5, 7, 8) as `tests.golden.expected.PERGUNTAS` holds them."""
    return _QUESTIONS[number](ctx)


def _q1(ctx: Context) -> dict[Any, Any]:
    return {conta_id: balance(ctx, conta_id, ctx.data_base) for conta_id in ctx.contas}


def _q2(ctx: Context) -> dict[Any, tuple[Decimal, Decimal]]:
    linhas = [linha for linha in ctx.linhas if not linha["transferencia"]]
    accrued = [(month_of(x["data_competencia_ef"]), x["valor"]) for x in linhas if x["data_competencia_ef"]]
    cash = [(month_of(x["data_pagamento"]), x["valor"]) for x in linhas if x["caixa"]]
    months = sorted({month for month, _ in accrued + cash})
    return {m: (total(v for k, v in accrued if k == m), total(v for k, v in cash if k == m)) for m in months}


def _q3(ctx: Context) -> list[tuple[Any, Decimal, int]]:
    late = [titulo for titulo in open_titulos(ctx, "R") if titulo["data_prevista"] < ctx.data_base]
    rows = []
    for person in {titulo["pessoa_id"] for titulo in late}:
        own = [titulo for titulo in late if titulo["pessoa_id"] == person]
        days = max((ctx.data_base - titulo["data_prevista"]).days for titulo in own)
        rows.append((person, total(titulo["valor"] for titulo in own), days))
    return sorted(rows, key=lambda row: (-row[1], row[0] is None, row[0] or 0))


def _q4(ctx: Context) -> dict[Any, Any]:
    return {row["conta_id"]: row["saldo_d30"] for row in r01(ctx)}


def _q5(ctx: Context) -> list[tuple[int, int]]:
    return [
        (charge_id, titulo_id)
        for charge_id, charge in sorted(ctx.cobrancas.items())
        if charge["paga"]
        for titulo_id in charge["titulos"]
        if not ctx.titulos[titulo_id]["pago"]
    ]


def _q7(ctx: Context) -> dict[Any, Any]:
    return {month: values[2] for month, values in r10_indices(ctx)["safra"].items()}


def _q8(ctx: Context) -> dict[str, Decimal]:
    paid: dict[str, Decimal] = {}
    for linha in ctx.linhas:
        categoria = ctx.categorias.get(linha["categoria_id"])
        if not linha["caixa"] or linha["transferencia"] or categoria is None:
            continue
        if categoria["caminho"] == "Despesas" or categoria["caminho"].startswith("Despesas > "):
            paid[categoria["caminho"]] = total([paid.get(categoria["caminho"], ZERO), linha["valor"]])
    return paid


_QUESTIONS = {1: _q1, 2: _q2, 3: _q3, 4: _q4, 5: _q5, 7: _q7, 8: _q8}


def question_6(before: Context) -> dict[Any, Decimal]:
    """Question 6: what run `before` forecast by due month, overdue left out, at its own D."""
    planned: dict[Any, Decimal] = {}
    for linha in before.linhas:
        if not linha["transferencia"] and not linha["pago"] and linha["data_vencimento"] >= before.data_base:
            month = month_of(linha["data_vencimento"])
            planned[month] = planned.get(month, ZERO) + linha["valor"]
    return planned
