"""Whether a file of `relatorios` is lastro's and unchanged: by the delivery log, else by the file's own properties.

Files of before anything was written down are lastro's by the kind of their name and by their own properties: of a
workbook `docProps/core.xml`, which every program that saves it anew changes, of the page its head or its author.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from lastro.run.delivery_log import Record, digest_file
from lastro.run.names import TYPED_INTO, parse_name

EDITED: Final = "alguém a editou depois de escrita"
FOREIGN: Final = "não foi o lastro que a escreveu"
_TYPED_INTO: Final = tuple(f"{name}_" for name in TYPED_INTO)
_CREATOR: Final = b"<dc:creator>lastro</dc:creator>"
_MOMENT: Final = rb"<dcterms:%s[^>]*>([^<]*)"
_PAGE: Final = (
    '<!DOCTYPE html><html lang="pt-BR"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Posição financeira — '
).encode()
_AUTHOR: Final = b"/Author (lastro)"
_MOST: Final = 2**20
"""Bytes that a part of properties, or a page, holds at most."""


def find_author(path: Path, record: Record) -> str:
    """Say why a file cannot be lastro's as it was written; empty when it may be. Its content is not read whole.

    Args:
        path: a regular file with a name such as lastro gives.
        record: what was written down.
    """
    if path.name.startswith(_TYPED_INTO):
        return ""  # what people type is read back and known by its content
    status = path.stat()
    if status.st_size in record.digests:
        return ""
    if status.st_mtime >= record.begins:
        named = parse_name(path.name)
        return EDITED if named is not None and named.first in record.names else FOREIGN
    return _read_properties(path)


def identify(path: Path, record: Record, read_back: Callable[[], Collection[str]]) -> str:
    """Return the digest of a file that may be lastro's, if it is as it was written, or as it was last read back.

    Args:
        path: the file.
        record: what was written down.
        read_back: gives the digests of every workbook of a desk that was written or read.

    Returns:
        The digest; empty where somebody changed the file.

    Raises:
        OSError: when it is gone or cannot be read.
    """
    digest, size = digest_file(path), path.lstat().st_size
    if digest in record.digests.get(size, ()):
        return digest
    if path.name.startswith(_TYPED_INTO):
        return digest if digest in read_back() else ""
    return "" if size in record.digests or find_author(path, record) else digest


def _read_properties(path: Path) -> str:
    try:
        if path.suffix == ".html":
            with path.open("rb") as file:
                return "" if file.read(len(_PAGE)) == _PAGE else FOREIGN
        if path.suffix == ".pdf":
            with path.open("rb") as file:
                return "" if _AUTHOR in file.read(_MOST) else FOREIGN
        with zipfile.ZipFile(path) as book, book.open("docProps/core.xml") as part:
            core = part.read(_MOST)
    except Exception:  # noqa: BLE001 - whatever a file of somebody's does to its reader, it is not ours
        return FOREIGN
    if _CREATOR not in core:
        return FOREIGN
    created, modified = (re.search(_MOMENT % word, core) for word in (b"created", b"modified"))
    same = created is not None and modified is not None and created[1] == modified[1]
    return "" if same and b"lastModifiedBy" not in core else EDITED
