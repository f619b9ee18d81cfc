"""How sheets look that are not reports: data for pivots, a desk to type at, a memory for the program.

Belongs here: looks, widths and heights by form. Does not belong here: those of reports (`lastro.export.looks`,
`columns`, `heights`), and what stands around the rows (`lastro.export.native`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from lastro.export.columns import WIDTHS
from lastro.export.looks import BLUE, FORMATS, HEADER_FILL, RED, Line, Look
from lastro.grid.cells import INSTANTS, TEXTS, Kind
from lastro.grid.forms import Form
from lastro.grid.sections import Row
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet

HEADER_ROWS: Final[Mapping[Form, int]] = {Form.REPORT: 4, Form.DATA: 1, Form.DESK: 4, Form.MEMORY: 0}
"""Row of the header of a sheet's first table; 0 where there is none."""
PLAIN: Final = Look(colour=None, bottom=None, vertical=None)
"""A cell of which nothing is said but its size."""
FAINT: Final = "757575"
WIDE: Final = 26
"""A column of so many characters breaks its texts into lines."""
LINE_LENGTH: Final = 140
"""DESK: characters of a line of text."""
LINES_WIDTH: Final = 120
"""DESK: width of the column of lines."""
_LINE_HEIGHT, _HEADING_HEIGHT, _HEADER_HEIGHT = 13.5, 17, 32
DATA_POINTS: Final = 12.75
"""DATA: height of a row of which nothing is said."""
_MOST_LINES: Final = 12
_PER_WIDTH: Final = 1.15
_INPUT, _INPUT_HEADER = "FFF9DB", "8A6D00"
_THIN: Final[Line] = ("thin", "D9D9D9")
_DATA_HEADER: Final = replace(PLAIN, bold=True, colour="FFFFFF", fill=HEADER_FILL)
_DESK_HEADER: Final = replace(_DATA_HEADER, align="center", vertical="center", wrap=True)
_DATA_FORMATS: Final[Mapping[Kind, str]] = {
    Kind.INTEGER: "0",
    Kind.MONEY: "#,##0.00",
    Kind.DATE: FORMATS[Kind.DATE],
    Kind.TIMESTAMP: FORMATS[Kind.TIMESTAMP],
}
_DESK_CENTRED: Final = INSTANTS | {Kind.INTEGER}


def measure_form(sheet: Sheet) -> tuple[int, ...]:
    """Return the width of each column of a sheet that is not a report, in characters."""
    if sheet.setup.form is Form.MEMORY:
        return ()
    if not sheet.sections:
        return (LINES_WIDTH,)
    columns = sheet.sections[0].printed
    if sheet.setup.form is Form.DESK:
        return tuple(column.width or WIDTHS[column.kind] for column in columns)
    return tuple(column.width or max(WIDTHS[column.kind], len(column.header) + 4) for column in columns)


def header_look(form: Form, column: Column) -> Look:
    """Choose the look of a header: that of a column to type into has a colour of its own."""
    if form is Form.DATA:
        return _DATA_HEADER
    return replace(_DESK_HEADER, fill=_INPUT_HEADER) if column.input else _DESK_HEADER


def header_points(form: Form) -> float | None:
    """Return the height of a row of headers; None where the file does not set it."""
    return _HEADER_HEIGHT if form is Form.DESK else None


def cell_look(form: Form, column: Column, *, native: bool) -> Look:
    """Choose the look of the cells of a column whose values are of its kind."""
    if form is Form.MEMORY:
        return PLAIN
    if form is Form.DATA:
        number_format = _DATA_FORMATS.get(column.kind, "General")
        return replace(PLAIN, number_format=number_format, vertical=None if native else "top", wrap=not native)
    border = _THIN if column.input else None
    return replace(
        PLAIN,
        size=8 if _is_key(column) else 10,
        colour=FAINT if _is_key(column) else None,
        number_format="0" if _is_key(column) else FORMATS[column.kind],
        vertical="top",
        wrap=(column.width or 0) >= WIDE,
        align="center" if column.kind in _DESK_CENTRED else None,
        fill=_INPUT if column.input else None,
        top=border,
        bottom=border,
        left=border,
        right=border,
    )


def text_look(column: Column, look: Look, *, bad: bool) -> Look:
    """Choose the look of a text of a DESK.

    Args:
        look: that of values of the column's kind.
        bad: the text says that something is missing or wrong. Any text counts as such where the column asks for a day
            or an amount.
    """
    if column.kind is not Kind.TEXT:
        look = replace(look, number_format="General")
    if column.kind not in _DESK_CENTRED:
        # One step away from the amounts of the column before.
        look = replace(look, align="left", indent=1)
    asks = column.input is not None and column.kind not in TEXTS
    return replace(look, colour=RED) if bad or asks else look


def link_look(column: Column, look: Look, *, leads: bool) -> Look:
    """Choose the look of a link: blue and underlined where it leads somewhere, except for an id."""
    return replace(look, underline=True, colour=BLUE) if leads and not _is_key(column) else look


def text_points(text: str, *, heading: bool) -> float:
    """Return the height of a row with a text over the whole width; programs do not adapt the height by themselves."""
    lines = sum(1 + len(part) // LINE_LENGTH for part in text.split("\n"))
    return (_HEADING_HEIGHT if heading else _LINE_HEIGHT) * lines


def row_points(columns: Sequence[Column], row: Row) -> float | None:
    """Return the height of a row in which a text takes several lines; None for any other row."""
    most = 1
    for column, value in zip(columns, row.cells, strict=False):
        if (column.width or 0) >= WIDE:
            most = max(most, _count_lines(value, (column.width or 0) * _PER_WIDTH))
    return _LINE_HEIGHT * most if most > 1 else None


def _count_lines(value: object, room: float) -> int:
    if not isinstance(value, str):
        return 1
    return min(sum(1 + int(len(part) / room) for part in value.split("\n")), _MOST_LINES)


def _is_key(column: Column) -> bool:
    """Tell the column of ids by which a row that comes back is found."""
    return column.header == column.key and column.key.endswith("_id")


def write_height(points: float | None) -> str:
    """Write the attributes of a row that set its height; none for None.

    >>> write_height(13.5), write_height(None)
    (' ht="13.5" customHeight="1"', '')
    """
    return "" if points is None else f' ht="{points:g}" customHeight="1"'
