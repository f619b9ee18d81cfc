"""The page as the body of an e-mail: tables and inline styles only, readable on a phone, nothing fetched from anywhere.

Mail programs drop scripts, style sheets and drawings; bars are cells with a colour and a height.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from html import escape
from typing import Final

from lastro.export.cells import clean_text
from lastro.export.looks import lighten
from lastro.grid.charts import Chart, ChartKind, Series, label_category
from lastro.grid.printed_page import Figure, PrintedPart
from lastro.money import format_brl
from lastro.page.model import BAD, COLOURS, Page

_FONT: Final = "font-family:Helvetica,Arial,sans-serif"
_HEIGHT: Final = 90


def render_html(page: Page) -> str:
    """Write the page as one HTML document, everything inside it."""
    parts = [
        (
            '<!DOCTYPE html><html lang="pt-BR"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{_text(page.title)} — {_text(page.empresa)}</title></head>"
        ),
        (
            f'<body style="margin:0;padding:0;background:#ffffff;{_FONT};color:#212121">'
            '<div style="max-width:640px;margin:0 auto;padding:12px">'
        ),
        (
            f'<div style="font-size:20px;font-weight:bold">{_text(page.title)}</div>'
            f'<div style="font-size:15px">{_text(page.empresa)}</div>'
            f'<div style="font-size:12px;color:#616161;margin:4px 0">{_text(page.stamp)}<br>{_text(page.before)}</div>'
            f'<div style="display:inline-block;padding:4px 10px;margin:4px 0 12px;font-size:13px;font-weight:bold;'
            f'color:#ffffff;background:{COLOURS[page.tone]}">{_text(page.verdict)}</div>'
        ),
        (
            f'<div style="font-size:17px;font-weight:bold;margin:6px 0 2px;color:{COLOURS[page.body.tone]}">'
            f"{_text(page.body.headline)}</div>"
            f'<div style="font-size:13px;margin:0 0 8px">{_text(page.body.detail)}</div>'
        ),
        f"<div>{''.join(map(_figure, page.body.lows))}</div>",
        f"<div>{''.join(map(_figure, page.body.figures))}</div>",
        f'<div style="font-size:12px;color:#616161">{_text(page.body.reason)}</div>',
        *(_part(part) for part in page.body.parts[:1]),
        *(_chart(chart) for chart in page.charts),
        *(_part(part) for part in page.body.parts[1:]),
        f'<div style="font-size:11px;color:#616161;margin-top:14px">{_text(page.footer)}</div></div></body></html>',
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    return escape(clean_text(text))


def _heading(text: str) -> str:
    return (
        f'<div style="font-size:14px;font-weight:bold;margin:14px 0 4px;border-bottom:2px solid #1F3A5F">'
        f"{_text(text)}</div>"
    )


def _figure(figure: Figure) -> str:
    """Write a figure, two of them beside one another on a phone."""
    notes = "".join(
        f'<div style="font-size:12px;color:{COLOURS[figure.tone] if place == 0 else "#616161"}">{_text(note)}</div>'
        for place, note in enumerate(figure.notes)
    )
    return (
        '<div style="display:inline-block;width:46%;min-width:150px;vertical-align:top;margin:0 2% 10px 0">'
        f'<div style="font-size:12px;font-weight:bold;color:#1F3A5F">{_text(figure.label)}</div>'
        f'<div style="font-size:19px;font-weight:bold">{_text(figure.value)}</div>{notes}</div>'
    )


def _part(part: PrintedPart) -> str:
    left = part.of.say_more(len(part.rows))
    more = ((left, ""),) if left else ()
    look = "padding:4px;border-bottom:1px solid #E0E0E0;vertical-align:top"
    rows = "".join(
        f'<tr><td style="{look}">{_text(text)}</td>'
        f'<td style="{look};text-align:right;white-space:nowrap{_red(amount)}">{_text(amount)}</td></tr>'
        for text, amount in (*part.rows, *more)
    )
    return f'{_heading(part.title)}<table style="width:100%;border-collapse:collapse;font-size:13px">{rows}</table>'


def _red(amount: str) -> str:
    return f";color:{COLOURS[BAD]}" if amount.startswith("-") else ""


def _chart(chart: Chart) -> str:
    """Draw the series of a chart side by side as bars; those of a line chart become one row, projections lighter."""
    lines = chart.kind is ChartKind.LINE
    bars = chart.series[:2] if lines else [data_series for data_series in chart.series if not data_series.line]
    values = [value for data_series in bars for value in data_series.values if value is not None]
    if not values:
        return ""
    low, high = Decimal(min(values)), Decimal(max(values))
    # Of a balance that hardly moves the movement is shown, and the scale says so.
    axis = low - (high - low) / 4 if lines and low > 0 else Decimal(0)
    ends = (min(low, axis), axis, max(high, axis))
    columns = "".join(_column(bars, place, *ends) for place in range(len(chart.categories)))
    first, last = label_category(chart.categories[0]), label_category(chart.categories[-1])
    legend = " ".join(
        f'<span style="white-space:nowrap"><span style="background:#{data_series.colour}">&nbsp;&nbsp;&nbsp;</span> '
        f"{_text(data_series.name)}</span>&nbsp; "
        for data_series in bars
    )
    return (
        f'{_heading(chart.title)}<div style="font-size:11px;color:#616161">de {_text(format_brl(low))} a '
        f"{_text(format_brl(high))}</div>"
        '<table style="width:100%;border-collapse:collapse;table-layout:fixed" role="presentation"><tr>'
        f'{columns}</tr></table><div style="font-size:11px;color:#616161">{_text(first)} a {_text(last)} · '
        f"{legend}</div>"
    )


def _column(bars: Sequence[Series], place: int, bottom: Decimal, axis: Decimal, top: Decimal) -> str:
    """Draw the bars of one category, each from the axis up, or down where its value lies below it."""
    cells = []
    pixel = max(top - bottom, Decimal(1)) / _HEIGHT
    for data_series in bars:
        value = data_series.values[place]
        if value is None:
            continue
        zero, end = (int((top - amount) / pixel) for amount in (axis, value))
        above, height = min(zero, end), max(1, abs(end - zero)) if value else 0
        colour = "C62828" if value < 0 else data_series.colour
        if data_series.light_from is not None and place >= data_series.light_from:
            colour = lighten(colour)
        cells.append(
            f'<td style="vertical-align:top;padding:{above}px 1px 0 0;height:{_HEIGHT - above}px">'
            f'<div style="height:{height}px;background:#{colour};font-size:0">&nbsp;</div></td>'
        )
    return "".join(cells) or '<td style="padding:0"></td>'
