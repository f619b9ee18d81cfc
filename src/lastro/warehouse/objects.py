"""What DuckDB hands to pandas as the frames have it: texts, lists of ids and exact percentages are Python's own."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import numpy as np
import pandas as pd

from lastro.schema.columns import MONEY, ColumnDef


def turn_into_objects(frame: pd.DataFrame, columns: Iterable[ColumnDef], texts: dict[object, object]) -> pd.DataFrame:
    """Make lists of ids, exact percentages and texts, equal ones one object, of what DuckDB hands to pandas."""
    texts[np.nan] = None  # what pandas has for a text that is null
    for column in columns:
        if column.type == "VARCHAR":
            given = frame[column.name].to_numpy(dtype=object)
            shared = map(texts.setdefault, given, given)
            frame[column.name] = pd.Series(np.fromiter(shared, dtype=object, count=len(given)), dtype=object)
        elif column.type == "BIGINT[]":
            none: list[int] = []
            found = [[int(step) for step in ids] if hasattr(ids, "__len__") else none for ids in frame[column.name]]
            frame[column.name] = pd.Series(found, dtype=object)
        elif column.type.startswith("DECIMAL") and column.type != MONEY:
            exact = [None if pd.isna(text) else Decimal(text) for text in frame[column.name]]
            frame[column.name] = pd.Series(exact, dtype=object)
    return frame
