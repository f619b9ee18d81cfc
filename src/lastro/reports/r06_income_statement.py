"""R06 DRE gerencial: result by competence, by line and category, by cost centre and by tag."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import (
    GROUP_LABELS,
    LINES,
    RECEITA_LIQUIDA,
    RESULTADO,
    Centros,
    DreRow,
    accumulate_year,
    build_dre_rows,
    select_dre_linhas,
    sum_centros,
)
from lastro.analysis.months import find_shown_months, month_header
from lastro.calendar import month_start
from lastro.grid.charts import cut_empty_ends, fits_chart, keep_drawable
from lastro.grid.model import (
    BALANCE_COLOUR,
    IN_COLOUR,
    MAX_LEVEL,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Column,
    Family,
    Kind,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    Value,
    period_of_month,
    table_of,
)
from lastro.grid.words import month_label
from lastro.money import format_brl, to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.names import sort_key

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position


def build_r06(view: View) -> Report:
    """Build R06.

    Returns:
        Sections `dre` (line or category x month), `dre_centros` (D's month), `dre_tags` (if any tag) and
        `dre_sem_grupo` (if a map is set and leaves categories with amounts out, Q20). Tables: `dre` (all months that
        hold anything, not only those shown), `dre_acumulado`, `dre_centros` (all months), `dre_tags`, `dre_sem_grupo`.
        A chart of the result.
    """
    position = view.position
    linhas = select_dre_linhas(position)
    with_amounts = {stamp.date() for stamp in linhas["mes_competencia"].unique()}
    months = find_shown_months(position, with_amounts)
    nodes = build_dre_rows(position, view.blocks, linhas, sorted(with_amounts | set(months)))
    optional = (_tag_section(position, linhas), _unmapped_section(position, linhas))
    centros = sum_centros(position, linhas)
    sections = (
        _main_section(position, nodes, months),
        _centro_section(centros, month_start(position.data_base)),
        *(section for section in optional if section is not None),
    )
    tables = [
        _main_table(nodes, sorted(with_amounts | set(months))),
        _accumulated_table(position, nodes),
        _centro_table(centros),
        *(table_of(section, f"R06: {section.title}") for section in optional if section is not None),
    ]
    return SPEC.report(
        sections=sections,
        tables=tuple(tables),
        charts=keep_drawable(cut_empty_ends(_build_chart(position, nodes, months))),
    )


def _build_chart(position: Position, nodes: list[DreRow], months: list[date]) -> Chart:
    """Draw lines 3 and 14 by month and what lies between them, sign turned: what the revenue was spent on."""
    shown = [month for month in months if fits_chart(month, position.data_base)]
    lines = {node.codigo: node.total for node in nodes if node.nivel == 0}
    revenue = [lines[RECEITA_LIQUIDA].get(month, 0) for month in shown]
    result = [lines[RESULTADO].get(month, 0) for month in shown]
    spent = [earned - left for earned, left in zip(revenue, result, strict=True)]
    return Chart(
        "Receita líquida, despesas e resultado por mês",
        ChartKind.COLUMN,
        tuple(month_label(month) for month in shown),
        (
            Series("Receita líquida", tuple(map(to_decimal, revenue)), IN_COLOUR),
            Series("Despesas", tuple(map(to_decimal, spent)), OUT_COLOUR),
            Series("Resultado líquido", tuple(map(to_decimal, result)), BALANCE_COLOUR, line=True),
        ),
        after="dre",
    )


def _main_section(position: Position, nodes: list[DreRow], months: list[date]) -> Section:
    columns = [Column("Linha", Kind.TEXT, width=44)]
    for month in months:
        band, header, period = month_label(month), month_header(month, position.data_base), period_of_month(month)
        columns += [
            Column(header, Kind.MONEY, dense=True, group=band, key=period.key, period=period),
            Column("Pago/recebido", Kind.MONEY, dense=True, level=1, group=band, key=f"{period.key}_pago"),
            Column("Em aberto", Kind.MONEY, dense=True, level=1, group=band, key=f"{period.key}_em_aberto"),
        ]
    columns += ACCUMULATED_COLUMNS
    accumulated = accumulate_year(position, nodes)
    rows = []
    for node in nodes:
        cells: list[Value] = [node.texto]
        for month in months:
            cells += node.cells(month)
        rows.append(
            Row(
                (*cells, *accumulated[node.key]),
                style=node.style,
                level=min(node.nivel, MAX_LEVEL),
                key=node.key,
                link=node.link,
            )
        )
    notes = [
        "Valores com sinal: todas as linhas se somam. Meses ainda não encerrados na data-base são parciais.",
        "Acumulado no ano: de janeiro ao mês da data-base. AH %: mês da data-base / mês anterior - 1.",
        "% receita líquida: acumulado da linha / acumulado da linha 3.",
    ]
    notes += _left_out_notes(position, nodes, months)
    return Section("dre", tuple(columns), tuple(rows), notes=tuple(notes), outline=True)


ACCUMULATED_COLUMNS = (
    Column("Acumulado no ano", Kind.MONEY, dense=True),
    Column("% receita líquida", Kind.PERCENT),
    Column("AH %", Kind.PERCENT),
)


def _left_out_notes(position: Position, nodes: list[DreRow], months: list[date]) -> list[str]:
    """Say what the shown months do not hold, so that nothing falls off silently."""
    result = next(node for node in nodes if node.codigo == RESULTADO)
    notes = []
    earlier = sum(value for month, value in result.total.items() if month < months[0])
    later = sum(value for month, value in result.total.items() if month > months[-1])
    for text, rest in (("anteriores", earlier), ("posteriores", later)):
        if rest:
            notes.append(f"Resultado líquido de meses {text} aos mostrados: {_brl(rest)}.")
    linhas = position.linhas
    without = linhas[~linhas["transferencia"] & linhas["mes_competencia"].isna()]
    if len(without):
        notes.append(
            f"Sem competência (competencia_nula = excluir), fora desta DRE: {len(without)} linha(s), "
            f"{_brl(int(without['valor_centavos'].sum()))}."
        )
    return notes


def _main_table(nodes: list[DreRow], months: list[date]) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Nível", Kind.INTEGER),
        Column("Categoria id", Kind.INTEGER),
        Column("Mês", Kind.MONTH),
        Column("Valor", Kind.MONEY),
        Column("Pago/recebido", Kind.MONEY),
        Column("Em aberto", Kind.MONEY),
    )
    rows = tuple(
        (node.codigo, node.texto, node.nivel, node.categoria_id, month, *node.cells(month))
        for node in nodes
        for month in months
    )
    return Table(
        "dre",
        columns,
        rows,
        "R06: uma linha por linha da DRE ou categoria e mês de competência (S4); nível 0 são as linhas",
    )


def _accumulated_table(position: Position, nodes: list[DreRow]) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Nível", Kind.INTEGER),
        Column("Categoria id", Kind.INTEGER),
        *ACCUMULATED_COLUMNS,
    )
    figures = accumulate_year(position, nodes)
    rows = tuple((node.codigo, node.texto, node.nivel, node.categoria_id, *figures[node.key]) for node in nodes)
    return Table("dre_acumulado", columns, rows, "R06: acumulado do ano e análises por linha da DRE ou categoria")


def _centro_section(centros: Centros, mes: date) -> Section:
    """Build the second table: the lines of the DRE for one month, a column per cost centre with amounts in it."""
    used = [
        centre
        for centre in centros.names
        if any(centros.cells.get((line.codigo, centre), {}).get(mes) for line in LINES)
    ]
    columns = (
        Column("Linha", Kind.TEXT, width=44),
        *(
            Column(centros.names[centre], Kind.MONEY, dense=True, key=f"centro_{'sem' if centre is None else centre}")
            for centre in used
        ),
        Column("Total", Kind.MONEY, dense=True, period=period_of_month(mes)),
    )
    rows = []
    for line in LINES:
        values = [centros.cells.get((line.codigo, centre), {}).get(mes, 0) for centre in used]
        style = Style.NORMAL if line.style is Style.SECTION else line.style
        rows.append(Row((line.texto, *map(to_decimal, values), to_decimal(sum(values))), style=style))
    return Section("dre_centros", columns, tuple(rows), title=f"DRE por centro de custo/lucro: {month_label(mes)}")


def _centro_table(centros: Centros) -> Table:
    columns = (
        Column("Código", Kind.INTEGER),
        Column("Linha", Kind.TEXT),
        Column("Centro id", Kind.INTEGER),
        Column("Centro", Kind.TEXT),
        Column("Mês", Kind.MONTH),
        Column("Valor", Kind.MONEY),
    )
    rows = tuple(
        (
            line.codigo,
            line.texto,
            centre,
            name,
            month,
            to_decimal(centros.cells.get((line.codigo, centre), {}).get(month, 0)),
        )
        for line in LINES
        for centre, name in centros.names.items()
        for month in centros.months
    )
    return Table(
        "dre_centros", columns, rows, "R06: uma linha por linha da DRE, centro de custo/lucro e mês de competência"
    )


def _tag_section(position: Position, classified: pd.DataFrame) -> Section | None:
    """Sum the result by tag, all months; tags overlap, so the total counts distinct linhas (S11)."""
    tagged = classified[(classified["tags"].map(len) > 0) & (classified["grupo"] != "fora")]
    if tagged.empty:
        return None
    tags = tagged[["tags", "valor_centavos"]].assign(tags=tagged["tags"].map(lambda ids: sorted(set(ids))))
    sums = tags.explode("tags").groupby("tags")["valor_centavos"].agg(["size", "sum"])
    named = sorted(
        (
            (position.rotulos.tag(tag_id), tag_id, count, total)
            for tag_id, count, total in records_of(sums.reset_index(), "tags", "size", "sum")
        ),
        key=lambda row: (sort_key(row[0]), row[1]),
    )
    rows = [Row((tag_id, name, count, to_decimal(total))) for name, tag_id, count, total in named]
    rows.append(
        Row(
            (None, "Total sem repetição", len(tagged), to_decimal(int(tagged["valor_centavos"].sum()))),
            style=Style.TOTAL,
        )
    )
    columns = (
        Column("Id", Kind.INTEGER, key="tag_id"),
        Column("Tag", Kind.TEXT),
        Column("Linhas", Kind.INTEGER),
        Column("Resultado", Kind.MONEY),
    )
    notes = ("Uma linha pode ter várias tags: as linhas da tabela se sobrepõem e não se somam.",)
    return Section("dre_tags", columns, tuple(rows), title="Resultado por tag (todos os meses)", notes=notes)


def _unmapped_section(position: Position, linhas: pd.DataFrame) -> Section | None:
    """List the categories with amounts that the configured map does not reach (Q20)."""
    if not position.parametros.dre_mapa:
        return None
    categorias = position.categorias
    unmapped = set(categorias.loc[~categorias["dre_mapeada"], "categoria_id"].astype(int))
    sums = linhas[linhas["categoria_id"].isin(unmapped)].groupby("categoria_id")["valor_centavos"].agg(["size", "sum"])
    if sums.empty:
        return None
    groups = dict(zip(categorias["categoria_id"].astype(int), categorias["dre_grupo"], strict=True))
    found = list(records_of(sums.reset_index(), "categoria_id", "size", "sum"))
    found.sort(key=lambda row: (sort_key(position.rotulos.categoria_caminho(row[0])), row[0]))
    rows = tuple(
        Row(
            (
                category,
                position.rotulos.categoria_caminho(category),
                GROUP_LABELS[str(groups[category])],
                count,
                to_decimal(total),
            )
        )
        for category, count, total in found
    )
    columns = (
        Column("Id", Kind.INTEGER, key="categoria_id"),
        Column("Categoria", Kind.TEXT),
        Column("Linha assumida", Kind.TEXT),
        Column("Linhas", Kind.INTEGER),
        Column("Valor", Kind.MONEY),
    )
    return Section("dre_sem_grupo", columns, rows, title="Categorias sem grupo no mapa da DRE (Q20)")


def _brl(centavos: int) -> str:
    return format_brl(to_decimal(centavos))


SPEC: Final = ReportSpec(
    code="R06",
    name="dre",
    sheet="DRE",
    title="DRE gerencial",
    question="A operação dá lucro, e em que mês ele aconteceu?",
    family=Family.RESULT,
    heading="DRE gerencial (competência)",
    build=build_r06,
    keys={
        "dre": ("codigo", "nivel", "categoria_id", "linha", "mes"),
        "dre_acumulado": ("codigo", "nivel", "categoria_id", "linha"),
        "dre_centros": ("codigo", "centro_id", "mes"),
        "dre_tags": ("tag_id",),
        "dre_sem_grupo": ("categoria_id",),
    },
    totalled=frozenset({"dre_tags"}),
)
