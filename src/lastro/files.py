"""Files that people or several processes look at while they are written: whole or not at all, by one at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
