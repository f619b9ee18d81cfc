"""Files that people or several processes look at while they are written: whole or not at all, by one at a time.

And the one place that says whose a folder is that keeps this process out.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pwd
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lastro.errors import StorageError

_LOOK_SECONDS: Final = 0.1
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def write_whole(path: Path, content: bytes, *, mode: int | None = None, durable: bool = False) -> None:
    """Put a file in its place in one step; what stood there stays until then, and when that fails.

    It is written beside its place first, through no link. That has one name for each file, so that a process that died
    leaves no more than one: of several processes that may write a file, each holds a lock (`locked`).

    Args:
        path: the file; its folder is there. Where it is a link, the link is replaced.
        content: all that it is to hold.
        mode: who may read and write it; None for what the process gives to new files.
        durable: whether it must outlive a machine that goes down right after.

    Raises:
        OSError: when it cannot be written.
    """
    aside = path.with_name(f".{path.name}.novo")
    aside.unlink(missing_ok=True)
    try:
        handle = os.open(aside, _NEW, 0o666 if mode is None else 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if mode is not None:
                with contextlib.suppress(PermissionError):  # a share that knows no modes
                    os.fchmod(handle, mode)
            if durable:
                file.flush()
                os.fsync(handle)
        os.replace(aside, path)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path, wait: float | None = None) -> Iterator[int]:
    """Hold a file or folder as the only process that does; it is free again when the process ends, also by a crash.

    Args:
        path: a folder that is there; or a file, which is made for its owner alone where there is none.
        wait: for how many seconds to wait for another process; None waits until it comes to an end.

    Yields:
        The open file.

    Raises:
        TimeoutError: when another process holds it for longer.
        OSError: when it cannot be opened, or its file system locks no files.
    """
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if wait is None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        else:
            _lock_within(handle, time.monotonic() + wait)
        yield handle
    finally:
        os.close(handle)


def _lock_within(handle: int, end: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise TimeoutError from None
            time.sleep(_LOOK_SECONDS)
        else:
            return


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file, never through a link.

    Raises:
        OSError: when it cannot be read, or is a link.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def may_write(folder: Path) -> bool:
    """Tell whether this process may make and replace files in a folder."""
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def demand_passage(folder: Path) -> None:
    """Demand that an existing folder may be entered: files in one that may not look as if they did not exist.

    `Path.exists` and `Path.glob` hide that, more of it with each version of Python, so the folder itself is asked.

    Raises:
        StorageError: saying whose it is.
    """
    try:
        os.stat(os.path.join(folder, "."))
    except PermissionError:
        raise refuse_access(folder) from None
    except OSError:
        return


def describe_denial(error: PermissionError) -> StorageError:
    """Say what to do about a file or folder that the system refused, wherever it was asked for."""
    if error.filename is None:
        return StorageError(f"o sistema não permite isso ({error.strerror}). Rode o lastro como o dono dos dados.")
    return refuse_access(Path(os.fsdecode(error.filename)))


def refuse_access(path: Path) -> StorageError:
    """Say whose the folder is that keeps this process from a path, and how to be let in.

    Args:
        path: what could not be looked at, opened, made or replaced.
    """
    path = path.absolute()
    place, status = _find_standing(path)
    kind = "a pasta" if stat.S_ISDIR(status.st_mode) else "o arquivo"
    owner, own = _name_user(status.st_uid), _name_user(os.geteuid())
    if status.st_uid == os.geteuid():
        mode = f"modo {stat.S_IMODE(status.st_mode):04o}"
        return StorageError(
            f"{path}: {kind} {place} é de {own}, que roda o lastro, e não lhe dá acesso ({mode}). Libere: chmod u+rwX "
            f"{place}; se o disco está montado só para leitura, monte-o de outro modo."
        )
    cure = f"passe-a a {own}: sudo chown -R {own} {place}"
    if place != path and os.access(place, os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        # It may be anybody's, as / or /srv is: what is missing in it is to be given, and not the place itself.
        cure = f"escolha em dir uma pasta em que {own} escreva"
    return StorageError(
        f"{path}: {kind} {place} é de {owner}; entre no grupo de leitores (lastro manual Leitores) para ler, rode o "
        f"lastro como {owner}, ou {cure}."
    )


def _find_standing(path: Path) -> tuple[Path, os.stat_result]:
    """Find the nearest of a path and its parents that can be looked at."""
    for place in (path, *path.parents):
        with contextlib.suppress(OSError):
            return place, place.lstat()
    return Path("/"), Path("/").lstat()


def _name_user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
