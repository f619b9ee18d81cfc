"""The cells of the cover as XML, merged into the rows of the tables on the same sheet.

Does not belong here: where they stand and how they look (`lastro.export.cover`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from lastro.export import cells
from lastro.export.cover import Painted, find_heights
from lastro.export.forms import write_height
from lastro.export.layout import PlacedSheet, column_letter
from lastro.export.looks import BLUE, Look
from lastro.export.references import resolve_references
from lastro.grid.cells import Formula, Link

_ROW = re.compile(r'<row r="(\d+)"([^>]*?)(?:/>|>(.*?)</row>)', re.DOTALL)


def add_painted(
    rows: str,
    sheet: PlacedSheet,
    sheets: Sequence[PlacedSheet],
    links: Mapping[tuple[int, int], str],
    styles: Callable[[Look], int],
) -> str:
    """Merge the painted cells of a sheet into its rows: as new rows, or to the right of existing cells.

    Args:
        rows: the XML of those rows, in order.
        sheets: all sheets: formulas refer to them.
        links: result of `find_links` for the cover.
        styles: gives the number of a look.
    """
    written = {int(row_number): (attributes, body or "") for row_number, attributes, body in _ROW.findall(rows)}
    heights = find_heights(sheet.painted)
    for row_number, painted in groupby(sheet.painted, key=lambda cell: cell.row):
        body = "".join(_write(cell, sheets, links, styles) for cell in painted)
        points = heights.get(row_number)
        attributes, before = written.get(row_number, (write_height(points), ""))
        written[row_number] = attributes, before + body
    return "".join(
        f'<row r="{row_number}"{attributes}>{body}</row>' for row_number, (attributes, body) in sorted(written.items())
    )


def _write(
    cell: Painted, sheets: Sequence[PlacedSheet], links: Mapping[tuple[int, int], str], styles: Callable[[Look], int]
) -> str:
    """Write a cell, and the empty ones that it spans."""
    more = "".join(
        cells.empty_cell(f"{column_letter(column)}{cell.row}", styles(cell.look))
        for column in range(cell.column + 1, cell.last + 1)
    )
    return _write_value(cell, sheets, links, styles) + more


def _write_value(
    cell: Painted, sheets: Sequence[PlacedSheet], links: Mapping[tuple[int, int], str], styles: Callable[[Look], int]
) -> str:
    reference, look, value = f"{column_letter(cell.column)}{cell.row}", cell.look, cell.value
    if isinstance(value, Link):
        if (cell.row, cell.column) in links:
            look = replace(look, underline=True, colour=look.colour if look.bold else BLUE)
        value = str(value.text)
    if value is None or value == "":
        return cells.empty_cell(reference, styles(look))
    if isinstance(value, Formula):
        return cells.formula_cell(reference, styles(look), resolve_references(value.text, sheets), value.cached)
    if isinstance(value, str):
        return cells.text_cell(reference, styles(replace(look, number_format="@")), value)
    if isinstance(value, date):
        serial = cells.date_number(value)
        return (
            cells.text_cell(reference, styles(look), str(value))
            if serial is None
            else cells.number_cell(reference, styles(look), Decimal(serial))
        )
    if isinstance(value, Decimal | int):
        return cells.number_cell(reference, styles(look), value)
    raise TypeError(f"the cover cannot print a {type(value).__name__}")
