"""Flat tables: a header, then rows, nothing else; what pivots and Power Query take (manual: Dados)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lastro.grid.cells import Kind

ROW_NUMBER: Final = '"#"'
ODD: Final = '"?"'
CLEAN: Final = "lastro_limpar"
RowMaker = Callable[[str, str, Callable[[str], str]], Iterator[bytes]]
"""Evaluates an SQL expression over each row, in order, and yields the texts as UTF-8, many rows in each.

The expression sees the columns by name, the number of the row on the sheet as `ROW_NUMBER` (a text; the header is 1),
the second SQL expression, a condition on the row, as `ODD`, and the Python function, a text to a text, as `CLEAN`.
"""


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
        rows: writes them; there until the next table is asked for.
        length: how many rows there are.
        note: what it joins with, for the first sheet.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[FlatColumn, ...]
    rows: RowMaker
    length: int
    note: str = ""
