"""Títulos that may be booked twice (Q13)."""

from __future__ import annotations

from typing import Final

import pandas as pd

REPEATED: Final = "possível duplicidade"
_ALIKE: Final = ["pessoa_id", "valor_centavos", "data_vencimento"]


def find_double_entries(titulos: pd.DataFrame) -> frozenset[int]:
    """Find the títulos with person, amount and due day of another; those of one group of repetitions are no others.

    Args:
        titulos: grain título: titulo_id, `tipo`, `transferencia`, `grupo_id`, pessoa_id, valor_centavos,
            data_vencimento; not mutated.

    Returns:
        Their ids, whether open or paid.
    """
    counted = ~titulos["transferencia"] & (titulos["tipo"] != "Z") & titulos["pessoa_id"].notna()
    own = titulos.loc[counted, ["titulo_id", "grupo_id", *_ALIKE]]
    own = own[own.duplicated(_ALIKE, keep=False)]
    alike = own.groupby(_ALIKE, dropna=False)["titulo_id"].transform("size")
    of_group = own.groupby([*_ALIKE, "grupo_id"], dropna=False)["titulo_id"].transform("size")
    return frozenset(own.loc[own["grupo_id"].isna() | (of_group < alike), "titulo_id"].tolist())


def find_repeats(titulos: pd.DataFrame, alike: pd.Series) -> pd.Series:
    """Tell which of some títulos repeat an earlier one of them: all but the one of lowest id.

    Args:
        titulos: what is looked at; not mutated.
        alike: which of them look entered twice (`find_double_entries`), aligned.
    """
    ordered = titulos.sort_values("titulo_id")
    return alike & ordered.duplicated(_ALIKE).reindex(titulos.index)
