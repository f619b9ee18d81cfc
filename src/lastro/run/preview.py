"""What whoever watches sees of a report: totals that plot, and its first rows. Names and texts of people stay out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import compress
from typing import Final

from lastro.grid.cells import Kind, Value
from lastro.grid.coded import count_ordinary, read_cells
from lastro.grid.model import Column, Sum, Table
from lastro.reports.kpis import Kpi

ROWS: Final = 5
MOST_TOTALS, MOST_COLUMNS = 4, 8
LABELS: Final = frozenset(
    ("conta", "linha", "linha_dre", "categoria", "grupo", "momento", "faixa", "tipo", "indicador", "situacao")
)
"""Texts that name things and no person."""


def sum_report(table: Table) -> dict[str, int | str]:
    """Sum the amounts of a report's first table, in centavos, which plot exactly.

    A flow is summed over the rows of the highest level, a balance (`saldo...`) is that of the last row.
    """
    level = next((place for place, column in enumerate(table.columns) if column.key == "nivel"), None)
    highest = None if level is None else [cell in (0, None) for cell in read_cells(table, level)]
    totals: dict[str, int | str] = {}
    for place, column in enumerate(table.columns):
        if column.kind is not Kind.MONEY or len(totals) == MOST_TOTALS:
            continue
        if highest is None and not _is_level(column):
            counted = count_ordinary(table, place)
        else:
            cells = read_cells(table, place)
            counted = [(cell, 1) for cell in (compress(cells, highest) if highest else cells)]
        amounts = [(cell, times) for cell, times in counted if type(cell) is Decimal]
        if amounts and _is_level(column):
            totals[f"ultimo_{column.key}_centavos"] = _to_centavos(amounts[-1][0])
        elif amounts:
            totals[f"soma_{column.key}_centavos"] = _to_centavos(sum([cell * times for cell, times in amounts]))
    return totals


def sum_kpis(kpis: Iterable[Kpi]) -> dict[str, int | str]:
    """Give every indicator in money, in centavos, and every count."""
    found: dict[str, int | str] = {}
    for kpi in kpis:
        if kpi.kind is Kind.MONEY and isinstance(kpi.valor, Decimal):
            found[f"kpi_{kpi.slug}_centavos"] = _to_centavos(kpi.valor)
        elif kpi.kind is Kind.INTEGER and isinstance(kpi.valor, int):
            found[f"kpi_{kpi.slug}"] = kpi.valor
    return found


def show_rows(table: Table) -> tuple[Mapping[str, str], ...]:
    """Give the first rows of a table as text, without what may name a person."""
    places = [place for place, column in enumerate(table.columns) if _is_impersonal(column)][:MOST_COLUMNS]
    return tuple(
        {table.columns[place].key: _write(row[place]) for place in places} for row in table.rows[:ROWS] if places
    )


def _is_level(column: Column) -> bool:
    return column.sums is not Sum.FLOW or column.key.startswith("saldo")


def _is_impersonal(column: Column) -> bool:
    return column.key in LABELS if column.kind in (Kind.TEXT, Kind.LINK) else True


def _to_centavos(value: Decimal | int) -> int:
    return int(value * 100)


def _write(value: Value) -> str:
    return "" if value is None else str(value)
