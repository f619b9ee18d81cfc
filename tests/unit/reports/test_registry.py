"""Every report of the registry keeps the same promises: names, shape, keys, links, an empty company, a scope."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from functools import cache
from pathlib import Path

import pytest

from lastro.catalogue import REPORT_TITLES, Catalogue, build_catalogue
from lastro.export.layout import PlacedSheet, place_sheets
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Link
from lastro.grid.charts import ChartKind
from lastro.grid.workbook import Report, Stamp, Workbook, tables_of
from lastro.quality.queries import read_queries
from lastro.reports.r14_changes import SPEC as R14
from lastro.reports.registry import REPORTS
from lastro.reports.sheets import SHEETS
from lastro.reports.spec import Phase, ReportSpec
from lastro.reports.view import View
from lastro.settings import Recorte
from lastro.transform.scope import narrow_position
from tests.books import make_empresa
from tests.marks import thinned
from tests.unit.reports.compared_runs import golden_runs
from tests.unit.reports.positions import golden_catalogue, make_golden, make_position
from tests.unit.reports.readers import assert_well_formed
from tests.views import view_of

EVERY = pytest.mark.parametrize("spec", REPORTS, ids=lambda spec: spec.code)
STAMP = Stamp("Ouro", date(2026, 3, 16), datetime(2026, 3, 16, 6, 5), "BRT", 2, 2, 2)  # noqa: DTZ001
CASES = ("ouro", "vazia", "recorte")


@cache
def catalogue_of(case: str) -> Catalogue:
    """The golden company, one without anything, and a scope of the golden one."""
    empresa = make_empresa([], {})
    if case == "vazia":
        return build_catalogue(View(make_position([], contas=[]), empresa))
    if case == "ouro":
        return golden_catalogue()
    position = narrow_position(make_golden(), Recorte("Azul", contas=(101,)))
    return build_catalogue(View(position, empresa), inteiro=golden_catalogue())


@cache
def placed_sheets(case: str) -> tuple[PlacedSheet, ...]:
    return place_sheets(Workbook("gerencial", STAMP, catalogue_of(case).sheets))


def sheets_of(spec: ReportSpec, case: str) -> list[Report]:
    return [report for report in catalogue_of(case).reports if report.code == spec.code]


def test_codes_names_and_sheets_are_the_reports_own() -> None:
    for values in ([spec.code for spec in REPORTS], [spec.name for spec in REPORTS], [one.name for one in SHEETS]):
        assert len(values) == len(set(values))
    assert list(REPORT_TITLES) == sorted(REPORT_TITLES)
    assert [spec.phase for spec in REPORTS].count(Phase.COVER) == 1


def test_every_rule_stands_on_a_report() -> None:
    assert {rule.report for rule in read_queries().values()} <= set(REPORT_TITLES)


@pytest.mark.parametrize("case", CASES)
@EVERY
def test_a_report_is_well_formed(spec: ReportSpec, case: str) -> None:
    sheets = sheets_of(spec, case)
    assert sheets
    for report in sheets:
        assert_well_formed(report)
        assert report.family is spec.family
    assert spec.question.endswith("?")
    assert spec.title


@pytest.mark.parametrize("case", CASES)
def test_sections_and_tables_have_names_of_their_own(case: str) -> None:
    reports = catalogue_of(case).reports
    for names in (
        [section.name for report in reports for section in report.sections],
        [table.name for table in tables_of(reports)],
        [sheet.name for sheet in catalogue_of(case).sheets],
    ):
        assert not [name for name, times in Counter(names).items() if times > 1]
    assert all(table.comment for table in tables_of(reports))


def test_a_tables_comment_begins_with_the_code_of_its_report() -> None:
    """By it `lastro exportar R04` finds the views of a report."""
    of_reports = [one for one in catalogue_of("ouro").reports if one.code in REPORT_TITLES]
    strange = [(one.code, table.name) for one in of_reports for table in one.tables if table.comment[:3] != one.code]
    assert not strange


@pytest.mark.parametrize("forma", thinned("BCDT", default="T"))
def test_every_shape_of_the_composite_gives_the_same_reports(forma: str) -> None:
    """Of A the figures are held by hand; what tells of the shape itself, or lists its linhas, is another."""
    shown, plain = ({one.name: one for one in tables_of(golden_catalogue(shape).reports)} for shape in (forma, "A"))
    of_shape = {"lancamentos", "parametros", "resumo", "achados", "achados_itens", "verificacoes", "conferencias"}
    assert {name: shown[name].rows for name in plain.keys() - of_shape} == {
        name: plain[name].rows for name in plain.keys() - of_shape
    }


@EVERY
def test_keys_are_those_of_real_tables(spec: ReportSpec) -> None:
    sheets = sheets_of(spec, "ouro")
    tables = {table.name: {column.key for column in table.columns} for table in tables_of(sheets)}
    assert {*spec.keys} <= set(tables)
    assert not {name: key for name, key in spec.keys.items() if not set(key) <= tables[name]}


def test_every_section_of_every_report_stands_on_a_sheet() -> None:
    now, before = golden_runs()
    compared = R14.build(view_of(now, before=before))
    placed = {name for sheet in SHEETS for name in sheet.sections}
    for report in (*catalogue_of("ouro").reports, compared):
        # Of a large company Lançamentos has a section a year (`sheets.lay_out`).
        assert {section.name for section in report.sections} <= placed, report.code


def _links(report: Report) -> list[Link]:
    cells = [cell for part in report.sections for row in part.rows for cell in (*row.cells, row.link)]
    return [cell for cell in cells if isinstance(cell, Link) and cell.sheet]


@pytest.mark.parametrize("case", CASES)
@EVERY
def test_links_lead_somewhere(spec: ReportSpec, case: str) -> None:
    sheets = {sheet.name: sheet for sheet in placed_sheets(case)}
    for report in sheets_of(spec, case):
        for link in _links(report):
            assert link.sheet in sheets, link
            assert link.key is None or sheets[link.sheet].find_row(link.key), link


@pytest.mark.parametrize("case", CASES)
@EVERY
def test_charts_can_be_drawn(spec: ReportSpec, case: str) -> None:
    for report in sheets_of(spec, case):
        for chart in report.charts:
            assert chart.after in {name for sheet in SHEETS for name in sheet.sections}
            assert all(len(one.values) == len(chart.categories) for one in chart.series)
            assert chart.kind is not ChartKind.WATERFALL or len(chart.series) == 1


@pytest.mark.parametrize("case", CASES)
def test_formulas_find_their_cells(case: str, tmp_path: Path) -> None:
    render_workbook(Workbook("gerencial", STAMP, catalogue_of(case).sheets), tmp_path / "w.xlsx")
