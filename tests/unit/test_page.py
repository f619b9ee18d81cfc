"""The page to send, as HTML and as PDF: the same value, the same bytes, every accent, nothing from anywhere else."""

from __future__ import annotations

import doctest
import importlib
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.export import looks
from lastro.grid.charts import Chart, ChartKind, Series
from lastro.page import option as page
from lastro.page.html import render_html
from lastro.page.model import BAD, GOOD, Figure, Page, PageTable
from lastro.page.option import build_page
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import golden_catalogue

DAYS = tuple(date(2026, 3, day) for day in range(1, 11))
PAGE = Page(
    "Posição financeira",
    "Ação & Cia <Ltda>",
    "Data-base 16/03/2026 (seg)",
    "Relatório anterior: 09/03/2026.",
    "NÃO CONFIÁVEL · 1 erro",
    BAD,
    (Figure("CAIXA HOJE", "R$ 15.980,00", ("▲ R$ 5,00", "ontem: R$ 1,00"), GOOD), Figure("VENCIDO", "-R$ 1,00")),
    "✖ Menor saldo projetado: Negativo em 20/03",
    BAD,
    (Figure("Contratual", "-R$ 7,00", ("em 20/03/2026",)),),
    (
        Chart(
            "Saldo diário",
            ChartKind.LINE,
            DAYS,
            (
                Series("Realizado", (*(Decimal(day) * 100 for day in range(1, 6)), *[None] * 5), "1565C0"),
                Series(
                    "Projetado", (*[None] * 4, *(Decimal(100 * day) for day in range(5, 11))), "90CAF9", dashed=True
                ),
            ),
        ),
        Chart(
            "Por mês",
            ChartKind.COLUMN,
            ("jan/26", "fev/26"),
            (
                Series("Entradas", (Decimal(10), Decimal(-3)), "2E7D32"),
                Series("Saldo", (Decimal(5), Decimal(0)), "1565C0", line=True),
            ),
        ),
    ),
    (PageTable("FAZER HOJE", (("1  Ligar para D'Ávila Ação", "-R$ 1,00"), ("V01", ""))), PageTable("Nada", ())),
    "Sem documentos",
)


def test_the_html_holds_all_of_it_and_fetches_nothing() -> None:
    text = render_html(PAGE)
    assert "Ação &amp; Cia &lt;Ltda&gt;" in text
    assert "R$ 15.980,00" in text
    assert "D&#x27;Ávila Ação" in text
    assert "Nada a mostrar" in text
    assert "✖ Menor saldo projetado: Negativo em 20/03" in text
    assert text.index("CAIXA HOJE") < text.index("Contratual") < text.index("FAZER HOJE") < text.index("Por mês")
    assert not re.search(r"(?:src|href|url|@import|<script|<style|<link|<img)\b", text)
    assert 'name="viewport"' in text
    assert render_html(PAGE) == text


def find_bars(text: str) -> list[tuple[str, str, str]]:
    """Find the bars: points from the top, height, colour."""
    return re.findall(r"padding:(\d+)px[^>]*><div style=\"height:(\d+)px;background:#(\w+)", text)


def test_bars_are_as_high_as_their_amounts() -> None:
    text = render_html(replace(PAGE, charts=PAGE.charts[1:]))
    # From -3 to 10 in 90 points: 10 is 69 from the top down to zero, -3 the 21 from there down, in red.
    assert find_bars(text) == [("0", "69", "2E7D32"), ("69", "21", "C62828")]


def test_the_bar_of_a_balance_below_zero_hangs_from_zero() -> None:
    chart = replace(PAGE.charts[1], kind=ChartKind.LINE)
    worse = Series("Saldo", (Decimal(-90), Decimal(-10)), "1F3A5F", line=True)
    scenario = Series("Cenário", (Decimal(-900), None), "C62828", line=True)
    text = render_html(replace(PAGE, charts=(replace(chart, series=(worse, worse, scenario)),)))
    # From -90 to 0 in 90 points; what is not drawn does not stretch the scale.
    assert find_bars(text) == [("0", "90", "C62828")] * 2 + [("0", "10", "C62828")] * 2
    assert "de -R$ 90,00 a -R$ 10,00" in text


