"""The page to send, as HTML and as PDF: the same value, the same bytes, every accent, nothing from anywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from lastro.grid.cells import Kind
from lastro.grid.charts import Chart, ChartKind, Series
from lastro.grid.cover import Cover, CoverPart, Judgement, Tile
from lastro.grid.printed_page import print_cover, write_cover
from lastro.page.files import build_page
from lastro.page.html import render_html
from lastro.page.model import BAD, Page
from lastro.reports.cover.lines import build_lines
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import golden_catalogue

DAYS = tuple(date(2026, 3, day) for day in range(1, 11))


def make_part(name: str, title: str, rows: Sequence[tuple[str, Decimal | int | None]], **more: Any) -> CoverPart:
    return CoverPart(build_lines(name, title, "Texto", [(text, value, None) for text, value in rows]), **more)


COVER = Cover(
    "Relatório anterior: 09/03/2026. ▲ ▼",
    None,
    Judgement("✖ Negativo em 20/03 (−7,00)", "além disso 5,00 atrasados", "ruim"),
    (Tile("Contratual", Decimal("-7.00"), Kind.MONEY, ("em 20/03/2026",)),),
    (
        Tile("CAIXA HOJE", Decimal("15980.00"), Kind.MONEY, ("▲ R$ 5,00", "ontem: R$ 1,00"), "bom", name="Saldo atual"),
        Tile("VENCIDO", Decimal("-1.00"), Kind.MONEY),
    ),
    "Resultado contra mar/25: Vendas subiu 1,00.",
    (
        make_part("resumo_fazer_hoje", "FAZER HOJE", [("1  Ligar para D'Ávila Ação", Decimal("-1.00"))]),
        make_part("resumo_alertas", "ALERTAS", [("Achado: Sem categoria", 6)], beyond=2, where="Qualidade"),
    ),
)
PAGE = Page(
    "Posição financeira",
    "Ação & Cia <Ltda>",
    "Data-base 16/03/2026 (seg)",
    "Relatório anterior: 09/03/2026.",
    "NÃO CONFIÁVEL · 1 erro",
    BAD,
    print_cover(COVER),
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
    "Sem documentos",
)


def test_the_html_holds_all_of_it_and_fetches_nothing() -> None:
    text = render_html(PAGE)
    assert "Ação &amp; Cia &lt;Ltda&gt;" in text
    assert "R$ 15.980,00" in text
    assert "D&#x27;Ávila Ação" in text
    assert "e mais 2 em Qualidade" in text
    order = ("✖ Negativo em 20/03", "além disso 5,00", "Contratual", "CAIXA HOJE", "FAZER HOJE", "Por mês", "ALERTAS")
    assert sorted(order, key=text.index) == list(order)
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
    assert (made.body.figures[0].label, made.body.figures[0].value) == ("CAIXA HOJE", "R$ 15.980,00")
    assert [part.title for part in made.body.parts] == [
        "FAZER HOJE",
        "O QUE MUDOU",
        "SITUAÇÃO",
        "ALERTAS",
        "O QUE VENCE NOS PRÓXIMOS 7 DIAS (OS 5 MAIORES)",
    ]
    assert made.body.parts[1].rows == (("Disponível a partir do segundo dia lido.", ""),)
    # Nothing of the golden company falls due in the seven days after D.
    assert made.body.parts[4].rows == (("Nada vence nos próximos 7 dias", ""),)
    assert [low.label for low in made.body.lows] == ["Como os clientes pagam", "Pagando já o atrasado"]


def test_mail_and_terminal_have_the_parts_in_the_same_order() -> None:
    assert write_cover(replace(COVER, provisional=True)).splitlines() == [
        "✖ Negativo em 20/03 (−7,00)",
        "além disso 5,00 atrasados",
        "",
        "Contratual       -R$ 7,00 — VARIAÇÃO, não saldo · em 20/03/2026",
        "",
        "Saldo atual  R$ 15.980,00 — VARIAÇÃO, não saldo · ▲ R$ 5,00 · ontem: R$ 1,00",
        "VENCIDO          -R$ 1,00",
        "",
        "Resultado contra mar/25: Vendas subiu 1,00.",
        "",
        "FAZER HOJE",
        "  1  Ligar para D'Ávila Ação  -R$ 1,00",
        "",
        "ALERTAS",
        "  Achado: Sem categoria  6",
        "  e mais 2 em Qualidade",
    ]


Box = tuple[float, float, float, float]


class Recorder:
    """A canvas that keeps what is written and where, and takes everything else."""

    def __init__(self, width: Callable[[str, str, float], float]) -> None:
        self.texts: list[str] = []
        self.boxes: list[Box] = []
        self._width, self._font, self._to = width, ("", 0.0), (1.0, 0.0, 0.0)

    def setFont(self, name: str, size: float) -> None:  # noqa: N802 - reportlab's name
        self._font = name, size

    def transform(self, scale: float, _b: float, _c: float, _d: float, right: float, up: float) -> None:
        self._to = scale, right, up

    def restoreState(self) -> None:  # noqa: N802
        self._to = 1.0, 0.0, 0.0

    def drawString(self, x: float, y: float, text: str) -> None:  # noqa: N802
        (name, size), (scale, right, up) = self._font, self._to
        box = (x, y - size * 0.2, x + self._width(text, name, size), y + size * 0.75)
        self.texts.append(text)
        self.boxes.append((*(edge * scale + (up if place % 2 else right) for place, edge in enumerate(box)),))  # type: ignore[arg-type]

    def drawRightString(self, x: float, y: float, text: str) -> None:  # noqa: N802
        self.drawString(x - self._width(text, *self._font), y, text)

    def drawCentredString(self, x: float, y: float, text: str) -> None:  # noqa: N802
        self.drawString(x - self._width(text, *self._font) / 2, y, text)

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self

    def list_faults(self) -> list[str]:
        """Name the texts that leave the page and those that lie over one another."""
        told = [*zip(self.texts, self.boxes, strict=True)]
        faults = [text for text, (x, y, right, top) in told if x < 30 or y < 15 or right > 566 or top > 812]
        for (text, one), (other, two) in combinations(told, 2):
            if one[0] < two[2] - 1 and two[0] < one[2] - 1 and one[1] < two[3] - 0.5 and two[1] < one[3] - 0.5:
                faults.append(f"{text} | {other}")
        return faults


def draw(page: Page) -> Recorder:
    page_pdf = pytest.importorskip("lastro.page.pdf")
    page_pdf.render_pdf(page)  # registers the fonts
    canvas = Recorder(page_pdf.pdfmetrics.stringWidth)
    page_pdf._Sheet(canvas).draw(page)
    return canvas


def test_marks_that_the_font_lacks_are_drawn() -> None:
    texts = draw(PAGE).texts
    assert "R$ 5,00" in texts
    assert "Negativo em 20/03 (−7,00)" in texts
    assert not [text for text in texts if set(text) & set("▲▼✔✖")]


def make_full(factor: int) -> Page:
    """A page with every block at its longest, each text `factor` times as long as it is in a good month."""

    def told(start: str, words: int) -> str:
        return f"{start} " + " ".join(f"palavra{number}" for number in range(words * factor))

    figure = Tile(
        told("RESULTADO", 2), Decimal("-99999999999.99"), Kind.MONEY, (told("▼", 4), told("Banco", 6)), "ruim"
    )
    parts = (
        make_part("f", "FAZER HOJE", [(told(f"{n}  Fazer", 9), Decimal("99999999999.99")) for n in range(1, 10)]),
        make_part("m", "O QUE MUDOU", [(told(f"Mudou {n}", 6), Decimal("-9999999.99")) for n in range(8)]),
        make_part("s", "SITUAÇÃO", [(told(f"LINHA {n}:", 16), None) for n in range(5)], least=1, turn=2),
        make_part(
            "a", "ALERTAS", [(told(f"Alerta: {n}", 9), n) for n in range(30)], least=3, turn=1, where="Qualidade"
        ),
        make_part("v", "O QUE VENCE", [(told(f"Vence {n}", 6), Decimal("-9999999.99")) for n in range(5)]),
    )
    series = tuple(replace(PAGE.charts[0].series[0], name=told(f"Série {n}", 2)) for n in range(5))
    cover = replace(
        COVER,
        verdict=Judgement(told("✖ Negativo", 12), told("além disso", 20), "ruim"),
        lows=(figure,) * 4,
        tiles=(figure,) * 4,
        reason=told("Resultado", 20),
        parts=parts,
    )
    charts = (replace(PAGE.charts[0], series=series), PAGE.charts[1])
    return replace(PAGE, empresa=told("Ltda", 4), body=print_cover(cover), charts=charts)


@pytest.mark.parametrize("factor", [0, 1, 2, 4])
def test_nothing_overlaps_or_runs_off_and_what_must_stay_stays(factor: int) -> None:
    full = make_full(factor)
    canvas = draw(full)
    assert canvas.list_faults() == []
    said = re.sub(r" (?=[-\d.,]*R\$)", "  ", " ".join(canvas.texts))
    kept = [full.body.headline[2:], full.body.detail, full.body.reason]
    kept += [text for part in (0, 1, 4) for text, _ in full.body.parts[part].rows]
    kept += [text for text, _ in full.body.parts[3].rows[:3]]
    # Amounts stand between the first line of a row and its second one.
    plain = re.sub(r"-?R\$ [\d.,]+ *", "", said).replace("  ", " ")
    assert [text for text in kept if text.replace("  ", " ") not in plain] == []
    standing = sum(text.startswith("LINHA ") for text in canvas.texts)
    assert (standing >= 1, f"e mais {5 - standing}" in canvas.texts) == (True, standing < 5)
    shown = sum(text.startswith("Alerta: ") for text in canvas.texts)
    assert (shown >= 3, f"e mais {30 - shown} em Qualidade" in canvas.texts) == (True, shown < 30)
    # In better weather there is room for charts, whose legends have a room of their own.
    better = draw(replace(PAGE, charts=full.charts))
    assert (better.list_faults(), {"Saldo diário", "Por mês"} <= {*better.texts}) == ([], True)


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
    assert render_pdf(replace(PAGE, charts=())) != content
