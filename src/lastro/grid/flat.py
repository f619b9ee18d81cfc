"""Flat tables: a header, then rows, nothing else; what pivots and Power Query take (manual: Dados)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lastro.grid.cells import Kind, Value


@dataclass(frozen=True)
class FlatColumn:
    """A column: its name as in SQL, what its cells hold and what it means (pt-BR)."""

    name: str
    kind: Kind
    meaning: str = ""


@dataclass(frozen=True)
class FlatTable:
    """A table of one sheet.

    Attributes:
        name: of the sheet and of its Excel table.
        comment: what one row is.
        key: columns that no two rows share.
        columns: in order.
        rows: cells in the order of the columns; read once.
        length: how many rows there are.
        note: what it joins with, for the first sheet.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[FlatColumn, ...]
    rows: Iterable[Sequence[Value]]
    length: int
    note: str = ""
