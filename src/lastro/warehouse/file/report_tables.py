"""A report's figures as a table of `mart`, typed and commented; no Decimal becomes a float."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

import duckdb
import numpy as np

from lastro.grid.cells import Kind
from lastro.grid.storage import PLACES, StoredColumn
from lastro.grid.tables import Column, Table
from lastro.schema.dictionary import SQL_TYPES, read_dictionary
from lastro.warehouse.file.computed_columns import COMPUTED
from lastro.warehouse.file.rows import execute_over
from lastro.warehouse.file.store import Warehouse

FIRST_VIEWS: Final = (
    "lancamentos", "a_receber", "a_pagar", "saldos_por_conta", "fluxo_diario", "fluxo_mensal", "dre", "pessoas",
)  # fmt: skip
"""The tables to begin with: `main` shows them too, so that `SHOW TABLES` lists them and nothing else."""
_THERE: Final = """SELECT t.schema_name, t.name, t.comment, list((c.column_name, c.data_type, c.comment)
  ORDER BY c.column_index)
FROM (SELECT schema_name, database_name, table_name AS name, comment FROM duckdb_tables()
  UNION ALL SELECT schema_name, database_name, view_name, comment FROM duckdb_views()) t
JOIN duckdb_columns() c USING (database_name, schema_name)
WHERE c.table_name = t.name AND t.database_name = current_database() AND t.schema_name IN ('main', 'mart')
GROUP BY ALL"""
ROWS_AT_ONCE: Final = 200_000
"""Rows of a table that are made and handed to DuckDB at a time."""
_Described = tuple[tuple[str, str, str], ...]
"""Name, type and comment of each column."""
_Shown = tuple[str, _Described]
"""A table or view: its comment and its columns."""
_NOTHING: _Shown = ("", ())
_UNITS = {Kind.MONEY: " (R$)", Kind.PERCENT: " (%)"}
_MIXED: Final = frozenset({"resumo", "indicadores", "kpis_tendencia"})
"""Tables whose amounts are in the unit that a column of theirs says."""


def replace_report_tables(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Replace all tables of `mart` by those of this run, and drop the others."""
    there, kept = _read_there(warehouse), set()
    for table in tables:
        write_report_table(warehouse, table, there.get(("mart", table.name), _NOTHING))
        kept.add(table.name)
    for schema, name in there:
        if schema == "mart" and name not in kept:
            warehouse.con.execute(f"DROP TABLE mart.{name}")
    _show_first(warehouse)


def _show_first(warehouse: Warehouse) -> None:
    """Let the tables to begin with stand in `main` as in `mart`; one that shows and says the same stays."""
    found = _read_there(warehouse)
    for name in FIRST_VIEWS:
        said = found.get(("mart", name))
        if said is None:
            warehouse.con.execute(f"DROP VIEW IF EXISTS main.{name}")
        elif said != found.get(("main", name)):
            comment, columns = said
            warehouse.con.execute(f"CREATE OR REPLACE VIEW main.{name} AS FROM mart.{name}")
            told = {f'COLUMN main.{name}."{column}"': text for column, _, text in columns}
            warehouse.comment({f"VIEW main.{name}": comment, **told})


def _read_there(warehouse: Warehouse) -> dict[tuple[str, str], _Shown]:
    """Read what `mart` and `main` have, by schema and name."""
    return {(schema, name): (comment, tuple(columns)) for schema, name, comment, columns in warehouse.query(_THERE)}


def _describe(table: str, column: Column) -> tuple[str, str, str]:
    term = read_dictionary().get(column.key)
    about = column.about or (term and term.meaning) or column.header
    return column.key, SQL_TYPES[column.kind.name], about + ("" if table in _MIXED else _UNITS.get(column.kind, ""))


def write_report_table(
    warehouse: Warehouse, table: Table, there: _Shown = _NOTHING, *, at_once: int = ROWS_AT_ONCE
) -> None:
    """Write the figures of a report as `mart.<name>`, typed and commented.

    Args:
        warehouse: the private file, whose `core` is what computed columns ask.
        there: the table that is there; one with the same columns gets other rows and keeps its comments.
        at_once: rows that are written by one statement.
    """
    target, (comment, columns) = f"mart.{table.name}", there
    computed = {name: of[table.name] for name, (_, of) in COMPUTED.items() if table.name in of}
    described = (
        *(_describe(table.name, column) for column in table.columns),
        *((name, "BOOLEAN", COMPUTED[name][0]) for name in computed),
    )
    listed = ", ".join(f'"{name}" {type_}' for name, type_, _ in described)
    emptied = f"TRUNCATE {target}" if columns == described else f"CREATE OR REPLACE TABLE {target} ({listed})"
    more = "".join(f", coalesce({rule}, false)" for rule in computed.values())
    for statement, given in _read_parts(table, at_once):
        into = f"{emptied}; INSERT INTO {target}" if emptied else f"INSERT INTO {target}"
        execute_over(warehouse.con, given, f"{into} SELECT *{more} FROM ({statement})")
        emptied = ""
    if emptied:
        warehouse.con.execute(emptied)
    if columns != described:
        warehouse.comment({f'COLUMN {target}."{name}"': meaning for name, _, meaning in described})
    if columns != described or comment != table.comment:
        warehouse.comment({f"TABLE {target}": table.comment})


def fill_table(con: duckdb.DuckDBPyConnection, target: str, table: Table) -> None:
    """Make a table of an open file of the figures of a report, without what is computed beside them."""
    described = (_describe(table.name, column) for column in table.columns)
    listed = ", ".join(f'"{name}" {type_}' for name, type_, _ in described)
    into = f"CREATE OR REPLACE TABLE {target} AS"
    for statement, given in _read_parts(table, ROWS_AT_ONCE):
        execute_over(con, given, f"{into} {statement}")
        into = f"INSERT INTO {target}"
    if not table.rows:
        con.execute(f"CREATE OR REPLACE TABLE {target} ({listed})")


def _read_parts(table: Table, at_once: int) -> Iterator[tuple[str, dict[str, np.ndarray[Any, Any]]]]:
    """Yield what reads so many rows of a table, typed, and the arrays that it reads."""
    casts = ", ".join(map(_read_stored, table.columns))
    for first in range(0, len(table.rows), at_once):
        parts = {column.key: table.data[column.key].part(first, first + at_once) for column in table.columns}
        yield f"SELECT {casts} FROM entrada", {key: _storable(part) for key, part in parts.items()}


def _read_stored(column: Column) -> str:
    """Write how SQL reads a column as it is stored (`lastro.grid.storage`), exactly.

    No sum of a list reaches the type of money: `AmountsTooLarge` refuses the list before.
    """
    type_, name, places = SQL_TYPES[column.kind.name], f'"{column.key}"', PLACES.get(column.kind, 0)
    whole, unit = type_.replace(f",{places})", ",0)"), f"{Decimal(1).scaleb(-places)}::DECIMAL({places + 1},{places})"
    return f"({name}::{whole} * {unit})::{type_} AS {name}" if places else f"{name}::{type_} AS {name}"


def _storable(column: StoredColumn) -> np.ndarray[Any, Any]:
    """Give SQL a stored column: numbers, days and moments as they are, texts row by row."""
    return column.data if column.texts is None else column.texts.take(column.data)
