"""One page to send: the cover of the workbook as values that a PDF and an e-mail print alike (manual: Página)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lastro.grid.charts import Chart

GOOD, NEUTRAL, WATCH, BAD = "bom", "neutro", "atenção", "ruim"
"""How something is painted, the first, second and last as the cover says it (`lastro.grid.cover.Tone`)."""
COLOURS: Final = {GOOD: "#2E7D32", NEUTRAL: "#1F3A5F", WATCH: "#8A4B00", BAD: "#C62828"}
NOTHING: Final = "Nada a mostrar"
"""What a table without rows says."""


@dataclass(frozen=True)
class Figure:
    """A figure: its label, its printed value, the notes below it; the first note is painted."""

    label: str
    value: str
    notes: tuple[str, ...] = ()
    tone: str = NEUTRAL


@dataclass(frozen=True)
class PageTable:
    """A short table without heads: each row a sentence, and an amount or a count ("" for none)."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Page:
    """The page.

    Attributes:
        title: what it is.
        empresa: whose.
        stamp: as of when, from which run, how complete.
        before: which report the changes are against.
        verdict: how far to trust it.
        tone: of the verdict.
        figures: most important first.
        outlook: what the lowest projected balances mean, in words.
        outlook_tone: of the outlook.
        lows: the lowest projected balance under each assumption.
        charts: at most two; LINE and COLUMN.
        tables: in order.
        footer: printed last.
    """

    title: str
    empresa: str
    stamp: str
    before: str
    verdict: str
    tone: str
    figures: tuple[Figure, ...]
    outlook: str
    outlook_tone: str
    lows: tuple[Figure, ...]
    charts: tuple[Chart, ...]
    tables: tuple[PageTable, ...]
    footer: str
