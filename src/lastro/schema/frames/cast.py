"""Casting a frame to its declaration: right columns are not copied, wrong ones are an error."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
import pandas as pd

from lastro.schema.derivation import DAY, FLAG, FLAG_OR_NULL, INTEGER, INTEGER_OR_NULL, OBJECT
from lastro.schema.frames.definition import Frame, FrameColumn

_KINDS: Final = {INTEGER: "iuO", INTEGER_OR_NULL: "iuO", FLAG: "bO", FLAG_OR_NULL: "bO", DAY: "MO"}
"""dtype -> kinds of numpy that hold the same: a float is no integer, whatever its value, and a number is no flag."""
_CONTENTS: Final = {"i": ("integer",), "b": ("boolean",), "M": ("datetime64", "datetime", "date")}
"""The same for columns of objects: what pandas finds in them, nulls apart."""


class _Refused(ValueError):
    """A cast that would lose or invent something; says which."""


def shape_as(name: str, wanted: Frame, frame: pd.DataFrame) -> pd.DataFrame:
    """Cast a frame of any declaration, as `lastro.schema.frames.shape` does; errors call it `name`."""
    mistakes = _name_columns("lacks", set(wanted.names) - set(frame.columns))
    mistakes += _name_columns("does not know", set(frame.columns) - set(wanted.names))
    given = {column.name: frame[column.name] for column in wanted.columns if column.name in frame.columns}
    shaped = {}
    for column in wanted.columns:
        if column.name in given:
            try:
                shaped[column.name] = _cast(given[column.name], column)
            except (TypeError, ValueError, OverflowError) as error:
                # What pandas says may hold values of the company.
                why = str(error) if isinstance(error, _Refused) else "it holds other values"
                mistakes.append(f"cannot make {column.name} ({given[column.name].dtype}) {column.dtype}: {why}")
    if mistakes:
        raise ValueError(f"{name} {'; '.join(mistakes)}")
    if tuple(frame.columns) == wanted.names and all(shaped[column] is given[column] for column in given):
        return frame
    return pd.DataFrame(shaped, index=frame.index, copy=False)


def _name_columns(what: str, names: Collection[object]) -> list[str]:
    return [f"{what} {', '.join(sorted(map(str, names)))}"] if names else []


def _cast(series: pd.Series, column: FrameColumn) -> pd.Series:
    """Cast one column; the series itself where it is right already."""
    dtype: Any = column.dtype
    right = series.dtype.name == dtype
    if right and dtype != OBJECT and (column.nullable or dtype in (INTEGER, FLAG)):
        return series
    missing: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(pd.isna(series.array))
    if not column.nullable and missing.any():
        raise _Refused("it is null and may not be")
    if dtype == OBJECT:
        return _cast_to_object(series, missing)
    if right:
        return series
    if missing.all():
        return pd.Series(index=series.index, dtype=dtype)
    kind = series.dtype.kind
    inside = pd.api.types.infer_dtype(series, skipna=True) if kind == "O" else ""
    wanted = pd.api.types.pandas_dtype(dtype).kind
    if kind not in _KINDS[dtype] or (kind == "O" and inside not in _CONTENTS[wanted]):
        raise _Refused("it is of another kind")
    return series.astype(dtype)


def _cast_to_object(series: pd.Series, missing: np.ndarray[Any, np.dtype[np.bool_]]) -> pd.Series:
    """Make text an object column in which null is None."""
    if series.dtype != object:
        if not isinstance(series.dtype, pd.StringDtype) and not missing.all():
            raise _Refused("it is of another kind")
        series = series.astype(object)
    if set(map(type, series.to_numpy()[missing])) <= {type(None)}:
        return series
    return series.where(~missing, None)
