"""The canary: a token goes through success and every kind of failure and is found nowhere afterwards.

Looked for in everything below the data folder (compressed pages, DuckDB, Dagster's SQLite, workbooks), in the log of
all loggers at DEBUG, and in stdout and stderr.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lastro.api.retry import RetryPolicy
from lastro.cli import main
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.golden import expected
from tests.integration.told import LOG, TOKEN, log_everything, read_told
from tests.marks import thinned
from tests.served import TOKEN_VARIABLE, write_settings

HASTY = RetryPolicy(base=0.01, cap=0.05, base_429=0.01, cap_429=0.05)
MARKS = (b"CANARIO", b"4f6b9c")
"""Parts that every spelling of the canary has, percent-encoded or not."""


def contents(path: Path) -> Iterator[bytes]:
    """Yield what a file holds, as it is and unpacked."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".gz":
        yield gzip.decompress(data)
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            for name in book.namelist():
                yield book.read(name)
    elif path.suffix == ".duckdb":
        with closing(duckdb.connect(str(path), read_only=True)) as con:
            for schema, table in con.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall():
                yield repr(con.execute(f'SELECT * FROM "{schema}"."{table}"').fetchall()).encode()  # noqa: S608
            yield repr(con.execute("SELECT sql, comment FROM duckdb_views()").fetchall()).encode()
    elif data.startswith(b"SQLite format 3"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as con:
            yield "\n".join(con.iterdump()).encode("utf-8", "surrogateescape")


def leaks(folder: Path) -> list[str]:
    """Name the files below a folder that hold the canary, in their name or contents."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if any(mark.decode() in str(path) for mark in MARKS)
        or (path.is_file() and any(mark in data for data in contents(path) for mark in MARKS))
    ]


def test_the_search_finds_what_is_hidden(tmp_path: Path) -> None:
    """A search that finds nothing anywhere proves nothing."""
    with gzip.open(tmp_path / "a.jsonl.gz", "wb") as packed:
        packed.write(TOKEN.encode())
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", TOKEN * 50)
    with closing(duckdb.connect(str(tmp_path / "c.duckdb"))) as con:
        con.execute("CREATE TABLE t AS SELECT ? || range AS x FROM range(1000)", [TOKEN])
    with closing(sqlite3.connect(tmp_path / "d.db")) as lite:
        lite.execute("CREATE TABLE t AS SELECT ? AS x", [TOKEN])
        lite.commit()
    (tmp_path / "e.log").write_text("GET /v1/contas?access_token=CANARIO-4f6b9c%2F2e", encoding="utf-8")
    (tmp_path / "limpo.txt").write_text("nada", encoding="utf-8")
    assert leaks(tmp_path) == ["a.jsonl.gz", "b.xlsx", "c.duckdb", "d.db", "e.log"]


@pytest.fixture
def noisy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Log everything of everybody into a file below the folder, wait less between attempts, and clean up."""
    monkeypatch.chdir(tmp_path)
    with log_everything(tmp_path / LOG):
        yield tmp_path


def run(folder: Path, app: Starlette, books: Books) -> tuple[int, str]:
    """Run the job against an app by the command; return its exit code and all it printed."""
    with serve(app) as service:
        write_settings(folder, books, service.base_url)
        result = CliRunner().invoke(
            main, ["run", "--data-extracao", expected.D.isoformat()], env={TOKEN_VARIABLE: TOKEN}, obj=HASTY
        )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def check(folder: Path, output: str) -> None:
    log = folder / LOG
    assert log.stat().st_size > 0
    # httpx names the address, httpcore the connection: without either in the log the test would show nothing.
    assert re.search("/v1/|connect_tcp", log.read_text(encoding="utf-8"))
    assert not any(mark.decode() in output for mark in MARKS)
    assert leaks(folder) == []


def test_a_run_that_publishes_leaves_no_trace_of_the_token(told_run: Path) -> None:
    assert (told_run / "dados" / "ouro" / "lastro.duckdb").exists()
    check(told_run, read_told(told_run).output)


async def redirect(request: Request) -> Response:
    return RedirectResponse(f"/outro?{request.url.query}", status_code=302)


async def refuse(request: Request) -> Response:
    return JSONResponse({"errors": {"access_token": [f"{request.url.query} não é válido"]}}, status_code=401)


async def quarrel(request: Request) -> Response:
    return JSONResponse({"errors": {"base": [str(request.url)]}}, status_code=422)


def foreign(answer: Callable[[Request], object], books: Books) -> Starlette:
    app = Starlette(routes=[Route("/{path:path}", answer)])
    app.state.requests, app.state.books = [], books
    return app


FAILURES = {
    "500": 3,
    "reset": 3,
    "429:retry_after=0": 3,
    "wrong": 3,
    "redirect": 3,
    "refuse": 3,
    "quarrel": 3,
    "contagem_errada": 4,
}


@pytest.mark.parametrize(("failure", "code"), thinned(FAILURES.items(), (("redirect", 3), ("contagem_errada", 4))))
def test_a_run_that_fails_leaves_no_trace_of_the_token(noisy: Path, failure: str, code: int) -> None:
    books = golden_company()
    answers = {"redirect": redirect, "refuse": refuse, "quarrel": quarrel}
    if failure in answers:
        app = foreign(answers[failure], books)
    elif failure == "wrong":
        app = create_app(books, token="another")  # noqa: S106 - the sandbox's
    else:
        app = create_app(books, token=TOKEN, falhas=[failure])
    found, output = run(noisy, app, books)
    assert found == code, output
    assert "Traceback" not in output
    assert not (noisy / "dados" / "ouro" / "lastro.duckdb").exists()
    check(noisy, output)
