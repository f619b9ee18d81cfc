"""How finished files get their names in folders that others may write into: nothing there is replaced or followed.

A name is taken by creating a link, a file or a folder that must not exist yet, relative to an open folder. So neither a
symbolic link nor a folder that is swapped meanwhile can lead elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lastro.errors import StorageError
from lastro.run.names import FECHAMENTO, add_revision, parse_name
from lastro.warehouse.file.faults import storage_error

PREFIX, SUFFIX = ".lastro-", ".novo"
"""What the name of a file or folder begins and ends with that is being copied to another disk."""
MOST_NAMES: Final = 9_999
_NEW: Final = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY
Link = Callable[..., None]


def move_unclaimed(path: Path, target: Path, *, link: Link = os.link) -> Path:
    """Move a file to a name that was chosen for it, or to the next `_r` where that one was taken meanwhile.

    Copies that runs which died left there half written are removed.

    Args:
        target: where it goes; it may be on another disk.
        link: how the system links a file; tests pass a file system that does not.

    Returns:
        Where it stands.

    Raises:
        StorageError: when the folder cannot be written.
    """
    folder = target.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _sweep(place)
            name = _name_file(path, target.name, place, link)
        finally:
            os.close(place)
        path.unlink()
    except OSError as error:
        raise storage_error(folder, error) from None
    return folder / name


def find_highest(name: str, folder: Path) -> int:
    """Find the highest number that a name has in a folder, whatever bears it; 0 where nothing does.

    Raises:
        OSError: when the folder cannot be read.
    """
    stem, suffix = os.path.splitext(name)
    numbered = re.compile(rf"{re.escape(stem)}(?:_r([0-9]{{1,4}}))?{re.escape(suffix)}")
    return max((int(match[1] or 1) for match in map(numbered.fullmatch, os.listdir(folder)) if match), default=0)


def move_folder(folder: Path, into: Path, mode: int) -> Path:
    """Move a folder of finished files to where people look, in one step, or with `_r2` ... where its name is taken.

    Args:
        folder: the finished one; it holds files only.
        into: where it goes; it may be on another disk.
        mode: of its files; it is passable and readable to whoever may read them.

    Raises:
        StorageError: when it cannot be moved.
    """
    try:
        for path in folder.iterdir():
            set_mode(path, mode)
        set_mode(folder, 0o700 | (0o050 if mode & 0o040 else 0))
        into.mkdir(parents=True, exist_ok=True)
        target = into / _take(folder.name, lambda name: (into / name).mkdir())
        try:
            _replace_empty(folder, target)
        except BaseException:
            with contextlib.suppress(OSError):
                target.rmdir()
            raise
    except OSError as error:
        raise storage_error(into, error) from None
    return target


def set_mode(path: Path, mode: int) -> None:
    """Give a file its mode where its file system knows modes; where it does not, the mount decides who reads."""
    with contextlib.suppress(OSError):
        path.chmod(mode)


def _sweep(place: int) -> None:
    """Remove the files that a copy begins with; who is copying just then (a folder may be shared) copies once more."""
    for name in fnmatch.filter(os.listdir(place), f"{PREFIX}*{SUFFIX}"):
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=place)


def _name_file(path: Path, chosen: str, place: int, link: Link) -> str:
    """Give a file a name in an open folder: by a link, by a link to a copy, or as a copy."""
    try:
        return _take(chosen, lambda name: link(path, name, dst_dir_fd=place, follow_symlinks=False))
    except OSError:
        # Another disk, a network share, a USB stick. What else is wrong the copy comes upon, too.
        aside = f"{PREFIX}{secrets.token_hex(16)}{SUFFIX}"
    try:
        _copy(path, aside, place)
        with contextlib.suppress(OSError):
            return _take(
                chosen,
                lambda name: link(aside, name, src_dir_fd=place, dst_dir_fd=place, follow_symlinks=False),
            )
    finally:
        with contextlib.suppress(OSError):
            os.unlink(aside, dir_fd=place)
    return _take(chosen, lambda name: _copy(path, name, place))


def _take(name: str, take: Callable[[str], None]) -> str:
    """Take a name, or the next one that is free.

    Raises:
        OSError: when none can be taken.
    """
    named = parse_name(name)
    first, begin = (named.first, named.revision) if named and named.kind != FECHAMENTO else (name, 1)
    for revision in range(begin, MOST_NAMES + 1):
        free = add_revision(first, revision)
        with contextlib.suppress(FileExistsError):
            take(free)
            return free
    raise StorageError(f"{name} existe em {MOST_NAMES:,} versões. Tire as antigas do lugar e rode de novo.")


def _copy(path: Path, name: str, place: int) -> None:
    """Copy a file, durably and with its mode, under a name that must be free; on failure it is free again.

    Raises:
        FileExistsError: when it is not.
    """
    handle = os.open(name, _NEW, 0o600, dir_fd=place)
    try:
        with path.open("rb") as source, os.fdopen(handle, "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            with contextlib.suppress(OSError):  # a share that knows no modes
                os.fchmod(handle, stat.S_IMODE(path.stat().st_mode))
            os.fsync(handle)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=place)
        raise


def _replace_empty(folder: Path, target: Path) -> None:
    """Rename a folder over one that was made for it; from another disk by way of a copy beside it."""
    try:
        os.rename(folder, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        aside = Path(tempfile.mkdtemp(SUFFIX, PREFIX, target.parent))
        try:
            place = os.open(aside, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                for path in folder.iterdir():
                    _copy(path, path.name, place)
            finally:
                os.close(place)
            set_mode(aside, stat.S_IMODE(folder.stat().st_mode))
            os.rename(aside, target)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)
