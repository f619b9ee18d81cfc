"""How high each row is: the file sets it, as not every reader computes it, and pages are cut by it.

Belongs here: arithmetic over texts and the widths they have. Does not belong here: which page a row falls on
(`lastro.export.page_setup`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from lastro.export.columns import header_text
from lastro.export.cover import find_heights
from lastro.export.heading import head_width, stamp_is_wrapped, stamp_text, title_text, visible_widths
from lastro.export.layout import PlacedSection, PlacedSheet
from lastro.grid.sections import Row
from lastro.grid.workbook import Stamp

ROW_POINTS: Final = 15
"""Height of a row of which nothing is said."""
TITLE_POINTS: Final = 24
"""Height of the title of a further table."""
_MOST: Final = 409
"""Excel has no higher row."""


def title_height(sheet: PlacedSheet) -> int:
    """Return the height of row 1, whose title is wrapped over the columns before the trust flag."""
    room = max(int(sum(visible_widths(sheet)[: sheet.flag_column - 1]) / 1.35), 4)
    return max(TITLE_POINTS, 17 * len(textwrap.wrap(title_text(sheet), room)))


def stamp_height(sheet: PlacedSheet, stamp: Stamp) -> int:
    """Return the height of row 2."""
    wrapped = stamp_is_wrapped(sheet, stamp)
    return max(16, 13 * (len(textwrap.wrap(stamp_text(stamp), head_width(sheet, stamp))) if wrapped else 1) + 3)


def header_height(placed: PlacedSection, sheet: PlacedSheet) -> int:
    """Return the height of a row of headers; folded columns do not count."""
    lines = 1
    for column, width, hidden in zip(placed.section.printed, sheet.widths, sheet.hidden, strict=False):
        if not hidden:
            room = max(width - (4 if placed.section.detail else 1), 4)
            lines = max(lines, len(textwrap.wrap(header_text(column), room)))
    return 14 * lines + 6


def text_rooms(placed: PlacedSection, sheet: PlacedSheet) -> list[int]:
    """Return how many characters a text has in each column before it is wrapped.

    The last column may run over the empty ones beside it. Widths count digits of the standard 11 point font; letters of
    the 10 point one are narrower.
    """
    widths, last = visible_widths(sheet), len(placed.section.printed) - 1
    return [
        max(int((sum(widths[at : sheet.columns if at == last else at + 1]) - 1) * 1.15), 4) for at in range(last + 1)
    ]


def row_height(placed: PlacedSection, row: Row, rooms: Sequence[int]) -> int | None:
    """Return the height of a row with wrapped texts; None for any other row, and in a detail, which wraps none."""
    if placed.section.detail:
        return None
    lines = 1
    for value, room in zip(row.cells, rooms, strict=False):
        if type(value) is str and (len(value) > room or "\n" in value):
            lines = max(lines, sum(max(len(textwrap.wrap(part, room)), 1) for part in value.split("\n")))
    return min(13 * lines + 4, _MOST) if lines > 1 else None


def list_heights(sheet: PlacedSheet, stamp: Stamp, most: int) -> list[int]:
    """Return the height of each row from the first one on, 0 for one that starts folded, of `most` rows at most."""
    heights = [ROW_POINTS] * min(sheet.last_row, most)

    def put(row_number: int, height: int | None) -> None:
        if height is not None and row_number <= len(heights):
            heights[row_number - 1] = height

    if sheet.source.cover is not None:
        for row_number, points in find_heights(sheet.painted).items():
            put(row_number, round(points))
    put(1, title_height(sheet))
    put(2, stamp_height(sheet, stamp))
    for placed in sheet.sections:
        if placed.title_row is not None:
            put(placed.title_row, TITLE_POINTS)
        put(placed.header_row, header_height(placed, sheet))
        rooms = text_rooms(placed, sheet)
        for row_number, row in takewhile(lambda numbered: numbered[0] <= most, placed.rows()):
            folded = placed.section.outline and row.level > placed.section.open_level
            put(row_number, 0 if folded else row_height(placed, row, rooms))
    return heights
