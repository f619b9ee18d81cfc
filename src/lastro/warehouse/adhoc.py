"""Questions in SQL on a published copy: opened read-only and as the main file, so that macros answer for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import ConfigError, StorageError
from lastro.schema.derive import quote
from lastro.warehouse.faults import guard

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?")
_BATCH: Final = 1_000


@dataclass(frozen=True)
class Answer:
    """What a question came to.

    Attributes:
        columns: names.
        rows: streamed; to be taken while the file is open.
    """

    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


@contextmanager
def ask(published: Path, question: str) -> Iterator[Answer]:
    """Ask a published copy.

    Args:
        published: the link to it.
        question: one statement of SQL, or the name of a report (`dre`) or table (`core.linhas`).

    Raises:
        ConfigError: when the statement is wrong, more than one, or would write.
        StorageError: when nothing is published there, or the file cannot be read.
    """
    with _opened(published) as con, _told():
        result = con.execute(_plan(con, question))
        columns = tuple(column[0] for column in result.description or ())
        yield Answer(columns, _stream(result))


def write_parquet(published: Path, question: str, target: Path) -> int:
    """Write what a question came to as Parquet; money stays DECIMAL.

    Returns:
        The number of rows.

    Raises:
        ConfigError, StorageError: as `ask`; also when the file cannot be written.
    """
    with _opened(published) as con, _told():
        sql = _plan(con, question)
        return int(con.execute(f"COPY ({sql}) TO {quote(str(target))} (FORMAT parquet)").fetchall()[0][0])


@contextmanager
def _opened(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    if not published.exists():
        raise StorageError(f"{published}: nothing is published there yet. Run `lastro run` first.")
    with guard(published):
        con = duckdb.connect(str(published), read_only=True)
    try:
        yield con
    finally:
        con.close()


@contextmanager
def _told() -> Iterator[None]:
    """Turn what DuckDB says of a statement into an error that says no more."""
    try:
        yield
    except duckdb.Error as error:
        raise ConfigError(f"SQL: {str(error).strip()}") from None


def _plan(con: duckdb.DuckDBPyConnection, question: str) -> str:
    """Return the one statement that is asked, without what ends it."""
    text = question.strip().rstrip(";").strip()
    if not text:
        raise ConfigError("SQL: no question. Write one in quotes, or the name of a report such as dre.")
    if _NAME.fullmatch(text):
        schema, _, name = text.rpartition(".")
        known = con.execute(
            "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal UNION ALL "
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal"
        ).fetchall()
        wanted = f"{schema or 'mart'}.{name}"
        if (wanted,) not in known:
            reports = ", ".join(sorted(each.partition(".")[2] for (each,) in known if each.startswith("mart.")))
            raise ConfigError(f"SQL: no report or table «{text}». Reports: {reports}.")
        return f"SELECT * FROM {wanted}"
    statements = con.extract_statements(text)
    if len(statements) != 1:
        raise ConfigError(f"SQL: {len(statements)} statements; ask one question at a time.")
    return text


def _stream(result: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Any]]:
    with _told():
        while rows := result.fetchmany(_BATCH):
            yield from rows
