"""What a run finds of the bank's side: lines held against the books, and what that proves of open títulos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.bank.evidence import (
    CONFIRMADA,
    SEM_DEBITO,
    BankEvidence,
    find_unpassed,
    guess_accounts,
    list_unbooked,
    prove_open,
    say_returned,
    suggest,
)
from lastro.bank.reconciliation import BankReconciliation, TypedLines, reconcile
from lastro.entrada.typed_values import parse_typed_id
from lastro.folding import fold_words
from lastro.reports.facts import BankFacts
from lastro.transform.forgotten_titulos import list_forgotten

if TYPE_CHECKING:
    from lastro.bank.statements import BankKnown
    from lastro.transform.position import Position


@dataclass(frozen=True, kw_only=True)
class BankFound(BankFacts):
    """What a run found of the bank's side; a company without statements has `BankFacts` alone.

    Attributes:
        conciliacao: every account.
        sugestoes: extrato_id of a line without book -> the open título that it may be.
        rejeitadas: file -> its transactions that were not understood.
        palpites: key of an account that none is linked to -> the account whose payments are most like its lines.
    """

    conciliacao: BankReconciliation
    sugestoes: Mapping[int, int]
    rejeitadas: Mapping[str, int]
    palpites: Mapping[str, int]

    @property
    def nao_entendidos(self) -> list[tuple[str, int]]:
        """The lines whose título, typed by hand, is none of the account's payments, or taken (Q39)."""
        accounts = self.conciliacao.contas.values()
        return [("extrato", line.extrato_id) for account in accounts for line in account.casados.recusados]


def hold_against_books(
    position: Position,
    known: BankKnown,
    keys: Mapping[int, Sequence[str]],
    typed: TypedLines | None,
    questioned: frozenset[int],
    rejeitadas: Mapping[str, int],
) -> BankFound:
    """Hold what is known of the bank against the books, and say what that proves.

    Args:
        position: the position as of D; not mutated.
        known: what the bank's files say.
        keys: what the settings call each account at its bank, by conta_id.
        typed: what people typed beside lines.
        questioned: payables that may have been paid without anybody settling them (`find_questioned`).
        rejeitadas: as in `BankFound`.
    """
    renumbered, gone = known.list_renumbered()
    reconciliation = reconcile(position, known, keys, typed, questioned | list_forgotten(position.titulos))
    suggested = suggest(position, list_unbooked(reconciliation))
    proved = prove_open(position, reconciliation, suggested, questioned)
    moved = _say_moved(position, proved)
    return BankFound(
        movidos=moved,
        nao_pagos=frozenset(titulo_id for titulo_id, evidence in proved.items() if evidence.prova == SEM_DEBITO),
        provas={
            titulo_id: f"{evidence.prova}: {moved[titulo_id]}" if titulo_id in moved else evidence.prova
            for titulo_id, evidence in proved.items()
        },
        repasses=tuple(find_unpassed(position, reconciliation)),
        devolvidos=say_returned(position, reconciliation, suggested),
        renumeradas=renumbered,
        retiradas=gone,
        conciliacao=reconciliation,
        sugestoes=suggested,
        rejeitadas=rejeitadas,
        palpites=guess_accounts(position, known.lidos),
    )


def read_typed_lines(typed: Mapping[int, Mapping[str, str]], renumbered: Mapping[int, int]) -> TypedLines:
    """Read what stands beside lines of statements at the payments desk; what a line's last number has is the newest.

    Args:
        typed: extrato_id -> field -> what a person typed beside that line.
        renumbered: extrato_id that a line had -> the one that it has.
    """
    order = {number: place for place, number in enumerate(renumbered)}
    held: dict[int, dict[str, str]] = {}
    for extrato_id in sorted(typed, key=lambda number: order.get(number, len(order))):
        held.setdefault(renumbered.get(extrato_id, extrato_id), {}).update(typed[extrato_id])
    titulos = {extrato_id: cells.get("titulo", "").strip() for extrato_id, cells in held.items()}
    ignored = frozenset(
        extrato_id for extrato_id, cells in held.items() if fold_words(cells.get("ignorar", "")) == "sim"
    )
    known = {extrato_id: titulo for extrato_id, text in titulos.items() if (titulo := parse_typed_id(text)) is not None}
    return TypedLines(known, ignored)


def _say_moved(position: Position, proved: Mapping[int, BankEvidence]) -> dict[int, str]:
    """Say of each título that the bank moved when it did."""
    incoming = set(position.titulos.loc[position.titulos["tipo"] == "R", "titulo_id"])
    return {
        titulo_id: f"o banco {'recebeu' if titulo_id in incoming else 'pagou'} em {evidence.dia:%d/%m}"
        for titulo_id, evidence in proved.items()
        if evidence.prova == CONFIRMADA and evidence.dia is not None
    }
