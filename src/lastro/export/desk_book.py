"""A `DeskBook` as a workbook to type into: native tables, lists, links, yellow cells, and a hidden memory of itself.

The hidden sheet keeps the file's id and what was written into every cell that may be typed into, so that the next run
knows what a person changed (`lastro.desk.reader`). Does not belong here: what is on the sheets (`lastro.desk`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import IO, Final

import openpyxl
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import AutoFilter
from openpyxl.worksheet.header_footer import HeaderFooterItem
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.table import Table, TableColumn, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from lastro.entrada.typed import LIMIT
from lastro.export import cells
from lastro.export.desk_memory import DeskMemory
from lastro.export.flat import PERSONAL_NOTE
from lastro.export.heading import stamp_text
from lastro.export.hyperlinks import MAX_LINKS, MAX_URL
from lastro.export.layout import column_letter, quoted
from lastro.export.looks import BLUE, FORMATS, HEADER_FILL, RED, Line, Look
from lastro.export.skeleton import SheetPart, Styles, stamp_properties, write_parts
from lastro.export.xlsx import write_file
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.desk import (
    HEADER_ROW,
    KEYS,
    MEMORY_SHEET,
    DeskBook,
    DeskColumn,
    DeskSheet,
    DeskTable,
)
from lastro.grid.words import format_date

SCHEMES: Final = ("https://", "http://", "mailto:", "tel:")
WIDE: Final = 26
"""A column of so many characters breaks its texts into lines."""
MANY_COLUMNS: Final = 12
"""More columns on one page could not be read."""
_LINE_HEIGHT: Final = 13.5
_PER_WIDTH: Final = 1.15
LINE_LENGTH: Final = 140
"""Characters of a line of Instruções."""
GROWTH: Final = 200
"""Rows below a table in which what is typed is checked too."""
_INPUT, _INPUT_HEADER, _ALERT, _FAINT = "FFF9DB", "8A6D00", "FFCDD2", "757575"
_CENTRED: Final = frozenset({Kind.DATE, Kind.INTEGER, Kind.TIMESTAMP})
_THIN: Final[Line] = ("thin", "D9D9D9")
_BARE: Final = Look(colour=None, bottom=None, vertical=None)
_HEADER: Final = Look(
    bold=True, colour="FFFFFF", fill=HEADER_FILL, bottom=None, align="center", vertical="center", wrap=True
)


def render_desk(book: DeskBook, path: Path, most_links: int = MAX_LINKS) -> Path:
    """Write the workbook, whole or not at all; the bytes follow from the value alone.

    Args:
        book: what it says.
        path: wanted file; `_r2` ... is added where it exists.
        most_links: on one sheet; what is beyond has its text alone.

    Raises:
        StorageError: the folder is not writable or the disk is full.
    """
    return write_file(path, lambda stream: _write(book, stream, most_links))


def _write(book: DeskBook, stream: IO[bytes], most_links: int) -> None:
    moment = book.stamp.extraido_em.replace(tzinfo=None, microsecond=0)
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    placed = {sheet.name: _place_tables(sheet) for sheet in book.sheets}
    for name in (*placed, MEMORY_SHEET):
        workbook.create_sheet(name)
    memory, styles = DeskMemory(book), Styles(workbook)
    keys = {(name, key): row for name, tables in placed.items() for key, row in _find_rows(tables)}
    parts = []
    for sheet in book.sheets:
        _furnish(workbook[sheet.name], sheet, placed[sheet.name], book, memory)
        writer = _SheetWriter(sheet, placed[sheet.name], book, keys, styles, most_links)
        parts.append(SheetPart(writer.area, writer.chunks, writer.links))
    workbook[MEMORY_SHEET].sheet_state = "veryHidden"
    workbook.properties.creator = "lastro"
    workbook.properties.title = f"cobranca {book.stamp.data_base.isoformat()}"

    def mend(name: str, content: bytes) -> bytes:
        return stamp_properties(content, moment) if name == "docProps/core.xml" else content

    write_parts(workbook, stream, [*parts, SheetPart(memory.area, memory.chunks)], moment, mend)


@dataclass(frozen=True)
class _Placed:
    """A table with its place on the sheet: the row of its header."""

    table: DeskTable
    header: int

    @property
    def first(self) -> int:
        """Its first row of data."""
        return self.header + 1

    @property
    def last(self) -> int:
        """Its last row: an Excel table has one below its header, be it empty."""
        return self.header + max(len(self.table.rows), 1)


def _place_tables(sheet: DeskSheet) -> list[_Placed]:
    """Place the tables of a sheet below each other; each but the first has a blank row and its title above it."""
    placed: list[_Placed] = []
    for table in sheet.tables:
        placed.append(_Placed(table, placed[-1].last + 3 if placed else HEADER_ROW))
    return placed


def _find_rows(placed: Sequence[_Placed]) -> Iterator[tuple[str, int]]:
    """Yield the rows of a sheet by key."""
    for one in placed:
        if one.table.keyed:
            place = [column.header for column in one.table.columns].index(one.table.keyed)
            yield from ((str(row[place]), number) for number, row in enumerate(one.table.rows, one.first))


class _SheetWriter:
    """Writes the rows of one sheet; what its cells lead to is known once they are written."""

    def __init__(
        self,
        sheet: DeskSheet,
        placed: Sequence[_Placed],
        book: DeskBook,
        keys: Mapping[tuple[str, str], int],
        styles: Styles,
        most_links: int,
    ) -> None:
        self.links: dict[tuple[int, int], str] = {}
        self._sheet = sheet
        self._placed = placed
        self._book = book
        self._keys = keys
        self._styles = styles
        self._most_links = most_links

    @property
    def area(self) -> str:
        """What the sheet uses."""
        columns = max((len(one.table.columns) for one in self._placed), default=1)
        last = max([one.last for one in self._placed], default=HEADER_ROW - 1 + len(self._sheet.lines))
        return f"A1:{column_letter(columns)}{last}"

    def chunks(self) -> Iterator[str]:
        """Write head, then tables or lines."""
        yield self._head()
        for number, one in enumerate(self._placed):
            if number:
                yield self._text_row(one.header - 1, one.table.title, replace(_BARE, size=12, bold=True))
            yield "".join(self._table_rows(one))
        for number, (text, heading) in enumerate(self._sheet.lines, HEADER_ROW):
            look = replace(_BARE, size=12 if heading else 10, bold=heading, wrap=True, vertical="top")
            # No reader makes a row as tall as its text by itself.
            lines = sum(1 + len(part) // LINE_LENGTH for part in text.split("\n"))
            yield self._text_row(number, text, look, _height((17 if heading else _LINE_HEIGHT) * lines))

    def _text_row(self, number: int, text: str, look: Look, height: str = "", more: str = "") -> str:
        cell = cells.text_cell(f"A{number}", self._styles(look), text) if text else ""
        return f'<row r="{number}"{height}>{cell}{more}</row>'

    def _head(self) -> str:
        stamp, unread = self._book.stamp, len(self._book.notices)
        title = self._placed[0].table.title if self._placed else self._sheet.name
        notice = f"ATENÇÃO: {unread} arquivo(s) não lido(s); veja o fim de Histórico." if unread else ""
        counters = self._counters(self._placed[0]) if self._sheet.counter else ""
        return (
            self._text_row(1, f"{title} — {stamp.empresa}", replace(_BARE, size=14, bold=True))
            + self._text_row(2, f"{stamp_text(stamp)} · {PERSONAL_NOTE}", replace(_BARE, size=9, colour=_FAINT))
            + self._text_row(3, notice, replace(_BARE, bold=True, colour=RED), more=counters)
        )

    def _counters(self, one: _Placed) -> str:
        """Write a live counter above a column: contacted, promised, missing."""
        letters = {column.field: column_letter(place) for place, column in enumerate(one.table.columns, 1)}
        areas = {name: f"{letter}{one.first}:{letter}{one.last + GROWTH}" for name, letter in letters.items() if name}
        formulas = {
            "resultado": (f"COUNTA({areas['resultado']})", '0" contatados"'),
            "valor_prometido": (f"SUM({areas['valor_prometido']})", '"R$" #,##0.00'),
            "anotacao": (f"MAX(0,{len(one.table.rows)}-COUNTA({areas['resultado']}))", '0" faltam"'),
        }  # fmt: skip
        written = []
        for name, (formula, shown) in formulas.items():
            style = self._styles(replace(_BARE, bold=True, colour=BLUE, number_format=shown))
            written.append(f'<c r="{letters[name]}3" s="{style}"><f>{formula}</f><v/></c>')
        return "".join(written)

    def _table_rows(self, one: _Placed) -> Iterator[str]:
        """Write header and data of one table."""
        columns = one.table.columns
        letters = [column_letter(place) for place in range(1, len(columns) + 1)]
        header = "".join(
            cells.text_cell(f"{letter}{one.header}", self._styles(_header_look(column)), column.header)
            for letter, column in zip(letters, columns, strict=True)
        )
        yield f'<row r="{one.header}"{_height(32)}>{header}</row>'
        writers = [self._cell_writer(place, column) for place, column in enumerate(columns, 1)]
        rooms = [(place, column.width * _PER_WIDTH) for place, column in enumerate(columns) if column.width >= WIDE]
        for number, values in enumerate(one.table.rows, one.first):
            written = "".join([write(number, value) for write, value in zip(writers, values, strict=True)])
            lines = max([_count_lines(values[place], room) for place, room in rooms], default=1)
            yield f'<row r="{number}"{_height(_LINE_HEIGHT * lines) if lines > 1 else ""}>{written}</row>'

    def _cell_writer(self, place: int, column: DeskColumn) -> Callable[[int, Value], str]:
        """Return the writer of a column's cells: whatever a person typed comes back as it was typed."""
        letter = column_letter(place)
        plain, text, linked = (self._styles(look) for look in _looks(column))
        asks = column.field and column.kind is not Kind.TEXT
        warning = self._styles(replace(_looks(column)[1], colour=RED)) if column.warn or asks else text

        def write(row: int, value: Value) -> str:
            reference = f"{letter}{row}"
            if value is None:
                return cells.empty_cell(reference, plain)
            if value == "":
                return cells.empty_cell(reference, text)
            if isinstance(value, str):
                return cells.text_cell(reference, warning if asks or value == column.warn else text, value)
            if isinstance(value, Link):
                return cells.text_cell(reference, linked if self._link(row, place, value) else plain, str(value.text))
            if isinstance(value, date):
                number = cells.date_number(value)
                if number is None:
                    return cells.text_cell(reference, text, format_date(value))
                return cells.number_cell(reference, plain, Decimal(number))
            if isinstance(value, Decimal | int):
                return cells.number_cell(reference, plain, value)
            raise TypeError(f"column {column.header!r} cannot print a {type(value).__name__}")

        return write

    def _link(self, row: int, place: int, link: Link) -> bool:
        """Lead a cell to an address or a row; False where it leads nowhere."""
        if len(self.links) >= self._most_links:
            return False
        if link.url is not None:
            # An address is text from outside: one that is no single line of characters would break the file.
            if not link.url.lower().startswith(SCHEMES) or len(link.url) > MAX_URL or not link.url.isprintable():
                return False
            self.links[row, place] = link.url
            return True
        target = None if link.sheet is None or link.key is None else self._keys.get((link.sheet, link.key))
        if link.sheet is None or target is None:
            return False
        self.links[row, place] = f"#{quoted(link.sheet)}!A{target}"
        return True


