"""What each sheet of `pagamentos` shows, as values, signed as in the books (manual: Pagamentos).

Does not belong here: how it is printed (`lastro.desk.payments`) and stored (`lastro.desk.tables`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Final

from lastro.analysis.account_projection import DECIDE_DAYS, add_moves, find_tills, propose_transfers
from lastro.analysis.cash_series import sort_accounts
from lastro.analysis.credit import Credit
from lastro.calendar import BusinessCalendar, iter_days
from lastro.desk.decisions import ABERTA, PAY, VENCIDA, Decision, Decisions
from lastro.desk.payables import PAYROLL, PAYROLL_DAYS, Payable, Payables, sort_payables
from lastro.entrada.saldos import find_paying_account
from lastro.money import format_centavos, to_centavos
from lastro.transform.scenarios import ATRASADO, PLANO

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.statements import ComparedStatement

BLOCKS: Final = (
    "Parcelamento em risco", "Decisão vencida", f"Folha até {PAYROLL_DAYS} dias", "Vencido e hoje",
    f"Próximos {DECIDE_DAYS} dias",
)  # fmt: skip
AT_RISK, BROKEN, OF_PAYROLL, LATE, SOON = range(len(BLOCKS))
UNKNOWN: Final = "sem saldo"
PROBABLE: Final = "provável"


@dataclass(frozen=True)
class Balances:
    """What the books say of balances, in signed centavos.

    Attributes:
        saldos: conta_id -> balance on D; None where it is none (S23); in the order of *Saldos*.
        extratos: conta_id -> its newest statement.
        dias: name of a series ("" as booked) -> day -> closing balance, from D to D + `DECIDE_DAYS`; none where some
            account has no balance.
        credito: what balances of all accounts are asked for (S27).
        limites: conta_id -> what the bank lends on it.
        sem_banco: accounts that have no bank.
    """

    saldos: Mapping[int, int | None] = field(default_factory=dict)
    extratos: Mapping[int, ComparedStatement] = field(default_factory=dict)
    dias: Mapping[str, Mapping[date, int]] = field(default_factory=dict)
    credito: Credit = field(default_factory=Credit)
    limites: Mapping[int, int] = field(default_factory=dict)
    sem_banco: frozenset[int] = frozenset()


@dataclass(frozen=True)
class PaymentLine:
    """A payable with the account that pays it; where it is listed, a row of *Decidir*.

    Attributes:
        ordem: place in the list, from 1; 0 where it is not listed.
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
    listada: bool
    acumulado: int = 0
    depois: int | None = None
    cabe: str = ""
    ordem: int = 0

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
    """A row of *Contas*: amounts to pay are negative; `saldo_em_d` and `sobra` are None where no balance is known.

    `sobra` is the balance less the payments that are decided.
    """

    conta_id: int
    conta: str
    saldo_em_d: int | None
    em_transito: int
    ultimo_extrato: date | None
    saldo_do_extrato: int | None
    diferenca: int | None
    vencido_e_hoje: int
    proximos_15_dias: int
    decidido: int
    adiado: int
    sobra: int | None
    proposta: str


@dataclass(frozen=True)
class DayLine:
    """A row of *Dias*; the three closings are as booked, by the plan, and with all that is late paid on D."""

    dia: date
    vence: int
    decidido: int
    adiado: int
    em_aberto: int
    contratual: int | None
    com_o_combinado: int | None
    conservador: int | None
    cobre: str


@dataclass(frozen=True)
class AccountDay:
    """A row of the second table of *Dias*: a business day of an account, D too; its balance as in `Payments.saldos`."""

    dia: date
    conta: str
    decidido: int
    adiado: int
    em_aberto: int
    saldo_no_banco: int | None
    conta_id: int


@dataclass(frozen=True)
class Payments:
    """What the sheets of `pagamentos` show.

    Attributes:
        linhas: of *Decidir*, in order.
        saldos: conta_id -> what the bank is projected to show at the end of each day from D on, with decisions; no
            account of which no balance is known.
        livros: what the books say of balances, and what is asked of them.
        fora: account and day -> what lines that *Decidir* leaves out come to, signed centavos.
    """

    linhas: tuple[PaymentLine, ...]
    contas: tuple[AccountLine, ...]
    dias: tuple[DayLine, ...]
    contas_dias: tuple[AccountDay, ...] = ()
    saldos: Mapping[int, Sequence[int]] = field(default_factory=dict)
    livros: Balances = field(default_factory=Balances)
    fora: Mapping[tuple[int | None, date], int] = field(default_factory=dict)

    def left_on(self, day: date) -> int:
        """Add up what a day has in `fora`."""
        return sum(value for (_, when), value in self.fora.items() if when == day)

    def show(self, shown: tuple[PaymentLine, ...], left: Iterable[PaymentLine]) -> Payments:
        """Show some of the lines alone; nothing was typed about the others."""
        fora = Counter[tuple[int | None, date]]()
        for line in left:
            fora[line.conta_id, line.sai] += line.titulo.somado
        return replace(self, linhas=shown, fora=fora)


