"""A report's figures reach `mart` exactly, whatever the cells hold (trap 2 of the notes: DECIMAL never as float)."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from lastro.grid.cells import Kind, Value
from lastro.grid.tables import Column, Table
from lastro.warehouse.file.report_tables import replace_report_tables, write_report_table
from lastro.warehouse.file.store import Warehouse
from tests.books import open_warehouse

DAY, MOMENT = date(2026, 3, 16), datetime(2026, 3, 16, 6, 5, 7)  # noqa: DTZ001 - the API's times are naive


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return open_warehouse(tmp_path)


@pytest.mark.parametrize(
    ("kind", "values", "stored"),
    [
        (Kind.TEXT, ("=1+1", None, "", "é 🎉"), ("=1+1", None, "", "é 🎉")),
        (Kind.TEXT, (None, None), (None, None)),
        (Kind.LINK, ("https://exemplo/1", None), ("https://exemplo/1", None)),
        (Kind.INTEGER, (10**17 + 1, None, -3), (10**17 + 1, None, -3)),
        (Kind.INTEGER, (None, None), (None, None)),
        (Kind.MONEY, (Decimal("1234567890123456.91"), None), (Decimal("1234567890123456.91"), None)),
        (Kind.MONEY, (Decimal("-0.01"), Decimal("1E+3")), (Decimal("-0.01"), Decimal("1000.00"))),
        (Kind.MONEY, (7, None), (Decimal("0.07"), None)),
        (Kind.PERCENT, (Decimal("49.28"), Decimal("0E-7")), (Decimal("49.28"), Decimal("0.00"))),
        (Kind.PERCENT, (Decimal("-92233720368547758.07"), None), (Decimal("-92233720368547758.07"), None)),
        (Kind.NUMBER, (Decimal("-17.5"),), (Decimal("-17.5"),)),
        (Kind.NUMBER, (Decimal("12345678901234567.8"), None), (Decimal("12345678901234567.8"), None)),
        (Kind.DATE, (DAY, None, DAY), (DAY, None, DAY)),
        (Kind.MONTH, (date(2026, 3, 1),), (date(2026, 3, 1),)),
        (Kind.TIMESTAMP, (MOMENT, None), (MOMENT, None)),
        (Kind.BOOLEAN, (True, None, False), (True, None, False)),
    ],
)
def test_cells_are_stored_exactly(
    warehouse: Warehouse, kind: Kind, values: tuple[Value, ...], stored: tuple[object, ...]
) -> None:
    with warehouse:
        rows = tuple((number, value) for number, value in enumerate(values))
        columns = (Column("Ordem", Kind.INTEGER), Column("Célula", kind))
        write_report_table(warehouse, Table("r99", columns, rows, "teste"))
        assert tuple(row[0] for row in warehouse.query("SELECT celula FROM mart.r99 ORDER BY ordem")) == stored


def test_a_table_without_rows_keeps_its_types(warehouse: Warehouse) -> None:
    with warehouse:
        kinds = (Kind.TEXT, Kind.INTEGER, Kind.MONEY, Kind.DATE, Kind.TIMESTAMP)
        columns = tuple(Column(f"c {kind.name}", kind) for kind in kinds)
        write_report_table(warehouse, Table("r99", columns, (), "teste"))
        described = [row[1] for row in warehouse.query("DESCRIBE mart.r99")]
        assert described == ["VARCHAR", "BIGINT", "DECIMAL(18,2)", "DATE", "TIMESTAMP"]


def test_a_table_stays_while_its_columns_do_and_follows_them_when_they_change(warehouse: Warehouse) -> None:
    number, text = Column("Ordem", Kind.INTEGER), Column("Nome", Kind.TEXT)
    with warehouse:
        replace_report_tables(
            warehouse, [Table("r98", (number,), ((1,),), "um"), Table("r99", (number,), ((1,),), "um")]
        )
        oid = "SELECT table_oid FROM duckdb_tables() WHERE table_name = 'r99'"
        first = warehouse.query(oid)
        replace_report_tables(warehouse, [Table("r99", (number,), ((2,), (3,)), "dois")])
        assert warehouse.query(oid) == first
        assert warehouse.query("SELECT list(ordem) FROM mart.r99") == [([2, 3],)]
        assert (
            warehouse.query("SELECT DISTINCT schema_name, table_name FROM duckdb_columns() WHERE table_name = 'r98'")
            == []
        )
        assert warehouse.query("SELECT comment FROM duckdb_tables() WHERE table_name = 'r99'") == [("dois",)]
        for columns in ((number, text), (Column("Ordem", Kind.TEXT), text), (text, number)):
            replace_report_tables(warehouse, [Table("r99", columns, (), "três")])
            assert [row[0] for row in warehouse.query("DESCRIBE mart.r99")] == [column.key for column in columns]
            said = "SELECT comment FROM duckdb_columns() WHERE schema_name = 'mart' AND column_name = ?"
            assert warehouse.query(said, [number.key]) == [("posição, desde 1",)]
