"""The page as one sheet of A4: reportlab (extra `pdf`), fonts inside the file, the same bytes for the same page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from itertools import pairwise
from math import ceil
from typing import Any, Final

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from lastro.export.cells import clean_text
from lastro.export.looks import lighten
from lastro.grid.charts import Chart, ChartKind, Series, choose_axes, label_category, split_series
from lastro.grid.cover import Heights, choose_rows, measure_rows
from lastro.grid.printed_page import Figure
from lastro.page.model import BAD, COLOURS, NEUTRAL, Page

PLAIN, BOLD = "lastro-texto", "lastro-negrito"
_FILES: Final = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf"}
"""Fonts that come with reportlab and have every accent; Helvetica would not be inside the file."""
_WIDTH, _HEIGHT = A4
_STAMP_SIZE: Final = 7.5
_MARGIN: Final = 36
_GREY, _LINE, _DARK = "#616161", "#E0E0E0", "#212121"
_BAND: Final = "#1F3A5F"
_SMALLEST: Final = 6.5
"""Points; a figure that does not fit at this size goes on in the next line."""
_ROOM: Final = _WIDTH - 2 * _MARGIN
_FOOT: Final = 8
_TEXT_SIZE: Final = 8.5
_LEGEND_SIZE: Final = 6.5
_LEADING: Final = 1.3
"""From one line of a text to the next, of its size."""
_ROW: Final = _TEXT_SIZE * _LEADING + 2
"""Height of a row of one line."""
_CHART: Final = (95.0, 185.0)
"""Height of the charts where the page is full, and where it is not."""
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


@dataclass(frozen=True)
class _Piece:
    """Something of the page: how high it is, and how it is drawn from its top."""

    height: float
    draw: Callable[[float], None]


class _Sheet:
    """Lays the parts of the page out, measures them, and then draws them from the top down."""

    def __init__(self, canvas: Any) -> None:
        self._canvas = canvas

    def draw(self, page: Page) -> None:
        """Draw everything: where it is too much, charts shrink, rows give way, and at last all of it is set smaller."""
        body, parts = page.body, [part.of for part in page.body.parts]
        head = [
            *self._head(page),
            self._lay(body.headline, 12, COLOURS[page.body.tone], BOLD),
            self._lay(body.detail, 8.5, _DARK),
            _space(5),
            self._figures(body.lows, big=False),
            self._figures(body.figures, big=True),
            self._lay(body.reason, 7.5, _GREY),
        ]
        rows = [[self._row(*row) for row in part.rows] for part in body.parts]
        heads = [self._title(part.title) for part in body.parts]
        heights = [
            Heights(title.height, tuple(row.height for row in own), _ROW)
            for title, own in zip(heads, rows, strict=True)
        ]
        room = _HEIGHT - 2 * _MARGIN - _FOOT - sum(piece.height for piece in head)
        wanted = room - measure_rows(parts, heights, [len(own) for own in rows])
        charts = self._charts(page.charts, min(max(wanted, _CHART[0]), _CHART[1]))
        kept = choose_rows(parts, heights, room - charts.height, 1)
        if measure_rows(parts, heights, kept) > room - charts.height:
            charts, kept = _space(0), choose_rows(parts, heights, room)
        for place, (part, shown) in enumerate(zip(body.parts, kept, strict=True)):
            head += [heads[place], *rows[place][:shown]]
            more = part.of.say_more(shown)
            head += [_Piece(_ROW, self._lay(more, 7.5, _GREY).draw)] if more else []
            head += [charts] if place == 0 else []
        total = sum(piece.height for piece in head)
        self._canvas.saveState()
        if (scale := min(1.0, (_HEIGHT - 2 * _MARGIN - _FOOT) / total)) < 1:
            self._canvas.transform(scale, 0, 0, scale, _MARGIN * (1 - scale), (_HEIGHT - _MARGIN) * (1 - scale))
        top = _HEIGHT - _MARGIN
        for piece in head:
            piece.draw(top)
            top -= piece.height
        self._canvas.restoreState()
        self._lay(page.footer, 7, _GREY).draw(_MARGIN - 2)

    def _lay(
        self, text: str, size: float, colour: str = _DARK, font: str = PLAIN, left: float = _MARGIN, room: float = _ROOM
    ) -> _Piece:
        """Lay a text out in as many lines as it takes; a mark before it is drawn."""
        text = clean_text(text)
        mark = _MARKS.get(text[:1])
        shift = size if mark else 0
        lines = _wrap(text[1:].lstrip() if mark else text, font, size, room - shift) if text else []
        step = size * _LEADING

        def draw(top: float) -> None:
            if mark:
                self._draw_mark(mark, left, top - size, size * 0.75, colour)
            for place, line in enumerate(lines):
                _put(self._canvas, left + shift, top - size - place * step, line, size, colour, font)

        return _Piece(step * len(lines), draw)

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

    def _head(self, page: Page) -> list[_Piece]:
        def draw_badge(top: float) -> None:
            width = pdfmetrics.stringWidth(page.verdict, BOLD, 9) + 14
            self._canvas.setFillColor(HexColor(COLOURS[page.tone]))
            self._canvas.roundRect(_MARGIN, top - 15, width, 15, 3, stroke=0, fill=1)
            _put(self._canvas, _MARGIN + 7, top - 11, page.verdict, 9, "#FFFFFF", BOLD)

        return [
            self._lay(f"{page.title} — {page.empresa}", 15, _BAND, BOLD),
            *(self._lay(line, _STAMP_SIZE, _GREY) for line in (page.stamp, page.before)),
            _space(5),
            _Piece(23, draw_badge),
        ]

    def _figures(self, figures: Sequence[Figure], *, big: bool) -> _Piece:
        """Lay figures out side by side, each as high as the one that says most; none of their texts is cut."""
        width = _ROOM / max(len(figures), 1)
        cards = [
            self._card(figure, _MARGIN + place * width, width - 12, big=big) for place, figure in enumerate(figures)
        ]
        height = max((sum(piece.height for piece in card) for card in cards), default=0)

        def draw(top: float) -> None:
            for place, (figure, card) in enumerate(zip(figures, cards, strict=True)):
                self._canvas.setFillColor(HexColor(COLOURS[figure.tone]))
                self._canvas.rect(_MARGIN + place * width, top - height, 2.5, height, stroke=0, fill=1)
                at = top
                for piece in card:
                    piece.draw(at)
                    at -= piece.height

        return _Piece(height + 9 if cards else 0, draw)

    def _card(self, figure: Figure, left: float, room: float, *, big: bool) -> list[_Piece]:
        plain = BOLD if big else PLAIN
        label, size = _fit(figure.label, plain, 7.5, room - 7), _fit(figure.value, BOLD, 14 if big else 10.5, room - 7)
        painted = figure.tone if figure.tone != NEUTRAL else ""
        return [
            self._lay(figure.label, label, _GREY, plain, left + 7, room - 7),
            self._lay(figure.value, size, _DARK, BOLD, left + 7, room - 7),
            *(
                self._lay(note, 7.5, COLOURS[painted] if painted and not place else _GREY, PLAIN, left + 7, room - 7)
                for place, note in enumerate(figure.notes)
            ),
        ]

    def _charts(self, charts: Sequence[Chart], height: float) -> _Piece:
        """Lay charts out side by side, all of it `height` points high."""
        width = (_ROOM - 16 * (len(charts) - 1)) / max(len(charts), 1)

        def draw(top: float) -> None:
            for place, chart in enumerate(charts):
                x = _MARGIN + place * (width + 16)
                _draw_chart(self._canvas, chart, x, top - height + 8, width, height - 12)

        return _Piece(height if charts else 0, draw)

    def _title(self, title: str) -> _Piece:
        piece = self._lay(title, 9, _BAND, BOLD)

        def draw(top: float) -> None:
            piece.draw(top - 6)
            self._rule(top - 7 - piece.height, _BAND, 0.8)

        return _Piece(piece.height + 9, draw)

    def _row(self, text: str, amount: str) -> _Piece:
        """Lay a row out: its text in the room beside the amount, a rule below."""
        room = _ROOM - (pdfmetrics.stringWidth(amount, PLAIN, _TEXT_SIZE) + 10 if amount else 0)
        piece = self._lay(text, _TEXT_SIZE, _DARK, PLAIN, _MARGIN, room)

        def draw(top: float) -> None:
            piece.draw(top - 1)
            if amount:
                self._canvas.setFont(PLAIN, _TEXT_SIZE)
                self._canvas.setFillColor(HexColor(COLOURS[BAD] if amount[:1] == "-" else _DARK))
                self._canvas.drawRightString(_WIDTH - _MARGIN, top - 1 - _TEXT_SIZE, clean_text(amount))
            self._rule(top - 1 - piece.height, _LINE, 0.4)

        return _Piece(piece.height + 2, draw)

    def _rule(self, y: float, colour: str, width: float) -> None:
        self._canvas.setStrokeColor(HexColor(colour))
        self._canvas.setLineWidth(width)
        self._canvas.line(_MARGIN, y, _WIDTH - _MARGIN, y)


def _fit(text: str, font: str, size: float, room: float) -> float:
    """Choose a smaller size where a text does not fit into a line, down to the smallest that can be read."""
    while size > _SMALLEST and pdfmetrics.stringWidth(clean_text(text), font, size) > room:
        size -= 0.25
    return size


def _space(height: float) -> _Piece:
    return _Piece(height, lambda _: None)


def _draw_chart(canvas: Any, chart: Chart, x: float, y: float, width: float, height: float) -> None:
    """Draw a chart of lines or columns with its scale, first and last labels and legend, which takes its own room.

    Lines over columns have a scale of their own on the right: flows and balances differ tenfold.
    """
    _put(canvas, x, y + height - 8, chart.title, 8.5, _BAND, BOLD)
    columns, lines = split_series(chart)
    legend = _lay_legend(chart, width)
    right = x + width - (40 if columns and lines else 0)
    box = (x + 40, y + 14 + 10 * (legend[-1][0] + 1 if legend else 0), right, y + height - 18)
    for drawn, levels, on_left in zip((columns, lines), choose_axes(chart), (True, not columns), strict=True):
        if levels:
            plot = _Plot(canvas, chart, box, levels)
            plot.draw_scale(on_left=on_left)
            (plot.draw_columns if drawn is columns else plot.draw_lines)(drawn)
    bottom = y + 10 * (legend[-1][0] if legend else 0)
    for data_series, (row, start) in zip(chart.series, legend, strict=True):
        at = bottom - 10 * row
        canvas.setFillColor(HexColor(f"#{data_series.colour}"))
        if data_series.line or chart.kind is ChartKind.LINE:
            size = (2.5, 2.5) if data_series.point else (9, 1.6)
            canvas.rect(x + start, at + 1.4, *size, stroke=0, fill=1)
        else:
            canvas.rect(x + start, at, 7, 5, stroke=0, fill=1)
        _put(canvas, x + start + 11, at, data_series.name, _LEGEND_SIZE, _GREY)


def _lay_legend(chart: Chart, width: float) -> list[tuple[int, float]]:
    """Place the names of the series: of each the row, and where in it it starts."""
    places: list[tuple[int, float]] = []
    row, start = 0, 0.0
    for data_series in chart.series:
        room = 20 + pdfmetrics.stringWidth(clean_text(data_series.name), PLAIN, _LEGEND_SIZE)
        if start and start + room > width:
            row, start = row + 1, 0.0
        places.append((row, start))
        start += room
    return places


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
        step = ceil(len(self._levels) * _LEGEND_SIZE * _LEADING / (self._top - self._bottom))
        for level in self._levels[::step]:
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
        """Draw the columns from zero; projected ones are lighter."""
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


def _wrap(text: str, font: str, size: float, room: float) -> list[str]:
    """Cut a text into lines that fit, between words, and within one that is longer than a line."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if pdfmetrics.stringWidth(longer, font, size) <= room:
            lines[-1:] = [longer]
            continue
        rest = word
        while rest:
            fits = next(
                (end for end in range(len(rest), 1, -1) if pdfmetrics.stringWidth(rest[:end], font, size) <= room), 1
            )
            lines.append(rest[:fits])
            rest = rest[fits:]
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
