"""What the bank's lines say of open títulos, and of money of charges that did not come (S20, F8).

Belongs here: the suggestion beside a line without book, the proof of what Q33 suspects, the announced day held against
lines. Does not belong here: matching (`lastro.bank.matching`): a suggestion is never a match.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from lastro.analysis.frames import records_of
from lastro.bank.matching import RETURNED, count_pairs
from lastro.bank.reconciliation import BankReconciliation, Reconciled, list_items
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankLine, ReadStatement
from lastro.reports.facts import Unpassed
from lastro.transform.charges import RANKS
from lastro.transform.position import as_date

if TYPE_CHECKING:
    import pandas as pd

    from lastro.transform.position import Position

NEAR_DAYS: Final = 30
"""Days that a título may be due before or after the line that suggests it."""
LATEST_DAYS: Final = 60
"""Days after its due date within which the bank may have paid a título that Q33 suspects."""
CONFIRMADA, SEM_DEBITO, PROVAVEL = "confirmada", "sem débito no banco", "provável"


@dataclass(frozen=True)
class BankEvidence:
    """What the bank says of an open título: one of confirmada, sem débito no banco, provável; the day it was paid."""

    prova: str
    dia: date | None = None


def list_unbooked(reconciliation: BankReconciliation) -> list[BankLine]:
    """List the lines without book of every account."""
    return [line for account in reconciliation.contas.values() for line in account.linhas]


def say_returned(
    position: Position, reconciliation: BankReconciliation, suggested: Mapping[int, int]
) -> dict[int, str]:
    """Say of open títulos that money like theirs came and went back, where no line that stayed suggests them."""
    pairs = [pair for account in reconciliation.contas.values() for pair in account.casados.pares]
    back = {pair.linha.extrato_id: pair for pair in pairs if pair.volta.startswith(RETURNED)}
    found = suggest(position, [pair.linha for pair in back.values()])
    return {titulo: back[number].volta for number, titulo in found.items() if titulo not in suggested.values()}


def suggest(position: Position, lines: Iterable[BankLine]) -> dict[int, int]:
    """Suggest for lines without book the open título that each may be, each título once, the earliest lines first.

    A título of the account with the line's value, or one whose charge brings that net amount, due within 30 days of
    the line: the nearest due date, then the lowest id.

    Returns:
        extrato_id -> titulo_id.
    """
    opened = position.titulos[~position.titulos["pago"] & (position.titulos["valor_centavos"] != 0)]
    due: dict[int, tuple[int, date]] = {}
    by_value: dict[tuple[int, int], list[int]] = {}
    for titulo_id, conta, value, day in records_of(
        opened, "titulo_id", "conta_id", "valor_centavos", "data_vencimento"
    ):
        if conta is not None:
            due[titulo_id] = (conta, day.date())
            by_value.setdefault((conta, value), []).append(titulo_id)
    charges = position.cobrancas.loc[position.cobrancas["viva"], ["cobranca_id", "liquido_centavos"]].dropna()
    linked = position.cobranca_titulos.merge(charges, on="cobranca_id")
    for titulo_id, net in records_of(linked, "titulo_id", "liquido_centavos"):
        if titulo_id in due:
            by_value.setdefault((due[titulo_id][0], net), []).append(titulo_id)
    suggested: dict[int, int] = {}
    taken: set[int] = set()
    for line in sorted(lines, key=lambda line: (line.dia, line.conta_id, line.extrato_id)):
        near = [
            (abs((due[titulo_id][1] - line.dia).days), titulo_id)
            for titulo_id in by_value.get((line.conta_id, line.valor), ())
            if titulo_id not in taken and abs((due[titulo_id][1] - line.dia).days) <= NEAR_DAYS
        ]
        if near:
            suggested[line.extrato_id] = min(near)[1]
            taken.add(min(near)[1])
    return suggested


def prove_open(
    position: Position, reconciliation: BankReconciliation, suggested: Mapping[int, int], questioned: frozenset[int]
) -> dict[int, BankEvidence]:
    """Say which payables that Q33 suspects the bank paid or did not, and which títulos its lines suggest.

    Confirmada: a line without book has its value, from 5 days before it was due to 60 after. Sem débito no banco: no
    such line, though its statements cover it from 5 days before it was due to 5 before D. Provável: they do not.

    Returns:
        titulo_id -> what the bank says; of payables whose account has a statement, and of suggested títulos.
    """
    lines = {line.extrato_id: line for account in reconciliation.contas.values() for line in account.linhas}
    proved = {titulo: BankEvidence(CONFIRMADA, lines[extrato_id].dia) for extrato_id, titulo in suggested.items()}
    left: dict[tuple[int, int], list[BankLine]] = {}
    for extrato_id, line in lines.items():
        if extrato_id not in suggested:
            left.setdefault((line.conta_id, line.valor), []).append(line)
    suspects = position.titulos[position.titulos["titulo_id"].isin(questioned - proved.keys())]
    suspects = suspects[suspects["conta_id"].isin(list(reconciliation.contas))]
    for row in suspects.sort_values(["data_vencimento", "titulo_id"]).to_dict("records"):
        account, due = reconciliation.contas[int(row["conta_id"])], row["data_vencimento"].date()
        if not account.blocos:
            continue
        alike = left.get((account.conta_id, int(row["valor_centavos"])), [])
        near = [line for line in alike if _may_be(line, due)]
        if near:
            line = min(
                near, key=lambda candidate: (abs((candidate.dia - due).days), candidate.dia, candidate.extrato_id)
            )
            alike.remove(line)
            proved[int(row["titulo_id"])] = BankEvidence(CONFIRMADA, line.dia)
        else:
            proved[int(row["titulo_id"])] = BankEvidence(_find_evidence(account, due, position.data_base))
    return proved


def _may_be(line: BankLine, due: date) -> bool:
    return due - timedelta(DAYS_APART) <= line.dia <= due + timedelta(LATEST_DAYS)


def _find_evidence(account: Reconciled, due: date, data_base: date) -> str:
    block = account.blocos[-1]
    whole = block.inicio <= due - timedelta(DAYS_APART) and block.fim >= data_base - timedelta(DAYS_APART)
    return SEM_DEBITO if whole else PROVAVEL


def guess_accounts(position: Position, read: Iterable[ReadStatement]) -> dict[str, int]:
    """Guess whose statement it is where no account has its key: the account with most pairs of day and value.

    Returns:
        Key -> conta_id, where any account has a pair at all; of two alike the lower one.
    """
    of_key: dict[str, set[tuple[int, int]]] = {}
    for each in read:
        if each.conta_id is None:
            own = ((line.valor, line.dia.toordinal()) for line in each.linhas if line.valor)
            of_key.setdefault(each.chave, set()).update(own)
    guessed = {}
    accounts = position.contas["conta_id"].dropna().astype(int).tolist() if of_key else []
    paid = {
        conta_id: [(item.valor, item.dia.toordinal()) for item in list_items(position, conta_id)]
        for conta_id in accounts
    }
    for key, lines in of_key.items():
        counts = [(-count_pairs(lines, items), conta_id) for conta_id, items in paid.items()]
        if counts and min(counts)[0]:
            guessed[key] = min(counts)[1]
    return guessed


def are_centavos(lines: Sequence[tuple[int, int]], paid: Sequence[tuple[int, int]]) -> bool | None:
    """Tell whether amounts without a decimal mark are centavos, or whole reais: what most lines meet; None for neither.

    Args:
        lines: amount as whole reais, in centavos, and ordinal of the day of each.
        paid: the same of what the books have as paid from the account; each is met once (`count_pairs`).

    >>> are_centavos([(-3590_00, 9), (7_00, 9), (1_00, 9)], [(-3590, 9), (7, 4)])
    True
    """
    whole, hundredths = (count_pairs([(value // scale, day) for value, day in lines], paid) for scale in (1, 100))
    if whole == hundredths or 2 * max(whole, hundredths) <= len(lines):
        return None
    return hundredths > whole


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
    """Drop what lines without book, or returned, may be: all of the day, what an announced day has, or one charge."""
    near = timedelta(DAYS_APART)
    first = bisect_left(account.linhas, day - near, key=attrgetter("dia"))
    last = bisect_right(account.linhas, day + near, key=attrgetter("dia"))
    returned = [pair.linha for pair in account.casados.pares if pair.volta.startswith(RETURNED)]
    came = [*account.linhas[first:last], *(line for line in returned if abs(line.dia - day) <= near)]
    free = Counter(line.valor for line in came)
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
