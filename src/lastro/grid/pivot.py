"""A sheet as the projection of its table: the table is built first, and what the sheet prints is read off it.

Belongs here: choosing columns, spreading months over columns, adding moments up. Does not belong here: what a row means
and how it looks (the report).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum, auto
from typing import Final

from lastro.grid.model import Period, Table, Value

PARTS: Final = ("realizado", "a_realizar")
"""The moments that a table keeps of the month a sheet also prints in total."""

RowKey = tuple[Value, ...]


class Sum(Enum):
    """How the figures of several periods make one."""

    FLOW = auto()
    OPENING = auto()
    CLOSING = auto()


def list_rows(table: Table, keys: Sequence[str]) -> list[tuple[Value, ...]]:
    """Read some columns of every row.

    Args:
        table: the table.
        keys: keys of the columns, in the order to print.
    """
    places = [table.place(key) for key in keys]
    return [tuple(row[place] for place in places) for row in table.rows]


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
