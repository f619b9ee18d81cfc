"""Every sheet is the projection of its tables: what it shows is theirs, and not one figure can change alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lastro.catalogue import RunFacts, build_catalogue
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Report, Row, Section, Style, Sum, Table
from lastro.grid.pivot import build_section, build_total
from lastro.quality.sheet_checks import compare_sheets, list_projections
from lastro.quality.tally import Tally
from lastro.settings import Cenario
from tests.books import make_empresa
from tests.marks import thinned
from tests.oracle.companies import company
from tests.unit.quality.checked_books import Books, load_company

pytestmark = pytest.mark.medio

APART = frozenset({"resumo", "dre_centros"})
"""Sections that print their table in a shape of their own, which V06 and V08 hold."""
BASE = frozenset({Style.NORMAL, Style.SECTION})


def compare(reports: Mapping[str, Report]) -> Tally:
    tally = Tally()
    compare_sheets(tally, reports, {report.code for report in reports.values()})
    return tally


def with_scenarios(books: Books) -> dict[str, Report]:
    """The whole catalogue: with another scenario and the flow by cost centre."""
    parametros = replace(books.position.parametros, fluxo_por_centro=True)
    empresa = replace(make_empresa([], {}), cenarios=(Cenario("Calote", calote_pct=Decimal(30)),))
    position = replace(books.position, parametros=parametros)
    return {report.sheet: report for report in build_catalogue(position, empresa, RunFacts()).reports}


def list_held(reports: Mapping[str, Report]) -> Iterator[tuple[str, int, Section]]:
    """Each section that shows a table: report, place, section."""
    for name, report in reports.items():
        for place, section in enumerate(report.sections):
            if any(list_projections(table, (section,)) for other in reports.values() for table in other.tables):
                yield name, place, section


def test_every_sheet_shows_its_tables(each_shape: Books) -> None:
    for reports in (each_shape.reports, with_scenarios(each_shape)):
        tally = compare(reports)
        assert tally.differences == []
        held = {section.name for _, _, section in list_held(reports)}
        tables = {table.name for report in reports.values() for table in report.tables}
        sections = {section.name for report in reports.values() for section in report.sections}
        assert (sections & tables) - held <= APART


@pytest.mark.parametrize("seed", thinned(range(300, 304), default=(300,)))
def test_every_sheet_of_a_random_company_shows_its_tables(tmp_path: Path, seed: int) -> None:
    books = load_company(tmp_path, company(seed))
    assert compare(books.reports).differences == []
    assert compare(with_scenarios(books)).differences == []


@pytest.fixture(scope="module")
def catalogue(books: Books) -> dict[str, Report]:
    return {**with_scenarios(books), "R13": books.reports["R13"], "R14": books.reports["R14"]}


def _list_figures(section: Section) -> list[tuple[int, int]]:
    """Row and column of each amount that its table or its rows decide."""
    return [
        (number, place)
        for number, row in enumerate(section.rows)
        if row.origin is not None or (row.style in BASE and not section.names) or (section.summed and row.style in SUMS)
        for place, column in enumerate(section.columns)
        if column.kind is Kind.MONEY and isinstance(row.cells[place], Decimal) and _is_read(section, column)
    ]


SUMS = frozenset({Style.TOTAL, Style.SUBTOTAL})


def _is_read(section: Section, column: Column) -> bool:
    """The column Total of R05 is in no table."""
    return not (section.name in ("fluxo_por_conta", "fluxo_por_centro") and column.period is None)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_figure_of_a_sheet_changes_alone(catalogue: dict[str, Report], data: Any) -> None:
    held = [found for found in list_held(catalogue) if _list_figures(found[2])]
    name, place, section = data.draw(st.sampled_from(held))
    number, at = data.draw(st.sampled_from(_list_figures(section)))
    row = section.rows[number]
    cells = (*row.cells[:at], row.cells[at] + Decimal("0.01"), *row.cells[at + 1 :])
    rows = (*section.rows[:number], replace(row, cells=cells), *section.rows[number + 1 :])
    assert _exchange(catalogue, name, place, replace(section, rows=rows)).differences


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_row_of_a_sheet_comes_or_goes(catalogue: dict[str, Report], data: Any) -> None:
    held = [found for found in list_held(catalogue) if found[2].rows]
    name, place, section = data.draw(st.sampled_from(held))
    chosen = [
        number for number, row in enumerate(section.rows) if row.origin or (row.style in BASE and not section.names)
    ]
    if not chosen:
        return
    number = data.draw(st.sampled_from(chosen))
    twice = data.draw(st.booleans())
    rows = (*section.rows[: number + twice], *section.rows[number + (not twice) :])
    assert _exchange(catalogue, name, place, replace(section, rows=rows)).differences


def _exchange(reports: dict[str, Report], name: str, place: int, section: Section) -> Tally:
    report = reports[name]
    sections = (*report.sections[:place], section, *report.sections[place + 1 :])
    return compare({**reports, name: replace(report, sections=sections)})


COLUMNS = (
    Column("Dia", Kind.INTEGER),
    Column("Abre", Kind.MONEY, sums=Sum.OPENING),
    Column("Move", Kind.MONEY),
    Column("Fecha", Kind.MONEY, sums=Sum.CLOSING),
)


def test_a_subtotal_adds_what_stands_since_the_one_before() -> None:
    days = [(1, "1.00", "2.00", "3.00"), (2, "3.00", "4.00", "7.00"), (3, "7.00", "-9.00", "-2.00")]
    table = Table("t", COLUMNS, tuple((day, *map(Decimal, amounts)) for day, *amounts in days), "t", key=("dia",))
    one, two, three = (Row(cells) for cells in table.rows)
    first, second = (
        build_total(COLUMNS, [one, two], "1", Style.SUBTOTAL),
        build_total(COLUMNS, [three], "2", Style.SUBTOTAL),
    )
    total = build_total(COLUMNS, [one, two, three], "Total")
    assert [str(cell) for cell in total.cells[1:]] == ["1.00", "-3.00", "-2.00"]
    section = replace(build_section(table), rows=(one, two, first, three, second, total), summed=True, totalled=True)

    def differs(*rows: Row) -> bool:
        return bool(compare({"t": Report("R", "t", "t", "t?", (replace(section, rows=rows),), (table,))}).differences)

    assert not differs(*section.rows)
    assert differs(one, two, three, second, total)
    assert differs(one, two, first, three, total)
    assert differs(one, first, two, three, second, total)
    assert differs(one, two, first, three, second)
