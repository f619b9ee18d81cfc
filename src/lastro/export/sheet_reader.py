"""A workbook of lastro read back as tables: what stands under which header, in which row, exact to the centavo.

The XML is read as text: a reader that makes floats of numbers would compare what it rounded. Belongs here: finding the
tables of a sheet by their looks (`looks.HEADER_FILL`), also after Excel or LibreOffice saved the file. Does not belong
here: what differs between two workbooks (`lastro.export.comparison`).
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Any, BinaryIO, Final

from lxml import etree  # type: ignore[import-untyped]

from lastro.export.layout import HEADER_ROW
from lastro.export.looks import BAND_FILL, HEADER_FILL
from lastro.grid.words import month_label

_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_HEADER_FILLS: Final = frozenset({HEADER_FILL, BAND_FILL})
_TOTAL_FILLS: Final = frozenset({"E3EAF2", "F1F5F9"})
"""Totals and subtotals (`looks.look_of`)."""
_NOTE_SIZE: Final = "9"
_TITLE_SIZE: Final = "12"
_BUILT_IN: Final = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 10: "0.00%", 14: "dd/mm/yyyy", 22: "dd/mm/yyyy hh:mm"}
_QUOTED: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_CENTAVO: Final = Decimal("0.01")
_WIDE: Final = Context(prec=400, rounding=ROUND_HALF_EVEN)
_DIGITS: Final = Context(prec=15, rounding=ROUND_HALF_EVEN)
"""Excel keeps 15 digits of a number; whoever saves a file anew may write a 16th that nobody typed."""
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - days of a sheet have no zone
_MOST_BYTES, _MOST_UNPACKED, _MOST_HELD = 200 * 10**6, 300 * 10**6, 50 * 10**6
"""Of the file, of all its parts unpacked, of a part that is not read row by row."""
_MOST_LEVELS: Final = 7
_MOST_EXPONENT: Final = 400
NO_TABLES: Final = frozenset({"dados", "cobranca"})
"""Workbooks of lastro that are no report."""

MONEY, NUMBER, ID, DAY, MOMENT, TEXT = "dinheiro", "número", "id", "data", "momento", "texto"


class UnreadableBook(Exception):
    """A workbook that cannot be compared; the text says why, in pt-BR."""


@dataclass(frozen=True, slots=True)
class Read:
    """One cell that holds something: its value by kind (money to the centavo), and the kind its format names."""

    value: Decimal | str | date
    kind: str


@dataclass(frozen=True)
class ReadRow:
    """One row of a table.

    Attributes:
        cells: header -> what stands below it; empty cells are absent.
        path: labels of the rows above it that it belongs to, by outline level.
        sums: it repeats other rows: a total, a subtotal, or the parent of rows below.
    """

    cells: Mapping[str, Read]
    path: tuple[str, ...]
    sums: bool


@dataclass(frozen=True)
class ReadTable:
    """One table of a sheet: title (empty for the first), headers in order, rows in order."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[ReadRow, ...]


@dataclass
class ReadSheet:
    """One sheet: rows 1 to 3, its tables, and what stands beside them (notes, the cover's tiles), each by its label."""

    name: str
    stamp: tuple[str, ...] = ()
    tables: list[ReadTable] = field(default_factory=list)
    loose: list[tuple[str, Read]] = field(default_factory=list)


@dataclass(frozen=True)
class ReadBook:
    """A workbook: its kind (`gerencial`, `grupo`, a scope), when it was made, and its sheets by name."""

    kind: str
    created: str
    sheets: Mapping[str, ReadSheet]


@dataclass(frozen=True, slots=True)
class _Style:
    number_format: str
    fill: str
    size: str
    bold: bool
    italic: bool


@dataclass(slots=True)
class _Row:
    number: int
    level: int
    cells: dict[int, Read]
    styles: dict[int, _Style]


