"""The same linha in two runs (R13, R14): by its id within its composite, whatever the `origem`."""

from __future__ import annotations

import pandas as pd

KEY = ["chave_composto", "linha_id"]
"""Columns that identify a linha over time, once `add_identity` has been there."""


def add_identity(before: pd.DataFrame, now: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the linhas of two runs a key by which they can be matched (R14).

    An item that was nested and became a row is the same linha; an equal id in another composite is a different thing
    (S2). A row that joins or leaves a composite, and is not found there by that rule, keeps its identity: its id is
    its own among rows.

    Args:
        before: grain linha of the earlier run: origem, linha_id, titulo_id, lancamento_composto_id.
        now: the same of the later run.

    Returns:
        Both frames with `chave_composto` (int64): the composite; for an item of a composite without number, minus the
        id of the row that carries it; 0 for a simple row.
    """
    before = before.assign(chave_composto=_composite(before))
    own = _composite(now)
    rows = before.loc[before["origem"] == "lancamento", KEY].drop_duplicates("linha_id").set_index("linha_id")
    # Nullable integers: ids go beyond what a float holds.
    known = rows["chave_composto"].astype("Int64").reindex(now["linha_id"].to_numpy()).set_axis(now.index)
    wanted = known.where(now["origem"] == "lancamento").fillna(own).astype("int64")
    moved = (wanted != own).to_numpy()
    if moved.any():
        own_keys = pd.MultiIndex.from_arrays([own, now["linha_id"]])
        # Within the composite first: there a nested item of equal id is the same linha, a simple row is not.
        moved = moved & ~own_keys.isin(pd.MultiIndex.from_frame(before[KEY]))
        # And a row cannot take the old place of another that is still there.
        moved = moved & ~pd.MultiIndex.from_arrays([wanted, now["linha_id"]]).isin(own_keys[~moved])
    return before, now.assign(chave_composto=own.mask(moved, wanted))


def _composite(linhas: pd.DataFrame) -> pd.Series:
    carrier = (-linhas["titulo_id"]).where(linhas["origem"] == "item", 0)
    return linhas["lancamento_composto_id"].fillna(carrier).astype("int64")
