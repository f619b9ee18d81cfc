"""A report's figures as a table of `rel` and a view of `mart`, typed and commented; no Decimal becomes a float."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import duckdb
import numpy as np

from lastro.analysis.encode import list_amounts, list_integers, list_moments
from lastro.grid.cells import Kind, Value
from lastro.grid.coded import CodedCells, CodedColumn, Convert
from lastro.grid.model import Column, Table
from lastro.warehouse.store import Warehouse

_KIND_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.LINK: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.DATE: "DATE",
    Kind.MONTH: "DATE",
    # No sum of a list reaches it: `AmountsTooLarge` refuses the list before.
    Kind.MONEY: "DECIMAL(18,2)",
    Kind.PERCENT: "DECIMAL(24,2)",
    Kind.NUMBER: "DECIMAL(18,1)",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.BOOLEAN: "BOOLEAN",
}
ROWS_AT_ONCE: Final = 200_000
"""Rows of a table that are made and handed to DuckDB at a time."""
_Described = tuple[tuple[str, str, str], ...]
"""Name, type and comment of each column."""
_Shown = tuple[str, _Described]
"""A view: its comment and its columns."""
_NO_VIEW: _Shown = ("", ())
_Given = tuple[str, np.ndarray[Any, Any]]
"""How SQL reads a column, by its name, and the column."""
_AS_IT_IS, _AS_TEXT = '"{}"', '"{}"::VARCHAR'
_NUMBERS: Final[dict[Convert, tuple[str, str]]] = {
    list_integers: (_AS_IT_IS, "int64"),
    list_amounts: ('("{}"::DECIMAL(18,0) * 0.01::DECIMAL(3,2))', "int64"),
    list_moments: (_AS_IT_IS, "datetime64[us]"),
}
"""What makes cells of values that SQL takes as they are -> how it reads them, and as what they are given."""
_UNITS = {Kind.MONEY: " (reais)", Kind.PERCENT: " (por cento)"}


def replace_report_tables(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Replace every table of `rel` and every view of `mart` by those of this run; what it does not have goes.

    Analysts see the views; the tables behind them stand out of sight.
    """
    there, kept = _read_views(warehouse), set()
    for table in tables:
        write_report_table(warehouse, table, there.get(table.name, _NO_VIEW))
        kept.add(table.name)
    for kind, schema in (("VIEW", "mart"), ("TABLE", "rel")):
        names = warehouse.query(
            f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE schema_name = ? AND NOT internal", [schema]
        )
        for (name,) in names:
            if name not in kept:
                warehouse.con.execute(f"DROP {kind} {schema}.{name}")


def _read_views(warehouse: Warehouse) -> dict[str, _Shown]:
    """Read the views of `mart` by name."""
    columns: dict[str, list[tuple[str, str, str]]] = {}
    for name, *column in warehouse.query(
        "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE schema_name = 'mart' AND "
        "database_name = current_database() ORDER BY table_name, column_index"
    ):
        columns.setdefault(name, []).append((column[0], column[1], column[2]))
    comments = warehouse.query("SELECT view_name, comment FROM duckdb_views() WHERE schema_name = 'mart'")
    return {name: (comment, tuple(columns[name])) for name, comment in comments}


def _describe(column: Column) -> tuple[str, str, str]:
    return column.key, _KIND_TYPES[column.kind], f"{column.header}{_UNITS.get(column.kind, '')}"


def write_report_table(
    warehouse: Warehouse, table: Table, view: _Shown = _NO_VIEW, *, at_once: int = ROWS_AT_ONCE
) -> None:
    """Write the figures of a report as `rel.<name>` with the view `mart.<name>`, typed and commented.

    Args:
        warehouse: the private file.
        table: the figures.
        view: the view that is there, so that one that shows and says the same may stay.
        at_once: rows that are written by one statement.
    """
    described = fill_table(warehouse.con, f"rel.{table.name}", table, at_once=at_once)
    warehouse.comment({f"TABLE rel.{table.name}": table.comment})
    comment, columns = view
    if columns != described:
        warehouse.con.execute(f"CREATE OR REPLACE VIEW mart.{table.name} AS FROM rel.{table.name}")
        warehouse.comment({f'COLUMN mart.{table.name}."{name}"': meaning for name, _, meaning in described})
    if columns != described or comment != table.comment:
        warehouse.comment({f"VIEW mart.{table.name}": table.comment})


