"""Competence: DRE (R06), the bridge to cash (R07), sums by tag (S11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from .context import TRANSFERENCIAS, Context
from .days import Month, first_day, last_day, month_of, shift_month
from .flow import category_tree, implanted, of_class, realised
from .values import ZERO, growth, percent, total

Record = dict[str, Any]

# line number -> DRE group; the other lines are sums of lines (R06)
GRUPOS = {
    1: "receita_bruta",
    2: "deducoes",
    4: "custos_variaveis",
    6: "pessoal",
    7: "administrativas",
    8: "comerciais",
    10: "financeiro",
    11: "outras",
    13: "ir_csll",
    15: "fora",
}
SOMAS = {3: (1, 2), 5: (3, 4), 9: (5, 6, 7, 8), 12: (9, 10, 11), 14: (12, 13)}
LINHAS_DRE = tuple(range(1, 16))


def accrual_linhas(ctx: Context) -> list[Record]:
    """Return the non-transfer linhas with a competence date (S4)."""
    return [linha for linha in ctx.linhas if not linha["transferencia"] and linha["data_competencia_ef"] is not None]


def accrual_months(ctx: Context) -> list[Month]:
    """Return every month with a competence or a cash movement of a non-transfer linha, ascending."""
    months = {month_of(linha["data_competencia_ef"]) for linha in accrual_linhas(ctx)}
    months |= {month_of(linha["data_pagamento"]) for linha in ctx.linhas if linha["caixa"]}
    return sorted(months)


def dre_lines(linhas: Iterable[Record]) -> dict[int, Decimal]:
    """Return lines 1 to 15 of the DRE over the given linhas; values keep their sign (R06)."""
    linhas = list(linhas)
    lines = {
        number: total(linha["valor"] for linha in linhas if linha["dre_grupo"] == group)
        for number, group in GRUPOS.items()
    }
    for number in sorted(SOMAS):
        lines[number] = total(lines[part] for part in SOMAS[number])
    return {number: lines[number] for number in LINHAS_DRE}


def r06(ctx: Context, months: list[Month] | None = None) -> dict[Month, Record]:
    """DRE gerencial: month -> dict(total, pago, em_aberto, receitas, despesas, parcial).

    `total`, `pago` (pago(D)) and `em_aberto` are {line 1..15: amount}. `receitas` and `despesas` are the sums by
    natureza without fora. `parcial`: the month is not over at D.
    """
    table = {}
    for month in months or accrual_months(ctx):
        linhas = [linha for linha in accrual_linhas(ctx) if month_of(linha["data_competencia_ef"]) == month]
        inside = [linha for linha in linhas if not linha["fora_resultado"]]
        table[month] = {
            "total": dre_lines(linhas),
            "pago": dre_lines(linha for linha in linhas if linha["pago"]),
            "em_aberto": dre_lines(linha for linha in linhas if not linha["pago"]),
            "receitas": total(linha["valor"] for linha in inside if linha["natureza"] == "R"),
            "despesas": total(linha["valor"] for linha in inside if linha["natureza"] == "D"),
            "parcial": last_day(month) > ctx.data_base,
        }
    return table


def r06_indicadores(ctx: Context, month: Month | None = None) -> Record:
    """Right-hand columns of R06 for one month (D's unless told).

    Returns:
        dict(acumulado_no_ano {line: amount, January to the month}, pct_receita_liquida {line: percent of line 3},
        ah_pct {line: month / previous month - 1}).
    """
    month = month or ctx.mes
    year = [(month[0], number) for number in range(1, month[1] + 1)]
    before = shift_month(month, -1)
    table = r06(ctx, [*year, before])
    now = table[month]["total"]
    return {
        "acumulado_no_ano": {line: total(table[m]["total"][line] for m in year) for line in LINHAS_DRE},
        "pct_receita_liquida": {line: percent(now[line], now[3]) for line in LINHAS_DRE},
        "ah_pct": {line: growth(now[line], table[before]["total"][line]) for line in LINHAS_DRE},
    }


def r06_categorias(ctx: Context, months: list[Month] | None = None) -> dict[str, list[Record]]:
    """Categories under every DRE group: group -> rows as `flow.category_tree`, `valores` = {month: amount}."""
    months = months or accrual_months(ctx)
    result = {}
    for group in GRUPOS.values():

        def amounts(categoria_id: int | None, group: str = group) -> list[Decimal]:
            return [
                total(
                    linha["valor"]
                    for linha in accrual_linhas(ctx)
                    if linha["dre_grupo"] == group
                    and linha["categoria_id"] == categoria_id
                    and month_of(linha["data_competencia_ef"]) == month
                )
                for month in months
            ]

        rows = category_tree(ctx, amounts)
        for row in rows:
            row["valores"] = dict(zip(months, row["valores"], strict=True))
        result[group] = rows
    return result


def r06_centros(ctx: Context, month: Month) -> dict[int | None, dict[int, Decimal]]:
    """DRE by cost centre for one month: centro_custo_lucro_id (None = Sem centro) -> {line: amount}."""
    linhas = [linha for linha in accrual_linhas(ctx) if month_of(linha["data_competencia_ef"]) == month]
    centres = {linha["centro_custo_lucro_id"] for linha in linhas}
    return {
        centre: dre_lines(linha for linha in linhas if linha["centro_custo_lucro_id"] == centre)
        for centre in sorted(centres, key=lambda c: (c is None, c or 0))
    }


def sums_by_tag(ctx: Context) -> dict[int | str, Decimal]:
    """Competence sums by tag over all months, and "total_sem_repeticao" of the distinct tagged linhas (S11).

    Non-transfer linhas that are not fora.
    """
    tagged = [linha for linha in accrual_linhas(ctx) if linha["tags"] and not linha["fora_resultado"]]
    result: dict[int | str, Decimal] = {}
    for tag_id in sorted({tag for linha in tagged for tag in linha["tags"]}):
        result[tag_id] = total(linha["valor"] for linha in tagged if tag_id in linha["tags"])
    result["total_sem_repeticao"] = total(linha["valor"] for linha in tagged)
    return result


def r07(ctx: Context, months: list[Month] | None = None) -> dict[Month, dict[str, Decimal]]:
    """Ponte competência x caixa: month -> {a..l, n, o, p}. Realised cash only (R07)."""
    return {month: _bridge(ctx, month) for month in months or accrual_months(ctx)}


def _bridge(ctx: Context, month: Month) -> dict[str, Decimal]:
    linhas = [linha for linha in ctx.linhas if not linha["transferencia"]]
    inside = [linha for linha in linhas if not linha["fora_resultado"]]

    def mc(linha: Record) -> Month | None:
        day = linha["data_competencia_ef"]
        return month_of(day) if day is not None else None

    def mx(linha: Record) -> Month | None:
        return month_of(linha["data_pagamento"]) if linha["caixa"] else None

    def add(condition: Callable[[Record], bool], natureza: str | None = None) -> Decimal:
        return total(
            linha["valor"]
            for linha in inside
            if (natureza is None or linha["natureza"] == natureza) and condition(linha)
        )

    def earlier(linha: Record) -> bool:
        own = mc(linha)
        return own is None or own < month

    def later(linha: Record) -> bool:
        own = mc(linha)
        return own is not None and own > month

    row: dict[str, Decimal] = {}
    row["a"] = add(lambda x: mc(x) == month)
    row["b"] = -add(lambda x: mc(x) == month and not x["pago"], "R")
    row["c"] = -add(lambda x: mc(x) == month and not x["pago"], "D")
    row["d"] = -add(lambda x: mc(x) == month and x["caixa"] and mx(x) != month, "R")
    row["e"] = -add(lambda x: mc(x) == month and x["caixa"] and mx(x) != month, "D")
    row["f"] = -add(lambda x: mc(x) == month and x["pago"] and not x["caixa"])
    row["g"] = add(lambda x: mx(x) == month and earlier(x), "R")
    row["h"] = add(lambda x: mx(x) == month and later(x), "R")
    row["i"] = add(lambda x: mx(x) == month and earlier(x), "D")
    row["j"] = add(lambda x: mx(x) == month and later(x), "D")
    row["k"] = total(linha["valor"] for linha in linhas if linha["fora_resultado"] and mx(linha) == month)
    row["l"] = total(row.values())
    first, last = first_day(month), min(last_day(month), ctx.data_base)
    row["n"] = of_class(realised(ctx, first, last), TRANSFERENCIAS)
    row["o"] = implanted(ctx, first, last) if first <= last else ZERO
    row["p"] = row["l"] + row["n"] + row["o"]
    return {key: value + ZERO for key, value in row.items()}
