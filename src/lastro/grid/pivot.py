"""A sheet as the projection of its table: the table is built first, and what the sheet prints is read off it.

Belongs here: choosing columns, spreading months over columns, adding moments up. Does not belong here: what a row means
and how it looks (the report).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.model import Column, Origin, Period, Row, Section, Style, Sum, Table

PARTS: Final = ("realizado", "a_realizar")
"""The moments that a table keeps of the month a sheet also prints in total."""

RowKey = tuple[Value, ...]


def list_rows(table: Table, keys: Sequence[str]) -> list[tuple[Value, ...]]:
    """Read some columns of every row.

    Args:
        table: the table.
        keys: keys of the columns, in the order to print.
    """
    places = [table.place(key) for key in keys]
    return [tuple(row[place] for place in places) for row in table.rows]


def build_section(
    table: Table, below: Sequence[Row] = (), *, title: str | None = None, notes: tuple[str, ...] = ()
) -> Section:
    """Print every row of a table as it is, and what stands below them: totals, memo rows."""
    rows = (*(Row(cells) for cells in table.rows), *below)
    return Section(table.name, table.columns, rows, title=title, notes=notes)


def build_total(columns: Sequence[Column], rows: Sequence[Row], label: str, style: Style = Style.TOTAL) -> Row:
    """Add up the money of some rows, each column by its own rule (`Column.sums`); the label stands in the first one."""
    figures = [
        add_up([_value(row.cells[place]) for row in rows], column.sums) if column.kind is Kind.MONEY else None
        for place, column in enumerate(columns)
    ]
    return Row((Cell(label, Kind.TEXT), *figures[1:]), style=style)


def _value(cell: Value | Cell) -> Value:
    return cell.value if isinstance(cell, Cell) else cell


def add_up(values: Sequence[Value], how: Sum = Sum.FLOW) -> Value:
    """Make one figure of those of consecutive periods: their sum, the first opening or the last closing balance."""
    if how is Sum.OPENING:
        return values[0]
    if how is Sum.CLOSING:
        return values[-1]
    return sum((value for value in values if isinstance(value, Decimal)), start=Decimal("0.00"))


def pivot(
    table: Table,
    rows: Sequence[str],
    periods: Sequence[Period],
    value: str,
    how: Sum | Callable[[RowKey], Sum] = Sum.FLOW,
) -> dict[RowKey, tuple[Value, ...]]:
    """Spread the months of a table over columns.

    Args:
        table: grain `rows` x `mes`, and x `momento` where it has that column.
        rows: keys of the columns that make a printed row.
        periods: what the printed columns stand for. The "total" of a month that the table keeps in two moments is made
            of these.
        value: key of the column to print.
        how: how the moments of a row make a total, the same for all rows or by row.

    Returns:
        Row key -> a cell per period, in the order in which the table first names the row; None where it has no figure.
    """
    names = {column.key for column in table.columns}
    split = "momento" in names
    found: dict[RowKey, dict[tuple[Value, ...], Value]] = {}
    width = len(rows)
    for cells in list_rows(table, (*rows, "mes", *(("momento",) if split else ()), value)):
        found.setdefault(cells[:width], {})[cells[width:-1]] = cells[-1]

    def cell(key: RowKey, figures: dict[tuple[Value, ...], Value], period: Period) -> Value:
        if not split:
            return figures.get((period.month,))
        if period.momento == "total":
            rule = how if isinstance(how, Sum) else how(key)
            return add_up([figures.get((period.month, part)) for part in PARTS], rule)
        return figures.get((period.month, period.momento))

    return {key: tuple(cell(key, figures, period) for period in periods) for key, figures in found.items()}


def single_moments(cells: Sequence[Value], periods: Sequence[Period]) -> list[Value]:
    """Keep the cells of a row that a total over all periods is made of: no month twice."""
    return [cell for cell, period in zip(cells, periods, strict=True) if period.momento != "total"]


def read_back(section: Section, table: Table) -> Iterator[tuple[Row, Column, Value, Value | Cell]]:
    """Give every figure that a section with `names` shows of a table.

    Returns:
        Row, column, figure as the table has it, cell as the sheet prints it; None where the table has no such figure.
        Labels are the sheet's own.
    """
    names = {column.key for column in table.columns}
    spread = "mes" in names
    rows: defaultdict[str, list[tuple[Row, Origin]]] = defaultdict(list)
    for row in section.rows:
        if row.origin is not None:
            rows[row.origin.figure].append((row, row.origin))
    columns: defaultdict[str, list[tuple[int, Column]]] = defaultdict(list)
    for place, column in enumerate(section.columns):
        figure = column.figure or ("valor" if spread else column.key)
        if (column.period is not None) is spread and column.kind is not Kind.TEXT and (spread or figure in names):
            columns[figure].append((place, column))
    for own, shown in rows.items():
        sums = {origin.key: origin.sums for _, origin in shown}
        for figure, places in columns.items():
            if spread:
                periods = [column.period for _, column in places if column.period is not None]
                kept = pivot(table, section.names, periods, own or figure, lambda key: sums.get(key, Sum.FLOW))  # noqa: B023
            else:
                keys = (*section.names, *(column.figure or column.key for _, column in places))
                kept = {cells[: len(section.names)]: cells[len(section.names) :] for cells in list_rows(table, keys)}
            for row, origin in shown:
                want = kept.get(origin.key, (None,) * len(places))
                for (place, column), value in zip(places, want, strict=True):
                    yield row, column, value, row.cells[place]
