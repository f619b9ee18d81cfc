"""The page as one sheet of A4: reportlab (extra `pdf`), fonts inside the file, the same bytes for the same page."""

from __future__ import annotations

from collections.abc import Sequence
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
from lastro.export.looks import lighten
from lastro.grid.charts import Chart, ChartKind, Series, choose_axes, label_category, split_series
from lastro.page.model import BAD, COLOURS, NEUTRAL, NOTHING, Figure, Page, PageTable

PLAIN, BOLD = "lastro-texto", "lastro-negrito"
_FILES: Final = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf"}
"""Fonts that come with reportlab and have every accent; Helvetica would not be inside the file."""
_WIDTH, _HEIGHT = A4
_STAMP_SIZE: Final = 7.5
_MARGIN: Final = 36
_GREY, _LINE, _DARK = "#616161", "#E0E0E0", "#212121"
_BAND: Final = "#1F3A5F"
_SMALLEST: Final = 6.5
"""Points; what does not fit at this size is cut with "…"."""
Point = tuple[float, float]
_MARKS: Final[dict[str, tuple[Point, ...]]] = {
    "▲": ((0, 0), (1, 0), (0.5, 1), (0, 0)),
    "▼": ((0, 1), (1, 1), (0.5, 0), (0, 1)),
    "✔": ((0, 0.45), (0.35, 0.05), (1, 0.95)),
    "✖": ((0, 0), (1, 1), (0.5, 0.5), (0, 1), (1, 0)),
}
"""Marks by the corners of their shape in a square of one."""


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
        self._figures(page.figures, big=True)
        if page.lows:
            self._write(_MARGIN, self._y - 2, page.outlook, 9, COLOURS[page.outlook_tone], BOLD)
            self._y -= 18
            self._figures(page.lows, big=False)
            self._y -= 6
        first, rest = page.tables[:1], page.tables[1:]
        for table in first:
            self._table(table)
        if page.charts:
            self._charts(page.charts)
        for table in rest:
            self._table(table)
        self._write(_MARGIN, _MARGIN - 10, page.footer, 7, _GREY)

    def _write(
        self, x: float, y: float, text: str, size: float, colour: str = _DARK, font: str = PLAIN, right: float = 0
    ) -> None:
        """Write a text, cut with "…" where it would run beyond `right` points; a mark before it is drawn."""
        text = clean_text(text)
        if text[:1] in _MARKS:
            self._draw_mark(_MARKS[text[0]], x, y, size * 0.75, colour)
            text, x, right = text[1:].lstrip(), x + size, right and right - size
        limit = right or _WIDTH - _MARGIN - x
        while text and pdfmetrics.stringWidth(text, font, size) > limit:
            text = text[:-2] + "…"
        self._canvas.setFont(font, size)
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.drawString(x, y, text)

    def _draw_mark(self, mark: tuple[Point, ...], x: float, y: float, size: float, colour: str) -> None:
        """Draw what the fonts do not have: a closed shape is filled, an open one is a stroke."""
        path = self._canvas.beginPath()
        path.moveTo(x + mark[0][0] * size, y + mark[0][1] * size)
        for across, up in mark[1:]:
            path.lineTo(x + across * size, y + up * size)
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.setStrokeColor(HexColor(colour))
        self._canvas.setLineWidth(size / 5)
        closed = mark[0] == mark[-1]
        self._canvas.drawPath(path, stroke=int(not closed), fill=int(closed))

    def _write_right(self, x: float, y: float, text: str, colour: str) -> None:
        self._canvas.setFont(PLAIN, 8.5)
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.drawRightString(x, y, clean_text(text))

    def _head(self, page: Page) -> None:
        self._y -= 14
        self._write(_MARGIN, self._y, f"{page.title} — {page.empresa}", 16, _BAND, BOLD)
        self._y -= 4
        for line in (*_wrap(page.stamp, _WIDTH - 2 * _MARGIN), page.before):
            self._y -= 11
            self._write(_MARGIN, self._y, line, _STAMP_SIZE, _GREY)
        self._y -= 19
        width = pdfmetrics.stringWidth(page.verdict, BOLD, 9) + 14
        self._canvas.setFillColor(HexColor(COLOURS[page.tone]))
        self._canvas.roundRect(_MARGIN, self._y - 4, width, 15, 3, stroke=0, fill=1)
        self._write(_MARGIN + 7, self._y, page.verdict, 9, "#FFFFFF", BOLD)
        self._y -= 20

    def _figures(self, figures: Sequence[Figure], *, big: bool) -> None:
        """Draw figures side by side; a label or note that is too long is set smaller before it is cut."""
        if not figures:
            return
        width = (_WIDTH - 2 * _MARGIN) / len(figures)
        lines = max(len(figure.notes) for figure in figures)
        height = (30 if big else 22) + 10 * lines
        for place, figure in enumerate(figures):
            x = _MARGIN + place * width
            room = width - 12
            self._canvas.setFillColor(HexColor(COLOURS[figure.tone]))
            self._canvas.rect(x, self._y - height + 12, 2.5, height - 6, stroke=0, fill=1)
            self._fit(x + 7, self._y - 3, figure.label, 7.5, _GREY, BOLD if big else PLAIN, room)
            below = self._y - (20 if big else 15)
            self._fit(x + 7, below, figure.value, 14 if big else 10, _DARK, BOLD, room)
            for index, note in enumerate(figure.notes):
                colour = COLOURS[figure.tone] if index == 0 and figure.tone != NEUTRAL else _GREY
                self._fit(x + 7, below - 11 - 10 * index, note, 7.5, colour, PLAIN, room)
        self._y -= height + 8

    def _fit(self, x: float, y: float, text: str, size: float, colour: str, font: str, room: float) -> None:
        while size > _SMALLEST and pdfmetrics.stringWidth(clean_text(text), font, size) > room:
            size -= 0.25
        self._write(x, y, text, size, colour, font, room)

    def _charts(self, charts: Sequence[Chart]) -> None:
        height, gap = 165, 16
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
        left = len(table.rows)
        for text, amount in table.rows or ((NOTHING, ""),):
            if self._y < _MARGIN + 14 and left > 1:
                self._write(_MARGIN, self._y, f"… e mais {left} em gerencial", 7.5, _GREY)
                return
            left -= 1
            room = _WIDTH - 2 * _MARGIN - (pdfmetrics.stringWidth(amount, PLAIN, 8.5) + 10 if amount else 0)
            self._fit(_MARGIN, self._y, text, 8.5, _DARK, PLAIN, room)
            self._write_right(_WIDTH - _MARGIN, self._y, amount, COLOURS[BAD] if amount[:1] == "-" else _DARK)
            self._y -= 3.5
            self._rule(_LINE, 0.4)
            self._y -= 9.5
        self._y -= 7

    def _rule(self, colour: str, width: float) -> None:
        self._canvas.setStrokeColor(HexColor(colour))
        self._canvas.setLineWidth(width)
        self._canvas.line(_MARGIN, self._y, _WIDTH - _MARGIN, self._y)


