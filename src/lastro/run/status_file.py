"""Small files that say how things stand (`situacao.json`, `avisos.json`, `agendador.json`), kept on a full disk too.

What they hold must not be lost when the disk is full, for that is when it is asked for: without them a failure would be
told again at every look. So each leaves room behind its text, and is written over in that room where no other file can
be made.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from lastro.files import write_whole

ROOM: Final = 4096
"""Bytes that a file keeps free at least; what it holds is a multiple of them."""


def keep_text(path: Path, text: str) -> None:
    """Write a small text in the place of what the file holds, in one go, or over it where the disk is full.

    Spaces fill the room behind the text; whoever reads JSON passes over them. When neither way is open, the file stays
    as it is: it is the last that was known.

    Args:
        path: the file; its folder is there.
        text: the new text.
    """
    # A path may hold bytes that are no text, and come as half characters.
    content = text.encode("utf-8", "replace")
    try:
        write_whole(path, content.ljust((len(content) // ROOM + 2) * ROOM))
    except OSError:
        _write_over(path, content)


def take_known(kind: type[Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Take the fields of a dataclass from what a file says, but not what another version kept besides."""
    return {item.name: row[item.name] for item in fields(kind) if item.name in row}


def _write_over(path: Path, content: bytes) -> None:
    with contextlib.suppress(OSError), path.open("r+b") as file:
        room = os.fstat(file.fileno()).st_size
        if len(content) <= room:
            file.write(content.ljust(room))
