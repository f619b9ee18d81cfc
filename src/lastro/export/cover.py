"""The first page of the workbook: the headline, the lowest balances, tiles, parts, two charts.

Belongs here: where each cell of the page stands, how it looks and how high its row is. Does not belong here: what the
page says (`lastro.reports.cover`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from lastro.export.looks import AMBER, GREEN, GREY_TEXT, HEADER_FILL, RED, Line, Look, number_format_of
from lastro.grid.cells import Cell, Kind, Link, Value
from lastro.grid.cover import Cover, CoverPart, Heights, Tile, choose_rows
from lastro.grid.tables import Column

WIDTHS: Final = (47, 16, 16, 16, 16, 16, 16, 2)
"""Columns A to H: text, figures, a gap; charts stand right of it."""
CHART_COLUMN: Final = len(WIDTHS)
CHART_PIXELS: Final = 540
CHART_TOPS: Final = (5, 23)
PAGE_POINTS: Final = 980
"""What the page holds below its third row: as high as it is wide with its charts, in a font wider than Calibri."""
LINE_POINTS: Final = 17
"""Height of a line of the page."""
_FIGURE_POINTS, _MORE_POINTS, _GAP_POINTS = 28, 14, 9
"""Height of a large figure, of each further line of a text, and of the row above a part."""
_SMALL, _PLAIN, _HEADLINE, _LARGE = 10, 11, 14, 18
"""Sizes of type: the page is printed at three fifths."""
_TOP: Final = 5
_PLACES: Final = ((1, 1), (2, 3), (4, 5), (6, 7))
"""First and last column of each tile."""
_AMOUNT, _DAY, _LINK = 6, 5, 7
_TONES: Final = {"": GREY_TEXT, "neutro": GREY_TEXT, "bom": GREEN, "atenção": AMBER, "ruim": RED}
_NOTE: Final = Look(italic=True, size=_SMALL, colour=GREY_TEXT, bottom=None)
_TILE_FILL, _WORST_FILL = "F1F5F9", {"bom": "E8F5E9", "ruim": "FFEBEE", "atenção": "FFF3E0", "": "F1F5F9"}


@dataclass(frozen=True)
class Painted:
    """One cell of the page.

    Attributes:
        row, column: where.
        value: what.
        look: how.
        last: the last column of several that it spans.
        key: by which formulas know it.
        points: how high its row must be at least.
    """

    row: int
    column: int
    value: Value
    look: Look
    last: int = 0
    key: str = ""
    points: float = LINE_POINTS


def paint_cover(cover: Cover) -> tuple[Painted, ...]:
    """Place the cells of the page, row by row, left to right."""
    cells = [*_head(cover), *_verdict(cover)]
    for tiles, name, size in ((cover.lows, "menor", _PLAIN), (cover.tiles, "valor", _LARGE)):
        fill = _WORST_FILL[cover.verdict.tone] if name == "menor" else _TILE_FILL
        for begin in range(0, len(tiles), len(_PLACES)):
            part = tiles[begin : begin + len(_PLACES)]
            cells += _tiles(part, max(cell.row for cell in cells) + 1, f"{name}_{{}}", begin, size, fill)
    if cover.reason:
        cells.append(_text(max(cell.row for cell in cells) + 1, cover.reason, _NOTE, _LINK))
    used = sum(find_heights(cells).values())
    cells += _blocks(cover, max(cell.row for cell in cells) + 1, PAGE_POINTS - used)
    return tuple(sorted(cells, key=lambda cell: (cell.row, cell.column)))


def find_heights(painted: Sequence[Painted]) -> dict[int, float]:
    """Find how high the rows of the page are, from the fourth on: above it stands what every sheet has."""
    heights: dict[int, float] = {}
    for cell in painted:
        heights[cell.row] = max(heights.get(cell.row, 0), cell.points)
    return {row: heights.get(row, LINE_POINTS) for row in range(4, max(heights, default=0) + 1)}


def _head(cover: Cover) -> Iterator[Painted]:
    if cover.check is not None:
        look = Look(bold=True, size=_PLAIN, colour=GREEN, align="center", bottom=None, fill="E8F5E9")
        yield Painted(1, 6, cover.check, look, last=7)
    yield Painted(3, 1, cover.before, _NOTE)


def _verdict(cover: Cover) -> Iterator[Painted]:
    """Place the headline over the whole width, and what belongs beside it."""
    verdict = cover.verdict
    plain = Look(size=_SMALL, fill=_WORST_FILL[verdict.tone], bottom=None, align="left", indent=1, colour=GREY_TEXT)
    title = replace(plain, bold=True, size=_HEADLINE, colour=_TONES[verdict.tone], top=("medium", HEADER_FILL))
    yield _text(_TOP, verdict.text, title, _LINK)
    if verdict.detail:
        yield _text(_TOP + 1, verdict.detail, plain, _LINK)


def _tiles(tiles: Sequence[Tile], top: int, key: str, before: int, size: int, fill: str) -> Iterator[Painted]:
    """Place tiles side by side: a title, the figure, and below it as many rows as the one that says most has lines."""
    most = max(len(tile.lines) for tile in tiles)
    line: Line = ("medium", HEADER_FILL) if size == _LARGE else ("thin", "CFD8DC")
    for place, (first, last) in enumerate(_PLACES):
        tile = tiles[place] if place < len(tiles) else Tile("", None, Kind.TEXT)
        plain = Look(size=_SMALL, fill=fill, bottom=None, align="left", indent=1)
        yield Painted(top, first, _titled(tile), replace(plain, bold=True, colour=HEADER_FILL, top=line), last)
        figure = replace(plain, bold=True, size=size, number_format=_format_of(tile.kind))
        value = "n/d" if tile.value is None and tile.title else tile.value
        named, points = key.format(before + place + 1), _FIGURE_POINTS if size == _LARGE else LINE_POINTS
        yield Painted(top + 1, first, value, figure, last, named if tile.title else "", points)
        for number in range(most):
            text = tile.lines[number] if number < len(tile.lines) else ""
            look = replace(plain, colour=GREY_TEXT if number else _TONES[tile.tone])
            yield _text(top + 2 + number, text, look, last, first)


def _titled(tile: Tile) -> Value:
    return tile.title or None if tile.link is None else replace(tile.link, text=tile.title)


def _text(row: int, text: str, look: Look, last: int, first: int = 1) -> Painted:
    """Place a text over some columns, broken where it is long: what is cut reads as another one."""
    lines = count_broken_lines(text, sum(WIDTHS[first - 1 : last]), look.size)
    points = max(LINE_POINTS, look.size * 1.5) + (lines - 1) * _MORE_POINTS * look.size / _PLAIN
    if lines > 1:
        look = replace(look, wrap=True, vertical="top")
    return Painted(row, first, text or None, look, last if last > first else 0, points=points)


def count_broken_lines(text: str, width: int, size: float) -> int:
    """Count the lines of a text over columns of a width, which counts digits of the plain size.

    >>> count_broken_lines("uma palavra", 47, 10), count_broken_lines("palavra " * 9, 47, 10)
    (1, 2)
    """
    return max(len(textwrap.wrap(text, max(int((width - 1) * 1.05 * _PLAIN / size), 8))), 1)


def _blocks(cover: Cover, row: int, room: float) -> Iterator[Painted]:
    """Place the parts, with the rows that the page has room for, each below a narrow empty row."""
    placed = [_lay_rows(part) for part in cover.parts]
    heights = [
        Heights(
            _GAP_POINTS + LINE_POINTS,
            tuple(max(cell.points for cell in line) for line in rows),
            LINE_POINTS,
        )
        for rows in placed
    ]
    for part, rows, shown in zip(cover.parts, placed, choose_rows(cover.parts, heights, room), strict=True):
        yield Painted(row, 1, None, Look(bottom=None), points=_GAP_POINTS)
        yield from _band(part.section.title or "", row + 1)
        row += 2
        for line in rows[:shown]:
            yield from (replace(cell, row=row) for cell in line)
            row += 1
        if more := part.say_more(shown):
            yield Painted(row, 1, more, _NOTE)
            row += 1


def _lay_rows(part: CoverPart) -> list[list[Painted]]:
    """Lay out its rows as if each were the first; a text has the room up to the day, where rows have one."""
    columns = part.section.columns
    last = _DAY - any(column.kind is Kind.DATE for column in columns)
    return [
        [cell for column, value in zip(columns, line.cells, strict=True) for cell in _block_cell(column, value, last)]
        for line in part.section.rows
    ]


def _band(title: str, row: int) -> Iterator[Painted]:
    look = Look(bold=True, size=_PLAIN, colour="FFFFFF", fill=HEADER_FILL, bottom=None)
    yield Painted(row, 1, title, look)
    for column in range(2, _LINK + 1):
        yield Painted(row, column, None, look)


def _block_cell(column: Column, value: Value | Cell, last: int) -> Iterator[Painted]:
    """Place a cell by its kind: text on the left, then the day, the amount or count, and the link."""
    kind, inner = (value.kind, value.value) if isinstance(value, Cell) else (column.kind, value)
    if inner is None:
        return
    look = Look(number_format=_format_of(kind), bottom=None, size=_PLAIN)
    if kind is Kind.LINK or isinstance(inner, Link):
        yield Painted(0, _LINK, inner, replace(look, align="left", indent=1))
    elif kind is Kind.DATE:
        yield Painted(0, _DAY, inner, replace(look, align="center"))
    elif isinstance(inner, Decimal | int):
        look = replace(look, align="right", bold=True)
        yield Painted(0, _AMOUNT, inner, replace(look, colour=RED) if inner < 0 else look)
    else:
        yield _text(0, str(inner), replace(look, align="left"), last)


def _format_of(kind: Kind) -> str:
    return number_format_of(Column("", kind, key="valor"))