def take_balances(books: View) -> Balances:
    """Take what the books say of balances; that of an account without opening is a variation, and none (S23)."""
    series, day = books.series, books.position.data_base
    accounts = [(place, series.accounts[place]) for place in sort_accounts(series)]
    saldos = {
        account.conta_id: None if account.provisoria else series.balance(day, place, realised_only=True)
        for place, account in accounts
        if account.conta_id is not None
    }
    newest = {each.conta_id: each for each in sorted(books.statements, key=lambda each: each.dia)}
    dias: dict[str, dict[date, int]] = {"": {}, **{line.nome: {} for line in books.projections}}
    last = min(day + timedelta(days=DECIDE_DAYS), books.position.ultimo_dia)
    for when in () if series.provisional else iter_days(day, last):
        booked = dias[""][when] = series.balance(when) or 0
        for line in books.projections:
            dias[line.nome][when] = booked + line.difference_until(when)
    tills = find_tills(() if books.empresa is None else books.empresa.contas)
    return Balances(saldos, newest, dias, books.credit, books.limites, tills)


def _sum_up(rows: Iterable[PaymentLine]) -> tuple[int, int, int]:
    """Add up what is decided to be paid, postponed, and still open."""
    sums = [0, 0, 0]
    for row in rows:
        if row.efeito > 0:
            sums[row.efeito - 1] += row.titulo.valor
        elif row.listada:
            sums[2] += row.titulo.somado
    return sums[0], sums[1], sums[2]


def plan_payments(
    payables: Payables,
    decisions: Decisions,
    order: tuple[str, ...],
    books: Balances,
    calendario: BusinessCalendar,
    em_risco: Collection[int],
) -> Payments:
    """Put the payables of D in order (`ordem_pagamentos`), and say which of them the accounts cover.

    `em_risco` are late instalments of plans that may be lost (Q41): they stand before all.
    """
    latest, day, rows = decisions.latest(), payables.data_base, dict[int, PaymentLine]()
    limit = day + timedelta(days=DECIDE_DAYS)
    for payable in payables.titulos:
        decision = latest.get(payable.titulo_id)
        block = AT_RISK if payable.titulo_id in em_risco else _choose_block(payable, decision, order, day)
        when = decision.dia if decision and decision.estado == ABERTA else None
        account = choose_account(payable, decisions, payables.contas)
        listed = payable.sai <= limit or block == BROKEN
        rows[payable.titulo_id] = PaymentLine(block, payable, decision, account, when, listed)
    due = list(rows.values())
    saldos = _project_balances(payables, books, due)
    blocks = {titulo_id: row.bloco for titulo_id, row in rows.items()}
    running, lines = Counter[int | None](), list[PaymentLine]()
    for _, payable in sort_payables([row.titulo for row in due if row.listada], blocks, order):
        row = rows[payable.titulo_id]
        running[row.conta_id] += payable.somado
        own = row.conta_id or 0
        after, covered = _cover(row, saldos.get(own, ()), day, books.limites.get(own, 0))
        placed = replace(row, ordem=len(lines) + 1, acumulado=running[row.conta_id], depois=after, cabe=covered)
        lines.append(placed)
    return Payments(
        tuple(lines),
        tuple(_list_accounts(payables, books, due, saldos)),
        tuple(_list_days(day, books, due)),
        tuple(_list_account_days(payables, due, saldos, calendario)),
        saldos,
        books,
    )


def _cover(row: PaymentLine, series: Sequence[int], day: date, limite: int) -> tuple[int | None, str]:
    """Find the balance once a payable is paid, and say whether that, and what the bank lends, covers it."""
    place = (row.sai - day).days
    if 0 < len(series) <= place:
        return None, f"depois de {day + timedelta(len(series) - 1):%d/%m}"
    after = series[place] if series else None
    if after is not None and row.efeito < 0:
        after += row.titulo.valor
    return after, UNKNOWN if after is None else Credit(limite=limite).cover(after)


