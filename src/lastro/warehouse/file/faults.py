"""What DuckDB and the disk can do wrong, as errors that say what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from lastro.errors import StorageError, WarehouseBusy
from lastro.files import describe_denial, refuse_access

_FULL_DISK = (
    "No space left",
    "Could not write",
    "File too large",
    "Disk quota",
    "Could not truncate",
    "Could not sync",
)


_DAMAGE = ("Corrupt database file", "does not match stored checksum")


class DamagedWarehouse(StorageError):
    """The private file is no database any more; it can be rebuilt from the published copy."""


class LostHistory(StorageError):
    """A company that has published has neither a private file that opens nor a copy to rebuild it from."""

    cure = "restaure o backup, ou apague o que a mensagem cita para recomeçar"


def storage_error(path: Path, error: OSError) -> StorageError:
    """Translate an operating-system error into what to do about it."""
    if isinstance(error, PermissionError):
        return describe_denial(error) if error.filename is not None else refuse_access(path)
    reason = error.strerror or type(error).__name__
    return StorageError(f"{path}: {reason}. Libere espaço em disco ou a escrita na pasta e rode de novo.")


@contextlib.contextmanager
def transact(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let what is written be one transaction; on any error nothing of it stays."""
    con.execute("BEGIN TRANSACTION")
    try:
        yield
        con.execute("COMMIT")
    except BaseException:
        # The failure itself may have ended the transaction; the error to tell is the first one.
        with contextlib.suppress(duckdb.Error):
            con.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def guard(path: Path) -> Iterator[None]:
    """Translate failures of DuckDB and of the disk into errors that name the cure."""
    try:
        yield
    except duckdb.Error as error:
        raise translate(error, path) from None
    except OSError as error:
        raise storage_error(path.parent, error) from None


def translate(error: duckdb.Error, path: Path) -> Exception:
    """Turn a DuckDB error into ours: busy, out of space, damaged; a mistake of our own SQL stays what it is."""
    text = str(error)
    if "Could not set lock" in text or "Conflicting lock" in text:
        return WarehouseBusy(f"{path}: outro processo está com este arquivo aberto. Feche-o e rode de novo.")
    damaged = DamagedWarehouse(
        f"{path}: o arquivo não abre ou está danificado. Tire-o do lugar; a próxima execução o refaz "
        "da cópia publicada e do serviço."
    )
    if any(sign in text for sign in _DAMAGE):
        # Whatever class DuckDB gives it: its own base class, or the fatal error that follows.
        return damaged
    # A write may fail as late as the COMMIT, and every statement after it fails because of that.
    if isinstance(
        error, duckdb.IOException | duckdb.FatalException | duckdb.SerializationException | duckdb.TransactionException
    ):
        if any(sign in text for sign in _FULL_DISK) or "out of disk" in text.lower():
            return StorageError(f"{path}: o disco está cheio. Libere espaço e rode de novo; nada foi trocado.")
        if "Permission denied" in text or "Read-only" in text:
            return refuse_access(path)
        if "has been invalidated" in text or isinstance(error, duckdb.TransactionException):
            return StorageError(
                f"{path}: uma escrita anterior falhou. Libere espaço em disco e rode de novo; nada foi trocado."
            )
        return damaged
    return error
