"""What a frame is between two parts: its columns, in order, each with one dtype that no data can change.

`conformed.*` are a run's records, typed; `core.*` the tables of the file without the number of the run; `position.*`
two of those as of a day D, with what follows from D. Whoever hands one on passes it through `shape`. Belongs here:
names, dtypes, meanings. Does not belong here: how a column is worked out (`lastro.transform`).
"""

from __future__ import annotations

import pandas as pd

from lastro.schema.frames.cast import shape_as
from lastro.schema.frames.conformed import CONFORMED, derive_column
from lastro.schema.frames.definition import Frame, FrameColumn
from lastro.schema.frames.position import DERIVED, POSITION
from lastro.schema.frames.stored import STORED, list_stored_columns

__all__ = ["DERIVED", "FRAMES", "Frame", "FrameColumn", "derive_column", "list_stored_columns", "shape"]

FRAMES: dict[str, Frame] = {**CONFORMED, **STORED, **POSITION}


def shape(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Give a frame its declared columns, in order, with their dtypes; a column that is right already is not copied.

    Args:
        name: a frame of `FRAMES`.
        frame: grain and key as declared there; not mutated.

    Returns:
        The same rows and index; the frame itself where nothing was to do.

    Raises:
        ValueError: when a column is missing or unknown, holds what its dtype cannot, or is null and may not be: a
            mistake of the program that made the frame, never of the data.

    >>> pares = pd.DataFrame({"titulo_id": [7], "cobranca_id": pd.array([9], dtype="Int64")})
    >>> shape("core.cobranca_titulos", pares).dtypes.to_dict()
    {'cobranca_id': dtype('int64'), 'titulo_id': dtype('int64')}
    """
    return shape_as(name, FRAMES[name], frame)
