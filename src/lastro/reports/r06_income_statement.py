"""R06 DRE gerencial: result by competence, by line and category, by cost centre and by tag."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.comparatives import compare_first_pair, plan_pairs
from lastro.analysis.dre_map import PARCIAL, SEM_MAPA
from lastro.analysis.income_statement import (
    MARGINS,
    RECEITA_LIQUIDA,
    RECEITAS,
    RESULTADO,
    DreRow,
    accumulate_year,
    build_dre_rows,
    find_left_out,
    find_lines,
    select_dre_linhas,
    sum_centros,
)
from lastro.analysis.months import find_shown_months, month_header
from lastro.analysis.percent_change import NOTE, PercentChange
from lastro.calendar import month_start
from lastro.grid.cells import Kind, Link, Undefined, Value
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
    keep_drawable,
)
from lastro.grid.pivot import build_section, list_rows, pivot, show_row
from lastro.grid.sections import MAX_LEVEL, Section
from lastro.grid.tables import Column, Period, Table, period_of_month
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import format_brl, to_decimal
from lastro.reports.r06_breakdown import (
    DRE_AMOUNT,
    UNMAPPED_TITLE,
    build_centro_table,
    build_period_table,
    build_tag_table,
    build_tag_total,
    build_unmapped_table,
    show_period_table,
)
from lastro.reports.shared.drill_down import Blocks, link_to_lancamentos
from lastro.reports.shared.levels import skip_levels
from lastro.reports.spec import ReportSpec
from lastro.transform.categories import FORA
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position


def build_r06(view: View) -> Report:
    """Build R06.

    Returns:
        Sections `dre` (line or category x month), `dre_centros_periodo` (D's month and year up to D) and
        `dre_sem_grupo` (if the map leaves categories with amounts out, Q20). Tables: `dre` (all months that hold
        anything, not only those shown), `dre_acumulado`, `dre_centros` (all months),
        `dre_centros_periodo`, `dre_tags` and its `_total`, `dre_sem_grupo`; the last ones may be empty. A chart of the
        result. What the map does not allow is printed "—" and null in SQL, or has no line (S17).
    """
    position = view.position
    linhas = select_dre_linhas(position)
    with_amounts = {stamp.date() for stamp in linhas["mes_competencia"].unique()}
    months = find_shown_months(position, with_amounts)
    every = sorted(with_amounts | set(months))
    mapa = view.dre_map
    lines = find_lines(mapa, linhas)
    hidden = frozenset() if mapa.margens else MARGINS
    nodes = build_dre_rows(position, linhas, every, lines)
    changes = compare_first_pair(position, linhas, lines, nodes)
    accumulated = _accumulated_table(position, linhas, nodes, changes, hidden)
    main = _main_table(nodes, every, hidden)
    centros = build_centro_table(sum_centros(position, linhas, lines), lines, hidden)
    tags, all_tags = build_tag_table(position, linhas), build_tag_total(linhas)
    unmapped = build_unmapped_table(position, linhas)
    of_periods = build_period_table(position, linhas, lines, hidden)
    sections = [
        _main_section(view, nodes, months, main, accumulated),
        show_period_table(of_periods, lines, position.data_base),
    ]
    if unmapped.rows:
        sections.append(build_section(unmapped, title=UNMAPPED_TITLE))
    return SPEC.report(
        sections=tuple(sections),
        tables=(main, accumulated, centros, of_periods, tags, all_tags, unmapped),
        charts=keep_drawable(cut_empty_ends(_build_chart(position, nodes, months))),
        title="" if mapa.aviso is None else f"DRE gerencial (competência) · {mapa.aviso}",
    )


def _build_chart(position: Position, nodes: list[DreRow], months: list[date]) -> Chart:
    """Draw revenue, result and the costs between them by month; costs with their sign turned.

    D's month and those after it hold what is only contracted: they are lighter, their result is dashed.
    """
    shown = [month for month in months if fits_chart(month, position.data_base)]
    lines = {node.codigo: node.total for node in nodes if node.nivel == 0}
    name, first = ("Receita líquida", RECEITA_LIQUIDA) if RECEITA_LIQUIDA in lines else ("Receitas", RECEITAS)
    revenue = [lines[first].get(month, 0) for month in shown]
    result = [lines[RESULTADO].get(month, 0) for month in shown]
    spent = [earned - left for earned, left in zip(revenue, result, strict=True)]
    closed = sum(month < month_start(position.data_base) for month in shown)
    ahead = max(closed - 1, 0)  # where the dashed line begins
    amounts = tuple(map(to_decimal, result))
    return Chart(
        f"{name}, despesas e resultado por mês",
        ChartKind.COLUMN,
        tuple(month_label(month) for month in shown),
        (
            Series(name, tuple(map(to_decimal, revenue)), IN_COLOUR, light_from=closed),
            Series("Despesas", tuple(map(to_decimal, spent)), OUT_COLOUR, light_from=closed),
            Series("Resultado", amounts[:closed] + (None,) * (len(amounts) - closed), BALANCE_COLOUR, line=True),
            Series("Resultado contratado", (None,) * ahead + amounts[ahead:], BALANCE_TINT, line=True, dashed=True),
        ),
        after="dre",
    )


def _main_section(
    view: View,
    nodes: Sequence[DreRow],
    months: Sequence[date],
    main: Table,
    accumulated: Table,
) -> Section:
    """Print the months, the year and the first pair of R19; a level that would print a row twice is left out."""
    position, mapa = view.position, view.dre_map
    hidden = frozenset() if mapa.margens else MARGINS
    columns = [Column("Linha", Kind.TEXT, width=34)]
    periods = [period_of_month(month) for month in months]
    for period in periods:
        band, header = period.label, month_header(period.month, position.data_base)
        columns += [
            Column(header, Kind.MONEY, dense=True, group=band, key=period.key, period=period, undefined=True),
            _part_column("Pago/recebido", period, "pago"),
            _part_column("Em aberto", period, "em_aberto"),
        ]
    pair = plan_pairs(position)[0]
    share = (SHARE,) if mapa.classificada else ()
    columns += (ACCUMULATED, *share, *CHANGE)
    spread = [pivot(main, NODE_KEYS, periods, figure) for figure in ("valor", "pago_recebido", "em_aberto")]
    keys = [*NODE_KEYS, *(column.key for column in (ACCUMULATED, *share, *CHANGE)), VAR_NOTA]
    beside = {row[: len(NODE_KEYS)]: row[len(NODE_KEYS) :] for row in list_rows(accumulated, keys)}
    printed = []
    for node in nodes:
        key = _key_of(node)
        figures = zip(*(by_key[key] for by_key in spread), strict=True)
        *cells, pct, nota = beside[key]
        by_month = (cell for month in figures for cell in month)
        printed.append((*by_month, *cells, pct if nota is None else Undefined(str(nota))))
    same = [(*cells, node.codigo in hidden) for node, cells in zip(nodes, printed, strict=True)]
    rows = []
    for index, level, leads in skip_levels([node.nivel for node in nodes], [node.texto for node in nodes], same):
        node = nodes[index]
        rows.append(
            show_row(
                columns,
                (node.texto, *printed[index]),
                style=node.style,
                level=min(level, MAX_LEVEL),
                key=node.key,
                link=_link(view.blocks, nodes[leads]),
            )
        )
    notes = (
        "Valores com sinal: todas as linhas se somam. Mês em curso: inteiro, também o que vem depois da data-base.",
        f"Acumulado no ano: de janeiro ao mês da data-base. Variação: {pair.texto} (como em Comparativos).",
        NOTE,
        *(("% receita líquida: acumulado da linha / acumulado da linha 3.",) if mapa.classificada else ()),
        *MAP_NOTES.get(mapa.estado if mapa.classificada else SEM_MAPA, ()),
        *_left_out_notes(position, nodes, months),
    )
    return Section("dre", tuple(columns), tuple(rows), notes=notes, outline=True)


def _link(blocks: Blocks, node: DreRow) -> Link | None:
    """Lead to the first block of Lançamentos below a row; the class is the line's usual one, else the other (S5)."""
    if node.codigo == FORA:
        return link_to_lancamentos(blocks, NAO_OPERACIONAL, node.categorias)
    first, second = (ENTRADAS, SAIDAS) if node.codigo in (RECEITAS, "receita_bruta") else (SAIDAS, ENTRADAS)
    return link_to_lancamentos(blocks, first, node.categorias) or link_to_lancamentos(blocks, second, node.categorias)


def _part_column(header: str, period: Period, key: str) -> Column:
    own, band = f"{period.key}_{key}", period.label
    return Column(header, Kind.MONEY, dense=True, level=1, group=band, key=own, period=period, undefined=True)


NODE_COLUMNS: Final = (
    Column("Código", Kind.TEXT),
    Column("Linha", Kind.TEXT),
    Column("Nível", Kind.INTEGER),
    Column("Categoria id", Kind.INTEGER),
)
NODE_KEYS: Final = tuple(column.key for column in NODE_COLUMNS)
ACCUMULATED: Final = Column(
    "Acumulado no ano",
    Kind.MONEY,
    "de janeiro ao mês da data-base; receita positiva, despesa negativa",
    dense=True,
    undefined=True,
)
SHARE: Final = Column(
    "% receita líquida", Kind.PERCENT, "parte da receita líquida do ano; nula sem mapa da DRE", undefined=True
)
VAR_NOTA: Final = "var_nota_ate_d"
CHANGE: Final = (
    Column(
        "Variação",
        Kind.MONEY,
        "mês até a data-base menos os mesmos dias do ano anterior",
        dense=True,
        key="variacao_ate_d",
        undefined=True,
    ),
    Column("Var. %", Kind.PERCENT, "variação / os mesmos dias do ano anterior", key="var_pct_ate_d", undefined=True),
)
"""The first pair of R19 (V27); `variacao` compares whole months, and is in SQL alone."""
ACCUMULATED_COLUMNS: Final = (
    ACCUMULATED,
    SHARE,
    Column(
        "Variação",
        Kind.MONEY,
        "mês da data-base, inteiro, menos o mês anterior; a da planilha DRE é variacao_ate_d",
        dense=True,
    ),
    Column(
        "Var. %",
        Kind.PERCENT,
        "variação / mês anterior; nula onde não significa nada, e então var_nota diz por quê",
        key="var_pct",
    ),
    Column("Var. nota", Kind.TEXT, shown=False),
    *(replace(column, header=f"{column.header} até D") for column in CHANGE),
    Column("Var. nota até D", Kind.TEXT, "por que não há var_pct_ate_d", key=VAR_NOTA, shown=False),
)
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


def _left_out_notes(position: Position, nodes: Sequence[DreRow], months: Sequence[date]) -> Iterator[str]:
    """Say what the shown months do not hold, so that nothing falls off silently."""
    left_out = find_left_out(position, nodes, months)
    for text, rest in (("anteriores", left_out.anteriores), ("posteriores", left_out.posteriores)):
        if rest:
            yield f"Resultado líquido de meses {text} aos mostrados: {_brl(rest)}."
    if left_out.sem_competencia:
        count, centavos = left_out.sem_competencia
        yield f"Sem competência (competencia_nula = excluir), fora desta DRE: {count} linha(s), {_brl(centavos)}."


def _main_table(nodes: Sequence[DreRow], months: Sequence[date], hidden: Collection[str]) -> Table:
    about = "código da linha: com mapa receita_bruta ... resultado, fora; sem mapa receitas, despesas, resultado, fora"
    columns = (
        replace(NODE_COLUMNS[0], about=about),
        *NODE_COLUMNS[1:],
        Column("Mês", Kind.MONTH, "primeiro dia do mês de competência"),
        DRE_AMOUNT,
        Column("Pago/recebido", Kind.MONEY, "parte de valor paga ou recebida até a data-base"),
        Column("Em aberto", Kind.MONEY, "parte de valor ainda não paga na data-base"),
    )
    rows = tuple(
        (
            *(*_key_of(node), month),
            *((None, None, None) if node.codigo in hidden else node.cells(month)),
        )
        for node in nodes
        for month in months
    )
    return Table(
        "dre",
        columns,
        rows,
        "R06: uma linha por linha da DRE ou categoria e mês de competência (S4); nível 0 são as linhas",
    )


def _accumulated_table(
    position: Position,
    linhas: pd.DataFrame,
    nodes: list[DreRow],
    changes: Mapping[str, PercentChange],
    hidden: Collection[str],
) -> Table:
    figures = accumulate_year(position, linhas, nodes)
    rows = []
    for node in nodes:
        figure, told, change = figures[node.key], figures[node.key].comparado, changes.get(node.key)
        cells: tuple[Value, ...] = (figure.acumulado, figure.pct_receita_liquida, told.variacao, told.pct, told.nota)
        cells += (None, None, None) if change is None else (change.variacao, change.pct, change.nota)
        rows.append((*_key_of(node), *((None,) * len(cells) if node.codigo in hidden else cells)))
    return Table(
        "dre_acumulado",
        (*NODE_COLUMNS, *ACCUMULATED_COLUMNS),
        tuple(rows),
        "R06: acumulado do ano e variações por linha da DRE ou categoria; a nota diz por que não há var_pct (R04)",
    )


def _key_of(node: DreRow) -> tuple[Value, ...]:
    """Return what identifies a row in the tables, columns `NODE_COLUMNS`."""
    return (node.codigo, node.texto, node.nivel, node.categoria_id)


def _brl(centavos: int) -> str:
    return format_brl(to_decimal(centavos))


SPEC: Final = ReportSpec(
    code="R06",
    name="dre",
    title="DRE gerencial",
    question="A operação dá lucro, e em que mês ele aconteceu?",
    family=Family.RESULT,
    builder=build_r06,
    keys={
        "dre": ("codigo", "nivel", "categoria_id", "linha", "mes"),
        "dre_acumulado": ("codigo", "nivel", "categoria_id", "linha"),
        "dre_centros": ("codigo", "centro_id", "mes"),
        "dre_centros_periodo": ("codigo", "periodo", "coluna"),
        "dre_tags": ("tag_id",),
        "dre_tags_total": ("codigo",),
        "dre_sem_grupo": ("categoria_id",),
    },
)
