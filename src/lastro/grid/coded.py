"""Rows of a long table kept by columns: each different value once, and for each row its place among them.

A list of entries or charges has up to forty cells a row, and most of them say what others say: as tuples of objects
those of a large company would be the largest thing in memory. Who walks over such rows sees them as any others; who
looks at a column takes it whole.
Belongs here: keeping cells, and reading any table or section by columns. Does not belong here: what they say.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import repeat
from operator import eq
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, overload

import numpy as np

from lastro.grid.cells import Link
from lastro.grid.model import Mark, Row, Section, Style, Table

if TYPE_CHECKING:
    from lastro.grid.cells import Cell, Value

T = TypeVar("T")
Convert = Callable[["np.ndarray[Any, Any]"], "list[Any]"]
"""Makes cells of some values of a column."""
FEW: Final = 5_000
"""Different values of a column that are kept as cells; of more, those of some rows are made when they are asked for."""
_ROWS_AT_ONCE: Final = 1_000
_NO_MARKS: Final = frozenset[Mark]()


class Figures(NamedTuple):
    """What some figures come to."""

    least: Decimal | int
    most: Decimal | int
    total: Decimal | int


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of plain values, or of what each row has beside its cells: where they lead, how it is marked.

    Attributes:
        codes: the place of each row's value; -1 where it has none.
        uniques: the different values, as a frame holds them.
        convert: makes cells of some of them.
        missing: the cell of a row that has no value.
    """

    codes: np.ndarray[Any, Any]
    uniques: np.ndarray[Any, Any]
    convert: Convert
    missing: Any = None

    @property
    def has_few(self) -> bool:
        """Whether most cells say what others say."""
        return len(self.uniques) <= FEW

    @cached_property
    def values(self) -> list[Any]:
        """The cell of each different value, and last of all that of none: a code is its place, -1 too."""
        return [*self.convert(self.uniques), self.missing]

    @cached_property
    def _held(self) -> np.ndarray[Any, Any]:
        """The same as `values`, for taking many at once."""
        held = np.empty(len(self.values), dtype=object)
        held[:] = self.values
        return held

    def cells(self, first: int = 0, last: int | None = None) -> list[Any]:
        """Return the cells of some rows, of all when none are named."""
        return self.make(self.codes[first:last])

    def make(self, codes: np.ndarray[Any, Any]) -> list[Any]:
        """Return the cells of some codes."""
        if self.has_few:
            return self._held.take(codes).tolist()  # type: ignore[no-any-return]
        cells = self.convert(self.uniques.take(codes))
        for place in np.flatnonzero(codes < 0).tolist():
            cells[place] = self.missing
        return cells

    def take(self, order: np.ndarray[Any, Any]) -> CodedColumn:
        """Return the column with its rows in an order of places."""
        return CodedColumn(self.codes[order], self.uniques, self.convert, self.missing)

    def part(self, first: int, last: int) -> CodedColumn:
        """Return the column of some rows; the values are shared."""
        return CodedColumn(self.codes[first:last], self.uniques, self.convert, self.missing)

    def count(self) -> list[tuple[Any, int]]:
        """Return the cells that its rows have, each once with how often, in no order that means anything."""
        times = np.bincount(self.codes.astype(np.intp) + 1)
        places = np.flatnonzero(times)
        return list(zip(self.make(places - 1), times[places].tolist(), strict=True))

    @cached_property
    def figures(self) -> Figures | None:
        """What the figures of its rows come to."""
        return _sum_up([(cell, times) for cell, times in self.count() if type(cell) is Decimal or type(cell) is int])


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
    """The rows of a section, all of them ordinary ones of one level.

    Attributes:
        cells: what they print, where they lead left out: the very cells of the table.
        keys: of the few rows that have one.
        label: where the label of each row leads (`Row.link`).
        links: place of a column -> where its cells lead; who prints one takes its text from the cell. A row that has
            a place among the values has a link.
        marks: what is made visible of each row (`Row.marks`).
        level: their outline level.
    """

    def __init__(
        self,
        cells: CodedCells,
        keys: Mapping[int, str] | None = None,
        *,
        label: CodedColumn | None = None,
        links: Mapping[int, CodedColumn] | None = None,
        marks: CodedColumn | None = None,
        level: int = 0,
    ) -> None:
        self.cells = cells
        self.keys = keys or {}
        self.label = label
        self.links = links or {}
        self.marks = marks
        self.level = level

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.cells)

    def __iter__(self) -> Iterator[Row]:
        """Make row after row."""
        for first in range(0, len(self), _ROWS_AT_ONCE):
            yield from self._make_some(first, min(first + _ROWS_AT_ONCE, len(self)))

    def make(self, number: int) -> Row:
        """Make a row by its number, from 0."""
        return next(self._make_some(number, number + 1))

    def _make_some(self, first: int, last: int) -> Iterator[Row]:
        columns = [one.cells(first, last) for one in self.cells.columns]
        for place, leads in self.links.items():
            columns[place] = list(map(_lead, columns[place], leads.cells(first, last)))
        labels = repeat(None) if self.label is None else self.label.cells(first, last)
        marks = repeat(_NO_MARKS) if self.marks is None else self.marks.cells(first, last)
        rows = zip(zip(*columns, strict=True), labels, marks, strict=False)
        for number, (cells, label, marked) in enumerate(rows, first):
            yield Row(cells, level=self.level, key=self.keys.get(number), link=label, marks=marked)

    def list_links(self) -> Iterator[tuple[int, int, Link]]:
        """Yield every link with the number of its row, from 0, and of its column, from 1; a label's comes first."""
        columns = [(place + 1, leads) for place, leads in sorted(self.links.items())]
        if self.label is not None:
            columns.insert(0, (1, self.label))
        for first in range(0, len(self) if columns else 0, _ROWS_AT_ONCE):
            leads = [(position, one.cells(first, first + _ROWS_AT_ONCE)) for position, one in columns]
            for number in range(len(leads[0][1])):
                for position, targets in leads:
                    if targets[number] is not None:
                        yield first + number, position, targets[number]

    def count_leading(self) -> int:
        """Count the rows of which some cell leads somewhere."""
        leading = [one.codes >= 0 for one in self.links.values()]
        return int(np.logical_or.reduce(leading).sum()) if leading else 0