def _height(points: float) -> str:
    return f' ht="{points:g}" customHeight="1"'


def _header_look(column: DeskColumn) -> Look:
    return replace(_HEADER, fill=_INPUT_HEADER) if column.field else _HEADER


def _looks(column: DeskColumn) -> tuple[Look, Look, Look]:
    """Choose how the cells of a column look: what is of its kind, a text, and what leads somewhere."""
    key = column.header in KEYS
    border = _THIN if column.field else None
    plain = replace(
        _BARE,
        size=8 if key else 10,
        colour=_FAINT if key else None,
        number_format="0" if key else FORMATS.get(column.kind, "General"),
        vertical="top",
        wrap=column.width >= WIDE,
        align="center" if column.kind in _CENTRED else None,
        fill=_INPUT if column.field else None,
        top=border,
        bottom=border,
        left=border,
        right=border,
    )
    text = plain
    if column.kind is not Kind.TEXT:
        text = replace(text, number_format="General")
    if column.kind not in _CENTRED:
        # One step away from the amounts of the column before.
        text = replace(text, align="left", indent=1)
    return plain, text, plain if key else replace(plain, underline=True, colour=BLUE)


def _count_lines(value: Value, room: float) -> int:
    """Count the lines of a cell: no program makes a row as tall as its text by itself."""
    if not isinstance(value, str):
        return 1
    return min(sum([1 + int(len(part) / room) for part in value.split("\n")]), 12)


