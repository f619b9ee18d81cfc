"""What to do today (F1 to F6): who to call, what to charge, settle, decide and tidy up, each with its amount.

Belongs here: which titles and how much. Does not belong here: what the cover prints (`lastro.reports.to_do`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.charges import find_uncharged
from lastro.calendar import add_months, month_start
from lastro.transform.charges import PAID_RANK, RANKS
from lastro.transform.position import Position, once

if TYPE_CHECKING:
    from lastro.analysis.cash_series import CashSeries
    from lastro.transform.scenarios import Projection

CALL_PCT: Final = 80
"""F1: the customers that make this share of what is overdue."""
MOST_CALLS: Final = 10
DAYS_AHEAD: Final = 7
FORGOTTEN_DAYS: Final = 30
"""Q33: open longer than this past its due date."""
WINDOW_MONTHS, USUAL_MONTHS = 6, 3
"""Q33 without a group: the same person and category in so many of the last months."""


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


@once
def find_forgotten(position: Position) -> pd.DataFrame:
    """Find títulos that look settled but for the entry (Q33, F3).

    Open more than 30 days past their due date while a later one of the same repetition group is paid; without a group
    payables only, of a person and category that fell due in at least three of the last six months (D's month
    included), a later one paid.
    """
    key = ["pessoa_id", "categoria_id"]
    titulos = position.titulos[
        ["titulo_id", "grupo_id", "data_vencimento", "tipo", "transferencia", "pago", "vencido", "dias", *key]
    ]
    kept = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    late = kept[~kept["pago"] & kept["vencido"] & (kept["dias"] > FORGOTTEN_DAYS).fillna(value=False).astype(bool)]
    settled = kept.loc[kept["pago"] & kept["grupo_id"].notna(), ["grupo_id", "data_vencimento"]]
    last_paid = settled.groupby("grupo_id", as_index=False).max().rename(columns={"data_vencimento": "paga"})
    grouped = late[["titulo_id", "grupo_id", "data_vencimento"]].merge(last_paid, on="grupo_id")
    found = set(grouped.loc[grouped["paga"] > grouped["data_vencimento"], "titulo_id"])
    payables = kept[(kept["tipo"] == "P") & kept["grupo_id"].isna() & kept["categoria_id"].notna()]
    since = pd.Timestamp(add_months(month_start(position.data_base), 1 - WINDOW_MONTHS))
    recent = payables[
        (payables["data_vencimento"] >= since) & (payables["data_vencimento"] <= pd.Timestamp(position.data_base))
    ]
    recent = recent.assign(mes=recent["data_vencimento"].dt.to_period("M"))
    usual = recent.groupby(key, dropna=False)["mes"].nunique().rename("meses").reset_index()
    usual = usual[usual["meses"] >= USUAL_MONTHS]
    paid = payables[payables["pago"]].groupby(key, dropna=False)["data_vencimento"].max().rename("paga").reset_index()
    alike = late.loc[late["grupo_id"].isna() & (late["tipo"] == "P"), ["titulo_id", "data_vencimento", *key]]
    alike = alike.merge(usual, on=key).merge(paid, on=key)
    found |= set(alike.loc[alike["paga"] > alike["data_vencimento"], "titulo_id"])
    return position.titulos[titulos["titulo_id"].isin(found)]


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


def find_payments(position: Position, series: CashSeries, outlooks: Sequence[Projection]) -> pd.DataFrame:
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
