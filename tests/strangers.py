"""Somebody whose folders are not theirs: as root another user is played, as anybody else the folder is closed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STRANGER = 65534
"""A user that owns nothing."""


@contextmanager
def open_place() -> Iterator[Path]:
    """Make a folder that every user can reach; pytest's are closed to others."""
    place = Path(tempfile.mkdtemp(prefix="lastro-", dir="/tmp"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place)


@contextmanager
def kept_out_of(folder: Path, mode: int = 0o700) -> Iterator[str]:
    """Be somebody to whom a folder is closed, or open for reading alone (0755); gives the name of its owner."""
    import pwd

    before = folder.stat().st_mode
    owner = pwd.getpwuid(folder.stat().st_uid).pw_name
    if os.geteuid() == 0:
        folder.chmod(mode)
        os.setegid(STRANGER)
        os.seteuid(STRANGER)
    else:
        folder.chmod(0 if mode == 0o700 else mode & 0o555)
    try:
        yield owner
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
            os.setegid(0)
        folder.chmod(before & 0o7777)
