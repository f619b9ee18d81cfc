"""R06 DRE gerencial: result by competence, by line and category, by cost centre and by tag.

What the map does not allow is printed "—" and null in SQL, or has no line (S17).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.comparatives import compare_first_pair, plan_pairs
from lastro.analysis.dre_map import PARCIAL, SEM_MAPA
from lastro.analysis.income_statement import (
    RECEITA_LIQUIDA,
    RECEITAS,
    RESULTADO,
    Dre,
    find_sense,
    sum_revenue,
)
from lastro.analysis.months import format_month_header
from lastro.analysis.percent_change import NOTE, CompareRule, list_changes
from lastro.analysis.tree import Branch, Vector
from lastro.calendar import ONE_DAY, add_months, month_start
from lastro.grid.cells import Link
from lastro.grid.charts import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    IN_COLOUR,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Series,
    cut_empty_ends,
    fits_chart,
)
from lastro.grid.prints import Columns, Print
from lastro.grid.storage import store_money
from lastro.grid.tables import Column, describe_column, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import format_centavos_brl, ratio_pct, to_decimal
from lastro.reports.printing import Tables
from lastro.reports.r06_breakdown import ALL_TAGS, CENTRES, OF_PERIODS, TAGS, UNMAPPED, show_periods
from lastro.reports.shared.drill_down import find_blocks, link_to_lancamentos
from lastro.reports.spec import ReportSpec
from lastro.reports.tree_print import Across, Tree, name_branches
from lastro.transform.categories import FORA
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS

if TYPE_CHECKING:
    from lastro.reports.view import View

UNTIL: Final = "_ate_d"
"""What the keys of the first pair of R19 (V27) end with; `variacao` compares whole months, and is in SQL alone."""
MAP_NOTES: Final = {
    SEM_MAPA: (
        "Sem mapa da DRE só há receitas, despesas e resultado, pela natureza de cada lançamento.",
        "Margem e EBITDA dependem de dre_mapa, que `lastro mapa` sugere.",
    ),
    PARCIAL: (
        "Não classificadas: categorias em uso sem grupo em dre_mapa; as de receita ficam na linha 1.",
        "Linhas 5 e 9: só com o mapa completo, ou com o que falta dentro de dre_mapa_tolerancia_pct.",
    ),
}
"""What the notes say of a map that is not complete."""
PARTS: Final = {"valor": "", "pago_recebido": "_pago", "em_aberto": "_em_aberto"}
"""Column of the table -> what the key of its column of a month ends with."""


def _head(view: View) -> str:
    """Say beside the title what the map lacks."""
    return "" if view.dre_map.aviso is None else f"DRE gerencial (competência) · {view.dre_map.aviso}"


def list_accruals(view: View) -> Columns:
    """List the branches by month, all that hold anything."""
    dre = view.dre
    (whole, paid), hidden, times = dre.amounts, _find_hidden(dre), len(dre.months)
    return {
        **name_branches(dre.branches, times),
        "mes": [*dre.months] * len(dre.branches),
        "valor": store_money(whole, hidden),
        "pago_recebido": store_money(paid, hidden),
        "em_aberto": store_money(whole - paid, hidden),
    }


def list_years(view: View) -> Columns:
    """List the year of each branch, and its changes: D's month against the one before (R04), and up to D (R19)."""
    position, dre, hidden = view.position, view.dre, _find_hidden(view.dre)
    current = month_start(position.data_base)
    before = add_months(current, -1)
    year = dre.add(current.replace(month=1), current)
    net = None if RECEITA_LIQUIDA not in dre.places else int(year[dre.places[RECEITA_LIQUIDA]])
    rule = CompareRule(sum_revenue(dre.linhas[dre.linhas["mes_competencia"] == np.datetime64(before)]))
    months = zip(dre.branches, dre.add(current, current).tolist(), dre.add(before, before).tolist(), strict=True)
    whole = [rule.compare(now, then, find_sense(branch.codigo)) for branch, now, then in months]
    until = compare_first_pair(position, dre)
    return {
        **name_branches(dre.branches),
        "acumulado_no_ano": store_money(year, hidden),
        "pct_receita_liquida": [
            None if net is None or not_allowed else ratio_pct(value, net)
            for value, not_allowed in zip(year.tolist(), hidden, strict=True)
        ],
        **list_changes(None if not_allowed else one for one, not_allowed in zip(whole, hidden, strict=True)),
        **list_changes((None if not_allowed else one for one, not_allowed in zip(until, hidden, strict=True)), UNTIL),
    }


