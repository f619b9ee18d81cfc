"""Questions in SQL on a published copy: they read what is published there, and nothing else.

The copy is opened read-only, as the main file, so that macros answer for it. Before DuckDB is given a question it is
shut off: no file, address, extension or variable of Python is there for it, and no setting can open them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import ConfigError
from lastro.schema.derivation import quote
from lastro.warehouse.file.faults import guard
from lastro.warehouse.publication.csv_text import CsvText, guard_text
from lastro.warehouse.publication.published_file import find_published

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?")
_EXPLAIN: Final = re.compile(r"EXPLAIN\b\s*(ANALYZE\b\s*)?(\(\s*(ANALYZE|FORMAT)\b[^()]*\)\s*)?", re.IGNORECASE)
_BATCH: Final = 1_000
_SHUT: Final = ("python_enable_replacements = false", "enable_external_access = false", "lock_configuration = true")
"""What makes of DuckDB a reader of one file, in this order."""
_QUESTIONS: Final = "SELECT, WITH, FROM, VALUES, PIVOT, SHOW, DESCRIBE, SUMMARIZE ou EXPLAIN"


@dataclass(frozen=True)
class QueryResult:
    """The rows that answer a question.

    Attributes:
        columns: names.
        rows: streamed; to be taken while the file is open.
    """

    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


@dataclass(frozen=True)
class _Plan:
    """One question that may be asked; one that is explained stands in no other statement."""

    sql: str
    explained: bool = False


@contextmanager
def ask(published: Path, question: str, csv: CsvText | None = None) -> Iterator[QueryResult]:
    """Ask a published copy.

    Args:
        published: the link to it.
        question: one statement of SQL, or the name of a report (`dre`) or table (`core.linhas`).
        csv: names and rows come as the texts of this way to write CSV.

    Raises:
        ConfigError: when the statement is wrong, more than one, or anything but a question on what is published there.
        StorageError: when nothing is published there, or the file cannot be read.
    """
    with _opened(published) as con, _told():
        plan = _plan(con, question)
        result = con.execute(plan.sql if csv is None or plan.explained else f"SELECT {csv.cells} FROM (\n{plan.sql}\n)")
        columns = [column[0] for column in result.description or ()]
        if csv is not None:
            # Of a PIVOT the names are texts of others too.
            guarded = con.cursor().execute(f"SELECT {guard_text('nome')} FROM unnest(?) AS t(nome)", [columns])
            columns = [name for (name,) in guarded.fetchall()]
        yield QueryResult(tuple(columns), _stream(result))


def write_parquet(published: Path, question: str, target: Path) -> int:
    """Write the rows that answer a question as Parquet; money stays DECIMAL.

    Args:
        published: the link to the copy that is asked.
        question: as of `ask`.
        target: an absolute path where nothing is yet, the only other file that DuckDB may touch.

    Returns:
        The number of rows.

    Raises:
        ConfigError, StorageError: as `ask`; also when the file cannot be written.
    """
    with _opened(published, target) as con, _told():
        con.execute(f"COPY (\n{read_rows(con, question)}\n) TO {quote(str(target))} (FORMAT parquet)")
        # Of a PIVOT the statement does not say how many.
        return int(con.execute(f"SELECT num_rows FROM parquet_file_metadata({quote(str(target))})").fetchall()[0][0])


@contextmanager
def _opened(published: Path, target: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a copy and shut DuckDB off from everything else but one file to write."""
    path = find_published(published)
    with guard(published):  # around no more: what fails later is the reader's, not the file's
        con = duckdb.connect(str(path), read_only=True)
    try:
        shut_off(con, target)
        yield con
    finally:
        con.close()


def shut_off(con: duckdb.DuckDBPyConnection, target: Path | None = None) -> None:
    """Leave a connection its own file, the folder beside it for what memory does not hold, and one file to write."""
    if target is not None:
        con.execute(f"SET allowed_paths = [{quote(str(target))}]")
    for setting in _SHUT:
        con.execute(f"SET {setting}")


