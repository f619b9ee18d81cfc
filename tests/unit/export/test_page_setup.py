"""Print: every page of A4 at 60 % or more, with a header that belongs to what stands below it (manual: Planilha)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.cell import column_index_from_string, get_column_letter

from lastro.calendar import add_months
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, period_of_month
from lastro.grid.workbook import Printing, Workbook
from tests.paper import areas_of, count_pages
from tests.unit.export.export_values import STAMP, book, make_sheet, reopened, section
from tests.unit.reports.positions import golden_catalogue

TEXT = Column("Linha", Kind.TEXT)
NOT_PRINTED = {
    "Comparativos",  # no year before
    "Mudanças",  # nothing to hold a first run against
    "Pagar títulos",
    "Receber títulos",
    "Recorrentes",
    "Qualidade",
    "Lançamentos",
}


@pytest.fixture(scope="module")
def whole_book(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The workbook of the golden company, as another reader has it."""
    catalogue = golden_catalogue()
    path = render_workbook(Workbook("gerencial", STAMP, catalogue.sheets), tmp_path_factory.mktemp("w") / "w.xlsx")
    return openpyxl.load_workbook(path)


@pytest.fixture(scope="module")
def golden(whole_book: Any) -> dict[str, Any]:
    """The sheets in sight."""
    return {sheet.title: sheet for sheet in whole_book.worksheets if sheet.sheet_state == "visible"}


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
        if count_pages(sheet):  # whatever font whoever prints has: the columns fit, and one page stays one
            assert sheet.sheet_properties.pageSetUpPr.fitToPage, name
            single = len(areas_of(sheet)) == 1 and not sheet.row_breaks.brk
            assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, int(single)), name
        for first, _, last, _ in areas_of(sheet):
            repeated = min(labels_of(sheet), first - 1)
            printed = pixels(sheet, 1, repeated) + pixels(sheet, first, last)
            assert printed / 96 * sheet.page_setup.scale / 100 <= room, name


def test_details_are_not_printed_and_say_so(golden: dict[str, Any]) -> None:
    """Their area is one folded row: no page at all, or with a program that prints it one that says so."""
    assert set(golden) >= NOT_PRINTED
    for name in NOT_PRINTED:
        sheet = golden[name]
        ((_, first, _, last),) = areas_of(sheet)
        assert first == last > max(row for row in range(1, sheet.max_row + 1) if any(c.value for c in sheet[row]))
        assert sheet.row_dimensions[last].hidden
        assert all(cell.value is None for cell in sheet[last])
        assert sheet.print_title_rows == "$1:$3"
        assert count_pages(sheet) == 0
        hints = [cell.value for cell in sheet[3] if cell.value]
        assert any(hint.startswith("Não impresso") for hint in hints), name


VISIBLE = (
    "Resumo", "Fazer", "Indicadores", "Saldos", "Previsão", "Fluxo diário", "Fluxo mensal", "DRE", "Comparativos",
    "Ponte", "Pagar", "Pagar títulos", "Inadimplência", "Receber títulos", "Cobranças", "Mudanças", "Recorrentes",
    "Qualidade", "Lançamentos",
)  # fmt: skip
HIDDEN = ("Pessoas", "Previsto x realizado", "Verificações", "Parâmetros", "Gráficos")


def test_the_workbook_has_the_nineteen_sheets_in_their_order_and_the_hidden_ones_behind(whole_book: Any) -> None:
    assert [sheet.title for sheet in whole_book.worksheets] == [*VISIBLE, *HIDDEN]
    assert tuple(sheet.title for sheet in whole_book.worksheets if sheet.sheet_state == "hidden") == HIDDEN
    for sheet in whole_book.worksheets:
        title, stamp, back = (sheet.cell(row, 1).value for row in (1, 2, 3))
        assert title == title.upper(), sheet.title
        assert "Data-base 16/03/2026" in stamp, sheet.title
        if sheet.title not in {"Resumo", "Gráficos"}:
            assert (back, sheet.cell(3, 1).hyperlink.location) == ("« Resumo", "'Resumo'!A1"), sheet.title


def test_no_link_leads_to_a_hidden_sheet(whole_book: Any) -> None:
    for sheet in whole_book.worksheets:
        for link in sheet._hyperlinks:
            assert not (link.location or "").startswith(tuple(f"'{name}'" for name in HIDDEN)), (sheet.title, link.ref)


def test_the_golden_workbook_prints_on_20_pages_at_most(golden: dict[str, Any]) -> None:
    pages = {name: count_pages(sheet) for name, sheet in golden.items()}
    assert pages["Resumo"] == 1
    assert sum(pages.values()) <= 20, pages


