"""A `cobranca` that came back: what stands in the cells that people type into, by key, whatever happened to the sheet.

Rows may be sorted, filtered and added, columns moved, renamed apart from the key and added, the file saved by another
program. Does not belong here: what of it is new (`lastro.desk.notes`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, BinaryIO, Final

from lastro.desk.model import (
    BLANK,
    FIELDS,
    HEADER_ROW,
    KEYS,
    MARK,
    MEMORY_SHEET,
    OF_COLUMNS,
    OF_LOOSE,
    OF_ROW,
    DeskFile,
    Key,
    TypedRow,
    list_texts,
    write_text,
)
from lastro.entrada.archive import open_parts
from lastro.entrada.door import NotRead, Received
from lastro.entrada.workbook import Cells, read_workbook
from lastro.grid.cells import Kind

SHEETS: Final = frozenset({"Fila", "Títulos", MEMORY_SHEET})
"""A workbook with none of these sheets is no `cobranca`."""
_SEARCHED_ROWS: Final = 40
"""The header stands in one of these."""
_NAMES_BYTES: Final = 1_000_000
"""A longer list of sheets is no workbook's."""
_NAME: Final = re.compile(r'<(?:\w+:)?sheet [^<>]*?name="([^"<>]*)"')
_BY_HEADER: Final = {each.header.casefold(): each for each in FIELDS}
_LABELS: Final = ("cliente", "documento", "descrição")
_MAX_LINE: Final = 1_000


def is_desk_file(stream: BinaryIO) -> bool:
    """Tell whether a workbook is a `cobranca`, by the names of its sheets: the whole file is not read for it.

    Raises:
        NotRead: when it cannot be told.
    """
    with open_parts(stream) as archive:
        if archive.getinfo("xl/workbook.xml").file_size > _NAMES_BYTES:
            raise NotRead("arquivo danificado ou incompleto, ou não é .xlsx")
        text = archive.read("xl/workbook.xml").decode("utf-8", "replace")
    return bool(SHEETS & set(_NAME.findall(text)))


def read_desk(received: Received, saved: date) -> DeskFile:
    """Read what stands in the cells of a `cobranca` that may be typed into.

    Args:
        received: the file.
        saved: the day on which it was saved, for days without a year.

    Raises:
        NotRead: when it cannot be read.
    """
    book = read_workbook(received.content)
    memory = _read_memory(book.rows.get(MEMORY_SHEET, []))
    rows: list[TypedRow] = []
    for name, cells in book.rows.items():
        if name in memory.loose:
            rows += _read_loose(name, cells, memory)
        elif name != MEMORY_SHEET:
            rows += _read_sheet(cells, memory.headers, saved)
    return DeskFile(memory.arquivo_id, memory.written, tuple(rows), book.left_out)


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


def _read_memory(rows: Sequence[Cells]) -> _Memory:
    """Read the hidden sheet; a row that is not as lastro wrote it says nothing."""
    memory = _Memory()
    for row in rows:
        kind, first, second, *more = [*("" if value is None else str(value) for value in row), "", "", ""]
        if kind == MARK:
            memory.arquivo_id = first
        elif kind == OF_COLUMNS:
            headers = {text.casefold() for text in (second, *more) if text}
            memory.headers |= headers
            if not headers & KEYS.keys():
                memory.loose.setdefault(first, [])
        elif kind == OF_LOOSE:
            memory.loose.setdefault(first, []).append(Counter(text for text in (second, *more) if text))
        elif kind == OF_ROW and (chave := _read_key(second)) is not None:
            values = [*more[1:], *[""] * len(BLANK)]
            memory.written[(first, chave)] = dict(zip(BLANK, values, strict=False))
    return memory


def _read_sheet(rows: Sequence[Cells], known: set[str], saved: date) -> Iterator[TypedRow]:
    """Yield the rows below the header of a sheet; nothing where there is no header with a cell to type into."""
    place = next((number for number, row in enumerate(rows[:_SEARCHED_ROWS]) if _is_header(row)), None)
    if place is None:
        return
    headers = [_fold(value) for value in rows[place]]
    key = next((header for header in KEYS if header in headers), None)
    inputs = {_BY_HEADER[header]: at for at, header in enumerate(headers) if header in _BY_HEADER}
    theirs = {at for at, header in enumerate(headers) if header in known or header in _BY_HEADER or header in KEYS}
    title = str(rows[0][0]).strip() if place and rows[0] and rows[0][0] is not None else ""
    for row in rows[place + 1 :]:
        cells = [*row, *[None] * (len(headers) - len(row))]
        valores = {each.name: write_text(cells[at], each.kind, saved) for each, at in inputs.items()}
        extras = {
            _name_column(rows[place], at): write_text(value, Kind.TEXT)
            for at, value in enumerate(cells)
            if known and at not in theirs and value is not None
        }
        chave = None if key is None else _read_key(cells[headers.index(key)])
        if chave is None and not any(valores.values()) and not any(extras.values()):
            continue
        label = " · ".join(str(cells[at]) for at, header in enumerate(headers) if header in _LABELS and cells[at])
        tipo = "" if key is None or chave is None else KEYS[key]
        yield TypedRow(tipo, chave, label, valores, extras, _write_line(cells), title)


def _read_loose(name: str, rows: Sequence[Cells], memory: _Memory) -> Iterator[TypedRow]:
    """Yield what a person typed into a sheet without keys: rows below its header that say more than lastro wrote."""
    written = memory.loose[name]
    by_text: dict[str, list[int]] = {}
    for number, own in enumerate(written):
        for text in own:
            by_text.setdefault(text, []).append(number)
    header = next(
        (at for at, row in enumerate(rows[:_SEARCHED_ROWS]) if len({_fold(each) for each in row} & memory.headers) > 1),
        HEADER_ROW - 1,
    )
    for row in rows[header + 1 :]:
        texts = Counter(list_texts(row))
        alike = min((by_text.get(text, []) for text in texts), key=len, default=[])
        if texts and not any(texts <= written[number] for number in alike):
            yield TypedRow("", None, "", {}, {name: _write_line(row)})


def _is_header(row: Sequence[Any]) -> bool:
    """Tell a header by what it has to type into; two of six may be there by chance in no other sheet of ours."""
    folded = {_fold(value) for value in row}
    names = len(folded & _BY_HEADER.keys())
    return names > 0 and ("pessoa_id" in folded or "titulo_id" in folded or names > 1) and "salvo em" not in folded


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
    text = str(value).strip()
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 18 else None
