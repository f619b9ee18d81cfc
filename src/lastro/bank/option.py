"""The bank's side as an option of a run: its files read, its lines held against the books, what that proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

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
from lastro.bank.reading import find_known_day, know_bank, list_keys, read_bank_files
from lastro.bank.reconciliation import BankReconciliation, TypedLines, reconcile
from lastro.bank.report import SHEET, say_bank
from lastro.bank.statements import BankKnown
from lastro.bank.storage import FOLDER, has_files, list_read_files
from lastro.bank.tables import BANK, BankFound, list_lines
from lastro.entrada.typed_values import parse_typed_id
from lastro.folding import fold_words
from lastro.reports.facts import BankFacts
from lastro.run.options import EntryFiles, Option

if TYPE_CHECKING:
    import pandas as pd

    from lastro.catalogue import Catalogue, RunFacts
    from lastro.grid.tables import Table
    from lastro.transform.position import Position

BANCO: Final = "BANCO"
"""What begins the line of the cover and of the terminal."""


class BankOption(Option):
    """The bank's side; a company without statements has none."""

    entrada: ClassVar[str] = FOLDER
    known: BankKnown | None = None
    lines: Table | None = None

    def read_entry(self, path: Path, lancamentos: pd.DataFrame) -> EntryFiles:
        """Read the bank's files."""
        entry, self.known = read_bank_files(self.session, path, lancamentos)
        return entry

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add the differences between bank and books, and the proofs about open títulos, as known on D."""
        warehouse, past = self.session.warehouse, find_known_day(self.session)
        if not has_files(warehouse, self.session.execucao_id):
            return facts
        files = list_read_files(warehouse, self.session.execucao_id)
        known = self.known or know_bank(self.session, [(name, sha256) for name, sha256, _ in files], past)
        if past is not None and not known.lidos:
            return facts  # nobody had put a statement there by then
        renumbered, gone = known.list_renumbered()
        typed = _read_typed(facts.mesas.extrato, renumbered)
        reconciliation = reconcile(position, known, list_keys(self.session), typed)
        suggested = suggest(position, list_unbooked(reconciliation))
        proved = prove_open(position, reconciliation, suggested)
        moved = _say_moved(position, proved)
        refused = {name: refused for name, _, refused in files}
        whole = BankFound(reconciliation, suggested, refused, guess_accounts(position, known.lidos))
        self.lines = list_lines(position, whole)
        said = say_bank(reconciliation)
        return replace(
            facts,
            por_opcao={**facts.por_opcao, BANK: whole},
            banco=BankFacts(
                moved,
                frozenset(titulo_id for titulo_id, evidence in proved.items() if evidence.prova == SEM_DEBITO),
                {
                    titulo_id: f"{evidence.prova}: {moved[titulo_id]}" if titulo_id in moved else evidence.prova
                    for titulo_id, evidence in proved.items()
                },
                tuple(find_unpassed(position, reconciliation)),
                say_returned(position, reconciliation, suggested),
                renumbered,
                gone,
            ),
            nao_entendidos=[*facts.nao_entendidos, *_list_misunderstood(reconciliation)],
            linhas_da_capa=[*facts.linhas_da_capa, *([(BANCO, said, SHEET)] if said else [])],
        )

    def list_tables(self, catalogue: Catalogue) -> Sequence[Table]:
        """List the lines of the sheet *Extrato*."""
        del catalogue
        return self.list_empty_tables() if self.lines is None else (self.lines,)

    @classmethod
    def list_empty_tables(cls) -> Sequence[Table]:
        """List them without any row."""
        return (list_lines(None, None),)


OPTION: Final = BankOption


def _read_typed(typed: Mapping[int, Mapping[str, str]], renumbered: Mapping[int, int]) -> TypedLines:
    """Read what stands beside lines of statements at the payments desk; what a line's last number has is the newest."""
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


def _list_misunderstood(reconciliation: BankReconciliation) -> list[tuple[str, int]]:
    """List the lines whose título, typed by hand, is none of the account's payments, or taken (Q39)."""
    return [
        ("extrato", line.extrato_id) for account in reconciliation.contas.values() for line in account.casados.recusados
    ]


def _say_moved(position: Position, proved: Mapping[int, BankEvidence]) -> dict[int, str]:
    """Say of each título that the bank moved when it did."""
    incoming = set(position.titulos.loc[position.titulos["tipo"] == "R", "titulo_id"])
    return {
        titulo_id: f"o banco {'recebeu' if titulo_id in incoming else 'pagou'} em {evidence.dia:%d/%m}"
        for titulo_id, evidence in proved.items()
        if evidence.prova == CONFIRMADA and evidence.dia is not None
    }
