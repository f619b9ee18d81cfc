"""One page to send: what management must know, as values that a PDF and an e-mail print alike (manual: Página)."""

from __future__ import annotations

from dataclasses import dataclass

from lastro.grid.model import Chart

GOOD, NEUTRAL, WATCH, BAD = "bom", "neutro", "atenção", "ruim"
"""How a figure is painted."""


@dataclass(frozen=True)
class Figure:
    """A figure: what it is, its value as printed, what stands beside it, and how it is painted."""

    label: str
    value: str
    note: str = ""
    tone: str = NEUTRAL


@dataclass(frozen=True)
class PageTable:
    """A short table: a heading, column heads, cells as printed; the last column is an amount."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = "Nada a mostrar"


@dataclass(frozen=True)
class Page:
    """The page.

    Attributes:
        title: what it is.
        empresa: whose.
        stamp: as of when, from which run, how complete.
        verdict: how far to trust it.
        tone: of the verdict.
        figures: most important first.
        charts: at most two; LINE and COLUMN.
        tables: in order.
        footer: printed last.
    """

    title: str
    empresa: str
    stamp: str
    verdict: str
    tone: str
    figures: tuple[Figure, ...]
    charts: tuple[Chart, ...]
    tables: tuple[PageTable, ...]
    footer: str
