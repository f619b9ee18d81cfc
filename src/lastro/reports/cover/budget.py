"""The budget on the cover: the result to date and the projection of the year beside the budget (R18)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.grid.cells import sum_money
from lastro.grid.pivot import list_rows
from lastro.grid.tables import Table
from lastro.grid.words import month_label
from lastro.grid.workbook import tables_of
from lastro.money import format_amount

if TYPE_CHECKING:
    from lastro.reports.view import Judged

WORST: Final = 3


def tell_budget(view: Judged) -> str:
    """Say the result to date and the projection of the year beside the budget; empty where none of D's year is read."""
    budget = view.budget
    if not budget.chaves:
        return ""
    table = next(table for table in tables_of(view.reports) if table.name == "orcado")
    parts = [_compare(table, "projeção do ano", "projecao", "ano_orcado")]
    if budget.fechados:
        month = month_label(budget.meses[budget.fechados - 1]).partition("/")[0]
        parts.insert(0, _compare(table, f"resultado até {month}", "ate_realizado", "ate_orcado"))
        *others, last = [f"{name} {format_amount(value)}" for name, value, _ in list_worst(table, WORST)] or [""]
        worst = " e ".join(filter(None, (", ".join(others), last)))
        parts += [f"piores desvios: {worst}"] if worst else []
    return " · ".join(parts)


def _compare(table: Table, text: str, done: str, planned: str) -> str:
    """Say an amount beside its budget, all of the result added up, and the deviation with what it means."""
    booked, budgeted = _add(table, done), _add(table, planned)
    change = booked - budgeted
    side = f" (Desfavorável {format_amount(-change)})" if change < 0 else f" (Favorável {format_amount(change)})"
    return f"{text} {format_amount(booked)} x {format_amount(budgeted)} orçado{side if change else ''}"


def _add(table: Table, column: str) -> Decimal:
    """Add a column up, but for what is outside the result."""
    rows = list_rows(table, (column, "fora_resultado"))
    return sum_money(value for value, outside in rows if not outside)


def list_worst(table: Table, many: int) -> list[tuple[str, Decimal, int]]:
    """List the most unfavourable deviations of the year to date of what is budgeted: name, deviation, category."""
    rows = list_rows(table, ("categoria", "ate_desvio", "categoria_id", "orcada", "fora_resultado"))
    deviations = [
        (str(name), value, key)
        for name, value, key, budgeted, outside in rows
        if isinstance(value, Decimal) and isinstance(key, int) and value < 0 and budgeted and not outside
    ]
    return sorted(deviations, key=lambda deviation: (deviation[1], deviation[0]))[:many]
