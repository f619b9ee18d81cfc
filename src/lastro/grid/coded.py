"""Rows of a long table kept by columns: each different value once, and for each row its place among them.

Lançamentos has forty cells a linha, and most of them say what others say: as tuples of objects those of a large company
would be the largest thing in memory. Who walks over such rows sees them as any others; who looks at a column takes it
whole.
Belongs here: keeping cells, and reading any table or section by columns. Does not belong here: what they say.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

import numpy as np

from lastro.grid.model import Row, Section, Style, Table

if TYPE_CHECKING:
    from lastro.grid.cells import Cell, Value

T = TypeVar("T")
Convert = Callable[["np.ndarray[Any, Any]"], "list[Any]"]
"""Makes cells of some values of a column."""
FEW: Final = 5_000
"""Different values of a column that are kept as cells; of more, those of some rows are made when they are asked for."""
_ROWS_AT_ONCE: Final = 1_000


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of plain values.

    Attributes:
        codes: the place of each row's value; -1 where it has none.
        uniques: the different values, as a frame holds them.
        convert: makes cells of some of them.
        missing: the cell of a row that has no value.
    """

    codes: np.ndarray[Any, Any]
    uniques: np.ndarray[Any, Any]
    convert: Convert
    missing: Value = None

    @property
    def has_few(self) -> bool:
        """Whether most cells say what others say."""
        return len(self.uniques) <= FEW

    @cached_property
    def values(self) -> list[Value]:
        """The cell of each different value, and last of all that of none: a code is its place, -1 too."""
        return [*self.convert(self.uniques), self.missing]

    def cells(self, first: int = 0, last: int | None = None) -> list[Any]:
        """Return the cells of some rows, of all when none are named."""
        if self.has_few:
            return self.pick(self.values, first, last)
        codes = self.codes[first:last]
        cells = self.convert(self.uniques.take(codes))
        for place in np.flatnonzero(codes < 0).tolist():
            cells[place] = self.missing
        return cells

    def pick(self, values: Sequence[T], first: int = 0, last: int | None = None) -> list[T]:
        """Return for some rows what stands at the place of their value in others than `values`, made of these."""
        return list(map(values.__getitem__, self.codes[first:last].tolist()))

    def take(self, order: np.ndarray[Any, Any]) -> CodedColumn:
        """Return the column with its rows in an order of places."""
        return CodedColumn(self.codes[order], self.uniques, self.convert, self.missing)

    def part(self, first: int, last: int) -> CodedColumn:
        """Return the column of some rows; the values are shared."""
        return CodedColumn(self.codes[first:last], self.uniques, self.convert, self.missing)

    def count(self) -> list[tuple[Value, int]]:
        """Return the cells that its rows have, each once with how often, in no order that means anything."""
        places, times = np.unique(self.codes, return_counts=True)
        if self.has_few:
            cells = [self.values[place] for place in places.tolist()]
        else:
            cells = CodedColumn(places, self.uniques, self.convert, self.missing).cells()
        return list(zip(cells, times.tolist(), strict=True))


class _Made(Sequence[T]):
    """Rows that are made when they are asked for; equal to whatever has the same ones."""

    @abstractmethod
    def make(self, number: int) -> T:
        """Make a row by its number, from 0."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        """Make one row, or those of a slice."""
        numbers = range(len(self))[place]
        return self.make(numbers) if isinstance(numbers, int) else tuple(map(self.make, numbers))

    def __eq__(self, other: object) -> bool:
        """Tell whether other rows, kept in whatever way, are the same."""
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


class CodedCells(_Made["tuple[Value, ...]"]):
    """The rows of a table, of which only the columns are kept."""

    def __init__(self, columns: Sequence[CodedColumn]) -> None:
        self.columns = tuple(columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0].codes)

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        """Make row after row."""
        for first in range(0, len(self), _ROWS_AT_ONCE):
            yield from zip(*(one.cells(first, first + _ROWS_AT_ONCE) for one in self.columns), strict=True)

    def make(self, number: int) -> tuple[Value, ...]:
        """Make a row by its number, from 0."""
        return tuple(one.cells(number, number + 1)[0] for one in self.columns)

    def part(self, first: int, last: int) -> CodedCells:
        """Return some rows; they share their cells with the whole."""
        return CodedCells([one.part(first, last) for one in self.columns])


class CodedRows(_Made[Row]):
    """The rows of a section, all of them ordinary ones: no marks, no links; a few have a key."""

    def __init__(self, cells: CodedCells, keys: Mapping[int, str]) -> None:
        self.cells = cells
        self.keys = keys

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.cells)

    def __iter__(self) -> Iterator[Row]:
        """Make row after row."""
        for number, cells in enumerate(self.cells):
            yield Row(cells, key=self.keys.get(number))

    def make(self, number: int) -> Row:
        """Make a row by its number, from 0."""
        return Row(self.cells[number], key=self.keys.get(number))


def read_cells(shown: Section | Table, place: int) -> list[Value | Cell]:
    """Return the cells of one column, a row each."""
    rows = shown.rows
    if isinstance(rows, CodedRows):
        rows = rows.cells
    if isinstance(rows, CodedCells):
        return rows.columns[place].cells()
    return [row.cells[place] if isinstance(row, Row) else row[place] for row in rows]


def read_ordinary(section: Section, place: int) -> list[Value | Cell]:
    """Return the cells of one column in the rows that totals add up."""
    if isinstance(section.rows, CodedRows):
        return read_cells(section, place)
    return [row.cells[place] for row in section.rows if row.style is Style.NORMAL]


def count_figures(section: Section, place: int) -> list[tuple[Decimal | int, int]]:
    """Return the plain figures of one column, each with how many rows have it."""
    rows = section.rows
    if isinstance(rows, CodedRows):
        counted = rows.cells.columns[place].count()
        return [(value, times) for value, times in counted if type(value) is Decimal or type(value) is int]
    return [(value, 1) for row in rows if type(value := row.cells[place]) is Decimal or type(value) is int]


def find_notable(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are more than plain cells, counted from 0: with a key, or another style than the ordinary."""
    if isinstance(rows, CodedRows):
        yield from ((number, rows[number]) for number in sorted(rows.keys))
    else:
        yield from (pair for pair in enumerate(rows) if pair[1].key is not None or pair[1].style is not Style.NORMAL)


def share_cells(parts: Sequence[Section], table: Table) -> bool:
    """Tell whether sections have, one after the other, the very cells of a table, so that none can differ."""
    whole, at = table.rows, 0
    if not isinstance(whole, CodedCells):
        return False
    for part in parts:
        rows = part.rows
        if not isinstance(rows, CodedRows) or len(rows.cells.columns) != len(whole.columns):
            return False
        for own, other in zip(rows.cells.columns, whole.columns, strict=True):
            made_alike = own.uniques is other.uniques and own.convert is other.convert and own.missing == other.missing
            if not made_alike or not np.array_equal(own.codes, other.codes[at : at + len(rows)]):
                return False
        at += len(rows)
    return at == len(whole)
