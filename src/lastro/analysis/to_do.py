"""What to do today (F1 to F5, F8): the títulos to call about, charge, look for, settle, claim and decide, each once.

Belongs here: which titles, and why each. Does not belong here: what stands behind no título (F6 to F9), and what the
cover and the sheet Fazer say (`lastro.reports.cover.to_do`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.charges import DAYS_AHEAD, find_uncharged
from lastro.money import format_centavos_brl
from lastro.transform.charges import PAID_RANK, RANKS, find_repasses
from lastro.transform.double_entries import REPEATED, find_repeats
from lastro.transform.position import MISTYPED, Position, is_open

if TYPE_CHECKING:
    from lastro.analysis.cash_series import CashSeries
    from lastro.analysis.credit import Credit
    from lastro.transform.scenarios import Outlook

CALL_PCT: Final = 80
"""F1: the customers that make this share of what is overdue."""
MOST_CALLS: Final = 10
CALL, CHARGE, CHECK, SETTLE, DECIDE, TIDY, OPENINGS, CLAIM = "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8"
MOVE = "F9"
UNCHARGED: Final = "sem cobrança: emita antes"
ASKED: Final = "uma posterior já foi paga: esta também foi?"
"""What stands beside a payable that Q33 asks about."""
_FIELDS: Final = [
    "titulo_id", "pessoa_id", "categoria_id", "descricao", "data_vencimento", "valor_centavos", "vencido",
    "dias_de_atraso", "forma_pagamento_id",
]  # fmt: skip


def find_tasks(
    position: Position,
    payments: pd.DataFrame,
    forgotten: Collection[int],
    decided: Collection[int],
    moved: Mapping[int, str],
    changed: Mapping[int, str],
    held: Collection[int],
    returned: Collection[int],
) -> pd.DataFrame:
    """Find every título that something is to be done about today; the first rule that fits takes it.

    What bears a day that looks mistyped (Q43), or is promised whole, is neither called about nor charged. Of payables
    that look entered twice (Q13) the first counts: the others have the value zero, and say what they would cost.

    In this order: F4 (its charge was paid), F3 (probably paid and not settled), F8 (an acquirer did not pass it on), F1
    (call the customer), F6 (find out who the customer is), F2 (charge it), F5 (decide about its payment). What a charge
    was paid for and the bank has announced for later waits, and is in none; so does what the bank announced and did not
    pass on (F8).

    Args:
        payments: result of `find_payments`.
        forgotten: ids of the títulos that Q33 names: a receivable is looked for (F3), a payable decided, with the
            question beside it (F5).
        decided: ids of payables with a decision in force, or owed no more as they stand, of which nothing is left to
            decide, and of receivables that a promise in force covers whole: they wait for its day.
        moved: open títulos that the bank moved, with the words for it: F3 whatever Q33 says (S20).
        changed: payables that are not what was approved, with the words for it: F5 whenever they are due (Q42).
        held: ids of the charges whose money a statement shows the bank not to have passed on (S20).
        returned: open títulos whose money came and went back (S20): nobody settles them, whatever their charge says.

    Returns:
        Grain título: titulo_id, pessoa_id, categoria_id, descricao, data_vencimento, valor_centavos (signed), vencido,
        dias (late), forma_pagamento_id, regra, por_que.
    """
    settle, waiting = (part[~part["titulo_id"].isin([*returned])] for part in find_unsettled(position, held))
    taken = set(waiting["titulo_id"])
    tasks: list[pd.DataFrame] = []
    left = {*payments["titulo_id"]} - {*decided} | {*changed}
    candidates = _list_candidates(position, settle, forgotten, left, moved, changed, decided)
    for rule, titulos, why in candidates:
        new = titulos[~titulos["titulo_id"].isin(taken)]
        if rule == CALL:
            new = new[new["pessoa_id"].isin(choose_calls(new))]
        taken |= set(new["titulo_id"])
        told = new[_FIELDS].assign(regra=rule, por_que=why.reindex(new.index))
        tasks.append(_count_once(position, told) if rule == DECIDE else told)
    return pd.concat(tasks, ignore_index=True)


def _list_candidates(
    position: Position,
    settle: pd.DataFrame,
    forgotten: Collection[int],
    payments: Collection[int],
    moved: Mapping[int, str],
    changed: Mapping[int, str],
    decided: Collection[int],
) -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Give the títulos of each rule and why each is there, in the order in which the rules take them."""
    titulos = position.titulos
    late = titulos["vencido"] & ~titulos["em_carencia"]
    owed = titulos[late & (titulos["tipo"] == "R") & ~titulos["fora_resultado"] & ~titulos["transferencia"]]
    owed = owed[~owed["suspeito"]]
    asked = titulos["titulo_id"].isin([*forgotten])
    unpaid = titulos[(titulos["titulo_id"].isin([*moved]) | (asked & (titulos["tipo"] == "R"))) & ~titulos["pago"]]
    yield SETTLE, settle, _say(settle, "cobrança paga")
    said = (_say_late(unpaid) + ", e uma posterior já foi paga").mask(unpaid["titulo_id"].isin(moved))
    yield CHECK, unpaid, said.fillna(unpaid["titulo_id"].map(moved))
    passed_on = find_repasses(owed, position.parametros)
    late_lots = owed[passed_on]
    yield CLAIM, late_lots, _say(late_lots, "não veio")
    owed = owed[~passed_on & ~owed["titulo_id"].isin([*decided])]
    known = owed[owed["pessoa_id"].notna()]
    yield CALL, known, _say_late(known).mask(known["cobranca_id"].isna(), UNCHARGED)
    nobody = owed[owed["pessoa_id"].isna()]
    yield TIDY, nobody, _say(nobody, "sem cliente")
    uncharged = pd.concat(find_uncharged(position))
    uncharged = uncharged[~uncharged["suspeito"] & ~uncharged["titulo_id"].isin([*decided])]
    yield CHARGE, uncharged, _say(uncharged, "sem cobrança")
    payable = titulos[titulos["titulo_id"].isin([*payments])]
    why = _say_late(payable).where(payable["vencido"], "o saldo projetado do dia não cobre")
    why = why.where(~asked[payable.index], why + ", " + ASKED)
    alike = payable["titulo_id"].isin(position.repetidos)
    why = why.where(~alike, why + ", " + REPEATED)
    why = why.where(~payable["suspeito"], why + ", " + MISTYPED)
    anew = [changed.get(titulo_id, text) for titulo_id, text in zip(payable["titulo_id"], why, strict=True)]
    yield DECIDE, payable, pd.Series(anew, payable.index, dtype=object)