def test_what_is_projected_is_lighter() -> None:
    columns = replace(PAGE.charts[1], series=(Series("Entradas", (Decimal(10), Decimal(5)), "2E7D32", light_from=1),))
    # Half way from 2E7D32 to white: (2E + FF) / 2, (7D + FF) / 2, (32 + FF) / 2.
    text = render_html(replace(PAGE, charts=(columns,)))
    assert find_bars(text) == [("0", "90", "2E7D32"), ("45", "45", "96BE98")]


def test_the_page_says_what_the_cover_says() -> None:
    catalogue = golden_catalogue()
    made = build_page(catalogue, STAMP)
    # Golden company on 16/03/2026: tests/golden/expected.py.
    assert (made.figures[0].label, made.figures[0].value) == ("CAIXA HOJE", "R$ 15.980,00")
    assert [table.title for table in made.tables] == [
        "FAZER HOJE",
        "O QUE MUDOU",
        "ALERTAS",
        "O QUE VENCE NOS PRÓXIMOS 7 DIAS (OS 5 MAIORES)",
    ]
    assert made.tables[1].rows == (("Disponível a partir da segunda execução.", ""),)
    # Nothing of the golden company falls due in the seven days after D.
    assert made.tables[3].rows == (("Nada vence nos próximos 7 dias", ""),)
    assert [low.label for low in made.lows] == ["Tudo no vencimento", "Pagando já o atrasado", "Como os clientes pagam"]


class Recorder:
    """A canvas that keeps what is written, and takes everything else."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.sizes: list[float] = []

    def setFont(self, _: str, size: float) -> None:  # noqa: N802 - reportlab's name
        self.sizes.append(size)

    def drawString(self, _x: float, _y: float, text: str) -> None:  # noqa: N802
        self.texts.append(text)

    drawRightString = drawString  # noqa: N815

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


def draw(page: Page) -> Recorder:
    page_pdf = pytest.importorskip("lastro.page.pdf")
    page_pdf.render_pdf(page)  # registers the fonts
    canvas = Recorder()
    page_pdf._Sheet(canvas).draw(page)
    return canvas


def test_a_long_label_is_set_smaller_before_it_is_cut() -> None:
    plain = replace(PAGE, charts=(), tables=(), lows=())
    # A quarter of the page is 130 points wide.
    shown, cut = "RESULTADO NOV (até dia 23)", "RESULTADO NOVEMBRO E DEZEMBRO (até dia 23)"
    assert shown in draw(replace(plain, figures=(Figure(shown, "R$ 1,00"),) * 4)).texts
    canvas = draw(replace(plain, figures=(Figure(cut, "R$ 1,00"),) * 4))
    assert cut not in canvas.texts
    assert min(canvas.sizes) == 6.5


def test_marks_that_the_font_lacks_are_drawn() -> None:
    texts = draw(PAGE).texts
    assert "R$ 5,00" in texts
    assert "Menor saldo projetado: Negativo em 20/03" in texts
    assert not [text for text in texts if set(text) & set("▲▼✔✖")]


def test_more_alerts_than_fit_are_counted() -> None:
    alerts = PageTable("ALERTAS", tuple((f"Alerta Q{number:02}", "1") for number in range(60)))
    texts = draw(replace(PAGE, tables=(alerts,))).texts
    shown = [text for text in texts if text.startswith("Alerta Q")]
    assert 10 < len(shown) < 60
    assert f"… e mais {60 - len(shown)} em gerencial" in texts


@pytest.mark.parametrize("module", [looks, page, "page_pdf"])
def test_examples_in_docstrings_hold(module: Any) -> None:
    if module == "page_pdf":
        pytest.importorskip("reportlab")
        module = importlib.import_module("lastro.page.pdf")
    assert doctest.testmod(module).failed == 0


def test_a_chart_of_nothing_is_left_out() -> None:
    empty = replace(PAGE.charts[1], series=(Series("Entradas", (None, None), "2E7D32"),))
    assert "Por mês" not in render_html(replace(PAGE, charts=(empty,)))


def test_the_pdf_is_one_page_with_its_fonts_and_the_same_bytes() -> None:
    pytest.importorskip("reportlab")
    from lastro.page.pdf import render_pdf

    content = render_pdf(PAGE)
    assert content == render_pdf(PAGE)
    assert content.count(b"/Type /Page\n") == 1
    assert b"/FontFile2" in content
    assert b"/BaseFont /Helvetica" not in content
    assert render_pdf(replace(PAGE, charts=(), tables=())) != content
