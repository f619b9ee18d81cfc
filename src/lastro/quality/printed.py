"""Reading figures back out of reports, as they are printed and as SQL gets them.

A check reads what a reader sees. That sheet and table agree is held by `sheet_checks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lastro.grid.cells import Cell, Formula, Link, Undefined
from lastro.grid.coded import walk_cells
from lastro.grid.model import Report, Section, Table

if TYPE_CHECKING:
    import pandas as pd

Found = Any
"""A plain cell value: str, int, Decimal, date or None."""


def find_table(reports: Mapping[str, Report], name: str) -> Table | None:
    """Find a table of any report by its name, or None."""
    return next((table for report in reports.values() for table in report.tables if table.name == name), None)


def find_section(reports: Mapping[str, Report], name: str) -> Section | None:
    """Find a section of any report by its name, or None."""
    return next((part for report in reports.values() for part in report.sections if part.name == name), None)


def read_columns(table: Table, *names: str) -> list[tuple[Found, ...]]:
    """Return some columns (names as in the warehouse) of every row of a table.

    Raises:
        KeyError: the table has no such column.
    """
    return list(walk_columns(table, *names))


def walk_columns(table: Table, *names: str) -> Iterator[tuple[Found, ...]]:
    """Return what `read_columns` does row by row: a table of every linha is not to be held twice.

    Raises:
        KeyError: the table has no such column.
    """
    places = {column.key: place for place, column in enumerate(table.columns)}
    missing = [name for name in names if name not in places]
    if missing:
        raise KeyError(f"table {table.name} has no columns {missing}")
    return walk_cells(table, [places[name] for name in names])


def plain(cell: object) -> Found:
    """Return the value of a cell; an undefined balance is None, a formula its result, a link its text."""
    if type(cell) is Decimal:
        return cell
    value = cell.value if isinstance(cell, Cell) else cell
    if isinstance(value, Undefined):
        return None
    if isinstance(value, Formula):
        return value.cached
    return value.text if isinstance(value, Link) else value


def amount_or_zero(value: Found) -> Decimal:
    """Return an amount, 0.00 for an empty or undefined cell."""
    return value if isinstance(value, Decimal) else Decimal("0.00")


def sum_money(values: Iterable[Found]) -> Decimal:
    """Add the amounts of some cells."""
    return sum([value for value in values if isinstance(value, Decimal)], start=Decimal("0.00"))


def month_text(month: date) -> str:
    """Write a month as keys do.

    >>> month_text(date(2026, 3, 1))
    '2026-03'
    """
    return f"{month:%Y-%m}"


def iter_sums(sums: pd.Series) -> Iterator[tuple[Any, ...]]:
    """Yield (key, ..., centavos) of a grouped sum; missing keys as pandas has them."""
    for key, value in zip(sums.index.tolist(), sums.tolist(), strict=True):
        yield (*(key if isinstance(key, tuple) else (key,)), int(value))
