"""The sheets of a `cobranca` as a clerk works in them: headers, rows by key, typing."""

from __future__ import annotations

from typing import Any

from openpyxl.worksheet.worksheet import Worksheet


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
