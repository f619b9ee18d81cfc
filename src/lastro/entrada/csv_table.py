"""Delimited text that a person saved (S18): decoded and split; nothing in it is interpreted."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TextIO

from lastro.entrada.door import UTF16_MARKS, NotRead, name_form
from lastro.folding import fold_words

_DELIMITERS: Final = (";", "\t", ",")
_SEP: Final = re.compile(r'"?sep=([^"\r\n])"?[;,\t]*(?:\r\n|\r|\n|$)', re.IGNORECASE)
"""A first line by which some programs tell Excel what delimits."""
_SAMPLE: Final = 1_000
"""Bytes that tell a text of two bytes a character by its blank halves."""
_LONGEST_HEADER: Final = 1_000_000
"""Characters in which the header ends; of a longer one the rest is not looked at."""
_SHOWN: Final = 60
"""Characters of a name that a message shows."""


class TypedLine(NamedTuple):
    """A row of the file.

    Attributes:
        number: its line in the file; the header is line 1, or 2 below one that says what delimits.
        cells: column, folded -> text, without blanks around it; a cell that is missing is empty. Of a workbook the cell
            as it is stored, None where there is none.
        typed: its cells as they stood.
        delimiter: what stood between them.
    """

    number: int
    cells: Mapping[str, Any]
    typed: Sequence[str]
    delimiter: str = ";"

    @property
    def text(self) -> str:
        """The row as it stood, its cells joined again by the delimiter."""
        return self.delimiter.join(self.typed)


def decode(content: bytes) -> str:
    r"""Decode what a person saved: UTF-16 or strict UTF-8 first, else cp1252; the bytes decide (S18).

    >>> decode(b"\xef\xbb\xbfa\xc3\xa7"), decode(b"a\xe7"), decode(b"\xff\xfea\x00\xe7\x00")
    ('aç', 'aç', 'aç')
    """
    return content.decode(find_encoding(content), errors="replace").removeprefix("\ufeff")


def find_encoding(content: bytes) -> str:
    """Find what decodes a text: UTF-16 by its mark or its blank bytes, UTF-8 where all of it is that, else cp1252."""
    if content[:2] in UTF16_MARKS:
        return UTF16_MARKS[content[:2]]
    sample = content[:_SAMPLE]
    if 4 * sample.count(0) > len(sample):
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def find_columns(content: bytes) -> tuple[str, list[str]]:
    """Find what delimits the cells of a text and how its columns are called, folded, in order.

    Raises:
        NotRead: when it is no text, its first line is no list of columns, or a column stands in it twice.
    """
    delimiter, names, _, _ = _begin(content)
    return delimiter, names


def _begin(content: bytes) -> tuple[str, list[str], TextIO, int]:
    """Find the delimiter and the names of the columns, and part the text from the line that says what delimits.

    Returns:
        Both, the text from the header on, decoded as it is read, and how many lines stand before it.
    """
    if form := name_form(content):
        raise NotRead(f"não é texto com separador: é {form}; salve como CSV")
    text = io.TextIOWrapper(io.BytesIO(content), find_encoding(content), errors="replace", newline="")
    start = text.tell() if text.read(1) == "\ufeff" else text.seek(0)
    text.seek(start)
    told = _SEP.match(text.readline(_LONGEST_HEADER))
    start = text.tell() if told else text.seek(start)
    begin = text.read(_LONGEST_HEADER)
    text.seek(start)
    header = begin.splitlines()[0] if begin.strip() else ""
    delimiter = told[1] if told else max(_DELIMITERS, key=header.count)
    try:
        names = [fold_words(name) for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        raise NotRead(f"linha 1: não é um cabeçalho, nomes de colunas separados por {delimiter}") from None
    demand_once(names)
    return delimiter, names, text, 1 if told else 0


def demand_once(names: Sequence[str]) -> None:
    """Demand that no column stands twice in a header: nobody can tell which of two counts.

    Raises:
        NotRead: naming the first that does.
    """
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice is not None:
        raise NotRead(f"a coluna {twice[:_SHOWN]} está duas vezes no cabeçalho")


def read_lines(content: bytes, columns: tuple[str, ...]) -> Iterator[TypedLine]:
    """Split delimited text with a header: of `;`, tab and `,` the one most frequent in the header line delimits.

    Args:
        columns: columns it must have, folded; others are kept too.

    Yields:
        The rows under the header, in order, without those that are blank.

    Raises:
        NotRead: when it is no text, there is no header with these columns, one of them stands twice, or a quoted cell
            has no end.
    """
    delimiter, names, text, before = _begin(content)
    missing = [name for name in columns if name not in names]
    if missing:
        raise NotRead(f"falta a coluna {', '.join(missing)} no cabeçalho; a primeira linha é {';'.join(columns)}")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        next(reader, None)
        end = reader.line_num
        for cells in reader:
            line_number, end = end + 1, reader.line_num
            kept = [*map(str.strip, cells)]
            if any(kept):
                if len(kept) < len(names):
                    kept += [""] * (len(names) - len(kept))
                yield TypedLine(before + line_number, dict(zip(names, kept, strict=False)), cells, delimiter)
    except csv.Error:
        raise NotRead(
            f"linha {before + reader.line_num}: não é texto separado por {delimiter} (aspas sem fim?)"
        ) from None


def read_column(content: bytes, name: str) -> Iterator[str]:
    """Yield the cells of one column that hold anything, for less than the whole rows cost.

    What is wrong with the file says who reads its rows.

    Raises:
        NotRead: when it is no text, or its first line is no list of columns.
    """
    delimiter, names, text, _ = _begin(content)
    place = names.index(name) if name in names else None
    with contextlib.suppress(csv.Error):
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        next(reader, None)
        if place is not None:
            yield from (cell for cells in reader if len(cells) > place and (cell := cells[place].strip()))
