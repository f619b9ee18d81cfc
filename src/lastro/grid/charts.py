"""What the charts of the reports share: figures read off the printed rows, and what is left out (manual: Planilha).

Belongs here: reading a column of a section as figures or labels, which months a chart has room for, when a chart shows
nothing. Does not belong here: which charts a report has (the report) and how one is drawn (`lastro.export.charts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.calendar import add_months, month_start
from lastro.grid.model import Chart, ChartKind, Row, Section

MONTHS_AROUND: Final = 12
"""A chart by month shows this many months before D's and after it; the sheet may have more."""
MAX_LABEL: Final = 24


def read_points(section: Section, key: str, rows: Iterable[Row]) -> tuple[Decimal | int | None, ...]:
    """Read the figures of a column in some rows of a section; a cell without a figure becomes None, a gap."""
    return tuple(cell if isinstance(cell, Decimal | int) else None for cell in section.cells_of(key, rows))


def read_labels(section: Section, key: str, rows: Iterable[Row]) -> tuple[str | date, ...]:
    """Read a column of some rows of a section as the labels of an axis, long texts cut."""
    return tuple(cell if isinstance(cell, date) else shorten(str(cell)) for cell in section.cells_of(key, rows))


def shorten(text: str) -> str:
    """Cut a label that would take the room of the drawing.

    >>> shorten("Comércio de Materiais Elétricos Ltda")
    'Comércio de Materiais E…'
    """
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1].rstrip() + "…"


def fits_chart(month: date, data_base: date) -> bool:
    """Tell whether a chart by month shows a month: `MONTHS_AROUND` before and after D's.

    >>> fits_chart(date(2025, 3, 1), date(2026, 3, 16)), fits_chart(date(2025, 2, 1), date(2026, 3, 16))
    (True, False)
    """
    current = month_start(data_base)
    return add_months(current, -MONTHS_AROUND) <= month <= add_months(current, MONTHS_AROUND)


def cut_empty_ends(chart: Chart) -> Chart:
    """Leave out the categories before the first and after the last one that has a figure other than zero."""
    numbers = range(len(chart.categories))
    shown = [number for number in numbers if any(one.values[number] for one in chart.series)]
    kept = slice(shown[0], shown[-1] + 1) if shown else slice(0)
    begin = kept.start or 0
    series = tuple(
        replace(
            one,
            values=one.values[kept],
            light_from=None if one.light_from is None else max(one.light_from - begin, 0),
        )
        for one in chart.series
    )
    return replace(chart, categories=chart.categories[kept], series=series)


def keep_drawable(*charts: Chart) -> tuple[Chart, ...]:
    """Leave out the charts that would show nothing: no figure other than zero, or a line of a single point."""
    return tuple(
        chart
        for chart in charts
        if any(value for one in chart.series for value in one.values)
        and (chart.kind is not ChartKind.LINE or len(chart.categories) > 1)
    )
