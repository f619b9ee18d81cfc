"""Rows kept by columns are the rows they stand for: to whoever walks over them, to the workbook, to SQL, to checks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lastro.export.xlsx import render_workbook
from lastro.grid import coded
from lastro.grid.cells import Kind, Value
from lastro.grid.coded import (
    CodedCells,
    CodedColumn,
    CodedRows,
    count_figures,
    find_notable,
    read_cells,
    read_ordinary,
    share_cells,
)
from lastro.grid.model import Column, Row, Section, Table
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.warehouse import report_tables
from lastro.warehouse.report_tables import write_report_table
from lastro.warehouse.store import Warehouse
from tests.unit.export.export_values import book, report

COLUMNS = (
    Column("Dia", Kind.DATE),
    Column("Nome", Kind.TEXT),
    Column("Valor", Kind.MONEY, dense=True, total=True),
    Column("Alterado em", Kind.TIMESTAMP),
    Column("Sim", Kind.BOOLEAN),
    Column("Id", Kind.INTEGER),
    Column("Só SQL", Kind.TEXT, shown=False),
)
ROWS: tuple[tuple[Value, ...], ...] = (
    (date(2026, 3, 16), "Aluguel & cia", Decimal("1500.00"), datetime(2026, 3, 16, 9, 5, 7), True, 11, "x"),  # noqa: DTZ001
    (date(1899, 12, 31), None, Decimal("0.00"), None, False, None, "y"),
    (None, "n" * 300, Decimal("-0.01"), datetime(2026, 3, 16, 9, 5, 7), True, 11, "x"),  # noqa: DTZ001
    (date(2026, 3, 16), "_x0041_", Decimal("1500.00"), datetime(1899, 1, 1), False, 10**12, "y"),  # noqa: DTZ001
    (date(2026, 3, 17), "Aluguel & cia", None, None, True, 7, "x"),
)


def encode(values: tuple[Value, ...]) -> CodedColumn:
    """Keep one column as reports do."""
    codes, uniques = pd.factorize(pd.Series(values, dtype=object), use_na_sentinel=True)
    return CodedColumn(codes.astype("int8"), np.asarray(uniques, dtype=object), list)


def make_cells(rows: tuple[tuple[Value, ...], ...] = ROWS) -> CodedCells:
    return CodedCells([encode(column) for column in zip(*rows, strict=True)])


@pytest.fixture(params=[coded.FEW, 1], ids=["few", "many"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns whose values are kept as cells, and columns whose values are made when they are asked for."""
    monkeypatch.setattr(coded, "FEW", request.param)
    monkeypatch.setattr(coded, "_ROWS_AT_ONCE", 2)


def both(**more: Any) -> tuple[Section, Section]:
    """The same section with its rows as tuples, and kept by columns."""
    rows = tuple(Row(cells, key="cat-1" if number == 2 else None) for number, cells in enumerate(ROWS))
    plain = Section("lancamentos", COLUMNS, rows, detail=True, anchors=(("id", "id"),), **more)
    return plain, replace(plain, rows=CodedRows(make_cells(), {2: "cat-1"}))


def test_they_are_walked_over_counted_and_taken_like_tuples() -> None:
    plain, kept = both()
    cells = make_cells()
    assert tuple(cells) == ROWS
    assert [cells[0], cells[-1]] == [ROWS[0], ROWS[-1]]
    assert cells[1:3] == ROWS[1:3]
    assert cells.part(2, 5) == make_cells(ROWS[2:])
    assert cells != ROWS[1:]
    assert list(kept.rows) == list(plain.rows)
    assert kept.rows == plain.rows
    assert kept.rows != plain.rows[::-1]
    assert (kept.rows[2], kept.rows[3:]) == (plain.rows[2], plain.rows[3:])
    with pytest.raises(IndexError):
        cells[5]


def test_columns_read_the_same_from_either() -> None:
    plain, kept = both()
    for place, column in enumerate(COLUMNS):
        assert read_cells(kept, place) == read_cells(plain, place) == [row[place] for row in ROWS], column.key
        assert read_ordinary(kept, place) == read_ordinary(plain, place)
    assert sorted(count_figures(kept, 2)) == [(Decimal("-0.01"), 1), (Decimal("0.00"), 1), (Decimal("1500.00"), 2)]
    assert sum(value * times for value, times in count_figures(plain, 2)) == Decimal("2999.99")
    assert list(find_notable(kept.rows)) == list(find_notable(plain.rows)) == [(2, plain.rows[2])]


def test_the_sheet_has_the_same_bytes(tmp_path: Path) -> None:
    one, other = (
        render_workbook(book(report(section)), tmp_path / name)
        for section, name in zip(both(), ("a.xlsx", "b.xlsx"), strict=True)
    )
    assert one.read_bytes() == other.read_bytes()


def test_sql_has_the_same_rows_in_the_same_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_tables, "_ROWS_AT_ONCE", 2)
    with Warehouse(tmp_path) as warehouse:
        for rows in (ROWS, make_cells()):
            write_report_table(warehouse, Table("r99", COLUMNS, rows, "R99: teste"))
            assert warehouse.query("SELECT * FROM mart.r99") == list(ROWS)


def test_a_sheet_and_a_table_that_share_their_cells_need_no_second_look() -> None:
    cells = make_cells()
    table = Table("lancamentos", COLUMNS, cells, "R16")
    parts = [replace(both()[1], rows=CodedRows(cells.part(a, b), {})) for a, b in ((0, 2), (2, 5))]
    assert share_cells(parts, table)
    assert not share_cells(parts[:1], table)
    assert not share_cells(parts[::-1], table)
    assert not share_cells(parts, replace(table, rows=make_cells()))
    assert not share_cells(parts, replace(table, rows=ROWS))


def test_a_sheet_that_differs_from_its_table_is_found() -> None:
    cells = make_cells()
    swapped = CodedCells([*cells.columns[:2], encode(tuple(row[2] for row in ROWS[::-1])), *cells.columns[3:]])
    found = {}
    for name, rows in (("same", cells), ("swapped", swapped)):
        shown = replace(
            report(replace(both()[1], rows=CodedRows(rows, {}))), tables=(Table("lancamentos", COLUMNS, cells, "R16"),)
        )
        tally = Tally()
        compare_sheets(tally, {"lancamentos": shown}, ("R16",))
        found[name] = [one.chave for one in tally.differences]
    assert found["same"] == []
    assert [key for key in found["swapped"] if "Valor" in key]
