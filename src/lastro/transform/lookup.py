"""Looking values up by key."""

from __future__ import annotations

import pandas as pd


def look_up(keys: pd.Series, values: pd.Series) -> pd.Series:
    """Find a value for each key; `Series.map`, but also right when there is nothing to find (its types stay).

    Args:
        keys: keys, null allowed.
        values: indexed by unique keys.

    Returns:
        Values aligned with `keys`; null where the key is null or unknown. Integers come back nullable (`Int64`): among
        nulls pandas would make them float64, which rounds ids and centavos above 2^53.
    """
    if values.dtype == "int64":
        values = values.astype("Int64")
    found = values.reindex(pd.Index(keys))
    found.index = keys.index
    return found
