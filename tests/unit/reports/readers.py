"""Ways to read figures out of a Report in tests: by row label, by header, by table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from lastro.grid.cells import Cell, Formula, Link, Undefined, Value, inner_value
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Table
from lastro.grid.workbook import Report, Sheet


def section(report: Report | Sheet, name: str) -> Section:
    """A table of a sheet, or a part of the cover."""
    parts = () if report.cover is None else report.cover.parts
    return next(found for found in (*report.sections, *(part.section for part in parts)) if found.name == name)


def table(report: Report, name: str) -> Table:
    return next(found for found in report.tables if found.name == name)


def value(cell: Value | Cell) -> Any:
    return inner_value(cell)


def plain_value(cell: Value | Cell) -> Value:
    """The value that SQL has for a cell: the text of a link, the result of a formula, None for `Undefined`."""
    inner: Value = value(cell)
    if isinstance(inner, Link):
        return inner.text
    if isinstance(inner, Formula):
        return inner.cached
    return None if isinstance(inner, Undefined) else inner


def by_key(found: Section, row: Row) -> dict[str, Any]:
    """A printed row as key of the column -> value: a sheet may leave columns out."""
    return {column.key: value(cell) for column, cell in zip(found.columns, row.cells, strict=True)}


def records(found: Section | Table) -> list[dict[str, Any]]:
    """Rows as header -> value; of repeated headers the first wins."""
    headers = [column.header for column in found.columns]
    result = []
    for row in found.rows:
        cells = row.cells if isinstance(row, Row) else row
        record: dict[str, Any] = {}
        for header, cell in zip(headers, cells, strict=True):
            record.setdefault(header, value(cell))
        result.append(record)
    return result


def record(found: Section | Table, **wanted: Any) -> dict[str, Any]:
    """The only row whose columns (names as in the warehouse) hold the wanted values."""
    names = {column.key: column.header for column in found.columns}
    matches = [row for row in records(found) if all(row[names[name]] == want for name, want in wanted.items())]
    assert len(matches) == 1, f"{len(matches)} rows with {wanted} in {found.name}"
    return matches[0]


def assert_well_formed(report: Report | Sheet) -> None:
    """Every row is as wide as its section, keys are unique in the sheet, money is Decimal with two places."""
    keys = [row.key for part in report.sections for row in part.rows if row.key is not None]
    assert len(keys) == len(set(keys))
    tables = report.tables if isinstance(report, Report) else ()
    names = [found.name for found in tables]
    assert len(names) == len(set(names))
    parts: tuple[Section | Table, ...] = (*report.sections, *tables)
    for part in parts:
        for cells in _cells(part):
            assert len(cells) == len(part.columns)
            for column, cell in zip(part.columns, cells, strict=True):
                _assert_kind(cell.kind if isinstance(cell, Cell) else column.kind, value(cell))
    for part in parts:
        columns = [column.key for column in part.columns]
        assert len(columns) == len(set(columns)), part.name


def _cells(part: Section | Table) -> Iterator[tuple[Value | Cell, ...]]:
    for row in part.rows:
        yield row.cells if isinstance(row, Row) else row


def _assert_kind(kind: str, cell: Any) -> None:
    if cell is None or isinstance(cell, Undefined | Formula):
        return
    expected = {
        "T": (str, Link), "B": bool, "L": (str, Link), "I": (int, Link), "M": Decimal, "P": Decimal, "N": Decimal,
        "D": date, "mes": date, "hora": datetime,
    }[kind]  # fmt: skip
    assert type(cell) in (expected if isinstance(expected, tuple) else (expected,)), (kind, cell)
    if kind == "I" and isinstance(cell, Link):
        assert type(cell.text) is int, "an id stays a number where it leads somewhere"
    if kind in ("M", "P"):
        assert cell.as_tuple().exponent == -2
    if kind == "N":
        assert cell.as_tuple().exponent == -1
    if kind == "mes":
        assert cell.day == 1
