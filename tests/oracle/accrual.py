"""Competence: DRE (R06), the bridge to cash (R07), sums by tag (S11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from .context import TRANSFERENCIAS, Context
from .days import Month, first_day, last_day, month_of, shift_month
from .dimensions import mapped_group
from .flow import category_tree, implanted, of_class, realised
from .values import ZERO, compared, percent, total

Record = dict[str, Any]

# the lines with a map: group lines, and for the others the groups they add (R06, S17)
GRUPOS = (
    "receita_bruta", "deducoes", "custos_variaveis", "pessoal", "administrativas", "comerciais", "nao_classificadas",
    "financeiro", "outras", "ir_csll", "fora",
)  # fmt: skip
_ATE_EBITDA = ("receita_bruta", "deducoes", "custos_variaveis", "pessoal", "administrativas", "comerciais",
               "nao_classificadas")  # fmt: skip
SOMAS = {
    "receita_liquida": ("receita_bruta", "deducoes"),
    "margem_contribuicao": ("receita_bruta", "deducoes", "custos_variaveis"),
    "ebitda": _ATE_EBITDA,
    "resultado_antes_ir": (*_ATE_EBITDA, "financeiro", "outras"),
    "resultado": (*_ATE_EBITDA, "financeiro", "outras", "ir_csll"),
}
GANHOS = {"receitas", "receita_bruta", "receita_liquida", "margem_contribuicao", "ebitda", "resultado_antes_ir",
          "resultado"}  # fmt: skip
MISTAS = {"financeiro", "outras", "fora"}


def map_state(ctx: Context) -> Record:
    """State of the map (S17).

    Returns:
        dict(estado 0 sem mapa / 1 parcial / 2 completo, classificada (lines are printed by group), sem_grupo (sum of
        the |amounts| of known used categories without a group), margens (lines 5 and 9 mean something)).
    """
    first = first_day(shift_month(ctx.mes, -12))
    used = [
        x
        for x in ctx.linhas
        if not x["transferencia"]
        and x["valor"] != 0
        and x["data_competencia_ef"] is not None
        and first <= x["data_competencia_ef"] <= ctx.data_base
    ]
    mapping = ctx.params["dre_mapa"]
    missing = [
        x
        for x in used
        if x["categoria_id"] in ctx.categorias and mapped_group(ctx.categorias, mapping, x["categoria_id"]) is None
    ]
    open_amount = total(abs(x["valor"]) for x in missing)
    spent = total(abs(x["valor"]) for x in used if x["natureza"] == "D" and not x["fora_resultado"])
    estado = 0 if not mapping else 1 if missing else 2
    classified = any(group != "fora" for group in mapping.values())
    within = open_amount * 100 <= spent * Decimal(ctx.params["dre_mapa_tolerancia_pct"])
    return {
        "estado": estado,
        "classificada": classified,
        "sem_grupo": open_amount,
        "margens": classified and (estado == 2 or within),
    }


def accrual_linhas(ctx: Context) -> list[Record]:
    """Return the non-transfer linhas with a competence date (S4)."""
    return [linha for linha in ctx.linhas if not linha["transferencia"] and linha["data_competencia_ef"] is not None]


def accrual_months(ctx: Context) -> list[Month]:
    """Return every month with a competence or a cash movement of a non-transfer linha, ascending."""
    months = {month_of(linha["data_competencia_ef"]) for linha in accrual_linhas(ctx)}
    months |= {month_of(linha["data_pagamento"]) for linha in ctx.linhas if linha["caixa"]}
    return sorted(months)


def dre_lines(ctx: Context, linhas: Iterable[Record]) -> dict[str, Decimal | None]:
    """Return the lines of the DRE over the given linhas; values keep their sign (R06).

    Without a map, or with one of `fora` alone, by natureza: receitas, despesas, resultado, fora (S17).
    """
    linhas = list(linhas)
    if not map_state(ctx)["classificada"]:
        inside = [x for x in linhas if not x["fora_resultado"]]
        revenue = total(x["valor"] for x in inside if x["natureza"] == "R")
        expense = total(x["valor"] for x in inside if x["natureza"] == "D")
        outside = total(x["valor"] for x in linhas if x["fora_resultado"])
        return {"receitas": revenue, "despesas": expense, "resultado": revenue + expense, "fora": outside}
    lines: dict[str, Decimal | None] = {
        group: total(linha["valor"] for linha in linhas if linha["dre_grupo"] == group) for group in GRUPOS
    }
    for name, parts in SOMAS.items():
        lines[name] = total(x["valor"] for x in linhas if x["dre_grupo"] in parts)
    if not map_state(ctx)["margens"]:
        lines["margem_contribuicao"] = lines["ebitda"] = None
    return lines


def r06(ctx: Context, months: list[Month] | None = None) -> dict[Month, Record]:
    """DRE gerencial: month -> dict(total, pago, em_aberto, receitas, despesas, parcial).

    `total`, `pago` (pago(D)) and `em_aberto` are {line: amount}. `receitas` and `despesas` are the sums by
    natureza without fora. `parcial`: the month is not over at D.
    """
    table = {}
    for month in months or accrual_months(ctx):
        linhas = [linha for linha in accrual_linhas(ctx) if month_of(linha["data_competencia_ef"]) == month]
        inside = [linha for linha in linhas if not linha["fora_resultado"]]
        table[month] = {
            "total": dre_lines(ctx, linhas),
            "pago": dre_lines(ctx, (linha for linha in linhas if linha["pago"])),
            "em_aberto": dre_lines(ctx, (linha for linha in linhas if not linha["pago"])),
            "receitas": total(linha["valor"] for linha in inside if linha["natureza"] == "R"),
            "despesas": total(linha["valor"] for linha in inside if linha["natureza"] == "D"),
            "parcial": last_day(month) > ctx.data_base,
        }
    return table


def r06_indicadores(ctx: Context, month: Month | None = None) -> Record:
    """Right-hand columns of R06 for one month (D's unless told).

    Returns:
        dict(acumulado_no_ano {line: amount, January to the month}, pct_receita_liquida {line: percent of line 3}, var
        {line: (difference to the previous month, R04's percent or word)}); None for lines without figures.
    """
    month = month or ctx.mes
    year = [(month[0], number) for number in range(1, month[1] + 1)]
    before = shift_month(month, -1)
    table = r06(ctx, [*year, before])
    now, then = table[month]["total"], table[before]["total"]
    revenue = table[before]["receitas"]
    figures: Record = {"acumulado_no_ano": {}, "pct_receita_liquida": {}, "var": {}}
    for line, amount in now.items():
        if amount is None:
            figures["acumulado_no_ano"][line] = figures["pct_receita_liquida"][line] = None
            figures["var"][line] = (None, None)
            continue
        figures["acumulado_no_ano"][line] = total(table[m]["total"][line] for m in year)
        figures["pct_receita_liquida"][line] = (
            percent(amount, now["receita_liquida"]) if "receita_liquida" in now else None
        )
        sense = "ganho" if line in GANHOS else "mista" if line in MISTAS else "custo"
        figures["var"][line] = (amount - then[line], compared(amount, then[line], sense, revenue))
    return figures


def r06_categorias(ctx: Context, months: list[Month] | None = None) -> dict[str, list[Record]]:
    """Categories under every group line: line -> rows as `flow.category_tree`, `valores` = {month: amount}."""
    months = months or accrual_months(ctx)
    result = {}
    classified = map_state(ctx)["classificada"]

    def group_of(linha: Record) -> str:
        if classified or linha["fora_resultado"]:
            return str(linha["dre_grupo"])
        return "receitas" if linha["natureza"] == "R" else "despesas"

    for group in GRUPOS if classified else ("receitas", "despesas", "fora"):

        def amounts(categoria_id: int | None, group: str = group) -> list[Decimal]:
            return [
                total(
                    linha["valor"]
                    for linha in accrual_linhas(ctx)
                    if group_of(linha) == group
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


def r06_centros(ctx: Context, month: Month) -> dict[int | None, dict[str, Decimal | None]]:
    """DRE by cost centre for one month: centro_custo_lucro_id (None = Sem centro) -> {line: amount}."""
    linhas = [linha for linha in accrual_linhas(ctx) if month_of(linha["data_competencia_ef"]) == month]
    centres = {linha["centro_custo_lucro_id"] for linha in linhas}
    return {
        centre: dre_lines(ctx, (linha for linha in linhas if linha["centro_custo_lucro_id"] == centre))
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
