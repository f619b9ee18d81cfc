"""Charts of a sheet as values, read off its printed rows, and what is left out of them (manual: Planilha).

Belongs here: their kinds and colours, reading a column of a section as figures or labels, which months a chart has room
for, when a chart shows nothing, what its axes name. Does not belong here: which charts a report has (the report), how
one is drawn (`lastro.export.charts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import Final

from lastro.calendar import add_months, month_start
from lastro.grid.cells import Kind


class ChartKind(StrEnum):
    """What a chart draws; in a COLUMN or STACKED chart a series with `line` is drawn over the columns."""

    LINE = "linha"
    COLUMN = "colunas"
    STACKED = "colunas_empilhadas"
    BAR = "barras"
    STACKED_BAR = "barras_empilhadas"
    WATERFALL = "cascata"


IN_COLOUR: Final = "2E7D32"
OUT_COLOUR: Final = "C62828"
BALANCE_COLOUR: Final = "1565C0"
BALANCE_TINT: Final = "90CAF9"
SCENARIO_COLOUR: Final = "EF6C00"
"""Entradas green, Saídas red, Saldo blue; Previsto in the lighter tint, another assumption orange."""


@dataclass(frozen=True)
class Series:
    """One series of a chart.

    Attributes:
        name: printed in the legend.
        values: one figure per category; None leaves a gap. A WATERFALL takes the steps, totals included.
        colour: RGB without "#"; a WATERFALL ignores it.
        line: drawn as a line over columns.
        dashed: the line is dashed (projections, limits).
        point: only its points are drawn, as a mark on the others' lines (today).
        light_from: number of the first category that is projected: columns from there on are lighter.
    """

    name: str
    values: tuple[Decimal | int | None, ...]
    colour: str
    line: bool = False
    dashed: bool = False
    point: bool = False
    light_from: int | None = None


@dataclass(frozen=True)
class Chart:
    """A native chart of a sheet. Its figures are stored on a hidden sheet of the workbook.

    Attributes:
        title: printed above it.
        kind: what it draws.
        categories: labels of the axis; a date prints as dd/mm.
        series: one or more; a WATERFALL has one.
        totals: WATERFALL only: positions of the steps that start at zero (their value is a level, not a change).
        value_kind: MONEY, PERCENT or INTEGER; decides the format of the axis.
        after: name of the section below which it stands, beside the other charts of that section.
    """

    title: str
    kind: ChartKind
    categories: tuple[str | date, ...]
    series: tuple[Series, ...]
    totals: frozenset[int] = frozenset()
    value_kind: Kind = Kind.MONEY
    after: str = ""


MONTHS_AROUND: Final = 12
"""A chart by month shows this many months before D's and after it; the sheet may have more."""
MAX_LABEL: Final = 24
_MOST_STEPS: Final = 5
"""Steps of an axis."""


def label_category(category: str | date) -> str:
    """Write what a category is called on an axis.

    >>> label_category(date(2026, 3, 16)), label_category("Comércio")
    ('16/03', 'Comércio')
    """
    return f"{category:%d/%m}" if isinstance(category, date) else category


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
    indexes = range(len(chart.categories))
    shown = [index for index in indexes if any(data_series.values[index] for data_series in chart.series)]
    kept = slice(shown[0], shown[-1] + 1) if shown else slice(0)
    begin = kept.start or 0
    series = tuple(
        replace(
            data_series,
            values=data_series.values[kept],
            light_from=None if data_series.light_from is None else max(data_series.light_from - begin, 0),
        )
        for data_series in chart.series
    )
    return replace(chart, categories=chart.categories[kept], series=series)


def keep_drawable(*charts: Chart) -> tuple[Chart, ...]:
    """Leave out the charts that would show nothing: no figure other than zero, or a line of a single point."""
    return tuple(
        chart
        for chart in charts
        if any(value for data_series in chart.series for value in data_series.values)
        and (chart.kind is not ChartKind.LINE or len(chart.categories) > 1)
    )


def split_series(chart: Chart) -> tuple[tuple[Series, ...], tuple[Series, ...]]:
    """Split the series of a chart into columns and lines; lines over columns have an axis of their own."""
    columns = tuple(
        data_series for data_series in chart.series if not data_series.line and chart.kind is not ChartKind.LINE
    )
    return columns, tuple(data_series for data_series in chart.series if data_series not in columns)


def choose_axes(chart: Chart) -> tuple[tuple[Decimal, ...], tuple[Decimal, ...]]:
    """Choose the names of both axes, of columns and of lines; "" for an axis without a series.

    Columns begin at zero, and lines over them stand on the same zero and the same steps; lines alone show how a balance
    moves, however far from zero. Workbook and page draw by the same axes.
    """
    columns, lines = (
        [Decimal(value) for data_series in part for value in data_series.values if value is not None]
        for part in split_series(chart)
    )
    if not columns or not lines:
        return (
            choose_levels(columns, from_zero=True),
            choose_levels(lines, from_zero=chart.kind is not ChartKind.LINE),
        )
    both = [choose_levels(values, from_zero=True) for values in (columns, lines)]
    below = max(sum(level < 0 for level in levels) for levels in both)
    above = max(sum(level > 0 for level in levels) for levels in both)
    steps = [levels[1] - levels[0] for levels in both]
    left, right = (tuple(step * number for number in range(-below, above + 1)) for step in steps)
    return left, right


def choose_levels(values: Sequence[Decimal], *, from_zero: bool) -> tuple[Decimal, ...]:
    """Choose what an axis names: round amounts, three to six of them, around all values.

    >>> [int(one) for one in choose_levels([Decimal(531), Decimal(630)], from_zero=False)]
    [525, 550, 575, 600, 625, 650]
    >>> [int(one) for one in choose_levels([Decimal(-3), Decimal(10)], from_zero=True)]
    [-5, 0, 5, 10]
    """
    if not values:
        return ()
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, Decimal(0)), max(high, Decimal(0))
    spread = high - low or abs(high) or Decimal(1)
    power = Decimal(10) ** (spread.adjusted() - 1)
    for part in (1, 2, 5, 10, 20, 25, 50, 100):
        step = power * part
        first = (low / step).to_integral_value(ROUND_FLOOR)
        last = (high / step).to_integral_value(ROUND_CEILING)
        if last - first <= _MOST_STEPS:
            break
    return tuple(step * (first + number) for number in range(max(int(last - first), 1) + 1))