# --- furniture -------------------------------------------------------------------------------------------------------


def _furnish(ws: Worksheet, sheet: DeskSheet, placed: Sequence[_Placed], book: DeskBook, memory: DeskMemory) -> None:
    """Put everything on a sheet that is not in its rows."""
    ws.sheet_properties.tabColor = sheet.colour
    ws.sheet_view.showGridLines = False
    if sheet.lines:
        ws.column_dimensions["A"].width = 120
    for place, column in enumerate(placed[0].table.columns if placed else (), 1):
        ws.column_dimensions[column_letter(place)].width = column.width
    for one in placed:
        ws.add_table(_native_table(one))
        if one.table.keyed or len(placed) == 1:
            memory.keep(sheet.name, one.table)
        if one.table.keyed:
            _invite(ws, one, book.stamp.data_base, memory)
            ws.freeze_panes = f"C{one.first}"
        elif len(placed) == 1:
            ws.freeze_panes = f"A{one.first}"
    _set_up(ws, sheet, book)


def _native_table(one: _Placed) -> Table:
    headers = [column.header for column in one.table.columns]
    area = f"A{one.header}:{column_letter(len(headers))}{one.last}"
    # With its columns named, openpyxl looks for no cells of the header.
    columns = [TableColumn(id=number, name=header) for number, header in enumerate(headers, 1)]
    native = Table(displayName=one.table.name, ref=area, tableColumns=columns, autoFilter=AutoFilter(ref=area))
    native.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
    return native


