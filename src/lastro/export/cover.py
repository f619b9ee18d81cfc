"""The first page of the workbook: tiles, to-do list, changes, two charts.

Belongs here: where each cell of the page stands and how it looks. Does not belong here: what the page says
(`lastro.reports.r00_cover`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from lastro.export.looks import GREEN, GREY_TEXT, HEADER_FILL, RED, Line, Look, number_format_of
from lastro.grid.cells import Cell, Kind, Link, Value
from lastro.grid.cover import Cover, Tile
from lastro.grid.tables import Column

WIDTHS: Final = (47, 16, 16, 16, 16, 16, 16, 2)
"""Columns A to H: text, figures, a gap; charts stand right of it."""
CHART_COLUMN: Final = len(WIDTHS)
CHART_PIXELS: Final = 540
CHART_TOPS: Final = (5, 23)
LAST_ROW: Final = 47
"""The page ends here."""
LINE_POINTS: Final = 17
"""Height of a line of the page."""
TALL_ROWS: Final = {6: 28, 8: 28}
"""Rows of the page that are taller than a line: the large figures, and what is told below them in two lines."""
_SMALL, _PLAIN, _LARGE = 10, 11, 18
"""Sizes of type: the page is printed at three fifths."""
_TILE_TOP, _LOW_TOP, _BLOCK_TOP = 5, 10, 14
_PLACES: Final = ((1, 1), (2, 3), (4, 5), (6, 7))
"""First and last column of each tile."""
_AMOUNT, _DAY, _LINK = 6, 5, 7
_TONES: Final = {"": GREY_TEXT, "neutro": GREY_TEXT, "bom": GREEN, "ruim": RED}
_NOTE: Final = Look(italic=True, size=_SMALL, colour=GREY_TEXT, bottom=None, align="left")
_THIN: Final[Line] = ("thin", "CFD8DC")
_TILE_FILL, _WORST_FILL = "F1F5F9", {"bom": "E8F5E9", "ruim": "FFEBEE", "neutro": "FFF3E0", "": "F1F5F9"}


@dataclass(frozen=True)
class Painted:
    """One cell of the page: where, what, how; `last` column where it spans several, `key` by which formulas know it."""

    row: int
    column: int
    value: Value
    look: Look
    last: int = 0
    key: str = ""


def paint_cover(cover: Cover) -> tuple[Painted, ...]:
    """Place the cells of the page, row by row, left to right."""
    cells = [*_head(cover), *_tiles(cover), *_lows(cover), *_blocks(cover)]
    return tuple(sorted(cells, key=lambda cell: (cell.row, cell.column)))


def _head(cover: Cover) -> Iterator[Painted]:
    if cover.check is not None:
        look = Look(bold=True, size=_PLAIN, colour=GREEN, align="center", bottom=None, fill="E8F5E9")
        yield Painted(1, 6, cover.check, look, last=7)
    yield Painted(3, 1, cover.before, Look(italic=True, size=_SMALL, colour=GREY_TEXT, bottom=None))


def _tiles(cover: Cover) -> Iterator[Painted]:
    for number, (tile, (first, last)) in enumerate(zip(cover.tiles, _PLACES, strict=False), 1):
        plain = Look(size=_PLAIN, fill=_TILE_FILL, bottom=None, align="left", indent=1)
        title = replace(plain, bold=True, size=_SMALL, colour=HEADER_FILL, top=("medium", HEADER_FILL))
        yield Painted(_TILE_TOP, first, _titled(tile), title, last)
        figure = replace(plain, bold=True, size=_LARGE, number_format=_format_of(tile.kind))
        yield Painted(
            _TILE_TOP + 1, first, "n/d" if tile.value is None else tile.value, figure, last, f"valor_{number}"
        )
        for line in range(2):
            text = tile.lines[line] if line < len(tile.lines) else None
            # Shrunk or broken where it is long: an amount that is cut reads as another one.
            look = replace(plain, size=_SMALL, shrink=True, colour=_TONES[tile.tone])
            if line:
                look = replace(plain, size=_SMALL, wrap=True, vertical="top", colour=GREY_TEXT)
            yield Painted(_TILE_TOP + 2 + line, first, text, look, last)
    if cover.reason:
        look = Look(italic=True, size=_SMALL, colour=GREY_TEXT, bottom=None)
        yield Painted(_TILE_TOP + 4, 1, cover.reason, look, last=_LINK)


def _titled(tile: Tile) -> Value:
    return tile.title if tile.link is None else replace(tile.link, text=tile.title)


def _lows(cover: Cover) -> Iterator[Painted]:
    verdict = cover.verdict
    fill = _WORST_FILL[verdict.tone]
    plain = Look(size=_PLAIN, fill=fill, bottom=None, align="left", indent=1)
    (first, _), *places = _PLACES
    yield Painted(_LOW_TOP, first, "MENOR SALDO PROJETADO", replace(plain, bold=True, size=_SMALL, colour=HEADER_FILL))
    yield Painted(_LOW_TOP + 1, first, verdict.text, replace(plain, bold=True, colour=_TONES[verdict.tone]))
    yield Painted(_LOW_TOP + 2, first, verdict.detail or None, replace(plain, size=_SMALL, colour=GREY_TEXT))
    for index, (begin, end) in enumerate(places):
        low = cover.lows[index] if index < len(cover.lows) else None
        title = replace(plain, bold=True, size=_SMALL, colour=HEADER_FILL)
        yield Painted(_LOW_TOP, begin, None if low is None else _titled(low), title, end)
        figure = replace(plain, bold=True, number_format=_format_of(Kind.MONEY))
        yield Painted(_LOW_TOP + 1, begin, None if low is None else low.value, figure, end, f"menor_{index + 1}")
        text = low.lines[0] if low is not None and low.lines else None
        yield Painted(_LOW_TOP + 2, begin, text, replace(plain, size=_SMALL, colour=GREY_TEXT), end)
    for row_number, low in enumerate(cover.lows[len(places) :], _LOW_TOP + 3):
        # The plan has a line of its own: it is what people agreed on, not an assumption.
        values = _titled(low), low.value, *(*low.lines, None, None)[:2]
        looks = (
            replace(plain, bold=True, size=_SMALL, colour=HEADER_FILL, top=_THIN),
            replace(plain, bold=True, number_format=_format_of(Kind.MONEY), top=_THIN),
            replace(plain, size=_SMALL, colour=GREY_TEXT, top=_THIN),
            replace(plain, top=_THIN),
        )
        for (begin, end), value, look in zip(_PLACES, values, looks, strict=True):
            name = f"menor_{row_number - _LOW_TOP + 1}" if value is low.value else ""
            yield Painted(row_number, begin, value, look, end, name)


def _blocks(cover: Cover) -> Iterator[Painted]:
    row = _BLOCK_TOP + max(len(cover.lows) - len(_PLACES) + 1, 0)
    for section in cover.blocks:
        if row + 1 > LAST_ROW:
            return
        yield from _band(section.title or "", row)
        room = LAST_ROW - row
        cut = len(section.rows) > room
        for line in section.rows[: room - 1 if cut else room]:
            row += 1
            for column, value in zip(section.columns, line.cells, strict=True):
                yield from _block_cell(row, column, value)
        if cut:
            row += 1
            left = len(section.rows) - (room - 1)
            yield Painted(row, 1, f"e mais {left}, que não cabem na página", _NOTE)
        row += 2


def _band(title: str, row: int) -> Iterator[Painted]:
    look = Look(bold=True, size=_PLAIN, colour="FFFFFF", fill=HEADER_FILL, bottom=None)
    yield Painted(row, 1, title, look)
    for column in range(2, _LINK + 1):
        yield Painted(row, column, None, look)


def _block_cell(row: int, column: Column, value: Value | Cell) -> Iterator[Painted]:
    """Place a cell by what it is: a text on the left, then a day, an amount or a count, and the link."""
    kind, inner = (value.kind, value.value) if isinstance(value, Cell) else (column.kind, value)
    if inner is None:
        return
    look = Look(number_format=_format_of(kind), bottom=None, size=_PLAIN)
    if kind is Kind.LINK or isinstance(inner, Link):
        yield Painted(row, _LINK, inner, replace(look, align="left", indent=1))
    elif kind is Kind.DATE:
        yield Painted(row, _DAY, inner, replace(look, align="center"))
    elif isinstance(inner, Decimal | int):
        look = replace(look, align="right", bold=True)
        yield Painted(row, _AMOUNT, inner, replace(look, colour=RED) if inner < 0 else look)
    else:
        yield Painted(row, 1, inner, replace(look, align="left"))


def _format_of(kind: Kind) -> str:
    return number_format_of(Column("", kind, key="valor"))
