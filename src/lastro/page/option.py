"""The page to send, filled from the cover: names of people are on it, their documents and contacts never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.catalogue import Catalogue
from lastro.export.heading import stamp_text
from lastro.export.xlsx import write_file
from lastro.extras import is_installed
from lastro.grid.cells import Link, Value, inner_value
from lastro.grid.charts import ChartKind
from lastro.grid.cover import Cover, Judgement, Tile
from lastro.grid.sections import Row, Section
from lastro.grid.words import format_date
from lastro.grid.workbook import Stamp
from lastro.money import format_brl
from lastro.page.html import render_html
from lastro.page.model import BAD, GOOD, NEUTRAL, WATCH, Figure, Page, PageTable
from lastro.run.names import RESUMO, name_written
from lastro.run.options import Option
from lastro.run.order import StageResult

_VERDICTS: Final = {"CONFIÁVEL": GOOD, "ATENÇÃO": WATCH, "NÃO CONFIÁVEL": BAD}


class PageOption(Option):
    """The page as an option of a run."""

    def write(self, catalogue: Catalogue, stamp: Stamp) -> StageResult:
        """Write the page; nothing of it is told."""
        write_pages(catalogue, stamp, self.session.staging)
        return StageResult(0)

    def list_files(self, day: date) -> Sequence[str]:
        """Name the files of the page."""
        return list_page_names(day)


OPTION: Final = PageOption


def list_page_names(day: date) -> tuple[str, ...]:
    """Name the files of the page: the PDF only where reportlab is installed."""
    suffixes = (".pdf", ".html") if is_installed("pdf") else (".html",)
    return tuple(name_written(RESUMO, day, suffix) for suffix in suffixes)


def write_pages(catalogue: Catalogue, stamp: Stamp, folder: Path) -> None:
    """Write the page as HTML, and as PDF where the extra is installed.

    Raises:
        StorageError: the folder is not writable or the disk is full.
    """
    page = build_page(catalogue, stamp)
    for name in list_page_names(stamp.data_base):
        if name.endswith(".html"):
            content = render_html(page).encode()
        else:
            from lastro.page.pdf import render_pdf  # an extra

            content = render_pdf(page)
        write_file(folder / name, lambda stream, content=content: stream.write(content))  # type: ignore[misc]


def build_page(catalogue: Catalogue, stamp: Stamp) -> Page:
    """Fill the page from the cover of the workbook: the same figures, sentences and charts."""
    report = next(built for built in catalogue.reports if built.cover is not None)
    cover: Cover = report.cover  # type: ignore[assignment] # found by it
    drawn = tuple(chart for chart in report.charts if chart.kind in (ChartKind.LINE, ChartKind.COLUMN))[:2]
    return Page(
        "Posição financeira",
        stamp.empresa,
        stamp_text(stamp),
        cover.before.split(" ▲")[0],
        stamp.confianca,
        _VERDICTS[stamp.veredito],
        tuple(_figure(tile) for tile in (*cover.tiles[:-1], _with_reason(cover))),
        _write_verdict(cover.verdict),
        WATCH if cover.verdict.tone == NEUTRAL else cover.verdict.tone or NEUTRAL,
        tuple(_figure(tile) for tile in cover.lows),
        drawn,
        tuple(_table(section) for section in cover.blocks),
        f"Data-base {format_date(stamp.data_base)} · execução {stamp.execucao_id} · detalhe em gerencial e no armazém. "
        "Sem documentos e sem contatos de pessoas (LGPD).",
    )


def _with_reason(cover: Cover) -> Tile:
    """Give the last tile, which is that of the result, with what explains it."""
    tile = cover.tiles[-1]
    return replace(tile, lines=(*tile.lines, cover.reason))


def _write_verdict(verdict: Judgement) -> str:
    """Return the verdict, the mark first, and the balance of the worst day.

    >>> _write_verdict(Judgement("✔ Nunca negativo em todos", "pior em 20/03 (conservador): R$ 5,00"))
    '✔ Menor saldo projetado: Nunca negativo em todos; pior em 20/03 (conservador): R$ 5,00'
    >>> _write_verdict(Judgement("Sem saldo projetado"))
    'Menor saldo projetado: Sem saldo projetado'
    """
    mark, _, rest = verdict.text.partition(" ") if verdict.text[:1] in "✔▲✖" else ("", "", verdict.text)
    return "; ".join(part for part in (f"{mark} Menor saldo projetado: {rest}".lstrip(), verdict.detail) if part)


def _figure(tile: Tile) -> Figure:
    value = "n/d" if tile.value is None else _write(tile.value)
    return Figure(tile.title, value, tuple(line for line in tile.lines if line), tile.tone or NEUTRAL)


def _table(section: Section) -> PageTable:
    return PageTable(section.title or "", tuple(_row(row) for row in section.rows))


def _row(row: Row) -> tuple[str, str]:
    """Make a sentence of a row, its day before the text; links lead into the workbook and are left out."""
    values = [inner_value(cell) for cell in row.cells]
    texts = [value for value in values if isinstance(value, str)]
    days = [f"{value:%d/%m}" for value in values if isinstance(value, date)]
    amounts = [_write(value) for value in values if isinstance(value, Decimal | int)]
    return " · ".join([*days, *texts]), " ".join(amounts)


def _write(value: Value) -> str:
    if isinstance(value, Decimal):
        return format_brl(value)
    return str(value.text) if isinstance(value, Link) else str(value)
