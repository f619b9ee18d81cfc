"""Print: every page of A4 at 60 % or more, with a header that belongs to what stands below it (manual: Workbook)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.cell import column_index_from_string, get_column_letter, range_boundaries

from lastro.calendar import add_months
from lastro.catalogue import RunFacts, build_catalogue
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Printing, period_of_month
from lastro.grid.workbook import Workbook
from tests.books import make_empresa
from tests.unit.export.export_values import STAMP, book, reopened, report, section
from tests.unit.reports.positions import make_golden

TEXT = Column("Linha", Kind.TEXT)
NOT_PRINTED = {
    "Pagar títulos",
    "Receber títulos",
    "Cobranças detalhe",
    "Recorrentes",
    "Qualidade",
    "Lançamentos",
}


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The workbook of the golden company, as another reader has it."""
    catalogue = build_catalogue(make_golden(), make_empresa([], {}), RunFacts())
    path = render_workbook(Workbook("gerencial", STAMP, catalogue.reports), tmp_path_factory.mktemp("w") / "w.xlsx")
    return {sheet.title: sheet for sheet in openpyxl.load_workbook(path).worksheets if sheet.sheet_state == "visible"}


def areas_of(sheet: Any) -> list[Any]:
    return [range_boundaries(area.split("!")[1].replace("$", "")) for area in sheet.print_area.split(",")]


def pixels(sheet: Any, first: int, last: int) -> int:
    """Width of some columns by Excel's own formula, for a font whose digits are 7 pixels wide."""
    total = 0
    for number in range(first, last + 1):
        dimension = sheet.column_dimensions.get(get_column_letter(number))
        width = 9.0 if dimension is None or dimension.width is None else dimension.width
        if dimension is None or not dimension.hidden:
            total += int((256 * width + int(128 / 7)) / 256 * 7)
    return total


def labels_of(sheet: Any) -> int:
    titles = sheet.print_title_cols
    return column_index_from_string(titles.split(":")[1].strip("$")) if titles else 0


def test_no_page_is_printed_below_60_percent_nor_wider_than_the_paper(golden: dict[str, Any]) -> None:
    for name, sheet in golden.items():
        margins = sheet.page_margins
        room = 297 / 25.4 - margins.left - margins.right
        assert 60 <= sheet.page_setup.scale <= 100, name
        assert not sheet.sheet_properties.pageSetUpPr or not sheet.sheet_properties.pageSetUpPr.fitToPage
        for first, _, last, _ in areas_of(sheet):
            repeated = min(labels_of(sheet), first - 1)
            printed = pixels(sheet, 1, repeated) + pixels(sheet, first, last)
            assert printed / 96 * sheet.page_setup.scale / 100 <= room, name


def test_details_print_one_page_that_says_so(golden: dict[str, Any]) -> None:
    assert set(golden) >= NOT_PRINTED
    for name in NOT_PRINTED:
        sheet = golden[name]
        ((_, _, _, last),) = areas_of(sheet)
        assert last == 3
        assert sheet["B3"].value.startswith("Não impresso"), name


def test_a_frozen_header_is_that_of_the_only_table(golden: dict[str, Any]) -> None:
    """Row 4 is frozen and repeated where nothing below has another header; else the title rows are."""
    for name, sheet in golden.items():
        headers = [
            row
            for row in range(5, sheet.max_row + 1)
            if sheet.cell(row, 1).fill.start_color.rgb == "001F3A5F" and sheet.cell(row, 1).value
        ]
        frozen = int("".join(filter(str.isdigit, sheet.freeze_panes))) - 1
        repeated = int(sheet.print_title_rows.split("$")[-1])
        others = [
            row
            for row in headers
            if [cell.value for cell in sheet[row][1:] if cell.value]
            != [cell.value for cell in sheet[4][1 : len([c for c in sheet[row] if c.value])]]
        ]
        assert frozen == (3 if others else 4), name
        assert repeated in ({2} if others or name in NOT_PRINTED else {4}), name


def test_the_trust_flag_is_seen_on_every_sheet(golden: dict[str, Any]) -> None:
    for name, sheet in golden.items():
        assert sheet["B1"].value == "[CONFIÁVEL · 0 erros · 1 alerta]", name
        assert not sheet.column_dimensions["B"].hidden, name
        assert not sheet.column_dimensions["B"].outlineLevel, name
        assert sheet.oddFooter.right.text == sheet["B1"].value, name


def test_months_before_the_last_six_stay_on_the_screen(tmp_path: Path) -> None:
    months = [add_months(date(2026, 3, 1), number) for number in range(-12, 7)]
    columns = [
        Column("m", Kind.MONEY, dense=True, key=str(month), period=replace(period_of_month(month), label=str(month)))
        for month in months
    ]
    more = [Column(f"Total {number}", Kind.MONEY, dense=True) for number in range(9)]
    wide = report(section(TEXT, *columns, *more, rows=(("a", *[Decimal("1.00")] * 28),)))
    sheet = reopened(book(wide), tmp_path)["Lançamentos"]
    # A label, months -12 to +6 in B to T, totals in U to AC: printed from month -6, which is H.
    (begin, _, end, _), (again, _, last, _) = areas_of(sheet)
    assert (begin, again, last) == (8, end + 1, 29)
    assert sheet.print_title_cols == "$A:$A"


def test_a_long_sheet_prints_its_first_page(tmp_path: Path) -> None:
    long = replace(report(section(TEXT, rows=(("a",),) * 300)), printing=Printing.FIRST_PAGE)
    sheet = reopened(book(long), tmp_path)["Lançamentos"]
    ((_, _, _, last),) = areas_of(sheet)
    points = (210 / 25.4 - sheet.page_margins.top - sheet.page_margins.bottom) * 72
    assert 40 < last <= points * 100 / sheet.page_setup.scale / 15
    assert sheet["B3"].value == "Impressa só a primeira página: as linhas seguintes são para a tela."
