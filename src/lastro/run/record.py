"""What happened to a company, or to the home: `registro.db` in its folder, one SQLite file, one statement a fact.

`ops` says what a file holds, the record what happened. Belongs here: the file, its tables, what can be wrong with it.
`happened` and `deliveries` write a company's, `operation` the home's. Its journal is rolled back, and kept, with free
pages beside it: a shared disk that locks will do, and what is to be said on a full one has its room.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lastro.errors import StorageError, WarehouseBusy
from lastro.files import refuse_access
from lastro.run.earlier_records import has_earlier, take_over
from lastro.warehouse.file.faults import storage_error

RECORD, DAMAGED = "registro.db", "registro.danificado"
_TABLES: Final = """
-- Moments are UTC. A run that is `boa` published; `leitura` is the reading that one reports, `lida` when one that is
-- proven began; one that failed has a cause, and `primeira` is the first of the failures in a row for it.
CREATE TABLE execucao (ordem INTEGER PRIMARY KEY, numero INTEGER, tipo TEXT NOT NULL, desde TEXT NOT NULL, lida TEXT,
  fim TEXT, boa INTEGER NOT NULL DEFAULT 0, leitura INTEGER, causa TEXT, classe TEXT, codigo INTEGER, texto TEXT,
  cura TEXT, primeira TEXT, de_novo TEXT, tentativas INTEGER NOT NULL DEFAULT 0, recados TEXT, resumo TEXT);
-- `sha256` as delivered, `lido` as last read back, `fora` what of that was left unread.
CREATE TABLE entrega (caminho TEXT PRIMARY KEY, numero INTEGER NOT NULL, especie TEXT NOT NULL, dia TEXT NOT NULL,
  r INTEGER NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, escrito TEXT NOT NULL, publicada TEXT, lido TEXT,
  fora TEXT, saiu TEXT);
CREATE INDEX nome ON entrega (especie, dia, r);
CREATE TABLE avisado (chave TEXT NOT NULL, canal TEXT NOT NULL, dia TEXT NOT NULL, em_ordem INTEGER NOT NULL,
  titulo TEXT NOT NULL, desde TEXT NOT NULL, PRIMARY KEY (chave, canal));
CREATE TABLE sinal (quem TEXT PRIMARY KEY, valor TEXT NOT NULL);
-- The last failure that no good run of its kind, and no complete one, has come after.
CREATE VIEW falha AS SELECT * FROM execucao f WHERE causa IS NOT NULL AND NOT EXISTS (SELECT 1 FROM execucao g
  WHERE g.ordem > f.ordem AND g.boa AND g.tipo IN ('completa', f.tipo)) ORDER BY ordem DESC LIMIT 1;
-- The newest proven reading that no report of it, or of a later one, has followed.
CREATE VIEW espera AS SELECT * FROM execucao WHERE lida IS NOT NULL
  AND numero > coalesce((SELECT max(leitura) FROM execucao), 0) ORDER BY ordem DESC LIMIT 1;
