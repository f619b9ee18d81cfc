"""The budget on the cover: the result to date and the projection of the year beside the budget (R18)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.grid.cells import Kind, link_sheet, sum_money
from lastro.grid.pivot import list_rows
from lastro.grid.sections import Section
from lastro.grid.tables import Table, describe_column
from lastro.grid.words import month_label
from lastro.grid.workbook import tables_of
from lastro.money import format_amount
from lastro.reports.cover.blocks import build_block

if TYPE_CHECKING:
    from lastro.reports.view import View

DEVIATION: Final = describe_column("desvio", kind=Kind.MONEY)
WORST: Final = 3


def build_budget_block(view: View) -> tuple[Section, ...]:
    """Build the block; nothing where no budget of D's year is read."""
    budget = view.budget
    if not budget.chaves:
        return ()
    table = next(table for table in tables_of(view.reports) if table.name == "orcado")
    lines: list[tuple[str, Decimal | None]] = [_compare(table, "Projeção do ano", "projecao", "ano_orcado")]
    if budget.fechados:
        month = month_label(budget.meses[budget.fechados - 1]).partition("/")[0]
        lines.insert(0, _compare(table, f"Resultado até {month}", "ate_realizado", "ate_orcado"))
        worst = " · ".join(f"{name} {format_amount(value)}" for name, value, _ in list_worst(table, WORST))
        lines += [(f"Piores desvios até {month}: {worst}", None)] if worst else []
    rows = [(text, value, link_sheet("Orçado")) for text, value in lines]
    title = f"ORÇAMENTO {budget.ano.year}"
    return (build_block("resumo_orcamento", title, "Orçamento", rows, counts=(DEVIATION,)),)


def _compare(table: Table, text: str, done: str, planned: str) -> tuple[str, Decimal]:
    """Say an amount beside its budget, all of the result added up, and the deviation; D is unfavourable."""
    booked, budgeted = _add(table, done), _add(table, planned)
    change = booked - budgeted
    side = " (D)" if change < 0 else " (F)" if change > 0 else ""
    return f"{text}: {format_amount(booked)} x {format_amount(budgeted)} orçado{side}", change


def _add(table: Table, column: str) -> Decimal:
    """Add a column up, but for what is outside the result."""
    rows = list_rows(table, (column, "fora_do_resultado"))
    return sum_money(value for value, outside in rows if not outside)


def list_worst(table: Table, many: int) -> list[tuple[str, Decimal, int]]:
    """List the most unfavourable deviations of the year to date of what is budgeted: name, deviation, category."""
    rows = list_rows(table, ("categoria", "ate_desvio", "categoria_id", "orcada", "fora_do_resultado"))
    deviations = [
        (str(name), value, key)
        for name, value, key, budgeted, outside in rows
        if isinstance(value, Decimal) and isinstance(key, int) and value < 0 and budgeted and not outside
    ]
    return sorted(deviations, key=lambda deviation: (deviation[1], deviation[0]))[:many]
