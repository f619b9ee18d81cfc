"""The rows of a sheet as XML: head, headers, data, totals, notes.

Belongs here: which rows there are, and the cells that no table has. Does not belong here: the cells of tables
(`section_rows`), positions (`layout`), the XML of a single cell (`cells`), and everything around the rows (`xlsx`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from lastro.export import cells
from lastro.export.columns import header_text
from lastro.export.cover import Painted, find_heights
from lastro.export.forms import (
    PLAIN,
    header_look,
    header_points,
    write_height,
)
from lastro.export.heading import (
    FreeRow,
    flag_end,
    hint_text,
    list_free_rows,
    stamp_is_wrapped,
    stamp_text,
    title_text,
)
from lastro.export.heights import TITLE_POINTS, header_height, stamp_height, title_height
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
    GREY_TEXT,
    HEADER_FILL,
    RED,
    Look,
    trust_flag,
)
from lastro.export.references import resolve_references
from lastro.export.section_rows import CHUNK_ROWS, SectionWriter
from lastro.grid.cells import TEXTS, Formula, Link
from lastro.grid.cover import COVER_SHEET
from lastro.grid.forms import Form
from lastro.grid.sections import MAX_LEVEL, Row
from lastro.grid.table_rows import StreamedRows, TableRows
from lastro.grid.verdict import CONFIAVEL
from lastro.grid.workbook import Workbook

_ROW = re.compile(r'<row r="(\d+)"([^>]*?)(?:/>|>(.*?)</row>)', re.DOTALL)


def add_painted(
    rows: str,
    sheet: PlacedSheet,
    sheets: Sequence[PlacedSheet],
    links: Mapping[tuple[int, int], str],
    styles: Callable[[Look], int],
) -> str:
    """Merge the painted cells of a sheet into its rows: as new rows, or to the right of existing cells.

    Args:
        rows: the XML of those rows, in order.
        sheets: all sheets: formulas refer to them.
        links: result of `find_links` for the cover.
        styles: gives the number of a look.
    """
    written = {int(row_number): (attributes, body or "") for row_number, attributes, body in _ROW.findall(rows)}
    heights = find_heights(sheet.painted)
    for row_number, painted in groupby(sheet.painted, key=lambda cell: cell.row):
        body = "".join(_write(cell, sheets, links, styles) for cell in painted)
        points = heights.get(row_number)
        attributes, before = written.get(row_number, (write_height(points), ""))
        written[row_number] = attributes, before + body
    return "".join(
        f'<row r="{row_number}"{attributes}>{body}</row>' for row_number, (attributes, body) in sorted(written.items())
    )


def _write(
    cell: Painted, sheets: Sequence[PlacedSheet], links: Mapping[tuple[int, int], str], styles: Callable[[Look], int]
) -> str:
    """Write a cell, and the empty ones that it spans."""
    more = "".join(
        cells.empty_cell(f"{column_letter(column)}{cell.row}", styles(cell.look))
        for column in range(cell.column + 1, cell.last + 1)
    )
    return _write_value(cell, sheets, links, styles) + more


def _write_value(
    cell: Painted, sheets: Sequence[PlacedSheet], links: Mapping[tuple[int, int], str], styles: Callable[[Look], int]
) -> str:
    reference, look, value = f"{column_letter(cell.column)}{cell.row}", cell.look, cell.value
    if isinstance(value, Link):
        if (cell.row, cell.column) in links:
            look = replace(look, underline=True, colour=look.colour if look.bold else BLUE)
        value = str(value.text)
    if value is None or value == "":
        return cells.empty_cell(reference, styles(look))
    if isinstance(value, Formula):
        return cells.formula_cell(reference, styles(look), resolve_references(value.text, sheets), value.cached)
    if isinstance(value, str):
        return cells.text_cell(reference, styles(replace(look, number_format="@")), value)
    if isinstance(value, date):
        serial = cells.date_number(value)
        return (
            cells.text_cell(reference, styles(look), str(value))
            if serial is None
            else cells.number_cell(reference, styles(look), Decimal(serial))
        )
    if isinstance(value, Decimal | int):
        return cells.number_cell(reference, styles(look), value)
    raise TypeError(f"the cover cannot print a {type(value).__name__}")


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
        self._form = sheet.source.setup.form

    def chunks(self) -> Iterator[bytes]:
        """Yield the XML of all rows, in order."""
        chunks = (piece if isinstance(piece, bytes) else piece.encode() for piece in self._table_rows())
        if self.sheet.painted:
            rows = b"".join(chunks).decode()
            yield add_painted(rows, self.sheet, self._sheets, self.links, self._styles).encode()
        else:
            yield from chunks

    def _table_rows(self) -> Iterator[str | bytes]:
        yield "".join(
            self._head_rows()
            if self._form is Form.REPORT
            else map(self._free_row, list_free_rows(self.sheet, self._workbook))
        )
        for placed in self.sheet.sections:
            if placed.title_row is not None:
                look = Look(bold=True, size=12, colour=HEADER_FILL, bottom=None)
                height: float | None = TITLE_POINTS
                if self._form is not Form.REPORT:
                    look, height = replace(PLAIN, size=12, bold=True), None
                yield self._text_row(placed.title_row, placed.section.title or "", look, height=height)
            if placed.header_row:
                yield self._header_row(placed)
            if not placed.section.rows and self._form is Form.REPORT:
                yield self._text_row(
                    placed.first, placed.section.empty or EMPTY_NOTICE, Look(italic=True, colour=GREY_TEXT, bottom=None)
                )
            yield from self._data_rows(placed)
            for row_number, note in enumerate(placed.section.notes, placed.notes_row):
                yield self._text_row(row_number, note, Look(italic=True, size=9, colour=GREY_TEXT, bottom=None))
            for first in self.sheet.blocks:
                if placed.end < first <= placed.end + 2:  # a chart has a fixed size: so have the rows under it
                    yield "".join(f'<row r="{first + i}"{write_height(15)}/>' for i in range(CHART_ROWS))
        if self.sheet.folded_row is not None:
            yield f'<row r="{self.sheet.folded_row}" hidden="1"/>'

    def _text_row(self, row_number: int, text: str, look: Look, height: float | None = None) -> str:
        return self._free_row(FreeRow(row_number, ((1, text, look),), height))

    def _free_row(self, row: FreeRow) -> str:
        written = []
        for column, value, look in row.cells:
            reference, style = f"{column_letter(column)}{row.number}", self._styles(look)
            if isinstance(value, Formula):
                written.append(cells.formula_cell(reference, style, value.text, value.cached))
            else:
                written.append(cells.text_cell(reference, style, value))
        return f'<row r="{row.number}"{write_height(row.points)}>{"".join(written)}</row>'

    def _head_rows(self) -> Iterator[str]:
        stamp, source = self._workbook.stamp, self.sheet.source
        cover = source.name == COVER_SHEET
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
        yield f'<row r="1"{write_height(title_height(self.sheet))}>{"".join(row)}</row>'

        warned = stamp.trust.word != CONFIAVEL or stamp.reconstituido or stamp.extracao != "COMPLETA"
        wrapped = stamp_is_wrapped(self.sheet, stamp)
        look = Look(size=9, colour=RED if warned else GREY_TEXT, bold=bool(warned), bottom=None, wrap=wrapped)
        yield self._text_row(2, stamp_text(stamp), look, height=stamp_height(self.sheet, stamp))
        row = []
        if (3, 1) in self.links:
            link = Look(colour=BLUE, underline=True, bottom=None)
            row.append(cells.text_cell("A3", self._styles(link), f"« {COVER_SHEET}"))
        hint = hint_text(self.sheet, prints_all=self._prints_all)
        if hint:
            look = Look(italic=True, size=9, colour=GREY_TEXT, bottom=None)
            row.append(cells.text_cell(f"{beside}3", self._styles(look), hint))
        if row:
            yield f'<row r="3">{"".join(row)}</row>'

    def _header_row(self, placed: PlacedSection) -> str:
        if self._form is not Form.REPORT:
            looks = [(column.header, header_look(self._form, column)) for column in placed.section.printed]
            headers = tuple((place, text, look) for place, (text, look) in enumerate(looks, 1))
            return self._free_row(FreeRow(placed.header_row, headers, header_points(self._form)))
        parts: list[str] = []
        previous: str | None = None
        shade = False
        for index, column in enumerate(placed.section.printed):
            reference = f"{column_letter(index + 1)}{placed.header_row}"
            shade = (not shade if column.group != previous else shade) if column.group else False
            previous = column.group
            look = Look(
                align="left" if column.kind in TEXTS else "center",
                indent=1 if index and column.kind in TEXTS else 0,
                bold=True,
                colour="FFFFFF",
                fill=BAND_FILL if shade else HEADER_FILL,
                bottom=None,
                left=("thin", "FFFFFF") if index else None,
                wrap=True,
            )
            parts.append(cells.text_cell(reference, self._styles(look), header_text(column)))
        height = write_height(header_height(placed, self.sheet))
        return f'<row r="{placed.header_row}"{height}>{"".join(parts)}</row>'

    def _data_rows(self, placed: PlacedSection) -> Iterator[str | bytes]:
        body = SectionWriter(placed, self.sheet, self._sheets, self.links, self._styles)
        outline, unfolded = placed.section.outline, placed.section.open_level
        chunk: list[str] = []
        rows = placed.rows()
        if isinstance(placed.section.rows, StreamedRows):
            written = 0
            for block in placed.section.rows.read():
                yield from body.write_columns(block, written)
                written += len(block)
            return
        if isinstance(placed.section.rows, TableRows) and placed.section.detail:
            yield from body.write_columns(placed.section.rows)
            rows = iter(() if placed.total is None else ((placed.total_row, placed.total),))
        current = next(rows, None)
        while current is not None:
            row_number, row = current
            current = next(rows, None)
            below = 0 if current is None or not outline else min(current[1].level, MAX_LEVEL)
            attributes = (_outline(row, below, unfolded) if outline else "") + body.height(row)
            chunk.append(body.write_row(row_number, row, attributes))
            if len(chunk) >= CHUNK_ROWS:
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
