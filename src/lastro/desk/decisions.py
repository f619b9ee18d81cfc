"""Decisions about payables and their state (manual: Pagamentos)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from lastro.desk.desks import CONTA, PAGAMENTOS, PAGAR
from lastro.desk.model import Note, read_value
from lastro.desk.notes import Held, fold_notes
from lastro.desk.payables import Payables
from lastro.folding import fold_words
from lastro.grid.cells import Kind
from lastro.money import to_centavos
from lastro.transform.scenarios import Decided

ABERTA, CUMPRIDA, TARDIA, VENCIDA = "em aberto", "cumprida", "paga depois", "vencida"
TROCADA, AGUARDA, SEM_EFEITO = "trocada", "aguarda aprovação", "sem efeito"
PAY, POSTPONE = "pagar_em", "adiar_para"
"""The two cells of which one is the decision."""
Cells = Mapping[str, str]


@dataclass(frozen=True)
class Approval:
    """Who must agree to what.

    Attributes:
        minimo: centavos from which on a payment counts only with a second name; None: never.
        aprovadores: whose name that may be.
    """

    minimo: int | None = None
    aprovadores: tuple[str, ...] = ()

    def is_needed(self, centavos: int) -> bool:
        """Tell whether a payment of so much needs a second name."""
        return self.minimo is not None and abs(centavos) >= self.minimo

    def is_given(self, cells: Cells) -> bool:
        """Tell whether two people stand in a row: who is responsible, and an approver who is somebody else."""
        by, of = fold_words(cells.get("aprovado_por", "")), fold_words(cells.get("responsavel", ""))
        return bool(of) and by != of and by in {fold_words(name) for name in self.aprovadores}


@dataclass(frozen=True)
class Decision:
    """A day that was decided for a payable.

    Attributes:
        titulo_id: which.
        feita: day on which the file with it was saved.
        campo: PAY or POSTPONE.
        digitado: the day typed.
        dia: its business day.
        estado: ABERTA .. SEM_EFEITO.
        valor: centavos of the título on D, signed; None where it is gone.
        antes: centavos that the file showed, where they are others.
        responsavel: who is responsible, as typed.
        aprovado_por: who approved, as typed.
        aprovada: no second name was needed, or two people stand there.
        pago_em: day of payment, if paid.
    """

    titulo_id: int
    feita: date
    campo: str
    digitado: date
    dia: date
    estado: str
    valor: int | None
    antes: int | None
    responsavel: str
    aprovado_por: str
    aprovada: bool
    pago_em: date | None


@dataclass(frozen=True)
class Decisions:
    """What the payments desk decided.

    Attributes:
        todas: every decision ever made, by the day typed, then título.
        celulas: titulo_id -> field -> text that holds for its row.
    """

    todas: tuple[Decision, ...] = ()
    celulas: Mapping[int, Cells] = field(default_factory=dict)

    def latest(self) -> dict[int, Decision]:
        """Return the decision of each título that no other took the place of."""
        return {decision.titulo_id: decision for decision in self.todas if decision.estado != TROCADA}

    def in_force(self, data_base: date) -> tuple[Decided, ...]:
        """List the payables that leave on a day to come, D or later, by título."""
        open_ones = (decision for decision in self.todas if decision.estado == ABERTA)
        ordered = sorted(open_ones, key=lambda decision: decision.titulo_id)
        return tuple(Decided(decision.titulo_id, max(decision.dia, data_base)) for decision in ordered)

    def broken(self) -> tuple[int, ...]:
        """List the payables whose day is over, still open."""
        return tuple(sorted(decision.titulo_id for decision in self.todas if decision.estado == VENCIDA))


@dataclass(frozen=True)
class _Typed:
    """What a save says: from then on this is decided, or nothing (`dia` None)."""

    note: Note
    campo: str
    dia: date | None


def find_decisions(
    notes: Sequence[Note],
    payables: Payables,
    approval: Approval,
    shown: Mapping[tuple[int, str], int],
    next_business_day: Callable[[date], date],
) -> Decisions:
    """Find every decision in the notes, and its state by the open and the paid títulos.

    The decision is the date changed last: another one, a text that is none, or an emptied cell takes its place. Of two
    dates in one save `Pagar em` counts, and both cells stay. An approval is for the amount that the file showed: a
    título that costs more since then needs it anew.

    Args:
        notes: of the payments desk, in any order.
        payables: of D.
        approval: what the settings ask.
        shown: título and file -> centavos that the file showed of it, signed.
        next_business_day: of the company's calendar.
    """
    held, _ = fold_notes(PAGAMENTOS, notes)
    by_titulo: dict[int, list[Note]] = {}
    for note in sorted(notes, key=lambda note: note.quando):
        if note.tipo == PAGAR and note.chave is not None:
            by_titulo.setdefault(note.chave, []).append(note)
    decisions: list[Decision] = []
    cells: dict[int, Cells] = {}
    for titulo_id, own in sorted(by_titulo.items()):
        made, dates = _collect(own)
        cells[titulo_id] = _merge(held.get((PAGAR, titulo_id)), dates)
        approved_at = next((note for note in reversed(own) if "aprovado_por" in note.antes), None)
        approved = None if approved_at is None else shown.get((titulo_id, approved_at.arquivo_id))
        for place, typed in enumerate(made, 1):
            if typed.dia is None:
                continue
            before = shown.get((titulo_id, typed.note.arquivo_id))
            decision = Decision(
                titulo_id,
                typed.note.quando.date(),
                typed.campo,
                typed.dia,
                next_business_day(typed.dia),
                TROCADA,
                payables.valores.get(titulo_id),
                before,
                cells[titulo_id].get("responsavel", ""),
                cells[titulo_id].get("aprovado_por", ""),
                aprovada=True,
                pago_em=payables.pagos.get(titulo_id),
            )
            decisions.append(
                decision
                if place < len(made)
                else _settle_decision(decision, cells[titulo_id], approved, payables, approval)
            )
    return Decisions(
        tuple(sorted(decisions, key=lambda decision: (decision.digitado, decision.titulo_id, decision.feita))), cells
    )


def _merge(held: Held | None, dates: Cells) -> dict[str, str]:
    return {**({} if held is None else held.valores), **dates}


def _collect(notes: Sequence[Note]) -> tuple[list[_Typed], dict[str, str]]:
    """Collect the decisions about a título, in order, and the present values of its two cells."""
    made: list[_Typed] = []
    cells = {PAY: "", POSTPONE: ""}
    for note in notes:
        changed = {name: note.valores.get(name, "") for name in (PAY, POSTPONE) if name in note.antes}
        if not changed:
            continue
        given = [name for name, text in changed.items() if text]
        cells = {PAY: "", POSTPONE: "", **changed} if given else {**cells, **changed}
        campo = next((name for name in (PAY, POSTPONE) if cells[name]), PAY)
        day = read_value(cells[campo], Kind.DATE)
        typed = _Typed(note, campo, day if isinstance(day, date) else None)
        if not made or (made[-1].campo, made[-1].dia) != (typed.campo, typed.dia):
            made.append(typed)
    return made, cells


def _settle_decision(
    decision: Decision, cells: Cells, approved: int | None, payables: Payables, approval: Approval
) -> Decision:
    """Return the state of the decision in force."""
    value, paid = decision.valor, decision.pago_em
    given = True
    if value is not None and decision.campo == PAY and approval.is_needed(value):
        given = approval.is_given(cells) and (approved is None or abs(approved) >= abs(value))
    if paid is not None:
        state = SEM_EFEITO if paid < decision.feita else CUMPRIDA if paid <= decision.dia else TARDIA
    elif decision.titulo_id not in payables.abertos:
        state = SEM_EFEITO
    elif not given:
        state = AGUARDA
    else:
        state = ABERTA if decision.dia >= payables.data_base else VENCIDA
    return replace(decision, estado=state, aprovada=given)


@dataclass(frozen=True)
class TypedStatement:
    """What a save says of an account's statement: a balance in centavos, or None: that day is taken back."""

    note: Note
    conta_id: int
    dia: date
    valor: int | None


def list_typed_statements(notes: Sequence[Note]) -> Iterator[TypedStatement]:
    """Yield the balances typed on *Contas*, in the order in which they were saved; other texts are left out."""
    for note in sorted(notes, key=lambda note: note.quando):
        day = read_value(note.valores.get("extrato_em", ""), Kind.DATE)
        text = note.valores.get("saldo_no_extrato", "")
        amount = read_value(text, Kind.MONEY, signed=True)
        if note.tipo == CONTA and note.chave is not None and isinstance(day, date):
            if isinstance(amount, Decimal):
                yield TypedStatement(note, note.chave, day, to_centavos(amount))
            elif not text:
                yield TypedStatement(note, note.chave, day, None)


def find_statements(notes: Sequence[Note]) -> dict[tuple[int, date], TypedStatement]:
    """Find the balances that hold: account and day -> what was saved last of it (S23)."""
    held: dict[tuple[int, date], TypedStatement] = {}
    for typed in list_typed_statements(notes):
        if typed.valor is None:
            held.pop((typed.conta_id, typed.dia), None)
        else:
            held[typed.conta_id, typed.dia] = typed
    return held
