"""A `DeskBook` as a workbook to type into: native tables, lists, links, yellow cells, and a hidden memory of itself.

The hidden sheet keeps the file's id and what was written into every cell that may be typed into, so that the next run
knows what a person changed (`lastro.export.desk_reader`). Does not belong here: what is on the sheets (`lastro.desk`).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from copy import copy
from io import BytesIO
from pathlib import Path
from typing import IO, Final

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.styles.cell_style import StyleArray
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.header_footer import HeaderFooterItem
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.table import Table, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from lastro.export.archive import open_part
from lastro.export.cells import clean_text
from lastro.export.flat import PERSONAL_NOTE
from lastro.export.heading import stamp_text
from lastro.export.layout import column_letter, quoted
from lastro.export.looks import BLUE, FORMATS, HEADER_FILL, RED
from lastro.export.xlsx import stamp_properties, write_file
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.desk import BLANK, KEYS, DeskBook, DeskColumn, DeskSheet, DeskTable, write_text
from lastro.grid.words import format_date

MEMORY_SHEET: Final = "_lastro"
MARK: Final = "lastro-cobranca"
MAX_LINKS: Final = 65_530
"""Most links that Excel takes on one sheet; what is beyond has its text alone."""
MAX_ADDRESS: Final = 2_079
SCHEMES: Final = ("https://", "http://", "mailto:", "tel:")
HEADER_ROW: Final = 4
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
_THIN: Final = Side("thin", color="D9D9D9")


def render_desk(book: DeskBook, path: Path) -> Path:
    """Write the workbook, whole or not at all; the bytes follow from the value alone.

    Raises:
        StorageError: the folder is not writable or the disk is full.
    """
    return write_file(path, lambda stream: _write(book, stream))


def _write(book: DeskBook, stream: IO[bytes]) -> None:
    moment = book.stamp.extraido_em.replace(tzinfo=None, microsecond=0)
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    places = {(sheet.name, key): row for sheet in book.sheets for key, row in _find_rows(sheet)}
    memory = _Memory(book)
    for sheet in book.sheets:
        _SheetWriter(workbook.create_sheet(sheet.name), sheet, book, places, memory).write()
    memory.write(workbook.create_sheet(MEMORY_SHEET))
    workbook.properties.creator = "lastro"
    workbook.properties.title = f"cobranca {book.stamp.data_base.isoformat()}"
    skeleton = BytesIO()
    workbook.save(skeleton)
    with zipfile.ZipFile(skeleton) as parts, zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(parts.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            content = parts.read(name)
            with open_part(archive, name, moment) as part:
                part.write(stamp_properties(content, moment) if name == "docProps/core.xml" else content)


def _find_rows(sheet: DeskSheet) -> Iterator[tuple[str, int]]:
    """Yield the rows of a sheet by key."""
    for table in sheet.tables:
        if table.keyed:
            place = [column.header for column in table.columns].index(table.keyed)
            yield from ((str(row[place]), number) for number, row in enumerate(table.rows, HEADER_ROW + 1))


class _Memory:
    """What the hidden sheet holds: the mark and id, headers of each sheet, lists, and each row as it was written."""

    def __init__(self, book: DeskBook) -> None:
        self._rows: list[tuple[str, ...]] = [(MARK, book.arquivo_id)]
        self._lists: dict[tuple[str, ...], str] = {}

    def keep(self, sheet: str, table: DeskTable) -> None:
        """Keep the headers of a keyed table and what stands in its cells."""
        headers = [column.header for column in table.columns]
        key = headers.index(table.keyed)
        inputs = {column.field: place for place, column in enumerate(table.columns) if column.field}
        kinds = {column.field: column.kind for column in table.columns if column.field}
        self._rows.append(("colunas", sheet, *headers))
        for row, label in zip(table.rows, table.labels, strict=True):
            texts = [write_text(row[inputs[name]], kinds[name]) for name in BLANK]
            self._rows.append(("linha", KEYS[table.keyed], str(row[key]), label, *texts))

    def refer(self, choices: tuple[str, ...]) -> str:
        """Keep a list and return the formula of its cells."""
        if choices not in self._lists:
            column = column_letter(30 + len(self._lists))
            self._lists[choices] = f"{MEMORY_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    def write(self, ws: Worksheet) -> None:
        """Write the sheet, which no menu shows."""
        for number, texts in enumerate(self._rows, 1):
            for place, text in enumerate(texts, 1):
                if text:
                    _put_text(ws.cell(number, place), text)
        for place, choices in enumerate(self._lists, 30):
            for number, text in enumerate(choices, 1):
                _put_text(ws.cell(number, place), text)
        ws.sheet_state = "veryHidden"


def _put_text(cell: Cell | MergedCell, text: str) -> None:
    """Write a text as a text, whatever it begins with."""
    cell.value = clean_text(text)
    cell.data_type = "s"


class _SheetWriter:
    """Writes one sheet."""

    def __init__(
        self,
        ws: Worksheet,
        sheet: DeskSheet,
        book: DeskBook,
        places: Mapping[tuple[str, str], int],
        memory: _Memory,
    ) -> None:
        self._ws = ws
        self._sheet = sheet
        self._book = book
        self._places = places
        self._memory = memory
        self._links = 0
        self._styles: dict[tuple[DeskColumn, str, bool], StyleArray] = {}

    def write(self) -> None:
        """Write head, tables or lines, and the print setup."""
        ws = self._ws
        ws.sheet_properties.tabColor = self._sheet.colour
        ws.sheet_view.showGridLines = False
        title = self._sheet.tables[0].title if self._sheet.tables else self._sheet.name
        _put_text(ws["A1"], f"{title} — {self._book.stamp.empresa}")
        ws["A1"].font = Font(name="Calibri", size=14, bold=True)
        _put_text(ws["A2"], f"{stamp_text(self._book.stamp)} · {PERSONAL_NOTE}")
        ws["A2"].font = Font(name="Calibri", size=9, color=_FAINT)
        if self._book.notices:
            _put_text(ws["A3"], f"ATENÇÃO: {len(self._book.notices)} arquivo(s) não lido(s); veja o fim de Histórico.")
            ws["A3"].font = Font(name="Calibri", size=10, bold=True, color=RED)
        row = HEADER_ROW
        for number, table in enumerate(self._sheet.tables):
            if number:
                _put_text(ws.cell(row, 1), table.title)
                ws.cell(row, 1).font = Font(name="Calibri", size=12, bold=True)
                row += 1
            row = self._write_table(table, row) + 2
        for number, (text, heading) in enumerate(self._sheet.lines, HEADER_ROW):
            cell = ws.cell(number, 1)
            _put_text(cell, text)
            cell.font = Font(name="Calibri", size=12 if heading else 10, bold=heading)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            # No reader makes a row as tall as its text by itself.
            rows = sum(1 + len(part) // LINE_LENGTH for part in text.split("\n"))
            ws.row_dimensions[number].height = (17 if heading else _LINE_HEIGHT) * rows
        if self._sheet.lines:
            ws.column_dimensions["A"].width = 120
        self._set_up()

    def _write_table(self, table: DeskTable, header: int) -> int:
        """Write one table; returns its last row."""
        ws, first = self._ws, header + 1
        for place, column in enumerate(table.columns, 1):
            cell = ws.cell(header, place)
            _put_text(cell, column.header)
            cell.font = Font(name="Calibri", size=10, bold=True, color="FFFFFF")
            cell.fill = _solid(_INPUT_HEADER if column.field else HEADER_FILL)
            cell.alignment = Alignment(wrap_text=True, vertical="center", horizontal="center")
            if header == HEADER_ROW:
                ws.column_dimensions[column_letter(place)].width = column.width
        ws.row_dimensions[header].height = 32
        for number, values in enumerate(table.rows, first):
            for place, (column, value) in enumerate(zip(table.columns, values, strict=True), 1):
                self._write_cell(ws.cell(number, place), column, value)
            lines = max(_count_lines(value, column) for column, value in zip(table.columns, values, strict=True))
            if lines > 1:
                ws.row_dimensions[number].height = _LINE_HEIGHT * lines
        last = first + max(len(table.rows), 1) - 1
        area = f"A{header}:{column_letter(len(table.columns))}{last}"
        native = Table(displayName=table.name, ref=area)
        native.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
        ws.add_table(native)
        if table.keyed:
            self._memory.keep(self._sheet.name, table)
            self._invite(table, first, last)
            ws.freeze_panes = f"C{first}"
        elif len(self._sheet.tables) == 1:
            ws.freeze_panes = f"A{first}"
        return last

    def _write_cell(self, cell: Cell | MergedCell, column: DeskColumn, value: Value) -> None:
        tone = ""
        if isinstance(value, Link):
            _put_text(cell, str(value.text))
            if self._link(cell, value):
                tone = "link"
        elif isinstance(value, str):
            _put_text(cell, value)
            if column.warn and value == column.warn:
                tone = "warn"
        elif value is not None:
            cell.value = value  # type: ignore[assignment]
        # openpyxl looks up five parts of a style for each cell: a look is put together once.
        key = (column, tone, isinstance(value, str))
        style = self._styles.get(key)
        if style is None:
            _dress(cell, column, tone, text=key[2])
            self._styles[key] = cell._style  # type: ignore[union-attr]
        else:
            cell._style = copy(style)  # type: ignore[union-attr]

    def _link(self, cell: Cell | MergedCell, link: Link) -> bool:
        """Lead a cell to an address or a row; False where it leads nowhere."""
        if self._links >= MAX_LINKS:
            return False
        if link.url is not None:
            if not link.url.lower().startswith(SCHEMES) or len(link.url) > MAX_ADDRESS:
                return False
            cell.hyperlink = link.url
        elif link.sheet is not None and link.key is not None:
            row = self._places.get((link.sheet, link.key))
            if row is None:
                return False
            cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"{quoted(link.sheet)}!A{row}")
        else:
            return False
        self._links += 1
        return True

    def _invite(self, table: DeskTable, first: int, last: int) -> None:
        """Say what may be typed where, and colour what needs an eye."""
        ws, day = self._ws, self._book.stamp.data_base
        today = f"DATE({day.year},{day.month},{day.day})"
        for place, column in enumerate(table.columns, 1):
            if not column.field:
                continue
            letter = column_letter(place)
            area = f"{letter}{first}:{letter}{last + GROWTH}"
            rule = _validation(column, today, self._memory)
            if rule is not None:
                ws.add_data_validation(rule)
                rule.add(area)
            cell = f"${letter}{first}"
            if column.field == "promessa":
                _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}<{today})", RED, _ALERT, bold=True)
                _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}>={today})", _FAINT, "EEEEEE", bold=False)
            elif column.field == "proximo_contato":
                _paint(ws, area, f"AND(ISNUMBER({cell}),{cell}<={today})", "000000", "FFE082", bold=True)
            if self._sheet.counter:
                self._count(column, letter, first, last + GROWTH, len(table.rows))

    def _count(self, column: DeskColumn, letter: str, first: int, last: int, rows: int) -> None:
        """Write a live counter above a column: contacted, promised, missing."""
        area = f"{letter}{first}:{letter}{last}"
        result = _letter_of_result(self._sheet)
        contacted = f"{result}{first}:{result}{last}"
        formulas = {
            "resultado": (f"=COUNTA({area})", '0" contatados"'),
            "valor_prometido": (f"=SUM({area})", '"R$" #,##0.00'),
            "anotacao": (f"=MAX(0,{rows}-COUNTA({contacted}))", '0" faltam"'),
        }  # fmt: skip
        if column.field in formulas:
            cell = self._ws[f"{letter}3"]
            cell.value, cell.number_format = formulas[column.field]
            cell.font = Font(name="Calibri", size=10, bold=True, color=BLUE)

    def _set_up(self) -> None:
        ws = self._ws
        ws.page_setup.orientation = "landscape"
        ws.page_setup.paperSize = 9
        ws.page_setup.fitToHeight = 0
        ws.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        ws.page_margins = PageMargins(left=0.35, right=0.35, top=0.4, bottom=0.55, header=0.2, footer=0.25)
        if any(len(table.columns) > MANY_COLUMNS for table in self._sheet.tables):
            # Two pages wide, the names on both.
            ws.page_setup.fitToWidth = 2
            ws.print_title_cols = "A:B"
        if len(self._sheet.tables) == 1:
            ws.print_title_rows = f"1:{HEADER_ROW}"
        footer = ws.oddFooter = HeaderFooterItem()
        footer.left.text = f"Data-base {format_date(self._book.stamp.data_base)} · {PERSONAL_NOTE}"
        footer.right.text = "página &P de &N"


def _dress(cell: Cell | MergedCell, column: DeskColumn, tone: str, *, text: bool) -> None:
    """Give a cell its look."""
    if column.header in KEYS:
        cell.font = Font(name="Calibri", size=8, color=_FAINT)
    elif tone == "link":
        cell.font = Font(name="Calibri", size=10, underline="single", color=BLUE)
    else:
        cell.font = Font(name="Calibri", size=10, color=RED if tone == "warn" else None)
    cell.number_format = "0" if column.header in KEYS else FORMATS.get(column.kind, "General")
    if text and column.kind is not Kind.TEXT:
        cell.number_format = "General"
    cell.alignment = Alignment(
        vertical="top",
        wrap_text=column.width >= WIDE or None,
        horizontal="center" if column.kind in _CENTRED else None,
    )
    if column.field:
        cell.fill = _solid(_INPUT)
        cell.border = Border(left=_THIN, right=_THIN, top=_THIN, bottom=_THIN)


def _count_lines(value: Value, column: DeskColumn) -> int:
    """Count the lines of a cell: no program makes a row as tall as its text by itself."""
    if not isinstance(value, str) or column.width < WIDE:
        return 1
    return min(sum(1 + int(len(part) / (column.width * _PER_WIDTH)) for part in value.split("\n")), 12)


def _letter_of_result(sheet: DeskSheet) -> str:
    """Name the column of Resultado."""
    return column_letter([column.field for column in sheet.tables[0].columns].index("resultado") + 1)


def _validation(column: DeskColumn, today: str, memory: _Memory) -> DataValidation | None:
    """Build what a cell accepts: lists warn, dates and amounts refuse what is none."""
    if column.choices:
        rule = DataValidation("list", formula1=memory.refer(column.choices), allow_blank=True, errorStyle="warning")
        rule.error = "Fora da lista. Usar assim mesmo?"
    elif column.kind is Kind.DATE:
        rule = DataValidation("date", operator="greaterThanOrEqual", formula1=today, allow_blank=True)
        rule.error = "Digite uma data de hoje em diante, como 16/03/2026."
    elif column.kind is Kind.MONEY:
        rule = DataValidation("decimal", operator="greaterThan", formula1="0", allow_blank=True)
        rule.error = "Digite um valor em reais, como 1500,00."
    else:
        return None
    rule.errorTitle, rule.showErrorMessage = column.header, True
    return rule


def _paint(ws: Worksheet, area: str, formula: str, colour: str, fill: str, *, bold: bool) -> None:
    look = DifferentialStyle(font=Font(color=colour, bold=bold), fill=PatternFill(bgColor=fill, fill_type="solid"))
    ws.conditional_formatting.add(area, Rule(type="expression", dxf=look, formula=[formula], stopIfTrue=True))


def _solid(colour: str) -> PatternFill:
    return PatternFill("solid", start_color=colour, end_color=colour)