@contextmanager
def _told() -> Iterator[None]:
    """Turn what DuckDB says of a statement into an error that says no more."""
    try:
        yield
    except duckdb.PermissionException:
        raise ConfigError(
            "SQL: uma pergunta lê o que está publicado aqui e mais nada: nem arquivo, pasta, endereço ou extensão."
        ) from None
    except duckdb.Error as error:
        raise ConfigError(f"SQL: {str(error).strip()}") from None


def read_rows(con: duckdb.DuckDBPyConnection, question: str) -> str:
    """Return the one statement whose rows answer a question, every line of it in its place; it may stand in brackets.

    Raises:
        ConfigError: as `ask`, also of an EXPLAIN.
    """
    plan = _plan(con, question)
    if plan.explained:
        raise ConfigError("SQL: EXPLAIN é para ler na tela, e não tem linhas para um arquivo.")
    return plan.sql


def _plan(con: duckdb.DuckDBPyConnection, question: str) -> _Plan:
    """Return the single statement, without its final semicolon, or the SELECT of a name."""
    text = _cut_end(question)
    if not text:
        raise ConfigError("SQL: falta a pergunta. Escreva uma entre aspas, ou o nome de um relatório, como dre.")
    if _NAME.fullmatch(text.lstrip()):
        schema, _, name = text.strip().rpartition(".")
        known = con.execute(
            "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal UNION ALL "
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal"
        ).fetchall()
        wanted = f"{schema or 'mart'}.{name}"
        if (wanted,) not in known:
            reports = sorted(each.partition(".")[2] for (each,) in known if each.startswith("mart."))
            near = get_close_matches(name, reports, 1)
            told = f"Seria {near[0]}?" if near else f"Relatórios: {', '.join(reports)}."
            raise ConfigError(f"SQL: não há relatório nem tabela «{text}». {told}")
        return _Plan(f"SELECT * FROM {wanted}")
    statements = con.extract_statements(text)
    if len(statements) != 1:
        raise ConfigError(f"SQL: {len(statements)} comandos; faça uma pergunta por vez.")
    explained = statements[0].type == duckdb.StatementType.EXPLAIN
    if not _is_question(con, _EXPLAIN.sub("", statements[0].query, count=1) if explained else text):
        what = statements[0].query.split(None, 1)[0].upper()
        raise ConfigError(f"SQL: {what} não é pergunta; o lastro só lê. Pergunte com {_QUESTIONS}.")
    return _Plan(text, explained)


def _cut_end(question: str) -> str:
    """Return a question without the semicolons, blanks and comments behind it: it must stand in brackets."""
    try:
        text = question.encode()
    except UnicodeEncodeError:
        raise ConfigError("SQL: a pergunta não é texto UTF-8. Escreva-a de novo.") from None
    tokens = duckdb.tokenize(question)
    while tokens and (tokens[-1][1] == duckdb.token_type.comment or text[tokens[-1][0] :].strip() == b";"):
        text = text[: tokens.pop()[0]]
    return text.decode().rstrip()


def _is_question(con: duckdb.DuckDBPyConnection, text: str) -> bool:
    """Tell whether a statement only reads: what DuckDB calls a SELECT, or a PIVOT that has to look at its values first.

    That one is of several steps for DuckDB, as a COPY or INSERT of a PIVOT is; only a question stands in brackets.
    """
    try:
        kinds = [statement.type for statement in con.extract_statements(text)]
        if kinds == [duckdb.StatementType.MULTI]:
            return len(con.extract_statements(f"FROM (\n{text}\n)")) == 1
    except duckdb.ParserException:
        return False
    return kinds == [duckdb.StatementType.SELECT]


def _stream(result: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Any]]:
    with _told():
        while rows := result.fetchmany(_BATCH):
            yield from rows
