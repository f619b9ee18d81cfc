"""The lines of a part of the cover: a text, what it comes to, and where it leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lastro.grid.cells import Kind, Value
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column, describe_column

VALUE: Final = describe_column("valor")
OPEN: Final = describe_column("abrir", kind=Kind.LINK)


def build_lines(
    name: str,
    title: str,
    heading: str,
    lines: Sequence[tuple[Value, ...]],
    nothing: str = "",
    counts: Sequence[Column] = (VALUE,),
) -> Section:
    """Build the section of a part.

    Args:
        heading: of its texts.
        lines: of each the text, what it comes to, and the link.
        nothing: what it says where it has none.
        counts: the columns between text and link.
    """
    columns = (Column(heading, Kind.TEXT), *counts, OPEN)
    silent = [(nothing, *([None] * (len(columns) - 1)))] if nothing else []
    return Section(name, columns, tuple(Row(cells) for cells in lines or silent), title=title)
