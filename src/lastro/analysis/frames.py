"""Reading frames row by row where a report prints their rows, and comparing columns that have nulls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd


def records_of(frame: pd.DataFrame, *names: str) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of some columns as tuples of plain Python values; every kind of null is None.

    >>> list(records_of(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": ["x", "y"]}), "b", "a"))
    [('x', 1), ('y', None)]
    """
    return zip(*(_list_values(frame[name]) for name in names), strict=True)


def dicts_of(frame: pd.DataFrame, *names: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of some columns by name, their values as `records_of` gives them."""
    return (dict(zip(names, row, strict=True)) for row in records_of(frame, *names))


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
