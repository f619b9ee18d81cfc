"""Keeps the books in one SQLite file between starts.

Each record is a row (kind, id, JSON). After each request that changed something, the changed records are written in one
transaction before the answer is sent, so what was answered survives a crash, and nothing half done does. One process
holds a file at a time: two would each give the same ids and lose one another's records.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import (
    Account,
    Attachment,
    Category,
    Charge,
    Classification,
    Entry,
    Named,
    Person,
)
from lastro_sandbox.origin import Origin, read_origin

_KINDS: Final[dict[str, type[Any]]] = {
    "lancamentos": Entry,
    "cobrancas": Charge,
    "categorias": Category,
    "pessoas": Person,
    "classificacoes": Classification,
    "contas": Account,
    "anexos": Attachment,
    "centros": Named,
    "formas": Named,
    "tags": Named,
    "tipos_documento": Named,
}
_TUPLES: Final = frozenset({"tags", "anexos", "proprios", "lancamento_ids"})
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
            books = Books(
                date.fromisoformat(meta["hoje"]),
                nome=meta["nome"],
                empresa_id=meta["empresa_id"],
                forma_composto=meta["forma_composto"],
            )
            books.seed, books.ticks = int(meta["seed"]), int(meta["ticks"])
            books.saldos_lancados = frozenset(json.loads(meta["saldos_lancados"]))
            self.origin = read_origin(meta["origem"]) if "origem" in meta else None
            rows: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
            for kind, body in self._db.execute("SELECT tipo, corpo FROM registro ORDER BY tipo, id"):
                rows[kind].append(_read_record(_KINDS[kind], body))
        except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
            raise StateError(f"the state file {self.path.name} is damaged: {type(error).__name__}") from None
        books.load_entries(rows.pop("lancamentos"))
        for kind, records in rows.items():
            getattr(books, kind).update({record.id: record for record in records})
        books.start_ids(**json.loads(meta["proximos"]))
        books.settle_ids()
        return books

    def save_all(self, books: Books, origin: Origin | None = None) -> None:
        """Write all books into a new file, with what they were made from."""
        self.origin = origin
        books.settle_ids()
        changed = [(kind, id_) for kind in _KINDS for id_ in getattr(books, kind)]
        self._write(books, changed)
        books.touched.clear()

    def flush(self, books: Books, *, moved: bool = False) -> None:
        """Write what changed since the last time; ``moved`` also when only the company's day did."""
        if books.touched or moved:
            self._write(books, books.touched)
            books.touched.clear()

    def _write(self, books: Books, changed: Iterable[tuple[str, int]]) -> None:
        gone, kept = [], []
        for kind, id_ in changed:
            record = getattr(books, kind).get(id_)
            if record is None:
                gone.append((kind, id_))
            else:
                kept.append((kind, id_, _write_record(record)))
        meta = {
            "formato": _FORMAT,
            "hoje": books.hoje,
            "nome": books.nome,
            "empresa_id": books.empresa_id,
            "forma_composto": books.forma_composto,
            "seed": str(books.seed),
            "ticks": str(books.ticks),
            "saldos_lancados": json.dumps(sorted(books.saldos_lancados)),
            "proximos": json.dumps(books.next_ids),
        }
        if self.origin is not None:
            meta["origem"] = self.origin.to_text()
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("DELETE FROM registro WHERE tipo = ? AND id = ?", gone)
            self._db.executemany("INSERT OR REPLACE INTO registro VALUES (?, ?, ?)", kept)
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise StateError(f"can't write the state file {self.path.name}: {error}") from None


def _write_record(record: Any) -> str:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Attachment):
        values["conteudo"] = base64.b64encode(record.conteudo).decode("ascii")
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _read_record(kind: type[Any], body: str) -> Any:
    values = json.loads(body)
    for name in _TUPLES & values.keys():
        values[name] = tuple(values[name])
    if kind is Attachment:
        values["conteudo"] = base64.b64decode(values["conteudo"])
    return kind(**values)
