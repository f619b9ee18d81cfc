"""The page to send, as HTML and as PDF: the same value, the same bytes, every accent, nothing from anywhere else."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from lastro.export.page_html import render_html
from lastro.grid.model import Chart, ChartKind, Series
from lastro.grid.page import BAD, GOOD, Figure, Page, PageTable

DAYS = tuple(date(2026, 3, day) for day in range(1, 11))
PAGE = Page(
    "Posição financeira",
    "Ação & Cia <Ltda>",
    "Data-base 16/03/2026 (seg)",
    "NÃO CONFIÁVEL · 1 erro",
    BAD,
    (Figure("Saldo atual", "R$ 15.980,00", "+R$ 5,00", GOOD), Figure("Vencido", "-R$ 1,00")),
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
    (PageTable("Quem deve", ("Cliente", "Valor"), (("D'Ávila Ação", "R$ 1,00"),)), PageTable("Nada", ("A", "B"), ())),
    "Sem documentos",
)


def test_the_html_holds_all_of_it_and_fetches_nothing() -> None:
    text = render_html(PAGE)
    assert "Ação &amp; Cia &lt;Ltda&gt;" in text
    assert "R$ 15.980,00" in text
    assert "D&#x27;Ávila Ação" in text
    assert "Nada a mostrar" in text
    assert not re.search(r"(?:src|href|url|@import|<script|<style|<link|<img)\b", text)
    assert 'name="viewport"' in text
    assert render_html(PAGE) == text


def test_bars_are_as_high_as_their_amounts() -> None:
    text = render_html(replace(PAGE, charts=PAGE.charts[1:]))
    # From zero to 10, 90 points high: 10 is 90, 3 below zero is 27 in red.
    assert re.findall(r"height:(\d+)px;background:#(\w+)", text) == [("90", "2E7D32"), ("27", "C62828")]


def test_a_chart_of_nothing_is_left_out() -> None:
    empty = replace(PAGE.charts[1], series=(Series("Entradas", (None, None), "2E7D32"),))
    assert "Por mês" not in render_html(replace(PAGE, charts=(empty,)))


def test_the_pdf_is_one_page_with_its_fonts_and_the_same_bytes() -> None:
    pytest.importorskip("reportlab")
    from lastro.export.page_pdf import render_pdf

    content = render_pdf(PAGE)
    assert content == render_pdf(PAGE)
    assert content.count(b"/Type /Page\n") == 1
    assert b"/FontFile2" in content
    assert b"/BaseFont /Helvetica" not in content
    assert render_pdf(replace(PAGE, charts=(), tables=())) != content