def read_book(path: Path) -> ReadBook:
    """Read a workbook that lastro wrote, or that somebody saved anew.

    Raises:
        UnreadableBook: it is no such workbook, damaged, locked, or its formulas have no results.
    """
    try:
        with _open(path) as file, zipfile.ZipFile(file) as archive:
            _demand_bounds(archive)
            return _read_archive(archive)
    except UnreadableBook:
        raise
    except FileNotFoundError:
        raise UnreadableBook("o arquivo não existe") from None
    except PermissionError:
        raise UnreadableBook("sem permissão de leitura, ou aberto e bloqueado") from None
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes of the reader, it could not be compared
        raise UnreadableBook(
            f"arquivo danificado, protegido por senha ou que não é xlsx ({type(error).__name__})"
        ) from None


def _open(path: Path) -> BinaryIO:
    """Open an ordinary file of bearable size; nothing else is waited for or read."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISREG(found.st_mode):
        raise UnreadableBook(f"o arquivo tem mais de {_MOST_BYTES // 10**6} MB")
    raise UnreadableBook("é uma pasta, fila ou dispositivo, não um arquivo")


def _demand_bounds(archive: zipfile.ZipFile) -> None:
    """Refuse what unpacks to more than a workbook holds; no more is unpacked of a part than it says of itself."""
    parts = archive.infolist()
    if sum(part.file_size for part in parts) > _MOST_UNPACKED:
        raise UnreadableBook(f"descompactado, tem mais de {_MOST_UNPACKED // 10**6} MB")
    if any(part.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for part in parts):
        raise UnreadableBook("compactado de um modo que planilhas não usam")


def _read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a part that is held in memory whole; sheets are not."""
    if archive.getinfo(name).file_size > _MOST_HELD:
        raise UnreadableBook(f"{name} tem mais de {_MOST_HELD // 10**6} MB")
    return archive.read(name)


def _read_archive(archive: zipfile.ZipFile) -> ReadBook:
    names = set(archive.namelist())
    core = _parse(_read_part(archive, "docProps/core.xml")) if "docProps/core.xml" in names else None
    facts = {} if core is None else {etree.QName(item).localname: item.text or "" for item in core}
    kind, _, day = facts.get("title", "").rpartition(" ")
    if facts.get("creator") != "lastro" or not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        raise UnreadableBook("não é uma planilha do lastro (as propriedades do arquivo não dizem que é)")
    if kind in NO_TABLES:
        raise UnreadableBook(f"é um arquivo {kind}, não um relatório (gerencial, recorte ou grupo)")
    shared = []
    if "xl/sharedStrings.xml" in names:
        shared = [_text_of(item) for item in _parse(_read_part(archive, "xl/sharedStrings.xml")).iter(f"{_MAIN}si")]
    styles = _read_styles(_parse(_read_part(archive, "xl/styles.xml")))
    targets = {item.get("Id"): item.get("Target") for item in _parse(_read_part(archive, "xl/_rels/workbook.xml.rels"))}
    sheets: dict[str, ReadSheet] = {}
    for item in _parse(_read_part(archive, "xl/workbook.xml")).iter(f"{_MAIN}sheet"):
        target = targets[item.get(_RELATION)]
        part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        with archive.open(part) as stream:
            sheets[item.get("name")] = _read_sheet(item.get("name"), _rows(stream, shared, styles))
    return ReadBook(kind, facts.get("created", ""), sheets)


def _parse(content: bytes) -> Any:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def _text_of(item: Any) -> str:
    """Join the runs of a text; phonetic readings are no part of it."""
    parts = [run.text or "" for run in item.iter(f"{_MAIN}t") if etree.QName(run.getparent()).localname != "rPh"]
    return "".join(parts).replace("_x005F_", "_")


