"""The links of a sheet as XML: openpyxl makes an object and a cell of each, and a sheet may have 65,530."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.sax.saxutils import quoteattr

from lastro.export.layout import column_letter

MAX_LINKS: Final = 65_530
"""Most links that Excel takes on one sheet; what is beyond has its text alone."""
MAX_URL: Final = 2_079
"""Longest address that Excel takes."""
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_SPECIAL = re.compile('[&<>"\n\r\t]')


def write_links(links: Mapping[tuple[int, int], str]) -> tuple[bytes, bytes]:
    """Write the links of a sheet: (row, column) -> web address, or `#'Sheet'!A1` inside the workbook.

    Returns:
        The element `hyperlinks` and the relationships to web addresses that it names; both empty without links.
    """
    written, link_ids = [], dict[str, str]()
    letters = {column: column_letter(column) for column in {column for _, column in links}}
    for (row, column), target in sorted(links.items()):
        reference = f"{letters[column]}{row}"
        if target.startswith("#"):
            place = target[1:]
            quoted = quoteattr(place) if _SPECIAL.search(place) else f'"{place}"'
            written.append(f'<hyperlink ref="{reference}" location={quoted}/>')
        else:
            link_id = link_ids.setdefault(target, f"link{len(link_ids) + 1}")
            written.append(f'<hyperlink ref="{reference}" r:id="{link_id}"/>')
    relationships = [
        f'<Relationship Id="{link_id}" Type="{_RELATIONSHIPS}/hyperlink" Target={quoteattr(target)} '
        'TargetMode="External"/>'
        for target, link_id in link_ids.items()
    ]
    element = f'<hyperlinks xmlns:r="{_RELATIONSHIPS}">{"".join(written)}</hyperlinks>' if written else ""
    return element.encode(), "".join(relationships).encode()


def add_relationships(part: bytes, relationships: bytes) -> bytes:
    """Add relationships to the part that has those of a sheet; an empty one stands for a part that is not there."""
    if not part:
        part = f'<Relationships xmlns="{_PACKAGE}"></Relationships>'.encode()
    return part.replace(b"</Relationships>", relationships + b"</Relationships>")
