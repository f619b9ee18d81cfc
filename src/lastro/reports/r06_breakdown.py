"""The DRE by cost centre and by tag, and the categories that its map leaves out (R06)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.income_statement import Centros, Line, select_tagged, sum_centros, sum_tags, sum_unmapped
from lastro.calendar import month_start
from lastro.grid.cells import Kind, Value
from lastro.grid.pivot import list_rows, show_row, total_columns
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Table
from lastro.grid.words import month_label
from lastro.money import to_decimal

if TYPE_CHECKING:
    from lastro.transform.position import Position


DRE_AMOUNT: Final = Column(
    "Valor", Kind.MONEY, "receita positiva, despesa negativa; nulo onde o mapa não permite a linha (S17)"
)


def build_period_table(
    position: Position, linhas: pd.DataFrame, lines: Sequence[Line], hidden: Collection[str]
) -> Table:
    """Sum D's month and year up to D by cost centre, those with amounts in the year, and add `total`.

    Args:
        position: the position as of D.
        linhas: result of `select_dre_linhas`.
        lines: the lines of the DRE, in order.
        hidden: codes of the lines that the map does not allow: null (S17).

    Returns:
        Grain line of the DRE x period x cost centre.
    """
    begins = {"mes": month_start(position.data_base), "ano": month_start(position.data_base).replace(month=1)}
    by_period = {}
    for period, first in begins.items():
        days = (pd.Timestamp(first), pd.Timestamp(position.data_base))
        inside = linhas[linhas["data_competencia_ef"].between(*days)].assign(mes_competencia=days[0])
        by_period[period] = sum_centros(position, inside, lines)
    names = by_period["ano"].names
    rows: list[tuple[Value, ...]] = []
    for (period, first), line in product(begins.items(), lines):
        head = (line.codigo, line.texto, period, first, position.data_base)
        amounts = [by_period[period].cells.get((line.codigo, centre), {}).get(first, 0) for centre in names]
        keys = [*(f"centro_{'sem' if centre is None else centre}" for centre in names), "total"]
        for key, name, value in zip(keys, [*names.values(), "Total"], [*amounts, sum(amounts)], strict=True):
            rows.append((*head, key, name, None if line.codigo in hidden else to_decimal(value)))
    columns = (
        Column("Código", Kind.TEXT),
        Column("Linha", Kind.TEXT),
        Column("Período", Kind.TEXT, "mes ou ano, cada um do primeiro dia à data-base"),
        Column("De", Kind.DATE),
        Column("Até", Kind.DATE),
        Column("Coluna", Kind.TEXT, "coluna da planilha: centro_<número>, centro_sem ou total"),
        Column("Centro", Kind.TEXT),
        DRE_AMOUNT,
    )
    comment = "R06: o mês e o ano até a data-base por linha da DRE e centro com valor neles; total é o de todos"
    return Table("dre_centros_periodo", columns, rows, comment)


def show_period_table(table: Table, lines: Sequence[Line], day: date) -> Section:
    """Print the second table: month and year up to D as blocks of lines, a column per cost centre."""
    headings = dict.fromkeys(list_rows(table, ("coluna", "centro")))
    columns = (
        Column("Linha", Kind.TEXT, width=34),
        *(Column(str(name), Kind.MONEY, dense=True, key=str(key), undefined=True) for key, name in headings),
    )
    figures = list_rows(table, ("periodo", "codigo", "coluna", "valor"))
    values = {(period, code, key): value for period, code, key, value in figures}
    rows = []
    for period, label in (("mes", f"{month_label(day)} até dia {day.day}"), ("ano", f"{day.year} até {day:%d/%m}")):
        rows.append(Row((label, *([None] * len(headings))), Style.SECTION))
        for line in lines:
            style = Style.NORMAL if line.style is Style.SECTION else line.style
            cells = (line.texto, *(values[period, line.codigo, key] for key, _ in headings))
            rows.append(show_row(columns, cells, style=style, level=1))
    return Section(table.name, columns, tuple(rows), title="Por centro de custo/lucro")


def build_centro_table(centros: Centros, lines: Sequence[Line], hidden: Collection[str]) -> Table:
    """Lay out the sums of `sum_centros`, by line, cost centre and month; lines of `hidden` are null (S17)."""
    columns = (
        Column("Código", Kind.TEXT),
        Column("Linha", Kind.TEXT),
        Column("Centro id", Kind.INTEGER),
        Column("Centro", Kind.TEXT),
        Column("Mês", Kind.MONTH, "primeiro dia do mês de competência"),
        DRE_AMOUNT,
    )
    rows = tuple(
        (
            line.codigo,
            line.texto,
            centre,
            name,
            month,
            None if line.codigo in hidden else to_decimal(centros.cells.get((line.codigo, centre), {}).get(month, 0)),
        )
        for line in lines
        for centre, name in centros.names.items()
        for month in centros.months
    )
    return Table(
        "dre_centros", columns, rows, "R06: uma linha por linha da DRE, centro de custo/lucro e mês de competência"
    )


TAG_TITLE: Final = "Resultado por tag (todos os meses)"
UNMAPPED_TITLE: Final = "Categorias sem grupo no mapa da DRE (Q20)"
TAG_COLUMNS: Final = (
    Column("Id", Kind.INTEGER, "número da etiqueta", key="tag_id"),
    Column("Tag", Kind.TEXT, "nome da etiqueta"),
    Column("Linhas", Kind.INTEGER),
    Column(
        "Resultado",
        Kind.MONEY,
        "receitas menos despesas das linhas com a etiqueta; linha com duas etiquetas conta em ambas",
    ),
)


def build_tag_table(position: Position, linhas: pd.DataFrame) -> Table:
    """Lay out the result by tag, of all months: a linha with two tags counts in both (S11)."""
    rows = tuple((tag, name, count, to_decimal(total)) for tag, name, count, total in sum_tags(position, linhas))
    return Table("dre_tags", TAG_COLUMNS, rows, f"R06: {TAG_TITLE}")


def build_tag_total(linhas: pd.DataFrame) -> Table:
    """Add up what has a tag; tags overlap, so each linha counts once (S11)."""
    tagged = select_tagged(linhas)["valor_centavos"]
    row = ("total", "Total sem repetição", len(tagged), to_decimal(int(tagged.sum())))
    comment = "R06: o resultado de tudo o que tem etiqueta, cada linha uma vez"
    *others, result = total_columns(TAG_COLUMNS)
    about = "receitas menos despesas das linhas com alguma etiqueta, cada uma uma vez"
    return Table("dre_tags_total", (*others, replace(result, about=about)), (row,), comment)


def build_unmapped_table(position: Position, linhas: pd.DataFrame) -> Table:
    """List the categories with amounts that the map gives no group, with the line that they count in (Q20)."""
    columns = (
        Column("Categoria", Kind.TEXT, width=34),
        Column(
            "Linha assumida",
            Kind.TEXT,
            "linha da DRE em que a categoria conta enquanto não tem grupo; nula sem mapa",
            width=18,
        ),
        Column("Linhas", Kind.INTEGER),
        Column("Valor", Kind.MONEY, dense=True),
        Column("Id", Kind.INTEGER, key="categoria_id"),
    )
    rows = tuple((*row, to_decimal(centavos), key) for key, *row, centavos in sum_unmapped(position, linhas))
    return Table("dre_sem_grupo", columns, rows, f"R06: {UNMAPPED_TITLE}")
