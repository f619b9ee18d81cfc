"""Reading a file of a desk: the values of the input cells by key, however the sheets were sorted, cut or copied.

Rows may be sorted, filtered and added, columns moved, renamed apart from the key and added, the file saved by another
program. Does not belong here: what of it is new (`lastro.desk.notes`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, BinaryIO, Final

from lastro.calendar import add_months
from lastro.desk.desks import DESKS
from lastro.desk.model import (
    HEADER_ROW,
    MEMORY_SHEET,
    OF_COLUMNS,
    OF_LOOSE,
    OF_ROW,
    Desk,
    DeskFile,
    Field,
    Key,
    RowKind,
    TypedRow,
    list_texts,
    write_text,
)
from lastro.entrada.archive import list_sheets, open_parts
from lastro.entrada.door import Received
from lastro.entrada.typed_values import find_distrust, parse_typed_id
from lastro.entrada.workbook import Cells, read_workbook
from lastro.grid.cells import Kind

SHEETS: Final = frozenset({MEMORY_SHEET}.union(*(desk.sheets for desk in DESKS)))
"""A workbook with none of these sheets is of no desk."""
MONTHS_AHEAD: Final = 24
"""A promise or a decision lies at most so many months ahead of the day of saving."""
_SEARCHED_ROWS: Final = 40
"""The header stands in one of these."""
_MAX_LINE: Final = 1_000


def is_desk_file(stream: BinaryIO) -> bool:
    """Tell whether a workbook is of a desk, by the names of its sheets: the whole file is not read for it.

    Raises:
        NotRead: when it cannot be told.
    """
    with open_parts(stream) as archive:
        return bool(SHEETS & set(list_sheets(archive)))


def read_desk(received: Received, saved: date) -> DeskFile:
    """Read what stands in the cells of a file of a desk that may be typed into.

    Args:
        received: the file.
        saved: the day on which it was saved, for days without a year.

    Raises:
        NotRead: when it cannot be read.
    """
    book = read_workbook(received.content)
    desk = find_desk(book.rows)
    memory = _read_memory(desk, book.rows.get(MEMORY_SHEET, []))
    rows: list[TypedRow] = []
    saved_as = _Saved(
        saved, find_distrust(cell for own in book.rows.values() for row in own for cell in row if isinstance(cell, str))
    )
    for name, cells in book.rows.items():
        if name in memory.loose:
            rows += _read_loose(name, cells, memory)
        elif name != MEMORY_SHEET:
            rows += _read_sheet(desk, cells, memory.headers, saved_as)
    return DeskFile(desk, memory.arquivo_id, memory.written, tuple(rows), book.left_out)


def find_desk(rows: Mapping[str, Sequence[Cells]]) -> Desk:
    """Tell which desk a workbook is of: its hidden sheet says so; without it, the names of the others."""
    marks = {_fold(row[0]) for row in rows.get(MEMORY_SHEET, ()) if row}
    marked = [desk for desk in DESKS if desk.mark in marks]
    named = [desk for desk in DESKS if desk.sheets & rows.keys()]
    return (marked or named or list(DESKS))[0]


@dataclass(frozen=True)
class _Saved:
    """How and when a file was saved, which its days are read by.

    Attributes:
        dia: the day of it.
        distrust: why no slashed day of the file counts; empty where they do.
    """

    dia: date
    distrust: str

    def write(self, value: object, each: Field) -> str:
        """Write what stands in a cell as its stored text; a statement is of a day that is over."""
        until = self.dia if each.past else add_months(self.dia, MONTHS_AHEAD)
        return write_text(value, each.kind, self.dia, signed=each.signed, until=until, distrust=self.distrust)


@dataclass
class _Memory:
    """The hidden sheet.

    Attributes:
        arquivo_id: of the file that lastro wrote.
        written: key -> field -> the text that lastro wrote there.
        headers: of every table, folded.
        loose: sheet without keys -> the texts of each row that lastro wrote.
    """

    arquivo_id: str = ""
    written: dict[Key, dict[str, str]] = field(default_factory=dict)
    headers: set[str] = field(default_factory=set)
    loose: dict[str, list[Counter[str]]] = field(default_factory=dict)


def _read_memory(desk: Desk, rows: Sequence[Cells]) -> _Memory:
    """Read the hidden sheet; a row that is not as lastro wrote it says nothing."""
    memory = _Memory()
    for row in rows:
        kind, first, second, *more = [*("" if value is None else str(value) for value in row), "", "", ""]
        if kind == desk.mark:
            memory.arquivo_id = first
        elif kind == OF_COLUMNS:
            headers = {text.casefold() for text in (second, *more) if text}
            memory.headers |= headers
            if not headers & desk.keys.keys():
                memory.loose.setdefault(first, [])
        elif kind == OF_LOOSE:
            memory.loose.setdefault(first, []).append(Counter(text for text in (second, *more) if text))
        elif kind == OF_ROW and (chave := _read_key(second)) is not None:
            blank = desk.kind(first).blank
            memory.written[(first, chave)] = dict(zip(blank, [*more[1:], *[""] * len(blank)], strict=False))
    return memory


def _read_sheet(desk: Desk, rows: Sequence[Cells], known: set[str], saved: _Saved) -> Iterator[TypedRow]:
    """Yield the rows below the header of a sheet; nothing where there is no header with a cell to type into."""
    place = next((index for index, row in enumerate(rows[:_SEARCHED_ROWS]) if _is_header(desk, row)), None)
    if place is None:
        return
    headers = [_fold(value) for value in rows[place]]
    key = next((header for header in desk.keys if header in headers), None)
    kind = _guess_kind(desk, headers) if key is None else desk.keys[key]
    fields = _by_header(kind)
    inputs = {fields[header]: at for at, header in enumerate(headers) if header in fields}
    theirs = {at for at, header in enumerate(headers) if header in known or header in fields or header in desk.keys}
    title = str(rows[0][0]).strip() if place and rows[0] and rows[0][0] is not None else ""
    for row in rows[place + 1 :]:
        cells = [*row, *[None] * (len(headers) - len(row))]
        valores = {each.name: saved.write(cells[at], each) for each, at in inputs.items()}
        extras = {
            _name_column(rows[place], at): write_text(value, Kind.TEXT)
            for at, value in enumerate(cells)
            if known and at not in theirs and value is not None
        }
        chave = None if key is None else _read_key(cells[headers.index(key)])
        if chave is None and not any(valores.values()) and not any(extras.values()):
            continue
        label = " · ".join(str(cells[at]) for at, header in enumerate(headers) if header in desk.labels and cells[at])
        tipo = "" if key is None or chave is None else kind.name
        yield TypedRow(tipo, chave, label, valores, extras, _write_line(cells), title)


def _by_header(kind: RowKind) -> dict[str, Field]:
    return {each.header.casefold(): each for each in kind.fields}


def _guess_kind(desk: Desk, headers: Sequence[str]) -> RowKind:
    """Guess the kind of rows of a sheet that lost its key column: the kind with most of its input columns there."""
    return max(desk.kinds, key=lambda kind: len(_by_header(kind).keys() & set(headers)))


def _read_loose(name: str, rows: Sequence[Cells], memory: _Memory) -> Iterator[TypedRow]:
    """Yield what a person typed into a sheet without keys: rows below its header that say more than lastro wrote."""
    written = memory.loose[name]
    by_text: dict[str, list[int]] = {}
    for index, own in enumerate(written):
        for text in own:
            by_text.setdefault(text, []).append(index)
    header = next(
        (at for at, row in enumerate(rows[:_SEARCHED_ROWS]) if len({_fold(each) for each in row} & memory.headers) > 1),
        HEADER_ROW - 1,
    )
    for row in rows[header + 1 :]:
        texts = Counter(list_texts(row))
        alike = min((by_text.get(text, []) for text in texts), key=len, default=[])
        if texts and not any(texts <= written[index] for index in alike):
            yield TypedRow("", None, "", {}, {name: _write_line(row)})


def _is_header(desk: Desk, row: Sequence[Any]) -> bool:
    """Tell whether a row is a header: it has an input column, and a key column or a second input column."""
    folded = {_fold(value) for value in row}
    names = max(len(folded & _by_header(kind).keys()) for kind in desk.kinds)
    return names > 0 and (bool(folded & desk.keys.keys()) or names > 1) and "salvo em" not in folded


def _name_column(header: Sequence[Any], at: int) -> str:
    """Name a column of a person's own: by its header, else by its place."""
    text = str(header[at]).strip() if at < len(header) and header[at] is not None else ""
    return text or f"coluna {at + 1}"


def _write_line(cells: Sequence[Any]) -> str:
    return " | ".join(str(value).strip() for value in cells if value is not None and str(value).strip())[:_MAX_LINE]


def _fold(value: Any) -> str:
    return "" if value is None else str(value).strip().casefold()


def _read_key(value: Any) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else None
    return parse_typed_id(str(value).strip())
