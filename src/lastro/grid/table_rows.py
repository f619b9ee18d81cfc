"""Rows of a long section, read from the columns of its table: a row is made only when somebody asks for it.

A list of entries or charges has up to forty cells a row, and as tuples of objects those of a large company would be
the largest thing in memory. Who walks over such rows sees them as any others; who looks at a column takes it whole.
Belongs here: a section as some rows of a table, and reading any section by columns. Does not belong here: what a
table keeps (`lastro.grid.storage`), sections that spread or add up what their table has (`lastro.grid.pivot`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, repeat

from lastro.grid.cells import Cell, Link, Value, inner_value, row_key
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.storage import ROWS_AT_ONCE, Array, Figures, MadeRows, StoredColumn
from lastro.grid.tables import Table

_NO_MARKS = frozenset[Mark]()


@dataclass(frozen=True, eq=False)
class Leads:
    """Where the rows of a section lead: each to a web address, or to the row of another sheet that has a given id.

    Attributes:
        targets: TEXT: the address, or the sheet; a missing one leads nowhere.
        column: the column of ids by which a row is found there (`Section.anchors`), or as TEXT that of each row; ""
            where targets are addresses.
        ids: INTEGER: the id of each row, where there is such a column; one without leads to the top of its sheet.
    """

    targets: StoredColumn
    column: str | StoredColumn = ""
    ids: StoredColumn | None = None

    def leading(self, first: int = 0, last: int | None = None) -> Array:
        """Tell which of some rows lead anywhere."""
        places: Array = self.targets.data[first:last]
        return places >= 0

    def links(self, first: int = 0, last: int | None = None) -> list[Link | None]:
        """Return the links of some rows, None where one leads nowhere."""
        targets = self.targets.part(first, last).cells()
        if self.ids is None:
            return [None if target is None else Link("", url=target) for target in targets]
        own = repeat(self.column) if isinstance(self.column, str) else self.column.part(first, last).cells()
        return [
            None if sheet is None else Link(record_id, sheet=sheet, key=_key(column, record_id))
            for sheet, record_id, column in zip(targets, self.ids.part(first, last).cells(), own, strict=False)
        ]


def _key(column: str, record_id: int | None) -> str | None:
    return None if record_id is None else row_key(column, record_id)


class TableRows(MadeRows[Row]):
    """The rows of a section, read from rows of a table; all have the ordinary style and no outline level.

    Attributes:
        columns: the stored columns of the table, cut to these rows; the links are not in them.
        keys: of the few rows that have one (`Row.key`), by number from 0.
        label: where the label of each row leads (`Row.link`).
        links: place of a column -> where its cells lead; a row that leads somewhere has a cell there.
        marks: a mark, and for each row whether it has it (`Row.marks`); None where no row has one.
    """

    def __init__(
        self,
        table: Table,
        first: int = 0,
        last: int | None = None,
        *,
        keys: Mapping[int, str] | None = None,
        label: Leads | None = None,
        links: Mapping[str, Leads] | None = None,
        marks: tuple[Mark, Array] | None = None,
    ) -> None:
        """Take the rows of a table from one number to another.

        Args:
            table: the table; the section has its columns.
            first: number of the first row, from 0.
            last: number of the row after the last one; None takes all there are.
            keys: of some rows, by number among the section's.
            label: of the section's rows.
            links: key of a column -> where it leads.
            marks: one mark and, for each row of the section, whether it has it.
        """
        self.columns = tuple(kept.part(first, last) for kept in table.data.values())
        self.keys = keys or {}
        self.label = label
        self.links = {table.place(key): leads for key, leads in (links or {}).items()}
        self.marks = marks

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0])

    def make(self, first: int, last: int) -> Iterator[Row]:
        """Make the rows from one number, counted from 0, to another."""
        columns = [kept.part(first, last).cells() for kept in self.columns]
        for place, leads in self.links.items():
            columns[place] = list(map(_lead, columns[place], leads.links(first, last)))
        labels = repeat(None) if self.label is None else self.label.links(first, last)
        rows = zip(zip(*columns, strict=True), labels, self.list_marks(first, last), strict=False)
        for index, (cells, label, marked) in enumerate(rows, first):
            yield Row(cells, key=self.keys.get(index), link=label, marks=marked)

    def list_marks(self, first: int, last: int) -> list[frozenset[Mark]]:
        """Return the marks of some rows."""
        if self.marks is None:
            return [_NO_MARKS] * (last - first)
        mark, marked = self.marks
        own = frozenset({mark})
        return [own if is_marked else _NO_MARKS for is_marked in marked[first:last].tolist()]

    def list_links(self) -> Iterator[tuple[int, int, Link]]:
        """Yield every link with the number of its row, from 0, and of its column, from 1; a label's comes first."""
        columns = [(place + 1, leads) for place, leads in sorted(self.links.items())]
        if self.label is not None:
            columns.insert(0, (1, self.label))
        for first in range(0, len(self) if columns else 0, ROWS_AT_ONCE):
            leads = [(position, column.links(first, first + ROWS_AT_ONCE)) for position, column in columns]
            for offset in range(len(leads[0][1])):
                for position, targets in leads:
                    if (link := targets[offset]) is not None:
                        yield first + offset, position, link


