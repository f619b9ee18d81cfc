"""Blocks fit what is in a file, and writing it anew loses nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from lastro.warehouse.file import blocks
from lastro.warehouse.file.blocks import (
    SMALL,
    USUAL,
    choose_block_size,
    copy_apart,
    copy_file,
    read_block_size,
    write_fitting,
)
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.publication.copies import publish
from tests.books import open_warehouse


def fill(warehouse: Warehouse, rows: int) -> None:
    with warehouse.transaction() as con:
        con.execute(
            "CREATE OR REPLACE TABLE core.marca AS SELECT range AS n, 'texto ' || range AS t FROM range(?)", [rows]
        )


def test_a_small_company_takes_little_room(tmp_path: Path) -> None:
    """Most of the tables have a few rows or none: with the usual blocks the two files take 22 MB each."""
    with open_warehouse(tmp_path) as warehouse:
        fill(warehouse, 1000)
        link = publish(warehouse, 1)
    with Warehouse(tmp_path) as warehouse, closing(duckdb.connect(str(link), read_only=True)) as published:
        assert [read_block_size(con) for con in (warehouse.con, published)] == [SMALL, SMALL]
        warehouse.con.execute("CHECKPOINT")
        assert warehouse.path.stat().st_size + link.stat().st_size < 6_000_000


def test_a_file_written_anew_is_the_same_file(tmp_path: Path) -> None:
    with open_warehouse(tmp_path) as warehouse:
        fill(warehouse, 1000)
        before = describe(warehouse)
        warehouse.make_room(14_000)
        assert read_block_size(warehouse.con) == SMALL
        warehouse.make_room(30_000)
        assert read_block_size(warehouse.con) == USUAL
        assert describe(warehouse) == before
        assert choose_block_size(warehouse.con, USUAL) == SMALL
    with Warehouse(tmp_path) as warehouse:
        assert read_block_size(warehouse.con) == SMALL
        assert describe(warehouse) == before
        assert warehouse.query("SELECT count(*), max(t) FROM core.marca WHERE n < 10") == [(10, "texto 9")]


def describe(warehouse: Warehouse) -> list[tuple[object, ...]]:
    columns = warehouse.query(
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment "
        "FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() ORDER BY ALL"
    )
    # DuckDB writes what a star leaves out in any order.
    macros = warehouse.query(
        "SELECT schema_name, function_name, list_sort(string_split_regex(macro_definition, '[ (),]+')), comment "
        "FROM duckdb_functions() WHERE NOT internal ORDER BY ALL"
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


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Warehouse]:
    """A large file, with usual blocks of which few are free."""
    with Warehouse(tmp_path) as warehouse:
        warehouse.make_room(50_000)
        fill(warehouse, 300_000)
        yield warehouse


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_marks(path: Path) -> list[tuple[object, ...]]:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return con.execute("SELECT count(*), sum(n), max(t) FROM core.marca").fetchall()


MARKS = [(300_000, 300_000 * 299_999 // 2, "texto 99999")]


def test_a_large_file_is_copied_as_it_is_and_stays_locked(large: Warehouse, tmp_path: Path) -> None:
    target = tmp_path / "copia.duckdb"
    copy_file(large.con, target)
    command = [sys.executable, "-c", f"import duckdb; duckdb.connect({str(large.path)!r})"]
    opened = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter
    assert "lock" in opened.stderr
    large.close()
    assert digest(target) == digest(large.path)
    assert read_marks(target) == MARKS


def test_a_copy_that_cannot_be_read_back_is_written_anew(large: Warehouse, tmp_path: Path) -> None:
    """A bit that falls over on the way is found by the checksums, before anybody is led to the copy."""
    target = tmp_path / "copia.duckdb"

    def copy_badly(source: Path, target: Path) -> None:
        copy_apart(source, target)
        data = bytearray(target.read_bytes())
        data[len(data) // 2] ^= 1
        target.write_bytes(data)

    copy_file(large.con, target, copy_badly)
    large.close()
    assert digest(target) != digest(large.path)
    assert read_marks(target) == MARKS
