"""A workbook that openpyxl furnishes and whose rows are written past it: a cell of openpyxl's costs ten of ours.

Belongs here: what all workbooks have in common: styles by number, sheets whose rows and links are put into the parts
that openpyxl has written, the order of the parts. All that is used of openpyxl beside its documented names stands here
too: `_style` of a cell gives a look its number, `_fonts` of a book holds the standard type, `write_stylesheet` writes
the styles again once the rows are known. pyproject keeps openpyxl below 3.2; where a version breaks one of them, this
file alone changes. Does not belong here: what is in the rows, and the furniture itself.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import IO, Any, Final

import openpyxl
from openpyxl.cell.cell import Cell as Scratch
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.styles.cell_style import StyleArray
from openpyxl.styles.stylesheet import write_stylesheet
from openpyxl.utils.indexed_list import IndexedList
from openpyxl.writer.excel import ExcelWriter
from openpyxl.xml.functions import tostring

from lastro.export.archive import open_part
from lastro.export.hyperlinks import add_relationships, write_links
from lastro.export.looks import Line, Look

_SHEETS: Final = "xl/worksheets/"
_STYLES: Final = "xl/styles.xml"
_ROWS: Final = re.compile(rb"<sheetData\s*/>|<sheetData\s*>.*?</sheetData>", re.DOTALL)
_BEHIND_LINKS: Final = re.compile(rb"<printOptions|<pageMargins")
_BEHIND_ERRORS: Final = re.compile(rb"<drawing|<legacyDrawing|<tableParts|</worksheet>")


class Styles:
    """Registers looks with openpyxl and hands out their numbers.

    A book has a hundred looks of a few fonts, fills and borders: openpyxl is asked once for each of these.

    Args:
        book: the book; it has a sheet.
        standard: the look of the cells of which nothing is said, by whose type widths and heights are counted; when not
            given, what openpyxl says.
    """

    def __init__(self, book: openpyxl.Workbook, standard: Look | None) -> None:
        self._scratch_sheet = book.worksheets[0]
        self._numbers: dict[Look, int] = {}
        if standard is not None:
            book._fonts = IndexedList([_font(standard)])  # type: ignore[attr-defined] # nothing public says it
            self._numbers[standard] = 0
        self._parts: dict[tuple[object, ...], StyleArray] = {}

    def __call__(self, look: Look) -> int:
        """Return the number of a look in the book."""
        style_id = self._numbers.get(look)
        if style_id is None:
            scratch = self._take_scratch()
            style = scratch._style = StyleArray()
            font = ("font", look.size, look.bold, look.italic, look.underline, look.colour)
            style.fontId = self._register(font, lambda cell: _set_font(cell, look)).fontId
            if look.fill:
                style.fillId = self._register(("fill", look.fill), lambda cell: _set_fill(cell, look)).fillId
            border = ("border", look.top, look.bottom, look.left, look.right)
            style.borderId = self._register(border, lambda cell: _set_border(cell, look)).borderId
            alignment = ("alignment", look.align, look.vertical, look.indent, look.wrap)
            style.alignmentId = self._register(alignment, lambda cell: _set_alignment(cell, look)).alignmentId
            scratch.number_format = look.number_format
            style_id = self._numbers[look] = int(scratch.style_id)
        return style_id

    def _register(self, part: tuple[object, ...], put: Callable[[Scratch], None]) -> StyleArray:
        """Return a style that has a part of a look: the one that had it first, or a new one."""
        style = self._parts.get(part)
        if style is None:
            scratch = self._take_scratch()
            put(scratch)
            style = self._parts[part] = scratch._style
        return style

    def _take_scratch(self) -> Any:  # openpyxl's stubs do not know the style of a cell
        return Scratch(self._scratch_sheet, row=1, column=1)


def _set_font(cell: Scratch, look: Look) -> None:
    cell.font = _font(look)


def _font(look: Look) -> Font:
    return Font(
        name="Calibri",
        size=look.size,
        bold=look.bold,
        italic=look.italic,
        underline="single" if look.underline else None,
        color=look.colour,
    )


def _set_fill(cell: Scratch, look: Look) -> None:
    cell.fill = PatternFill("solid", start_color=look.fill, end_color=look.fill)


def _set_border(cell: Scratch, look: Look) -> None:
    right = None if look.right is None else _side(look.right)
    cell.border = Border(top=_side(look.top), bottom=_side(look.bottom), left=_side(look.left), right=right)


def _set_alignment(cell: Scratch, look: Look) -> None:
    cell.alignment = Alignment(
        horizontal=look.align,
        vertical=look.vertical,
        indent=look.indent,
        wrap_text=look.wrap,
    )


def _side(line: Line | None) -> Side:
    return Side() if line is None else Side(line[0], color=line[1])


@dataclass(frozen=True)
class SheetPart:
    """What is written into a sheet of the skeleton.

    Attributes:
        area: from A1 to the last used cell.
        chunks: writes the XML of all rows, in order.
        links: (row, column) -> where it leads (`write_links`); may be filled while the rows are written.
        number_texts: texts of digits are meant, so nobody is to be warned of them.
    """

    area: str
    chunks: Callable[[], Iterator[bytes]]
    links: Mapping[tuple[int, int], str]
    number_texts: bool = False


def write_parts(
    book: openpyxl.Workbook,
    stream: IO[bytes],
    sheets: Sequence[SheetPart],
    moment: datetime,
    mend: Callable[[str, bytes], bytes],
) -> None:
    """Write a workbook: openpyxl's parts, with the rows of each sheet in their place.

    Args:
        book: furnished; its sheets have no cells, and their styles are registered while rows are written.
        sheets: one for each sheet of the book, in order.
        moment: the time of every part.
        mend: puts what openpyxl cannot say into a part: (name, content) -> content; not asked for sheets and styles.
    """
    written = BytesIO()
    # As `book.save`, which would compress what is read again at once.
    ExcelWriter(book, zipfile.ZipFile(written, "w")).save()
    with zipfile.ZipFile(written) as skeleton, zipfile.ZipFile(stream, "w") as archive:
        names = [name for name in skeleton.namelist() if name != _STYLES and not name.startswith(_SHEETS)]
        for name in sorted(names, key=lambda name: name != "[Content_Types].xml"):
            with open_part(archive, name, moment) as part:
                part.write(mend(name, skeleton.read(name)))
        for number, sheet in enumerate(sheets, 1):
            _write_sheet(skeleton, archive, f"sheet{number}.xml", sheet, moment)
        # Styles are registered while rows are written, so their part comes last.
        with open_part(archive, _STYLES, moment) as part:
            part.write(tostring(write_stylesheet(book)))


def _write_sheet(
    skeleton: zipfile.ZipFile, archive: zipfile.ZipFile, name: str, sheet: SheetPart, moment: datetime
) -> None:
    """Write the part of a sheet, its rows in the place of the skeleton's, and the part that says what it refers to."""
    content, area = skeleton.read(_SHEETS + name), sheet.area.encode()
    rows = _find(_ROWS, content)
    before = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="' + area + b'"', content[: rows.start()])
    after = content[rows.end() :]
    with open_part(archive, _SHEETS + name, moment) as part:
        part.write(before + b"<sheetData>")
        for chunk in sheet.chunks():
            part.write(chunk)
        links, relationships = write_links(sheet.links)
        after = _insert(after, _BEHIND_LINKS, links)
        if sheet.number_texts:
            ignored = b'<ignoredErrors><ignoredError sqref="' + area + b'" numberStoredAsText="1"/></ignoredErrors>'
            after = _insert(after, _BEHIND_ERRORS, ignored)
        part.write(b"</sheetData>" + after)
    referring = f"{_SHEETS}_rels/{name}.rels"
    there = skeleton.read(referring) if referring in skeleton.namelist() else b""
    if there or relationships:
        with open_part(archive, referring, moment) as part:
            part.write(add_relationships(there, relationships))


def _insert(content: bytes, behind: re.Pattern[bytes], element: bytes) -> bytes:
    """Put an element before the first of those that stand behind it."""
    place = _find(behind, content).start()
    return content[:place] + element + content[place:]


def _find(wanted: re.Pattern[bytes], content: bytes) -> re.Match[bytes]:
    match = wanted.search(content)
    if match is None:
        raise ValueError(f"openpyxl wrote a sheet without {wanted.pattern!r}")
    return match


def stamp_properties(content: bytes, moment: datetime) -> bytes:
    """Put the time of the extraction, which is UTC there, where openpyxl writes the clock's."""
    when = moment.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    return re.sub(rb"(<dcterms:(?:modified|created)[^>]*>)[^<]*", rb"\g<1>" + when, content)
