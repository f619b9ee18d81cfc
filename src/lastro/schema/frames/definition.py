"""What a frame is: its grain, its key and its columns, each with one dtype.

Ids, counts and money (centavos) are `int64`, `Int64` where null is possible; days `datetime64[us]`; flags `bool`. Text
is `object` with None for null, and so are lists of ids and percentages (Decimal).
"""

from __future__ import annotations

from dataclasses import dataclass

from lastro.schema.derivation import CENTAVOS, frame_column, frame_dtype
from lastro.schema.dictionary import ColumnDef, read_dictionary


@dataclass(frozen=True)
class FrameColumn:
    """One column of a frame.

    Attributes:
        name: money ends in `_centavos`.
        dtype: pandas dtype, whatever the data are.
        nullable: it may be null; of integers and flags the dtype says the same.
        means: what it means here, with its rule, where that is not what the dictionary says of its key.
    """

    name: str
    dtype: str
    nullable: bool = False
    means: str = ""

    @property
    def comment(self) -> str:
        """What the data dictionary says."""
        return self.means or read_dictionary()[self.name.removesuffix(CENTAVOS)].comment


@dataclass(frozen=True)
class Frame:
    """One frame.

    Attributes:
        grain: what one row is, pt-BR.
        key: columns that identify a row.
        columns: all columns, in order.
    """

    grain: str
    key: tuple[str, ...]
    columns: tuple[FrameColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)


def of_column(column: ColumnDef) -> FrameColumn:
    """Derive the column of a frame from one of a table."""
    return FrameColumn(frame_column(column), frame_dtype(column), column.nullable)
