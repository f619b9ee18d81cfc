"""Rows into tables: what Python hands to DuckDB, by frames, by columns or by few values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import pandas as pd

from lastro.schema.derivation import OBJECT, cast_from_frame, frame_column, frame_dtype
from lastro.schema.dictionary import ColumnDef

_ROWS_A_STATEMENT = 100


def execute_over(
    con: duckdb.DuckDBPyConnection,
    entrada: pd.DataFrame | Mapping[str, object],  # noqa: ARG001 - the statement reads it
    statement: str,
) -> None:
    """Execute a statement that reads a frame, or arrays by column, as `entrada`.

    DuckDB finds it among the names of this call: to register it takes a millisecond more, and a run has 150.
    """
    con.execute(statement)


def insert_rows(con: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Sequence[object]]) -> None:
    """Insert rows whose values stand in the order of the table's columns.

    Many are handed over by columns, as texts: thousands of single values take longer than all that is made of them.
    """
    types = _list_types(con, name) if len(rows) > _ROWS_A_STATEMENT else []
    if types and not any(type_.endswith("[]") for type_ in types):
        values = pd.DataFrame(dict(enumerate(zip(*rows, strict=True))), dtype=object)
        casts = ", ".join(f"c{place}::{type_}" for place, type_ in enumerate(types))
        values = values.map(str, na_action="ignore").rename(columns="c{}".format)
        execute_over(con, values, f"INSERT INTO {name} SELECT {casts} FROM entrada")
        return
    for first in range(0, len(rows), _ROWS_A_STATEMENT):
        part = rows[first : first + _ROWS_A_STATEMENT]
        marks = f"({', '.join('?' for _ in part[0])})"
        con.execute(
            f"INSERT INTO {name} VALUES {', '.join([marks] * len(part))}", [value for row in part for value in row]
        )


def _list_types(con: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    return [str(type_) for (type_,) in con.execute(f"SELECT column_type FROM (DESCRIBE {name})").fetchall()]


def fill_from_frame(
    con: duckdb.DuckDBPyConnection, into: str, frame: pd.DataFrame, columns: Sequence[ColumnDef]
) -> None:
    """Write columns of a frame, typed as they are stored, by a statement that a SELECT ends; money is in centavos."""
    # As texts: of Python's objects DuckDB chooses the type by a thousand; a wider one is rounded or refused later.
    objects = [column.name for column in columns if column.type != "VARCHAR" and frame_dtype(column) == OBJECT]
    texts = {name: frame[name].map(str, na_action="ignore") for name in objects}
    chosen = [frame_column(column) for column in columns]
    casts = ", ".join(map(cast_from_frame, columns))
    execute_over(con, frame[chosen].assign(**texts), f"{into} SELECT {casts} FROM entrada")
