"""The content of the first page as values: figures, to-do list, changes.

Belongs here: the shapes. Does not belong here: what stands in them (`lastro.reports.r00_cover`) and where it is drawn
(`lastro.export.cover`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from lastro.grid.cells import Formula, Kind, Link, Value
from lastro.grid.sections import Section

Tone = Literal["", "bom", "ruim", "neutro"]
COVER: Final = "capa"
"""What stands for the cover among the sections of a sheet: it is painted and no table."""
COVER_SHEET: Final = "Resumo"
"""The sheet of a workbook to which the others lead back."""


@dataclass(frozen=True)
class Tile:
    """One of the large figures.

    Attributes:
        title: a few words above it.
        value: the figure.
        kind: how it is printed.
        lines: what stands below it, at most two: the trend, what it is made of.
        tone: whether the trend is good or bad news.
        link: where the figure is explained.
    """

    title: str
    value: Value
    kind: Kind
    lines: tuple[str, ...] = ()
    tone: Tone = ""
    link: Link | None = None


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
class Cover:
    """The first page.

    Attributes:
        before: which report the changes are against, in words.
        check: the live formula that tells whether somebody changed the file (V33); None where nothing is added again.
        tiles: four of them.
        reason: what explains the result most, in one sentence; empty where nothing is compared.
        lows: the lowest projected balance under each assumption, and since when.
        verdict: what the lows mean.
        blocks: what is to be done, what changed, what falls due, what failed; each the rows of one section whose
            columns are a text, an amount (or a count) and a link, in any order.
    """

    before: str
    check: Formula | None
    tiles: tuple[Tile, ...]
    reason: str
    lows: tuple[Tile, ...]
    verdict: Judgement
    blocks: tuple[Section, ...]