def _invite(ws: Worksheet, one: _Placed, day: date, memory: DeskMemory) -> None:
    """Say what may be typed where, and colour what needs an eye."""
    today = f"DATE({day.year},{day.month},{day.day})"
    for place, column in enumerate(one.table.columns, 1):
        if not column.field:
            continue
        letter = column_letter(place)
        area = f"{letter}{one.first}:{letter}{one.last + GROWTH}"
        rule = _validation(column, today, memory)
        if rule is not None:
            ws.add_data_validation(rule)
            rule.add(area)
        cell = f"${letter}{one.first}"
        if column.kind in (Kind.DATE, Kind.MONEY):
            _paint(ws, area, f"ISTEXT({cell})", RED, _ALERT, bold=True)  # not understood
        if column.field == "promessa":
            _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}<{today})", RED, _ALERT, bold=True)
            _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}>={today})", _FAINT, "EEEEEE", bold=False)
        elif column.field == "proximo_contato":
            _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}<={today})", "000000", "FFE082", bold=True)


def _set_up(ws: Worksheet, sheet: DeskSheet, book: DeskBook) -> None:
    """Set up how the sheet is printed."""
    ws.page_setup.orientation = "landscape"
    ws.page_setup.paperSize = 9
    ws.page_setup.fitToHeight = 0
    ws.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    ws.page_margins = PageMargins(left=0.35, right=0.35, top=0.4, bottom=0.55, header=0.2, footer=0.25)
    if any(len(table.columns) > MANY_COLUMNS for table in sheet.tables):
        # Two pages wide, the names on both.
        ws.page_setup.fitToWidth = 2
        ws.print_title_cols = "A:B"
    if len(sheet.tables) == 1:
        ws.print_title_rows = f"1:{HEADER_ROW}"
    footer = ws.oddFooter = HeaderFooterItem()
    footer.left.text = f"Data-base {format_date(book.stamp.data_base)} · {PERSONAL_NOTE}"
    footer.right.text = "página &P de &N"


def _validation(column: DeskColumn, today: str, memory: DeskMemory) -> DataValidation | None:
    """Build what a cell accepts: lists warn, dates and amounts refuse what is none."""
    if column.choices:
        rule = DataValidation("list", formula1=memory.refer(column.choices), allow_blank=True, errorStyle="warning")
        rule.error = "Fora da lista. Usar assim mesmo?"
    elif column.kind is Kind.DATE:
        rule = DataValidation("date", operator="greaterThanOrEqual", formula1=today, allow_blank=True)
        rule.error = "Digite uma data de hoje em diante, como 16/03/2026."
    elif column.kind is Kind.MONEY:
        rule = DataValidation("decimal", operator="between", formula1="0.01", formula2=str(LIMIT), allow_blank=True)
        rule.error = "Digite um valor em reais, como 1500,00."
    else:
        return None
    rule.errorTitle, rule.showErrorMessage = column.header, True
    return rule


def _paint(ws: Worksheet, area: str, formula: str, colour: str, fill: str, *, bold: bool) -> None:
    look = DifferentialStyle(font=Font(color=colour, bold=bold), fill=PatternFill(bgColor=fill, fill_type="solid"))
    ws.conditional_formatting.add(area, Rule(type="expression", dxf=look, formula=[formula], stopIfTrue=True))
