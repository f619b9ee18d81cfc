"""Keep the pages of one listing in one compressed file, whole or not at all.

A file is a sequence of gzip members, which readers take as one stream. The thread that receives a page compresses its
rows; the head of the line is written later, when the number of the page is known.

One line per page: `{"no", "origem", "extraido_em"[, "conta_listada"][, "sobrepostas"][, "reparados"], "rows"[,
"recebido"]}`. `conta_listada` is the account whose listing the page is of; a listing of the whole company has none.
`rows` is the array as received, less the `sobrepostas` first elements that only repeat the end of the page before;
`reparados` characters of the body are a guess, because they were no UTF-8; `recebido` is the body as received where
`rows` had to be rewritten to read exactly (see `lastro.api.bodies`). What the elements mean belongs to the loader.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from isal import igzip

from lastro.api.client import Answer
from lastro.errors import StorageError

_DECODER = json.JSONDecoder()
_USUAL_ELEMENT: Final = 16_384
"""Bytes in which an element usually ends."""


def format_utc(moment: datetime) -> str:
    """Write a UTC moment with milliseconds.

    >>> format_utc(datetime(2026, 3, 16, 9, 5, tzinfo=UTC))
    '2026-03-16T09:05:00.000Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def drop_first_element(array: bytes) -> bytes:
    """Cut the first element out of a JSON array in UTF-8, and leave the rest as it is.

    >>> drop_first_element(b'[ {"id": 1} , {"id": 2}]')
    b'[{"id": 2}]'
    """
    begin = _skip_blanks(array, array.index(b"[") + 1)
    if array.startswith(b"]", begin):
        return array
    end = _skip_blanks(array, _find_end(array, begin))
    if array.startswith(b",", end):
        end = _skip_blanks(array, end + 1)
    return b"[" + array[end:]


def _skip_blanks(array: bytes, position: int) -> int:
    while array[position] in b" \t\r\n":
        position += 1
    return position


def _find_end(array: bytes, begin: int) -> int:
    """Find where the element that begins somewhere ends; of a long array only the beginning is decoded for it."""
    for most in (_USUAL_ELEMENT, len(array)):
        text = array[begin : begin + most].decode("utf-8", "ignore")  # but for a character that is cut it is whole
        with contextlib.suppress(ValueError):
            _, end = _DECODER.raw_decode(text)
            if end < len(text):  # or a number could go on
                return begin + len(text[:end].encode())
    raise ValueError("an array whose first element does not end")


@contextlib.contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """Translate an OSError of a write into `StorageError`, naming the file and the cure."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{what}: não dá para escrever: {error.strerror or type(error).__name__}. Libere espaço ou "
            "a escrita na pasta"
        ) from None


@dataclass(frozen=True)
class Packed:
    """The rows of an answer as they are landed.

    Attributes:
        overlap: leading elements that are left out, 0 or 1, because the page before has them.
        content: from the rows to the end of the line, compressed.
    """

    overlap: int
    content: bytes


def pack(answer: Answer, overlap: int = 0) -> Packed:
    """Compress the rows of an answer; anything but an array is landed as an array of itself."""
    line = answer.line if isinstance(answer.value, list) else b"[%b]" % answer.line
    if overlap:
        line = drop_first_element(line)
    tail = "" if answer.original is None else ', "recebido": ' + json.dumps(answer.original, ensure_ascii=False)
    return Packed(overlap, _compress(b"%b%b}\n" % (line, tail.encode("utf-8", "replace"))))


def _compress(content: bytes) -> bytes:
    # Level 1: a fraction of the time for a file hardly larger.
    return igzip.compress(content, 1, mtime=0)


class PageFile:
    """Write the pages of one pass; the file appears under its name only when the pass has ended.

    A context manager: leaving it without `commit` leaves what was there before.

    Args:
        folder: where; made when missing.
        name: file name without `.jsonl.gz`.
        conta: the account whose listing the file holds; None for a listing of the whole company.
    """

    def __init__(self, folder: Path, name: str, conta: int | None = None) -> None:
        self.path = folder / f"{name}.jsonl.gz"
        self._name = self.path.name
        self._conta = conta
        self._temporary = folder / f".{name}.jsonl.gz.{os.getpid()}.tmp"
        self._pages = 0
        with storage_errors(self._name):
            folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self._temporary.open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def add(self, answer: Answer, packed: Packed | None = None, *, listed: bool = True) -> None:
        """Append one page.

        Args:
            packed: its rows, where they are compressed already.
            listed: it came by the listing; False for a record asked for by its id, which stands in no listing and is
                of the account that it names itself.

        Raises:
            StorageError: when the disk is full or the folder not writable.
        """
        self._pages += 1
        packed = packed or pack(answer)
        head: dict[str, str | int] = {
            "no": self._pages,
            "origem": answer.origem,
            "extraido_em": format_utc(answer.extraido_em),
        }
        if listed and self._conta is not None:
            head["conta_listada"] = self._conta
        if packed.overlap:
            head["sobrepostas"] = packed.overlap
        if answer.repaired:
            head["reparados"] = answer.repaired
        with storage_errors(self._name):
            self._file.write(_compress(json.dumps(head)[:-1].encode() + b', "rows": '))
            self._file.write(packed.content)

    def commit(self) -> None:
        """Make the file durable and visible, in place of the one of an earlier pass.

        Raises:
            StorageError: when that fails; the earlier file stays.
        """
        with storage_errors(self._name):
            if not self._pages:
                self._file.write(_compress(b""))  # a file of no stream at all is no compressed one
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._temporary.replace(self.path)


def land_answers(folder: Path, name: str, answers: Iterable[Answer]) -> None:
    """Land whole answers, one per page."""
    with PageFile(folder, name) as file:
        for answer in answers:
            file.add(answer)
        file.commit()


def read_landed(folder: Path, name: str) -> Iterator[Any]:
    """Yield the elements of a landed file, page by page; nothing when the file is not there."""
    path = folder / f"{name}.jsonl.gz"
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield from json.loads(line)["rows"]
