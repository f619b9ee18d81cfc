"""What to do today (F1 to F6): who to call, what to charge, settle, decide and tidy up, each with its amount.

Belongs here: which titles and how much. Does not belong here: what the cover prints (`lastro.reports.shared.to_do`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.charges import find_uncharged
from lastro.transform.charges import PAID_RANK, RANKS
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.analysis.cash_series import CashSeries
    from lastro.transform.scenarios import Outlook

CALL_PCT: Final = 80
"""F1: the customers that make this share of what is overdue."""
MOST_CALLS: Final = 10
DAYS_AHEAD: Final = 7


@dataclass(frozen=True)
class Calls:
    """F1: whom to call.

    Attributes:
        pessoas: persons, the one that owes most first; None is nobody.
        centavos: what they owe, overdue and not em carência.
        total_centavos: what all owe.
    """

    pessoas: tuple[int | None, ...]
    centavos: int
    total_centavos: int


def find_calls(position: Position) -> Calls:
    """Find the customers that make 80 % of what is overdue without carência, ten at most (F1)."""
    titulos = position.titulos
    late = titulos[titulos["vencido"] & ~titulos["em_carencia"] & (titulos["tipo"] == "R") & ~titulos["fora_resultado"]]
    sums = late.groupby("pessoa_id", dropna=False)["valor_centavos"].sum()
    owed = [(None if pd.isna(key) else int(key), int(value)) for key, value in sums.items()]  # type: ignore[call-overload]
    order = sorted(owed, key=lambda one: (-one[1], one[0] is None, one[0] or 0))
    whole, reached = sum(value for _, value in order), 0
    chosen: list[int | None] = []
    for person, value in order[:MOST_CALLS]:
        if reached * 100 >= whole * CALL_PCT:
            break
        chosen.append(person)
        reached += value
    return Calls(tuple(chosen), reached, whole)


def find_to_charge(position: Position) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find receivables without a live charge, overdue and due within seven days (F2)."""
    return find_uncharged(position, DAYS_AHEAD)


def find_unsettled(position: Position) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find open títulos of live charges that the customer paid (R11 M1).

    Returns:
        Those to settle now (the bank passed the money on, or the day it announced is over), and those to wait for.
    """
    fields = ["cobranca_id", "viva", "rank", "data_a_transferir"]
    links = position.cobranca_titulos.merge(position.cobrancas[fields], on="cobranca_id", validate="m:1")
    links = links[links["viva"] & (links["rank"] >= PAID_RANK)]
    waits = (links["rank"] < RANKS["transferido"]) & (links["data_a_transferir"] >= pd.Timestamp(position.data_base))
    opened = position.titulos[~position.titulos["pago"]]
    now = set(links.loc[~waits, "titulo_id"])
    later = set(links.loc[waits, "titulo_id"]) - now
    return opened[opened["titulo_id"].isin(now)], opened[opened["titulo_id"].isin(later)]


def find_payments(position: Position, series: CashSeries, outlooks: Sequence[Outlook]) -> pd.DataFrame:
    """Find payables to decide about: overdue without carência, and those of seven days that are not covered (F5).

    Not covered: on their day the balance of the worst projection is below `saldo_minimo`.
    """
    titulos = position.titulos
    mine = titulos[~titulos["pago"] & ~titulos["transferencia"] & (titulos["tipo"] == "P")]
    minimum = int(position.parametros.saldo_minimo.scaleb(2))
    short = []
    for offset in range(DAYS_AHEAD + 1):
        day = position.data_base + timedelta(days=offset)
        base = series.balance(day)
        if base is not None and base + min([0, *(one.difference_until(day) for one in outlooks)]) < minimum:
            short.append(pd.Timestamp(day))
    late = mine["vencido"] & ~mine["em_carencia"]
    return mine[late | (~mine["vencido"] & mine["data_projetada"].isin(short))]
