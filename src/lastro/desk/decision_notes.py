"""The words of the payments desk for its notes: the state of each decision and of each typed balance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from lastro.desk.decisions import (
    AGUARDA,
    PAY,
    POSTPONE,
    SEM_EFEITO,
    Decision,
    Decisions,
    doubt_account,
    find_statements,
)
from lastro.desk.desks import CONTA, EXTRATO, PAGAR
from lastro.desk.history import Outcome, Outcomes
from lastro.desk.model import Key, Note, read_value
from lastro.desk.payables import Payables
from lastro.desk.seen import ANSWER
from lastro.entrada.saldos import find_paying_account
from lastro.grid.cells import Kind
from lastro.grid.words import format_date
from lastro.money import format_centavos


def say_decision(decision: Decision | None) -> str | None:
    """Return the note on a row: the state, and the amount of the título when it was decided."""
    if decision is None:
        return None
    changed = decision.antes is not None and decision.valor is not None and decision.antes != decision.valor
    parts = [decision.estado, *([f"era {format_centavos(abs(decision.antes or 0))}"] if changed else [])]
    parts += [decision.motivo] if decision.estado == AGUARDA else []
    return " · ".join(parts)


def tell_decisions(decisions: Decisions, respostas: Mapping[int, str]) -> dict[int, str]:
    """Tell of each payable what was decided and how that stands, or answered, for the sheet *Pagar títulos*."""
    answered = {titulo_id: f"resposta: {answer}" for titulo_id, answer in respostas.items()}
    return answered | {
        titulo_id: f"{'pagar em' if decision.campo == PAY else 'adiar para'} {decision.dia:%d/%m} · "
        f"{say_decision(decision)}"
        for titulo_id, decision in decisions.latest().items()
        if decision.estado != SEM_EFEITO or titulo_id not in answered
    }


def tell_payments(
    payables: Payables,
    decisions: Decisions,
    notes: Sequence[Note],
    motivos: Mapping[int, str],
    retiradas: Collection[int],
) -> Outcomes:
    """Make what is said of the notes about payables, accounts and lines of statements.

    `motivos` is titulo_id -> why its answer counts for nothing (S26.4), `retiradas` lines that no file has any more.
    """
    made: dict[object, Decision] = {(one.titulo_id, one.feita, one.campo, one.digitado): one for one in decisions.todas}
    latest, statements = decisions.latest(), find_statements(notes)

    def name(key: Key) -> str | None:
        if key[0] == EXTRATO:  # a bank line keeps the name it had when it was typed into
            return None if key[1] in retiradas else ""
        return (payables.contas if key[0] == CONTA else payables.rotulos).get(key[1])

    def tell(note: Note) -> Outcome:
        if note.tipo != PAGAR:
            return Outcome(_tell_statement(note, statements) if note.tipo == CONTA else ())
        typed = (
            (campo, read_value(note.valores.get(campo, ""), Kind.DATE))
            for campo in (PAY, POSTPONE)
            if campo in note.antes
        )
        found = (made.get((note.chave, note.quando.date(), *each)) for each in typed)
        decision, states, text = next(filter(None, found), None), list[str](), note.valores.get("conta", "")
        waits = decision is not None and decision.motivo == doubt_account(text)
        if text and not waits and find_paying_account(text, payables.contas) is None:
            states.append(doubt_account(text))
        if ANSWER in note.antes and (why := motivos.get(note.chave or 0)):
            states.append(why)
        if decision is None:
            last = latest.get(note.chave or 0)
            return Outcome([*states, *([f"pago em {format_date(last.pago_em)}"] if last and last.pago_em else [])])
        states.append(f"{'pagar' if decision.campo == PAY else 'adiar'}: {say_decision(decision)}")
        if decision.pago_em is not None and decision.motivo:
            states.append(f"paga sem aprovação: {decision.motivo}")
        return Outcome(states, decision.pago_em)

    return Outcomes("pago_em", name, tell)


def _tell_statement(note: Note, held: Mapping[tuple[int, date], tuple[Note, int]]) -> list[str]:
    """Say why a typed balance does not hold."""
    day = read_value(note.valores.get("extrato_em", ""), Kind.DATE)
    text = note.valores.get("saldo_no_extrato", "")
    if isinstance(read_value(text, Kind.MONEY, signed=True), str):
        return []
    if not isinstance(day, date):
        return ["falta o dia do extrato"] if text and day is None else []
    if not text:
        return ["retira o saldo desse dia"]
    return [] if held.get((note.chave or 0, day), (None,))[0] is note else ["outro, ou nenhum, tomou o lugar"]
