"""Delimited text that a person saved (S18): decoded and split; nothing in it is interpreted."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lastro.entrada.door import NotRead
from lastro.folding import fold_words

_DELIMITERS: Final = (";", "\t", ",")


@dataclass(frozen=True)
class TypedLine:
    """A row of the file.

    Attributes:
        number: its line in the file; the header is line 1.
        cells: column, folded -> text, without blanks around it; a cell that is missing is empty. Of a workbook the cell
            as it is stored, None where there is none.
        text: the row as it stood, its cells joined again by the delimiter.
    """

    number: int
    cells: Mapping[str, Any]
    text: str


def decode(content: bytes) -> str:
    r"""Decode what a person saved: strict UTF-8 first, else cp1252; the bytes decide (S18).

    >>> decode(b"\xef\xbb\xbfa\xc3\xa7"), decode(b"a\xe7")
    ('aç', 'aç')
    """
    return content.decode(find_encoding(content), errors="replace").removeprefix("\ufeff")


def find_encoding(content: bytes) -> str:
    """Find what decodes a text: UTF-8 where all of it is that, else cp1252."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def find_columns(content: bytes) -> tuple[str, list[str]]:
    """Find what delimits the cells of a text and how its columns are called, folded, in order."""
    text = decode(content)
    header = text.splitlines()[0] if text.strip() else ""
    delimiter = max(_DELIMITERS, key=header.count)
    return delimiter, [fold_words(name) for name in next(csv.reader([header], delimiter=delimiter), [])]


def read_lines(content: bytes, columns: tuple[str, ...]) -> list[TypedLine]:
    """Split delimited text with a header: of `;`, tab and `,` the one most frequent in the header line delimits.

    Args:
        content: the file.
        columns: columns it must have, folded; others are kept too.

    Returns:
        The rows under the header, in order, without those that are blank.

    Raises:
        NotRead: when there is no header with these columns, or a quoted cell has no end.
    """
    delimiter, names = find_columns(content)
    reader = csv.reader(io.StringIO(decode(content), newline=""), delimiter=delimiter, strict=True)
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
                lines.append(TypedLine(line_number, dict(zip(names, padded, strict=False)), delimiter.join(cells)))
    except csv.Error:
        raise NotRead(f"linha {reader.line_num}: não é texto separado por {delimiter} (aspas sem fim?)") from None
    return lines
