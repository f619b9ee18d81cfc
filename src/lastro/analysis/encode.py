"""Columns of a frame as columns of cells: each different value is turned into its cell once, and equal ones share it.

Belongs here: which cell a value makes, by kind. Does not belong here: which columns a report has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from lastro.grid.cells import Link, Value
from lastro.grid.coded import CodedColumn, Convert
from lastro.money import to_decimal


def encode(values: pd.Series, convert: Convert, missing: Any = None) -> CodedColumn:
    """Keep a column as its different values and the place of each row's.

    Args:
        values: of one kind; any null is none.
        convert: makes cells of some values.
        missing: the cell of a null.
    """
    codes, uniques = pd.factorize(values, use_na_sentinel=True)
    small = np.min_scalar_type(-max(len(uniques), 1))
    return CodedColumn(codes.astype(small), np.asarray(uniques), convert, missing)


def encode_plain(values: pd.Series) -> CodedColumn:
    """Print texts, yes and no as they are."""
    return encode(values, _list)


def encode_texts(values: pd.Series, missing: str | None = None) -> CodedColumn:
    """Print texts that may be empty: an empty one and a null are the same."""
    return encode(values, lambda texts: [str(one) or missing for one in texts.tolist()], missing)


def encode_integers(values: pd.Series) -> CodedColumn:
    """Print counts and ids."""
    return encode(values, list_integers)


def encode_amounts(centavos: pd.Series, missing: Value = None) -> CodedColumn:
    """Print signed centavos as money."""
    return encode(centavos, list_amounts, missing)


def encode_dates(days: pd.Series) -> CodedColumn:
    """Print days."""
    return encode(days, lambda some: _list(pd.DatetimeIndex(some).date))


def encode_timestamps(moments: pd.Series) -> CodedColumn:
    """Print moments."""
    return encode(moments, list_moments)


def encode_labels(ids: pd.Series, name: Callable[[object], str]) -> CodedColumn:
    """Print what ids are called, and what no id is called."""
    return encode(ids, lambda some: [name(one) for one in some.tolist()], name(None))


def encode_made(cells: Iterable[Value]) -> CodedColumn:
    """Keep cells that were made one by one."""
    return encode_plain(pd.Series(list(cells), dtype=object))


def encode_urls(urls: pd.Series) -> CodedColumn:
    """Lead to web addresses; an empty one, or a null, leads nowhere."""
    return encode(urls.where(urls.astype(bool)), lambda some: [Link("", url=one) for one in some.tolist()])


def list_integers(numbers: np.ndarray[Any, Any]) -> list[Any]:
    """Make cells of counts and ids."""
    return _list(numbers.astype("int64"))


def list_amounts(centavos: np.ndarray[Any, Any]) -> list[Any]:
    """Make cells of signed centavos."""
    return [to_decimal(one) for one in centavos.tolist()]


def list_moments(moments: np.ndarray[Any, Any]) -> list[Any]:
    """Make cells of moments."""
    return _list(pd.DatetimeIndex(moments).to_pydatetime())


def _list(values: np.ndarray[Any, Any]) -> list[Any]:
    return values.tolist()  # type: ignore[no-any-return]
