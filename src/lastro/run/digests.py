"""Files known by their content, and never through a link."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection
from pathlib import Path


def is_as_written(path: Path, digests: Collection[str]) -> bool:
    """Tell whether a path is a regular file, no link, with one of these contents.

    Raises:
        OSError: when it is gone or cannot be read.
    """
    return stat.S_ISREG(path.lstat().st_mode) and digest_file(path) in digests


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a regular file.

    Raises:
        OSError: when it cannot be read, or is a link.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
