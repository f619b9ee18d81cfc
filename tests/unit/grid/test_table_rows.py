"""Rows read off a table are the rows they stand for: to whoever walks over them, to the workbook, to SQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from openpyxl import load_workbook

from lastro.export import section_rows
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Cell, Kind, Link, Value
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.storage import store_cells
from lastro.grid.table_rows import (
    Leads,
    TableRows,
    find_notable,
    read_cells,
    read_figures,
    sample_cells,
    sum_ordinary,
)
from lastro.grid.tables import Column, Table
from lastro.warehouse.file.report_tables import ROWS_AT_ONCE, write_report_table
from lastro.warehouse.file.store import Warehouse
from tests.unit.export.export_values import book, make_sheet

COLUMNS = (
    Column("Dia", Kind.DATE),
    Column("Nome", Kind.TEXT),
    Column("Valor", Kind.MONEY, dense=True, total=True),
    Column("Alterado em", Kind.TIMESTAMP),
    Column("Sim", Kind.BOOLEAN),
    Column("Id", Kind.INTEGER),
    Column("Só SQL", Kind.TEXT, shown=False),
)
LATE_90 = frozenset({Mark.LATE_90})
Rows = tuple[tuple[Value, ...], ...]
ROWS: Rows = (
    (date(2026, 3, 16), "Aluguel & cia", Decimal("1500.00"), datetime(2026, 3, 16, 9, 5, 7), True, 11, "x"),  # noqa: DTZ001
    (date(1899, 12, 31), None, Decimal("0.00"), None, False, None, "y"),
    (None, "n" * 300, Decimal("-0.01"), datetime(2026, 3, 16, 9, 5, 7), True, 11, "x"),  # noqa: DTZ001
    (date(2026, 3, 16), "_x0041_", Decimal("1500.00"), datetime(1899, 1, 1), False, 10**12, "y"),  # noqa: DTZ001
    (date(2026, 3, 17), "Aluguel & cia", None, None, True, 7, "x"),
)


MORE: Rows = tuple(
    (
        date.fromordinal(730_000 + n),
        f"nome {n}",
        Decimal(f"{2_000 + n}.00"),
        datetime(2026, 1, 1) + timedelta(seconds=n),  # noqa: DTZ001
        True,
        100 + n,
        f"z{n}",
    )
    for n in range(60)
)
"""So many more that columns have many different values, which are not written value by value."""
FEW = 50
"""How many are few here; in a company's workbook it is a hundred times as many."""


def make_table(rows: Rows) -> Table:
    return Table("lancamentos", COLUMNS, rows, "R16")


@pytest.fixture(params=[ROWS, ROWS + MORE], ids=["few", "many"])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """Rows whose values are few in every column, and such whose values are many."""
    monkeypatch.setattr(section_rows, "FEW", FEW)
    many = [len(column.split()[1]) > FEW for column in make_table(request.param).data.values()]
    assert many.count(True) in {0, 6}
    return request.param


def lead_page(number: int) -> Link | None:
    """Most labels lead to a page, some of which a sheet cannot hold."""
    return None if number % 7 == 3 else Link("", url=f"{'ftp' if number % 5 == 4 else 'https'}://exemplo/{number}")


def lead_name(number: int, text: str = "") -> Link | None:
    """The name in every other row leads to the row that has the id 7."""
    return Link(text, sheet="Lançamentos", key="id=7") if number % 2 else None


def mark_row(number: int) -> frozenset[Mark]:
    """A few rows are marked, one of them alone between others."""
    return LATE_90 if number in {0, 1, 4} or number % 11 == 0 else frozenset()


def both(rows: Rows) -> tuple[Section, Section]:
    """The same section with its rows as tuples, and read off its table: with a key, links, marks."""
    numbers = range(len(rows))
    plain = tuple(
        Row(
            (cells[0], (isinstance(cells[1], str) and lead_name(number, cells[1])) or cells[1], *cells[2:]),
            key="cat-1" if number == 2 else None,
            link=lead_page(number),
            marks=mark_row(number),
        )
        for number, cells in enumerate(rows)
    )
    section = Section("lancamentos", COLUMNS, plain, detail=True, anchors=(("id", "id"),))
    pages = [None if link is None else link.url for link in map(lead_page, numbers)]
    names = ["Lançamentos" if lead_name(number) and rows[number][1] is not None else None for number in numbers]
    kept = TableRows(
        make_table(rows),
        keys={2: "cat-1"},
        label=Leads(store_cells(Kind.TEXT, pages)),
        links={"nome": Leads(store_cells(Kind.TEXT, names), "id", store_cells(Kind.INTEGER, [7] * len(rows)))},
        marks=(Mark.LATE_90, np.array([bool(mark_row(number)) for number in numbers])),
    )
    return section, replace(section, rows=kept)