def _lead(text: Any, link: Link | None) -> Value:
    return text if link is None else Link(text, link.url, link.sheet, link.key)


def detail_table(section: Section, comment: str) -> Table:
    """Turn a section kept by columns into its table, which shares its cells."""
    if not isinstance(section.rows, CodedRows):
        raise TypeError(f"section {section.name!r} is not kept by columns")
    return Table(section.name, section.columns, section.rows.cells, comment)


def read_cells(shown: Section | Table, place: int, most: int | None = None) -> list[Value | Cell]:
    """Return the cells of one column, those of the first rows or of all; of links kept by columns what they print."""
    rows = shown.rows
    if isinstance(rows, CodedRows):
        rows = rows.cells
    if isinstance(rows, CodedCells):
        return rows.columns[place].cells(0, most)
    return [row.cells[place] if isinstance(row, Row) else row[place] for row in rows[:most]]


def walk_cells(table: Table, places: Sequence[int]) -> Iterator[tuple[Value, ...]]:
    """Yield the cells of some columns row after row; what is made of them may be let go again."""
    rows = table.rows
    if isinstance(rows, CodedCells):
        return iter(CodedCells([rows.columns[place] for place in places]))
    return (tuple([row[place] for place in places]) for row in rows)


def sample_cells(section: Section, place: int, most: int) -> Iterator[tuple[int, Value | Cell]]:
    """Yield the level and the cell of one column of the first rows."""
    rows = section.rows
    levels = repeat(rows.level) if isinstance(rows, CodedRows) else (row.level for row in rows)
    return zip(levels, read_cells(section, place, most), strict=False)


def find_deepest(section: Section) -> int:
    """Return the outline level of the deepest row, 0 without rows."""
    rows = section.rows
    if isinstance(rows, CodedRows):
        return rows.level if rows else 0
    return max((row.level for row in rows), default=0)


def count_ordinary(shown: Section | Table, place: int) -> list[tuple[Value | Cell, int]]:
    """Return the cells of one column in the rows that totals add up, each with how many rows have it."""
    rows = shown.rows
    if isinstance(rows, CodedRows):
        rows = rows.cells
    if isinstance(rows, CodedCells):
        return rows.columns[place].count()
    chosen = (row for row in rows if not isinstance(row, Row) or row.style is Style.NORMAL)
    return [(row.cells[place] if isinstance(row, Row) else row[place], 1) for row in chosen]


def read_figures(section: Section, place: int) -> Figures | None:
    """Return what the plain figures of one column come to, those of every row; None where it has none."""
    rows = section.rows
    if isinstance(rows, CodedRows):
        return rows.cells.columns[place].figures
    return _sum_up([(value, 1) for row in rows if type(value := row.cells[place]) is Decimal or type(value) is int])


def _sum_up(counted: Sequence[tuple[Decimal | int, int]]) -> Figures | None:
    if not counted:
        return None
    values = [value for value, _ in counted]
    return Figures(min(values), max(values), sum([value if times == 1 else value * times for value, times in counted]))


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
