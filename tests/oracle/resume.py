"""The KPIs of R00."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from .accrual import accrual_linhas, dre_lines, map_state
from .charge_reports import not_booked, r11_divergencias
from .context import Context, mistyped, open_titulos
from .days import add_days, add_months, first_day
from .flow import consolidated_balance, lowest_projected, of_class, realised
from .open_items import r10_indices
from .people import r12_prazos
from .values import ZERO, total

Record = dict[str, Any]


def ahead(ctx: Context, tipo: str, days: int) -> Decimal:
    """Return the open, not overdue títulos with projected date in D..D+days (R00)."""
    last: date = add_days(ctx.data_base, days)
    return total(
        titulo["valor"]
        for titulo in open_titulos(ctx, tipo)
        if titulo["data_projetada"] is not None and titulo["data_projetada"] <= last
        if tipo == "P" or not titulo["fora_resultado"]
    )


def r00(ctx: Context) -> Record:
    """KPIs of R00 by slug, `margem_contribuicao` and `ebitda` only where the map allows them (S17)."""
    lowest, _ = lowest_projected(ctx)
    indices, terms = r10_indices(ctx), r12_prazos(ctx)
    month = ctx.mes
    done = realised(ctx, first_day(month), ctx.data_base)
    unsettled = [row for row in r11_divergencias(ctx) if row["tipo"] == "M1"]
    open_ids = {titulo_id for row in unsettled for titulo_id in row["lancamentos"]}
    result: Record = {
        "saldo_ontem": consolidated_balance(ctx, add_days(ctx.data_base, -1)),
        "saldo_atual": consolidated_balance(ctx, ctx.data_base),
        "menor_saldo_contratual": lowest,
        "menor_saldo_conservador": lowest_conservative(ctx),
        "atrasado_a_pagar": total(t["valor"] for t in late_payables(ctx) if not mistyped(ctx, t)),
    }
    for name, tipo in (("a_receber", "R"), ("a_pagar", "P")):
        for label, days in (("hoje", 0), ("7", 7), ("30", 30)):
            result[f"{name}_{label}"] = ahead(ctx, tipo, days)
    result |= {
        "pct_carteira_vencida": indices["carteira"][2],
        "inadimplencia_90": indices["acima_90"][2],
        "pmr": terms["pmr"],
        "pmp_fornecedores": terms["pmp"],
    }
    # What is left out of the result is in no KPI of receivables (R00).
    late = [t for t in open_titulos(ctx) if t["vencido"] and (t["tipo"] == "P" or not t["fora_resultado"])]
    for side, tipo in (("receber", "R"), ("pagar", "P")):
        result[f"vencido_a_{side}"] = total(t["valor"] for t in late if t["tipo"] == tipo)
        grace = total(t["valor"] for t in late if t["tipo"] == tipo and t["em_carencia"])
        result[f"em_carencia_a_{side}"] = grace
        result[f"vencido_efetivo_a_{side}"] = result[f"vencido_a_{side}"] - grace
    inside = [x for x in accrual_linhas(ctx) if not x["fora_resultado"]]
    for suffix, last in (("", ctx.data_base), ("_mes_anterior", add_months(ctx.data_base, -1)),
                         ("_ano_anterior", add_months(ctx.data_base, -12))):  # fmt: skip
        same = [x for x in inside if last.replace(day=1) <= x["data_competencia_ef"] <= last]
        result[f"receita_ate_dia{suffix}"] = total(x["valor"] for x in same if x["natureza"] == "R")
        result[f"resultado_ate_dia{suffix}"] = total(x["valor"] for x in same)
    state = map_state(ctx)
    result["mapa_estado"] = state["estado"]
    now = [x for x in inside if first_day(month) <= x["data_competencia_ef"] <= ctx.data_base]
    if state["margens"]:
        lines = dre_lines(ctx, now)
        result |= {name: lines[name] for name in ("margem_contribuicao", "ebitda")}
    result |= {
        "fluxo_operacional_mes": of_class(done, "Entradas") + of_class(done, "Saídas"),
        **_in_transit(ctx),
        "taxas_nao_lancadas": total(
            not_booked(ctx, charge) or ZERO
            for charge in ctx.cobrancas.values()
            if charge["paga"] and charge["status"] != "cancelado"
        ),
        **_uncharged(ctx),
        "cobrancas_pagas_em_aberto_qtde": len(unsettled),
        "cobrancas_pagas_em_aberto_valor": total(ctx.titulos[t]["valor"] for t in open_ids),
        "dias_de_caixa": terms["dias_de_caixa"],
        "saldo_parcial": any(not account["configurada"] for account in ctx.contas.values()),
    }
    return result


def lowest_conservative(ctx: Context) -> Decimal:
    """Return the lowest closing with overdue payables on D and overdue receivables never (S26)."""
    # What is overdue counts on D or never, so that every day from D on moves alike.
    return lowest_projected(ctx)[0] + total(titulo["valor"] for titulo in late_payables(ctx))


def late_payables(ctx: Context) -> list[Record]:
    """List what is late and to be paid: without desk and bank nobody decided about it, nor is it proven paid (S26)."""
    return [titulo for titulo in open_titulos(ctx, "P") if titulo["vencido"]]


def _in_transit(ctx: Context) -> Record:
    """Charges in transit by whether all their títulos are paid, and the balance that the bank should show."""
    inside, outside, settled = ZERO, ZERO, set()
    for charge in ctx.cobrancas.values():
        if charge["status"] not in ("cliente_pagou", "transferindo"):
            continue
        titulos = charge["titulos"]
        if titulos and all(ctx.titulos[t]["pago"] for t in titulos):
            inside += charge["liquido"] or ZERO
            settled |= {t for t in titulos if ctx.titulos[t]["caixa"]}
        else:
            outside += charge["liquido"] or ZERO
    bank = consolidated_balance(ctx, ctx.data_base) - total(ctx.titulos[t]["valor"] for t in settled)
    return {"em_transito_no_saldo": inside, "em_transito_fora": outside, "saldo_estimado_banco": bank}


def _uncharged(ctx: Context) -> Record:
    """Receivables without a live charge: overdue, and due within seven days."""
    live = {t for charge in ctx.cobrancas.values() if charge["status"] != "cancelado" for t in charge["titulos"]}
    bare = [t for t in open_titulos(ctx, "R") if t["titulo_id"] not in live and not t["fora_resultado"]]
    late = [t for t in bare if t["vencido"]]
    last = add_days(ctx.data_base, 7)
    ahead = [t for t in bare if t["data_projetada"] is not None and t["data_projetada"] <= last]
    return {
        "sem_cobranca_vencidos_qtde": len(late),
        "sem_cobranca_vencidos_valor": total(t["valor"] for t in late),
        "sem_cobranca_7_dias_qtde": len(ahead),
        "sem_cobranca_7_dias_valor": total(t["valor"] for t in ahead),
    }
