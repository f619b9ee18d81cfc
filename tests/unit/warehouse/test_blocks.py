"""Blocks fit what is in a file, and writing it anew loses nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from lastro.warehouse import blocks
from lastro.warehouse.blocks import SMALL, USUAL, choose_block_size, write_fitting
from lastro.warehouse.macros import create_macros
from lastro.warehouse.publish import publish
from lastro.warehouse.store import Warehouse


def block_size(con: duckdb.DuckDBPyConnection) -> int:
    query = "SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()"
    return int(con.execute(query).fetchall()[0][0])


def fill(warehouse: Warehouse, rows: int) -> None:
    with warehouse.transaction() as con:
        con.execute(
            "CREATE OR REPLACE TABLE core.marca AS SELECT range AS n, 'texto ' || range AS t FROM range(?)", [rows]
        )


def test_a_small_company_takes_little_room(tmp_path: Path) -> None:
    """Most of the tables have a few rows or none: with the usual blocks the two files take 22 MB each."""
    with Warehouse(tmp_path) as warehouse:
        fill(warehouse, 1000)
        create_macros(warehouse, "ouro")
        link = publish(warehouse, 1)
    with Warehouse(tmp_path) as warehouse, closing(duckdb.connect(str(link), read_only=True)) as published:
        assert [block_size(con) for con in (warehouse.con, published)] == [SMALL, SMALL]
        warehouse.con.execute("CHECKPOINT")
        assert warehouse.path.stat().st_size + link.stat().st_size < 6_000_000


def test_a_company_that_grows_has_the_usual_blocks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "FEW_ROWS", 2_000)
    monkeypatch.setattr(blocks, "MANY_ROWS", 4_000)
    found = []
    for rows in (1_000, 3_000, 5_000, 3_000, 1_000):
        with Warehouse(tmp_path) as warehouse:
            fill(warehouse, rows)
        with Warehouse(tmp_path) as warehouse:
            found.append(block_size(warehouse.con))
            assert warehouse.query("SELECT count(*), max(t) FROM core.marca WHERE n < 10") == [(10, "texto 9")]
    assert found == [SMALL, SMALL, USUAL, USUAL, SMALL]


def test_a_file_written_anew_is_the_same_file(tmp_path: Path) -> None:
    with Warehouse(tmp_path) as warehouse:
        fill(warehouse, 1000)
        create_macros(warehouse, "ouro")
        before = describe(warehouse)
        assert choose_block_size(warehouse.con) == SMALL
    with Warehouse(tmp_path) as warehouse:
        assert block_size(warehouse.con) == SMALL
        assert describe(warehouse) == before


def describe(warehouse: Warehouse) -> list[tuple[object, ...]]:
    columns = warehouse.query(
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment "
        "FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() ORDER BY ALL"
    )
    macros = warehouse.query(
        "SELECT schema_name, function_name, macro_definition, comment FROM duckdb_functions() WHERE NOT internal "
        "ORDER BY ALL"
    )
    constraints = warehouse.query(
        "SELECT schema_name, table_name, constraint_text FROM duckdb_constraints() "
        "WHERE database_name = current_database() ORDER BY ALL"
    )
    return [*columns, *macros, *constraints]


def test_a_disk_without_room_leaves_the_file_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_con: duckdb.DuckDBPyConnection, target: Path, _size: int) -> None:
        target.write_bytes(b"half")
        raise duckdb.IOException("Could not write file: No space left on device")

    with Warehouse(tmp_path) as warehouse:
        fill(warehouse, 1000)
        monkeypatch.setattr(blocks, "copy_to", refuse)
        assert not write_fitting(warehouse.con, warehouse.path)
        assert warehouse.query("SELECT count(*) FROM core.marca") == [(1000,)]
        assert not list(warehouse.path.parent.glob("*.copia"))
