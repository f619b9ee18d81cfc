"""A report's figures as a table of `interno` and a view of `mart`, typed and commented; no Decimal becomes a float."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import duckdb
import numpy as np

from lastro.grid.cells import Kind
from lastro.grid.storage import StoredColumn
from lastro.grid.tables import Column, Table
from lastro.schema.dictionary import read_dictionary
from lastro.warehouse.file.computed_columns import COMPUTED
from lastro.warehouse.file.rows import execute_over
from lastro.warehouse.file.store import Warehouse

FIRST_VIEWS: Final = (
    "lancamentos", "a_receber", "a_pagar", "saldos_por_conta", "fluxo_diario", "fluxo_mensal", "dre", "pessoas",
)  # fmt: skip
"""The views to begin with: they stand in schema `main` too, so that `SHOW TABLES` lists them and nothing else."""
_MAIN: Final = """SELECT v.schema_name, v.view_name, v.comment, list((c.column_name, c.data_type, c.comment)
  ORDER BY c.column_index)
FROM duckdb_views() v JOIN duckdb_columns() c USING (database_oid, schema_oid)
WHERE c.table_name = v.view_name AND v.database_name = current_database() AND v.schema_name IN ('main', 'mart')
  AND list_contains($1, v.view_name) GROUP BY ALL"""
_AS_IT_IS: Final = '"{}"'
_SQL: Final = {
    Kind.TEXT: ("VARCHAR", _AS_IT_IS),
    Kind.LINK: ("VARCHAR", _AS_IT_IS),
    Kind.INTEGER: ("BIGINT", _AS_IT_IS),
    Kind.DATE: ("DATE", _AS_IT_IS),
    Kind.MONTH: ("DATE", _AS_IT_IS),
    # No sum of a list reaches it: `AmountsTooLarge` refuses the list before.
    Kind.MONEY: ("DECIMAL(18,2)", '("{}"::DECIMAL(18,0) * 0.01::DECIMAL(3,2))'),
    Kind.PERCENT: ("DECIMAL(24,2)", '("{}"::DECIMAL(22,0) * 0.01::DECIMAL(3,2))'),
    Kind.NUMBER: ("DECIMAL(18,1)", '("{}"::DECIMAL(18,0) * 0.1::DECIMAL(2,1))'),
    Kind.DECIMAL: ("DECIMAL(18,4)", '("{}"::DECIMAL(18,0) * 0.0001::DECIMAL(5,4))'),
    Kind.TIMESTAMP: ("TIMESTAMP", _AS_IT_IS),
    Kind.BOOLEAN: ("BOOLEAN", _AS_IT_IS),
}
"""Kind -> type of its columns, and how SQL reads what is stored of them (`lastro.grid.storage`), exactly."""
ROWS_AT_ONCE: Final = 200_000
"""Rows of a table that are made and handed to DuckDB at a time."""
_Described = tuple[tuple[str, str, str], ...]
"""Name, type and comment of each column."""
_Shown = tuple[str, _Described]
"""A view: its comment and its columns."""
_NO_VIEW: _Shown = ("", ())
_UNITS = {Kind.MONEY: " (R$)", Kind.PERCENT: " (%)"}
_MIXED: Final = frozenset({"resumo", "indicadores", "kpis_tendencia"})
"""Views whose amounts are in the unit that a column of theirs says."""


def replace_report_tables(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Replace all tables of `interno` and views of `mart` by those of this run, and drop the others.

    Analysts see the views; the tables behind them stand out of sight.
    """
    there, kept = _read_views(warehouse), set()
    for table in tables:
        write_report_table(warehouse, table, there.get(table.name, _NO_VIEW))
        kept.add(table.name)
    for kind, schema in (("VIEW", "mart"), ("TABLE", "interno")):
        names = warehouse.query(
            f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE schema_name = ? AND NOT internal", [schema]
        )
        for (name,) in names:
            if name not in kept:
                warehouse.con.execute(f"DROP {kind} {schema}.{name}")
    warehouse.comment({f"TABLE interno.{name}": f"uso interno do lastro: leia mart.{name}" for name in sorted(kept)})
    _show_first(warehouse)


