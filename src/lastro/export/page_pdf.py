"""The page as one sheet of A4: reportlab (extra `pdf`), fonts inside the file, the same bytes for the same page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from io import BytesIO
from itertools import pairwise
from typing import Any, Final

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from lastro.export.cells import clean_text
from lastro.export.page_html import COLOURS
from lastro.grid.model import Chart, ChartKind
from lastro.grid.page import Page, PageTable

PLAIN, BOLD = "lastro-texto", "lastro-negrito"
_FILES: Final = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf"}
"""Fonts that come with reportlab and have every accent; Helvetica would not be inside the file."""
_WIDTH, _HEIGHT = A4
_MARGIN: Final = 36
_GREY, _LINE, _DARK = "#616161", "#E0E0E0", "#212121"
_BAND: Final = "#1F3A5F"


def render_pdf(page: Page) -> bytes:
    """Write the page; its bytes depend on the value alone."""
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, file))
    stream = BytesIO()
    canvas = Canvas(stream, pagesize=A4, initialFontName=PLAIN, invariant=1, pageCompression=1, lang="pt-BR")
    canvas.setTitle(f"{page.title} — {page.empresa}")
    canvas.setAuthor("lastro")
    _Sheet(canvas).draw(page)
    canvas.showPage()
    canvas.save()
    return stream.getvalue()


class _Sheet:
    """Draws from the top down; `y` is where the next thing begins."""

    def __init__(self, canvas: Any) -> None:
        self._canvas = canvas
        self._y = _HEIGHT - _MARGIN

    def draw(self, page: Page) -> None:
        """Draw everything."""
        self._head(page)
        self._figures(page)
        if page.charts:
            self._charts(page.charts)
        for table in page.tables:
            self._table(table)
        self._write(_MARGIN, _MARGIN - 10, page.footer, 6.5, _GREY)

    def _write(
        self, x: float, y: float, text: str, size: float, colour: str = _DARK, font: str = PLAIN, right: float = 0
    ) -> None:
        """Write a text, cut with "…" where it would run beyond `right` points."""
        text = clean_text(text)
        limit = right or _WIDTH - _MARGIN - x
        while text and pdfmetrics.stringWidth(text, font, size) > limit:
            text = text[:-2] + "…"
        self._canvas.setFont(font, size)
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.drawString(x, y, text)

    def _write_right(self, x: float, y: float, text: str, size: float, colour: str = _DARK, font: str = PLAIN) -> None:
        self._canvas.setFont(font, size)
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.drawRightString(x, y, clean_text(text))

    def _head(self, page: Page) -> None:
        self._y -= 14
        self._write(_MARGIN, self._y, f"{page.title} — {page.empresa}", 15, _BAND, BOLD)
        self._y -= 15
        self._write(_MARGIN, self._y, page.stamp, 7.5, _GREY)
        self._y -= 20
        width = pdfmetrics.stringWidth(page.verdict, BOLD, 9) + 14
        self._canvas.setFillColor(HexColor(COLOURS[page.tone]))
        self._canvas.roundRect(_MARGIN, self._y - 4, width, 15, 3, stroke=0, fill=1)
        self._write(_MARGIN + 7, self._y, page.verdict, 9, "#FFFFFF", BOLD)
        self._y -= 18

    def _figures(self, page: Page) -> None:
        across = 4
        width = (_WIDTH - 2 * _MARGIN) / across
        for start in range(0, len(page.figures), across):
            for place, figure in enumerate(page.figures[start : start + across]):
                x = _MARGIN + place * width
                self._canvas.setFillColor(HexColor(COLOURS[figure.tone]))
                self._canvas.rect(x, self._y - 34, 2.5, 38, stroke=0, fill=1)
                self._write(x + 7, self._y - 3, figure.label, 6.8, _GREY, right=width - 12)
                self._write(x + 7, self._y - 18, figure.value, 12, COLOURS[figure.tone], BOLD, right=width - 12)
                self._write(x + 7, self._y - 30, figure.note, 6.3, _GREY, right=width - 12)
            self._y -= 52

    def _charts(self, charts: Sequence[Chart]) -> None:
        height, gap = 150, 14
        width = (_WIDTH - 2 * _MARGIN - gap * (len(charts) - 1)) / len(charts)
        self._y -= 2
        for place, chart in enumerate(charts):
            _draw_chart(self._canvas, chart, _MARGIN + place * (width + gap), self._y - height, width, height)
        self._y -= height + 18

    def _table(self, table: PageTable) -> None:
        self._write(_MARGIN, self._y, table.title, 9, _BAND, BOLD)
        self._y -= 4
        self._rule(_BAND, 0.8)
        self._y -= 11
        if not table.rows:
            self._write(_MARGIN, self._y, table.empty, 8, _GREY)
            self._y -= 20
            return
        room = _WIDTH - 2 * _MARGIN
        places = [_MARGIN, _MARGIN + room * 0.34, _MARGIN + room * 0.62, _WIDTH - _MARGIN]
        self._row(table.heads, places, 6.8, _GREY)
        for row in table.rows:
            self._row(row, places, 8, _DARK)
        self._y -= 8

    def _row(self, cells: Sequence[str], places: Sequence[float], size: float, colour: str) -> None:
        for place, text in enumerate(cells[:-1]):
            until = places[place + 1] - (90 if place == len(cells) - 2 else 6)
            self._write(places[place], self._y, text, size, colour, right=until - places[place])
        self._write_right(places[-1], self._y, cells[-1], size, colour)
        self._y -= 3.5
        self._rule(_LINE, 0.4)
        self._y -= 9.5

    def _rule(self, colour: str, width: float) -> None:
        self._canvas.setStrokeColor(HexColor(colour))
        self._canvas.setLineWidth(width)
        self._canvas.line(_MARGIN, self._y, _WIDTH - _MARGIN, self._y)


def _draw_chart(canvas: Any, chart: Chart, x: float, y: float, width: float, height: float) -> None:
    """Draw a chart of lines or columns with its scale, first and last labels and legend."""
    _put(canvas, x, y + height - 8, chart.title, 8, _BAND, BOLD)
    values = [Decimal(value) for one in chart.series for value in one.values if value is not None]
    if values:
        scale = _choose_scale(values, from_zero=chart.kind is not ChartKind.LINE)
        plot = _Plot(canvas, chart, (x + 40, y + 28, x + width, y + height - 16), scale)
        plot.draw_scale()
        plot.draw_columns()
        plot.draw_lines()
        start = x
        for one in chart.series:
            canvas.setFillColor(HexColor(f"#{one.colour}"))
            canvas.rect(start, y + 6, 7, 5, stroke=0, fill=1)
            _put(canvas, start + 9, y + 6, one.name, 6, _GREY)
            start += 18 + pdfmetrics.stringWidth(one.name, PLAIN, 6)


class _Plot:
    """The inside of a chart: `box` is left, bottom, right and top in points, `scale` the ends of its axis."""

    def __init__(
        self, canvas: Any, chart: Chart, box: tuple[float, float, float, float], scale: tuple[Decimal, Decimal]
    ) -> None:
        self._canvas = canvas
        self._chart = chart
        self._left, self._bottom, self._right, self._top = box
        self._low, self._high = scale
        self._across = (self._right - self._left) / max(len(chart.categories), 1)
        self._columns = [one for one in chart.series if not one.line and chart.kind is not ChartKind.LINE]

    def _at(self, value: Decimal | int) -> float:
        part = (Decimal(value) - self._low) / (self._high - self._low)
        return self._bottom + float(part) * (self._top - self._bottom)

    def draw_scale(self) -> None:
        """Draw five levels with their amounts, and three labels below."""
        canvas = self._canvas
        for step in range(5):
            level = self._low + (self._high - self._low) * step / 4
            canvas.setStrokeColor(HexColor(_LINE))
            canvas.setLineWidth(0.4)
            canvas.line(self._left, self._at(level), self._right, self._at(level))
            canvas.setFont(PLAIN, 6)
            canvas.setFillColor(HexColor(_GREY))
            canvas.drawRightString(self._left - 3, self._at(level) - 2, _write_thousands(level))
        last = len(self._chart.categories) - 1
        for place in sorted({0, last // 2, last}):
            category = self._chart.categories[place]
            text = f"{category:%d/%m}" if isinstance(category, date) else category
            canvas.drawCentredString(self._left + self._across * (place + 0.5), self._bottom - 9, text)

    def draw_columns(self) -> None:
        """Draw the columns from zero, or from the bottom where zero is not in sight."""
        base = self._at(0) if self._low <= 0 <= self._high else self._bottom
        for number, one in enumerate(self._columns):
            self._canvas.setFillColor(HexColor(f"#{one.colour}"))
            part = self._across * 0.8 / len(self._columns)
            for place, value in enumerate(one.values):
                if value is not None:
                    start, end = self._left + self._across * (place + 0.1) + part * number, self._at(value)
                    self._canvas.rect(start, min(base, end), part, abs(end - base), stroke=0, fill=1)

    def draw_lines(self) -> None:
        """Draw the lines; a gap is bridged by nothing, for no chart of ours has one inside."""
        for one in self._chart.series:
            if one in self._columns:
                continue
            points = [
                (self._left + self._across * (place + 0.5), self._at(value))
                for place, value in enumerate(one.values)
                if value is not None
            ]
            self._canvas.setStrokeColor(HexColor(f"#{one.colour}"))
            self._canvas.setLineWidth(1.4)
            self._canvas.setDash(*((3, 2) if one.dashed else ()))
            self._canvas.lines([(*start, *end) for start, end in pairwise(points)])
            self._canvas.setDash()


def _put(canvas: Any, x: float, y: float, text: str, size: float, colour: str, font: str = PLAIN) -> None:
    canvas.setFont(font, size)
    canvas.setFillColor(HexColor(colour))
    canvas.drawString(x, y, clean_text(text))


def _choose_scale(values: Sequence[Decimal], *, from_zero: bool) -> tuple[Decimal, Decimal]:
    """Choose the ends of an axis; a line of balances far from zero shows how it moves."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, Decimal(0)), max(high, Decimal(0))
    spread = high - low or Decimal(1)
    return (low if from_zero else low - spread / 10), high + spread / 10


def _write_thousands(value: Decimal) -> str:
    """Write a level of an axis in thousands of reais.

    >>> _write_thousands(Decimal("-12345.6")), _write_thousands(Decimal("0"))
    ('-12,3 mil', '0')
    """
    if not value:
        return "0"
    return f"{value / 1000:,.1f} mil".translate(str.maketrans(",.", ".,"))
