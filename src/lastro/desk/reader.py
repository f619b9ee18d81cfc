"""A `cobranca` that somebody worked in, read back: by header and key, whatever was sorted, moved, added or renamed.

Belongs here: finding tables in what Excel or LibreOffice saved. Does not belong here: what is new in it
(`lastro.desk.notes`).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import openpyxl

from lastro.export.desk_book import MARK, MEMORY_SHEET
from lastro.grid.desk import BLANK, FIELDS, KEYS, DeskFile, TypedRow, write_text

SHEETS: Final = frozenset({"Fila", "Títulos", MEMORY_SHEET})
"""A workbook with none of these sheets is no `cobranca`."""
_SEARCHED_ROWS: Final = 40
"""The header stands in one of these."""
_NAME: Final = re.compile(r'<(?:\w+:)?sheet [^>]*?name="([^"]*)"')
_BY_HEADER: Final = {each.header.casefold(): each for each in FIELDS}
_LABELS: Final = ("cliente", "documento", "descrição")


class UnreadableFile(Exception):
    """A file that is a `cobranca` by its name, and cannot be read; the text says why, in pt-BR."""


def is_desk_file(path: Path) -> bool:
    """Tell whether a workbook is a `cobranca`, by the names of its sheets: the whole file is not read for it.

    Raises:
        UnreadableFile: when it cannot be told.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read("xl/workbook.xml").decode("utf-8", "replace")
    except PermissionError:
        raise UnreadableFile("sem permissão de leitura, ou aberto e bloqueado") from None
    except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise UnreadableFile(f"arquivo danificado ou incompleto ({type(error).__name__})") from None
    return bool(SHEETS & set(_NAME.findall(text)))


def read_desk(path: Path) -> DeskFile:
    """Read what stands in the cells of a `cobranca` that may be typed into.

    Raises:
        UnreadableFile: when it cannot be read.
    """
    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            memory: list[Sequence[Any]] = []
            if MEMORY_SHEET in workbook.sheetnames:
                memory = list(workbook[MEMORY_SHEET].iter_rows(values_only=True))
            arquivo_id, written, headers = _read_memory(memory)
            rows: list[TypedRow] = []
            for name in workbook.sheetnames:
                if name != MEMORY_SHEET:
                    cells = workbook[name].iter_rows(values_only=True)
                    rows += _read_sheet(list(cells), headers)
        finally:
            workbook.close()
    except PermissionError:
        raise UnreadableFile("sem permissão de leitura, ou aberto e bloqueado") from None
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes of the reader, the run goes on without it
        raise UnreadableFile(f"arquivo danificado ou incompleto ({type(error).__name__})") from None
    return DeskFile(arquivo_id, written, tuple(rows))


def _read_memory(
    rows: Sequence[Sequence[Any]],
) -> tuple[str, dict[tuple[str, int], dict[str, str]], frozenset[str]]:
    """Read the hidden sheet: the file's id, what was written into each row, and the headers that lastro wrote."""
    arquivo_id = ""
    written: dict[tuple[str, int], dict[str, str]] = {}
    headers: set[str] = set()
    for row in rows:
        texts = ["" if value is None else str(value) for value in row]
        if not texts:
            continue
        if texts[0] == MARK:
            arquivo_id = texts[1]
        elif texts[0] == "colunas":
            headers.update(text.casefold() for text in texts[2:] if text)
        elif texts[0] == "linha" and texts[2].lstrip("-").isdecimal():
            values = [*texts[4:], *[""] * len(BLANK)]
            written[(texts[1], int(texts[2]))] = dict(zip(BLANK, values, strict=False))
    return arquivo_id, written, frozenset(headers)


def _read_sheet(rows: Sequence[Sequence[Any]], known: frozenset[str]) -> Iterator[TypedRow]:
    """Yield the rows below the header of a sheet; nothing where there is no header with a cell to type into."""
    place = next((number for number, row in enumerate(rows[:_SEARCHED_ROWS]) if _is_header(row)), None)
    if place is None:
        return
    headers = [_fold(value) for value in rows[place]]
    key = next((header for header in KEYS if header in headers), None)
    inputs = {_BY_HEADER[header]: at for at, header in enumerate(headers) if header in _BY_HEADER}
    extra = {
        str(rows[place][at]).strip(): at
        for at, header in enumerate(headers)
        if header and header not in known and header not in _BY_HEADER and header not in KEYS and known
    }
    for row in rows[place + 1 :]:
        cells = [*row, *[None] * (len(headers) - len(row))]
        valores = {each.name: write_text(cells[at], each.kind) for each, at in inputs.items()}
        extras = {name: write_text(cells[at], FIELDS[-1].kind) for name, at in extra.items()}
        chave = None if key is None else _read_key(cells[headers.index(key)])
        if chave is None and not any(valores.values()) and not any(extras.values()):
            continue
        label = " · ".join(str(cells[at]) for at, header in enumerate(headers) if header in _LABELS and cells[at])
        line = " | ".join(str(value).strip() for value in cells if value is not None and str(value).strip())
        tipo = "" if key is None or chave is None else KEYS[key]
        yield TypedRow(tipo, chave, label, valores, extras, line[:1000])


def _is_header(row: Sequence[Any]) -> bool:
    """Tell a header by what it has to type into; two of six may be there by chance in no other sheet of ours."""
    folded = {_fold(value) for value in row}
    names = len(folded & _BY_HEADER.keys())
    return names > 0 and ("pessoa_id" in folded or "titulo_id" in folded or names > 1) and "salvo em" not in folded


def _fold(value: Any) -> str:
    return "" if value is None else str(value).strip().casefold()


def _read_key(value: Any) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return int(value) if value == int(value) else None
    text = str(value).strip()
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 18 else None
