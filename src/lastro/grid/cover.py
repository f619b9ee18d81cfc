"""The content of the first page as values, in the order of its parts, and what gives way where a page is full.

Belongs here: the shapes. Does not belong here: what stands in them (`lastro.reports.cover`) and where it is drawn
(`lastro.export.cover`, `lastro.page`, `lastro.grid.printed_page`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lastro.grid.cells import Formula, Kind, Link, Value
from lastro.grid.sections import Section

Tone = Literal["", "bom", "ruim", "neutro", "atenção"]
COVER: Final = "capa"
"""What stands for the cover among the sections of a sheet: it is painted and no table."""
ALERTS: Final = "resumo_alertas"
"""The part of what failed: the terminal has it with the numbers of the rules."""
COVER_SHEET: Final = "Resumo"
"""The sheet of a workbook to which the others lead back."""


@dataclass(frozen=True)
class Tile:
    """One of the large figures.

    Attributes:
        title: a few words above it.
        value: the figure.
        kind: how it is printed.
        lines: what stands below it: the trend, what it is made of.
        tone: whether the trend is good or bad news.
        link: where the figure is explained.
        name: what a list calls it; empty where it calls it as its title does.
    """

    title: str
    value: Value
    kind: Kind
    lines: tuple[str, ...] = ()
    tone: Tone = ""
    link: Link | None = None
    name: str = ""


@dataclass(frozen=True)
class Judgement:
    """What the projected balances mean, in words.

    Attributes:
        text: the first day on which cash runs short, and under which assumption.
        detail: the worst day, and how deep it falls.
        tone: how bad it is.
    """

    text: str
    detail: str = ""
    tone: Tone = ""


@dataclass(frozen=True)
class CoverPart:
    """One part of the page below its figures.

    Attributes:
        section: its title and rows: a text, an amount (or a count) and a link, in any order.
        least: how many rows stay however full the page is, at least one; None: all of them.
        turn: when it gives way, the lowest first, where rows may go.
        beyond: how many more there are of what the rows tell.
        where: the sheet that has those, and what the page has no room for; empty where each row has one of its own.
    """

    section: Section
    least: int | None = None
    turn: int = 0
    beyond: int = 0
    where: str = ""

    def say_more(self, shown: int) -> str:
        """Say how many of its rows are not shown, and where they are, if in one place; empty where all are."""
        more = len(self.section.rows) - shown + self.beyond
        return f"e mais {more}{self.where and f' em {self.where}'}" if more else ""


@dataclass(frozen=True)
class Cover:
    """The first page, in the order in which everybody reads it: workbook, PDF, HTML, mail and terminal.

    Attributes:
        before: which report the changes are against, in words.
        check: the live formula that tells whether somebody changed the file (V33); None where nothing is added again.
        verdict: what the lows mean.
        lows: the lowest projected balance under each assumption, and since when.
        tiles: four of them.
        reason: what explains the result most, in one sentence; empty where nothing is compared.
        parts: what is to be done, what changed, how things stand, what failed, what falls due.
        provisional: whether the balances are none, for an account has no opening one.
    """

    before: str
    check: Formula | None
    verdict: Judgement
    lows: tuple[Tile, ...]
    tiles: tuple[Tile, ...]
    reason: str
    parts: tuple[CoverPart, ...]
    provisional: bool = False


@dataclass(frozen=True)
class Heights:
    """What a part takes on a page, in its units: its title, each of its rows, and the row that counts what is left."""

    head: float
    rows: tuple[float, ...]
    more: float


def choose_rows(parts: Sequence[CoverPart], heights: Sequence[Heights], room: float, turns: int = 2) -> list[int]:
    """Choose how many rows of each part a page shows: all, or those that stay, turn by turn, until the rest fits.

    Args:
        turns: how many turns may be taken.
    """
    kept = [len(each.rows) for each in heights]
    for place in sorted(range(len(parts)), key=lambda place: parts[place].turn):
        least = parts[place].least
        while (
            least is not None
            and parts[place].turn <= turns
            and kept[place] > least
            and measure_rows(parts, heights, kept) > room
        ):
            kept[place] -= 1
    return kept


def measure_rows(parts: Sequence[CoverPart], heights: Sequence[Heights], kept: Sequence[int]) -> float:
    """Add up what parts take, each with as many rows as are kept of it."""
    return sum(
        one.head + sum(one.rows[:shown]) + (one.more if part.say_more(shown) else 0)
        for part, one, shown in zip(parts, heights, kept, strict=True)
    )
