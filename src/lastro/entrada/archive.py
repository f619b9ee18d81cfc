"""The parts of a workbook that a person saved, looked through before any reader takes them apart.

A workbook is a zip of XML: a small file can unpack to gigabytes, or hold more cells than any list of ours. What is
looked for here is only what would make a reader take minutes or gigabytes; whether it is a workbook at all is the
reader's to tell. Does not belong here: what stands in the cells (`lastro.entrada.workbook`).
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final
from xml.etree.ElementTree import Element, iterparse
from xml.parsers import expat

from lastro.entrada.door import ZIP, NotRead, hold_unread, name_form

MAX_UNPACKED: Final = 300_000_000
"""What all parts together may unpack to, as they say and as they do."""
MOST_READ_ROWS: Final = 100_000
MOST_READ_COLUMNS: Final = 200
MAX_TEXT: Final = 32_767
"""Rows and columns of a sheet that are read, and characters of a cell."""
_LAST_COLUMN: Final = "GR"
_MAX_DIRECTORY: Final = 2_000_000
"""Bytes of the list of parts: some ten thousand."""
_MAX_CELLS: Final = 3_000_000
_MAX_ROW_CELLS: Final = 16_384
_MAX_TEXTS: Final = 500_000
_MAX_OTHERS: Final = 500_000
"""Elements that are neither rows, cells nor texts: styles, rules, merged areas."""
_MAX_RUN: Final = 1_000_000
"""Characters of one text, beyond which the file is hostile and not just long."""
_CHUNK: Final = 1 << 20
_HEAD: Final = 4_000
"""Bytes that tell what a file is that is no workbook."""
_CHEAP: Final = frozenset({"row", "c", "v", "f", "is", "t", "si", "r"})
_NAMES_BYTES: Final = 1_000_000
"""A longer list of sheets, links or people is no workbook's."""
_CELL: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_WORKBOOK: Final = "xl/workbook.xml"
"""Where the list of sheets usually is; the first part names it."""
_STRICT: Final = {
    b"http://purl.oclc.org/ooxml/spreadsheetml/main": b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    b"http://purl.oclc.org/ooxml/officeDocument/": b"http://schemas.openxmlformats.org/officeDocument/2006/",
}
"""What "Strict Open XML" names otherwise than all other workbooks do."""
DAMAGED: Final = "arquivo danificado ou incompleto"
_TOO_LARGE: Final = "é grande demais para uma lista: copie as linhas para um arquivo novo"


@dataclass
class Seen:
    """What was noticed in the parts.

    Attributes:
        beyond: something stands below row 100,000 or to the right of column 200 of a sheet.
        bare: a formula has no stored result.
        cells: how many cells there are, each row counting as one more.
    """

    beyond: bool = False
    bare: bool = False
    cells: int = 0


@contextmanager
def open_parts(source: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open a workbook as a zip, after a look at its list of parts.

    Raises:
        NotRead: when it is none, is damaged, or says that it unpacks to more than 300 MB.
    """
    _check_directory(source)
    with hold_unread(DAMAGED), zipfile.ZipFile(source) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > MAX_UNPACKED:
            raise NotRead(f"descompactado passa de 300 MB; {_TOO_LARGE}")
        if any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
            raise NotRead("está compactado como nenhum programa de planilhas faz: salve de novo como .xlsx")
        if any(part.flag_bits & 1 for part in parts):
            raise NotRead("tem senha: salve sem senha")
        yield archive


def read_place(ref: str) -> tuple[int, int] | None:
    """Read what a cell is called: its row and its column, from 1 on; None where that is no cell.

    >>> read_place("A1"), read_place("AB7"), read_place("A0")
    ((1, 1), (7, 28), None)
    """
    found, column = _CELL.fullmatch(ref), 0
    for letter in found[1] if found else "":
        column = 26 * column + ord(letter) - 64
    return (int(found[2]), column) if found else None


def read_elements(
    archive: zipfile.ZipFile, part: str, *kinds: str, most: int = _NAMES_BYTES
) -> Iterator[tuple[str, Element]]:
    """Yield the elements of some kinds in a part, each whole, as it ends: its name without prefix, and itself.

    There is none in a part that is not there, or is larger than `most`: then it was not looked through.
    """
    if part not in archive.namelist() or archive.getinfo(part).file_size > most:
        return
    with archive.open(part) as stream:
        for _, one in iterparse(stream):  # noqa: S314 - expat holds entities, and large parts were looked through
            kind = one.tag.rpartition("}")[2]
            if kind in kinds:
                yield kind, one
                one.clear()


def follow_links(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a part is linked to within the workbook: id of the link, its kind, and the part."""
    folder, own = posixpath.split(part)
    for _, link in read_elements(archive, posixpath.join(folder, "_rels", f"{own}.rels"), "Relationship"):
        if link.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, link.get("Target", "")))
            yield link.get("Id", ""), link.get("Type", "").rpartition("/")[2], target.lstrip("/")


def find_workbook(archive: zipfile.ZipFile) -> str:
    """Find the part with the list of sheets."""
    return next((target for _, kind, target in follow_links(archive, "") if kind == "officeDocument"), _WORKBOOK)


