"""Keeps the books in one SQLite file between starts.

Each record is a row (kind, id, JSON). After each request that changed something, the changed records are written in one
transaction before the answer is sent, so what was answered survives a crash, and nothing half done does. One process
holds a file at a time: two would each give the same ids and lose one another's records.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import orjson

from lastro_sandbox.ledger import Books
from lastro_sandbox.origin import Origin, read_origin
from lastro_sandbox.records import KINDS, build_books, describe, make_record, write_record

_FORMAT: Final = "1"


class StateError(Exception):
    """The state file can't be used: it is damaged, not a state file, or can't be written."""


class StateBusy(StateError):
    """Another process holds the state file; the message says which."""


class FileLock:
    """The right to a state file, held by one process at a time; the system takes it back when that process ends."""

    def __init__(self, path: Path) -> None:
        """Take it.

        Raises:
            StateBusy: another process has it.
            StateError: the lock can't be written.
        """
        lock = path.resolve()
        lock = lock.with_name(f"{lock.name}.trava")
        try:
            self._handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StateError(f"can't write {lock.name} beside the state file: {error.strerror}") from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(self._handle, 100).decode(errors="replace").strip() or "unknown"
            os.close(self._handle)
            raise StateBusy(
                f"another sandbox has the state file {path.name} (process {owner}): end that one, or name another file"
            ) from None
        os.ftruncate(self._handle, 0)
        os.write(self._handle, str(os.getpid()).encode())

    def release(self) -> None:
        """Give it back; the file stays, empty."""
        os.ftruncate(self._handle, 0)
        os.close(self._handle)


class Store:
    """One state file."""

    def __init__(self, path: Path) -> None:
        """Open (or make) the file.

        Raises:
            StateBusy: another process has it.
            StateError: it can't be opened or is no state file.
        """
        self.path = path
        self.origin: Origin | None = None
        self._lock = FileLock(path)
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS registro (tipo TEXT, id INTEGER, corpo TEXT NOT NULL, "
                             "PRIMARY KEY (tipo, id)) WITHOUT ROWID")  # fmt: skip
            self._db.execute("CREATE TABLE IF NOT EXISTS instantaneo (nome TEXT PRIMARY KEY, corpo BLOB NOT NULL)")
            self._db.execute("CREATE TABLE IF NOT EXISTS meta (chave TEXT PRIMARY KEY, valor TEXT NOT NULL)")
        except sqlite3.Error as error:
            self._lock.release()
            raise StateError(f"can't use the state file {path.name}: {error}; name another one") from None

    def close(self) -> None:
        """Close the file and let others have it."""
        self._db.close()
        self._lock.release()

    def load(self) -> Books | None:
        """Read the books, or None from a new file.

        Raises:
            StateError: the file is damaged or of another version.
        """
        try:
            meta = dict(self._db.execute("SELECT chave, valor FROM meta").fetchall())
            if not meta:
                return None
            if meta.get("formato") != _FORMAT:
                raise StateError(f"the state file {self.path.name} is of another version")
            rows: dict[str, list[Any]] = {kind: [] for kind in KINDS}
            for kind, body in self._db.execute("SELECT tipo, corpo FROM registro ORDER BY tipo, id"):
                rows[kind].append(make_record(KINDS[kind], orjson.loads(body)))
            self.origin = read_origin(meta["origem"]) if "origem" in meta else None
            return build_books(meta, rows)
        except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
            raise StateError(f"the state file {self.path.name} is damaged: {type(error).__name__}") from None

    def save_all(self, books: Books, origin: Origin | None = None) -> None:
        """Write all books in the place of what the file holds, with what they were made from."""
        self.origin = origin or self.origin
        books.settle_ids()
        self._write(books, [(kind, id_) for kind in KINDS for id_ in getattr(books, kind)], anew=True)
        books.touched.clear()

    def flush(self, books: Books, *, moved: bool = False) -> None:
        """Write what changed since the last time; ``moved`` also when only the company's day did."""
        if books.touched or moved:
            self._write(books, books.touched)
            books.touched.clear()

    def keep(self, name: str, frozen: bytes | None) -> None:
        """Keep a named state of the books, or forget it.

        Raises:
            StateError: the file can't be written.
        """
        try:
            if frozen is None:
                self._db.execute("DELETE FROM instantaneo WHERE nome = ?", (name,))
            else:
                self._db.execute("INSERT OR REPLACE INTO instantaneo VALUES (?, ?)", (name, frozen))
        except sqlite3.Error as error:
            raise StateError(f"can't write the state file {self.path.name}: {error}") from None

    def read_kept(self) -> dict[str, bytes]:
        """Return the named states."""
        return dict(self._db.execute("SELECT nome, corpo FROM instantaneo ORDER BY nome").fetchall())

    def _write(self, books: Books, changed: Iterable[tuple[str, int]], *, anew: bool = False) -> None:
        gone, kept = [], []
        for kind, id_ in changed:
            record = getattr(books, kind).get(id_)
            if record is None:
                gone.append((kind, id_))
            else:
                kept.append((kind, id_, write_record(record)))
        meta = {"formato": _FORMAT, **describe(books)}
        if self.origin is not None:
            meta["origem"] = self.origin.to_text()
        try:
            self._db.execute("BEGIN IMMEDIATE")
            if anew:
                self._db.execute("DELETE FROM registro")
            self._db.executemany("DELETE FROM registro WHERE tipo = ? AND id = ?", gone)
            self._db.executemany("INSERT OR REPLACE INTO registro VALUES (?, ?, ?)", kept)
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise StateError(f"can't write the state file {self.path.name}: {error}") from None
