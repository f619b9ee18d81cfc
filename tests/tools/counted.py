"""What a command does, counted instead of timed: `python -m tests.tools.counted FILE run ...` runs lastro and counts.

A count is the same on every machine, and says at once what is done more often than before. Each is also counted by the
place that asked for it, so that whoever meets a larger one sees where it grew.
"""

from __future__ import annotations

from lastro.__main__ import enter  # first: what it registers for the end comes last

# ruff: isort: split
import atexit
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import duckdb
import sqlalchemy
from sqlalchemy.sql.compiler import SQLCompiler

from lastro.grid.storage import Records
from lastro.grid.table_rows import TableRows

SOURCES: Final = ("lastro", "lastro_pipelines", "dagster", "sqlalchemy")
STATEMENTS, ENGINES, COMPILED, ROWS = "statements", "engines", "compiled", "rows"
counts: Counter[str] = Counter()
places: dict[str, Counter[str]] = {name: Counter() for name in (STATEMENTS, ENGINES, COMPILED, ROWS)}


def note(name: str, times: int = 1) -> None:
    """Count what was done, by the function outside this module that asked for it and those that asked that one."""
    counts[name] += times
    places[name][" < ".join(list_callers(sys._getframe(1)))] += times


def list_callers(frame: FrameType | None, most: int = 3) -> Iterator[str]:
    """List the nearest callers in packages of ours and of Dagster, innermost first."""
    while frame is not None and most:
        module = frame.f_globals.get("__name__", "")
        if module.split(".")[0] in SOURCES and module != __name__:
            most -= 1
            yield f"{module}.{frame.f_code.co_name}"
        frame = frame.f_back


def counted(real: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that does the same, and is counted."""

    def do(*given: Any, **named: Any) -> Any:
        note(name)
        return real(*given, **named)

    return do


def counted_rows(real: Callable[[Any, int, int], Iterator[Any]]) -> Callable[[Any, int, int], Iterator[Any]]:
    """Return a method that makes the same rows, each of which is counted."""

    def make(self: Any, first: int, last: int) -> Iterator[Any]:
        for row in real(self, first, last):
            note(ROWS)
            yield row

    return make


def watch() -> None:
    """Count from now on."""
    execute = duckdb.DuckDBPyConnection.execute

    def seen(open_: Callable[..., duckdb.DuckDBPyConnection]) -> Callable[..., duckdb.DuckDBPyConnection]:
        def opened(*given: Any, **named: Any) -> duckdb.DuckDBPyConnection:
            con = open_(*given, **named)
            # A frame that a statement names stands one function further out than usual.
            execute(con, "SET python_scan_all_frames = true")
            return con

        return opened

    duckdb.connect = seen(duckdb.connect)
    duckdb.DuckDBPyConnection.cursor = seen(duckdb.DuckDBPyConnection.cursor)  # type: ignore[method-assign]
    for owner, method, name in (
        (duckdb.DuckDBPyConnection, "execute", STATEMENTS),
        (duckdb.DuckDBPyConnection, "executemany", STATEMENTS),
        (duckdb.DuckDBPyConnection, "sql", STATEMENTS),
        (sqlalchemy, "create_engine", ENGINES),
        (SQLCompiler, "__init__", COMPILED),
    ):
        setattr(owner, method, counted(getattr(owner, method), name))
    for rows in (Records, TableRows):
        rows.make = counted_rows(rows.make)  # type: ignore[method-assign,assignment]


def list_open_files() -> list[str]:
    """List what this process has open in the folder where it works; empty where the system does not say."""
    own, folder = Path("/proc/self/fd"), str(Path.cwd())
    opened = [os.path.realpath(one) for one in own.iterdir()] if own.exists() else []
    return sorted(one for one in opened if one.startswith(folder))


def write(target: Path) -> None:
    """Write what was counted."""
    often = {name: dict(counter.most_common(15)) for name, counter in places.items()}
    told = {**counts, "modules": len(sys.modules), "open": list_open_files(), "places": often}
    target.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    atexit.register(write, Path(sys.argv.pop(1)).absolute())
    watch()
    enter()
