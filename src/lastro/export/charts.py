"""Charts of a workbook: native Excel charts that draw from cells (manual: Planilha).

Belongs here: the table of figures behind each chart (one section per chart on the hidden sheet `Gráficos`) and the
openpyxl chart over it. Does not belong here: which charts a report has (`lastro.reports`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final
from xml.sax.saxutils import quoteattr

from openpyxl.chart import BarChart, LineChart
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, NumDataSource, NumRef, StrRef
from openpyxl.chart.label import DataLabel, DataLabelList
from openpyxl.chart.legend import Legend
from openpyxl.chart.marker import DataPoint, Marker
from openpyxl.chart.series import Series as NativeSeries
from openpyxl.chart.series import SeriesLabel
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.spreadsheet_drawing import AnchorMarker, OneCellAnchor
from openpyxl.drawing.text import CharacterProperties, Paragraph, ParagraphProperties, RegularTextRun
from openpyxl.drawing.xdr import XDRPositiveSize2D
from openpyxl.worksheet.worksheet import Worksheet

from lastro.export.cells import clean_text
from lastro.export.layout import CHART_ROWS, CHART_SHEET, PlacedSection, PlacedSheet, column_letter, quoted
from lastro.export.looks import lighten
from lastro.grid.cells import Kind
from lastro.grid.charts import (
    BALANCE_COLOUR,
    IN_COLOUR,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Series,
    choose_axes,
    label_category,
)
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.words import column_name
from lastro.grid.workbook import Sheet, Workbook
from lastro.money import format_amount, round_half_up

_ROW_PIXELS = 20
_EMU = 9_525
"""English metric units, the unit of drawings, in a pixel."""
_AXIS_FORMATS: Final = {Kind.PERCENT: "0%", Kind.MONEY: '"R$" #,##0'}
_ALONE: Final = dict.fromkeys(("showLegendKey", "showCatName", "showSerName", "showPercent", "showBubbleSize"), False)
_GREY, _GRID, _DARK = "595959", "E0E0E0", "1F3A5F"


def add_chart_data(workbook: Workbook) -> Workbook:
    """Append the sheet that holds the figures of all charts; without charts the workbook is returned as it is."""
    sections = [
        chart_section(chart, _section_name(sheet, place))
        for sheet in workbook.sheets
        for place, chart in enumerate(sheet.charts)
    ]
    if not sections:
        return workbook
    data = Sheet(CHART_SHEET, "Dados dos gráficos", tuple(sections), hidden=True)
    return replace(workbook, sheets=(*workbook.sheets, data))


def chart_section(chart: Chart, name: str) -> Section:
    """Write the figures of a chart as a table: a row per category, a column per series (per part of a waterfall).

    Raises:
        ValueError: a series and the categories differ in length.
    """
    series = list_drawn(chart)
    if any(len(data_series.values) != len(chart.categories) for data_series in (*series, *chart.series)):
        raise ValueError(f"chart {chart.title!r}: every series needs one value for each of the categories")
    columns = (Column("Categoria", Kind.TEXT), *(Column(data_series.name, chart.value_kind) for data_series in series))
    rows = tuple(
        Row((label_category(label), *(data_series.values[index] for data_series in series)))
        for index, label in enumerate(chart.categories)
    )
    return Section(name, columns, rows, title=chart.title)


def waterfall_parts(chart: Chart) -> tuple[Series, ...]:
    """Split the steps of a waterfall into stacked parts: an invisible base and what is seen above or below zero.

    A column that crosses zero has a part on each side and no base. Positions in `totals` are levels: they start at
    zero and set the height from which the next step goes on.
    """
    values = [Decimal(value or 0) for value in chart.series[0].values]
    base: list[Decimal] = []
    parts: dict[tuple[str, bool], list[Decimal]] = {
        (name, above): [Decimal(0)] * len(values) for name in ("Aumenta", "Diminui", "Total") for above in (True, False)
    }
    level = Decimal(0)
    for index, value in enumerate(values):
        start, end = (Decimal(0), value) if index in chart.totals else (level, level + value)
        level = end
        low, high = min(start, end), max(start, end)
        hidden = max(low, Decimal(0)) + min(high, Decimal(0))
        base.append(hidden)
        name = "Total" if index in chart.totals else "Aumenta" if value >= 0 else "Diminui"
        parts[name, True][index] = max(high, Decimal(0)) - max(low, Decimal(0))
        parts[name, False][index] = min(low, Decimal(0)) - min(high, Decimal(0))
    colours = {"Aumenta": IN_COLOUR, "Diminui": OUT_COLOUR, "Total": BALANCE_COLOUR}
    return (
        Series("Base", tuple(base), ""),
        *(
            Series(name if above else f"{name} (abaixo de zero)", tuple(v or None for v in figures), colours[name])
            for (name, above), figures in parts.items()
        ),
    )


def list_drawn(chart: Chart) -> tuple[Series, ...]:
    """List what is drawn of a chart: of a waterfall its parts, and last the upper end of each column, to write on."""
    if chart.kind is not ChartKind.WATERFALL:
        return chart.series
    base, *parts = waterfall_parts(chart)
    above = zip(*(part.values for part in parts), strict=True)
    ends = tuple(
        Decimal(low or 0) + sum(max(Decimal(value or 0), Decimal(0)) for value in column)
        for low, column in zip(base.values, above, strict=True)
    )
    return (base, *parts, Series("Até", ends, "", line=True))


def draw_charts(ws: Worksheet, sheet: PlacedSheet, data: PlacedSheet, data_ws: Worksheet) -> None:
    """Add the charts of a sheet where its layout has a place for them."""
    sections = {placed.section.name: placed for placed in data.sections}
    for place in sheet.charts:
        native = _native_chart(
            sheet.source.charts[place.number], sections[_section_name(sheet.source, place.number)], data_ws
        )
        native.anchor = OneCellAnchor(  # type: ignore[assignment] # the stub knows the cell name only
            _from=AnchorMarker(col=place.column, colOff=place.offset * _EMU, row=place.row - 1, rowOff=0),
            ext=XDRPositiveSize2D(place.pixels * _EMU, (CHART_ROWS - 1) * _ROW_PIXELS * _EMU),
        )
        ws.add_chart(native)


def _section_name(sheet: Sheet, place: int) -> str:
    """Name the figures of a chart on the hidden sheet."""
    return f"grafico_{column_name(sheet.name)}_{place + 1}"


def _native_chart(chart: Chart, placed: PlacedSection, data_ws: Worksheet) -> BarChart | LineChart:
    series = list_drawn(chart)
    main = _empty_chart(chart)
    overlay = (
        LineChart() if not isinstance(main, LineChart) and any(data_series.line for data_series in series) else None
    )
    for column, data_series in enumerate(series, 2):
        target = overlay if overlay is not None and data_series.line else main
        as_line = isinstance(target, LineChart)
        target.series.append(_native_series(data_series, column, placed, data_ws, as_line=as_line))
    if overlay is not None and chart.kind is ChartKind.WATERFALL:
        overlay.series[0].dLbls = _label_steps(chart)
        main += overlay
    elif overlay is not None:
        # Flows and balances differ tenfold: each has an axis of its own.
        overlay.y_axis.axId = 200
        overlay.y_axis.crosses = "max"
        _set_axes(overlay, chart, second=True)
        main += overlay
    main.title = _title(clean_text(chart.title))
    main.visible_cells_only = False  # the data sheet is hidden
    main.roundedCorners = False
    if len(series) == 1 or chart.kind is ChartKind.WATERFALL:
        main.legend = None
    else:
        main.legend = Legend(legendPos="b", txPr=_small_text())
    _set_axes(main, chart)
    if chart.kind in {ChartKind.LINE, ChartKind.COLUMN}:
        # The sheet of figures holds a percentage as a fraction.
        places = -2 if chart.value_kind is Kind.PERCENT else 0
        columns, lines = ([level.scaleb(places) for level in levels] for levels in choose_axes(chart))
        _scale(main, columns or lines)
        if overlay is not None:
            _scale(overlay, lines)
    else:
        _keep_zero(main, series)
    return main


def _label_steps(chart: Chart) -> DataLabelList:
    """Write above each column of a waterfall what its step comes to: as a format, for the height is another figure."""
    rounded = [round_half_up(Decimal(value or 0), 0) for value in chart.series[0].values]
    labels = [
        DataLabel(idx=at, numFmt=f'"{format_amount(value)[:-3]}"', dLblPos="t", showVal=True, **_ALONE)
        for at, value in enumerate(rounded)
    ]
    return DataLabelList(dLbl=labels, txPr=_small_text(), showVal=False, **_ALONE)


def _scale(native: BarChart | LineChart, levels: Sequence[Decimal]) -> None:
    """Give an axis its ends and steps: left alone, Excel may start one above zero and two at different zeros."""
    if levels:
        native.y_axis.scaling.min, native.y_axis.scaling.max = float(levels[0]), float(levels[-1])
        native.y_axis.majorUnit = float(levels[1] - levels[0])


def _keep_zero(native: BarChart | LineChart, series: Sequence[Series]) -> None:
    """Make the axis of bars include zero, and no more: what is stacked adds up to more than any figure."""
    values = [value for data_series in series for value in data_series.values if value]
    if min(values, default=0) >= 0:
        native.y_axis.scaling.min = 0
    elif max(values) <= 0:
        native.y_axis.scaling.max = 0


def _empty_chart(chart: Chart) -> BarChart | LineChart:
    if chart.kind is ChartKind.LINE:
        return LineChart()
    bars = BarChart()
    bars.type = "bar" if chart.kind in {ChartKind.BAR, ChartKind.STACKED_BAR} else "col"
    bars.gapWidth = 60
    if chart.kind in {ChartKind.STACKED, ChartKind.STACKED_BAR, ChartKind.WATERFALL}:
        bars.grouping, bars.overlap = "stacked", 100
    return bars


def _native_series(
    data_series: Series, column: int, placed: PlacedSection, data_ws: Worksheet, *, as_line: bool
) -> NativeSeries:
    sheet, letter = quoted(data_ws.title), column_letter(column)
    native = NativeSeries(
        tx=SeriesLabel(strRef=StrRef(f"{sheet}!${letter}${placed.header_row}")),
        cat=AxDataSource(strRef=StrRef(f"{sheet}!$A${placed.first}:$A${placed.last}")),
        val=NumDataSource(numRef=NumRef(f=f"{sheet}!${letter}${placed.first}:${letter}${placed.last}")),
    )
    if as_line and not data_series.colour:
        native.marker = Marker(symbol="none")
        native.spPr = GraphicalProperties(ln=LineProperties(noFill=True))
    elif data_series.point:
        native.marker = Marker(symbol="diamond", size=10, spPr=GraphicalProperties(solidFill=data_series.colour))
        native.smooth = False
        native.spPr = GraphicalProperties(ln=LineProperties(noFill=True))
    elif as_line:
        native.marker = Marker(symbol="none")
        native.smooth = False
        line = LineProperties(solidFill=data_series.colour, w=25_400, prstDash="dash" if data_series.dashed else None)
        native.spPr = GraphicalProperties(ln=line)
    elif data_series.colour:
        native.invertIfNegative = False
        native.spPr = GraphicalProperties(solidFill=data_series.colour)
        if data_series.light_from is not None:
            tint = GraphicalProperties(solidFill=lighten(data_series.colour))
            native.dPt = [DataPoint(idx=at, spPr=tint) for at in range(data_series.light_from, len(data_series.values))]
    else:
        native.spPr = GraphicalProperties(noFill=True, ln=LineProperties(noFill=True))
    return native


def list_descriptions(sheets: Sequence[PlacedSheet]) -> dict[str, tuple[str, ...]]:
    """Describe each chart in words; the key is the part of the file that holds the charts of a sheet."""
    drawn = [sheet for sheet in sheets if sheet.charts]
    return {
        f"xl/drawings/drawing{number}.xml": tuple(
            _describe(sheet.source.charts[placed.number]) for placed in sheet.charts
        )
        for number, sheet in enumerate(drawn, 1)
    }


def _describe(chart: Chart) -> str:
    """Write what a reader who does not see the chart is told: title, axis, series with their first and last figure."""
    names = [label_category(label) for label in chart.categories]
    parts = [chart.title, f"de {names[0]} a {names[-1]}" if names else ""]
    for data_series in chart.series:
        values = [value for value in data_series.values if value is not None]
        if values:
            parts.append(f"{data_series.name}: primeiro {values[0]:,}, último {values[-1]:,}, menor {min(values):,}")
    return clean_text(". ".join(part for part in parts if part))


def describe_charts(drawing: bytes, descriptions: Sequence[str]) -> bytes:
    """Put the alternative texts into a drawing, in the order of its charts; openpyxl has no place for them."""
    texts = iter(descriptions)

    def add(match: re.Match[bytes]) -> bytes:
        text = next(texts, "")
        return match[1] + b" descr=" + quoteattr(text).encode() + match[2]

    return re.sub(rb"(<(?:xdr:)?cNvPr [^>]*?)(/?>)", add, drawing)


def free_formats(chart: bytes) -> bytes:
    """Say of the formats of labels that they are not those of the cells; openpyxl has no place for it."""
    return re.sub(rb'(<(?:c:)?numFmt formatCode="&quot;[^"&]*&quot;")(?= */>)', rb'\1 sourceLinked="0"', chart)


def _title(text: str) -> Title:
    properties = CharacterProperties(sz=1300, b=True, solidFill=_DARK)
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=properties), r=[RegularTextRun(rPr=properties, t=text)])
    return Title(tx=Text(rich=RichText(p=[paragraph])), overlay=False)


def _small_text() -> RichText:
    """Return the type of axes and legends: 10 points are 6 on paper, where a sheet is printed at three fifths."""
    small = CharacterProperties(sz=1000, solidFill=_GREY)
    return RichText(p=[Paragraph(pPr=ParagraphProperties(defRPr=small), endParaRPr=small)])


def _set_axes(native: BarChart | LineChart, chart: Chart, *, second: bool = False) -> None:
    for axis in (native.x_axis, native.y_axis):
        axis.delete = False
        axis.txPr = _small_text()
        axis.spPr = GraphicalProperties(ln=LineProperties(solidFill=_GRID))
    native.x_axis.tickLblPos = "low"  # below the figures that are negative
    if chart.kind in {ChartKind.BAR, ChartKind.STACKED_BAR}:
        native.x_axis.scaling.orientation = "maxMin"  # the first category on top, as in the table
        native.x_axis.tickLblSkip = 1  # type: ignore[attr-defined] # the stub knows the base class; every bar has its name
        native.y_axis.crosses = "max"  # the figures below, not under the title
    lines = ChartLines(spPr=GraphicalProperties(ln=LineProperties(solidFill=_GRID)))
    native.y_axis.majorGridlines = None if second else lines
    native.y_axis.number_format = _AXIS_FORMATS.get(chart.value_kind, "#,##0")
