"""Printing a table: its rows as they are, its months side by side, and totals.

A report builds its tables first, and its sheet is printed from them; nothing is read back from a sheet.
Belongs here: choosing columns, spreading months over columns, adding moments and rows up. Does not belong here: what a
row means and how it looks (the report), long lists (`lastro.grid.table_rows`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, Final

from lastro.grid.cells import UNDEFINED, Cell, Kind, Value, inner_value, sum_money
from lastro.grid.sections import Row, Style
from lastro.grid.tables import Column, Period, Sum, Table

PARTS: Final = ("realizado", "a_realizar")
"""The moments that a table keeps of the month a sheet also prints in total."""

RowKey = tuple[Value, ...]


def list_rows(table: Table, keys: Sequence[str]) -> list[tuple[Value, ...]]:
    """Read some columns of every row.

    Args:
        keys: keys of the columns, in the order to print.
    """
    places = [table.place(key) for key in keys]
    return [tuple(row[place] for place in places) for row in table.rows]


def list_dicts(table: Table) -> list[dict[str, Value]]:
    """Read every row by the keys of its columns."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def show_row(columns: Sequence[Column], cells: Iterable[Value | Cell], **look: Any) -> Row:
    """Print figures: what an `undefined` column misses is `UNDEFINED`; headings and totals have blanks there.

    >>> show_row([Column("Saldo", Kind.MONEY, undefined=True), Column("Dia", Kind.DATE)], [None, None]).cells
    (Undefined(text='—'), None)
    """
    pairs = zip(columns, cells, strict=True)
    return Row(tuple(UNDEFINED if cell is None and column.undefined else cell for column, cell in pairs), **look)


def build_total(
    columns: Sequence[Column],
    rows: Sequence[Row],
    label: str,
    style: Style = Style.TOTAL,
    *,
    only: Container[str] | None = None,
) -> Row:
    """Add up some rows, each column by its own rule (`Column.sums`); the label stands in the first column.

    Args:
        columns: those of the rows.
        rows: what is added; only their amounts and counts are.
        label: what the row is called.
        only: keys of the columns that are added; without it every amount is and no count.
    """
    figures: list[Value] = []
    for place, column in enumerate(columns[1:], 1):
        wanted = column.kind is Kind.MONEY if only is None else column.key in only
        values = [inner_value(row.cells[place]) for row in rows]
        if wanted and column.kind is Kind.INTEGER:
            figures.append(sum(value for value in values if isinstance(value, int)))
        else:
            figures.append(add_up(values, column.sums) if wanted else None)
    return Row((Cell(label, Kind.TEXT), *figures), style=style)


def show_totals(totals: Table, columns: Sequence[Column]) -> list[Row]:
    """Print a table of totals: the row with code `total` as a total, the others as memo rows.

    Args:
        totals: the table; its columns are `codigo`, `linha`, then figures.
        columns: those of the section, of which the first one prints `linha`; the rows are printed at its end.

    Returns:
        One row for each row of the table; cells of columns that the table does not have are blank.
    """
    shown = [column.key for column in totals.columns[2:]]
    rows = []
    for code, text, *figures in totals.rows:
        values = dict(zip(shown, figures, strict=True))
        cells: list[Value | Cell] = [values.get(column.key) for column in columns]
        cells[0] = text if columns[0].kind is Kind.TEXT else Cell(text, Kind.TEXT)
        rows.append(Row(tuple(cells), style=Style.TOTAL if code == "total" else Style.MEMO))
    return rows


def add_up(values: Sequence[Value], how: Sum = Sum.FLOW) -> Value:
    """Make one figure of those of consecutive periods: their sum, the first or the last (`Sum`)."""
    if how is Sum.OPENING:
        return values[0]
    if how is Sum.CLOSING:
        return values[-1]
    return sum_money(values)


def pivot(
    table: Table,
    rows: Sequence[str],
    periods: Sequence[Period],
    value: str,
    how: Sum = Sum.FLOW,
) -> dict[RowKey, tuple[Value, ...]]:
    """Spread the months of a table over columns.

    Args:
        table: grain `rows` x `mes`, and x `momento` where it has that column.
        rows: keys of the columns that make a printed row.
        periods: what the printed columns stand for. Where the table has moments, the "total" of a month is made of
            its two moments.
        value: key of the column to print.
        how: how the moments of a row make a total.

    Returns:
        Row key -> a cell per period, in the order in which the table first names the row; None where it has no figure.
    """
    names = {column.key for column in table.columns}
    split = "momento" in names
    by_row: dict[RowKey, dict[tuple[Value, ...], Value]] = {}
    width = len(rows)
    for cells in list_rows(table, (*rows, "mes", *(("momento",) if split else ()), value)):
        by_row.setdefault(cells[:width], {})[cells[width:-1]] = cells[-1]

    def cell(figures: dict[tuple[Value, ...], Value], period: Period) -> Value:
        if not split:
            return figures.get((period.month,))
        if period.momento == "total":
            parts = [figures.get((period.month, part)) for part in PARTS]
            return add_up(parts, how) if any((period.month, part) in figures for part in PARTS) else None
        return figures.get((period.month, period.momento))

    return {key: tuple(cell(figures, period) for period in periods) for key, figures in by_row.items()}