def fill_table(
    con: duckdb.DuckDBPyConnection,
    target: str,
    table: Table,
    *,
    chosen: Container[str] | None = None,
    at_once: int = ROWS_AT_ONCE,
) -> _Described:
    """Replace a table of an open file by the figures of a report.

    Args:
        con: the file.
        target: name of the table there.
        table: the figures.
        chosen: keys of the columns that are wanted; None takes all.
        at_once: rows that are written by one statement.

    Returns:
        Name, type and comment of each column.
    """
    places = [place for place, column in enumerate(table.columns) if chosen is None or column.key in chosen]
    described = tuple(_describe(table.columns[place]) for place in places)
    types = [(place, type_) for place, (_, type_, _) in zip(places, described, strict=True)]
    for first in range(0, len(table.rows) or 1, at_once):
        given = list(_read_storable(table, types, first, first + at_once))
        casts = ", ".join(
            f'{cast.format(name)}::{type_} AS "{name}"'
            for (name, type_, _), (cast, _) in zip(described, given, strict=True)
        )
        data = {name: values for (name, _, _), (_, values) in zip(described, given, strict=True)}
        con.register("entrada", data)
        into = f"INSERT INTO {target}" if first else f"CREATE OR REPLACE TABLE {target} AS"
        con.execute(f"{into} SELECT {casts} FROM entrada")
        con.unregister("entrada")
    return described


def _read_storable(table: Table, types: Sequence[tuple[int, str]], first: int, last: int) -> Iterator[_Given]:
    """Give SQL the columns of some rows, each by its place and type."""
    if isinstance(table.rows, CodedCells):
        for place, type_ in types:
            yield _storable_codes(table.rows.columns[place], type_, first, last)
    else:
        cells = list(zip(*table.rows[first:last], strict=True)) or [()] * len(table.columns)
        yield from (_storable_column(cells[place], type_) for place, type_ in types)


def _storable_codes(column: CodedColumn, type_: str, first: int, last: int) -> _Given:
    """Give SQL some rows of a coded column; what is a number anyhow need not be a cell before."""
    codes = column.codes[first:last]
    if column.has_few:
        cast, values = _storable_column(column.values, type_)
        return cast, values.take(codes)
    number = _NUMBERS.get(column.convert)
    if number is None or column.missing is not None:
        return _storable_column(column.cells(first, last), type_)
    cast, dtype = number
    return cast, np.ma.array(column.uniques.take(codes).astype(dtype), mask=codes < 0)


def _storable_column(values: Sequence[Value], type_: str) -> _Given:
    """Give SQL a column of moments, days or integers, or of texts that it casts exactly; no float ever."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {datetime} or (kinds == {date} and type_ == "DATE"):
        # As texts they would take half of the time of a table.
        return _AS_IT_IS, np.array(values, dtype="datetime64[us]")
    if kinds == {int} and type_ == "BIGINT":
        missing = np.fromiter((value is None for value in values), dtype=bool, count=len(values))
        numbers = np.fromiter((value or 0 for value in values), dtype="int64", count=len(values))
        return _AS_IT_IS, np.ma.array(numbers, mask=missing)
    cells = values if kinds == {str} else map(_storable, values)
    return _AS_TEXT, np.fromiter(cells, dtype=object, count=len(values))


def _storable(value: Value) -> str | None:
    """Write a cell as text that SQL casts exactly; Decimal never passes through a float."""
    if value is None:
        return None
    text = str(value)
    # str is a third of the time of a format; only an exponent needs one.
    return f"{value:f}" if isinstance(value, Decimal) and "E" in text else text
