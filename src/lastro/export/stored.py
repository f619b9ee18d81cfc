"""The cells of a stored column as XML, each different value written once where that pays.

Belongs here: which values are written, and how often. Does not belong here: what of a cell is written (`cells`), which
look it has (`rows`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lastro.export.cells import CellWriter
from lastro.grid.cells import Kind
from lastro.grid.storage import StoredColumn

FEW: Final = 5_000
"""A column with up to so many different values is written value by value."""
OFTEN: Final = 5
"""One whose values come again that often too, however many there are."""


class RepeatedColumn:
    """A stored column, and what of it comes again.

    Attributes:
        column: the column.
        codes: for each row the place of its value among the different ones, -1 where it is missing; None where most
            rows have a value of their own.
        different: the different values; none where there are no codes.
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
        write_cell: (row number, cell) -> what stands between that number in it and in the next cell; of an amount it
            takes the centavos, whose text needs no Decimal.
    """

    def __init__(self, repeated: RepeatedColumn, write_cell: CellWriter) -> None:
        self.write_cell = write_cell
        self._column = repeated
        self._known = np.full(len(repeated.different) + 1, None)

    def write(self, first: int, last: int) -> list[str]:
        """Write the cells of some rows; none of them leads anywhere."""
        if self._column.codes is None:
            return [self.write_cell(0, value) for value in _list_values(self._column.column.part(first, last))]
        codes = self._column.codes[first:last]
        pieces: list[Any] = self._known.take(codes).tolist()
        if not all(pieces):
            self._write_new([code for code in dict.fromkeys(codes.tolist()) if self._known[code] is None])
            pieces = self._known.take(codes).tolist()
        return pieces

    def _write_new(self, codes: list[int]) -> None:
        """Write values that no row had before; -1 is a missing one."""
        places = np.array([code for code in codes if code >= 0], dtype="int64")
        values = iter(_list_values(self._column.different.take(places)))
        for code in codes:
            self._known[code] = self.write_cell(0, None if code < 0 else next(values))


def _list_values(column: StoredColumn) -> list[Any]:
    return column.data.tolist() if column.kind is Kind.MONEY else column.cells()
