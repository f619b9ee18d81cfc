"""How a table keeps its figures: by column, in the one storage type of the column's kind, never in a float.

MONEY is int64 centavos, PERCENT int64 hundredths, NUMBER int64 tenths, DECIMAL int64 ten-thousandths, INTEGER int64 and
BOOLEAN bool: masked arrays, for a value may be missing. DATE, MONTH and TIMESTAMP are datetime64[us]; a missing one is
NaT. A whole number that is handed to a column is in that unit, as in every frame; a Decimal is what its kind prints
(reais, percent); a column takes one of both. Of TEXT and LINK each different text is kept once, and for each row its
place among them: what says what others say costs little, in memory and to write.
Belongs here: turning plain cells and series of a frame into columns, and back. Does not belong here: which columns a
report has (the report), what SQL makes of them (`lastro.warehouse.file.report_tables`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import prod
from operator import eq
from types import NoneType
from typing import Any, Final, NamedTuple, TypeVar, overload

import numpy as np
import pandas as pd

from lastro.errors import AmountsTooLarge
from lastro.grid.cells import DAYS, INSTANTS, TEXTS, Kind, Value

PLACES: Final = {Kind.MONEY: 2, Kind.PERCENT: 2, Kind.NUMBER: 1, Kind.DECIMAL: 4}
"""Decimal places of the kinds that are whole numbers of cents, hundredths or tenths in storage."""
_TYPES: Final[dict[Kind, type]] = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys(DAYS, date),
    Kind.TIMESTAMP: datetime,
    Kind.INTEGER: int,
    Kind.BOOLEAN: bool,
}
"""What the cells of a kind without decimal places are."""
ROWS_AT_ONCE: Final = 1_000
"""Rows that are made at a time."""
T = TypeVar("T")
Array = np.ndarray[Any, Any]


class Figures(NamedTuple):
    """Least, most and sum of some figures, in the unit of their cells."""

    least: Decimal | int
    most: Decimal | int
    total: Decimal | int


@dataclass(frozen=True, eq=False)
class StoredColumn:
    """The values of one column.

    Attributes:
        kind: kind of the column.
        data: one item a row, in the storage type of the kind; for TEXT and LINK the place of its text in `texts`, -1
            where it is missing.
        texts: TEXT and LINK only: the different texts, then None, which place -1 finds.
    """

    kind: Kind
    data: Array
    texts: Array | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.data)

    def part(self, first: int, last: int | None) -> StoredColumn:
        """Return the column of some rows; it shares their values."""
        if first == 0 and (last is None or last >= len(self)):
            return self
        return StoredColumn(self.kind, self.data[first:last], self.texts)

    def take(self, order: Array) -> StoredColumn:
        """Return the column with its rows in an order of places; -1 is the last row."""
        return StoredColumn(self.kind, self.data[order], self.texts)

    def cells(self) -> list[Any]:
        """Return the values as plain cells (`lastro.grid.cells`)."""
        if self.texts is not None:
            return self.texts.take(self.data).tolist()  # type: ignore[no-any-return]
        if self.kind in DAYS:
            return self.data.astype("datetime64[D]").tolist()  # type: ignore[no-any-return]
        values: list[Any] = self.data.tolist()
        if self.kind not in PLACES:
            return values
        unit = Decimal(1).scaleb(-PLACES[self.kind])
        return [None if value is None else unit * value for value in values]

    def figures(self) -> Figures | None:
        """Return least, most and sum of the numbers; None where the kind has none or all are missing."""
        if self.kind is not Kind.INTEGER and self.kind not in PLACES:
            return None
        values = np.ma.compressed(self.data)
        if not len(values):
            return None
        extremes = (int(values.min()), int(values.max()), int(values.sum()))
        unit = Decimal(1).scaleb(-PLACES[self.kind]) if self.kind in PLACES else 1
        return Figures(*(unit * value for value in extremes))

    def split(self) -> tuple[Array, StoredColumn]:
        """Split the column into its different values and, for each row, the place of its value among them.

        Returns:
            The places, -1 where the value is missing, and the different values as a column.
        """
        if self.texts is not None:
            return self.data, StoredColumn(self.kind, np.arange(len(self.texts) - 1), self.texts)
        codes, uniques = pd.factorize(np.ma.getdata(self.data))
        missing = np.ma.getmask(self.data)
        if missing is not np.ma.nomask:
            codes[missing] = -1
        return _shrink(codes, len(uniques)), StoredColumn(self.kind, uniques)


Values = Sequence[Value] | pd.Series | StoredColumn
"""The values of a column: plain cells, a series of a frame (`store_series`) or as they are stored."""


class MadeRows(Sequence[T]):
    """A sequence whose rows are made when they are asked for; it equals any sequence of equal rows."""

    @abstractmethod
    def make(self, first: int, last: int) -> Iterator[T]:
        """Make the rows from one number, counted from 0, to another."""

    def __iter__(self) -> Iterator[T]:
        """Make row after row."""
        for first in range(0, len(self), ROWS_AT_ONCE):
            yield from self.make(first, min(first + ROWS_AT_ONCE, len(self)))

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        """Make one row, or those of a slice."""
        indexes = range(len(self))[place]
        if isinstance(indexes, int):
            return next(self.make(indexes, indexes + 1))
        if indexes.step == 1:
            return tuple(self.make(indexes.start, indexes.stop)) if indexes else ()
        return tuple(next(self.make(index, index + 1)) for index in indexes)

    def __eq__(self, other: object) -> bool:
        """Tell whether another sequence has the same rows."""
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


class Records(MadeRows[tuple[Value, ...]]):
    """The rows of a table as tuples of plain cells, made from its columns."""

    def __init__(self, columns: Sequence[StoredColumn]) -> None:
        self.columns = tuple(columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0])

    def make(self, first: int, last: int) -> Iterator[tuple[Value, ...]]:
        """Make the rows from one number, counted from 0, to another."""
        return zip(*(kept.part(first, last).cells() for kept in self.columns), strict=True)


def store_cells(kind: Kind, cells: Sequence[Value]) -> StoredColumn:
    """Keep plain cells.

    Args:
        cells: plain values of the kind or None; where it has decimal places (`PLACES`) ints are in its smallest unit,
            `[5]` is R$ 0,05 as `pd.Series([5])` is.

    Raises:
        TypeError: a cell is of another type, a float in particular, which is not exact; ints stand beside Decimals.
        ValueError: a Decimal has more places than its kind, or is not a number.
        AmountsTooLarge: a figure has more than 18 digits.
    """
    if kind in PLACES:
        return _store_decimals(kind, cells)
    wanted = _TYPES[kind]
    for own in set(map(type, cells)) - {wanted, NoneType}:
        # A bool is no int here, and a moment no day.
        if not (wanted is str and issubclass(own, str)):
            raise TypeError(f"a {own.__name__} cannot stand in a column of kind {kind.name}")
    if kind in TEXTS:
        return _store_texts(kind, cells)
    if kind in INSTANTS:
        return StoredColumn(kind, np.array(cells, dtype="datetime64[us]"))
    return _mask(kind, [cell or 0 for cell in cells], [cell is None for cell in cells])


def store_series(kind: Kind, values: pd.Series) -> StoredColumn:
    """Keep a column of a frame; a null of any sort is a missing value.

    Args:
        kind: kind of the column; for MONEY the series has signed centavos, for PERCENT hundredths, for NUMBER tenths.
        values: int64 or Int64 for figures, bool or boolean, datetime64 or texts.

    Raises:
        TypeError: the series is of another dtype: of a float in particular, as a merge makes one of integers.
    """
    if kind in TEXTS:
        codes, uniques = pd.factorize(values, use_na_sentinel=True)
        store_cells(kind, different := uniques.tolist())  # refuses what is no text
        return StoredColumn(kind, _shrink(codes, len(different)), np.array([*different, None], dtype=object))
    wanted = "M" if kind in INSTANTS else "b" if kind is Kind.BOOLEAN else "i"
    if values.dtype.kind != wanted:
        raise TypeError(f"a series of {values.dtype} cannot be a column of kind {kind.name}")
    if kind in INSTANTS:
        return StoredColumn(kind, values.to_numpy("datetime64[us]"))
    missing = values.isna().to_numpy()
    dtype = "bool" if kind is Kind.BOOLEAN else "int64"
    if not missing.any():
        return _mask(kind, values.to_numpy(dtype), np.ma.nomask)
    return _mask(kind, values.to_numpy(dtype, na_value=False if dtype == "bool" else 0), missing)


def store_money(centavos: Array, missing: Array | None = None) -> StoredColumn:
    """Keep signed centavos as MONEY, a matrix row by row; `missing` tells in which of its rows there are none.

    >>> store_money(np.array([[1, 2], [3, 4]]), np.array([True, False])).cells()
    [None, None, Decimal('0.03'), Decimal('0.04')]
    """
    if missing is None:
        return _mask(Kind.MONEY, centavos.ravel(), np.ma.nomask)
    return _mask(Kind.MONEY, centavos.ravel(), np.repeat(missing, prod(centavos.shape[1:])))


def store_each(kind: Kind, keys: pd.Series, make: Callable[[Any], Value], missing: Value = None) -> StoredColumn:
    """Keep the cells that a function makes of keys (a word for a code); it is called once for each different key.

    Args:
        keys: of any dtype; any null has no key.
        make: makes the cell of a key.
        missing: the cell of a row without a key.
    """
    codes, uniques = pd.factorize(keys, use_na_sentinel=True)
    return store_cells(kind, [*map(make, uniques.tolist()), missing]).take(codes)


def store_labels(ids: pd.Series, name: Callable[[object], str]) -> StoredColumn:
    """Keep the names of ids as TEXT; a row without an id gets `name(None)`."""
    return store_each(Kind.TEXT, ids, name, name(None))


def store_texts(values: pd.Series, blank: str | None = None) -> StoredColumn:
    """Keep texts as TEXT; an empty text and a null both become `blank`."""
    return store_each(Kind.TEXT, values, lambda text: str(text) or blank, blank)


def store_columns(name: str, columns: Sequence[tuple[str, Kind, Values]]) -> Records:
    """Keep the columns of a table.

    Args:
        name: of the table, for error messages.
        columns: key, kind and values of each.

    Raises:
        TypeError, AmountsTooLarge: as `store_cells` and `store_series`.
        ValueError: as `store_cells`; a column is of another kind than its values, or of another length than the others.
    """
    if len({len(values) for _, _, values in columns}) > 1:
        raise ValueError(f"table {name!r}: columns of unlike length: {[(key, len(own)) for key, _, own in columns]}")
    stored = []
    for key, kind, values in columns:
        try:
            stored.append(_store(kind, values))
        except (TypeError, ValueError, AmountsTooLarge) as error:
            raise type(error)(f"table {name!r}, column {key!r}: {error}") from error
    return Records(stored)


def _store(kind: Kind, values: Values) -> StoredColumn:
    if isinstance(values, StoredColumn):
        if values.kind is not kind:
            raise ValueError(f"{values.kind.name} stands for {kind.name}")
        return values
    return store_series(kind, values) if isinstance(values, pd.Series) else store_cells(kind, values)


def store_rows(name: str, columns: Sequence[tuple[str, Kind]], rows: Sequence[tuple[Value, ...]]) -> Records:
    """Keep rows of plain cells.

    Args:
        name: of the table, for error messages.
        columns: key and kind of each.
        rows: plain cells, as many as there are columns.

    Raises:
        TypeError, AmountsTooLarge: as `store_cells`.
        ValueError: as `store_cells`, or a row has more or fewer cells than there are columns.
    """
    if any(len(row) != len(columns) for row in rows):
        raise ValueError(f"table {name!r}: a row has not {len(columns)} cells")
    cells: list[tuple[Value, ...]] = list(zip(*rows, strict=True)) or [()] * len(columns)
    return store_columns(name, [(*column, own) for column, own in zip(columns, cells, strict=True)])


def _store_decimals(kind: Kind, cells: Sequence[Value]) -> StoredColumn:
    if {Decimal, int} <= set(map(type, cells)):
        raise TypeError("whole numbers of the smallest unit stand beside Decimals: hand over one of both")
    whole = [0 if cell is None else cell if type(cell) is int else _scale(kind, cell) for cell in cells]
    return _mask(kind, whole, [cell is None for cell in cells])


def _scale(kind: Kind, cell: Value) -> int:
    if type(cell) is not Decimal or not cell.is_finite():
        raise TypeError(f"{cell!r} cannot stand in a column of kind {kind.name}: it is no exact number")
    whole = int(scaled := cell.scaleb(PLACES[kind]))
    if whole != scaled:
        raise ValueError(f"{cell} has more decimal places than a column of kind {kind.name}")
    return whole


def _store_texts(kind: Kind, cells: Sequence[Any]) -> StoredColumn:
    places: dict[str | None, int] = {}
    codes = [-1 if text is None else places.setdefault(text, len(places)) for text in cells]
    texts = np.empty(len(places) + 1, dtype=object)
    texts[:-1] = list(places)
    return StoredColumn(kind, _shrink(np.array(codes, dtype="int64"), len(places)), texts)


def _mask(kind: Kind, values: Any, missing: Any) -> StoredColumn:
    dtype = "bool" if kind is Kind.BOOLEAN else "int64"
    try:
        data = np.asarray(values, dtype=dtype)
    except OverflowError as error:
        raise AmountsTooLarge("um valor tem mais de 18 dígitos: corrija o valor de que ele é feito") from error
    return StoredColumn(kind, np.ma.array(data, mask=missing if np.any(missing) else np.ma.nomask))


def _shrink(codes: Array, count: int) -> Array:
    """Keep places, of which the largest is below `count`, in the smallest integer type that holds them."""
    return codes.astype(np.min_scalar_type(-max(count, 1)), copy=False)