def _count_once(position: Position, payments: pd.DataFrame) -> pd.DataFrame:
    """Leave of payables that look entered twice (Q13) the value of the first; the others say what they would cost."""
    again = find_repeats(payments, payments["titulo_id"].isin(position.repetidos))
    texts = [f" de {format_centavos_brl(-value)}, fora da soma" for value in payments["valor_centavos"].tolist()]
    why = payments["por_que"].where(~again, payments["por_que"] + pd.Series(texts, payments.index, dtype=object))
    return payments.assign(valor_centavos=payments["valor_centavos"].where(~again, 0), por_que=why)


def _say(titulos: pd.DataFrame, text: str) -> pd.Series:
    return pd.Series(text, index=titulos.index, dtype=object)


def _say_late(titulos: pd.DataFrame) -> pd.Series:
    words = [f"vencido há {days} {'dia' if days == 1 else 'dias'}" for days in titulos["dias_de_atraso"]]
    return pd.Series(words, index=titulos.index, dtype=object)


def choose_calls(late: pd.DataFrame) -> list[int]:
    """Choose the customers that owe 80 % of the sum of some títulos, ten at most, the largest first (F1)."""
    sums = late.groupby("pessoa_id")["valor_centavos"].sum()
    order = sorted(zip(sums.index.tolist(), sums.tolist(), strict=True), key=lambda owed: (-owed[1], owed[0]))
    whole, reached = sum(value for _, value in order), 0
    chosen: list[int] = []
    for person, value in order[:MOST_CALLS]:
        if reached * 100 >= whole * CALL_PCT:
            break
        chosen.append(person)
        reached += value
    return chosen


def find_unsettled(position: Position, held: Collection[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find open títulos of live charges that the customer paid (R11 M1).

    Args:
        held: ids of the charges whose money a statement shows the bank not to have passed on (S20).

    Returns:
        Those to settle now (the bank passed the money on, or the day it announced is over), and those to wait for.
    """
    fields = ["cobranca_id", "viva", "rank", "data_a_transferir"]
    links = position.cobranca_titulos.merge(position.cobrancas[fields], on="cobranca_id", validate="m:1")
    links = links[links["viva"] & (links["rank"] >= PAID_RANK)]
    waits = (links["rank"] < RANKS["transferido"]) & (links["data_a_transferir"] >= pd.Timestamp(position.data_base))
    waits |= links["cobranca_id"].isin([*held])
    opened = position.titulos[~position.titulos["pago"]]
    now = set(links.loc[~waits, "titulo_id"])
    later = set(links.loc[waits, "titulo_id"]) - now
    return opened[opened["titulo_id"].isin(now)], opened[opened["titulo_id"].isin(later)]


def find_payments(position: Position, series: CashSeries, line: Outlook, credit: Credit) -> pd.DataFrame:
    """Find payables to decide about: overdue without carência, and those of seven days that are not covered (F5).

    Not covered: on their day the balance of the headline's line is below what `credit` asks for. Where no opening is
    known there is no balance that could cover anything, and what is overdue stands alone (S23).

    Args:
        series: its cash series.
        line: the line of projection of the headline (S26).
        credit: what its balances are asked for (S27).
    """
    titulos = position.titulos
    mine = titulos[is_open(titulos) & (titulos["tipo"] == "P")]
    short = []
    for offset in range(0 if series.provisional else DAYS_AHEAD + 1):
        day = position.data_base + timedelta(days=offset)
        base = series.balance(day)
        if base is not None and base + line.difference_until(day) < credit.floor:
            short.append(pd.Timestamp(day))
    late = mine["vencido"] & ~mine["em_carencia"]
    return mine[late | (~mine["vencido"] & mine["data_projetada"].isin(short))]
