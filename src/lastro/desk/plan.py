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
from lastro.desk.payables import DECIDE_DAYS, PAYROLL, PAYROLL_DAYS, Payable, Payables, sort_payables
from lastro.entrada.saldos import UnknownAccount, find_account
from lastro.folding import fold_words
from lastro.grid.pivot import list_rows
from lastro.grid.tables import Table
from lastro.money import format_amount, to_centavos, to_decimal
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES

BLOCKS: Final = ("Decisão vencida", f"Folha até {PAYROLL_DAYS} dias", "Vencido e hoje", f"Próximos {DECIDE_DAYS} dias")
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
        int(str(conta_id)): None if conta_id in variacoes else _centavos(value)
        for conta_id, value in list_rows(named["saldos_por_conta"], ("conta_id", "saldo_em_d"))
        if conta_id is not None
    }
    newest: dict[int, NewestStatement] = {}
    for conta_id, day, value, difference in list_rows(named["extratos"], ("conta_id", "dia", "extrato", "diferenca")):
        if (
            isinstance(conta_id, int)
            and isinstance(day, date)
            and (conta_id not in newest or newest[conta_id].dia < day)
        ):
            newest[conta_id] = NewestStatement(day, _centavos(value) or 0, _centavos(difference))
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
    for conta_id, name in contas.items():
        if fold_words(name) == fold_words(text):
            return conta_id
    try:
        return find_account(text.strip(), contas)
    except UnknownAccount:
        return None


def plan_payments(payables: Payables, decisions: Decisions, order: tuple[str, ...], books: Books) -> Payments:
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
        payable.titulo_id: _choose_block(payable, latest.get(payable.titulo_id), order, day)
        for payable in payables.titulos
    }
    shown = [payable for payable in payables.titulos if payable.leaves(day) <= limit or not blocks[payable.titulo_id]]
    accounts = {payable.titulo_id: _choose_account(payable, decisions, payables.contas) for payable in payables.titulos}
    running: dict[int | None, int] = {}
    lines = []
    for block, payable in sort_payables(shown, blocks, order):
        account = accounts[payable.titulo_id]
        running[account] = running.get(account, 0) + payable.somado
        cabe = _say_covered(books.saldos.get(account) if account is not None else None, running[account])
        lines.append(PaymentLine(block, payable, latest.get(payable.titulo_id), account, running[account], cabe))
    decided = {decision.titulo_id: decision for decision in latest.values() if decision.estado == ABERTA}
    return Payments(
        tuple(lines),
        tuple(_list_accounts(payables, accounts, shown, decided, books)),
        tuple(_list_days(payables, shown, decided, books)),
    )


def _choose_block(payable: Payable, decision: Decision | None, order: tuple[str, ...], day: date) -> int:
    """Choose its place in `BLOCKS`; payroll has its own where the settings put no other group before it."""
    if decision and decision.estado == VENCIDA:
        return 0
    leaves = payable.leaves(day)
    if payable.folha and order[:1] == (PAYROLL,) and leaves <= day + timedelta(days=PAYROLL_DAYS):
        return 1
    return 2 if leaves <= day else 3


def _choose_account(payable: Payable, decisions: Decisions, contas: Mapping[int, str]) -> int | None:
    text = decisions.celulas.get(payable.titulo_id, {}).get("conta", "")
    typed = find_paying_account(text, contas) if text else None
    return payable.conta_id if typed is None else typed


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
    known = [conta_id for conta_id in books.saldos if conta_id in payables.contas]
    rows = []
    for conta_id in [*known, *sorted(payables.contas.keys() - set(known))]:
        own = [payable for payable in shown if accounts[payable.titulo_id] == conta_id]
        agreed = sum(
            payable.valor
            for payable in payables.titulos
            if accounts[payable.titulo_id] == conta_id and payable.titulo_id in decided
        )
        saldo = books.saldos.get(conta_id)
        rows.append(
            AccountLine(
                conta_id,
                payables.contas[conta_id],
                saldo,
                books.extratos.get(conta_id),
                sum(payable.somado for payable in own if payable.leaves(payables.data_base) <= payables.data_base),
                sum(payable.somado for payable in own if payable.leaves(payables.data_base) > payables.data_base),
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
        saldos = tuple(balances.get(when) for balances in series)
        rows.append(
            DayLine(
                when,
                sum(payable.somado for payable in shown if payable.leaves(day) == when),
                sum(
                    payable.valor
                    for payable in payables.titulos
                    if payable.titulo_id in decided and max(decided[payable.titulo_id].dia, day) == when
                ),
                (saldos[0], saldos[1], saldos[2], saldos[3]),
                _say_covered(saldos[3], 0, books.minimo),
            )
        )
    return rows
