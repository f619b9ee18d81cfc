"""Which money of charges the bank should have passed on by a day that its statement covers, and did not (S20, F8).

Belongs here: the announced day held against lines. Does not belong here: matching paid títulos with lines
(`lastro.bank.matching`), and what is asked of a person (`lastro.reports.cover.to_do`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING

from lastro.analysis.frames import records_of
from lastro.bank.reconciliation import BankReconciliation, Reconciled
from lastro.bank.returns import DAYS_APART
from lastro.reports.facts import Unpassed
from lastro.transform.charges import RANKS
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from datetime import date

    import pandas as pd

    from lastro.transform.position import Position


def find_unpassed(position: Position, reconciliation: BankReconciliation) -> list[Unpassed]:
    """Find what customers paid and the bank announced to pass on by a day of the block, without a line for it.

    A line within 5 days is what all charges of its day come to, net or gross, or one charge does; what is matched
    already came. A day without banks counts as the next one with.

    Returns:
        One for an account and announced day, by both.
    """
    charges = position.cobrancas[position.cobrancas["viva"] & position.cobrancas["paga"]]
    charges = charges[charges["conta_id"].notna() & charges["data_a_transferir"].notna()]
    charges = charges[charges["liquido_centavos"].notna() & (charges["liquido_centavos"] != 0)]
    due = [position.calendario.next_business_day(day.date()) for day in charges["data_a_transferir"]]
    charges, links = charges.assign(dia=due), position.cobranca_titulos
    found = []
    for conta_id, day in sorted({(int(conta), day) for conta, day in records_of(charges, "conta_id", "dia")}):
        own = charges[(charges["conta_id"] == conta_id) & (charges["dia"] == day)]
        account = reconciliation.contas.get(conta_id)
        if account is None or not account.blocos or not account.blocos[-1].inicio <= day <= account.blocos[-1].fim:
            continue
        matched = {item.titulo_id for pair in account.casados.pares for item in pair.titulos}
        come = set(links.loc[links["titulo_id"].isin(matched), "cobranca_id"])
        left = own[~own["cobranca_id"].isin(come) & (own["rank"] < RANKS["transferido"])]
        left = _drop_arrived(left, [own[~own["cobranca_id"].isin(come)], own], account, day)
        found += list(_group_announced(left, account))
    return sorted(found, key=lambda each: (each.conta_id, each.dia))


def _drop_arrived(left: pd.DataFrame, wholes: list[pd.DataFrame], account: Reconciled, day: date) -> pd.DataFrame:
    """Drop what lines without book may be: all of the day together, what an announced day has, or one charge."""
    near = timedelta(DAYS_APART)
    first = bisect_left(account.linhas, day - near, key=attrgetter("dia"))
    last = bisect_right(account.linhas, day + near, key=attrgetter("dia"))
    free = Counter(line.valor for line in account.linhas[first:last])
    parts = [
        left,
        *(part for _, part in left.groupby("data_a_transferir")),
        *(part for _, part in left.groupby("cobranca_id")),
    ]
    for part in (*wholes, *parts):
        here = left["cobranca_id"].isin(part["cobranca_id"])
        for amount in ("liquido_centavos", "valor_pago_centavos"):
            total = int(part[amount].sum())
            if here.any() and free[total] > 0:
                free[total] -= 1
                left = left[~here]
                break
    return left


def _group_announced(left: pd.DataFrame, account: Reconciled) -> Iterator[Unpassed]:
    for day, own in left.groupby("data_a_transferir"):
        numbers, announced = tuple(sorted(own["cobranca_id"].tolist())), as_date(day)
        if announced is not None:
            until, net = account.blocos[-1].fim, int(own["liquido_centavos"].sum())
            yield Unpassed(account.conta_id, announced, until, net, numbers)
