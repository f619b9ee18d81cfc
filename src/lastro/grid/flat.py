"""Flat tables: a header, then rows, nothing else; what pivots and Power Query take (manual: Dados)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from lastro.grid.cells import Kind

ROW_NUMBER: Final = '"#"'
CLEAN: Final = "lastro_limpar"
RowMaker = Callable[[str, Callable[[str], str]], Iterator[bytes]]
"""Evaluates an SQL expression over each row, in order, and yields the texts as UTF-8, many rows in each.

The expression sees the columns by name, the number of the row on the sheet as `ROW_NUMBER` (a text; the header is 1),
and the Python function, a text to a text, as `CLEAN`.
"""


@dataclass(frozen=True)
class FlatColumn:
    """A column: its name as in SQL, what its cells hold and what it means (pt-BR)."""

    name: str
    kind: Kind
    meaning: str = ""

    @property
    def sql(self) -> str:
        """Its name in a statement."""
        return f'"{self.name}"'


class FlatContent(NamedTuple):
    """What a column has beside plain values: nulls, empty texts, values that need care."""

    nulls: bool
    empties: bool
    odd: bool


Surveyor = Callable[[tuple[str, ...]], list[FlatContent]]
"""Says what each column has at most: an SQL condition for each tells which of its values need care."""


@dataclass(frozen=True)
class FlatTable:
    """A table of one sheet.

    Attributes:
        name: of the sheet and of its Excel table.
        comment: what one row is.
        key: columns that no two rows share.
        columns: in order.
        rows: writes them; there until the next table is asked for.
        survey: says what is at most in their columns; as long.
        length: how many rows there are.
        note: what it joins with, for the first sheet.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[FlatColumn, ...]
    rows: RowMaker
    survey: Surveyor
    length: int
    note: str = ""
