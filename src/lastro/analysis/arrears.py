"""What is late, and which lines of projection leave it out: neither paid today nor forgotten (S26).

Belongs here: which títulos those are, and what of each. Does not belong here: the lines of projection
(`lastro.transform.scenarios`) and how it is said beside them (`lastro.reports.shared.headline`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd

from lastro.transform.lookup import look_up
from lastro.transform.scenarios import ATRASADO, HABITOS, PLANO

if TYPE_CHECKING:
    from lastro.transform.position import Position

PAID, IN_PLAN, OWED = "pago", "em parcelamento", "devo"
"""What the payments desk may answer to the question whether a late payable was paid (S26.4)."""
OUT: Final = (PAID, IN_PLAN)
"""Answers after which a payable is owed no more as it stands; the last one only silences the question."""


class LeftOut(NamedTuple):
    """What a line of projection leaves out of what is late, in centavos (>= 0).

    Attributes:
        pagar: what is to be paid.
        decidido: of it what is decided for another day, which another line counts.
        receber: what is to be received.
        prometido: of it what is promised.
    """

    pagar: int
    decidido: int
    receber: int
    prometido: int


@dataclass(frozen=True)
class Arrears:
    """The late títulos, as of D, and what is known of each (S26).

    Attributes:
        vencidos: grain late título, by titulo_id: tipo, valor_centavos (signed), `decidido` and `esperado` (whether a
            decision, or a habit, lays it on a day) and `prometido`, the centavos of it that promises lay on a day.
    """

    vencidos: pd.DataFrame

    @property
    def a_pagar(self) -> pd.Series:
        """What is to be paid and nobody has decided about: titulo_id -> signed centavos (below zero)."""
        return self._of("P", "decidido")["valor_centavos"]

    @property
    def a_receber(self) -> pd.Series:
        """What is to be received and on no line: titulo_id -> centavos; of a título promised in part the rest."""
        due = self._of("R", "esperado")
        rest = due["valor_centavos"] - due["prometido"]
        return rest[rest != 0]

    @property
    def pagar(self) -> int:
        """The sum to be paid, signed centavos (<= 0)."""
        return int(self.a_pagar.sum())

    @property
    def receber(self) -> int:
        """The sum to be received, centavos (>= 0)."""
        return int(self.a_receber.sum())

    def _of(self, tipo: str, out: str = "") -> pd.DataFrame:
        late = self.vencidos
        return late[(late["tipo"] == tipo) & ~late[out]] if out else late[late["tipo"] == tipo]

    def leave_out(self, line: str) -> LeftOut:
        """Add up what a line of projection leaves out; deciding and promising change that of the plan alone."""
        owed, due = self._of("P"), self._of("R", "esperado" if line == HABITOS else "")
        decided = -int(owed.loc[owed["decidido"], "valor_centavos"].sum())
        pay, receive = -int(owed["valor_centavos"].sum()), int(due["valor_centavos"].sum())
        promised = int(due["prometido"].sum())
        if line == PLANO:
            return LeftOut(pay - decided, 0, receive - promised, 0)
        return LeftOut(0, 0, receive, promised) if line == ATRASADO else LeftOut(pay, decided, receive, promised)


def find_arrears(
    position: Position,
    *,
    decided: Collection[int],
    settled: Collection[int],
    expected: Collection[int],
    promised: Mapping[int, int],
) -> Arrears:
    """Find what is late (S26): open, no transfer, its reference day before D, and what lays it on a day.

    Args:
        position: the position; not mutated.
        decided: payables with a decision in force: they are in the plan.
        settled: títulos that are owed no more as they stand: a bank line proves them paid, or the desk answered so.
        expected: receivables that some habit still lays on a day.
        promised: titulo_id -> centavos that a promise lays on a day.

    Returns:
        The arrears; receivables without what is `fora_resultado`, as in all figures of them, and both sides without
        what bears a day that looks mistyped, until it is corrected (Q43), and without `settled`.
    """
    titulos = position.titulos[["titulo_id", "tipo", "vencido", "suspeito", "fora_resultado", "valor_centavos"]]
    outside = titulos["suspeito"] | ((titulos["tipo"] == "R") & titulos["fora_resultado"])
    late = titulos[titulos["vencido"] & ~outside & ~titulos["titulo_id"].isin([*settled])].sort_values("titulo_id")
    own, given = late["titulo_id"], pd.Series(dict(promised), dtype="int64")
    told = late[["titulo_id", "tipo"]].assign(
        valor_centavos=late["valor_centavos"].astype("int64"),
        decidido=own.isin([*decided]),
        esperado=own.isin([*expected]),
        prometido=look_up(own, given).fillna(0).astype("int64"),
    )
    return Arrears(told.set_index("titulo_id"))