def _show_first(warehouse: Warehouse) -> None:
    """Let the views to begin with stand in `main` as in `mart`; one that shows and says the same stays."""
    found = {(schema, name): said for schema, name, *said in warehouse.query(_MAIN, [list(FIRST_VIEWS)])}
    for name in FIRST_VIEWS:
        said = found.get(("mart", name))
        if said is None:
            warehouse.con.execute(f"DROP VIEW IF EXISTS main.{name}")
        elif said != found.get(("main", name)):
            comment, columns = said
            warehouse.con.execute(f"CREATE OR REPLACE VIEW main.{name} AS FROM mart.{name}")
            told = {f'COLUMN main.{name}."{column}"': text for column, _, text in columns}
            warehouse.comment({f"VIEW main.{name}": comment, **told})


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


def _describe(table: str, column: Column) -> tuple[str, str, str]:
    term = read_dictionary().get(column.key)
    about = column.about or (term and term.meaning) or column.header
    return column.key, _SQL[column.kind][0], about + ("" if table in _MIXED else _UNITS.get(column.kind, ""))


def write_report_table(
    warehouse: Warehouse, table: Table, view: _Shown = _NO_VIEW, *, at_once: int = ROWS_AT_ONCE
) -> None:
    """Write the figures of a report as `interno.<name>` with the view `mart.<name>`, which is typed and commented.

    Args:
        warehouse: the private file.
        table: the figures.
        view: the view that is there, so that one that shows and says the same may stay.
        at_once: rows that are written by one statement.
    """
    described = fill_table(warehouse.con, f"interno.{table.name}", table, at_once=at_once)
    comment, columns = view
    computed = [(name, meaning, of[table.name]) for name, (meaning, of) in COMPUTED.items() if table.name in of]
    described = (*described, *((name, "BOOLEAN", meaning) for name, meaning, _ in computed))
    if columns != described:
        chosen = ", ".join(["*", *(f"coalesce({rule}, false) AS {name}" for name, _, rule in computed)])
        warehouse.con.execute(f"CREATE OR REPLACE VIEW mart.{table.name} AS SELECT {chosen} FROM interno.{table.name}")
        warehouse.comment({f'COLUMN mart.{table.name}."{name}"': meaning for name, _, meaning in described})
    if columns != described or comment != table.comment:
        warehouse.comment({f"VIEW mart.{table.name}": table.comment})


def fill_table(con: duckdb.DuckDBPyConnection, target: str, table: Table, *, at_once: int = ROWS_AT_ONCE) -> _Described:
    """Replace a table of an open file by the figures of a report.

    Args:
        con: the file.
        target: name of the table there.
        table: the figures.
        at_once: rows that are written by one statement.

    Returns:
        Name, type and comment of each column.
    """
    described = tuple(_describe(table.name, column) for column in table.columns)
    if not table.rows:
        listed = ", ".join(f'"{name}" {type_}' for name, type_, _ in described)
        con.execute(f"CREATE OR REPLACE TABLE {target} ({listed})")
        return described
    casts = ", ".join(
        f'{_SQL[column.kind][1].format(name)}::{type_} AS "{name}"'
        for column, (name, type_, _) in zip(table.columns, described, strict=True)
    )
    for first in range(0, len(table.rows), at_once):
        parts = {column.key: table.data[column.key].part(first, first + at_once) for column in table.columns}
        into = f"INSERT INTO {target}" if first else f"CREATE OR REPLACE TABLE {target} AS"
        arrays = {key: _storable(part) for key, part in parts.items()}
        execute_over(con, arrays, f"{into} SELECT {casts} FROM entrada")
    return described


def _storable(column: StoredColumn) -> np.ndarray[Any, Any]:
    """Give SQL a stored column: numbers, days and moments as they are, texts row by row."""
    return column.data if column.texts is None else column.texts.take(column.data)
