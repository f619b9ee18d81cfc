"""Sections with an account a column: their lines are the columns of a table (R01, R05).

Belongs here: turning a table of accounts, with its totals. Does not belong here: figures (the reports).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import Account, name_account, sort_accounts
from lastro.grid.cells import UNDEFINED, Cell, Kind, Value
from lastro.grid.pivot import list_dicts
from lastro.grid.prints import Print
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.tables import Column, Period, Table

if TYPE_CHECKING:
    from lastro.reports.printing import Tables
    from lastro.reports.view import View

NAMES: Final = frozenset({"conta_id", "conta", "mes", "momento"})
"""Columns that name a row of a table of accounts; the others are lines."""
Figures = Mapping[str, Value]
"""A row of a table by the keys of its columns."""


@dataclass(frozen=True)
class Head:
    """A column of the section: an account, or a total.

    Attributes:
        key: of the column.
        header: above it.
        of: the table that has its figures.
        ids: what names its row there (`Print.keys`), before the month and the moment of a block.
    """

    key: str
    header: str
    of: Print[View]
    ids: tuple[Value, ...] = ()


def order_accounts(view: View) -> list[Account]:
    """List the accounts in the order of R01."""
    return [view.series.accounts[place] for place in sort_accounts(view.series)]


def head_account(account: Account, of: Print[View]) -> Head:
    """Make the column of an account."""
    key = f"conta_{'sem' if account.conta_id is None else account.conta_id}"
    return Head(key, name_account(account), of, (account.conta_id,))


@dataclass(frozen=True)
class Turned:
    """A section printed turned; it stands among the sections of a report (`ReportSpec.sections`).

    Attributes:
        own: the table of the accounts: its name is the section's, its columns are the lines.
        label: the column of the lines' names.
        heads: lists the other columns.
        balances: lines that stand out, with their marks.
        missing: tells which figures a row misses because they do not exist ("—"); others are blank.
        blocks: the months that stand one below the other; none for a table without months.
        used: lines that stand only where one of their figures is not zero; any other needs one, or one to be missing.
        title: as in `Print`.
        notes: below it.
    """

    own: Print[View]
    label: Column
    heads: Callable[[View], Iterable[Head]]
    balances: Mapping[str, frozenset[Mark]]
    missing: Callable[[Figures], Collection[str]]
    blocks: Callable[[View], Sequence[Period]] = lambda _: ()
    used: tuple[str, ...] = ()
    title: str = ""
    notes: Callable[[View], Iterable[str]] = lambda _: ()

    def __call__(self, view: View, tables: Tables) -> Section:
        """Print the section."""
        heads, months = tuple(self.heads(view)), self.blocks(view)
        columns = (self.label, *(Column(head.header, Kind.MONEY, dense=True, key=head.key) for head in heads))
        blocks = _find_figures(heads, months, tables)
        lines = [line for line in tables[self.own.name].columns if self._stands(line.key, blocks)]
        rows: list[Row] = []
        for number, figures in enumerate(blocks):
            if months:
                key = f"{self.own.name}-{months[number].key}"
                rows.append(Row((months[number].label, *([None] * len(heads))), Style.SECTION, key=key))
            rows += (self._show_line(line, figures, in_block=bool(months)) for line in lines)
        return Section(self.own.name, columns, tuple(rows), title=self.title or None, notes=tuple(self.notes(view)))

    def _stands(self, key: str, blocks: Sequence[Sequence[Figures]]) -> bool:
        rows = [row for figures in blocks for row in figures]
        if key in self.used:
            return any(row[key] for row in rows)
        return key not in NAMES and any(row.get(key) is not None or key in self.missing(row) for row in rows)

    def _show_line(self, line: Column, figures: Sequence[Figures], *, in_block: bool) -> Row:
        marks = self.balances.get(line.key)
        return Row(
            (line.header, *(self._show(line, row) for row in figures)),
            Style.NORMAL if marks is None else Style.SUBTOTAL,
            level=int(in_block),
            key=None if in_block else line.key,
            marks=marks or frozenset(),
        )

    def _show(self, line: Column, row: Figures) -> Value | Cell:
        value = row.get(line.key)
        if value is None and line.key in self.missing(row):
            return UNDEFINED
        return value if line.kind is Kind.MONEY else Cell(value, line.kind)


def _find_figures(heads: Sequence[Head], months: Sequence[Period], tables: Tables) -> list[list[Figures]]:
    """Find the row of each column in its table, block by block."""
    found = {head.of.name: dict(_name_rows(head.of, tables[head.of.name])) for head in heads}
    blocks: list[tuple[Value, ...]] = [(month.month, month.momento) for month in months] or [()]
    return [[found[head.of.name][*head.ids, *block] for head in heads] for block in blocks]


def _name_rows(own: Print[View], table: Table) -> Iterator[tuple[tuple[Value, ...], Figures]]:
    for row in list_dicts(table):
        yield tuple(row[key] for key in own.keys), row
