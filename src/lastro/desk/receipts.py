"""What was ever received, by payer and by título."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import numpy as np
import pandas as pd

from lastro.analysis.frames import ByKey


def index_receipts(
    recebiveis: pd.DataFrame,
) -> tuple[Mapping[int, tuple[tuple[date, int, int], ...]], Mapping[int, tuple[date, int]]]:
    """Index receivables that were paid; what has no payer has the key 0.

    Returns:
        pessoa_id -> payments: day, centavos and titulo_id, ascending; titulo_id -> day and centavos.
    """
    paid = recebiveis[recebiveis["pago"] & recebiveis["data_pagamento"].notna()]
    ids = paid["titulo_id"].to_numpy()
    people = paid["pessoa_id"].fillna(0).to_numpy("int64")
    days, amounts = paid["data_pagamento"].to_numpy().astype("datetime64[D]"), paid["valor_centavos"].to_numpy()
    by_titulo, by_person = ids.argsort(), np.lexsort((ids, amounts, days, people))
    keys, firsts = np.unique(people[by_person], return_index=True)
    edges = [*firsts.tolist(), len(people)]

    def of_person(place: int) -> tuple[tuple[date, int, int], ...]:
        own = by_person[edges[place] : edges[place + 1]]
        return tuple(zip(days[own].tolist(), amounts[own].tolist(), ids[own].tolist(), strict=True))

    def of_titulo(place: int) -> tuple[date, int]:
        own = by_titulo[place]
        return days[own].item(), int(amounts[own])

    return ByKey(keys, of_person), ByKey(ids[by_titulo], of_titulo)
