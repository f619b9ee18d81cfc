"""A recorded run, put together from the tables of the current one: of the large tables only what differs is read (S13).

From one run to the next almost every row stays, and `hist` knows which did not. Belongs here: the two sets of rows that
differ, and putting them together. Does not belong here: which run is asked for, and what the rows mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lastro.schema.frames import FRAMES
from lastro.transform.position import Core
from lastro.warehouse.store import Warehouse

_LARGE = ("linhas", "titulos", "cobrancas", "cobranca_titulos")
"""Tables that grow with the years; the others are read whole."""


def read_earlier_core(warehouse: Warehouse, execucao_id: int, current: Core) -> Core:
    """Read a recorded run as `Warehouse.read_core` does, taking from the current one what both have in common.

    Args:
        warehouse: the private file; its `core` holds the newest run that `hist` has recorded.
        execucao_id: number of the recorded run, before that one.
        current: the tables of `core`, or its position, whose frames have them and more. What a position works out anew
            of the stored columns (S4) is in the rows that both have as the position has it.

    Returns:
        The tables of the recorded run, as a position of it is built from.
    """
    known = {name: _put_together(warehouse, name, int(execucao_id), getattr(current, name)) for name in _LARGE}
    return warehouse.read_core(execucao_id, {name: frame for name, frame in known.items() if frame is not None})


def _put_together(warehouse: Warehouse, name: str, number: int, current: pd.DataFrame) -> pd.DataFrame | None:
    """Put a table of a recorded run together; None where only reading it whole gives it exactly."""
    history, wanted = f"hist.{name}", FRAMES[f"core.{name}"]
    key, held = list(wanted.key), f"valido_de <= {number} AND (valido_ate IS NULL OR valido_ate > {number})"
    now, then = warehouse.query(
        f"SELECT count(*) FILTER (valido_ate IS NULL), count(*) FILTER ({held}) FROM {history}"
    )[0]
    # Versions are told apart by what they hold. Rows of one key, or alike in everything, are not told apart by it.
    if now != len(current) or _repeats(current, key):
        return None
    gone = warehouse.read(f"core.{name}", source=f"(SELECT * FROM {history} WHERE {held} AND valido_ate > {number})")
    came = warehouse.query(f"SELECT {', '.join(key)} FROM {history} WHERE valido_de > {number} AND valido_ate IS NULL")
    if not came and gone.empty:
        return current[list(wanted.names)]
    keys = pd.concat([current[key], gone[key]], ignore_index=True)
    stays = np.arange(len(keys)) >= len(current)
    stays[: len(current)] = ~_bears(current, key, came)
    keys = keys[stays].sort_values(key, kind="stable")
    if len(keys) != then or _repeats(keys, key):
        return None
    # Column after column: of the whole there would be three at once.
    order = keys.index.to_numpy()
    return pd.DataFrame(
        {
            name: pd.concat([current[name], gone[name]], ignore_index=True).take(order).reset_index(drop=True)
            for name in wanted.names
        },
        copy=False,
    )


def _repeats(frame: pd.DataFrame, key: list[str]) -> bool:
    return bool(frame.duplicated(key).any())


def _bears(
    frame: pd.DataFrame, key: list[str], rows: Sequence[tuple[object, ...]]
) -> np.ndarray[Any, np.dtype[np.bool]]:
    """Tell which rows of a frame bear one of the keys."""
    found = frame[key[-1]].isin({row[-1] for row in rows}).to_numpy(copy=True)
    if len(key) > 1:
        found[found] = pd.MultiIndex.from_frame(frame.loc[found, key]).isin(rows)
    return found