def _find_hidden(dre: Dre) -> Vector:
    """Tell which branches the map does not allow."""
    return np.array([branch.codigo in dre.hidden for branch in dre.branches], dtype=bool)


def _show_months(view: View) -> Iterator[Across]:
    """Show each month, and folded beside it what of it is paid and what is open."""
    for month in view.dre.shown:
        period = period_of_month(month)
        yield Across(
            {
                key: describe_column(
                    key,
                    dense=True,
                    undefined=True,
                    group=period.label,
                    key=f"{period.key}{part}",
                    period=period,
                    **({"level": 1} if part else {"header": format_month_header(month, view.position.data_base)}),
                )
                for key, part in PARTS.items()
            },
            (view.dre.months.index(month),),
        )


def _show_year(view: View) -> Mapping[str, Column]:
    """Show the year and the first pair of R19; a share only where the map says what net revenue is."""
    share = ("pct_receita_liquida",) if view.dre_map.classificada else ()
    whole = {f"{key}{UNTIL}": YEARS.describe(key).header for key in ("variacao", "var_pct")}
    shown = {key: YEARS.describe(key) for key in ("acumulado_no_ano", *share, *whole)}
    return {key: replace(column, header=whole.get(key, column.header)) for key, column in shown.items()}


def _lead(view: View, branch: Branch) -> Link | None:
    """Lead to the first block of Lançamentos below a row; the class is the line's usual one, else the other (S5)."""
    if branch.codigo == FORA:
        return link_to_lancamentos(view.kept(find_blocks), NAO_OPERACIONAL, branch.categorias)
    first, second = (ENTRADAS, SAIDAS) if branch.codigo in (RECEITAS, "receita_bruta") else (SAIDAS, ENTRADAS)
    found = link_to_lancamentos(view.kept(find_blocks), first, branch.categorias)
    return found or link_to_lancamentos(view.kept(find_blocks), second, branch.categorias)


def _say_notes(view: View) -> Iterator[str]:
    """Say what the amounts are, which days the change compares, and what the map or the shown months leave out."""
    mapa = view.dre_map
    yield "Valores com sinal: todas as linhas se somam. Mês em curso: inteiro, também o que vem depois da data-base."
    pair = plan_pairs(view.position)[0]
    yield f"Acumulado no ano: de janeiro ao mês da data-base. Variação: {pair.texto} (como em Comparativos)."
    yield NOTE
    if mapa.classificada:
        yield "% receita líquida: acumulado da linha / acumulado da linha 3; — onde esta não é positiva."
    yield from MAP_NOTES.get(mapa.estado if mapa.classificada else SEM_MAPA, ())
    yield from _say_left_out(view)


def _say_left_out(view: View) -> Iterator[str]:
    """Say what the shown months do not hold, so that nothing falls off silently."""
    dre, linhas = view.dre, view.position.linhas
    earlier, later = (date.min, dre.shown[0] - ONE_DAY), (dre.shown[-1] + ONE_DAY, date.max)
    for text, days in (("anteriores", earlier), ("posteriores", later)):
        if rest := int(dre.add(*days)[dre.places[RESULTADO]]):
            yield f"Resultado líquido de meses {text} aos mostrados: {format_centavos_brl(rest)}."
    without = linhas.loc[~linhas["transferencia"] & linhas["mes_competencia"].isna(), "valor_centavos"]
    if len(without):
        amount = format_centavos_brl(int(without.sum()))
        yield f"Sem competência (competencia_nula = excluir), fora desta DRE: {len(without)} linha(s), {amount}."


