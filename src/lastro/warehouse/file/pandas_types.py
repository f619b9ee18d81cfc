"""What DuckDB hands to pandas as the frames have it: texts, lists of ids and exact percentages are Python's own."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import numpy as np
import pandas as pd

from lastro.schema.dictionary import MONEY, ColumnDef


def turn_into_objects(frame: pd.DataFrame, columns: Iterable[ColumnDef], texts: dict[object, object]) -> pd.DataFrame:
    """Turn values that DuckDB hands to pandas into lists of ids, exact percentages and texts, equal ones one object."""
    texts[np.nan] = None  # what pandas has for a text that is null
    for column in columns:
        if column.type == "VARCHAR":
            given = frame[column.name].to_numpy(dtype=object)
            shared = map(texts.setdefault, given, given)
            frame[column.name] = pd.Series(np.fromiter(shared, dtype=object, count=len(given)), dtype=object)
        elif column.type == "BIGINT[]":
            frame[column.name] = list_ids(frame[column.name])
        elif column.type.startswith("DECIMAL") and column.type != MONEY:
            frame[column.name] = read_exactly(frame[column.name])
    return frame


def list_ids(column: pd.Series) -> pd.Series:
    """Make lists of ids of what DuckDB hands over; nulls are empty ones, all the same object."""
    none: list[int] = []
    lists = [ids.tolist() if isinstance(ids, np.ndarray) else none for ids in column.to_numpy()]
    return pd.Series(lists, index=column.index, dtype=object)


def read_exactly(column: pd.Series) -> pd.Series:
    """Make Decimals of texts, equal ones one object; null is None."""
    texts = column.to_numpy(dtype=object)
    known = {text: None if pd.isna(text) else Decimal(text) for text in set(texts)}
    return pd.Series([known[text] for text in texts], index=column.index, dtype=object)
