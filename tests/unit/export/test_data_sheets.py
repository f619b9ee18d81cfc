"""Data sheets: what stands in a table of DuckDB is what openpyxl reads, whatever stands in a cell."""

from __future__ import annotations

import re
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.tables import Column
from lastro.grid.workbook import Stamp
from lastro.run.datasets import build_dados
from lastro.warehouse.file.dataset_views import Dataset
from lastro.warehouse.publication.datasets import BLOCK, LoadedTable, read_blocks

STAMP = Stamp(
    empresa="Ouro & Filhos", data_base=date(2026, 3, 16), extraido_em=datetime(2026, 3, 16, 6, 5),  # noqa: DTZ001 - local
    extraido_utc=datetime(2026, 3, 16, 9, 5, tzinfo=UTC), fuso="America/Sao_Paulo", execucao_id=1, contas_lidas=1,
    contas_total=1, extracao="COMPLETA", nota="", reconstituido=False,
)  # fmt: skip


def render(
    folder: Path, con: duckdb.DuckDBPyConnection, kinds: dict[str, Kind], length: int, block: int = BLOCK
) -> Path:
    """Write the table `t` as a data sheet."""
    columns = tuple(Column(name, kind, key=name) for name, kind in kinds.items())
    read = partial(read_blocks, con, "t", columns, length, block)
    table = LoadedTable(Dataset("t", "", (), ""), "tbl_t", columns, length, read)
    return render_workbook(build_dados(STAMP, [table], personal=False), folder / "dados.xlsx")


def write_and_read(folder: Path, kind: Kind, sql_type: str, values: list[Any]) -> list[Any]:
    """Write a column of values below one of numbers and read it by a reader that is not ours."""
    con = duckdb.connect()
    con.execute(f"CREATE TEMP TABLE t (n INTEGER, x {sql_type})")
    con.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    path = render(folder, con, {"n": Kind.INTEGER, "x": kind}, len(values))
    sheet = openpyxl.load_workbook(path)["tbl_t"]
    read = list(sheet.iter_rows(values_only=True))
    assert read[0] == ("n", "x")
    assert [n for n, _ in read[1:]] == list(range(len(values)))
    return [x for _, x in read[1:]]


def test_texts_come_back_as_they_were_but_for_what_no_cell_may_hold(tmp_path: Path) -> None:
    texts = [
        "Ação <b> & «c» 'd' \"e\"", "  antes e depois ", "linha\noutra\tcoluna", "=1+1", "a]]>b", "_x0041_x0042_x",
        "a\x01b\x7fc\u202ed", "linha\r\noutra", "", None, "0012", "ção" * 20_000,
    ]  # fmt: skip
    read = write_and_read(tmp_path, Kind.TEXT, "VARCHAR", texts)
    assert read[:5] == texts[:5]
    assert read[5] == "_x005F_x0041_x005F_x0042_x"  # as Excel escapes it; openpyxl does not turn it back
    assert read[6:11] == ["abcd", "linha\noutra", None, None, "0012"]
    assert read[11] == ("ção" * 20_000)[:32_766] + "…"
    with zipfile.ZipFile(tmp_path / "dados.xlsx") as archive:
        sheet = archive.read("xl/worksheets/sheet2.xml").decode()
    assert '<c r="B12" t="inlineStr"><is><t>0012</t></is></c>' in sheet
    assert "<f>" not in sheet


def test_amounts_keep_every_digit(tmp_path: Path) -> None:
    amounts = [Decimal("-0.05"), Decimal("1234567890123456.78"), Decimal("0.00"), None]
    write_and_read(tmp_path, Kind.MONEY, "DECIMAL(18,2)", amounts)
    with zipfile.ZipFile(tmp_path / "dados.xlsx") as archive:
        sheet = archive.read("xl/worksheets/sheet2.xml").decode()
    assert re.search(r'<c r="B2" s="\d+"><v>-0.05</v></c>', sheet)
    assert re.search(r'<c r="B3" s="\d+"><v>1234567890123456.78</v></c>', sheet)


