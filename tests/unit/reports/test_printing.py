"""What a report may declare beside its tables: what its sheet alone has, what may be missing, a heading, a verdict."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.charts import ChartKind
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.tables import Alert
from lastro.grid.workbook import Family
from lastro.reports.printing import Plot, mark_days
from lastro.reports.spec import ReportSpec
from lastro.reports.view import Judged, View
from tests.unit.reports.positions import make_golden
from tests.views import view_of

ONE: Print[View] = Print("um", "R99: um", lambda _: list_columns(("conta", "valor"), [("Banco", Decimal("3.00"))]))


def report(view: View | None = None, **declared: Any) -> Any:
    spec = ReportSpec("R99", "teste", "Teste", "Vale?", Family.RECORDS, **declared)
    return spec.build(view or view_of(make_golden()))


def test_a_table_that_is_none_of_the_reports_is_the_sheets_alone() -> None:
    other: Print[View] = Print("outro", "", lambda _: list_columns(("lista",), [("contas",)]))
    made = report(tables=(ONE,), sections=(other, ONE))
    assert [section.name for section in made.sections] == ["outro", "um"]
    assert [table.name for table in made.tables] == ["um"]


@pytest.mark.parametrize(
    "said",
    [
        {"about": {"vlaor": "o que entrou"}},
        {"headers": {"vlaor": "R$"}},
        {"widths": {"vlaor": 12}},
        {"alerts": {"vlaor": Alert.SALDO}},
        {"keys": ("vlaor",)},
        {"total": ("conta", "vlaor")},
    ],
)
def test_a_misspelt_key_is_refused_when_the_table_is_made(said: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"table 'um': says something of \['vlaor'\], which it does not have"):
        report(tables=(replace(ONE, **said),))


def test_a_detail_with_two_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="table 'um': a detail has one mark at most"):
        replace(ONE, detail=True, marks=mark_days("conta"))


def test_a_missing_value_of_an_unsigned_series_leaves_a_gap_below_its_own_label() -> None:
    rows = [("jan", Decimal("-3.00")), ("fev", None), ("mar", Decimal("-5.00"))]
    months: Print[View] = Print("meses", "", lambda _: list_columns(("descricao", "valor"), rows))
    bars = Plot("Meses", ChartKind.BAR, "meses", "descricao", {"valor": ("R$", "C62828")}, unsigned=True)
    (chart,) = report(tables=(months,), charts=(bars,)).charts
    assert chart.categories == ("jan", "fev", "mar")
    assert chart.series[0].values == (Decimal("3.00"), None, Decimal("5.00"))


def test_a_section_may_be_left_out_where_it_has_no_rows() -> None:
    bare = replace(ONE, make=lambda _: list_columns(("conta", "valor"), ()))
    assert [section.name for section in report(tables=(bare,)).sections] == ["um"]
    left_out = report(tables=(replace(bare, optional=True),))
    assert not left_out.sections
    assert [len(table.rows) for table in left_out.tables] == [0]
    assert report(tables=(replace(ONE, optional=True),)).sections[0].rows[0].cells == ("Banco", Decimal("3.00"))


def test_a_table_may_come_ready_made_and_a_run_has_a_heading() -> None:
    ready = ONE.table(list_columns(("conta", "valor"), [("Caixa", None)]), view_of(make_golden()))
    made = report(tables=(lambda _: ready, lambda _: None), sections=(), heading=lambda _: "De hoje")
    assert (made.tables, made.title) == ((ready,), "De hoje")
    assert not report(tables=(ONE,)).title


def test_what_was_made_before_the_verdict_is_made_anew_after_it() -> None:
    def count(view: Judged) -> Columns:
        return {"qtde": [len(view.reports)]}

    counted = Print("quantos", "", count)
    view = view_of(make_golden(), empresa=None, reports=())
    assert report(view, tables=(counted,)).tables[0].rows == ((0,),)
    series = view.series
    judged = view.judged((), (), [report(tables=(ONE,))])
    assert report(judged, tables=(counted,)).tables[0].rows == ((1,),)
    assert judged.series is series