def _draw_months(view: View, _: Tables) -> Chart:
    """Draw revenue, result and the costs between them by month; costs with their sign turned.

    D's month and those after it hold what is only contracted: they are lighter, their result is dashed.
    """
    dre, day = view.dre, view.position.data_base
    shown = [month for month in dre.shown if fits_chart(month, day)]
    lines = dre.amounts[0][:, [dre.months.index(month) for month in shown]]
    name, first = ("Receita líquida", RECEITA_LIQUIDA) if RECEITA_LIQUIDA in dre.places else ("Receitas", RECEITAS)
    revenue, result = lines[dre.places[first]], lines[dre.places[RESULTADO]]
    closed = sum(month < month_start(day) for month in shown)
    ahead = max(closed - 1, 0)  # where the dashed line begins
    earned, spent, amounts = (tuple(map(to_decimal, own.tolist())) for own in (revenue, revenue - result, result))
    chart = Chart(
        f"{name}, despesas e resultado por mês",
        ChartKind.COLUMN,
        tuple(map(month_label, shown)),
        (
            Series(name, earned, IN_COLOUR, light_from=closed),
            Series("Despesas", spent, OUT_COLOUR, light_from=closed),
            Series("Resultado", amounts[:closed] + (None,) * (len(amounts) - closed), BALANCE_COLOUR, line=True),
            Series("Resultado contratado", (None,) * ahead + amounts[ahead:], BALANCE_TINT, line=True, dashed=True),
        ),
        after=MONTHS.name,
    )
    return cut_empty_ends(chart)


MONTHS: Final = Print(
    "dre",
    "R06: uma linha por linha da DRE ou categoria e mês de competência (S4); nível 0 são as linhas",
    list_accruals,
    keys=("codigo", "nivel", "categoria_id", "linha", "mes"),
    about={
        "codigo": "código da linha: com mapa receita_bruta ... resultado, fora; sem mapa receitas, despesas, "
        "resultado, fora",
        "mes": "primeiro dia do mês de competência",
        "valor": "receita positiva, despesa negativa; nulo onde o mapa não permite a linha (S17)",
        "em_aberto": "parte de valor ainda não paga na data-base",
    },
    shown=("categoria_id",),
)
YEARS: Final = Print(
    "dre_acumulado",
    "R06: acumulado do ano e variações por linha da DRE ou categoria; a nota diz por que não há var_pct (R04)",
    list_years,
    keys=("codigo", "nivel", "categoria_id", "linha"),
    about={
        "variacao": "mês da data-base, inteiro, menos o mês anterior; a da planilha DRE é variacao_ate_d",
        "var_pct": "variação / mês anterior; nula onde não significa nada, e então var_nota diz por quê",
    },
    dense=True,
    undefined=("acumulado_no_ano", "pct_receita_liquida", f"variacao{UNTIL}", f"var_pct{UNTIL}"),
    hidden=("var_nota", f"var_nota{UNTIL}"),
    shown=("categoria_id",),
)
TREE: Final = Tree(
    MONTHS,
    lambda view: view.dre.branches,
    _show_months,
    describe_column("linha", width=34),
    key=lambda branch: f"dre-{branch.join('-')}",
    totals=YEARS,
    beside=_show_year,
    why={f"var_pct{UNTIL}": f"var_nota{UNTIL}"},
    link=_lead,
    notes=_say_notes,
)
SPEC: Final = ReportSpec(
    code="R06",
    name="dre",
    title="DRE gerencial",
    question="A operação dá lucro, e em que mês ele aconteceu?",
    family=Family.RESULT,
    tables=(MONTHS, YEARS, CENTRES, OF_PERIODS, TAGS, ALL_TAGS, UNMAPPED),
    sections=(TREE.show, show_periods, UNMAPPED),
    charts=(_draw_months,),
    heading=_head,
)
