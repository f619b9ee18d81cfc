"""Where links lead and what formulas refer to, once every section has its place in the workbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlsplit

from lastro.export.columns import join_runs
from lastro.export.hyperlinks import MAX_LINKS, MAX_URL
from lastro.export.layout import PlacedSection, PlacedSheet, column_letter, normal_blocks, quoted
from lastro.grid.cells import Cell, Kind, Link
from lastro.grid.cover import COVER
from lastro.grid.forms import Form
from lastro.grid.table_rows import StreamedRows, TableRows

_LINKING = frozenset({Cell, Link})
"""Types of the cells that may lead somewhere."""
_CALLS = frozenset({"mailto", "tel"})
"""Schemes of what a DESK leads to besides: lastro itself makes such addresses."""
_USUAL_URL = re.compile(r"https?://[\w.~%:=&+!$,;'@()*-][\w.~%:=&+!$,;'@()*/?#-]*", re.ASCII)
"""An address that is a web address, of which nothing has to be quoted."""
_REFERENCE = re.compile(r"\{([^{}:]+):([^{}@]+)(?:@([^{}]+))?\}")


def find_links(sheet: PlacedSheet, sheets: Sequence[PlacedSheet]) -> dict[tuple[int, int], str]:
    """Find where the cells of a sheet lead: (row, column) -> web address, or `#'Sheet'!A1` inside the workbook.

    A link that leads nowhere (unknown or hidden sheet, another scheme than http or https, at a DESK mailto or tel, an
    address that Excel cannot hold, more links than a sheet may have) is left out and prints as plain text; an unknown
    key leads to the sheet's top.
    """
    by_name = {placed.source.name: placed for placed in sheets}
    calls = sheet.source.setup.form is Form.DESK
    addresses: dict[tuple[int, int], str] = {}
    for placed in sheet.sections:
        for row_number, position, link in _list_links(placed):
            if len(addresses) >= MAX_LINKS - 1:
                break
            target = _target(link, by_name, calls=calls)
            if target is not None:
                addresses[row_number, position] = target
    for cell in sheet.painted:
        target = _target(cell.value, by_name, calls=calls) if isinstance(cell.value, Link) else None
        if target is not None:
            addresses[cell.row, cell.column] = target
    return addresses


def _list_links(placed: PlacedSection) -> Iterator[tuple[int, int, Link]]:
    """Yield row, column and link of each cell that is a link, row after row."""
    rows = placed.section.rows
    if isinstance(rows, StreamedRows):
        return
    if isinstance(rows, TableRows):
        yield from ((placed.first + index, position, link) for index, position, link in rows.list_links())
        return
    for row_number, row in placed.rows():
        if row.link is not None:
            yield row_number, 1, row.link
        for position, value in [pair for pair in enumerate(row.cells, 1) if type(pair[1]) in _LINKING]:
            shown = value.value if type(value) is Cell else value
            if type(shown) is Link:
                yield row_number, position, shown


def resolve_references(text: str, sheets: Sequence[PlacedSheet]) -> str:
    """Put addresses for the references of a formula (`lastro.grid.cells.Formula`).

    Raises:
        ValueError: a reference names a section, column or key that the workbook does not have.
    """

    def address(match: re.Match[str]) -> str:
        section_name, column, key = match.groups()
        for sheet in sheets:
            for cell in sheet.painted if section_name == COVER else ():
                if cell.key == column:
                    return f"{quoted(sheet.name)}!${column_letter(cell.column)}${cell.row}"
            for placed in sheet.sections:
                if placed.section.name == section_name:
                    return _address(sheet, placed, column, key)
        raise ValueError(f"formula refers to section {section_name!r}, which this workbook does not have")

    return _REFERENCE.sub(address, text)


def _address(sheet: PlacedSheet, placed: PlacedSection, column: str, key: str | None) -> str:
    if column == "$":
        money = [place for place, column in enumerate(placed.section.printed, 1) if column.kind is Kind.MONEY]
        runs = ((first, last) for first, last in join_runs(money))
        rows = (f"${placed.first}", f"${placed.last}")
        return ",".join(
            f"{quoted(sheet.name)}!${column_letter(first)}{rows[0]}:${column_letter(last)}{rows[1]}"
            for first, last in runs
        )
    letter = column_letter(placed.section.place(column) + 1)
    if key is None:
        # A table of Excel's own has ordinary rows alone, and formulas in each of them.
        whole = [(placed.first, placed.last)]
        blocks = whole if placed.section.native else normal_blocks(placed.section.rows, placed.first)
        first, last = (blocks[0][0], blocks[-1][1]) if blocks else (placed.first, placed.first)
        return f"{quoted(sheet.name)}!${letter}${first}:${letter}${last}"
    if key not in sheet.keys:
        raise ValueError(f"formula refers to row {key!r} of {placed.section.name!r}, which does not exist")
    return f"{quoted(sheet.name)}!${letter}${sheet.keys[key]}"


def _target(link: Link, by_name: Mapping[str, PlacedSheet], *, calls: bool) -> str | None:
    if link.sheet is not None:
        placed = by_name.get(link.sheet)
        if placed is None or placed.source.hidden:
            return None
        return f"#{placed.quoted_name}!A{placed.find_row(link.key) or 1}"
    if link.url is None:
        return None
    if _USUAL_URL.fullmatch(link.url):
        return link.url if len(link.url) <= MAX_URL else None
    try:
        parts = urlsplit(link.url.strip())
    except ValueError:
        return None
    if calls and parts.scheme.lower() in _CALLS:
        return link.url if link.url.isprintable() and len(link.url) <= MAX_URL else None
    # An address is text from outside: only web schemes may be opened by a click, and nothing unquoted gets in.
    if parts.scheme.lower() not in {"http", "https"} or not parts.netloc or not link.url.isprintable():
        return None
    url = quote(link.url.strip(), safe="%/:=&?~#+!$,;'@()*[]")
    return url if len(url) <= MAX_URL else None
