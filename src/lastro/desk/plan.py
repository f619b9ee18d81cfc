"""The payments desk with what was decided: lines in order, accounts, days (manual: Pagamentos).

Amounts are signed as in the books.

Belongs here: what each sheet of `pagamentos` shows, as values. Does not belong here: how it is printed
(`lastro.desk.payments`) and stored (`lastro.desk.tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import chain
from operator import itemgetter
from typing import Any, Final

from lastro.analysis.account_projection import add_moves, propose_transfers
from lastro.calendar import BusinessCalendar
from lastro.desk.decisions import ABERTA, PAY, VENCIDA, Decision, Decisions
from lastro.desk.payables import DECIDE_DAYS, PAYROLL, PAYROLL_DAYS, Payable, Payables, sort_payables
from lastro.entrada.saldos import find_paying_account
from lastro.grid.pivot import list_rows
from lastro.grid.tables import Table
from lastro.money import format_amount, to_centavos, to_decimal
from lastro.transform.scenarios import CONSERVADOR, DECISOES, PROMESSAS

BLOCKS: Final = ("Decisão vencida", f"Folha até {PAYROLL_DAYS} dias", "Vencido e hoje", f"Próximos {DECIDE_DAYS} dias")
COVERED, UNKNOWN = "Sim", "sem saldo"
PROBABLE: Final = "provável"
_USUAL: Final = BusinessCalendar()


Newest = tuple[date | None, int | None, int | None]
"""The newest statement of an account: its day, balance and difference to the books, signed centavos; or three nulls."""


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
    extratos: Mapping[int, Newest] = field(default_factory=dict)
    dias: Mapping[str, Mapping[date, int]] = field(default_factory=dict)
    minimo: int = 0


@dataclass(frozen=True)
class PaymentLine:
    """A row of *Decidir*.

    Attributes:
        bloco: place in `BLOCKS`.
        decisao: what was decided and no other decision took the place of.
        conta_id: from which it is paid: the account typed, else the título's.
        dia: the day decided, D or later; None where none is in force.
        acumulado: what leaves that account up to this row.
        depois: what the bank is projected to show of that account once it is paid (`Payments.saldos`), on the day
            decided, else the projected one, D where it is overdue; None where that is not known.
        cabe: whether that covers it.
    """

    bloco: int
    titulo: Payable
    decisao: Decision | None
    conta_id: int | None
    dia: date | None
    acumulado: int
    depois: int | None
    cabe: str

    @property
    def antes(self) -> int | None:
        """The same without it."""
        return None if self.depois is None else self.depois - self.titulo.valor

    @property
    def sai(self) -> date:
        """The day on which it leaves by the plan."""
        return self.dia or self.titulo.sai

    @property
    def efeito(self) -> int:
        """What the plan makes of it: 1 pays it, 2 postpones it, 0 leaves it on its day, -1 on none: it is overdue."""
        if self.dia is None:
            return 0 if self.titulo.projetada else -1
        return 1 if self.decisao and self.decisao.campo == PAY else 2


@dataclass(frozen=True)
class AccountLine:
    """A row of *Contas*; what is to be paid is negative, `saldo` and `sobra` None where no balance is known."""

    conta_id: int
    nome: str
    saldo: int | None
    extrato: Newest
    transito: int
    vencido: int
    proximos: int
    decidido: int
    adiado: int
    proposta: str

    @property
    def sobra(self) -> int | None:
        """What is left of the balance after what is decided to be paid."""
        return None if self.saldo is None else self.saldo + self.decidido


@dataclass(frozen=True)
class DayLine:
    """A row of *Dias*; `saldos` are the closings as booked, conservative, with decisions, with all that was agreed."""

    dia: date
    vence: int
    decidido: int
    adiado: int
    em_aberto: int
    saldos: tuple[int | None, int | None, int | None, int | None]
    cobre: str


@dataclass(frozen=True)
class AccountDay:
    """A row of the second table of *Dias*: a business day of an account, D too; `saldo` as `Payments.saldos`."""

    dia: date
    conta_id: int
    nome: str
    decidido: int
    adiado: int
    em_aberto: int
    saldo: int | None


@dataclass(frozen=True)
class Payments:
    """What the sheets of `pagamentos` show.

    Attributes:
        saldos: conta_id -> what the bank is projected to show at the end of each day from D on, with decisions; no
            account of which no balance is known.
        minimo: `saldo_minimo`, centavos.
    """

    linhas: tuple[PaymentLine, ...]
    contas: tuple[AccountLine, ...]
    dias: tuple[DayLine, ...]
    contas_dias: tuple[AccountDay, ...] = ()
    saldos: Mapping[int, Sequence[int]] = field(default_factory=dict)
    minimo: int = 0


def read_books(tables: Iterable[Table], variacoes: frozenset[int], minimo: int, *, known: bool) -> Books:
    """Read balances from the tables of R01 and R02; `known`: that of all accounts is one, none is a variation."""
    named = {table.name: table for table in tables}
    saldos = {
        int(str(conta_id)): None if conta_id in variacoes else _centavos(value)
        for conta_id, value in list_rows(named["saldos_por_conta"], ("conta_id", "saldo_em_d"))
        if conta_id is not None
    }
    newest: dict[int, Newest] = {}
    statements: list[Any] = list_rows(named["extratos"], ("dia", "conta_id", "extrato", "diferenca"))
    for day, conta_id, value, difference in sorted(statements, key=itemgetter(0)):
        newest[conta_id] = (day, _centavos(value), _centavos(difference))
    flows: Iterable[Any] = (
        *(("", *row) for row in list_rows(named["fluxo_diario"], ("dia", "saldo_final"))),
        *list_rows(named["fluxo_diario_cenarios"], ("cenario", "dia", "saldo_final")),
    )
    series: dict[str, dict[date, int]] = {"": {}}
    for name, day, value in flows if known else ():
        series.setdefault(name, {})[day] = _centavos(value) or 0
    return Books(saldos, newest, series, minimo)


def _centavos(value: object) -> int | None:
    return to_centavos(value) if isinstance(value, Decimal) else None


@dataclass(frozen=True)
class _Desk:
    """What every sheet is made of: payables, those that are listed, the account and the decided day of each."""

    payables: Payables
    shown: Sequence[Payable]
    contas: Mapping[int, int | None]
    decided: Mapping[int, Decision]
    books: Books

    def day_of(self, payable: Payable) -> date | None:
        """Return the day decided; None without a decision in force."""
        decision = self.decided.get(payable.titulo_id)
        return None if decision is None else decision.dia

    def sum_up(self, conta_id: int | None = None, when: date | None = None) -> tuple[int, int, int]:
        """Add up what is decided to be paid, postponed, and still open, of an account and on a day where given."""
        sums = [0, 0, 0]
        listed = {payable.titulo_id for payable in self.shown}
        for payable in self.payables.titulos:
            decision, leaves = self.decided.get(payable.titulo_id), self.day_of(payable) or payable.sai
            if conta_id not in (None, self.contas[payable.titulo_id]) or when not in (None, leaves):
                continue
            if decision:
                sums[decision.campo != PAY] += payable.valor
            elif payable.titulo_id in listed:
                sums[2] += payable.somado
        return sums[0], sums[1], sums[2]


def plan_payments(
    payables: Payables,
    decisions: Decisions,
    order: tuple[str, ...],
    books: Books,
    calendario: BusinessCalendar = _USUAL,
) -> Payments:
    """Put the payables of D in order (`ordem_pagamentos`), and say which of them the accounts cover."""
    latest, day = decisions.latest(), payables.data_base
    limit = day + timedelta(days=DECIDE_DAYS)
    blocks = {
        payable.titulo_id: _choose_block(payable, latest.get(payable.titulo_id), order, day)
        for payable in payables.titulos
    }
    shown = [payable for payable in payables.titulos if payable.sai <= limit or not blocks[payable.titulo_id]]
    accounts = {payable.titulo_id: choose_account(payable, decisions, payables.contas) for payable in payables.titulos}
    decided = {decision.titulo_id: decision for decision in latest.values() if decision.estado == ABERTA}
    desk = _Desk(payables, shown, accounts, decided, books)
    saldos = _project_balances(desk)
    running: dict[int | None, int] = {}
    lines = []
    for block, payable in sort_payables(shown, blocks, order):
        account, when = accounts[payable.titulo_id], desk.day_of(payable)
        running[account] = running.get(account, 0) + payable.somado
        series = saldos.get(account or 0, ())
        place = ((when or payable.sai) - day).days
        after = series[place] if place < len(series) else None
        if after is not None and when is None and payable.projetada is None:
            after += payable.valor
        cabe = (
            f"depois de {day + timedelta(len(series) - 1):%d/%m}" if 0 < len(series) <= place else _say_covered(after)
        )
        lines.append(
            PaymentLine(block, payable, latest.get(payable.titulo_id), account, when, running[account], after, cabe)
        )
    return Payments(
        tuple(lines),
        tuple(_list_accounts(desk, saldos)),
        tuple(_list_days(desk)),
        tuple(_list_account_days(desk, saldos, calendario)),
        saldos,
        books.minimo,
    )


def _project_balances(desk: _Desk) -> dict[int, list[int]]:
    """Project each account as booked, with what is decided in the place of what falls due (`Payments.saldos`)."""
    payables = desk.payables
    booked = {
        conta_id: [saldo + as_booked for as_booked in payables.previsto.get(conta_id, ())]
        for conta_id, saldo in desk.books.saldos.items()
        if saldo is not None
    }
    moves = [payable.move(desk.contas[payable.titulo_id], desk.day_of(payable)) for payable in payables.titulos]
    return add_moves(booked, payables.data_base, chain(*moves))


def _choose_block(payable: Payable, decision: Decision | None, order: tuple[str, ...], day: date) -> int:
    """Choose its place in `BLOCKS`; payroll has its own where the settings put no other group before it."""
    if decision and decision.estado == VENCIDA:
        return 0
    if payable.folha and order[:1] == (PAYROLL,) and payable.sai <= day + timedelta(days=PAYROLL_DAYS):
        return 1
    return 2 if payable.sai <= day else 3


def choose_account(payable: Payable, decisions: Decisions, contas: Mapping[int, str]) -> int | None:
    """Choose the account that pays: the one typed, where it is one, else that of the título."""
    typed = find_paying_account(decisions.celulas.get(payable.titulo_id, {}).get("conta", ""), contas)
    return payable.conta_id if typed is None else typed


def _say_covered(saldo: int | None, minimo: int = 0) -> str:
    """Say whether a balance is enough, or how much is missing."""
    if saldo is None:
        return UNKNOWN
    left = saldo - minimo
    return COVERED if left >= 0 else f"falta {format_amount(to_decimal(-left))}"


def _list_accounts(desk: _Desk, saldos: Mapping[int, Sequence[int]]) -> Iterator[AccountLine]:
    payables, books, day = desk.payables, desk.books, desk.payables.data_base
    own = {key: series[: DECIDE_DAYS + 1] for key, series in saldos.items() if key not in payables.cartoes}
    proposals = {
        taker: f"em {when:%d/%m} trazer {format_amount(to_decimal(amount))} de {payables.contas.get(giver, giver)}"
        for when, giver, taker, amount in propose_transfers(own, day)
    }
    known = [conta_id for conta_id in books.saldos if conta_id in payables.contas]
    for conta_id in [*known, *sorted(payables.contas.keys() - set(known))]:
        leaving = [payable for payable in desk.shown if desk.contas[payable.titulo_id] == conta_id]
        agreed, put_off, _ = desk.sum_up(conta_id)
        yield AccountLine(
            conta_id,
            payables.contas[conta_id],
            books.saldos.get(conta_id),
            books.extratos.get(conta_id, (None, None, None)),
            payables.transito.get(conta_id, 0),
            sum(payable.somado for payable in leaving if payable.sai <= day),
            sum(payable.somado for payable in leaving if payable.sai > day),
            agreed,
            put_off,
            proposals.get(conta_id, ""),
        )


def _list_days(desk: _Desk) -> Iterator[DayLine]:
    """List D to D + `DECIDE_DAYS`; what is overdue falls due on D."""
    day, books = desk.payables.data_base, desk.books
    booked, conservative = books.dias.get("", {}), books.dias.get(CONSERVADOR, {})
    with_decisions, promised = books.dias.get(DECISOES, conservative), books.dias.get(PROMESSAS, booked)
    for offset in range(DECIDE_DAYS + 1):
        when = day + timedelta(days=offset)
        saldos = [balances.get(when) for balances in (booked, conservative, with_decisions)]
        agreed = None if saldos[2] is None else saldos[2] + promised[when] - booked[when]
        due = sum(payable.somado for payable in desk.shown if payable.sai == when)
        yield DayLine(
            when, due, *desk.sum_up(when=when), (saldos[0], saldos[1], saldos[2], agreed),
            _say_covered(agreed, books.minimo),
        )  # fmt: skip


def _list_account_days(
    desk: _Desk, saldos: Mapping[int, Sequence[int]], calendario: BusinessCalendar
) -> Iterator[AccountDay]:
    for offset in range(DECIDE_DAYS + 1):
        when = desk.payables.data_base + timedelta(days=offset)
        if offset and not calendario.is_business_day(when):
            continue
        for conta_id, name in desk.payables.contas.items():
            series = saldos.get(conta_id, ())
            saldo = series[offset] if offset < len(series) else None
            yield AccountDay(when, conta_id, name, *desk.sum_up(conta_id, when), saldo)
