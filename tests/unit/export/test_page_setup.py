"""Print: every page of A4 at 60 % or more, with a header that belongs to what stands below it (manual: Planilha)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from lastro.calendar import add_months
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, period_of_month
from lastro.grid.workbook import Printing
from tests.paper import areas_of, count_pages
from tests.unit.export.export_values import book, make_sheet, reopened, section

TEXT = Column("Linha", Kind.TEXT)


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


def test_the_page_of_a_narrow_table_holds_the_flag_beside_it(tmp_path: Path) -> None:
    """32 bold characters stand from B on, over columns of 9 each: five of them."""
    sheet = reopened(book(make_sheet(section(TEXT, rows=(("a",),)))), tmp_path)["Lançamentos"]
    ((_, _, last, _),) = areas_of(sheet)
    assert (sheet["B1"].value, last >= 6) == ("[CONFIÁVEL · 0 erros · 1 alerta]", True)


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
