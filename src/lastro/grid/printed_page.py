"""The cover as texts that a PDF, an e-mail and the terminal print alike, part by part in one order.

Belongs here: how the values of the cover are written. Does not belong here: where anything is drawn (`lastro.page`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.grid.cells import Link, Value, inner_value
from lastro.grid.cover import Cover, CoverPart, Tile
from lastro.grid.sections import Row
from lastro.money import format_brl

VARIATION: Final = "VARIAÇÃO, não saldo"
"""What stands beside a balance that is none, for an account has no opening one."""


@dataclass(frozen=True)
class Figure:
    """A figure: its label, what a list calls it, its printed value, the notes below it; the first note is painted."""

    label: str
    value: str
    notes: tuple[str, ...]
    tone: str
    name: str


@dataclass(frozen=True)
class PrintedPart:
    """A part: each row a sentence, and an amount or a count ("" for none)."""

    of: CoverPart
    rows: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """Its title."""
        return self.of.section.title or ""


@dataclass(frozen=True)
class Printed:
    """The parts of the page, in order.

    Attributes:
        headline: what the lowest projected balances mean.
        detail: what belongs beside it.
        tone: of the headline.
        lows: the lowest projected balances.
        figures: the large figures.
        reason: what explains the last of them most.
        parts: those below the figures.
    """

    headline: str
    detail: str
    tone: str
    lows: tuple[Figure, ...]
    figures: tuple[Figure, ...]
    reason: str
    parts: tuple[PrintedPart, ...]


def print_cover(cover: Cover) -> Printed:
    """Write the cover; links lead into the workbook and are left out."""
    return Printed(
        cover.verdict.text,
        cover.verdict.detail,
        cover.verdict.tone,
        tuple(_figure(tile) for tile in cover.lows),
        tuple(_figure(tile) for tile in cover.tiles),
        cover.reason,
        tuple(PrintedPart(part, tuple(_row(row) for row in part.section.rows)) for part in cover.parts),
    )


def write_lines(cover: Cover, variation: str = VARIATION) -> Iterator[tuple[str, tuple[str, ...]]]:
    """List the parts as plain lines: of each the name of its section, and its lines, a title first where it has one.

    Args:
        variation: what is said of balances that are none.
    """
    page = print_cover(cover)
    note = f" — {variation}" if cover.provisional else ""
    yield "veredito", tuple(filter(None, (page.headline, page.detail)))
    width = max((len(figure.name) for figure in (*page.lows, *page.figures)), default=0)
    amount = max((len(figure.value) for figure in (*page.lows, *page.figures)), default=0)
    for name, figures, noted in (("menores", page.lows, len(page.lows)), ("valores", page.figures, 1)):
        yield (
            name,
            tuple(
                f"{figure.name:<{width}}  {figure.value:>{amount}}"
                + (note if place < noted else "")
                + "".join(f" · {text}" for text in figure.notes)
                for place, figure in enumerate(figures)
            ),
        )
    if page.reason:
        yield "motivo", (page.reason,)
    for part in page.parts:
        rows = tuple(f"  {text}" + (f"  {value}" if value else "") for text, value in part.rows)
        more = part.of.say_more(len(rows))
        yield part.of.section.name, (part.title, *rows, *((f"  {more}",) if more else ()))


def write_cover(cover: Cover) -> str:
    """Write the page as a text: a paragraph a part."""
    return "\n\n".join("\n".join(lines) for _, lines in write_lines(cover) if lines)


def _figure(tile: Tile) -> Figure:
    value = "n/d" if tile.value is None else _write(tile.value)
    return Figure(tile.title, value, tuple(filter(None, tile.lines)), tile.tone, tile.name or tile.title)


def _row(row: Row) -> tuple[str, str]:
    """Make a sentence of a row, its day before the text."""
    values = [inner_value(cell) for cell in row.cells]
    texts = [value for value in values if isinstance(value, str)]
    days = [f"{value:%d/%m}" for value in values if isinstance(value, date)]
    amounts = [_write(value) for value in values if isinstance(value, Decimal | int)]
    return " · ".join([*days, *texts]), " ".join(amounts)


def _write(value: Value) -> str:
    if isinstance(value, Decimal):
        return format_brl(value)
    return str(value.text) if isinstance(value, Link) else str(value)
