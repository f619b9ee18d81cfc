"""What is late and stands in no line of projection: neither paid today nor forgotten (S26).

Belongs here: which títulos those are, and what of each. Does not belong here: the lines of projection
(`lastro.transform.scenarios`) and how it is said beside them (`lastro.reports.shared.headline`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.transform.lookup import look_up

if TYPE_CHECKING:
    from lastro.transform.position import Position

PAID, IN_PLAN, OWED = "pago", "em parcelamento", "devo"
"""What the payments desk may answer to the question whether a late payable was paid (S26.4)."""
OUT: Final = (PAID, IN_PLAN)
"""Answers after which a payable is owed no more as it stands; the last one only silences the question."""


@dataclass(frozen=True)
class Arrears:
    """The late títulos that no line of projection holds, as of D (S26).

    Attributes:
        a_pagar: titulo_id -> signed centavos (below zero) of what is to be paid and nobody has decided about.
        a_receber: titulo_id -> centavos of what is to be received and neither promised nor expected by habit; of a
            título promised in part the rest.
    """

    a_pagar: pd.Series
    a_receber: pd.Series

    @property
    def pagar(self) -> int:
        """The sum to be paid, signed centavos (<= 0)."""
        return int(self.a_pagar.sum())

    @property
    def receber(self) -> int:
        """The sum to be received, centavos (>= 0)."""
        return int(self.a_receber.sum())


def find_arrears(
    position: Position,
    *,
    decided: Collection[int],
    settled: Collection[int],
    expected: Collection[int],
    promised: Mapping[int, int],
) -> Arrears:
    """Find what is late and in no line of projection (S26): open, no transfer, its reference day before D.

    Args:
        position: the position; not mutated.
        decided: payables with a decision in force: they are in the plan.
        settled: títulos that are owed no more as they stand: a bank line proves them paid, or the desk answered so.
        expected: receivables that some habit still lays on a day.
        promised: titulo_id -> centavos that a promise lays on a day.

    Returns:
        The arrears, each side by id; receivables without what is `fora_resultado`, as in all figures of them, and both
        without what bears a day that looks mistyped, until it is corrected (Q43).
    """
    titulos = position.titulos[["titulo_id", "tipo", "vencido", "suspeito", "fora_resultado", "valor_centavos"]]
    late = titulos[titulos["vencido"] & ~titulos["suspeito"] & ~titulos["titulo_id"].isin([*settled])].sort_values(
        "titulo_id"
    )
    owed = late[(late["tipo"] == "P") & ~late["titulo_id"].isin([*decided])]
    due = late[(late["tipo"] == "R") & ~late["fora_resultado"] & ~late["titulo_id"].isin([*expected])]
    given = pd.Series(dict(promised), dtype="int64")
    rest = due["valor_centavos"] - look_up(due["titulo_id"], given).fillna(0).astype("int64")
    due = due.assign(valor_centavos=rest)[rest != 0]
    a_pagar, a_receber = (part.set_index("titulo_id")["valor_centavos"].astype("int64") for part in (owed, due))
    return Arrears(a_pagar, a_receber)