def _project_balances(payables: Payables, books: Balances, due: Sequence[PaymentLine]) -> dict[int, list[int]]:
    """Project each account as booked, with decided payments in the place of due ones (`Payments.saldos`)."""
    booked = {
        conta_id: [saldo + as_booked for as_booked in payables.previsto.get(conta_id, ())]
        for conta_id, saldo in books.saldos.items()
        if saldo is not None
    }
    moves = (row.titulo.move(row.conta_id, row.dia) for row in due)
    return add_moves(booked, payables.data_base, chain(*moves))


def _choose_block(payable: Payable, decision: Decision | None, order: tuple[str, ...], day: date) -> int:
    """Choose its place in `BLOCKS`; payroll has its own where the settings put no other group before it."""
    if decision and decision.estado == VENCIDA:
        return BROKEN
    if payable.folha and order[:1] == (PAYROLL,) and payable.sai <= day + timedelta(days=PAYROLL_DAYS):
        return OF_PAYROLL
    return LATE if payable.sai <= day else SOON


def choose_account(payable: Payable, decisions: Decisions, contas: Mapping[int, str]) -> int | None:
    """Choose the account that pays: the typed one if it exists, else the título's."""
    typed = find_paying_account(decisions.celulas.get(payable.titulo_id, {}).get("conta", ""), contas)
    return payable.conta_id if typed is None else typed


def list_paying_accounts(payables: Payables, decisions: Decisions) -> dict[int, int]:
    """List the accounts typed to pay, by título, where they are not its own."""
    chosen = ((one, choose_account(one, decisions, payables.contas)) for one in payables.titulos)
    return {one.titulo_id: conta_id for one, conta_id in chosen if conta_id not in (None, one.conta_id)}


def _list_accounts(
    payables: Payables, books: Balances, due: Sequence[PaymentLine], saldos: Mapping[int, Sequence[int]]
) -> Iterator[AccountLine]:
    day = payables.data_base
    own = {key: series[: DECIDE_DAYS + 1] for key, series in saldos.items() if key not in payables.cartoes}
    proposals = {
        taker: f"em {when:%d/%m} trazer {format_centavos(amount)} de {payables.contas.get(giver, giver)}"
        for when, giver, taker, amount in propose_transfers(own, day, books.sem_banco)
    }
    known = [conta_id for conta_id in books.saldos if conta_id in payables.contas]
    for conta_id in [*known, *sorted(payables.contas.keys() - set(known))]:
        rows, saldo = [row for row in due if row.conta_id == conta_id], books.saldos.get(conta_id)
        now, later = (
            sum(row.titulo.somado for row in rows if row.listada and (row.titulo.sai > day) is is_later)
            for is_later in (False, True)
        )
        agreed, put_off, _ = _sum_up(rows)
        yield AccountLine(
            conta_id, payables.contas[conta_id], saldo, payables.transito.get(conta_id, 0),
            *_read_newest(books.extratos.get(conta_id)), now, later, agreed, put_off,
            None if saldo is None else saldo + agreed, proposals.get(conta_id, ""),
        )  # fmt: skip


def _read_newest(each: ComparedStatement | None) -> tuple[date | None, int | None, int | None]:
    """Read the day of a statement, its balance and its difference to the books."""
    if each is None:
        return None, None, None
    return each.dia, to_centavos(each.extrato), None if each.diferenca is None else to_centavos(each.diferenca)


def _list_days(day: date, books: Balances, due: Sequence[PaymentLine]) -> Iterator[DayLine]:
    """List D to D + `DECIDE_DAYS`; what is overdue falls due on D."""
    booked = books.dias.get("", {})
    plan, at_once = (books.dias.get(name, booked) for name in (PLANO, ATRASADO))
    for offset in range(DECIDE_DAYS + 1):
        when = day + timedelta(days=offset)
        owed = sum(row.titulo.somado for row in due if row.listada and row.titulo.sai == when)
        sums = _sum_up(row for row in due if row.sai == when)
        agreed = plan.get(when)
        covered = UNKNOWN if agreed is None else books.credito.cover(agreed)
        yield DayLine(when, owed, *sums, booked.get(when), agreed, at_once.get(when), covered)


def _list_account_days(
    payables: Payables, due: Sequence[PaymentLine], saldos: Mapping[int, Sequence[int]], calendario: BusinessCalendar
) -> Iterator[AccountDay]:
    for offset in range(DECIDE_DAYS + 1):
        when = payables.data_base + timedelta(days=offset)
        if offset and not calendario.is_business_day(when):
            continue
        for conta_id, name in payables.contas.items():
            sums = _sum_up(row for row in due if (row.conta_id, row.sai) == (conta_id, when))
            series = saldos.get(conta_id, ())
            yield AccountDay(when, name, *sums, series[offset] if offset < len(series) else None, conta_id)
