"""Reading frames row by row where a report prints their rows; everything else stays vectorised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd


def records_of(frame: pd.DataFrame, *names: str) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of some columns as tuples of plain Python values (ints, Timestamps, None or NA as they are)."""
    return zip(*(frame[name].tolist() for name in names), strict=True)
