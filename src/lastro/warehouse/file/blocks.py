"""The size of a file's blocks, by what is in it.

A hundred tables of a few rows each fill a block of DuckDB's usual size with air: 22 MB for a company of 500 entries,
2 MB with the smallest blocks. A large company's file is written a third slower in these, and takes more memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import duckdb

from lastro.schema.derivation import quote

STORAGE_VERSION: Final = "v1.4.0"
"""Files in this format open in DuckDB 1.4 tools, which many analysts still have."""
ROW_GROUP: Final = 30_720
"""Rows that are compressed together. What fills a group is written while a table is being filled, and what does not
only by the commit, which holds it until then and takes three times as long; DuckDB's own is 122,880."""
MEMORY, COPYING_MEMORY, READING_MEMORY = "1024MB", "256MB", "192MB"
"""Limits of DuckDB's memory: for a run's statements, while a file is copied, while its rows are handed out.

What needs more goes to the disk beside. DuckDB reserves 4 MB per written column and thread, and falls back to one
thread where that exceeds the limit: with 512 MB the check of the entries and the tables of `dados` ran on one.
"""
SMALL, USUAL = 16_384, 262_144
FEW_ROWS, MANY_ROWS = 100_000, 200_000
"""Up to these rows blocks are made small, beyond those usual; between them a file stays as it is."""
ROWS_A_RECORD: Final = 7
"""Rows that a record of the service becomes, in all tables: 10 of 500, 8 of 5,000, 6.5 of 100,000."""
MOST_FREE: Final = 1 / 2
"""Largest share of a file's blocks that may be free in a copy of it: writing it anew costs ten times as much.

A run needs new blocks for what it replaces before it gives the old ones up: less than half, in every run but the first.
"""


def choose_block_size(con: duckdb.DuckDBPyConnection, now: int, records: int = 0) -> int:
    """Choose the block size of a file by its present or expected content.

    Args:
        con: a connection to the file.
        records: what is about to be loaded, in the place of what was.
    """
    rows = con.execute(
        "SELECT coalesce(sum(estimated_size), 0) FROM duckdb_tables() WHERE database_name = current_database()"
    ).fetchall()[0][0]
    rows = max(rows, records * ROWS_A_RECORD)
    if rows > MANY_ROWS:
        return USUAL
    return SMALL if rows <= FEW_ROWS else now


def read_block_size(con: duckdb.DuckDBPyConnection) -> int:
    """Read the size of the blocks that a connection's file has."""
    rows = con.execute("SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()")
    return int(rows.fetchall()[0][0])


def limit_threads(con: duckdb.DuckDBPyConnection) -> None:
    """Work on a file of small blocks with one thread: with so little data, sharing it out costs a tenth of the time."""
    if read_block_size(con) == SMALL:
        con.execute("SET threads = 1")


def limit_memory(con: duckdb.DuckDBPyConnection, limit: str = MEMORY) -> None:
    """Limit what DuckDB holds from now on.

    A limit that it has already does good too: what statements used and freed is given back, 200 MB after some, which
    DuckDB's allocator keeps for ten seconds otherwise.
    """
    con.execute(f"SET memory_limit = '{limit}'")


def give_back() -> None:
    """Give back the pages that hold nothing any more, between what is in use too; where glibc is not, nothing.

    Of its own accord glibc keeps freed columns for the next ones, which often do not fit between small objects: after a
    million entries are composed, two thirds of what the process holds are such holes.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def copy_apart(source: Path, target: Path) -> None:
    """Copy a file by another process: whoever closes a file gives up every lock that his process has on it.

    Raises:
        OSError: when no other process can be started.
        subprocess.CalledProcessError: when it did not succeed.
    """
    subprocess.run(["cp", "--", source, target], check=True, capture_output=True)  # noqa: S603, S607 - files of ours


def copy_file(con: duckdb.DuckDBPyConnection, target: Path, copy: Callable[[Path, Path], None] = copy_apart) -> None:
    """Copy everything that is in a connection's file to a new one, durably, in blocks that fit what is in it.

    A large file whose blocks fit is copied as it is, and every value of the copy is read back, which compares all its
    checksums; any other, and where that does not succeed, is written anew.

    Args:
        con: a connection to the file, outside any transaction.
        target: the new file; there is none of that name.
        copy: makes it of the file as it is.
    """
    now = read_block_size(con)
    wanted = choose_block_size(con, now)
    if wanted != now or now == SMALL or not _copy_blocks(con, target, copy):
        target.unlink(missing_ok=True)
        copy_to(con, target, wanted)


def _copy_blocks(con: duckdb.DuckDBPyConnection, target: Path, copy: Callable[[Path, Path], None]) -> bool:
    """Copy a file as it is and read the copy whole; False where much of it is free, or when anything hinders it."""
    con.execute("CHECKPOINT")
    free, total = con.execute(
        "SELECT free_blocks, total_blocks FROM pragma_database_size() WHERE database_name = current_database()"
    ).fetchall()[0]
    if free > total * MOST_FREE:
        return False
    own = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    try:
        copy(Path(con.execute(own).fetchall()[0][0]), target)
        sync(target)
        con.execute(f"ATTACH {quote(str(target))} AS copia (READ_ONLY)")
        try:
            tables = con.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'copia'"
            ).fetchall()
            for schema, table in tables:
                con.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM copia."{schema}"."{table}"').fetchall()
        finally:
            con.execute("DETACH copia")
    except (OSError, subprocess.CalledProcessError, duckdb.Error):
        return False
    return True


def copy_to(con: duckdb.DuckDBPyConnection, target: Path, block_size: int) -> None:
    """Copy everything that is in a connection's file to a new one, durably."""
    options = f"STORAGE_VERSION '{STORAGE_VERSION}', BLOCK_SIZE {block_size}"
    con.execute(f"ATTACH {quote(str(target))} AS copia ({options})")
    try:
        source = con.execute("SELECT current_database()").fetchall()[0][0]
        with contextlib.suppress(duckdb.OutOfMemoryException):
            limit_memory(con, COPYING_MEMORY)
        con.execute(f'COPY FROM DATABASE "{source}" TO copia')
    finally:
        con.execute("DETACH copia")
        limit_memory(con)
    sync(target)


def write_fitting(con: duckdb.DuckDBPyConnection, path: Path, records: int = 0, *, anew: bool = False) -> bool:
    """Write a file anew beside itself where its blocks do not fit what is in it, and put it in its place.

    A full disk, or whatever else hinders it, leaves the file as it is: it is as good as before.

    Args:
        con: the only connection to the file, outside any transaction; closed where it returns True.
        records: what is about to be loaded into it.
        anew: write it even where they fit, so that nothing of what was in it is in its free ones.
    """
    now = read_block_size(con)
    wanted = choose_block_size(con, now, records)
    if wanted == now and not anew:
        return False
    copy = path.with_suffix(".copia")
    try:
        copy.unlink(missing_ok=True)
        copy_to(con, copy, wanted)
    except (duckdb.Error, OSError):
        with contextlib.suppress(OSError):
            copy.unlink(missing_ok=True)
        return False
    con.close()
    os.replace(copy, path)
    return True


def sync(path: Path) -> None:
    """Make what was written durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