def test_days_and_moments_are_dates_and_those_before_excels_first_are_texts(tmp_path: Path) -> None:
    days = [date(2026, 3, 16), date(1900, 3, 1), date(1899, 12, 31), None]
    read = write_and_read(tmp_path, Kind.DATE, "DATE", days)
    assert read == [datetime(2026, 3, 16), datetime(1900, 3, 1), "1899-12-31", None]  # noqa: DTZ001
    moments = [datetime.fromisoformat(text) for text in ("2026-03-16T23:59:59.999", "1969-07-20T20:17:40")]
    moments.append(datetime.fromisoformat("1850-01-02T03:04:00"))
    (tmp_path / "dois").mkdir()
    read = write_and_read(tmp_path / "dois", Kind.TIMESTAMP, "TIMESTAMP", moments)
    assert read == [datetime(2026, 3, 16, 23, 59, 59), datetime(1969, 7, 20, 20, 17, 40), "1850-01-02T03:04:00"]  # noqa: DTZ001


def test_flags_are_flags(tmp_path: Path) -> None:
    assert write_and_read(tmp_path, Kind.BOOLEAN, "BOOLEAN", [True, False, None]) == [True, False, None]


def test_rates_keep_their_four_places(tmp_path: Path) -> None:
    rates = [Decimal("2.0000"), Decimal("-0.0001"), None]
    assert write_and_read(tmp_path, Kind.DECIMAL, "DECIMAL(24,4)", rates) == [2, -0.0001, None]


@pytest.mark.parametrize("times", [1, 650])  # more rows than are read at a time
def test_one_odd_cell_of_a_row_leaves_the_others_as_they_are(tmp_path: Path, times: int) -> None:
    rows: list[tuple[Any, ...]] = times * [
        ("a", "b ", date(2026, 3, 16), date(1899, 12, 31)),  # a blank at the end, and a day before Excel's first
        (" a", "", None, None),
        ("", "", date(1850, 1, 2), date(2026, 3, 16)),
        ("x & y", None, None, None),
        (None, "<b>", None, None),
        ("a", "b", date(2026, 3, 16), date(2026, 3, 17)),
        ("]]", ">", None, None),  # together they would be odd
        ("\tum", "dois  três", None, None),
    ]
    con = duckdb.connect()
    con.execute("CREATE TEMP TABLE t (x VARCHAR, y VARCHAR, d DATE, e DATE)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows[: len(rows) // times])
    con.execute("INSERT INTO t SELECT t.* FROM t, range(?) AS r(n) ORDER BY n, t.rowid", [times - 1])
    con.execute("ALTER TABLE t ADD COLUMN f TEXT DEFAULT 'simples'")
    con.execute("ALTER TABLE t ADD COLUMN g DATE DEFAULT DATE '2026-03-16'")
    kinds = {"x": Kind.TEXT, "y": Kind.TEXT, "d": Kind.DATE, "e": Kind.DATE, "f": Kind.TEXT, "g": Kind.DATE}
    path = render(tmp_path, con, kinds, len(rows), block=5_000)
    read = openpyxl.load_workbook(path)["tbl_t"].iter_rows(min_row=2, values_only=True)

    def expect(value: Any) -> Any:
        if isinstance(value, date):
            return value.isoformat() if value.year < 1900 else datetime(value.year, value.month, value.day)  # noqa: DTZ001
        return value or None

    assert list(read) == [(*map(expect, row), "simples", datetime(2026, 3, 16)) for row in rows]  # noqa: DTZ001
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet2.xml").decode()
    assert '<c r="A2" t="inlineStr"><is><t>a</t></is></c>' in sheet
    assert '<c r="B2" t="inlineStr"><is><t xml:space="preserve">b </t></is></c>' in sheet
    assert '<c r="A3" t="inlineStr"><is><t xml:space="preserve"> a</t></is></c><c r="B3"/>' in sheet
    assert '<c r="A5" t="inlineStr"><is><t>x &amp; y</t></is></c>' in sheet
    assert '<c r="B9" t="inlineStr"><is><t xml:space="preserve">dois  três</t></is></c>' in sheet


def test_a_long_explanation_makes_its_row_taller(tmp_path: Path) -> None:
    con = duckdb.connect()
    con.execute("CREATE TEMP TABLE t (n INTEGER)")
    columns = (Column("n", Kind.INTEGER, key="n"),)
    read = partial(read_blocks, con, "t", columns, 0)
    table = LoadedTable(Dataset("t", "uma linha " * 8, ("n",), ""), "tbl_t", columns, 0, read)
    book = openpyxl.load_workbook(render_workbook(build_dados(STAMP, [table], personal=True), tmp_path / "dados.xlsx"))
    # 80 characters in a column of 38, which holds 43 of them: two lines.
    assert (book["LEIA-ME"].row_dimensions[8].height, book["LEIA-ME"]["B8"].value) == (27, "uma linha " * 8)
    assert book["tbl_t"].tables["tbl_t"].ref == "A1:A2"
