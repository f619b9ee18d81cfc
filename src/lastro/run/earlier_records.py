"""What 0.3 wrote down in files of its own: the record takes over what was delivered, by its digest; then they go.

What failed, and who was told, is told once more.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lastro.files import digest_file
from lastro.run.names import REPORTS_FOLDER, parse_name

_LOGS: Final = ("entregues.jsonl", "grupo/entregues.jsonl")
_OTHERS: Final = ("privado/situacao.json", "avisos.json", "avisos_ultimo.json", "agendador.json", ".avisos.trava")


def has_earlier(folder: Path) -> bool:
    """Tell whether a company, or the group of a home, has deliveries that no record has taken over."""
    return any((folder / name).exists() for name in _LOGS)


@contextlib.contextmanager
def take_over(con: sqlite3.Connection, folder: Path) -> Iterator[None]:
    """Take over the deliveries in `relatorios` that stand as they were written; the others are a person's.

    Once what is done with it is durable, the earlier files go.
    """
    for log in (folder / name for name in _LOGS if (folder / name).exists()):
        sql = "INSERT OR IGNORE INTO entrega VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)"
        con.executemany(sql, _list_standing(folder, log))
    yield
    for name in (*_LOGS, *_OTHERS):
        with contextlib.suppress(OSError):
            (folder / name).unlink()


def _list_standing(folder: Path, log: Path) -> Iterator[tuple[Any, ...]]:
    known = dict[str, tuple[int, str]]()
    for line in log.read_bytes().splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):  # a line of another kind, or cut off
            row = json.loads(line)
            known[row["sha256"]] = row["execucao_id"], datetime.fromtimestamp(row["escrito"], UTC).isoformat()
    for path in sorted((log.parent / REPORTS_FOLDER).glob("*_*.*")):
        named = parse_name(path.name)
        with contextlib.suppress(OSError, KeyError):
            digest = digest_file(path)
            number, written = known[digest]
            if named is not None:
                own = (named.kind + named.suffix, named.day, named.revision, path.stat().st_size, digest)
                yield str(path.relative_to(folder)), number, *own, written, written