def _draw_chart(canvas: Any, chart: Chart, x: float, y: float, width: float, height: float) -> None:
    """Draw a chart of lines or columns with its scale, first and last labels and legend.

    Lines over columns have a scale of their own on the right: flows and balances differ tenfold.
    """
    _put(canvas, x, y + height - 8, chart.title, 8.5, _BAND, BOLD)
    columns, lines = split_series(chart)
    right = x + width - (40 if columns and lines else 0)
    box = (x + 40, y + 34, right, y + height - 18)
    for drawn, levels, on_left in zip((columns, lines), choose_axes(chart), (True, not columns), strict=True):
        if levels:
            plot = _Plot(canvas, chart, box, levels)
            plot.draw_scale(on_left=on_left)
            (plot.draw_columns if drawn is columns else plot.draw_lines)(drawn)
    start, row = x, y + 12
    for data_series in chart.series:
        room = 20 + pdfmetrics.stringWidth(data_series.name, PLAIN, 6.5)
        if start + room > x + width:
            start, row = x, row - 10
        canvas.setFillColor(HexColor(f"#{data_series.colour}"))
        if data_series.line or chart.kind is ChartKind.LINE:
            size = (2.5, 2.5) if data_series.point else (9, 1.6)
            canvas.rect(start, row + 1.4, *size, stroke=0, fill=1)
        else:
            canvas.rect(start, row, 7, 5, stroke=0, fill=1)
        _put(canvas, start + 11, row, data_series.name, 6.5, _GREY)
        start += room


