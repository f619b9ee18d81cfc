"""The page to send, filled from the cover: names of people are on it, their documents and contacts never."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

from lastro.catalogue import Catalogue
from lastro.export.heading import stamp_text
from lastro.export.xlsx import write_file
from lastro.extras import is_installed
from lastro.grid.charts import ChartKind
from lastro.grid.cover import Cover
from lastro.grid.printed_page import print_cover
from lastro.grid.verdict import CONFIAVEL, NAO_CONFIAVEL
from lastro.grid.words import format_date
from lastro.grid.workbook import Stamp
from lastro.page.html import render_html
from lastro.page.model import BAD, GOOD, WATCH, Page
from lastro.run.names import RESUMO, name_written

_TONES: Final = {CONFIAVEL: GOOD, NAO_CONFIAVEL: BAD}
"""How a verdict is painted; the others ask to be looked at."""


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
        _TONES.get(stamp.trust.word, WATCH),
        print_cover(cover),
        drawn,
        f"Data-base {format_date(stamp.data_base)} · execução {stamp.execucao_id} · detalhe em gerencial e no armazém. "
        "Sem documentos e sem contatos de pessoas (LGPD).",
    )
