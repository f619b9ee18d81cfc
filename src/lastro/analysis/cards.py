"""What acquirers owe and passed on: charges paid by card, and títulos that are settled in lots (S12, R11).

Does not belong here: which títulos those are (`lastro.transform.charges.find_repasses`), and how they are laid out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.frames import records_of

if TYPE_CHECKING:
    from lastro.transform.position import Position


def find_acquirers(position: Position, titulos: pd.DataFrame) -> pd.Series:
    """Find who passes on the money of each título: the person that the settings name, else minus the payment method."""
    people = {*position.parametros.pessoas_sem_cobranca}
    pairs = records_of(titulos, "pessoa_id", "forma_pagamento_id")
    return pd.Series([one if one in people else -forma for one, forma in pairs], titulos.index, dtype="int64")


def name_acquirer(position: Position, acquirer: int) -> str:
    """Name one that `find_acquirers` found."""
    labels = position.rotulos
    return labels.pessoa(acquirer) if acquirer > 0 else labels.forma(-acquirer)
