"""Rows kept by columns are the rows they stand for: to whoever walks over them, to the workbook, to SQL, to checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.coded import (
    CodedCells,
    CodedColumn,
    CodedRows,
    count_ordinary,
    detail_table,
    find_deepest,
    find_notable,
    read_cells,
    read_figures,
    sample_cells,
    share_cells,
)
from lastro.grid.model import Column, Mark, Row, Section, Table
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.warehouse.report_tables import ROWS_AT_ONCE, write_report_table
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
    for n in range(6_000)
)
"""So many more that columns have many different values, which are made when they are asked for."""


def encode(values: tuple[Value, ...]) -> CodedColumn:
    """Keep one column as reports do."""
    codes, uniques = pd.factorize(pd.Series(values, dtype=object), use_na_sentinel=True)
    return CodedColumn(codes.astype("int16"), np.asarray(uniques, dtype=object), list)


def make_cells(rows: Rows) -> CodedCells:
    return CodedCells([encode(column) for column in zip(*rows, strict=True)])


@pytest.fixture(params=[ROWS, ROWS + MORE], ids=["few", "many"])
def rows(request: pytest.FixtureRequest) -> Rows:
    """Rows of columns whose values are kept as cells, and of such whose values are made when they are asked for."""
    assert [column.has_few for column in make_cells(request.param).columns].count(False) in {0, 6}
    return request.param


def lead_page(number: int) -> Link | None:
    """Most labels lead to a page, some of which a sheet cannot hold."""
    return None if number % 7 == 3 else Link("", url=f"{'ftp' if number % 5 == 4 else 'https'}://exemplo/{number}")


def lead_name(number: int) -> Link | None:
    """The name in every other row leads to the top of a sheet."""
    return Link("", sheet="Lançamentos") if number % 2 else None


def mark_row(number: int) -> frozenset[Mark]:
    """A few rows are marked, one of them alone between others."""
    return LATE_90 if number in {0, 1, 4} or number % 11 == 0 else frozenset()


def keep(made: list[Any], missing: Any = None) -> CodedColumn:
    """Keep what each row has beside its cells."""
    kept = np.array([number for number, one in enumerate(made) if one != missing])
    codes = np.full(len(made), -1)
    codes[kept] = np.arange(len(kept))
    return CodedColumn(codes, kept, lambda some: [made[number] for number in some.tolist()], missing)


def both(rows: Rows, **more: Any) -> tuple[Section, Section]:
    """The same section with its rows as tuples, and kept by columns: with a key, links, marks."""
    numbers = range(len(rows))
    plain = tuple(
        Row(
            (
                cells[0],
                Link(cells[1], sheet="Lançamentos") if number % 2 and isinstance(cells[1], str) else cells[1],
                *cells[2:],
            ),
            key="cat-1" if number == 2 else None,
            link=lead_page(number),
            marks=mark_row(number),
        )
        for number, cells in enumerate(rows)
    )
    section = Section("lancamentos", COLUMNS, plain, detail=True, anchors=(("id", "id"),), **more)
    names = [lead_name(number) if rows[number][1] is not None else None for number in numbers]
    kept = CodedRows(
        make_cells(rows),
        {2: "cat-1"},
        label=keep([lead_page(number) for number in numbers]),
        links={1: keep(names)},
        marks=keep([mark_row(number) for number in numbers], frozenset()),
    )
    return section, replace(section, rows=kept)


def test_they_are_walked_over_counted_and_taken_like_tuples(rows: Rows) -> None:
    plain, kept = both(rows)
    cells = make_cells(rows)
    assert tuple(cells) == rows
    assert [cells[0], cells[-1]] == [rows[0], rows[-1]]
    assert cells[1:3] == rows[1:3]
    assert cells.part(2, len(rows)) == make_cells(rows[2:])
    assert cells != rows[1:]
    assert list(kept.rows) == list(plain.rows)
    assert kept.rows == plain.rows
    assert kept.rows != plain.rows[::-1]
    assert (kept.rows[2], kept.rows[3:]) == (plain.rows[2], plain.rows[3:])
    with pytest.raises(IndexError):
        cells[len(rows)]


def test_columns_read_the_same_from_either(rows: Rows) -> None:
    plain, kept = both(rows)
    for place, column in enumerate(COLUMNS):
        printed = [value.text if isinstance(value, Link) else value for value in read_cells(plain, place)]
        assert read_cells(kept, place) == printed == [row[place] for row in rows], column.key
        assert read_cells(kept, place, 3) == printed[:3]
        assert dict(count_ordinary(kept, place)) == Counter(printed)
        assert [(getattr(cell, "text", cell), times) for cell, times in count_ordinary(plain, place)] == [
            (cell, 1) for cell in printed
        ]
        assert len(list(sample_cells(kept, place, 3))) == len(list(sample_cells(plain, place, 3))) == 3
    counted = sorted((value, times) for value, times in count_ordinary(kept, 2) if isinstance(value, Decimal))
    assert counted[:3] == [(Decimal("-0.01"), 1), (Decimal("0.00"), 1), (Decimal("1500.00"), 2)]
    assert len(counted) == 3 + len(rows) - len(ROWS)
    # 2000 + 2001 + .. + 7999
    more, most = (Decimal(29_997_000), 7999) if len(rows) > len(ROWS) else (0, 1500)
    assert read_figures(kept, 2) == read_figures(plain, 2) == (Decimal("-0.01"), most, Decimal("2999.99") + more)
    assert read_figures(kept, 1) is read_figures(plain, 1) is None
    assert list(find_notable(kept.rows)) == list(find_notable(plain.rows)) == [(2, plain.rows[2])]


def test_links_are_listed_row_after_row_those_of_labels_first(rows: Rows) -> None:
    kept = both(rows)[1].rows
    assert isinstance(kept, CodedRows)
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
    # Of rows 1, 3 .. 6003 with a name only row 1 has none.
    assert kept.count_leading() == (1 if len(rows) == len(ROWS) else 3_001)
    assert list(CodedRows(make_cells(rows)).list_links()) == []
    assert CodedRows(make_cells(rows)).count_leading() == 0


def test_all_rows_have_one_level(rows: Rows) -> None:
    kept = CodedRows(make_cells(rows), level=2)
    assert {row.level for row in kept} == {2}
    section = replace(both(rows)[1], rows=kept)
    assert find_deepest(section) == find_deepest(replace(section, rows=tuple(kept))) == 2
    assert [level for level, _ in sample_cells(section, 0, 2)] == [2, 2]
    empty = replace(section, rows=CodedRows(make_cells(rows).part(0, 0), level=2))
    assert find_deepest(empty) == find_deepest(replace(section, rows=())) == 0


def test_only_a_section_kept_by_columns_shares_its_cells_with_its_table(rows: Rows) -> None:
    plain, kept = both(rows)
    table = detail_table(kept, "R16")
    assert (table.name, table.columns, table.comment) == ("lancamentos", COLUMNS, "R16")
    assert share_cells([kept], table)
    with pytest.raises(TypeError, match="lancamentos"):
        detail_table(plain, "R16")


def test_the_sheet_has_the_same_bytes(rows: Rows, tmp_path: Path) -> None:
    one, other = (
        render_workbook(book(report(section)), tmp_path / name)
        for section, name in zip(both(rows), ("a.xlsx", "b.xlsx"), strict=True)
    )
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("at_once", [2_000, ROWS_AT_ONCE])
def test_sql_has_the_same_rows_in_the_same_order(rows: Rows, at_once: int, tmp_path: Path) -> None:
    with Warehouse(tmp_path) as warehouse:
        for kept in (rows, make_cells(rows)):
            write_report_table(warehouse, Table("r99", COLUMNS, kept, "R99: teste"), at_once=at_once)
            assert warehouse.query("SELECT * FROM mart.r99") == list(rows)


def test_a_sheet_and_a_table_that_share_their_cells_need_no_second_look(rows: Rows) -> None:
    cells = make_cells(rows)
    table = Table("lancamentos", COLUMNS, cells, "R16")
    parts = [replace(both(rows)[1], rows=CodedRows(cells.part(a, b), {})) for a, b in ((0, 2), (2, len(rows)))]
    assert share_cells(parts, table)
    assert not share_cells(parts[:1], table)
    assert not share_cells(parts[::-1], table)
    assert not share_cells(parts, replace(table, rows=make_cells(rows)))
    assert not share_cells(parts, replace(table, rows=rows))


def test_a_sheet_that_differs_from_its_table_is_found(rows: Rows) -> None:
    cells = make_cells(rows)
    turned = encode(tuple(row[2] for row in rows[::-1]))
    swapped = CodedCells([*cells.columns[:2], turned, *cells.columns[3:]])
    found = {}
    for name, shown_cells in (("same", cells), ("swapped", swapped)):
        sheet = report(replace(both(rows)[1], rows=CodedRows(shown_cells, {})))
        shown = replace(sheet, tables=(Table("lancamentos", COLUMNS, cells, "R16"),))
        tally = Tally()
        compare_sheets(tally, {"lancamentos": shown}, ("R16",))
        found[name] = [one.chave for one in tally.differences]
    assert found["same"] == []
    assert [key for key in found["swapped"] if "Valor" in key]
