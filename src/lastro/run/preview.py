"""What whoever watches sees of a report: its first rows, without names and texts of people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lastro.grid.cells import TEXTS, Value
from lastro.grid.tables import Column, Table

ROWS: Final = 5
MOST_COLUMNS = 8
LABELS: Final = frozenset(
    ("conta", "linha", "linha_dre", "categoria", "grupo", "momento", "faixa", "tipo", "indicador", "situacao")
)
"""Texts that name things and no person."""


def show_rows(table: Table) -> tuple[Mapping[str, str], ...]:
    """Give the first rows of a table as text, without what may name a person."""
    places = [place for place, column in enumerate(table.columns) if _is_impersonal(column)][:MOST_COLUMNS]
    return tuple(
        {table.columns[place].key: _write(row[place]) for place in places} for row in table.rows[:ROWS] if places
    )


def _is_impersonal(column: Column) -> bool:
    return column.key in LABELS if column.kind in TEXTS else True


def _write(value: Value) -> str:
    return "" if value is None else str(value)