class StreamedRows(MadeRows[Row]):
    """Rows that stay where they are until they are written: a file may have more of them than memory should.

    Attributes:
        read: reads them anew, in order, some at a time.
    """

    def __init__(self, length: int, read: Callable[[], Iterator[TableRows]]) -> None:
        self.read = read
        self._length = length

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._length

    def make(self, first: int, last: int) -> Iterator[Row]:
        """Make the rows from one number, counted from 0, to another."""
        return islice((row for block in self.read() for row in block), first, last)


def _lead(text: Value, link: Link | None) -> Value:
    return text if link is None else Link(text, link.url, link.sheet, link.key)  # type: ignore[arg-type]


def read_cells(section: Section, place: int, most: int | None = None) -> list[Value | Cell]:
    """Return the cells of one column, in the first `most` rows or in all; those of `TableRows` have no links."""
    rows = section.rows
    if isinstance(rows, TableRows):
        return rows.columns[place].part(0, most).cells()
    return [row.cells[place] for row in rows[:most]]


def sample_cells(section: Section, place: int, most: int) -> Iterator[tuple[int, Value | Cell]]:
    """Yield the level and the cell of one column of the first rows."""
    rows = section.rows
    levels = repeat(0) if isinstance(rows, TableRows) else (row.level for row in rows)
    return zip(levels, read_cells(section, place, most), strict=False)


def find_deepest(section: Section) -> int:
    """Return the outline level of the deepest row, 0 without rows."""
    return 0 if isinstance(section.rows, TableRows) else max((row.level for row in section.rows), default=0)


def read_figures(section: Section, place: int) -> Figures | None:
    """Return least, most and sum of the plain figures of one column over all rows; None where it has none."""
    rows = section.rows
    if isinstance(rows, TableRows):
        return rows.columns[place].figures()
    values = [value for row in rows if type(value := row.cells[place]) is Decimal or type(value) is int]
    return Figures(min(values), max(values), sum(values)) if values else None


def sum_ordinary(section: Section, place: int) -> Decimal | int:
    """Add the figures of one column over the ordinary rows: subtotals, totals and memo rows do not count."""
    rows = section.rows
    if isinstance(rows, TableRows):
        figures = rows.columns[place].figures()
        return 0 if figures is None else figures.total
    cells = (row.cells[place] for row in rows if row.style is Style.NORMAL)
    return sum(value for value in map(inner_value, cells) if isinstance(value, Decimal | int))


def find_notable(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    """Yield number, from 0, and row of those that have a key or another style than the ordinary one."""
    if isinstance(rows, TableRows):
        yield from ((index, rows[index]) for index in sorted(rows.keys))
    elif not isinstance(rows, StreamedRows):
        yield from (pair for pair in enumerate(rows) if pair[1].key is not None or pair[1].style is not Style.NORMAL)
