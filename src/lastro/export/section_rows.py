"""The rows of a table as XML, row by row or by column.

Belongs here: which look and which XML each cell gets. Does not belong here: the rows around tables (`rows`), looks
(`looks`, `forms`) and the XML of a single cell (`cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from itertools import groupby, repeat
from typing import Final

import numpy as np

from lastro.export import cells
from lastro.export.cells import CellWriter
from lastro.export.forms import (
    cell_look,
    link_look,
    row_points,
    text_look,
    write_height,
)
from lastro.export.heights import row_height, text_rooms
from lastro.export.layout import (
    PlacedSection,
    PlacedSheet,
    column_letter,
)
from lastro.export.looks import (
    BLUE,
    FORMATS,
    SITUATIONS,
    Look,
    look_of,
    number_format_of,
    tone_look,
    with_kind,
    zero_dash,
)
from lastro.export.references import resolve_references
from lastro.grid.cells import INSTANTS, TEXTS, YES_NO, Cell, Formula, Kind, Link, Undefined
from lastro.grid.forms import Form
from lastro.grid.sections import Mark, Row, Style
from lastro.grid.storage import StoredColumn
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Alert, Column
from lastro.grid.words import format_date
from lastro.money import write_centavos

_ROW_BEGIN: Final = f'<row r="{cells.ROW}">'.encode()
CHUNK_ROWS: Final = 1_000
"""Rows that are written at a time."""
_Key = tuple[frozenset[Mark], bool]
"""What rows of a detail may look different by: their marks, and whether their label leads somewhere."""


FEW: Final = 5_000
"""A column with up to so many different values is written value by value."""
OFTEN: Final = 5
"""So is a column whose values each occur this often on average, however many different ones it has."""


class RepeatedColumn:
    """A stored column, split into its different values where they repeat.

    Attributes:
        column: the column.
        codes: for each row the place of its value in `different`, -1 where it is missing; None where values hardly
            repeat.
        different: the different values; empty where `codes` is None.
    """

    def __init__(self, column: StoredColumn) -> None:
        self.column = column
        codes, different = column.split()
        repeats = len(different) <= max(FEW, len(column) // OFTEN)
        self.codes = codes if repeats else None
        self.different = different if repeats else column.part(0, 0)


class ColumnWriter:
    """Writes the cells of a column in rows of one look.

    Attributes:
        cell: writes one of them; it takes amounts as centavos.
    """

    def __init__(self, repeated: RepeatedColumn, cell: CellWriter) -> None:
        self.cell = cell
        self._column = repeated
        self._known = np.array([*self._write(repeated.different), cell.write(0, None).encode()], dtype=object)

    def write(self, first: int, last: int) -> list[bytes]:
        """Write the cells of the rows from one number, counted from 0, to another; links come as plain texts."""
        if self._column.codes is None:
            return self._write(self._column.column.part(first, last))
        return self._known.take(self._column.codes[first:last]).tolist()  # type: ignore[no-any-return]

    def _write(self, column: StoredColumn) -> list[bytes]:
        return self.cell.write_all(column.data.tolist() if column.kind is Kind.MONEY else column.cells())


class SectionWriter:
    """Writes the cells of one section: a writer per column for each combination of row style, level and marks."""

    def __init__(
        self,
        placed: PlacedSection,
        sheet: PlacedSheet,
        sheets: Sequence[PlacedSheet],
        links: Mapping[tuple[int, int], str],
        styles: Callable[[Look], int],
    ) -> None:
        self._placed = placed
        self._section = placed.section
        self._columns = placed.section.printed
        self._letters = [column_letter(i) for i in range(1, len(self._columns) + 1)]
        self._form = sheet.source.setup.form
        self._limits = text_rooms(placed, sheet) if self._form is Form.REPORT else [255] * len(self._columns)
        self._sheets = sheets
        self._links = links
        self._styles = styles
        self._writers: dict[tuple[Style, int, frozenset[Mark], bool], list[cells.CellWriter]] = {}

    def height(self, row: Row) -> str:
        """Return the height attribute of a row with wrapped texts."""
        if self._form is Form.REPORT:
            return write_height(row_height(self._placed, row, self._limits))
        return write_height(row_points(self._columns, row))

    def _look(self, column: Column, row: Row, *, first: bool) -> Look:
        if self._form is Form.REPORT:
            return look_of(column, row, first=first)
        return cell_look(self._form, column, native=self._section.native)

    def write_row(self, row_number: int, row: Row, attributes: str) -> str:
        """Write a row; of a MEMORY what stands in it alone, texts and numbers without a look."""
        if self._form is Form.MEMORY:
            own = zip(self._letters, row.cells, strict=True)
            written = [
                cells.bare_cell(f"{letter}{row_number}", value) for letter, value in own if value not in (None, "")
            ]
            return f'<row r="{row_number}">{"".join(written)}</row>'
        key = (row.style, row.level, row.marks, row.link is not None and (row_number, 1) in self._links)
        writers = self._writers.get(key)
        if writers is None:
            writers = self._writers[key] = [
                self._writer(index, row, linked=key[3]) for index in range(len(self._columns))
            ]
        written = [writer.write(row_number, value) for writer, value in zip(writers, row.cells, strict=False)]
        return f'<row r="{row_number}"{attributes}>{"".join(written)}</row>'.replace(cells.ROW, str(row_number))

    def write_columns(self, rows: TableRows, before: int = 0) -> Iterator[bytes]:
        """Write rows of a detail by columns: a cell that comes again is written once.

        Args:
            rows: all rows of the section or some that follow each other.
            before: how many of its rows stand before them.
        """
        looks: dict[_Key, list[ColumnWriter]] = {}
        columns = [RepeatedColumn(column) for column in rows.columns[: len(self._columns)]]
        top, mark = self._placed.first + before, cells.ROW.encode()
        for first in range(0, len(rows), CHUNK_ROWS):
            written: list[bytes] = []
            for start, end, key in self._find_runs(rows, first, min(first + CHUNK_ROWS, len(rows)), top):
                if key not in looks:
                    looks[key] = self._prepare(columns, *key)
                pieces = [column.write(start, end) for column in looks[key]]
                for index in rows.links:
                    self._write_links(rows, index, start, top, pieces[index], looks[key][index].cell)
                rows_of_cells = zip(repeat(_ROW_BEGIN), *pieces, repeat(b"</row>"), strict=False)
                for row_number, row in enumerate(rows_of_cells, top + start):
                    written.append(b"".join(row).replace(mark, str(row_number).encode()))
            yield b"".join(written)

    def _find_runs(self, rows: TableRows, first: int, last: int, top: int) -> Iterator[tuple[int, int, _Key]]:
        """Yield runs of rows of one look: first row, row after the last, their marks and whether their label leads."""
        leads = [rows.label is not None and (top + index, 1) in self._links for index in range(first, last)]
        for key, run in groupby(zip(rows.list_marks(first, last), leads, strict=True)):
            end = first + sum(1 for _ in run)
            yield first, end, key
            first = end

    def _prepare(
        self,
        columns: Sequence[RepeatedColumn],
        marks: frozenset[Mark],
        linked: bool,  # noqa: FBT001 - of a key
    ) -> list[ColumnWriter]:
        """Return a writer for each column, for rows of one look."""
        like = Row((), marks=marks)
        return [
            ColumnWriter(column, self._writer(place, like, linked=linked, stored=True))
            for place, column in enumerate(columns)
        ]

    def _write_links(
        self, rows: TableRows, index: int, first: int, top: int, pieces: list[bytes], cell: cells.CellWriter
    ) -> None:
        """Write the cells of a column that lead somewhere again, with the look of a link; the target is not in them."""
        last = first + len(pieces)
        values = rows.columns[index].part(first, last).cells()
        for place in np.flatnonzero(rows.links[index].leading(first, last)).tolist():
            pieces[place] = cell.write(top + first + place, Link(values[place])).encode()

    def _writer(self, index: int, row: Row, *, linked: bool, stored: bool = False) -> cells.CellWriter:
        """Return the writer of a column's cells.

        Args:
            row: one of those to be written, for its look.
            linked: whether its label leads somewhere.
            stored: amounts come as centavos.
        """
        column = self._columns[index]
        look = self._look(column, row, first=index == 0)
        if linked and index == 0:
            shown = '@" »"' if column.kind in TEXTS else look.number_format
            look = replace(look, number_format=shown, colour="0D47A1")
        letter, style = self._letters[index], self._styles(look)
        plain, other = cells.PLAIN.get(column.kind, cells.plain_nothing), self._other(index, column, look)
        if self._form is Form.DESK:  # a person may have typed anything anywhere
            plain, other = cells.plain_nothing, self._desk_text(f"{letter}{cells.ROW}", column, look, other)
        elif column.alert is Alert.SITUACAO:
            plain = cells.plain_nothing
        elif column.kind is Kind.TEXT:
            # Excel shows a "@" cell of more than 255 characters as ####; long ones are wrapped except in details.
            limit = 255 if self._section.detail else min(255, self._limits[index])
            wide = replace(
                look, wrap=not self._section.detail, number_format=look.number_format.replace("@", "General", 1)
            )
            plain, other = cells.plain_text(limit), cells.long_text(letter, self._styles(wide), limit, other)
        elif stored and column.kind is Kind.MONEY:
            plain = write_centavos
        return cells.CellWriter(letter, style, column.kind, plain, other)

    def _desk_text(self, reference: str, column: Column, look: Look, other: cells.OtherWriter) -> cells.OtherWriter:
        """Return the writer of the texts of a DESK's column, red where one says that something is wrong."""

        @cache
        def style(*, bad: bool, empty: bool) -> int:
            return self._styles(text_look(replace(column, input=None) if empty else column, look, bad=bad))

        def write(row: int, value: object) -> str:
            text, bad = (value.value, value.tone == "ruim") if isinstance(value, Cell) else (value, False)
            if not isinstance(text, str):
                return other(row, value)
            style_id = style(bad=bad, empty=not text)
            return cells.text_cell(reference, style_id, text) if text else cells.empty_cell(reference, style_id)

        return write

    def _other(self, index: int, column: Column, look: Look) -> cells.OtherWriter:
        """Return the writer of all values of a column that are not plain ones of its kind."""
        reference = f"{self._letters[index]}{cells.ROW}"
        by_kind: dict[Kind, tuple[Column, Look]] = {column.kind: (column, look)}
        link_styles: dict[tuple[Kind, bool, bool], int] = {}

        def write(row: int, value: object) -> str:
            kind = column.kind
            if isinstance(value, Cell):
                if value.tone and isinstance(value.value, Decimal | int):
                    toned = tone_look(look, value.kind, value.tone)
                    return cells.number_cell(reference, self._styles(toned), value.value)
                if value.tone and self._form is Form.REPORT and isinstance(value.value, str):
                    toned = tone_look(look, Kind.TEXT, value.tone)
                    return cells.text_cell(reference, self._styles(toned), value.value)
                kind, value = value.kind, value.value
            if kind not in by_kind:
                own = replace(column, kind=kind)
                by_kind[kind] = own, with_kind(look, own, first=index == 0)
            own, own_look = by_kind[kind]
            if isinstance(value, Link):
                key = kind, (row, index + 1) in self._links, isinstance(value.text, int)
                style = link_styles.get(key)
                if style is None:
                    linked = self._look_of_link(own, own_look, index, leads=key[1], is_id=key[2])
                    style = link_styles[key] = self._styles(linked)
                text = value.text
                if isinstance(text, int):
                    return cells.number_cell(reference, style, text)
                return cells.text_cell(reference, style, text)
            return self._odd_cell(reference, own, own_look, value, first=index == 0)

        return write

    def _look_of_link(self, column: Column, look: Look, index: int, *, leads: bool, is_id: bool) -> Look:
        """Choose the look of a link in the column at an index: blue where it leads; an id is printed as one."""
        if self._form is not Form.REPORT:
            return link_look(column, look, leads=leads)
        shown = number_format_of(column) if is_id else "@"
        linked = replace(look, align="left", number_format=shown, indent=look.indent or min(index, 1))
        return replace(linked, colour=BLUE, underline=True) if leads else linked

    def _odd_cell(self, reference: str, column: Column, look: Look, value: object, *, first: bool) -> str:
        kind, styles = column.kind, self._styles
        if value is None:
            return cells.empty_cell(reference, styles(look))
        if isinstance(value, Undefined):
            return cells.text_cell(reference, styles(replace(look, align="right", number_format="@")), value.text)
        if isinstance(value, Formula):
            text = resolve_references(value.text, self._sheets)
            style = styles(_formula_look(self._form, column, look))
            return cells.formula_cell(reference, style, text, _scale(value.cached, kind))
        if isinstance(value, bool):
            value = YES_NO[value]
        if isinstance(value, str):
            return self._odd_text(reference, column, look, value, first=first)
        if isinstance(value, datetime | date):
            serial = cells.date_number(value)
            if serial is None:
                text = value.isoformat() if self._form is Form.DATA else format_date(value)
                return cells.text_cell(reference, styles(replace(look, number_format="@")), text)
            own = look if kind in INSTANTS else replace(look, number_format=FORMATS[Kind.DATE])
            return f'<c r="{reference}" s="{styles(own)}"><v>{serial}</v></c>'
        if isinstance(value, Decimal | int):
            return self._odd_number(reference, column, look, value)
        raise TypeError(self._complaint(column, value))

    def _odd_text(self, reference: str, column: Column, look: Look, value: str, *, first: bool) -> str:
        if not value:
            return cells.empty_cell(reference, self._styles(look))
        if self._form is not Form.REPORT:
            own = look
        elif column.alert is Alert.SITUACAO and value in SITUATIONS:
            glyph, colour, _ = SITUATIONS[value]
            own = replace(look, number_format=f'"{glyph} "@', colour=colour, bold=True)
        elif column.kind in TEXTS:
            own = look if len(value) <= 255 else replace(look, number_format="General")
        else:
            # In the first column it is the label of a total or memo line and may run over the empty cells beside it.
            own = replace(look, number_format="@", align="left" if first else "right")
        return cells.text_cell(reference, self._styles(own), value)

    def _odd_number(self, reference: str, column: Column, look: Look, value: Decimal | int) -> str:
        kind = column.kind
        if kind is Kind.MONEY and not isinstance(value, Decimal):
            raise TypeError(self._complaint(column, value))
        if kind is Kind.PERCENT:
            value = Decimal(value).scaleb(-2)
        if value == 0 and kind in {Kind.PERCENT, Kind.NUMBER} and not column.show_zero:
            look = replace(look, number_format=zero_dash(look.number_format))
        elif kind in TEXTS:
            look = replace(look, number_format="General")
        return cells.number_cell(reference, self._styles(look), value)

    def _complaint(self, column: Column, value: object) -> str:
        return (
            f"section {self._section.name!r}, column {column.header!r}: a {type(value).__name__} cannot stand in a "
            f"column of kind {column.kind.name} (money is a Decimal, never a float)"
        )


def _scale(cached: Decimal | int | str, kind: Kind) -> Decimal | int | str:
    """Turn percents into the fraction that a cell holds."""
    return Decimal(cached).scaleb(-2) if kind is Kind.PERCENT and not isinstance(cached, str) else cached


def _formula_look(form: Form, column: Column, look: Look) -> Look:
    return text_look(column, look, bad=False) if form is Form.DESK and column.kind is Kind.TEXT else look
