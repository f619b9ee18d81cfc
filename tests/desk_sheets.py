"""The sheets of a desk as a clerk works in them: headers, rows by key, typing, sorting, another program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from openpyxl.worksheet.worksheet import Worksheet

SOFFICE = shutil.which("soffice")


def header_of(ws: Worksheet) -> dict[str, int]:
    """Column of each header of the table that begins in row 4."""
    return {str(cell.value): cell.column for cell in ws[4] if cell.value is not None}


def rows_of(ws: Worksheet, key: str) -> dict[int, dict[str, Any]]:
    headers = header_of(ws)
    found = {}
    for row in ws.iter_rows(min_row=5, values_only=True):
        if row[headers[key] - 1] is not None:
            found[int(str(row[headers[key] - 1]))] = {name: row[place - 1] for name, place in headers.items()}
    return found


def put(ws: Worksheet, row: int, **values: Any) -> None:
    headers = header_of(ws)
    for name, value in values.items():
        ws.cell(row, headers[name]).value = value


def row_with(ws: Worksheet, key: str, number: int) -> int:
    place = header_of(ws)[key]
    return next(row for row in range(5, ws.max_row + 1) if ws.cell(row, place).value == number)


def sort_rows(ws: Worksheet, by: str) -> None:
    """Sort the data rows by a column, as Excel does: values move, formats stay."""
    place, width = header_of(ws)[by], len(header_of(ws))
    rows = [[ws.cell(row, column).value for column in range(1, width + 1)] for row in range(5, ws.max_row + 1)]
    rows.sort(key=lambda row: str(row[place - 1]), reverse=True)
    for number, values in enumerate(rows, 5):
        for column, value in enumerate(values, 1):
            cell = ws.cell(number, column)
            cell.hyperlink = None
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"


def move_column(ws: Worksheet, name: str) -> None:
    """Move a column behind the last one."""
    place, last = header_of(ws)[name], len(header_of(ws)) + 1
    for row in range(4, ws.max_row + 1):
        value = ws.cell(row, place).value
        ws.cell(row, last).value = value
        if isinstance(value, str):
            ws.cell(row, last).data_type = "s"
    ws.delete_cols(place)


def save_with_libreoffice(path: Path, target: Path) -> None:
    assert SOFFICE
    work = target.parent.parent / "libreoffice"
    work.mkdir(exist_ok=True)
    subprocess.run(  # noqa: S603 - the office suite of this machine
        [SOFFICE, f"-env:UserInstallation={(work / 'perfil').as_uri()}", "--headless", "--convert-to", "xlsx",
         "--outdir", str(work), str(path)],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    shutil.move(work / path.name, target)