def _read_styles(root: Any) -> list[_Style]:
    formats = {int(item.get("numFmtId")): item.get("formatCode") for item in root.iter(f"{_MAIN}numFmt")}
    fonts = [
        (_attribute(font, "sz"), font.find(f"{_MAIN}b") is not None, font.find(f"{_MAIN}i") is not None)
        for font in root.find(f"{_MAIN}fonts")
    ]
    fills = [_colour(fill) for fill in root.find(f"{_MAIN}fills")]
    result = []
    for item in root.find(f"{_MAIN}cellXfs"):
        number = int(item.get("numFmtId", "0"))
        size, bold, italic = fonts[int(item.get("fontId", "0"))]
        code = formats.get(number, _BUILT_IN.get(number, "@" if number == 49 else "General"))
        result.append(_Style(code, fills[int(item.get("fillId", "0"))], size, bold, italic))
    return result


def _attribute(font: Any, name: str) -> str:
    item = font.find(f"{_MAIN}{name}")
    return "" if item is None else str(item.get("val", "")).removesuffix(".0")


def _colour(fill: Any) -> str:
    item = fill.find(f"{_MAIN}patternFill/{_MAIN}fgColor")
    return "" if item is None else str(item.get("rgb", ""))[-6:].upper()


def _rows(stream: Any, shared: list[str], styles: list[_Style]) -> Iterator[_Row]:
    number = 0
    for _, item in etree.iterparse(stream, tag=f"{_MAIN}row", resolve_entities=False, no_network=True):
        number = int(item.get("r", number + 1))
        row = _Row(number, int(item.get("outlineLevel", "0")), {}, {})
        if not 0 <= row.level <= _MOST_LEVELS:
            raise UnreadableBook(f"a linha {number} está no nível {row.level}; planilhas têm até {_MOST_LEVELS}")
        for place, cell in enumerate(item, 1):
            column = _column_number(cell.get("r")) if cell.get("r") else place
            style = row.styles[column] = styles[int(cell.get("s", "0"))]
            read = _read_cell(cell, style, shared)
            if read is not None:
                row.cells[column] = read
        yield row
        item.clear()
        while item.getprevious() is not None:
            del item.getparent()[0]


def _column_number(reference: str) -> int:
    result = 0
    for letter in reference.rstrip("0123456789"):
        result = result * 26 + ord(letter) - 64
    return result


def _read_cell(cell: Any, style: _Style, shared: list[str]) -> Read | None:
    kind, value = cell.get("t", "n"), cell.find(f"{_MAIN}v")
    if kind == "inlineStr":
        text = _text_of(cell)
        return Read(text, TEXT) if text else None
    if value is None or value.text is None:
        if cell.find(f"{_MAIN}f") is not None and kind != "str":
            raise UnreadableBook(
                f"a fórmula de {cell.get('r')} não tem resultado guardado; abra a planilha no Excel, salve e compare"
            )
        return None
    if kind == "n":
        return _read_number(value.text, style.number_format)
    return Read(shared[int(value.text)] if kind == "s" else value.text.replace("_x005F_", "_"), TEXT)


def _read_number(text: str, number_format: str) -> Read:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise UnreadableBook(f"um número da planilha não se lê: {text[:30]!r}") from None
    if abs(number.adjusted()) > _MOST_EXPONENT:
        raise UnreadableBook(f"um número da planilha não cabe em nenhuma: {text[:30]!r}")
    bare = _QUOTED.sub("", number_format)
    if "yy" in bare.lower():
        moment = _EPOCH + timedelta(seconds=round(float(number) * 86_400))  # a day, never an amount
        return Read(moment, MOMENT) if "h" in bare.lower() else Read(moment.date(), DAY)
    if "0.00" in bare and "%" not in bare:
        # Amounts have two places; a program that saved the file anew may have written 0.30000000000000004.
        return Read(number.quantize(_CENTAVO, context=_WIDE), MONEY)
    whole = number == number.to_integral_value()
    return Read(number if whole else _DIGITS.plus(number), ID if whole and bare in {"0", "@"} else NUMBER)


