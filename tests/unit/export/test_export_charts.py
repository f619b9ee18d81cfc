"""Charts: native, drawn from cells that hold the exact figures."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.export.charts import list_drawn, waterfall_parts
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.charts import IN_COLOUR, OUT_COLOUR, Chart, ChartKind, Series, choose_axes
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet
from tests.unit.export.export_values import book, make_sheet, reopened, section

LINES = Column("Linha", Kind.TEXT)
COLUMNS = Chart(
    "Entradas e saídas",
    ChartKind.COLUMN,
    (date(2026, 3, 1), "abr/26"),
    (
        Series("Entradas", (Decimal("123456789012.34"), Decimal("2.00")), IN_COLOUR),
        Series("Saldo", (Decimal("-1.00"), None), OUT_COLOUR, line=True, dashed=True),
    ),
    after="a",
)


def charted(*charts: Chart) -> Sheet:
    first = section(LINES, rows=(("x",), ("y",)), name="a")
    second = section(LINES, rows=(("z",),), name="b", title="Depois")
    return replace(make_sheet(first, second, name="Receber"), charts=charts)


def test_charts_stand_beside_a_narrow_table(tmp_path: Path) -> None:
    sheet = reopened(book(charted(COLUMNS, COLUMNS)), tmp_path)["Receber"]
    anchors = [chart.anchor._from for chart in sheet._charts]
    # rows 4 and 21, right of column A
    assert [(anchor.row, anchor.col) for anchor in anchors] == [(3, 1), (20, 1)]
    titles = [row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 1).value == "Depois"]
    assert titles == [8]  # 4 header, 5-6 data, 7 blank, 8 title: tables are not pushed apart


def test_charts_of_a_wide_table_stand_below_it_and_push_the_next_one_down(tmp_path: Path) -> None:
    months = tuple(replace(LINES, header=f"C{number}", width=20) for number in range(9))
    first = section(*months, rows=(("x",) * 9, ("y",) * 9), name="a")
    second = section(LINES, rows=(("z",),), name="b", title="Depois")
    wide = replace(make_sheet(first, second, name="Receber"), charts=(COLUMNS, COLUMNS))
    sheet = reopened(book(wide), tmp_path)["Receber"]
    assert [chart.anchor._from.row for chart in sheet._charts] == [7, 7]
    titles = [row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 1).value == "Depois"]
    assert titles == [26]  # 4 header, 5-6 data, 8-24 charts, 26 title


def test_a_chart_never_stands_far_below_a_long_wide_table(tmp_path: Path) -> None:
    months = tuple(replace(LINES, header=f"C{number}", width=20) for number in range(9))
    wide = replace(make_sheet(section(*months, rows=(("x",) * 9,) * 90, name="a")), charts=(COLUMNS,))
    (chart,) = reopened(book(wide), tmp_path)["Lançamentos"]._charts
    assert (chart.anchor._from.row, chart.anchor._from.col) == (3, 9)


def test_charts_draw_from_a_hidden_sheet_with_the_exact_figures(tmp_path: Path) -> None:
    path = render_workbook(book(charted(COLUMNS)), tmp_path / "a.xlsx")
    loaded = openpyxl.load_workbook(path)
    data = loaded["Gráficos"]
    assert data.sheet_state == "hidden"
    assert [[cell.value for cell in row] for row in data["A4:C6"]] == [
        ["Categoria", "Entradas", "Saldo"],
        ["01/03", 123456789012.34, -1],
        ["abr/26", 2, None],
    ]
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("xl/charts/chart1.xml").decode()
        assert "<v>123456789012.34</v>" in archive.read("xl/worksheets/sheet2.xml").decode()
    for part in (
        "'Gráficos'!$B$5:$B$6",
        "'Gráficos'!$A$5:$A$6",
        "barChart",
        "lineChart",
        IN_COLOUR,
        'prstDash val="dash"',
    ):
        assert part in xml
    assert 'plotVisOnly val="0"' in xml


@pytest.mark.parametrize("kind", list(ChartKind))
def test_every_kind_of_chart_is_written(tmp_path: Path, kind: ChartKind) -> None:
    chart = Chart("T", kind, ("a", "b"), (Series("s", (Decimal("1.00"), Decimal("-2.00")), IN_COLOUR),))
    one, other = (render_workbook(book(charted(chart)), tmp_path / name) for name in ("a.xlsx", "b.xlsx"))
    assert one.read_bytes() == other.read_bytes()
    assert len(reopened(book(charted(chart)), tmp_path)["Receber"]._charts) == 1


def test_a_series_of_another_length_is_refused(tmp_path: Path) -> None:
    short = replace(COLUMNS, categories=("só um",))
    with pytest.raises(ValueError, match="every series needs one value"):
        render_workbook(book(charted(short)), tmp_path / "a.xlsx")


def test_a_waterfall_that_crosses_zero(tmp_path: Path) -> None:
    # 50 -> -30 -> -15 -> total -15: the step down has 50 above and 30 below, the step up hangs 15 under the axis
    chart = Chart(
        "Ponte",
        ChartKind.WATERFALL,
        ("a", "b", "c", "d"),
        (Series("x", (Decimal(50), Decimal(-80), Decimal(15), Decimal(-15)), ""),),
        totals=frozenset({0, 3}),
    )
    parts = {one.name: one.values for one in waterfall_parts(chart)}
    assert parts == {
        "Base": (0, 0, -15, 0),
        "Aumenta": (None, None, None, None),
        "Aumenta (abaixo de zero)": (None, None, -15, None),
        "Diminui": (None, 50, None, None),
        "Diminui (abaixo de zero)": (None, -30, None, None),
        "Total": (50, None, None, None),
        "Total (abaixo de zero)": (None, None, None, -15),
    }
    assert list_drawn(chart)[-1].values == (50, 50, -15, 0)  # where the amounts stand, each that of its whole step
    with zipfile.ZipFile(render_workbook(book(charted(chart)), tmp_path / "a.xlsx")) as archive:
        written = re.findall(r'formatCode="&quot;(.*?)&quot;"', archive.read("xl/charts/chart1.xml").decode())
    assert written == ["50", "-80", "15", "-15"]


@given(st.lists(st.decimals(min_value=-1000, max_value=1000, places=2), min_size=1, max_size=8))
def test_a_waterfall_ends_where_its_steps_lead(steps: list[Decimal]) -> None:
    chart = Chart("P", ChartKind.WATERFALL, ("x",) * len(steps), (Series("x", tuple(steps), ""),))
    parts = waterfall_parts(chart)
    level = Decimal(0)
    for index, step in enumerate(steps):
        column = [Decimal(one.values[index] or 0) for one in parts]
        top, bottom = sum(v for v in column if v > 0), sum(v for v in column if v < 0)
        start, level = level, level + step
        assert (top, bottom) == (max(start, level, 0), min(start, level, 0))
        assert sum(abs(v) for v in column[1:]) == abs(step)


def test_bars_name_every_category_and_keep_the_axis_below(tmp_path: Path) -> None:
    chart = replace(COLUMNS, kind=ChartKind.BAR, series=COLUMNS.series[:1])
    with zipfile.ZipFile(render_workbook(book(charted(chart)), tmp_path / "a.xlsx")) as archive:
        xml = archive.read("xl/charts/chart1.xml").decode()
    assert 'tickLblSkip val="1"' in xml
    assert 'crosses val="max"' in xml


@pytest.mark.parametrize(
    ("values", "limits"), [(("100", "99"), (0, None)), (("-100", "-99"), (None, 0)), (("-1", "99"), (None, None))]
)
@pytest.mark.parametrize("kind", [kind for kind in ChartKind if kind not in {ChartKind.LINE, ChartKind.COLUMN}])
def test_bars_are_measured_from_zero(
    tmp_path: Path, kind: ChartKind, values: tuple[str, str], limits: tuple[int | None, int | None]
) -> None:
    chart = Chart("T", kind, ("a", "b"), (Series("s", tuple(map(Decimal, values)), IN_COLOUR),), frozenset({0, 1}))
    (drawn,) = reopened(book(charted(chart)), tmp_path)["Receber"]._charts
    assert (drawn.y_axis.scaling.min, drawn.y_axis.scaling.max) == limits


def test_an_axis_of_percentages_is_that_of_the_fractions_on_the_hidden_sheet(tmp_path: Path) -> None:
    series = Series("s", (Decimal("3.00"), Decimal("16.40")), IN_COLOUR)
    chart = Chart("T", ChartKind.LINE, ("a", "b"), (series,), value_kind=Kind.PERCENT)
    workbook = reopened(book(charted(chart)), tmp_path)
    (drawn,) = workbook["Receber"]._charts
    assert (drawn.y_axis.scaling.min, drawn.y_axis.scaling.max) == (0, 0.2)
    assert [workbook["Gráficos"].cell(row, 2).value for row in (5, 6)] == [0.03, 0.164]


def test_columns_and_the_line_over_them_stand_on_one_zero() -> None:
    chart = Chart(
        "T", ChartKind.COLUMN, ("a", "b"),
        (
            Series("Fluxo", (Decimal(-30), Decimal(90)), IN_COLOUR),
            Series("Saldo", (Decimal(700), Decimal(400)), IN_COLOUR, line=True),
        ),
    )  # fmt: skip
    columns, line = choose_axes(chart)
    assert [int(one) for one in (columns[0], columns[-1], line[0], line[-1])] == [-50, 200, -200, 800]
    assert columns.index(Decimal(0)) == line.index(Decimal(0)) == 1
    alone = replace(chart, kind=ChartKind.LINE, series=chart.series[1:])
    assert choose_axes(alone) == ((), tuple(map(Decimal, (400, 500, 600, 700))))
