"""How a tree is printed: lines with their categories folded below them, months or pairs of periods side by side.

Belongs here: `Tree`, what the tables behind one share, levels that say nothing new: a row and its only child with equal
figures are one row (SQL keeps every level). Does not belong here: which lines there are and what they come to (the
reports), tables printed row by row (`lastro.reports.printing`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final, Generic, NamedTuple

import numpy as np

from lastro.analysis.tree import DIRECT, Branch
from lastro.grid.cells import Kind, Link, Undefined, Value
from lastro.grid.pivot import add_up, show_row
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import MAX_LEVEL, Row, Section, SheetColumn
from lastro.grid.storage import store_cells
from lastro.grid.tables import Column, Sum, Table
from lastro.reports.printing import OwnT, Tables, build_table, print_section

NODE: Final[Mapping[str, str]] = {
    "codigo": "codigo", "linha": "texto", "nivel": "nivel", "categoria_id": "categoria_id"
}  # fmt: skip
"""Column that tells branches apart -> attribute of `Branch`."""


class KeptRow(NamedTuple):
    """A row that is printed.

    Attributes:
        row: its number.
        level: its outline level now.
        leads: number of the row whose link it takes: the deepest of those that it stands for.
    """

    row: int
    level: int
    leads: int


def skip_levels(levels: Sequence[int], names: Sequence[str], figures: Sequence[Hashable]) -> list[KeptRow]:
    """Leave out what would print a row twice: a line's only child, of categories the parent of one.

    Args:
        levels: of all rows, parents before their children; 0 for lines.
        names: what each is called; "(direto)", which says nothing alone, gives way to its parent.
        figures: of all rows: equal ones are the same row twice.

    >>> [tuple(one) for one in skip_levels([0, 1, 2, 2, 0, 1, 2], "AabcBde", [3, 3, 1, 2, 5, 5, 5])]
    [(0, 0, 1), (2, 1, 2), (3, 1, 3), (4, 0, 6)]
    >>> levels, names = [0, 1, 2, 1, 2, 2], ["A", "b", "(direto)", "c", "(direto)", "d"]
    >>> [tuple(one) for one in skip_levels(levels, names, [5, 2, 2, 3, 1, 2])]
    [(0, 0, 0), (1, 1, 2), (3, 1, 3), (4, 2, 4), (5, 2, 5)]
    """
    return [kept for place, level in enumerate(levels) if not level for kept in _walk(place, 0, levels, names, figures)]


def _walk(
    place: int, depth: int, levels: Sequence[int], names: Sequence[str], figures: Sequence[Hashable]
) -> Iterator[KeptRow]:
    last, below = place, _children(place, levels)
    while len(below) == 1 and figures[below[0]] == figures[last]:
        last, below = below[0], _children(below[0], levels)
    # The row "(direto)" is the first below its parent.
    shown = last - 1 if last != place and names[last] == DIRECT else last
    yield KeptRow(shown if depth else place, depth, last)
    for child in below:
        yield from _walk(child, depth + 1, levels, names, figures)


def _children(place: int, levels: Sequence[int]) -> list[int]:
    below = takewhile(lambda other: levels[other] > levels[place], range(place + 1, len(levels)))
    return [other for other in below if levels[other] == levels[place] + 1]


def name_branches(branches: Sequence[Branch], times: int = 1, told: Mapping[str, str] = NODE) -> Columns:
    """Make the columns that tell branches apart, each branch in as many rows as there are sides."""
    rows = np.repeat(np.arange(len(branches)), times)
    return {
        key: store_cells(
            Kind.INTEGER if key in ("nivel", "categoria_id") else Kind.TEXT, [getattr(one, name) for one in branches]
        ).take(rows)
        for key, name in told.items()
    }


class Across(NamedTuple):
    """What stands side by side: a month, a moment of one, a pair of periods.

    Attributes:
        columns: column of the table -> what it is on the sheet.
        places: which of the rows of each branch it is, from 0; several are added up.
    """

    columns: Mapping[str, Column]
    places: tuple[int, ...]


@dataclass(frozen=True)
class Tree(Generic[OwnT]):
    """A section: a row for each branch, less those that would say nothing new (`skip_levels`).

    Attributes:
        table: has a row for each side of each branch, those of a branch together; the section is called after it. One
            that is none of the report's is the sheet's alone.
        branches: the rows, in the order of the tables.
        across: what of that table stands side by side.
        label: the first column, what a row is called.
        key: the key of a row.
        totals: has a row for each branch; printed right of what stands side by side.
        beside: column of `totals` -> what it is on the sheet.
        why: a column -> the one that says why it has no figure, printed in its place.
        sums: line -> how several sides make one, where that is not their sum.
        link: where a row leads.
        level: the outline level of a branch; it is given how many printed rows stand above it, each below the other.
        alike: what a branch and its only child have in common where they are one row; when not given, all figures.
        below: the rows below the tree.
        open_level: as in `Section`.
    """

    table: Print[OwnT]
    branches: Callable[[OwnT], Sequence[Branch]]
    across: Callable[[OwnT], Iterable[Across]]
    label: Column
    key: Callable[[Branch], str | None] = lambda _: None
    totals: Print[OwnT] | None = None
    beside: Callable[[OwnT], Mapping[str, Column]] = lambda _: {}
    why: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, Sum] = field(default_factory=dict)
    link: Callable[[OwnT, Branch], Link | None] = lambda *_: None
    level: Callable[[Branch, int], int] = lambda _, depth: depth
    alike: Callable[[Branch], Hashable] | None = None
    below: Callable[[OwnT, Tables], Iterable[Row]] = lambda *_: ()
    open_level: int = 2

    def show(self, given: OwnT, tables: Tables) -> Section | None:
        """Print the tree of the tables of its report; None where this run does not have its own."""
        table = tables.get(self.table.name) or build_table(self.table, given)
        if table is None:
            return None
        branches = self.branches(given)
        shown = [*self._show(table, self.across(given), branches)]
        if self.totals is not None:
            shown += self._show(tables[self.totals.name], [Across(self.beside(given), (0,))], branches)
        columns = (self.label, *(column for column, _ in shown))
        figures = list(zip(*(cells for _, cells in shown), strict=True))
        rows = (*self._list_rows(given, branches, columns, figures), *self.below(given, tables))
        return replace(
            print_section(replace(self.table, rows=lambda *_: rows), {**tables, table.name: table}, given),
            columns=columns,
            outline=True,
            open_level=self.open_level,
        )

    def _show(self, table: Table, across: Iterable[Across], branches: Sequence[Branch]) -> Iterator[SheetColumn]:
        width, told = len(table.rows) // len(branches), dict[str, list[Value]]()
        for side in across:
            for key, column in side.columns.items():
                if key not in told:
                    told[key] = self._tell(table, key)
                parts = [told[key][place::width] for place in side.places]
                yield column, parts[0] if len(parts) == 1 else self._add_up(branches, parts)

    def _tell(self, table: Table, key: str) -> list[Value]:
        cells = table.data[key].cells()
        if key not in self.why:
            return cells
        notes = table.data[self.why[key]].cells()
        return [cell if note is None else Undefined(note) for cell, note in zip(cells, notes, strict=True)]

    def _add_up(self, branches: Sequence[Branch], parts: Sequence[Sequence[Value]]) -> list[Value]:
        rules = [self.sums.get(branch.codigo, Sum.FLOW) for branch in branches]
        return [add_up(values, rule) for values, rule in zip(zip(*parts, strict=True), rules, strict=True)]

    def _list_rows(
        self,
        given: OwnT,
        branches: Sequence[Branch],
        columns: Sequence[Column],
        figures: Sequence[tuple[Value, ...]],
    ) -> Iterator[Row]:
        """Print the branches; where nothing stands beside them there is no row."""
        levels, names = [branch.nivel for branch in branches], [branch.texto for branch in branches]
        alike = figures if self.alike is None else [self.alike(branch) for branch in branches]
        for place, depth, leads in skip_levels(levels, names, alike) if figures else ():
            branch = branches[place]
            yield show_row(
                columns,
                (branch.texto, *figures[place]),
                style=branch.style,
                level=min(self.level(branch, depth), MAX_LEVEL),
                key=self.key(branch),
                link=self.link(given, branches[leads]),
            )
