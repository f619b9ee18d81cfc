"""One page to send: the parts of the cover with whose they are, as a PDF and an e-mail print them alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lastro.grid.charts import Chart
from lastro.grid.printed_page import Printed

GOOD, NEUTRAL, WATCH, BAD = "bom", "neutro", "atenção", "ruim"
"""How something is painted, as the cover says it (`lastro.grid.cover.Tone`)."""
COLOURS: Final = {GOOD: "#2E7D32", NEUTRAL: "#1F3A5F", "": "#1F3A5F", WATCH: "#8A4B00", BAD: "#C62828"}


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
        body: its parts, in order.
        charts: at most two, below what is to be done; LINE and COLUMN.
        footer: printed last.
    """

    title: str
    empresa: str
    stamp: str
    before: str
    verdict: str
    tone: str
    body: Printed
    charts: tuple[Chart, ...]
    footer: str
