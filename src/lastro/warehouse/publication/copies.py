"""The published copy: what analysts and management open; whole or not at all, never blocked and never blocking.

Readers open `<pasta>/lastro.duckdb`, a link to a finished read-only file. A run builds a new file beside it and flips
the link at the end: whoever has the old file open keeps reading it, and whoever opens the link gets a whole file.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import duckdb

from lastro.files import describe_denial
from lastro.warehouse.file.blocks import copy_file, sync
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER

PUBLISHED_FOLDER = "publicado"
COPY_NAME = "lastro-{:06d}.duckdb"
KEPT_COPIES = 2
"""The current copy and the one before: a reader that resolved the link just before a flip still finds its file."""


class Copied(Protocol):
    """A file that can be published: its folder, and the connection that writes it."""

    pasta: Path
    con: duckdb.DuckDBPyConnection


def publish(
    warehouse: Copied,
    execucao_id: int,
    *,
    confirm: Callable[[], None] = lambda: None,
    mode: int = 0o400,
) -> Path:
    """Copy the private file and point the link at the copy.

    Args:
        warehouse: the private file, outside any transaction.
        execucao_id: number of the run; names the copy, whose content never changes once the link pointed at it.
        confirm: called right before the copy takes its name and the link is flipped; what it raises leaves the old copy
            published.
        mode: who may read the copy; nobody ever writes it.

    Returns:
        The link.

    Raises:
        StorageError: when the disk is full or the folder cannot be written; the old copy stays published.
        ValueError: when the run is published already.
    """
    if read_published(warehouse.pasta) == execucao_id:
        raise ValueError(f"run {execucao_id} is published: its copy is never written again")
    target = warehouse.pasta / PUBLISHED_FOLDER / COPY_NAME.format(execucao_id)
    with guard(target):
        _write_copy(warehouse, target, confirm, mode)
        link = flip_link(warehouse.pasta, target)
    for old in list_copies(warehouse.pasta)[:-KEPT_COPIES]:
        if old != target:
            # The new copy is out already: an old one that will not go is left for the next run.
            with contextlib.suppress(OSError):
                _remove(old)
    return link


def publish_aside(warehouse: Copied, folder: Path, *, confirm: Callable[[], None], mode: int) -> Path:
    """Copy the private file into a folder that no link points at, in the place of an earlier copy there.

    Args:
        warehouse: the private file, outside any transaction.
        folder: where the copy stands as `lastro.duckdb`.
        confirm: called right before it takes its name.
        mode: who may read it.

    Returns:
        The copy.

    Raises:
        StorageError: when the disk is full or the folder cannot be written; an earlier copy stays.
    """
    target = folder / LINK_NAME
    with guard(target):
        _write_copy(warehouse, target, confirm, mode)
    return target


def _write_copy(warehouse: Copied, target: Path, confirm: Callable[[], None], mode: int) -> None:
    """Copy the private file beside its place, and give the copy its name once it is whole and confirmed."""
    building = target.with_name(f".{target.name}.novo")
    building.parent.mkdir(parents=True, exist_ok=True)
    _remove(building)
    copy_file(warehouse.con, building)
    building.chmod(mode)
    confirm()
    os.replace(building, target)


def read_published(pasta: Path) -> int | None:
    """Read which run the published link points at; None when nothing is published.

    Raises:
        StorageError: when the folder is somebody else's.
    """
    try:
        name = (pasta / LINK_NAME).readlink().name
    except PermissionError as error:
        raise describe_denial(error) from None
    except OSError:
        return None
    id_text = name.removeprefix("lastro-").removesuffix(".duckdb")
    return int(id_text) if id_text.isdecimal() else None


def flip_link(pasta: Path, target: Path) -> Path:
    """Point the published link at a file, in one step."""
    link = pasta / LINK_NAME
    fresh = pasta / f".{LINK_NAME}.novo"
    _remove(fresh)
    fresh.symlink_to(target.relative_to(pasta))
    os.replace(fresh, link)
    return link


def list_copies(pasta: Path) -> list[Path]:
    """List the published copies of a company, whatever the link points at, oldest first."""
    copies = (pasta / PUBLISHED_FOLDER).glob("lastro-*.duckdb")
    return sorted(copies, key=lambda path: (len(path.name), path.name))


def restore_private(pasta: Path) -> bool:
    """Put a copy of the published file in the place of a damaged or lost private one; False if none was published.

    The damaged file is kept beside it with the suffix `.danificado`; one that was set aside before is never written
    over, for it may be all that is left of the history.

    Raises:
        StorageError: when the copy cannot be written; then everything is where it was.
    """
    private = pasta / PRIVATE_FOLDER / LINK_NAME
    published = pasta / LINK_NAME
    is_published = published.exists()
    with guard(private):
        copied = private.with_suffix(".copia")
        if is_published:
            # The copy first: a private file that is moved away and not replaced would lose the history for good.
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(published, copied)
            sync(copied)
        _set_aside(private, keep=not is_published)
        _remove(private.with_name(private.name + ".wal"))
        if is_published:
            os.replace(copied, private)
    return is_published


def _set_aside(private: Path, *, keep: bool) -> None:
    """Set a damaged file aside; a second one only where nothing else holds what may be in it."""
    aside = private.with_suffix(".danificado")
    if not is_filled(private):
        private.unlink(missing_ok=True)
    elif not aside.exists():
        os.replace(private, aside)
    elif keep:
        suffix = next(
            suffix for suffix in itertools.count(2) if not aside.with_suffix(f".{suffix}.danificado").exists()
        )
        os.replace(private, aside.with_suffix(f".{suffix}.danificado"))


def is_filled(private: Path) -> bool:
    """Tell whether a private file is there and holds anything."""
    try:
        return private.stat().st_size > 0
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    for victim in (path, path.with_name(path.name + ".wal")):
        with contextlib.suppress(FileNotFoundError):
            victim.unlink()
