"""What whoever watches sees of a report: totals that plot, and its first rows. Names and texts of people stay out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from lastro.grid.cells import TEXTS, Kind, Value
from lastro.grid.tables import Column, Sum, Table
from lastro.reports.shared.kpis import Kpi

ROWS: Final = 5
MOST_TOTALS, MOST_COLUMNS = 4, 8
LABELS: Final = frozenset(
    ("conta", "linha", "linha_dre", "categoria", "grupo", "momento", "faixa", "tipo", "indicador", "situacao")
)
"""Texts that name things and no person."""


def sum_report(table: Table) -> dict[str, int | str]:
    """Sum the first flows of a table whose rows add up, in centavos, which plot exactly."""
    totals: dict[str, int | str] = {}
    for column in table.columns:
        if column.kind is Kind.MONEY and column.sums is Sum.FLOW and not column.key.startswith("saldo"):
            figures = table.data[column.key].figures()
            if figures is not None and len(totals) < MOST_TOTALS:
                totals[f"soma_{column.key}_centavos"] = _to_centavos(figures.total)
    return totals


def sum_kpis(kpis: Iterable[Kpi]) -> dict[str, int | str]:
    """Give every indicator in money, in centavos, and every count; a balance that is none is called a variation."""
    sums: dict[str, int | str] = {}
    for kpi in kpis:
        if kpi.kind is Kind.MONEY and isinstance(kpi.valor, Decimal):
            name = f"{kpi.slug}_variacao" if kpi.provisorio else kpi.slug
            sums[f"kpi_{name}_centavos"] = _to_centavos(kpi.valor)
        elif kpi.kind is Kind.INTEGER and isinstance(kpi.valor, int):
            sums[f"kpi_{kpi.slug}"] = kpi.valor
    return sums


def show_rows(table: Table) -> tuple[Mapping[str, str], ...]:
    """Give the first rows of a table as text, without what may name a person."""
    places = [place for place, column in enumerate(table.columns) if _is_impersonal(column)][:MOST_COLUMNS]
    return tuple(
        {table.columns[place].key: _write(row[place]) for place in places} for row in table.rows[:ROWS] if places
    )


def _is_impersonal(column: Column) -> bool:
    return column.key in LABELS if column.kind in TEXTS else True


def _to_centavos(value: Decimal | int) -> int:
    return int(value * 100)


def _write(value: Value) -> str:
    return "" if value is None else str(value)