def show(value: Decimal | str | date) -> str:
    """Write a value as it is compared: a point before the decimals, days as dd/mm/aaaa."""
    if isinstance(value, datetime):
        return f"{value:%d/%m/%Y %H:%M}"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    return f"{value:f}" if isinstance(value, Decimal) else value


# --- tables of a sheet -----------------------------------------------------------------------------------------------


def _read_sheet(name: str, rows: Iterator[_Row]) -> ReadSheet:
    sheet = ReadSheet(name)
    table: _Table | None = None
    title, stamp = "", []
    labels: dict[int, str] = {}
    for row in rows:
        if row.number < HEADER_ROW:
            stamp += [show(each.value) for _, each in sorted(row.cells.items())]
            continue
        look = row.styles.get(1)
        if look is not None and look.fill in _HEADER_FILLS and 1 in row.cells:
            if table is not None:
                sheet.tables.append(table.close())
            table, title = _Table(row, title), ""
        elif (
            look is not None and 1 in row.cells and look.bold and look.size == _TITLE_SIZE and not look.fill.strip("0")
        ):
            title = show(row.cells[1].value)
            _add_loose(sheet, row, labels, above=1)
        elif look is not None and 1 in row.cells and look.italic and look.size == _NOTE_SIZE and len(row.cells) == 1:
            sheet.loose.append(("nota", row.cells[1]))
        elif table is not None:
            _add_loose(sheet, row, labels, above=table.width)
            table.add(row)
        else:
            _add_loose(sheet, row, labels, above=0)
    if table is not None:
        sheet.tables.append(table.close())
    sheet.stamp = tuple(stamp)
    return sheet


def _add_loose(sheet: ReadSheet, row: _Row, labels: dict[int, str], above: int) -> None:
    """Take the cells right of a table: a figure by the text above it or on its left, a text by itself."""
    left = ""
    for column, cell in sorted(row.cells.items()):
        if column <= above:
            continue
        if cell.kind == TEXT:
            left = labels[column] = show(cell.value)
            sheet.loose.append(("texto", cell))
        else:
            sheet.loose.append((labels.get(column, left), cell))


def _header(cell: Read) -> str:
    return month_label(cell.value) if isinstance(cell.value, date) else show(cell.value)


class _Table:
    """Collects the rows under a header."""

    def __init__(self, header: _Row, title: str) -> None:
        columns = sorted(column for column, look in header.styles.items() if look.fill in _HEADER_FILLS)
        self.width = columns[-1]
        names = {column: _header(header.cells[column]) for column in columns if column in header.cells}
        if len(names) == 1 and len(columns) > 1:  # a band of the cover names the block below it, not a column
            title, names = names[1], {1: "texto"}
        self.title = title
        self.names: dict[int, str] = {}
        taken: set[str] = set()
        for column in columns:
            name = wanted = " ".join(names.get(column, f"coluna {column}").split())
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted} ({number})"
            taken.add(name)
            self.names[column] = name
        self._rows: list[tuple[int, bool, dict[str, Read]]] = []

    def add(self, row: _Row) -> None:
        """Take a row, unless it is empty below the header."""
        cells = {self.names[column]: cell for column, cell in row.cells.items() if column in self.names}
        if cells:
            look = row.styles.get(1)
            self._rows.append((row.level, look is not None and look.fill in _TOTAL_FILLS, cells))

    def close(self) -> ReadTable:
        """Return the table, each row with the labels that it stands under."""
        first = next(iter(self.names.values()))
        above: list[tuple[int, str]] = []
        rows = []
        for number, (level, total, cells) in enumerate(self._rows):
            while above and above[-1][0] >= level:
                above.pop()
            below = number + 1 < len(self._rows) and self._rows[number + 1][0] > level
            rows.append(ReadRow(cells, tuple(label for _, label in above), total or below))
            above.append((level, show(cells[first].value) if first in cells else ""))
        return ReadTable(self.title, tuple(self.names.values()), tuple(rows))