def test_a_frozen_header_is_that_of_the_only_table(golden: dict[str, Any]) -> None:
    """Row 4 is frozen and repeated where nothing below has another header; else the title rows are."""
    for name, sheet in ((name, sheet) for name, sheet in golden.items() if name != "Resumo"):  # which is no table
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
        assert repeated == (3 if name in NOT_PRINTED else 2 if others else 4), name


def test_the_trust_flag_is_seen_on_every_sheet_and_page(golden: dict[str, Any]) -> None:
    for name, sheet in golden.items():
        (flag,) = [cell for cell in sheet[1] if str(cell.value).startswith("[")]
        assert flag.value == "[CONFIÁVEL · 0 erros · 1 alerta]", name
        assert flag.column > 1
        dimension = sheet.column_dimensions[flag.column_letter]
        assert not dimension.hidden, name
        assert not dimension.outlineLevel, name
        if name not in NOT_PRINTED:
            first, _, last, _ = areas_of(sheet)[0]
            assert first == 1, name  # title, stamp and notes begin in the first column: they are cut elsewhere
            assert flag.column <= last, name
        assert sheet.oddFooter.right.text == flag.value, name


def test_months_before_the_last_six_are_folded(tmp_path: Path) -> None:
    months = [add_months(date(2026, 3, 1), number) for number in range(-12, 7)]
    columns = [
        Column("m", Kind.MONEY, dense=True, key=str(month), period=replace(period_of_month(month), label=str(month)))
        for month in months
    ]
    more = [Column(f"Total {number}", Kind.MONEY, dense=True) for number in range(9)]
    wide = make_sheet(section(TEXT, *columns, *more, rows=(("a", *[Decimal("1.00")] * 28),)))
    sheet = reopened(book(wide), tmp_path)["Lançamentos"]
    # A label, months -12 to +6 in B to T, totals in U to AC: month -6 is H.
    folded = [letter for letter, dimension in sheet.column_dimensions.items() if dimension.hidden]
    assert folded == list("BCDEFG")
    (begin, _, end, _), (again, _, last, _) = areas_of(sheet)
    assert (begin, again, last) == (1, end + 1, 29)
    assert sheet.print_title_cols == "$A:$A"
    assert sheet["H1"].value == "[CONFIÁVEL · 0 erros · 1 alerta]"
    assert sheet["H3"].value == "De mar/25 a ago/25: recolhido, abre no [+] acima das colunas."


def test_closed_months_alone_are_not_folded(tmp_path: Path) -> None:
    old = period_of_month(date(2024, 1, 1))
    sheet = reopened(book(make_sheet(section(TEXT, Column("m", Kind.MONEY, period=old)))), tmp_path)["Lançamentos"]
    assert not sheet.column_dimensions["B"].hidden


def test_a_long_sheet_prints_its_first_page(tmp_path: Path) -> None:
    long = replace(make_sheet(section(TEXT, rows=(("a",),) * 300)), printing=Printing.FIRST_PAGE)
    sheet = reopened(book(long), tmp_path)["Lançamentos"]
    ((_, _, _, last),) = areas_of(sheet)
    points = (210 / 25.4 - sheet.page_margins.top - sheet.page_margins.bottom) * 72
    assert 40 < last <= points * 100 / sheet.page_setup.scale / 15
    assert sheet["B3"].value == "Impressa só a primeira página; o resto, na tela (não impresso)."


def test_a_sheet_that_fits_its_first_page_claims_no_rest(tmp_path: Path) -> None:
    short = replace(make_sheet(section(TEXT, rows=(("a",),) * 3)), printing=Printing.FIRST_PAGE)
    assert reopened(book(short), tmp_path)["Lançamentos"]["B3"].value is None


def test_a_page_holds_what_its_rows_are_high(tmp_path: Path) -> None:
    """Wrapped texts take room: each of 40 rows has ten lines."""
    tall = make_sheet(section(TEXT, Column("Nota", Kind.TEXT, width=20), rows=(("a", "\n".join("abcdefghij")),) * 40))
    sheet = reopened(book(tall), tmp_path)["Lançamentos"]
    points = (210 / 25.4 - sheet.page_margins.top - sheet.page_margins.bottom) * 72 * 100 / sheet.page_setup.scale
    ends = [0, *(one.id for one in sheet.row_breaks.brk), 44]
    heights = [sum(sheet.row_dimensions[row].height or 15 for row in range(a + 1, b + 1)) for a, b in pairwise(ends)]
    head = sum(sheet.row_dimensions[row].height or 15 for row in range(1, 5))
    assert len(heights) > 3
    assert all(height + (head if number else 0) <= points for number, height in enumerate(heights))
    assert all(height + head + 134 > points for height in heights[1:-1])  # and no page ends early
    assert count_pages(sheet) == len(heights)
