"""Reading frames row by row where a report prints their rows; everything else stays vectorised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd


def records_of(frame: pd.DataFrame, *names: str) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of some columns as tuples of plain Python values; every kind of null is None.

    >>> list(records_of(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": ["x", "y"]}), "b", "a"))
    [('x', 1), ('y', None)]
    """
    return zip(*(_plain(frame[name]) for name in names), strict=True)


def _plain(column: pd.Series) -> list[Any]:
    values = column.tolist()
    missing = column.isna()
    if not missing.any():
        return values
    return [None if absent else value for value, absent in zip(values, missing.tolist(), strict=True)]
