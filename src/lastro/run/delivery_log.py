"""The files that lastro delivered, one a line of `entregues.jsonl`: it may remove these and no others.

The file stands in the folder of a company, or of the group. A line is written before its file gets a name there, so
that what a run that died left is known as lastro's; another line says that a run was published. A line holds path,
SHA-256, size and run; a name that was taken got `_r2`, `_r3` ..., so a file is known by its content. That the file is
there also says that the company has published before. Does not belong here: what may go, and when
(`lastro.operation.retention`).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lastro.files import write_whole
from lastro.warehouse.file.faults import storage_error

DELIVERY_LOG: Final = "entregues.jsonl"
_PUBLISHED: Final = "publicada"
_MODE: Final = 0o600


@dataclass(frozen=True)
class Delivered:
    """One file as lastro wrote it.

    Attributes:
        execucao_id: the run that wrote it; of the group the last run of its companies.
        arquivo: where it was to stand, from the company's folder on; with its root where that is elsewhere.
        bytes: its size.
        sha256: digest of its content.
        escrito: when it was written, by the clock of the file system, in seconds.
    """

    execucao_id: int
    arquivo: str
    bytes: int
    sha256: str
    escrito: float


@dataclass(frozen=True)
class Record:
    """What was delivered, in order, and the files of runs that nobody said to be published."""

    files: tuple[Delivered, ...]
    pending: tuple[Delivered, ...]

    @property
    def begins(self) -> float:
        """Since when files are written down, in seconds; never where none is."""
        return min((file.escrito for file in self.files), default=float("inf"))

    @cached_property
    def digests(self) -> Mapping[int, frozenset[str]]:
        """Size -> digests of what was written in that size."""
        by_size: dict[int, set[str]] = defaultdict(set)
        for file in self.files:
            by_size[file.bytes].add(file.sha256)
        return {size: frozenset(digests) for size, digests in by_size.items()}

    def count(self, name: str) -> int:
        """Count how often a file of a name was delivered: none of them has a higher `_r`."""
        return sum(Path(file.arquivo).name == name for file in self.files)

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that files were to get."""
        return frozenset(Path(file.arquivo).name for file in self.files)


def note_files(pasta: Path, execucao_id: int, written: Mapping[Path, Path]) -> None:
    """Write down files that are about to be moved to where people look.

    Args:
        pasta: folder of the company or the group.
        execucao_id: the run.
        written: each file as it stands aside -> the folder that it goes to.

    Raises:
        StorageError: when that cannot be written down; then nothing may be moved.
    """
    rows = []
    try:
        for path, folder in written.items():
            target, status = folder / path.name, path.stat()
            rows.append(
                {
                    "execucao_id": execucao_id,
                    "arquivo": str(target.relative_to(pasta) if target.is_relative_to(pasta) else target.absolute()),
                    "bytes": status.st_size,
                    "sha256": digest_file(path),
                    "escrito": status.st_mtime,
                }
            )
        _append(pasta / DELIVERY_LOG, rows)
    except OSError as error:
        raise storage_error(pasta, error) from None


def note_published(pasta: Path, execucao_id: int) -> None:
    """Write down that a run is published, and its files with it.

    What cannot be written now is written when the next run begins.
    """
    with contextlib.suppress(OSError):
        _append(pasta / DELIVERY_LOG, [{"execucao_id": execucao_id, _PUBLISHED: True}])


def read_record(pasta: Path) -> Record:
    """Read what was delivered; a line that cannot be read, as one that was cut off, is passed over."""
    files: list[Delivered] = []
    pending: list[Delivered] = []
    for row in _read_rows(pasta / DELIVERY_LOG):
        if row.get(_PUBLISHED):
            pending = [file for file in pending if file.execucao_id != row.get("execucao_id")]
            continue
        with contextlib.suppress(KeyError, TypeError, ValueError):
            execucao_id, size, written = int(row["execucao_id"]), int(row["bytes"]), float(row["escrito"])
            files.append(Delivered(execucao_id, str(row["arquivo"]), size, str(row["sha256"]), written))
            pending.append(files[-1])
    return Record(tuple(files), tuple(pending))


def remove_unpublished(pasta: Path, standing: Collection[int]) -> None:
    """Remove the files of runs that ended before publication, unless somebody changed them.

    Only who holds the company's lock calls it. What was changed is a person's from then on; what cannot be reached
    keeps its line, and goes another time. A run that people have gets the line saying so, should that one be missing.

    Args:
        pasta: the company's folder.
        standing: the runs without such a line that people have.
    """
    pending = read_record(pasta).pending
    for execucao_id in sorted({file.execucao_id for file in pending}.intersection(standing)):
        note_published(pasta, execucao_id)
    gone = set()
    for file in pending:
        if file.execucao_id not in standing:
            with contextlib.suppress(OSError):
                for path in _find_named(pasta / file.arquivo):
                    if is_as_written(path, file.bytes, {file.sha256}):
                        path.unlink()
                gone.add(file.sha256)
    if gone:
        forget(pasta, gone)


def take_back(pasta: Path, execucao_id: int, paths: Iterable[Path]) -> None:
    """Remove files that a run has moved and will not publish, as long as nobody changed them."""
    known = {file.sha256 for file in read_record(pasta).pending if file.execucao_id == execucao_id}
    for path in paths:
        with contextlib.suppress(OSError):
            if is_as_written(path, None, known):
                path.unlink()


def forget(pasta: Path, gone: Collection[str]) -> None:
    """Drop the lines of files that are gone, by their digests; when the log cannot be rewritten, every line stays.

    Only who holds the company's lock calls it.
    """
    rows = list(_read_rows(pasta / DELIVERY_LOG))
    kept = [row for row in rows if row.get("sha256") not in gone]
    if len(kept) < len(rows):
        with contextlib.suppress(OSError):
            write_whole(pasta / DELIVERY_LOG, _encode(kept), mode=_MODE, durable=True)


def is_as_written(path: Path, size: int | None, digests: Collection[str]) -> bool:
    """Tell whether a path is a regular file, no link, with one of these contents.

    Args:
        path: the file.
        size: what it must hold, looked at first; None for any.
        digests: the contents.

    Raises:
        OSError: when it is gone or cannot be read.
    """
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or size not in (None, status.st_size):
        return False
    return digest_file(path) in digests


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a regular file.

    Raises:
        OSError: when it cannot be read, or is a link.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _find_named(path: Path) -> list[Path]:
    """Find the files of a name, with or without `_r2`, `_r3` ... behind it.

    Raises:
        OSError: when their folder is not there or cannot be read.
    """
    wanted = re.compile(rf"{re.escape(path.stem)}(_r[0-9]+)?{re.escape(path.suffix)}")
    return [sibling for sibling in path.parent.iterdir() if wanted.fullmatch(sibling.name)]


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _encode(rows: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _append(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Append lines and make them durable; a line that was cut off before ends there."""
    text = _encode(rows)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, _MODE)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size and os.pread(handle, 1, size - 1) != b"\n":
            text = b"\n" + text
        if file.write(text) != len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