def test_they_are_walked_over_and_taken_like_tuples(rows: Rows) -> None:
    plain, kept = both(rows)
    assert list(kept.rows) == list(plain.rows)
    assert kept.rows == plain.rows
    assert kept.rows != plain.rows[::-1]
    assert kept.rows != plain.rows[1:]
    assert (kept.rows[2], kept.rows[-1], kept.rows[3:]) == (plain.rows[2], plain.rows[-1], plain.rows[3:])
    assert [row.cells for row in TableRows(make_table(rows), 1, 4)] == list(rows[1:4])
    with pytest.raises(IndexError):
        kept.rows[len(rows)]


def test_columns_read_the_same_from_either(rows: Rows) -> None:
    plain, kept = both(rows)
    for place, column in enumerate(COLUMNS):
        printed = [value.text if isinstance(value, Link) else value for value in read_cells(plain, place)]
        assert read_cells(kept, place) == printed == [row[place] for row in rows], column.key
        assert read_cells(kept, place, 3) == printed[:3]
        assert len(list(sample_cells(kept, place, 3))) == len(list(sample_cells(plain, place, 3))) == 3
    # 2000 + 2001 + .. + 2059
    more, most = (Decimal(121_770), 2059) if len(rows) > len(ROWS) else (0, 1500)
    assert read_figures(kept, 2) == read_figures(plain, 2) == (Decimal("-0.01"), most, Decimal("2999.99") + more)
    assert sum_ordinary(kept, 2) == sum_ordinary(plain, 2) == Decimal("2999.99") + more
    assert read_figures(kept, 1) is read_figures(plain, 1) is None
    assert sum_ordinary(kept, 1) == sum_ordinary(plain, 1) == 0
    assert list(find_notable(kept.rows)) == list(find_notable(plain.rows)) == [(2, plain.rows[2])]


def test_what_totals_add_up_is_ordinary_whatever_its_kind() -> None:
    rows = (Row((Cell(Decimal("1.50"), Kind.MONEY),)), Row((None,)), Row((Decimal(9),), style=Style.TOTAL))
    assert sum_ordinary(Section("s", (Column("Valor", Kind.TEXT),), rows), 0) == Decimal("1.50")


def test_links_are_listed_row_after_row_those_of_labels_first(rows: Rows) -> None:
    kept = both(rows)[1].rows
    assert isinstance(kept, TableRows)
    # Row 1 has no name, and label 3 leads nowhere.
    top = [(number, position, link.url or link.sheet) for number, position, link in kept.list_links()][:6]
    assert top == [
        (0, 1, "https://exemplo/0"),
        (1, 1, "https://exemplo/1"),
        (2, 1, "https://exemplo/2"),
        (3, 2, "Lançamentos"),
        (4, 1, "ftp://exemplo/4"),
        *([(5, 1, "https://exemplo/5")] if len(rows) > len(ROWS) else []),
    ]
    assert list(TableRows(make_table(rows)).list_links()) == []


def test_the_sheet_has_the_same_cells_and_looks(rows: Rows, tmp_path: Path) -> None:
    one, other = (
        load_workbook(render_workbook(book(make_sheet(section)), tmp_path / name))
        for section, name in zip(both(rows), ("a.xlsx", "b.xlsx"), strict=True)
    )
    for sheet in one:
        same = other[sheet.title]
        assert list(sheet.values) == list(same.values)
        for row in sheet.iter_rows(max_row=40):
            for cell in row:
                other_cell = same[cell.coordinate]
                for look in ("number_format", "font", "fill", "border", "alignment"):
                    assert repr(getattr(cell, look)) == repr(getattr(other_cell, look)), (cell.coordinate, look)


@pytest.mark.parametrize("at_once", [20, ROWS_AT_ONCE])
def test_sql_has_the_same_rows_in_the_same_order(rows: Rows, at_once: int, tmp_path: Path) -> None:
    with Warehouse(tmp_path) as warehouse:
        write_report_table(warehouse, make_table(rows), at_once=at_once)
        assert warehouse.query("SELECT * FROM mart.lancamentos") == list(rows)
