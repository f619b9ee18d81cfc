"""The cells of a workbook that a person saved, as they are stored, within what a list can hold.

Belongs here: from bytes to rows of values. Does not belong here: what a row means.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import openpyxl

from lastro.entrada.archive import DAMAGED, MAX_TEXT, MOST_READ_COLUMNS, MOST_READ_ROWS, look_through, make_usual
from lastro.entrada.door import NotRead, hold_unread

Cells = tuple[Any, ...]
"""A row up to its last cell that holds anything: texts, numbers, days and moments as stored, None for an empty one."""
_BEYOND: Final = (
    f"o que está abaixo da linha {MOST_READ_ROWS:,} ou além da coluna {MOST_READ_COLUMNS} não foi lido".replace(
        ",", "."
    )
)
_MOST_SHEETS: Final = 100
_SHEETS: Final = f"de mais de {_MOST_SHEETS} folhas só as primeiras foram lidas"
_MOST_ROWS: Final = 3 * MOST_READ_ROWS
"""Most rows of all sheets together."""
_LONG: Final = f"um texto de mais de {MAX_TEXT:,} caracteres foi cortado".replace(",", ".")


@dataclass(frozen=True)
class Sheets:
    """A workbook.

    Attributes:
        rows: name of a sheet -> its rows, the first row first.
        left_out: what of it was not read, pt-BR, a sentence each.
    """

    rows: dict[str, list[Cells]]
    left_out: tuple[str, ...]


def read_workbook(content: bytes) -> Sheets:
    """Read every sheet: at most 100,000 rows of 200 cells, texts of at most 32,767 characters.

    A formula counts by its stored result; one that has none comes as it was typed, "=...".

    Raises:
        NotRead: when it is no workbook, is damaged, or is larger than any list.
    """
    seen = look_through(content)
    content = make_usual(content)
    with hold_unread(DAMAGED):
        sheets = _read_cells(content, results=True)
        if seen.bare:
            typed = _read_cells(content, results=False)
            sheets = {
                name: [_fill_in(row, other) for row, other in zip_longest(rows, typed[name], fillvalue=())]
                for name, rows in sheets.items()
            }
    # Most cells of most rows are empty: `filter` passes them by.
    texts = (value for own in sheets.values() for row in own for value in filter(None, row) if isinstance(value, str))
    if long := any(len(text) > MAX_TEXT for text in texts):
        sheets = {name: [tuple(map(_cut, row)) for row in rows] for name, rows in sheets.items()}
    kept = (_BEYOND, seen.beyond), (_LONG, long), (_SHEETS, len(sheets) == _MOST_SHEETS)
    return Sheets(sheets, tuple(text for text, holds in kept if holds))


def _read_cells(content: bytes, *, results: bool) -> dict[str, list[Cells]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of days that are none, of parts that are not needed
        workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=results, keep_links=False)
        with closing(workbook):
            sheets, left = {}, _MOST_ROWS
            for sheet in workbook.worksheets[:_MOST_SHEETS]:
                sheets[sheet.title] = list(_read_rows(sheet, left))
                left -= len(sheets[sheet.title])
            return sheets


def _read_rows(sheet: Any, most: int) -> Iterator[Cells]:
    sheet.reset_dimensions()  # what a file says of its size is not what is in it
    for row_number, row in enumerate(
        sheet.iter_rows(max_row=MOST_READ_ROWS, max_col=MOST_READ_COLUMNS, values_only=True)
    ):
        if row_number >= most:
            raise NotRead("tem linhas demais em todas as folhas: copie o que vale para um arquivo novo")
        yield _end(row)


def _end(row: Cells) -> Cells:
    """Let a row end with its last cell that holds anything."""
    last = len(row)
    while last and row[last - 1] is None:
        last -= 1
    return tuple(row[:last])


def _fill_in(row: Cells, typed: Cells) -> Cells:
    if row == typed:
        return row
    return tuple(
        other if value is None and isinstance(other, str) and other.startswith("=") else value
        for value, other in zip_longest(row, typed)
    )


def _cut(value: Any) -> Any:
    return value[:MAX_TEXT] if isinstance(value, str) else value
