"""Títulos that were probably paid and never settled: open for long, while a later one of their kind is paid (Q33).

Belongs here: which they are, for projections and what is to be done, which must not count them as still to be paid.
Does not belong here: the finding itself, which is a query of its own over the published records (`checks/Q33.sql`).
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from lastro.transform.lookup import look_up

LATE_DAYS: Final = 30
"""A título is looked at when it is late by more days than these."""
MONTHS: Final = 6
"""Of so many months, D's the last, ..."""
USUAL_MONTHS: Final = 3
"""... a payable without a group falls due in at least so many where it is usual."""


def find_forgotten(titulos: pd.DataFrame) -> pd.Series:
    """Find the overdue títulos of which a later one is paid: of their group, else of the same person and category.

    Args:
        titulos: grain título, as of its day `dia`: `tipo`, `transferencia`, `pago`, `vencido`, `dias`, `grupo_id`,
            `pessoa_id`, `categoria_id`, `data_vencimento`. Where days differ, groups and persons are of one day alone.

    Returns:
        Whether each is forgotten. Without a group only payables count, of a kind that fell due in three of the last six
        months.
    """
    late = titulos["vencido"] & (titulos["dias"] > LATE_DAYS).to_numpy(dtype=bool, na_value=False)
    own = ~titulos["transferencia"] & (titulos["tipo"] != "Z")
    alone = find_alone(titulos)
    due, paid = titulos["data_vencimento"], titulos["pago"]
    of_group = due[own & paid].groupby(titulos["grupo_id"]).max()
    kinds = titulos[alone].groupby(["pessoa_id", "categoria_id"], dropna=False)
    kind = kinds.ngroup().astype("Int64")
    month = due[alone].to_numpy().astype("datetime64[M]")
    ends = titulos.loc[alone, "dia"]
    recent = (month > ends.to_numpy().astype("datetime64[M]") - MONTHS) & (due[alone] <= ends).to_numpy()
    months = pd.Series(month, index=kind.index)[recent].groupby(kind).nunique()
    of_kind = due[alone & paid].groupby(kind).max()
    of_kind = of_kind[of_kind.index.isin(months.index[months >= USUAL_MONTHS])]
    later = look_up(titulos.loc[late, "grupo_id"], of_group).fillna(look_up(kind.reindex(titulos.index[late]), of_kind))
    return (later > due[late]).reindex(titulos.index, fill_value=False)


def find_alone(titulos: pd.DataFrame) -> pd.Series:
    """Find the payables that are of no group, and of a kind: a person, or none, and a category."""
    own = ~titulos["transferencia"] & (titulos["tipo"] == "P")
    return own & titulos["grupo_id"].isna() & titulos["categoria_id"].notna()
