"""Títulos that were probably paid and never settled: open for long, while a later one of their kind is paid (Q33).

Belongs here: which they are, for projections and what is to be done, which must not count them as still to be paid.
Does not belong here: the finding itself, which is a query of its own over the published records (`checks/Q33.sql`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import pandas as pd

from lastro.calendar import add_months, month_start

LATE_DAYS: Final = 30
"""A título is looked at when it is late by more days than these."""
MONTHS: Final = 6
"""Of so many months, D's the last, ..."""
USUAL_MONTHS: Final = 3
"""... a payable without a group falls due in at least so many where it is usual."""


def find_forgotten(titulos: pd.DataFrame, data_base: date) -> frozenset[int]:
    """Find the overdue títulos of which a later one is paid: of their group, else of the same person and category.

    Args:
        titulos: grain título, as of D: `titulo_id`, `tipo`, `transferencia`, `pago`, `vencido`, `dias`, `grupo_id`,
            `pessoa_id`, `categoria_id`, `data_vencimento`.
        data_base: D.

    Returns:
        Their ids. Without a group only payables count, of a kind that fell due in three of the last six months.
    """
    late = titulos[titulos["vencido"] & (titulos["dias"] > LATE_DAYS)]
    own = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    of_group = own[own["pago"]].groupby("grupo_id")["data_vencimento"].max()
    kind = ["pessoa_id", "categoria_id"]
    alone = own[(own["tipo"] == "P") & own["grupo_id"].isna() & own["categoria_id"].notna()]
    first = pd.Timestamp(add_months(month_start(data_base), 1 - MONTHS))
    recent = alone[alone["data_vencimento"].between(first, pd.Timestamp(data_base))]
    months = recent.assign(mes=recent["data_vencimento"].dt.to_period("M")).groupby(kind, dropna=False)["mes"].nunique()
    usual = months[months >= USUAL_MONTHS].reset_index()[kind]
    of_kind = alone[alone["pago"]].merge(usual, on=kind).groupby(kind, dropna=False)["data_vencimento"].max()
    last = late.merge(of_group.rename("do_grupo"), left_on="grupo_id", right_index=True, how="left")
    last = last.merge(of_kind.rename("do_tipo").reset_index(), on=kind, how="left")
    counts = (last["tipo"] == "P") & last["grupo_id"].isna()
    later = last["do_grupo"].fillna(last["do_tipo"].where(counts))
    return frozenset(last.loc[later > last["data_vencimento"], "titulo_id"].tolist())
