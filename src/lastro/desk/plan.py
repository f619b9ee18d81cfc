"""The payments desk with what was decided: lines in order, accounts, days (manual: Pagamentos).

Amounts are signed as in the books.

Belongs here: what each sheet of `pagamentos` shows, as values. Does not belong here: how it is printed
(`lastro.desk.payments`) and stored (`lastro.desk.tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from lastro.desk.decisions import ABERTA, VENCIDA, Decision, Decisions
from lastro.desk.payables import DECIDE_DAYS, Payable, Payables, sort_payables
from lastro.entrada.saldos import UnknownAccount, find_account
from lastro.folding import fold_words
from lastro.grid.model import Table
from lastro.grid.pivot import list_rows
from lastro.money import format_amount, to_centavos, to_decimal
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES

BLOCKS: Final = ("Decisão vencida", "Vencido e hoje", f"Próximos {DECIDE_DAYS} dias")
COVERED, UNKNOWN = "Sim", "sem saldo"
PROBABLE: Final = "provável"


@dataclass(frozen=True)
class NewestStatement:
    """The newest statement of an account: its day, balance and difference to the books, signed centavos."""

    dia: date
    valor: int
    diferenca: int | None


@dataclass(frozen=True)
class Books:
    """What the reports of the run say of balances, in signed centavos.

    Attributes:
        saldos: conta_id -> balance on D; None where it is none (S23); in the order of *Saldos*.
        extratos: conta_id -> its newest statement.
        dias: name of a series ("" as booked) -> day -> closing balance, from D on.
        minimo: `saldo_minimo`.
    """

    saldos: Mapping[int, int | None] = field(default_factory=dict)
    extratos: Mapping[int, NewestStatement] = field(default_factory=dict)
    dias: Mapping[str, Mapping[date, int]] = field(default_factory=dict)
    minimo: int = 0


@dataclass(frozen=True)
class PaymentLine:
    """A row of *Decidir*.

    Attributes:
        bloco: place in `BLOCKS`.
        titulo: what is to be paid.
        decisao: what was decided and no other decision took the place of.
        conta_id: from which it is paid: the account typed, else the título's.
        acumulado: what leaves that account up to this row.
        cabe: whether the account's balance on D covers that.
    """

    bloco: int
    titulo: Payable
    decisao: Decision | None
    conta_id: int | None
    acumulado: int
    cabe: str


@dataclass(frozen=True)
class AccountLine:
    """A row of *Contas*; what is to be paid is negative, `saldo` and `sobra` None where no balance is known."""

    conta_id: int
    nome: str
    saldo: int | None
    extrato: NewestStatement | None
    vencido: int
    proximos: int
    decidido: int
    sobra: int | None


@dataclass(frozen=True)
class DayLine:
    """A row of *Dias*; `saldos` are the closings as booked, conservative, with decisions, with all that was agreed."""

    dia: date
    vence: int
    decidido: int
    saldos: tuple[int | None, int | None, int | None, int | None]
    cobre: str


@dataclass(frozen=True)
class Payments:
    """What the sheets of `pagamentos` show."""

    linhas: tuple[PaymentLine, ...]
    contas: tuple[AccountLine, ...]
    dias: tuple[DayLine, ...]


def read_books(tables: Iterable[Table], variacoes: frozenset[int], minimo: int, *, known: bool) -> Books:
    """Read balances from the tables of R01 and R02.

    Args:
        tables: of every report.
        variacoes: accounts of which no balance is known.
        minimo: `saldo_minimo`, centavos.
        known: whether the balance of all accounts is one: none is a variation.
    """
    named = {table.name: table for table in tables}
    saldos = {
        int(str(number)): None if number in variacoes else _centavos(value)
        for number, value in list_rows(named["saldos_por_conta"], ("conta_id", "saldo_em_d"))
        if number is not None
    }
    newest: dict[int, NewestStatement] = {}
    for number, day, value, difference in list_rows(named["extratos"], ("conta_id", "dia", "extrato", "diferenca")):
        if isinstance(number, int) and isinstance(day, date) and (number not in newest or newest[number].dia < day):
            newest[number] = NewestStatement(day, _centavos(value) or 0, _centavos(difference))
    series: dict[str, dict[date, int]] = {"": {}}
    if known:
        for day, value in list_rows(named["fluxo_diario"], ("dia", "saldo_final")):
            if isinstance(day, date):
                series[""][day] = _centavos(value) or 0
        for name, day, value in list_rows(named["fluxo_diario_cenarios"], ("cenario", "dia", "saldo_final")):
            if isinstance(day, date):
                series.setdefault(str(name), {})[day] = _centavos(value) or 0
    return Books(saldos, newest, series, minimo)


def _centavos(value: object) -> int | None:
    return to_centavos(value) if isinstance(value, Decimal) else None


def find_paying_account(text: str, contas: Mapping[int, str]) -> int | None:
    """Find the account that a person typed: by its name as printed, by its id or by a name that only one has.

    Returns:
        None where it is none of the company's.
    """
    for number, name in contas.items():
        if fold_words(name) == fold_words(text):
            return number
    try:
        return find_account(text.strip(), contas)
    except UnknownAccount:
        return None


def plan_payments(payables: Payables, decisions: Decisions, order: Sequence[str], books: Books) -> Payments:
    """Put the payables in order, and say which of them the accounts cover.

    Args:
        payables: of D.
        decisions: what was decided.
        order: `ordem_pagamentos`.
        books: balances.
    """
    latest, day = decisions.latest(), payables.data_base
    limit = day + timedelta(days=DECIDE_DAYS)
    blocks = {
        one.titulo_id: 0
        if (found := latest.get(one.titulo_id)) and found.estado == VENCIDA
        else 1 + (one.prevista > day)
        for one in payables.titulos
    }
    shown = [one for one in payables.titulos if one.prevista <= limit or not blocks[one.titulo_id]]
    accounts = {one.titulo_id: _choose_account(one, decisions, payables.contas) for one in payables.titulos}
    running: dict[int | None, int] = {}
    lines = []
    for block, one in sort_payables(shown, blocks, order):
        account = accounts[one.titulo_id]
        running[account] = running.get(account, 0) + one.valor
        cabe = _say_covered(books.saldos.get(account) if account is not None else None, running[account])
        lines.append(PaymentLine(block, one, latest.get(one.titulo_id), account, running[account], cabe))
    decided = {one.titulo_id: one for one in latest.values() if one.estado == ABERTA}
    return Payments(
        tuple(lines),
        tuple(_list_accounts(payables, accounts, shown, decided, books)),
        tuple(_list_days(payables, shown, decided, books)),
    )


def _choose_account(one: Payable, decisions: Decisions, contas: Mapping[int, str]) -> int | None:
    text = decisions.celulas.get(one.titulo_id, {}).get("conta", "")
    typed = find_paying_account(text, contas) if text else None
    return one.conta_id if typed is None else typed


def _say_covered(saldo: int | None, leaving: int, minimo: int = 0) -> str:
    if saldo is None:
        return UNKNOWN
    left = saldo + leaving - minimo
    return COVERED if left >= 0 else f"falta {format_amount(to_decimal(-left))}"


def _list_accounts(
    payables: Payables,
    accounts: Mapping[int, int | None],
    shown: Sequence[Payable],
    decided: Mapping[int, Decision],
    books: Books,
) -> list[AccountLine]:
    known = [number for number in books.saldos if number in payables.contas]
    rows = []
    for number in [*known, *sorted(payables.contas.keys() - set(known))]:
        own = [one for one in shown if accounts[one.titulo_id] == number]
        agreed = sum(
            one.valor for one in payables.titulos if accounts[one.titulo_id] == number and one.titulo_id in decided
        )
        saldo = books.saldos.get(number)
        rows.append(
            AccountLine(
                number,
                payables.contas[number],
                saldo,
                books.extratos.get(number),
                sum(one.valor for one in own if one.prevista <= payables.data_base),
                sum(one.valor for one in own if one.prevista > payables.data_base),
                agreed,
                None if saldo is None else saldo + agreed,
            )
        )
    return rows


def _list_days(
    payables: Payables, shown: Sequence[Payable], decided: Mapping[int, Decision], books: Books
) -> list[DayLine]:
    """List D to D + `DECIDE_DAYS`; what is overdue falls due on D."""
    day = payables.data_base
    conservative = books.dias.get(CONSERVADOR, {})
    with_decisions = books.dias.get(DECISOES, conservative)
    series = (books.dias.get("", {}), conservative, with_decisions, books.dias.get(COMBINADO, with_decisions))
    rows = []
    for offset in range(DECIDE_DAYS + 1):
        when = day + timedelta(days=offset)
        saldos = tuple(one.get(when) for one in series)
        rows.append(
            DayLine(
                when,
                sum(one.valor for one in shown if max(one.prevista, day) == when),
                sum(
                    one.valor
                    for one in payables.titulos
                    if one.titulo_id in decided and max(decided[one.titulo_id].dia, day) == when
                ),
                (saldos[0], saldos[1], saldos[2], saldos[3]),
                _say_covered(saldos[3], 0, books.minimo),
            )
        )
    return rows
