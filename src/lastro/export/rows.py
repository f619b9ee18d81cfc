"""The rows of a sheet as XML: head, headers, data, totals, notes.

Belongs here: which look and which XML each cell gets. Does not belong here: positions (`layout`), the XML of a single
cell (`cells`), and everything around the rows (`xlsx`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby, repeat
from typing import Any

import numpy as np

from lastro.export import cells
from lastro.export.columns import header_text
from lastro.export.heading import flag_end, hint_text, stamp_is_wrapped, stamp_text, title_text
from lastro.export.heights import TITLE_POINTS, header_height, row_height, stamp_height, text_rooms, title_height
from lastro.export.layout import (
    CHART_ROWS,
    EMPTY_NOTICE,
    PlacedSection,
    PlacedSheet,
    column_letter,
)
from lastro.export.looks import (
    BAND_FILL,
    BLUE,
    CENTRED_KINDS,
    COVER,
    FORMATS,
    GREY_TEXT,
    HEADER_FILL,
    LEFT_KINDS,
    RED,
    SITUATIONS,
    Look,
    look_of,
    number_format_of,
    tone_look,
    trust_flag,
    with_kind,
    zero_dash,
)
from lastro.export.painting import add_painted
from lastro.export.references import resolve_references
from lastro.grid.cells import YES_NO, Cell, Formula, Kind, Link, Undefined
from lastro.grid.coded import CodedRows
from lastro.grid.model import MAX_LEVEL, Column, Mark, Row, Style
from lastro.grid.words import format_date
from lastro.grid.workbook import Workbook

_CHUNK_ROWS = 1_000
_OFTEN = 5
"""A column whose values come again that often is written value by value, however many there are."""


class SheetWriter:
    """Writes the rows of one sheet as XML, a chunk at a time: memory does not grow with the sheet."""

    def __init__(
        self,
        sheet: PlacedSheet,
        sheets: Sequence[PlacedSheet],
        workbook: Workbook,
        links: Mapping[tuple[int, int], str],
        styles: Callable[[Look], int],
        *,
        prints_all: bool,
    ) -> None:
        self.sheet = sheet
        self._prints_all = prints_all
        self._sheets = sheets
        self._workbook = workbook
        self.links = links
        self._styles = styles

    def chunks(self) -> Iterator[str]:
        """Yield the XML of all rows, in order."""
        if self.sheet.painted:
            rows = "".join(self._table_rows())
            yield add_painted(rows, self.sheet, self._sheets, self.links, self._styles)
        else:
            yield from self._table_rows()

    def _table_rows(self) -> Iterator[str]:
        yield "".join(self._head_rows())
        for index, placed in enumerate(self.sheet.sections):
            if placed.title_row is not None:
                look = Look(bold=True, size=12, colour=HEADER_FILL, bottom=None)
                yield self._text_row(placed.title_row, placed.section.title or "", look, height=TITLE_POINTS)
            yield self._header_row(placed)
            if not placed.section.rows:
                yield self._text_row(
                    placed.first, placed.section.empty or EMPTY_NOTICE, Look(italic=True, colour=GREY_TEXT, bottom=None)
                )
            yield from self._data_rows(placed, cover=index == 0 and self.sheet.report.sheet == COVER)
            for number, note in enumerate(placed.section.notes, placed.notes_row):
                yield self._text_row(number, note, Look(italic=True, size=9, colour=GREY_TEXT, bottom=None))
            for first in self.sheet.blocks:
                if placed.end < first <= placed.end + 2:  # a chart has a fixed size: so have the rows under it
                    yield "".join(f'<row r="{first + i}" ht="15" customHeight="1"/>' for i in range(CHART_ROWS))
        if self.sheet.folded_row is not None:
            yield f'<row r="{self.sheet.folded_row}" hidden="1"/>'

    def _text_row(self, number: int, text: str, look: Look, height: int | None = None) -> str:
        size = f' ht="{height}" customHeight="1"' if height else ""
        return f'<row r="{number}"{size}>{cells.text_cell(f"A{number}", self._styles(look), text)}</row>'

    def _head_rows(self) -> Iterator[str]:
        stamp, report = self._workbook.stamp, self.sheet.report
        cover = report.sheet == COVER
        plain = Look(bold=True, size=12, colour=HEADER_FILL, bottom=None, wrap=True)
        flag, colour, fill = trust_flag(stamp)
        badge = Look(bold=True, size=11, colour=colour, fill=fill, align="left", indent=1, bottom=None)
        if cover:
            badge = replace(badge, colour="FFFFFF", fill=colour)
        first, last = self.sheet.flag_column, flag_end(self.sheet, stamp)
        beside = column_letter(first)
        row = [
            cells.text_cell("A1", self._styles(plain), title_text(self.sheet)),
            cells.text_cell(f"{beside}1", self._styles(badge), flag),
        ]
        row += [cells.empty_cell(f"{column_letter(c)}1", self._styles(badge)) for c in range(first + 1, last + 1)]
        yield f'<row r="1" ht="{title_height(self.sheet)}" customHeight="1">{"".join(row)}</row>'

        warned = stamp.erros or stamp.rejeitados or stamp.reconstituido or stamp.extracao != "COMPLETA"
        wrapped = stamp_is_wrapped(self.sheet, stamp)
        look = Look(size=9, colour=RED if warned else GREY_TEXT, bold=bool(warned), bottom=None, wrap=wrapped)
        yield self._text_row(2, stamp_text(stamp), look, height=stamp_height(self.sheet, stamp))
        row = []
        if (3, 1) in self.links:
            link = Look(colour=BLUE, underline=True, bottom=None)
            row.append(cells.text_cell("A3", self._styles(link), f"« {COVER}"))
        hint = hint_text(self.sheet, prints_all=self._prints_all)
        if hint:
            look = Look(italic=True, size=9, colour=GREY_TEXT, bottom=None)
            row.append(cells.text_cell(f"{beside}3", self._styles(look), hint))
        if row:
            yield f'<row r="3">{"".join(row)}</row>'

    def _header_row(self, placed: PlacedSection) -> str:
        parts: list[str] = []
        previous: str | None = None
        shade = False
        for index, column in enumerate(placed.section.printed):
            reference = f"{column_letter(index + 1)}{placed.header_row}"
            shade = (not shade if column.group != previous else shade) if column.group else False
            previous = column.group
            look = Look(
                align="left" if column.kind in LEFT_KINDS else "center",
                indent=1 if index and column.kind in LEFT_KINDS else 0,
                bold=True,
                colour="FFFFFF",
                fill=BAND_FILL if shade else HEADER_FILL,
                bottom=None,
                left=("thin", "FFFFFF") if index else None,
                wrap=True,
            )
            parts.append(cells.text_cell(reference, self._styles(look), header_text(column)))
        height = header_height(placed, self.sheet)
        return f'<row r="{placed.header_row}" ht="{height}" customHeight="1">{"".join(parts)}</row>'

    def _data_rows(self, placed: PlacedSection, *, cover: bool) -> Iterator[str]:
        body = _SectionWriter(placed, self.sheet, self._sheets, self.links, self._styles, cover=cover)
        outline, unfolded = placed.section.outline, placed.section.open_level
        chunk: list[str] = []
        rows = placed.rows()
        if isinstance(placed.section.rows, CodedRows) and placed.section.detail:
            yield from body.write_coded(placed.section.rows)
            rows = iter(() if placed.total is None else ((placed.total_row, placed.total),))
        current = next(rows, None)
        while current is not None:
            number, row = current
            current = next(rows, None)
            below = 0 if current is None or not outline else min(current[1].level, MAX_LEVEL)
            attributes = (_outline(row, below, unfolded) if outline else "") + body.height(row)
            chunk.append(body.write_row(number, row, attributes))
            if len(chunk) >= _CHUNK_ROWS:
                yield "".join(chunk)
                chunk.clear()
        yield "".join(chunk)


def _outline(row: Row, below: int, unfolded: int) -> str:
    """Return the outline attributes of a row; its summary stands above, so the row before hidden ones is collapsed."""
    level = min(row.level, MAX_LEVEL)
    text = f' outlineLevel="{level}"' if level else ""
    if level > unfolded:
        text += ' hidden="1"'
    if below > unfolded and level < below:
        text += ' collapsed="1"'
    return text


def _look_of_link(column: Column, look: Look, index: int, *, leads: bool, number: bool) -> Look:
    """Choose the look of a link in the column at an index: blue where it leads somewhere; an id is printed as one."""
    shown = number_format_of(column) if number else "@"
    linked = replace(look, align="left", number_format=shown, indent=look.indent or min(index, 1))
    return replace(linked, colour=BLUE, underline=True) if leads else linked


_Key = tuple[frozenset[Mark], bool]
"""What rows of a detail may look different by: their marks, and whether their label leads somewhere."""
_Look = list[tuple[cells.CellWriter, "np.ndarray[Any, Any] | None"]]
"""How rows of one look are written: of each column its writer, and in the place of each value that comes again what
stands between its row's number and the next cell's, None until it is written."""


class _SectionWriter:
    """Writes the cells of one section: a writer per column for each combination of row style, level and marks."""

    def __init__(
        self,
        placed: PlacedSection,
        sheet: PlacedSheet,
        sheets: Sequence[PlacedSheet],
        links: Mapping[tuple[int, int], str],
        styles: Callable[[Look], int],
        *,
        cover: bool,
    ) -> None:
        self._placed = placed
        self._section = placed.section
        self._columns = placed.section.printed
        self._letters = [column_letter(i) for i in range(1, len(self._columns) + 1)]
        self._limits = text_rooms(placed, sheet)
        self._sheets = sheets
        self._links = links
        self._styles = styles
        self._cover = cover
        self._writers: dict[tuple[Style, int, frozenset[Mark], bool], list[cells.CellWriter]] = {}

    def height(self, row: Row) -> str:
        """Return the height attribute of a row with wrapped texts."""
        height = row_height(self._placed, row, self._limits)
        return "" if height is None else f' ht="{height}" customHeight="1"'

    def write_row(self, number: int, row: Row, attributes: str) -> str:
        """Write a row."""
        key = (row.style, row.level, row.marks, row.link is not None and (number, 1) in self._links)
        writers = self._writers.get(key)
        if writers is None:
            writers = self._writers[key] = [
                self._writer(index, row, linked=key[3]) for index in range(len(self._columns))
            ]
        pieces = [write(number, value) for write, value in zip(writers, row.cells, strict=False)]  # type: ignore[arg-type]
        return str(number).join(['<row r="', f'"{attributes}><c r="{self._letters[0]}', *pieces])

    def write_coded(self, rows: CodedRows) -> Iterator[str]:
        """Write the rows of a detail by columns: a cell that comes again is written once, but for its row's number."""
        looks: dict[_Key, _Look] = {}
        pieces = np.empty((min(len(rows), _CHUNK_ROWS), len(self._columns) + 2), dtype=object)
        pieces[:, 0], pieces[:, 1] = '<row r="', f'"><c r="{self._letters[0]}'
        for first in range(0, len(rows), _CHUNK_ROWS):
            written: list[str] = []
            for start, end, key in self._find_runs(rows, first, min(first + _CHUNK_ROWS, len(rows))):
                if key not in looks:
                    looks[key] = self._prepare(rows, *key)
                for index in range(len(self._columns)):
                    pieces[: end - start, index + 2] = self._write_column(rows, looks[key], index, start, end)
                numbered = enumerate(pieces[: end - start].tolist(), self._placed.first + start)
                written += [str(number).join(row) for number, row in numbered]
            yield "".join(written)

    def _find_runs(self, rows: CodedRows, first: int, last: int) -> Iterator[tuple[int, int, _Key]]:
        """Cut some rows where another look begins: a mark makes something visible, or the label leads or does not."""
        top = self._placed.first
        marks = repeat(frozenset[Mark]()) if rows.marks is None else rows.marks.cells(first, last)
        leads = [rows.label is not None and (top + number, 1) in self._links for number in range(first, last)]
        for key, run in groupby(zip(marks, leads, strict=False)):
            end = first + sum(1 for _ in run)
            yield first, end, key
            first = end

    def _prepare(self, rows: CodedRows, marks: frozenset[Mark], linked: bool) -> _Look:  # noqa: FBT001 - of a key
        """Get ready to write rows of one look."""
        like = Row((), level=rows.level, marks=marks)
        look: _Look = []
        for index, one in enumerate(rows.cells.columns[: len(self._columns)]):
            often = one.has_few or len(one.uniques) * _OFTEN <= len(rows)
            known = np.full(len(one.uniques) + 1, None) if often else None
            look.append((self._writer(index, like, linked=linked), known))
        return look

    def _write_column(self, rows: CodedRows, look: _Look, index: int, first: int, last: int) -> list[str]:
        """Write a column of some rows of one look."""
        column, (write, known) = rows.cells.columns[index], look[index]
        if known is None:
            pieces = [write(0, value) for value in column.cells(first, last)]
        else:
            codes = column.codes[first:last]
            pieces = known.take(codes).tolist()
            if not all(pieces):
                new = [code for code in dict.fromkeys(codes.tolist()) if known[code] is None]
                for code, value in zip(new, column.make(np.array(new)), strict=True):
                    known[code] = write(0, value)
                pieces = known.take(codes).tolist()
        if index in rows.links:
            values = column.cells(first, last)
            for place in np.flatnonzero(rows.links[index].codes[first:last] >= 0).tolist():
                # Where it leads is written elsewhere; whether it does, its look shows.
                pieces[place] = write(self._placed.first + first + place, Link(values[place]))
        return pieces

    def _writer(self, index: int, row: Row, *, linked: bool) -> cells.CellWriter:
        """Return what writes of a cell all that stands between its row's number and the next cell's."""
        column, following = self._columns[index], self._letters[index + 1 : index + 2]
        after = f'<c r="{following[0]}' if following else "</row>"
        look = look_of(column, row, first=index == 0, cover=self._cover)
        if linked and index == 0:
            shown = '@" »"' if column.kind in LEFT_KINDS else look.number_format
            look = replace(look, number_format=shown, colour="0D47A1")
        other = self._other(index, column, look, after)
        style = self._styles(look)
        if column.kind is Kind.MONEY:
            return cells.money_writer(style, after, other)
        if column.kind is Kind.INTEGER:
            return cells.integer_writer(style, after, other)
        if column.kind in {Kind.DATE, Kind.MONTH}:
            return cells.date_writer(style, after, other)
        if column.kind is Kind.TIMESTAMP:
            return cells.timestamp_writer(style, after, other)
        if column.kind is Kind.TEXT and column.alert != "situacao":
            # Excel shows a "@" cell of more than 255 characters as ####; long ones are wrapped except in details.
            limit = 255 if self._section.detail else min(255, self._limits[index])
            wide = replace(
                look, wrap=not self._section.detail, number_format=look.number_format.replace("@", "General", 1)
            )
            return cells.text_writer(style, self._styles(wide), limit, after, other)
        return other

    def _other(self, index: int, column: Column, look: Look, after: str) -> cells.CellWriter:
        """Return the writer for everything that is not the plain value of the column's kind."""
        letter = self._letters[index]
        by_kind: dict[Kind, tuple[Column, Look]] = {column.kind: (column, look)}
        link_styles: dict[tuple[Kind, bool, bool], int] = {}

        def write(row: int, value: object) -> str:
            reference = f"{letter}{row}"
            return write_cell(row, reference, value).removeprefix(f'<c r="{reference}') + after

        def write_cell(row: int, reference: str, value: object) -> str:
            kind = column.kind
            if isinstance(value, Cell):
                if value.tone and isinstance(value.value, Decimal | int):
                    toned = tone_look(look, value.kind, value.tone)
                    return cells.number_cell(reference, self._styles(toned), value.value)
                kind, value = value.kind, value.value
            if kind not in by_kind:
                own = replace(column, kind=kind)
                by_kind[kind] = own, with_kind(look, own, first=index == 0)
            own, own_look = by_kind[kind]
            if isinstance(value, Link):
                key = kind, (row, index + 1) in self._links, isinstance(value.text, int)
                style = link_styles.get(key)
                if style is None:
                    link_look = _look_of_link(own, own_look, index, leads=key[1], number=key[2])
                    style = link_styles[key] = self._styles(link_look)
                text = value.text
                if isinstance(text, int):
                    return cells.number_cell(reference, style, text)
                return cells.text_cell(reference, style, text)
            return self._odd_cell(reference, own, own_look, value, first=index == 0)

        return write

    def _odd_cell(self, reference: str, column: Column, look: Look, value: object, *, first: bool) -> str:
        kind, styles = column.kind, self._styles
        if value is None or value == "":
            return cells.empty_cell(reference, styles(look))
        if isinstance(value, Undefined):
            return cells.text_cell(reference, styles(replace(look, align="right", number_format="@")), value.text)
        if isinstance(value, Formula):
            text, cached = resolve_references(value.text, self._sheets), value.cached
            if kind is Kind.PERCENT and not isinstance(cached, str):
                cached = Decimal(cached).scaleb(-2)
            return cells.formula_cell(reference, styles(look), text, cached)
        if isinstance(value, bool):
            value = YES_NO[value]
        if isinstance(value, str):
            return self._odd_text(reference, column, look, value, first=first)
        if isinstance(value, datetime | date):
            number = cells.date_number(value)
            if number is None:
                return cells.text_cell(reference, styles(replace(look, number_format="@")), format_date(value))
            own = look if kind in CENTRED_KINDS else replace(look, number_format=FORMATS[Kind.DATE])
            return f'<c r="{reference}" s="{styles(own)}"><v>{number}</v></c>'
        if isinstance(value, Decimal | int):
            return self._odd_number(reference, column, look, value)
        raise TypeError(self._complaint(column, value))

    def _odd_text(self, reference: str, column: Column, look: Look, value: str, *, first: bool) -> str:
        if column.alert == "situacao" and value in SITUATIONS:
            glyph, colour, _ = SITUATIONS[value]
            own = replace(look, number_format=f'"{glyph} "@', colour=colour, bold=True)
        elif column.kind in LEFT_KINDS:
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
        elif kind in LEFT_KINDS:
            look = replace(look, number_format="General")
        return cells.number_cell(reference, self._styles(look), value)

    def _complaint(self, column: Column, value: object) -> str:
        return (
            f"section {self._section.name!r}, column {column.header!r}: a {type(value).__name__} cannot stand in a "
            f"column of kind {column.kind.name} (money is a Decimal, never a float)"
        )
