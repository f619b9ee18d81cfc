"""How a sheet is cut into A4 pages: scale, print areas, repeated rows and columns (manual: Planilha).

Belongs here: arithmetic over the placed rows and columns. Does not belong here: where tables and charts stand
(`layout`), how high rows are (`heights`) and how the answer is written into the file (`xlsx`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lastro.export.columns import STANDARD_WIDTH, label_columns, pixels_of
from lastro.export.heights import ROW_POINTS, list_heights
from lastro.export.layout import BESIDE_PIXELS, CHART_ROWS, HEADER_ROW, PlacedSheet, column_letter
from lastro.grid.sections import SCREEN_ONLY
from lastro.grid.workbook import Printing, Stamp

MIN_SCALE: Final = 60
"""No page is printed smaller than this, in percent: 10 point type stays above 6."""
MARGINS: Final = {"left": 0.25, "right": 0.25, "top": 0.4, "bottom": 0.45}
"""Inches."""
_A4: Final = (297 / 25.4, 210 / 25.4)
"""Width and height of the paper, on its side, in inches."""
ROOM_PIXELS: Final = int((_A4[0] - MARGINS["left"] - MARGINS["right"]) * 96) - 8
"""Width of the printed part at full size; eight pixels stay free for readers that round column widths up."""
_ROOM_POINTS: Final = (_A4[1] - MARGINS["top"] - MARGINS["bottom"]) * 72 * 0.99
"""Height of the printed part at full size; a little stays free for readers that round row heights up."""
_HEAD_COLUMNS: Final = 6
_PLANNED_ROWS: Final = 2_000
"""Rows whose heights are looked at: more than any summary has. Longer sheets are details of the same height."""
_KEPT_TOGETHER: Final = 12
"""Rows of a table, its title and header included, that a page begins with rather than ends."""


@dataclass(frozen=True)
class PageSetup:
    """How a sheet is printed.

    Attributes:
        scale: percent.
        areas: ranges, each beginning a page, in printing order.
        rows: last of the rows that every page repeats.
        columns: how many columns every page repeats, 0 for none.
        breaks: rows below which a page ends.
        count: how many pages that makes.
        tall: how many pages high it is made by whoever prints, whatever font there is; 0 leaves that to the breaks.
        prints_all: nothing of the sheet is left out.
    """

    scale: int
    areas: tuple[str, ...]
    rows: int
    columns: int
    breaks: tuple[int, ...] = ()
    count: int = 1
    tall: int = 0
    prints_all: bool = True


def frozen_columns(sheet: PlacedSheet) -> int:
    """Count the columns of labels that stay in sight, none where tables of different shape stand on one sheet."""
    if not sheet.one_header:
        return 0
    columns = sheet.sections[0].section.printed
    labels = label_columns(columns)
    return labels if len(columns) > labels else 0


def plan_page_setup(sheet: PlacedSheet, stamp: Stamp) -> PageSetup:
    """Cut a sheet into pages.

    As many columns as the smallest scale allows stand on a page, what does not fit on a second one with the labels
    repeated; of a sheet of so many pages (`Sheet.pages`) all, however small. Whoever prints makes the columns fit
    again, for the letters of another font are wider; an area is as wide as its scale asks, so that a page holds the
    rows that it was cut for. Headers are repeated only where they belong to every row. A sheet that is not printed has
    an area of one folded row: LibreOffice and Excel print nothing of it, any other program a page with its head, which
    says so. A chart far to the right of a wide table is for the screen.
    """
    if sheet.source.printing is Printing.NONE:
        return _leave_out(sheet)
    head = HEADER_ROW if sheet.one_header else HEADER_ROW - 2
    end = sheet.keys.get(SCREEN_ONLY, sheet.last_row + 1) - 1
    heights = list_heights(sheet, stamp, min(end, _PLANNED_ROWS))
    pixels, labels = _pixels(sheet), frozen_columns(sheet)
    most = sheet.source.pages if sheet.source.cover is None else 1  # of a cover the charts must stay whole
    one_wide = most > 0
    groups = [(0, len(pixels))] if one_wide else _cut(pixels, labels)
    first_only = sheet.source.printing is Printing.FIRST_PAGE
    widest = max(sum(pixels[:labels]) + sum(pixels[max(begin, labels) : last]) for begin, last in groups)
    cutter = _Cutter(sheet, heights, head, end)
    scale = cutter.fit(_scale_of(widest, 1 if one_wide else MIN_SCALE), first_only=first_only)
    starts = cutter.starts(scale)
    whole = len(starts) == 1 and len(groups) == 1 and end == sheet.last_row
    breaks = [start - 1 for start in starts[1:]]
    if first_only:
        del groups[1:]
        end, breaks = (breaks[0] if breaks else end), []
    count = len(groups) * (len(breaks) + 1)
    if one_wide and count > most:
        count, breaks = most, []
    elif len(groups) == 1 and (breaks or sheet.columns < _HEAD_COLUMNS):  # the head is wider than a narrow table
        groups = [(0, _widen(pixels, scale))]
    return PageSetup(
        scale,
        tuple(f"{column_letter(begin + 1)}1:{column_letter(last)}{end}" for begin, last in groups),
        head,
        labels if len(groups) > 1 else 0,
        tuple(breaks),
        count,
        count if len(groups) == 1 and not breaks else 0,
        whole or not first_only,
    )


def _widen(pixels: Sequence[int], scale: int) -> int:
    """Count the columns that make an area as wide as a page at that scale, blank ones at the end."""
    blank = max(ROOM_PIXELS * 100 // scale - sum(pixels), 0) // pixels_of(STANDARD_WIDTH)
    return len(pixels) + blank


def _leave_out(sheet: PlacedSheet) -> PageSetup:
    last = column_letter(max(min(_HEAD_COLUMNS, sheet.columns), sheet.flag_column))
    row = sheet.folded_row
    scale = _scale_of(sum(_pixels(sheet)[:_HEAD_COLUMNS]))
    area = f"A1:{last}{HEADER_ROW - 1}" if row is None else f"A{row}:{last}{row}"
    return PageSetup(scale, (area,), HEADER_ROW - 1, 0, count=int(row is None), prints_all=False)


def _scale_of(pixels: int, least: int = MIN_SCALE) -> int:
    return max(min(100, ROOM_PIXELS * 100 // max(pixels, 1)), least)


class _Cutter:
    """Cuts the rows of a sheet into pages, and never a chart or the beginning of a table."""

    def __init__(self, sheet: PlacedSheet, heights: Sequence[int], repeated: int, last: int) -> None:
        self._heights = heights
        self._repeated = sum(heights[:repeated])
        self._more = max(last - len(heights), 0)
        heads = [
            (
                section.title_row or section.header_row,
                min(section.end - (section.title_row or section.header_row) + 1, _KEPT_TOGETHER),
            )
            for section in sheet.sections
        ]
        self._blocks = dict(heads) | dict.fromkeys(sheet.blocks, CHART_ROWS)

    def starts(self, scale: int) -> list[int]:
        """Return the row with which each page begins, at that scale."""
        room = _ROOM_POINTS * 100 / scale
        starts, used = [1], 0
        for row, height in enumerate(self._heights, 1):
            kept = sum(self._heights[row - 1 : row - 1 + self._blocks.get(row, 1)])
            kept = height if kept > room - self._repeated else kept
            if used + kept > room and row > 1:
                starts.append(row)
                used = self._repeated
            used += height
        for row in range(self._more):
            used += ROW_POINTS
            if used > room:
                starts.append(len(self._heights) + row + 1)
                used = self._repeated + ROW_POINTS
        return starts

    def fit(self, scale: int, *, first_only: bool) -> int:
        """Print smaller where that saves a page, or where only the first one is printed and then holds more."""
        fewest = len(self.starts(min(scale, MIN_SCALE)))
        if first_only and fewest > 1:
            return MIN_SCALE
        while scale > MIN_SCALE and len(self.starts(scale)) > fewest:
            scale -= 1
        return scale


def _pixels(sheet: PlacedSheet) -> list[int]:
    """Return the width of each column that is printed, those under a chart beside the table included."""
    pixels = [0 if hidden else pixels_of(width) for width, hidden in zip(sheet.widths, sheet.hidden, strict=True)]
    beside = sheet.source.cover is not None or sum(pixels) <= BESIDE_PIXELS
    right = max((chart.last_column for chart in sheet.charts if beside or chart.row in sheet.blocks), default=0)
    return pixels + [pixels_of(STANDARD_WIDTH)] * (max(right, 2) - len(pixels))


def _cut(pixels: Sequence[int], labels: int) -> list[tuple[int, int]]:
    """Cut columns into pages, as few as the smallest scale allows, each beside the labels."""
    room = ROOM_PIXELS * 100 // MIN_SCALE
    if sum(pixels) <= room:
        return [(0, len(pixels))]
    room -= sum(pixels[:labels])
    pages: list[tuple[int, int]] = []
    start = labels
    for index in range(labels, len(pixels)):
        if sum(pixels[start : index + 1]) > room and index > start:
            pages.append((start, index))
            start = index
    pages.append((start, len(pixels)))
    return [(0, pages[0][1]), *pages[1:]]
