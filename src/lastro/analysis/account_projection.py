"""What each account is projected to hold at the bank, and what could be moved between accounts.

Amounts are signed int64 centavos.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.settings import Conta
from lastro.settings.bank_keys import SEM_BANCO
from lastro.transform.position import Position
from lastro.transform.scenarios import Decided

DECIDE_DAYS: Final = 15
"""So far ahead payments are decided, and transfers proposed."""
LEAST_SHARE: Final = 10
"""A transfer covers its day, or at least one such part of the gap."""


def find_coming(position: Position) -> pd.DataFrame:
    """Find what the books have on D and the bank has not yet (S23): grain título, as `Position.em_transito`."""
    transit, day = position.em_transito, pd.Timestamp(position.data_base)
    return transit[(transit["data_pagamento"] <= day) & (transit["chegada"] > day)]


def add_moves(
    saldos: Mapping[int, Sequence[int]], day: date, moves: Iterable[tuple[int | None, date | None, int]]
) -> dict[int, list[int]]:
    """Add moves to the balance at the end of each day from D on.

    Args:
        saldos: conta_id -> balance at the end of each day.
        day: D, the first one.
        moves: account, day and what comes; of another account, of no day or after the last one it changes nothing.
    """
    moved = {conta_id: [0] * len(series) for conta_id, series in saldos.items()}
    for conta_id, when, value in moves:
        if conta_id in moved and when and (when - day).days < len(moved[conta_id]):
            moved[conta_id][(when - day).days] += value
    return {
        conta_id: [saldo + change for saldo, change in zip(series, accumulate(moved[conta_id]), strict=True)]
        for conta_id, series in saldos.items()
    }


def project_accounts(position: Position, contas: Sequence[int]) -> dict[int, list[int]]:
    """Project every account by itself: what is booked falls due (S4), what is in transit arrives (S23).

    Returns:
        conta_id -> for each day from D to the last one of R02 how far the bank's balance is from the books' on D.
    """
    day, last = pd.Timestamp(position.data_base), pd.Timestamp(position.ultimo_dia)
    linhas, coming = position.linhas, find_coming(position)
    due = linhas[~linhas["pago"] & (linhas["data_projetada"] <= last)]
    moves = (
        *records_of(due, "conta_id", "data_projetada", "valor_centavos"),
        *((conta_id, day, -value) for conta_id, value in records_of(coming, "conta_id", "valor_centavos")),
        *records_of(coming, "conta_id", "chegada", "valor_centavos"),
    )
    return add_moves({conta_id: [0] * ((last - day).days + 1) for conta_id in contas}, day, moves)


def plan_accounts(
    position: Position, saldos: Mapping[int, int], decided: Iterable[Decided], paying: Mapping[int, int]
) -> dict[int, list[int]]:
    """Project the balance of every account; the decision about a payable replaces its due day and account.

    Args:
        saldos: conta_id -> its balance on D.
        decided: payables that leave on a day decided.
        paying: payables that an account pays which is not theirs.

    Returns:
        conta_id -> its balance at the end of each day from D to the last one of R02.
    """
    as_booked = project_accounts(position, [*saldos])
    booked = {conta_id: [saldo + change for change in as_booked[conta_id]] for conta_id, saldo in saldos.items()}
    days = {one.titulo_id: one.dia for one in decided}
    titulos = position.titulos[position.titulos["titulo_id"].isin([*days, *paying])]
    moves: list[tuple[int | None, date | None, int]] = []
    for titulo_id, conta_id, due, valor in records_of(
        titulos, "titulo_id", "conta_id", "data_projetada", "valor_centavos"
    ):
        projected = None if due is None else due.date()
        moves += (
            (conta_id, projected, -valor),
            (paying.get(titulo_id, conta_id), days.get(titulo_id, projected), valor),
        )
    return add_moves(booked, position.data_base, moves)


def find_tills(contas: Iterable[Conta]) -> frozenset[int]:
    """Find the accounts that have no bank by the settings (`extrato = ["nenhum"]`)."""
    return frozenset(one.conta_id for one in contas if SEM_BANCO in one.extrato)


def propose_transfers(
    saldos: Mapping[int, Sequence[int]], day: date, tills: Collection[int]
) -> list[tuple[date, int, int, int]]:
    """Propose what covers an account's first day below zero from another that can spare it on that day and after it.

    What covers neither the day nor a tenth of the deepest gap cures nothing, and is not proposed.

    Args:
        saldos: conta_id -> its balance at the end of each day from D on.
        day: D.
        tills: accounts without a bank (`find_tills`): nothing is taken out of them.

    Returns:
        Day, from, to, centavos: from the one that can spare most, no more than that.
    """
    left = {conta_id: list(series) for conta_id, series in saldos.items()}
    proposals = []
    for conta_id, series in left.items():
        place = next((place for place, saldo in enumerate(series) if saldo < 0), None)
        if place is None:
            continue
        spare, giver = max(
            ((min(other[place:]), -other_id) for other_id, other in left.items() if other_id not in tills),
            default=(0, 0),
        )
        amount = min(spare, -series[place])
        if amount > 0 and (amount == -series[place] or amount * LEAST_SHARE >= -min(series)):
            left[-giver][place:] = [saldo - amount for saldo in left[-giver][place:]]
            proposals.append((day + timedelta(days=place), -giver, conta_id, amount))
    return proposals