def find_sheets(archive: zipfile.ZipFile) -> dict[str, tuple[str, bool]]:
    """Find the sheets of a workbook, wherever its list of them is and however it is written.

    Returns:
        Name -> its part, "" where none is linked, and whether it is hidden; in order.

    Raises:
        NotRead: when there is no such list.
    """
    workbook, sheets = find_workbook(archive), dict[str, tuple[str, bool]]()
    parts = {link: target for link, _, target in follow_links(archive, workbook)}
    for _, own in read_elements(archive, workbook, "sheet"):
        linked = next((text for key, text in own.items() if key.rpartition("}")[2] == "id"), "")
        sheets[own.get("name", "")] = parts.get(linked, ""), own.get("state", "visible") != "visible"
    if not sheets:
        raise NotRead("não é .xlsx: falta nele a lista das folhas; abra e salve como .xlsx")
    return sheets


def make_usual(content: bytes) -> bytes:
    """Write a workbook that was saved as "Strict Open XML" as the usual kind; any other stays as it is.

    Its cells, dates and sheets are the same; what differs is what the kinds of parts and elements are called.
    """
    with open_parts(io.BytesIO(content)) as archive:
        if not any(strict in archive.read(find_workbook(archive)) for strict in _STRICT):
            return content
        usual = io.BytesIO()
        with zipfile.ZipFile(usual, "w") as written:
            for part in archive.infolist():
                own = archive.read(part)
                if part.filename.endswith((".xml", ".rels")):
                    for strict, known in _STRICT.items():
                        own = own.replace(strict, known)
                written.writestr(part.filename, own)
    return usual.getvalue()


def look_through(content: bytes) -> Seen:
    """Unpack every part once, counting, and look for what no reader should be given.

    Raises:
        NotRead: when a part is damaged, or has more rows, cells, texts or other elements than a list can have.
    """
    seen, unpacked = Seen(), 0
    look = _Look(seen)
    with open_parts(io.BytesIO(content)) as archive:
        for part in archive.infolist():
            with archive.open(part) as stream:
                strict = part.filename.endswith((".xml", ".rels"))
                parser: expat.XMLParserType | None = look.begin()
                while chunk := stream.read(_CHUNK):
                    unpacked += len(chunk)
                    if unpacked > MAX_UNPACKED:
                        raise NotRead(f"descompactado passa de 300 MB; {_TOO_LARGE}")
                    try:
                        if parser is not None:
                            parser.Parse(chunk, False)  # noqa: FBT003 - expat takes it by place alone
                    except expat.ExpatError:
                        if strict:
                            raise
                        parser = None  # a picture, or markup that only looks like XML
    return seen


def _check_directory(source: BinaryIO) -> None:
    """Refuse a list of parts that would itself fill the memory; `zipfile` reads it whole."""
    end = source.seek(0, io.SEEK_END)
    source.seek(max(0, end - 66_000))
    tail = source.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + 22:
        source.seek(0)
        head = source.read(_HEAD)
        listed = any(mark in head.partition(b"\n")[0] for mark in (b";", b",", b"\t"))
        form = name_form(head) or ("texto, como um CSV" if listed else "")
        if form and not head.startswith(ZIP):
            raise NotRead(f"não é .xlsx: é {form}; abra e salve como .xlsx")
        raise NotRead("arquivo danificado ou incompleto, ou não é .xlsx")
    (size,) = struct.unpack_from("<I", tail, place + 12)
    if size > _MAX_DIRECTORY or tail[max(0, place - 20) : place].startswith(b"PK\x06\x07"):
        raise NotRead(_TOO_LARGE)
    source.seek(0)


class _Look:
    """Counts over all parts what a reader would have to build."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._texts = self._others = 0

    def begin(self) -> expat.XMLParserType:
        """Return a parser for one more part."""
        self._row = self._row_cells = self._run = 0
        self._outside = self._formula = False
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._run = 0
        kind = name.rpartition(":")[2]
        if kind == "c":
            self._seen.cells += 1
            self._row_cells += 1
            self._formula = False
            letters = attributes.get("r", "").rstrip("0123456789")
            self._outside = self._row > MOST_READ_ROWS or (len(letters), letters) > (len(_LAST_COLUMN), _LAST_COLUMN)
        elif kind == "row":
            row_text = attributes.get("r", "")
            self._row = int(row_text) if row_text.isdecimal() and len(row_text) < 10 else self._row + 1
            self._row_cells = 0
            self._seen.cells += 1  # a row without cells takes its time too
        elif kind == "si":
            self._texts += 1
            if self._texts > _MAX_TEXTS:
                raise NotRead(f"tem textos demais; {_TOO_LARGE}")
        elif kind == "f":
            self._formula = True
        elif kind not in _CHEAP:
            self._others += 1
            if self._others > _MAX_OTHERS:
                raise NotRead(f"tem formatos demais; {_TOO_LARGE}")
        if self._seen.cells > _MAX_CELLS or self._row_cells > _MAX_ROW_CELLS:
            raise NotRead(f"tem células demais; {_TOO_LARGE}")

    def _end(self, name: str) -> None:
        kind = name.rpartition(":")[2]
        if kind == "v" and self._run:
            self._formula = False
        elif kind == "c" and self._formula:
            self._seen.bare = True
        self._run = 0

    def _text(self, text: str) -> None:
        self._run += len(text)
        self._seen.beyond |= self._outside and not text.isspace()
        if self._run > _MAX_RUN:
            raise NotRead("tem um texto de mais de um milhão de caracteres")
