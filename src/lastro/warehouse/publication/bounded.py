"""One question in a process of its own, which can neither harm nor hold up who asks.

No file, address, extension or variable is there for it, and time, memory and rows have an end. DuckDB has no end of
time, counts not all memory that a function takes, and looks for an interruption only between steps: so the system ends
the process. Belongs here: the process, and what it says. Does not belong here: what is asked, and what becomes of it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from lastro.errors import ConfigError
from lastro.schema.derivation import quote
from lastro.warehouse.publication.adhoc_queries import read_rows, shut_off


@dataclass(frozen=True)
class Bounds:
    """How much a question may take: seconds of one processor, rows of its answer, megabytes of memory."""

    segundos: float = 30
    linhas: int = 100_000
    memoria: int = 512


MOST_COLUMNS: Final = 100
MOST_FILE: Final = 200
"""Megabytes of an answer, compressed."""
_ROOM: Final = 1_500
"""Megabytes of addresses that a process has beside the memory of the question: for programs, threads, reserves."""
_PATIENCE: Final = 10
"""Seconds of the clock that a busy machine has beside those of the processor, which bound the question itself."""
_LINE: Final = re.compile(r"^LINE (\d+):", re.MULTILINE)
_CASTS: Final = (
    (r"DECIMAL\((18|38),2\)", "{}::DECIMAL(18,2)"),
    (r"DECIMAL\(24,2\)|VARCHAR|BOOLEAN", "{}"),
    (r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(\d+,0\)", "{}::BIGINT"),
    (r"DECIMAL\(.*", "{}::DECIMAL(18,4)"),
    # What has no number, as 1/0, is nothing; a day that no calendar has, too.
    (r"DOUBLE|FLOAT", "CASE WHEN isfinite({0}) THEN {0}::DECIMAL(18,4) END"),
    (r"DATE", "CASE WHEN year({0}) BETWEEN 1 AND 9999 THEN {0} END"),
    (r"TIMESTAMP.*", "CASE WHEN year({0}) BETWEEN 1 AND 9999 THEN {0}::TIMESTAMP END"),
    (r".*", "{}::VARCHAR"),
)
"""Type -> how an answer holds it: money with two places, percent as reports have it, any other number exactly with four
at most, whole ones, days, moments, yes and no; anything else as a text."""
_OF_TEXT: Final = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
"""What DuckDB has against a text itself: of anything else the words may quote a record."""


def ask_bounded(database: Path, text: str, target: Path, bounds: Bounds) -> None:
    """Ask a file one question and write the answer as Parquet.

    Args:
        database: a file of DuckDB that no other process writes.
        text: one SELECT below a line of comment; comments stay, for its lines are counted.
        target: a file that is not there.

    Raises:
        ConfigError: why there is no answer, a sentence in pt-BR that begins with its line where there is one.
    """
    command = [sys.executable, "-P", "-m", __name__, str(database), str(target), json.dumps(vars(bounds))]
    here = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # and nothing else: no token
    try:
        done = subprocess.run(  # noqa: S603 - this module
            command,
            input=text.encode(),
            env=here,
            capture_output=True,
            timeout=bounds.segundos + _PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(command, -signal.SIGKILL)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise ConfigError(f"parada aos {bounds.segundos:g} s: peça menos, ou junte por chaves")
    if done.returncode:
        raise ConfigError(_tell_memory(bounds))
    if done.stdout:
        raise ConfigError(done.stdout.decode())


def _tell_memory(bounds: Bounds) -> str:
    return f"parada na memória: passa de {bounds.memoria} MB"


def _answer(database: str, target: Path, bounds: Bounds, text: str) -> str:
    """Answer a question in this process, which is there for nothing else; where it cannot be, say why."""
    try:
        with duckdb.connect(database, read_only=True) as con:
            for setting in (f"memory_limit = '{bounds.memoria}MB'", "threads = 1", "temp_directory = ''"):
                con.execute(f"SET {setting}")
            shut_off(con, target)
            # What stands before the question is in its first line.
            rows = f"({read_rows(con, text)}\n)"
            columns = con.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
            if len(columns) > MOST_COLUMNS:
                return f"tem {len(columns)} colunas; o limite é {MOST_COLUMNS}"
            cast = ", ".join(_write_column(name, kind) for name, kind, *_ in columns)
            asked = f"SELECT {cast} FROM {rows} LIMIT {bounds.linhas + 1}"
            con.execute(f"COPY ({asked}) TO {quote(str(target))} (FORMAT parquet)")
            counted = f"SELECT num_rows FROM parquet_file_metadata({quote(str(target))})"
            if con.execute(counted).fetchall()[0][0] > bounds.linhas:
                return f"tem mais de {bounds.linhas} linhas: some por chaves, ou peça as primeiras (LIMIT)"
    except ConfigError as wrong:
        return str(wrong)
    except (duckdb.OutOfMemoryException, MemoryError):
        return _tell_memory(bounds)
    except duckdb.PermissionException:
        return "lê um arquivo, um endereço ou uma extensão: só há o que está publicado"
    except duckdb.IOException:
        return f"a resposta passa de {MOST_FILE} MB, ou o disco está cheio"
    except duckdb.Error as error:
        return _tell(error)
    return ""


def _write_column(name: str, kind: str) -> str:
    """Write a column of an answer as a type that a sheet has.

    >>> _write_column("a", "DECIMAL(38,2)"), _write_column("b", "HUGEINT"), _write_column("c", "DECIMAL(9,3)")
    ('"a"::DECIMAL(18,2) AS "a"', '"b"::BIGINT AS "b"', '"c"::DECIMAL(18,4) AS "c"')
    """
    quoted = '"' + name.replace('"', '""') + '"'
    cast = next(cast for pattern, cast in _CASTS if re.fullmatch(pattern, kind, re.DOTALL))
    return f"{cast.format(quoted)} AS {quoted}"


def _tell(error: duckdb.Error) -> str:
    """Say what DuckDB has against a question: with its line, and without what a record says."""
    line = _LINE.search(str(error))
    where = f"linha {line[1]}: " if line and line[1] != "1" else ""  # of the first line is what stands before it
    if isinstance(error, _OF_TEXT):
        return f"{where}o DuckDB diz: " + " ".join(str(error).partition("\nLINE ")[0].split())
    return f"{where}um valor não serve para o que se pede dele ({type(error).__name__})"


def _limit(bounds: Bounds) -> None:
    """Let the system end this process where it takes more than a question may, whoever asked it being gone or not."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(bounds.segundos) + 1,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE * 2**20,) * 2)
    with contextlib.suppress(ValueError, OSError):  # macOS has none
        resource.setrlimit(resource.RLIMIT_AS, ((bounds.memoria + _ROOM) * 2**20,) * 2)


if __name__ == "__main__":
    own = Bounds(**json.loads(sys.argv[3]))
    _limit(own)
    sys.stdout.write(_answer(sys.argv[1], Path(sys.argv[2]), own, sys.stdin.buffer.read().decode()))
