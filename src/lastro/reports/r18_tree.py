"""The tree of *Orçado* (R18): its rows, each a row of the table `orcado` or the sum of some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.budget import order_tree
from lastro.analysis.percent_change import NOT_MEANINGFUL, SMALLEST_BASE
from lastro.analysis.tree import list_above
from lastro.grid.cells import UNDEFINED, Cell, Kind, Undefined, Value, sum_money
from lastro.grid.cover import Tone
from lastro.grid.pivot import list_dicts
from lastro.grid.sections import MAX_LEVEL, Row, Style
from lastro.grid.tables import Table
from lastro.money import ratio_pct, to_centavos

if TYPE_CHECKING:
    from lastro.reports.view import View

ZERO: Final = Decimal("0.00")
UNBUDGETED, OUTSIDE, REST = "Não orçadas", "Fora do resultado", "(demais)"
DEVIATIONS: Final = ("mes_desvio", "ate_desvio", "ano_desvio")
SUMMED: Final = (
    "mes_orcado", "mes_realizado", "mes_desvio", "ate_orcado", "ate_realizado", "ate_desvio", "ano_orcado",
    "realizado_e_contratado", "saldo_a_contratar", "projecao", "ano_desvio", "realizado", "contratado",
)  # fmt: skip


def deviate(base: int, change: int) -> Decimal | None:
    """Give a deviation in percent of what was budgeted; of too little it says nothing."""
    return ratio_pct(change, abs(base)) if abs(base) >= SMALLEST_BASE else None


@dataclass(frozen=True)
class BudgetLine:
    """A printed row before it is one: its label, its level, the rows of the table that it adds up.

    Attributes:
        own: it is the one row of the table, not a sum.
    """

    label: str
    level: int
    rows: tuple[int, ...]
    own: bool = True
    style: Style = Style.NORMAL


def list_budget_lines(view: View) -> Iterator[BudgetLine]:
    """Give the tree, the categories without a budget, the total, and the categories outside the result."""
    keys, name = view.budget.chaves, view.position.rotulos.categoria_caminho
    inside = [row for row, key in enumerate(keys) if not key.fora]
    free = [row for row in inside if not keys[row].orcada]
    outside = [row for row, key in enumerate(keys) if key.fora]
    yield from _list_tree(view, [row for row in inside if keys[row].orcada])
    for label, rows, below, style in (
        (UNBUDGETED, free, free, Style.SECTION),
        ("Total", inside, [], Style.TOTAL),
        (f"{OUTSIDE} (memo)", outside, outside, Style.MEMO),
    ):
        if rows:
            yield BudgetLine(label, 0, tuple(rows), own=False, style=style)
        look = Style.MEMO if style is Style.MEMO else Style.NORMAL
        yield from (BudgetLine(name(keys[row].categoria_id), 1, (row,), style=look) for row in below)


def name_rows(view: View) -> list[str]:
    """Name the rows of the table as the tree does: what a parent has of its own is "(demais)" below it."""
    names = [view.position.rotulos.categoria_caminho(key.categoria_id) for key in view.budget.chaves]
    rest = {line.rows[0] for line in list_budget_lines(view) if line.own and line.label == REST}
    return [f"{name} > {REST}" if row in rest else name for row, name in enumerate(names)]


def _list_tree(view: View, budgeted: Sequence[int]) -> Iterator[BudgetLine]:
    """List the budgeted categories below their parents; one with budgeted categories below it has "(demais)"."""
    above = dict(list_above(view.position.categorias))
    own = {view.budget.chaves[row].categoria_id or 0: row for row in budgeted}
    below: dict[int, list[int]] = {}
    for key, row in own.items():
        for step in (*above[key], key):
            below.setdefault(step, []).append(row)
    for step in order_tree(view.position.categorias):
        rows, level, label = tuple(below.get(step, ())), len(above[step]), view.position.rotulos.categoria(step)
        leaf, style = rows == (own.get(step),), Style.NORMAL if above[step] else Style.SECTION
        if rows:
            yield BudgetLine(label, level, rows, own=leaf, style=style)
        if step in own and not leaf:
            yield BudgetLine(REST, level + 1, (own[step],))


def print_lines(view: View, table: Table) -> tuple[Row, ...]:
    """Print rows of the table, or the sums of some; a sum has no verdict."""
    cells = list_dicts(table)
    return tuple(_print_line(view, line, [cells[row] for row in line.rows]) for line in list_budget_lines(view))


def _print_line(view: View, line: BudgetLine, rows: Sequence[Mapping[str, Value]]) -> Row:
    closed, first = bool(view.budget.fechados), rows[0]
    figures = first if line.own else _add_rows(rows, closed=closed)
    absent: dict[str, Value] = dict.fromkeys((*SUMMED, "situacao"), UNDEFINED)
    absent["desvio_pct"] = Undefined(NOT_MEANINGFUL) if closed else UNDEFINED
    if not line.own:
        del absent["situacao"]
    cells: dict[str, Value | Cell] = {
        key: absent.get(key) if value is None else value for key, value in figures.items()
    }
    mixed = line.own and view.budget.chaves[line.rows[0]].mista
    for key in DEVIATIONS:
        if isinstance(value := figures[key], Decimal):
            cells[key] = Cell(value, Kind.MONEY, tone=_tone(value, mixed=mixed))
    cells["categoria"] = Cell(line.label, Kind.TEXT)
    key = f"orcado_{first['categoria_id'] or 'sem'}{'_fora' if first['fora_resultado'] else ''}"
    return Row(tuple(cells.values()), line.style, min(line.level, MAX_LEVEL), key if line.own else None)


def _add_rows(rows: Sequence[Mapping[str, Value]], *, closed: bool) -> dict[str, Value]:
    """Add rows up; the percent of a sum is that of its amounts."""
    values = {key: [row[key] for row in rows] for key in SUMMED}
    sums = {key: None if None in own else sum_money(own) for key, own in values.items()}
    base, change = (to_centavos(sums[key] or ZERO) for key in ("ate_orcado", "ate_desvio"))
    return {**dict.fromkeys(rows[0]), **sums, "desvio_pct": deviate(base, change) if closed else None}


def _tone(value: Decimal, *, mixed: bool) -> Tone:
    if not value or mixed:
        return ""
    return "bom" if value > 0 else "ruim"
