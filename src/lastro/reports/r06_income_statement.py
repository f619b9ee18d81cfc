"""R06 DRE gerencial: result by competence, by line and category, by cost centre and by tag.

What the map does not allow is printed "—" and null in SQL, or has no line (S17).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.comparatives import compare_first_pair, plan_pairs
from lastro.analysis.dre_map import PARCIAL, SEM_MAPA
from lastro.analysis.income_statement import (
    RECEITA_LIQUIDA,
    RECEITAS,
    RESULTADO,
    Dre,
    find_sense,
    select_tagged,
    sum_centros,
    sum_revenue,
    sum_tags,
    sum_unmapped,
)
from lastro.analysis.months import format_month_header
from lastro.analysis.percent_change import NOTE, CompareRule, list_changes
from lastro.analysis.tree import Branch, Vector
from lastro.calendar import ONE_DAY, add_months, month_start
from lastro.grid.cells import Kind, Link
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
from lastro.grid.pivot import list_rows, show_row
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Section, Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Column, describe_column, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import format_centavos_brl, ratio_pct, to_decimal
from lastro.reports.printing import Tables
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
AMOUNT: Final = {"valor": "receita positiva, despesa negativa; nulo onde o mapa não permite a linha (S17)"}
TOTAL: Final = "total"


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
        return link_to_lancamentos(view.books.once(find_blocks), NAO_OPERACIONAL, branch.categorias)
    first, second = (ENTRADAS, SAIDAS) if branch.codigo in (RECEITAS, "receita_bruta") else (SAIDAS, ENTRADAS)
    found = link_to_lancamentos(view.books.once(find_blocks), first, branch.categorias)
    return found or link_to_lancamentos(view.books.once(find_blocks), second, branch.categorias)


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


def list_centres(view: View) -> Columns:
    """List line x cost centre x month, all that hold anything."""
    dre = view.dre
    centros = sum_centros(view.position, dre.linhas, dre.lines)
    rows = list(product(dre.lines, centros.names, centros.months))
    hidden = np.array([line.codigo in dre.hidden for line in dre.lines], dtype=bool)
    return {
        "codigo": [line.codigo for line, *_ in rows],
        "linha": [line.texto for line, *_ in rows],
        "centro_custo_lucro_id": [centre for _, centre, _ in rows],
        "centro": [centros.names[centre] for _, centre, _ in rows],
        "mes": [month for *_, month in rows],
        "valor": store_money(centros.amounts, hidden),
    }


def list_to_date(view: View) -> Columns:
    """List D's month and year, each up to D, x line x cost centre with amounts in the year, and the total of all."""
    dre, day = view.dre, view.position.data_base
    begins = {"mes": month_start(day), "ano": month_start(day).replace(month=1)}
    inside = dre.linhas["data_competencia_ef"].between(pd.Timestamp(begins["ano"]), pd.Timestamp(day))
    centros = sum_centros(view.position, dre.linhas[inside], dre.lines)
    names = {f"centro_{'sem' if key is None else key}": name for key, name in centros.names.items()} | {TOTAL: "Total"}
    rows = list(product(begins, dre.lines, names))
    counted = [np.array([month >= first for month in centros.months], np.int64) for first in begins.values()]
    sums = [np.column_stack([part, part.sum(axis=1)]) for part in (centros.amounts @ months for months in counted)]
    hidden = np.array([line.codigo in dre.hidden for _, line in product(begins, dre.lines)], dtype=bool)
    return {
        "codigo": [line.codigo for _, line, _ in rows],
        "linha": [line.texto for _, line, _ in rows],
        "periodo": [period for period, *_ in rows],
        "de": [begins[period] for period, *_ in rows],
        "ate": [day] * len(rows),
        "coluna": [key for *_, key in rows],
        "centro": [names[key] for *_, key in rows],
        "valor": store_money(np.concatenate(sums), hidden),
    }


def show_periods(view: View, tables: Tables) -> Section:
    """Print month and year up to D as blocks of lines, a column per cost centre."""
    table, day = tables[OF_PERIODS.name], view.position.data_base
    headings = dict.fromkeys(list_rows(table, ("coluna", "centro")))
    columns = (
        describe_column("linha", width=34),
        *(Column(str(name), Kind.MONEY, dense=True, key=str(key), undefined=True) for key, name in headings),
    )
    figures = list_rows(table, ("periodo", "codigo", "coluna", "valor"))
    values = {(period, code, key): value for period, code, key, value in figures}
    rows = []
    for period, label in (("mes", f"{month_label(day)} até dia {day.day}"), ("ano", f"{day.year} até {day:%d/%m}")):
        rows.append(Row((label, *([None] * len(headings))), Style.SECTION))
        for line in view.dre.lines:
            style = Style.NORMAL if line.style is Style.SECTION else line.style
            cells = (line.texto, *(values[period, line.codigo, key] for key, _ in headings))
            rows.append(show_row(columns, cells, style=style, level=1))
    return Section(table.name, columns, tuple(rows), title="Por centro de custo/lucro")


def list_tagged(view: View) -> Columns:
    """List the result by tag, of all months: a linha with two tags counts in both (S11)."""
    return list_columns(("tag_id", "tag", "linhas", "resultado"), sum_tags(view.position, view.dre.linhas))


def add_tagged(view: View) -> Columns:
    """Add up what has a tag; tags overlap, so each linha counts once (S11)."""
    tagged = select_tagged(view.dre.linhas)["valor_centavos"]
    amount = int(tagged.sum())
    return {"codigo": [TOTAL], "linha": ["Total sem repetição"], "linhas": [len(tagged)], "resultado": [amount]}


def list_unmapped(view: View) -> Columns:
    """List the categories with amounts that the map gives no group, with the line that they count in (Q20)."""
    rows = sum_unmapped(view.position, view.dre.linhas)
    named = [(*row, key) for key, *row in rows]
    return list_columns(("categoria", "linha_assumida", "linhas", "valor", "categoria_id"), named)


CENTRES: Final = Print(
    "dre_centros",
    "R06: uma linha por linha da DRE, centro de custo/lucro e mês de competência",
    list_centres,
    keys=("codigo", "centro_custo_lucro_id", "mes"),
    about={"mes": "primeiro dia do mês de competência", **AMOUNT},
    shown=("centro_custo_lucro_id",),
)
OF_PERIODS: Final = Print(
    "dre_centros_periodo",
    "R06: o mês e o ano até a data-base por linha da DRE e centro com valor neles; total é o de todos",
    list_to_date,
    keys=("codigo", "periodo", "coluna"),
    about=AMOUNT,
)
TAGS: Final = Print(
    "dre_tags",
    "R06: Resultado por tag (todos os meses)",
    list_tagged,
    keys=("tag_id",),
    headers={"tag_id": "Id"},
    shown=("tag_id",),
)
ALL_TAGS: Final = Print(
    "dre_tags_total",
    "R06: o resultado de tudo o que tem etiqueta, cada linha uma vez",
    add_tagged,
    keys=("codigo",),
    about={"resultado": "receitas menos despesas das linhas com alguma etiqueta, cada uma uma vez"},
)
UNMAPPED: Final = Print(
    "dre_sem_grupo",
    "R06: Categorias sem grupo no mapa da DRE (Q20)",
    list_unmapped,
    keys=("categoria_id",),
    headers={"categoria_id": "Id"},
    widths={"categoria": 34, "linha_assumida": 18},
    dense=True,
    shown=("categoria_id",),
    title="Categorias sem grupo no mapa da DRE (Q20)",
    optional=True,
)
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
    notes=(_say_notes,),
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