PRAGMA user_version = 1"""
_ROOM, _PAGES = 65_536, 8
"""Bytes that are kept free, and the pages below which they are again: a bad morning needs a few of them."""
_UNLOCKED: Final = (sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_RDLOCK)
_PATIENCE_SECONDS, _LOOK_SECONDS = 40.0, 10.0
"""Of who writes: longer than a channel has, while which a notice holds the home's. Of who looks: a commit's."""


class DamagedRecord(StorageError):
    """The record is no database any more; the next run begins it anew."""


@contextlib.contextmanager
def writing(folder: Path, patience: float = _PATIENCE_SECONDS) -> Iterator[sqlite3.Connection]:
    """Open the record of a folder for one statement, or several that belong together: durable whole, or not at all.

    Raises:
        StorageError: when the disk is full, or folder or record cannot be written.
        DamagedRecord: when it is no record any more.
        WarehouseBusy: when another process writes it and does not come to an end, or its disk locks no files.
    """
    path = folder / RECORD
    with _explained(path):
        with contextlib.suppress(FileExistsError):  # and then not opened: a close would undo SQLite's locks on it
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        with _connect(path, patience) as con:
            con.execute("PRAGMA synchronous = FULL")
            con.execute("BEGIN IMMEDIATE")
            if con.execute("PRAGMA user_version").fetchone() == (0,):
                for statement in _TABLES.split(";\n"):
                    con.execute(statement)
            with take_over(con, folder):
                yield con
                con.execute("COMMIT")
            _keep_room(con)


def query_record(folder: Path, sql: str, asked: Sequence[object] | Mapping[str, object] = ()) -> list[tuple[Any, ...]]:
    """Ask the record in one short statement, whatever a run is writing.

    Returns:
        The rows; none where nothing is known: no record, one that this process may not open, or a damaged one.
    """
    with contextlib.suppress(sqlite3.Error), _connect(folder / RECORD) as con:
        return con.execute(sql, asked).fetchall()
    return []


def mend(folder: Path, patience: float = _PATIENCE_SECONDS) -> bool:
    """Begin a record that is missing or damaged; the damaged file stays beside it. Raises as `writing`.

    Returns:
        Whether nothing is left of what was written down before.
    """
    path = folder / RECORD
    known = has_earlier(folder) or bool(query_record(folder, "SELECT count(*) FROM execucao"))
    try:
        with writing(folder, patience) as con:
            if con.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
                raise sqlite3.DatabaseError
    except (DamagedRecord, sqlite3.DatabaseError):
        with _explained(path):
            os.replace(path, folder / DAMAGED)
            path.with_name(f"{RECORD}-journal").unlink(missing_ok=True)
        return mend(folder, patience)
    return not known


def keep_signal(folder: Path, who: str, text: str) -> None:
    """Keep the last that somebody said."""
    with writing(folder) as con:
        con.execute("INSERT OR REPLACE INTO sinal VALUES (?, ?)", [who, text])


def read_signal(folder: Path, who: str) -> str:
    """Read the last that somebody said; empty where nothing was."""
    return "".join(text for (text,) in query_record(folder, "SELECT valor FROM sinal WHERE quem = ?", [who]))


def as_text(moment: datetime) -> str:
    """Write a moment as the record has it: UTC, so that texts stand in the order of moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def as_said(text: str) -> str:
    """Write a text as the record takes it: a path in it may hold bytes that are no text, as half characters."""
    return text.encode("utf-8", "replace").decode()


@contextlib.contextmanager
def _connect(path: Path, patience: float = _LOOK_SECONDS) -> Iterator[sqlite3.Connection]:
    address = f"{path.absolute().as_uri()}?mode=rw"
    with contextlib.closing(sqlite3.connect(address, patience, isolation_level=None, uri=True)) as con:
        con.execute("PRAGMA journal_mode = PERSIST").fetchall()
        yield con


def _keep_room(con: sqlite3.Connection) -> None:
    """Keep pages free for a full disk, and the journal as long as writing them takes; a full disk has them already."""
    if con.execute("PRAGMA freelist_count").fetchone()[0] < _PAGES:
        with contextlib.suppress(sqlite3.Error):
            con.execute("CREATE TABLE IF NOT EXISTS folga (nada BLOB)")
            con.execute("INSERT INTO folga VALUES (randomblob(?))", [_ROOM])
            con.execute("UPDATE folga SET nada = randomblob(?)", [_ROOM])
            con.execute("DROP TABLE folga")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Translate what SQLite and the disk can do wrong into what to do about it; not a mistake of our own SQL."""
    try:
        yield
    except OSError as error:
        raise storage_error(path, error) from None
    except sqlite3.Error as error:
        whole = getattr(error, "sqlite_errorcode", 0)
        code = whole & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            text = f"{path}: o registro do que aconteceu está danificado; a próxima execução começa outro."
            raise DamagedRecord(text) from None
        if code == sqlite3.SQLITE_BUSY or whole in _UNLOCKED:
            raise WarehouseBusy(
                f"{path}: outro processo o escreve e não termina: espere e rode de novo. Se nenhum está aberto, este "
                "disco não tranca arquivos, e o que acontece se perderia: ponha dir num que tranque, local ou NFS 4."
            ) from None
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise refuse_access(path) from None
        if code not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise
        number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
        raise storage_error(path, OSError(number, os.strerror(number))) from None
