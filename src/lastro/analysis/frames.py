"""Reading frames row by row where a report prints their rows, or by key, and comparing columns that have nulls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T")


def records_of(frame: pd.DataFrame, *names: str) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of some columns as tuples of plain Python values; every kind of null is None.

    >>> list(records_of(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": ["x", "y"]}), "b", "a"))
    [('x', 1), ('y', None)]
    """
    return zip(*(_list_values(frame[name]) for name in names), strict=True)


def join_rows(columns: Iterable[pd.Series | list[Any]]) -> Iterable[tuple[Any, ...]]:
    """Join columns into rows, those of a frame as `records_of` gives them and lists as they are."""
    return zip(*(own if isinstance(own, list) else _list_values(own) for own in columns), strict=True)


def dicts_of(frame: pd.DataFrame, *names: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of some columns by name, their values as `records_of` gives them."""
    return (dict(zip(names, row, strict=True)) for row in records_of(frame, *names))


def read_fields(records: Sequence[object], *names: str) -> dict[str, list[Any]]:
    """Read fields of records that are called as their columns are."""
    return {name: [getattr(one, name) for one in records] for name in names}


def read_centavos(records: Sequence[object], *names: str) -> dict[str, pd.Series]:
    """Read such fields that are signed centavos, or None."""
    return {name: store_centavos(values) for name, values in read_fields(records, *names).items()}


def store_centavos(centavos: Iterable[int | None]) -> pd.Series:
    """Make a column of signed centavos; None is null."""
    return pd.Series(list(centavos), dtype="Int64")


class ByKey(Mapping[int, T]):
    """A value for each key, made when it is asked for: a dict of tuples takes ten times the memory."""

    def __init__(self, keys: np.ndarray[Any, Any], make: Callable[[int], T]) -> None:
        """Keep keys.

        Args:
            keys: ascending, each once.
            make: makes the value of the key at a place.
        """
        self._keys = keys
        self._make = make

    def __getitem__(self, key: int) -> T:
        """Make the value of a key.

        Raises:
            KeyError: nothing stands against it.
        """
        place = int(self._keys.searchsorted(key))
        if place == len(self._keys) or self._keys[place] != key:
            raise KeyError(key)
        return self._make(place)

    def __iter__(self) -> Iterator[int]:
        """Yield every key, ascending."""
        return iter(self._keys.tolist())

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)


def differ(left: pd.Series, right: pd.Series) -> pd.Series:
    """Tell where two columns differ; a null equals a null and nothing else.

    >>> differ(pd.Series([1, 2, None], dtype="Int64"), pd.Series([1, None, None], dtype="Int64")).tolist()
    [False, True, False]
    """
    missing = left.isna() | right.isna()
    return ((left != right).fillna(value=True) & ~missing) | (left.isna() != right.isna())


def _list_values(column: pd.Series) -> list[Any]:
    values = column.tolist()
    missing = column.isna()
    if not missing.any():
        return values
    return [None if absent else value for value, absent in zip(values, missing.tolist(), strict=True)]
