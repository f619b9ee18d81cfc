"""What stands in a workbook beside its cells: comments of both kinds, and whether there are drawings.

Comments are parts of their own, which no reader of cells opens. Does not belong here: the cells
(`lastro.entrada.workbook`), and whose row a comment is on.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from lastro.entrada.archive import (
    DAMAGED,
    find_sheets,
    find_workbook,
    follow_links,
    list_elements,
    open_parts,
    take_part,
)
from lastro.entrada.display import count_letters
from lastro.entrada.door import NotRead, hold_unread

MOST_COMMENTS: Final = 1_000
"""Of a workbook; more is no list that people wrote."""
MOST_TEXT: Final = 2_000
"""Characters of a comment."""
_MOST_BYTES: Final = 4_000_000
"""Of a part with comments, or with drawings, that is looked at."""
_CELL: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_THREAD: Final = "tc="
"""What the author of a note begins with that stands for a thread, for programs that know of none."""
_FOREWORD: Final = re.compile(r"^\[[^\]]*\].*?(?:Comment|Comentário):\s*", re.DOTALL)
"""What Excel writes before such a note's text."""
_COMMENTS: Final = frozenset({"comment", "threadedComment"})
_DIGITS: Final = 7
"""No list of authors has a number so long."""
_ANCHORS: Final = frozenset({"twoCellAnchor", "oneCellAnchor", "absoluteAnchor"})
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
        for element, own in list_elements(take_part(archive, target)) if element == "person"
    }  # fmt: skip
    found: dict[str, Places] = {}
    drawn: list[str] = []
    looked = _Look(people)
    for own, sheet in find_sheets(archive):
        if not sheet:
            continue
        parts = [(kind, target) for _, kind, target in follow_links(archive, sheet)]
        threads = [take_part(archive, target, _MOST_BYTES) for kind, target in parts if kind == "threadedComment"]
        notes = [take_part(archive, target, _MOST_BYTES) for kind, target in parts if kind == "comments"]
        if places := looked.read(threads, notes):
            found[own.get("name", "")] = places
        shapes = (take_part(archive, target, _MOST_BYTES) for kind, target in parts if kind == "drawing")
        if any(any(anchor.encode() in shape for anchor in _ANCHORS) for shape in shapes):
            drawn.append(f"«{own.get('name', '')}»")
    said = f"desenhos, imagens ou caixas de texto em {', '.join(drawn[:10])} não foram lidos"
    return Beside(found, (*([said] if drawn else []), *looked.list_left_out()))


class _Enough(Exception):
    """There are more comments than are read."""


class _Look:
    """Reads parts with comments, sheet by sheet, and counts."""

    def __init__(self, people: Mapping[str, str]) -> None:
        self._people = people
        self._count = 0
        self._more = self._cut = False

    def read(self, threads: list[bytes], notes: list[bytes]) -> Places:
        """Read the comments of a sheet; where a cell has a thread, the note that stands for it says nothing more."""
        places: dict[tuple[int, int], list[Said]] = {}
        for xml in threads:
            for place, who, text in self._list(xml):
                places.setdefault(place, []).append(_sign(self._people.get(who, ""), text))
        threaded = set(places)
        for xml in notes:
            for place, who, text in self._list(xml):
                stands_for = who.startswith(_THREAD) or bool(_FOREWORD.match(text))
                if not (stands_for and place in threaded):
                    places.setdefault(place, []).append(_sign("" if stands_for else who, _FOREWORD.sub("", text)))
        kept = {place: tuple(one for one in own if one[1]) for place, own in places.items()}
        return {place: own for place, own in kept.items() if own}

    def list_left_out(self) -> list[str]:
        """Say what was not read."""
        more = f"só os primeiros {MOST_COMMENTS} comentários foram lidos"
        cut = f"um comentário de mais de {MOST_TEXT} caracteres foi cortado"
        return [text for text, holds in ((more, self._more), (cut, self._cut)) if holds]

    def _list(self, xml: bytes) -> Iterator[tuple[tuple[int, int], str, str]]:
        """Yield the comments of a part: cell, author or the id of one, text."""
        part = _Part(MOST_COMMENTS - self._count)
        self._more |= part.read(xml)
        self._count += len(part.found)
        for ref, who, text in part.found:
            self._cut |= len(text) > MOST_TEXT
            if match := _CELL.fullmatch(ref):
                yield (int(match[2]), count_letters(match[1])), who, text[:MOST_TEXT]


class _Part:
    """A part with comments, read until there are enough.

    Attributes:
        found: the cell of each, its author or the id of one, and its text.
    """

    def __init__(self, most: int) -> None:
        self.found: list[tuple[str, str, str]] = []
        self._most = most
        self._authors: list[str] = []
        self._pieces: list[str] = []
        self._open = self._ref = self._who = ""
        self._threaded = False

    def read(self, xml: bytes) -> bool:
        """Read it; tell whether there is more."""
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._take
        with suppress(_Enough):
            parser.Parse(xml, len(xml) < _MOST_BYTES)
            return len(xml) >= _MOST_BYTES
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open = name.rpartition(":")[2]
        if self._open in _COMMENTS:
            if len(self.found) == self._most:
                raise _Enough
            self._ref, self._threaded = attributes.get("ref", ""), self._open == "threadedComment"
            number = attributes.get("authorId", "")
            known = number.isdecimal() and len(number) < _DIGITS and int(number) < len(self._authors)
            self._who = self._authors[int(number)] if known else attributes.get("personId", "")
        if self._open in {"author", *_COMMENTS}:
            self._pieces.clear()

    def _end(self, name: str) -> None:
        kind, self._open = name.rpartition(":")[2], ""
        if kind == "author":
            self._authors.append("".join(self._pieces).strip())
        elif kind in _COMMENTS:
            self.found.append((self._ref, self._who, "".join(self._pieces).strip()))

    def _take(self, text: str) -> None:
        if self._open in {"t", "author"} or (self._threaded and self._open == "text"):
            self._pieces.append(text)


def _sign(who: str, text: str) -> Said:
    who, text = " ".join(who.split()), " ".join(text.split())
    return "" if text.casefold().startswith(f"{who.casefold()}:") else who, text
