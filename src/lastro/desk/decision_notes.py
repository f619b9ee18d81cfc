"""The words of the payments desk for its notes: the state of each decision and of each typed balance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lastro.desk.decisions import AGUARDA, PAY, POSTPONE, Decision, Decisions, find_statements
from lastro.desk.desks import CONTA, EXTRATO, PAGAR
from lastro.desk.history import Outcomes
from lastro.desk.model import Key, Note, read_value
from lastro.desk.payables import Payables, find_paying_account
from lastro.desk.sheets import make_column
from lastro.grid.cells import Kind, Value
from lastro.grid.words import format_date
from lastro.money import format_amount, to_decimal


def say_decision(decision: Decision | None) -> str | None:
    """Return the note on a row: the state, and the amount of the título when it was decided."""
    if decision is None:
        return None
    changed = decision.antes is not None and decision.valor is not None and decision.antes != decision.valor
    parts = [decision.estado, *([f"era {format_amount(to_decimal(abs(decision.antes or 0)))}"] if changed else [])]
    parts += [decision.motivo] if decision.estado == AGUARDA else []
    return " · ".join(parts)


def tell_decisions(decisions: Decisions) -> dict[int, str]:
    """Tell of each payable what was decided and how that stands, for the sheet *Pagar títulos*."""
    return {
        titulo_id: f"{'pagar em' if decision.campo == PAY else 'adiar para'} {decision.dia:%d/%m} · "
        f"{say_decision(decision)}"
        for titulo_id, decision in decisions.latest().items()
    }


class DecidedNotes(Outcomes):
    """What became of the notes about payables, accounts and lines of statements.

    Args:
        payables: the desk of D.
        decisions: what was decided.
        notes: every note of the desk.
    """

    chave = "Título ou conta"
    depois = make_column("Pago em", Kind.DATE, 12)

    def __init__(self, payables: Payables, decisions: Decisions, notes: Sequence[Note]) -> None:
        self._payables = payables
        self._made = {
            (decision.titulo_id, decision.feita, decision.campo, decision.digitado): decision
            for decision in decisions.todas
        }
        self._latest = decisions.latest()
        self._statements = find_statements(notes)

    def find_label(self, key: Key) -> str | None:
        """Return the name of a payable or an account; a bank line keeps the name it had when it was typed into."""
        kind, titulo_id = key
        if kind == EXTRATO:
            return ""
        return (self._payables.contas if kind == CONTA else self._payables.rotulos).get(titulo_id)

    def find_states(self, note: Note) -> list[str]:
        """Say what became of a decision, or of a balance."""
        if note.tipo == CONTA:
            return self._tell_statement(note)
        return self._tell_decision(note) if note.tipo == PAGAR else []

    def find_result(self, note: Note) -> Value:
        """Find the day on which a decided payable was paid."""
        decision = self._find_decision(note)
        return None if decision is None else decision.pago_em

    def _find_decision(self, note: Note) -> Decision | None:
        for name in (PAY, POSTPONE):
            typed = read_value(note.valores.get(name, ""), Kind.DATE)
            if name in note.antes and note.chave is not None and isinstance(typed, date):
                decision = self._made.get((note.chave, note.quando.date(), name, typed))
                if decision is not None:
                    return decision
        return None

    def _tell_decision(self, note: Note) -> list[str]:
        decision, parts, text = self._find_decision(note), [], note.valores.get("conta", "")
        if text and find_paying_account(text, self._payables.contas) is None:
            parts.append(f"não entendi a conta «{text}»")
        if decision is None:
            latest = self._latest.get(note.chave or 0)
            paid = None if latest is None else latest.pago_em
            return [*parts, *([] if paid is None else [f"pago em {format_date(paid)}"])]
        parts.append(f"{'pagar' if decision.campo == PAY else 'adiar'}: {say_decision(decision)}")
        if decision.pago_em is not None and not decision.aprovada:
            parts.append(f"paga sem aprovação: {decision.motivo}")
        return parts

    def _tell_statement(self, note: Note) -> list[str]:
        day = read_value(note.valores.get("extrato_em", ""), Kind.DATE)
        text = note.valores.get("saldo_no_extrato", "")
        if isinstance(read_value(text, Kind.MONEY, signed=True), str):
            return []
        if not isinstance(day, date):
            return ["falta o dia do extrato"] if text and day is None else []
        if not text:
            return ["retira o saldo desse dia"]
        held = self._statements.get((note.chave or 0, day))
        return [] if held is not None and held.note is note else ["outro, ou nenhum, tomou o lugar"]
