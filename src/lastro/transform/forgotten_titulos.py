"""Títulos that may have been paid and never settled: open for long, while a later one of their series is paid (Q33).

Belongs here: which they are. A receivable counts in no projection then; of a payable it is asked, and no figure changes
(S26). Does not belong here: the finding itself, which is a query of its own over the published records
(`checks/Q33.sql`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.transform.lookup import look_up
from lastro.transform.taxes import find_taxes

if TYPE_CHECKING:
    from lastro.transform.position import Position

LATE_DAYS: Final = 30
"""A título is looked at when it is late by more days than these."""
MONTHS: Final = 6
"""Months looked at, D's the last, ..."""
USUAL_MONTHS: Final = 3
"""... and in how many of them a payable without a group must fall due to count as usual."""


def find_forgotten(titulos: pd.DataFrame) -> pd.Series:
    """Find the overdue receivables of which a later one of their group is paid.

    Args:
        titulos: grain título: `tipo`, `transferencia`, `pago`, `vencido`, `dias`, `grupo_id`, `data_vencimento`. Where
            days differ, groups are of one day alone.

    Returns:
        Whether each is forgotten.
    """
    late = _find_late(titulos) & (titulos["tipo"] == "R")
    later = look_up(titulos.loc[late, "grupo_id"], _find_last_paid(titulos))
    return (later > titulos.loc[late, "data_vencimento"]).reindex(titulos.index, fill_value=False)


def list_forgotten(titulos: pd.DataFrame) -> frozenset[int]:
    """List the ids of the títulos of a position that `find_forgotten` finds."""
    return frozenset(titulos.loc[find_forgotten(titulos), "titulo_id"].tolist())


def find_questioned(position: Position) -> frozenset[int]:
    """Find the overdue payables that Q33 asks about: were they paid (S26.4)?

    The only late month of a series whose later month is paid. A series is a group, else a person and category that fell
    due in three of the last six months. Taxes (R21) are never asked about, nor is a person to whom two or more are
    late: such a company does not pay, rather than forget to say that it did.
    """
    titulos = position.titulos[~position.titulos["transferencia"] & (position.titulos["tipo"] == "P")]
    late, due, month = titulos[titulos["vencido"]], titulos["data_vencimento"], pd.Timestamp(position.data_base)
    alone = titulos[titulos["grupo_id"].isna() & titulos["categoria_id"].notna()]
    kind = alone.groupby(["pessoa_id", "categoria_id"], dropna=False).ngroup().astype("Int64")
    months = due.to_numpy().astype("datetime64[M]")
    recent = pd.Series(months > month.to_numpy().astype("datetime64[M]") - MONTHS, due.index) & (due <= month)
    of_month = pd.DataFrame({"kind": kind, "month": pd.Series(months, due.index)}).dropna()
    usual = of_month[recent[of_month.index]].groupby("kind")["month"].nunique()
    of_kind = due[alone.index][alone["pago"]].groupby(kind).max()
    of_kind = of_kind[of_kind.index.isin(usual.index[usual >= USUAL_MONTHS])]
    own_kind = kind.reindex(late.index)
    later = look_up(late["grupo_id"], _find_last_paid(titulos)).fillna(look_up(own_kind, of_kind))
    late_months = pd.Series(months, due.index)[late.index]
    one = [look_up(keys, late_months.groupby(keys).nunique()).fillna(0) <= 1 for keys in (late["grupo_id"], own_kind)]
    single = look_up(late["pessoa_id"], late.groupby("pessoa_id").size()).fillna(1) == 1
    found = late[(later > late["data_vencimento"]) & _find_late(late) & one[0] & one[1] & single]
    return frozenset(found["titulo_id"].tolist()) - find_taxes(position, found["titulo_id"])


def _find_late(titulos: pd.DataFrame) -> pd.Series:
    return titulos["vencido"] & (titulos["dias_de_atraso"] > LATE_DAYS).to_numpy(dtype=bool, na_value=False)


def _find_last_paid(titulos: pd.DataFrame) -> pd.Series:
    """Find the last due day of each group of which something is paid."""
    paid = titulos[~titulos["transferencia"] & titulos["pago"] & (titulos["tipo"] != "Z")]
    return paid.groupby("grupo_id")["data_vencimento"].max()