class _Plot:
    """The inside of a chart: `box` is left, bottom, right and top in points, `levels` what its axis names."""

    def __init__(
        self, canvas: Any, chart: Chart, box: tuple[float, float, float, float], levels: Sequence[Decimal]
    ) -> None:
        self._canvas = canvas
        self._chart = chart
        self._left, self._bottom, self._right, self._top = box
        self._levels = levels
        self._across = (self._right - self._left) / max(len(chart.categories), 1)

    def _at(self, value: Decimal | int) -> float:
        low, high = self._levels[0], self._levels[-1]
        return self._bottom + float((Decimal(value) - low) / (high - low)) * (self._top - self._bottom)

    def draw_scale(self, *, on_left: bool) -> None:
        """Draw the levels with their amounts, and on the left axis three labels below."""
        canvas = self._canvas
        canvas.setFont(PLAIN, 6.5)
        for level in self._levels:
            text = _write_thousands(level)
            if on_left:
                canvas.setStrokeColor(HexColor(_LINE))
                canvas.setLineWidth(0.4)
                canvas.line(self._left, self._at(level), self._right, self._at(level))
            canvas.setFillColor(HexColor(_GREY))
            if on_left:
                canvas.drawRightString(self._left - 3, self._at(level) - 2, text)
            else:
                canvas.drawString(self._right + 3, self._at(level) - 2, text)
        if not on_left:
            return
        last = len(self._chart.categories) - 1
        for place in sorted({0, last // 2, last}):
            text = label_category(self._chart.categories[place])
            canvas.drawCentredString(self._left + self._across * (place + 0.5), self._bottom - 9, text)

    def draw_columns(self, columns: Sequence[Series]) -> None:
        """Draw the columns from zero; what is projected is lighter."""
        base = self._at(0)
        for bar, data_series in enumerate(columns):
            part = self._across * 0.8 / len(columns)
            for place, value in enumerate(data_series.values):
                if value is not None:
                    projected = data_series.light_from is not None and place >= data_series.light_from
                    self._canvas.setFillColor(
                        HexColor(f"#{lighten(data_series.colour) if projected else data_series.colour}")
                    )
                    start, end = self._left + self._across * (place + 0.1) + part * bar, self._at(value)
                    self._canvas.rect(start, min(base, end), part, abs(end - base), stroke=0, fill=1)

    def draw_lines(self, lines: Sequence[Series]) -> None:
        """Draw the lines and the points; a gap is bridged by nothing, for no chart of ours has one inside."""
        for data_series in lines:
            points = [
                (self._left + self._across * (place + 0.5), self._at(value))
                for place, value in enumerate(data_series.values)
                if value is not None
            ]
            colour = HexColor(f"#{data_series.colour}")
            if data_series.point:
                self._canvas.setFillColor(colour)
                for x, y in points:
                    self._canvas.circle(x, y, 3, stroke=0, fill=1)
                continue
            self._canvas.setStrokeColor(colour)
            self._canvas.setLineWidth(1.4)
            self._canvas.setDash(*((3, 2) if data_series.dashed else ()))
            self._canvas.lines([(*start, *end) for start, end in pairwise(points)])
            self._canvas.setDash()


def _wrap(text: str, room: float) -> list[str]:
    """Cut a text into lines that fit, between words."""
    lines: list[str] = []
    for word in clean_text(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and pdfmetrics.stringWidth(longer, PLAIN, _STAMP_SIZE) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _put(canvas: Any, x: float, y: float, text: str, size: float, colour: str, font: str = PLAIN) -> None:
    canvas.setFont(font, size)
    canvas.setFillColor(HexColor(colour))
    canvas.drawString(x, y, clean_text(text))


def _write_thousands(value: Decimal) -> str:
    """Write a level of an axis in thousands of reais, or in reais where it has less.

    >>> _write_thousands(Decimal("-12500")), _write_thousands(Decimal("620000")), _write_thousands(Decimal("0"))
    ('-R$ 12,5 mil', 'R$ 620 mil', 'R$ 0')
    """
    sign, size = "-" if value < 0 else "", abs(value)
    unit, size = (" mil", size / 1000) if size >= 1000 else ("", size)
    text = f"{size.normalize():,f}".translate(str.maketrans(",.", ".,"))
    return f"{sign}R$ {text}{unit}"
