"""The cells of a stored column as XML, each different value written once where that pays.

Belongs here: which values are written, and how often. Does not belong here: what of a cell is written (`cells`), which
look it has (`rows`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from lastro.export.cells import CellWriter
from lastro.grid.cells import Kind
from lastro.grid.storage import StoredColumn

FEW: Final = 5_000
"""A column with up to so many different values is written value by value."""
OFTEN: Final = 5
"""So is a column whose values each occur this often on average, however many different ones it has."""


class RepeatedColumn:
    """A stored column, split into its different values where they repeat.

    Attributes:
        column: the column.
        codes: for each row the place of its value in `different`, -1 where it is missing; None where values hardly
            repeat.
        different: the different values; empty where `codes` is None.
    """

    def __init__(self, column: StoredColumn) -> None:
        self.column = column
        codes, different = column.split()
        repeats = len(different) <= max(FEW, len(column) // OFTEN)
        self.codes = codes if repeats else None
        self.different = different if repeats else column.part(0, 0)


class ColumnWriter:
    """Writes the cells of a column in rows of one look.

    Attributes:
        cell: writes one of them; it takes amounts as centavos.
    """

    def __init__(self, repeated: RepeatedColumn, cell: CellWriter) -> None:
        self.cell = cell
        self._column = repeated
        self._known = np.array([*self._write(repeated.different), cell.write(0, None).encode()], dtype=object)

    def write(self, first: int, last: int) -> list[bytes]:
        """Write the cells of the rows from one number, counted from 0, to another; links come as plain texts."""
        if self._column.codes is None:
            return self._write(self._column.column.part(first, last))
        return self._known.take(self._column.codes[first:last]).tolist()  # type: ignore[no-any-return]

    def _write(self, column: StoredColumn) -> list[bytes]:
        return self.cell.write_all(column.data.tolist() if column.kind is Kind.MONEY else column.cells())
