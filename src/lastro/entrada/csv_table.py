"""Delimited text that a person saved (S18): decoded and split; nothing in it is interpreted."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lastro.entrada.door import UTF16_MARKS, NotRead, name_form
from lastro.folding import fold_words

_DELIMITERS: Final = (";", "\t", ",")
_SEP: Final = re.compile(r'"?sep=([^"\r\n])"?[;,\t]*(?:\r\n|\r|\n|$)', re.IGNORECASE)
"""A first line by which some programs tell Excel what delimits."""
_SAMPLE: Final = 1_000
"""Bytes that tell a text of two bytes a character by its blank halves."""


@dataclass(frozen=True)
class TypedLine:
    """A row of the file.

    Attributes:
        number: its line in the file; the header is line 1, or 2 below one that says what delimits.
        cells: column, folded -> text, without blanks around it; a cell that is missing is empty. Of a workbook the cell
            as it is stored, None where there is none.
        text: the row as it stood, its cells joined again by the delimiter.
    """

    number: int
    cells: Mapping[str, Any]
    text: str


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
        NotRead: when it is no text.
    """
    delimiter, names, _, _ = _begin(content)
    return delimiter, names


def _begin(content: bytes) -> tuple[str, list[str], str, int]:
    """Find the delimiter and the names of the columns, and part the text from the line that says what delimits.

    Returns:
        Both, the text from the header on, and how many lines stand before it.
    """
    if form := name_form(content):
        raise NotRead(f"não é texto com separador: é {form}; salve como CSV")
    text = decode(content)
    told = _SEP.match(text)
    text = text[told.end() :] if told else text
    header = text.splitlines()[0] if text.strip() else ""
    delimiter = told[1] if told else max(_DELIMITERS, key=header.count)
    names = [fold_words(name) for name in next(csv.reader([header], delimiter=delimiter), [])]
    return delimiter, names, text, 1 if told else 0


def read_lines(content: bytes, columns: tuple[str, ...]) -> list[TypedLine]:
    """Split delimited text with a header: of `;`, tab and `,` the one most frequent in the header line delimits.

    Args:
        content: the file.
        columns: columns it must have, folded; others are kept too.

    Returns:
        The rows under the header, in order, without those that are blank.

    Raises:
        NotRead: when it is no text, there is no header with these columns, or a quoted cell has no end.
    """
    delimiter, names, text, before = _begin(content)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[TypedLine] = []
    try:
        next(reader, None)
        missing = [name for name in columns if name not in names]
        if missing:
            raise NotRead(f"falta a coluna {', '.join(missing)} no cabeçalho; a primeira linha é {';'.join(columns)}")
        end = reader.line_num
        for cells in reader:
            line_number, end = end + 1, reader.line_num
            kept = [cell.strip() for cell in cells]
            if any(kept):
                padded = kept + [""] * (len(names) - len(kept))
                lines.append(
                    TypedLine(before + line_number, dict(zip(names, padded, strict=False)), delimiter.join(cells))
                )
    except csv.Error:
        raise NotRead(
            f"linha {before + reader.line_num}: não é texto separado por {delimiter} (aspas sem fim?)"
        ) from None
    return lines
