"""How a sheet is cut into A4 pages: scale, print areas, repeated rows and columns (manual: Workbook).

Belongs here: arithmetic over the placed columns. Does not belong here: where tables and charts stand (`layout`) and how
the answer is written into the file (`xlsx`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.export.columns import STANDARD_WIDTH, find_first_month, header_text, label_columns, pixels_of
from lastro.export.layout import BESIDE_PIXELS, CHART_ROWS, HEADER_ROW, PlacedSheet, column_letter
from lastro.grid.model import Printing

MIN_SCALE: Final = 60
"""No page is printed smaller than this, in percent: 10 point type stays above 6."""
MARGINS: Final = {"left": 0.3, "right": 0.3, "top": 0.4, "bottom": 0.5}
"""Inches."""
_A4: Final = (297 / 25.4, 210 / 25.4)
"""Width and height of the paper, on its side, in inches."""
ROOM_PIXELS: Final = int((_A4[0] - MARGINS["left"] - MARGINS["right"]) * 96) - 8
"""Width of the printed part at full size; eight pixels stay free for readers that round column widths up."""
_ROOM_POINTS: Final = (_A4[1] - MARGINS["top"] - MARGINS["bottom"]) * 72
_ROW_POINTS: Final = 15
_HEAD_COLUMNS: Final = 6


@dataclass(frozen=True)
class Pages:
    """How a sheet is printed.

    Attributes:
        scale: percent.
        areas: ranges, each beginning a page, in printing order.
        rows: last of the rows that every page repeats.
        columns: how many columns every page repeats, 0 for none.
        breaks: rows below which a page ends.
    """

    scale: int
    areas: tuple[str, ...]
    rows: int
    columns: int
    breaks: tuple[int, ...] = ()


def has_one_header(sheet: PlacedSheet) -> bool:
    """Tell whether the header in row 4 is that of everything below it, so that it may be frozen and repeated.

    It is where there is one table, and where the others have the first one's columns beside another label.
    """
    if sheet.report.cover is not None:
        return False
    first, *others = ([header_text(one) for one in placed.section.printed] for placed in sheet.sections)
    return all(len(other) > 0 and other[1:] == first[1 : len(other)] for other in others)


def frozen_columns(sheet: PlacedSheet) -> int:
    """Count the columns of labels that stay in sight, none where tables of different shape stand on one sheet."""
    if not has_one_header(sheet):
        return 0
    columns = sheet.sections[0].section.printed
    labels = label_columns(columns)
    return labels if len(columns) > labels else 0


def plan_pages(sheet: PlacedSheet, data_base: date) -> Pages:
    """Cut a sheet into pages.

    A sheet by months prints from six closed months on, what does not fit on a second page; any other one as many
    columns as fit. Labels are repeated beside them, headers only where they belong to every row. A chart far to the
    right of a wide table is for the screen.
    """
    if sheet.report.printing is Printing.NONE:
        head = column_letter(max(min(_HEAD_COLUMNS, sheet.columns), 2))
        return Pages(_scale_of(sum(_pixels(sheet)[:_HEAD_COLUMNS])), (f"A1:{head}{HEADER_ROW - 1}",), HEADER_ROW - 2, 0)
    rows = HEADER_ROW if has_one_header(sheet) else HEADER_ROW - 2
    pixels, labels = _pixels(sheet), frozen_columns(sheet)
    groups = _cut(pixels, labels, _find_first_month(sheet, data_base))
    end = sheet.last_row
    if sheet.report.printing is Printing.FIRST_PAGE:
        del groups[1:]
    first = groups[0][0]
    scale = _scale_of(max(sum(pixels[:labels]) + sum(pixels[max(begin, labels) : last]) for begin, last in groups))
    scale = _fit_height(sheet, scale)
    breaks = _find_breaks(sheet, scale)
    if sheet.report.printing is Printing.FIRST_PAGE:
        end, breaks = min(end, _find_last_row(sheet, scale)), ()
        # A chart is printed whole or not at all.
        end = min([end, *(first - 1 for first in sheet.blocks if first <= end < first + CHART_ROWS - 1)])
    areas = tuple(f"{column_letter(begin + 1)}1:{column_letter(last)}{end}" for begin, last in groups)
    return Pages(scale, areas, rows, labels if len(groups) > 1 or first else 0, breaks)


def _scale_of(pixels: int) -> int:
    return max(min(100, ROOM_PIXELS * 100 // max(pixels, 1)), MIN_SCALE)


def _rows_of_page(scale: int) -> int:
    return int(_ROOM_POINTS * 100 / scale / _ROW_POINTS)


def _find_last_row(sheet: PlacedSheet, scale: int) -> int:
    """Return the last row of the first page: each table above it takes two rows' room more than it has rows."""
    heads = [one.title_row or one.header_row for one in sheet.sections]
    end = room = _rows_of_page(scale) - 2
    while end + 2 * sum(head <= end for head in heads) > room:
        end -= 1
    return end


def _fit_height(sheet: PlacedSheet, scale: int) -> int:
    """Print smaller where that saves a page, or where only the first one is printed and holds more then."""
    # Headers, titles and wrapped notes are taller than a row of data.
    rows = sheet.last_row + 1 + len(sheet.sections)
    pages = 1 if sheet.report.printing is Printing.FIRST_PAGE else -(-rows // _rows_of_page(MIN_SCALE))
    while scale > MIN_SCALE and -(-rows // _rows_of_page(scale)) > pages:
        scale -= 1
    return scale


def _pixels(sheet: PlacedSheet) -> list[int]:
    """Return the width of each column that is printed, those under a chart beside the table included."""
    pixels = [0 if hidden else pixels_of(width) for width, hidden in zip(sheet.widths, sheet.hidden, strict=True)]
    beside = sum(pixels) <= BESIDE_PIXELS
    right = max((chart.last_column for chart in sheet.charts if beside or chart.row in sheet.blocks), default=0)
    return pixels + [pixels_of(STANDARD_WIDTH)] * (max(right, 2) - len(pixels))


def _find_first_month(sheet: PlacedSheet, data_base: date) -> int:
    """Return the column with which the printed months begin; 0: not a sheet by months."""
    if not has_one_header(sheet):
        return 0
    return find_first_month(sheet.sections[0].section.printed, data_base)


def _cut(pixels: Sequence[int], labels: int, begin: int) -> list[tuple[int, int]]:
    """Cut columns into pages, as few as the smallest scale allows; those before `begin` stay on the screen."""
    room = ROOM_PIXELS * 100 // MIN_SCALE
    if sum(pixels) <= room:
        return [(0, len(pixels))]
    room -= sum(pixels[:labels])
    first = max(begin, labels)
    pages: list[tuple[int, int]] = []
    start = first
    for index in range(first, len(pixels)):
        if sum(pixels[start : index + 1]) > room and index > start:
            pages.append((start, index))
            start = index
    pages.append((start, len(pixels)))
    return [(0, pages[0][1]), *pages[1:]] if first == labels else pages


def _find_breaks(sheet: PlacedSheet, scale: int) -> tuple[int, ...]:
    """Break before what the end of a page would cut: a block of charts, the first rows of a table."""
    room = _rows_of_page(scale) - 1
    breaks: list[int] = []
    top = 1
    blocks = [(first, CHART_ROWS) for first in sheet.blocks]
    heads = [(one.title_row or one.header_row, min(len(one.section.rows) + 3, 12)) for one in sheet.sections]
    for first, height in sorted(blocks + heads):
        if first <= top:
            continue
        while first - top >= room:
            top += room
        if first + height - top > room:
            breaks.append(first - 1)
            top = first
    return tuple(breaks)
