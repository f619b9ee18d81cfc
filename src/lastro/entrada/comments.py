"""What stands in a workbook beside its cells: comments of both kinds, and whether there are drawings.

Comments are parts of their own, which no reader of cells opens. Does not belong here: the cells
(`lastro.entrada.workbook`), and whose row a comment is on.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from lastro.entrada.archive import (
    DAMAGED,
    MAX_UNPACKED,
    find_sheets,
    find_workbook,
    follow_links,
    open_parts,
    read_elements,
    read_place,
)
from lastro.entrada.door import NotRead, hold_unread

MOST_COMMENTS: Final = 1_000
"""Of a workbook; more is no list that people wrote."""
MOST_TEXT: Final = 2_000
"""Characters of a comment."""
_THREAD: Final = "tc="
"""What the author of a note begins with that stands for a thread, for programs that know of none."""
_FOREWORD: Final = re.compile(r"^\[[^\]]*\].*?(?:Comment|Comentário):\s*", re.DOTALL)
"""What Excel writes before such a note's text."""
_ANCHORS: Final = ("twoCellAnchor", "oneCellAnchor", "absoluteAnchor")
_UNREAD: Final = "os comentários não puderam ser lidos"
Said = tuple[str, str]
"""Who wrote a comment, "" where that is not known or the text says it, and the text."""
Places = Mapping[tuple[int, int], tuple[Said, ...]]
"""Row and column, from 1 on -> the comments on that cell, in order."""


@dataclass(frozen=True)
class Beside:
    """What stands beside the cells.

    Attributes:
        comments: name of a sheet -> its comments.
        left_out: what of it was not read, pt-BR, a sentence each.
    """

    comments: Mapping[str, Places] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def read_beside(content: bytes) -> Beside:
    """Read the comments of a workbook that was looked through: at most 1,000, of at most 2,000 characters each.

    Whatever is wrong with them, the cells are read.
    """
    try:
        with hold_unread(DAMAGED), open_parts(io.BytesIO(content)) as archive:
            names = [name.casefold() for name in archive.namelist()]
            if not any("comment" in name or "drawings/" in name for name in names):
                return Beside()
            return _read(archive)
    except NotRead:
        return Beside(left_out=(_UNREAD,))


def _read(archive: zipfile.ZipFile) -> Beside:
    people = {
        own.get("id", ""): own.get("displayName", "")
        for _, kind, target in follow_links(archive, find_workbook(archive)) if kind == "person"
        for _, own in read_elements(archive, target, "person")
    }  # fmt: skip
    found, drawn, left, cut = dict[str, Places](), list[str](), MOST_COMMENTS + 1, False
    for name, (sheet, _) in find_sheets(archive).items():
        parts = [(kind, target) for _, kind, target in follow_links(archive, sheet)] if sheet else []
        said = [*islice(_list_comments(archive, parts, people), left)]
        said, left = said[: left - 1], left - len(said)
        cut |= any(len(text) > MOST_TEXT for *_, text in said)
        places: dict[tuple[int, int], tuple[Said, ...]] = {}
        for ref, who, text in said:
            if (place := read_place(ref)) and (signed := _sign(who, text[:MOST_TEXT]))[1]:
                places[place] = (*places.get(place, ()), signed)
        found |= {name: places} if places else {}
        shapes = (target for kind, target in parts if kind == "drawing")
        if any(next(read_elements(archive, target, *_ANCHORS, most=MAX_UNPACKED), None) for target in shapes):
            drawn.append(f"«{name}»")
    told = (
        (f"desenhos, imagens ou caixas de texto em {', '.join(drawn[:10])} não foram lidos", bool(drawn)),
        (f"só os primeiros {MOST_COMMENTS} comentários foram lidos", not left),
        (f"um comentário de mais de {MOST_TEXT} caracteres foi cortado", cut),
    )
    return Beside(found, tuple(text for text, holds in told if holds))


def _list_comments(
    archive: zipfile.ZipFile, parts: list[tuple[str, str]], people: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield the comments of a sheet: cell, author, text; not the note that stands for a thread on its cell."""
    threaded = set[str]()
    for target in (target for kind, target in parts if kind == "threadedComment"):
        for _, own in read_elements(archive, target, "threadedComment", most=MAX_UNPACKED):
            threaded.add(own.get("ref", ""))
            yield own.get("ref", ""), people.get(own.get("personId", ""), ""), own.findtext("{*}text", "")
    for target in (target for kind, target in parts if kind == "comments"):
        authors: dict[str, str] = {}
        for kind, own in read_elements(archive, target, "author", "comment", most=MAX_UNPACKED):
            if kind == "author":
                authors[str(len(authors))] = own.text or ""
                continue
            ref, who = own.get("ref", ""), authors.get(own.get("authorId", ""), "")
            text = "".join(piece.text or "" for piece in own.iterfind(".//{*}t"))
            stands_for = who.startswith(_THREAD) or bool(_FOREWORD.match(text))
            if not (stands_for and ref in threaded):
                yield ref, "" if stands_for else who, _FOREWORD.sub("", text)


def _sign(who: str, text: str) -> Said:
    who, text = " ".join(who.split()), " ".join(text.split())
    return "" if text.casefold().startswith(f"{who.casefold()}:") else who, text
