"""The bank's side as an option of a run: its files read, its lines held against the books, what that proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from lastro.bank.proof import CONFIRMADA, SEM_DEBITO, BankEvidence, guess_accounts, prove_open, suggest
from lastro.bank.reading import list_keys, read_bank_files
from lastro.bank.reconciliation import BankReconciliation, TypedLines, reconcile
from lastro.bank.report import BANK, SHEET, say_bank
from lastro.bank.storage import FOLDER, has_files, list_read_files, read_contents, replace_matches
from lastro.bank.tables import BankFound, list_lines
from lastro.folding import fold_words
from lastro.run.options import EntryFiles, Option

if TYPE_CHECKING:
    from lastro.catalogue import Catalogue, RunFacts
    from lastro.grid.model import Table
    from lastro.transform.position import Position

BANCO: Final = "BANCO"
"""What begins the line of the cover and of the terminal."""


class Delivery(Option):
    """The bank's side; a company without statements has none."""

    entrada: ClassVar[str] = FOLDER
    found: BankFound | None = None
    lines: Table | None = None

    def read_entry(self, path: Path) -> EntryFiles:
        """Read the bank's files."""
        return read_bank_files(self.session, path)

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add the differences between bank and books, and the proofs about open títulos."""
        warehouse, keys = self.session.warehouse, list_keys(self.session)
        if not has_files(warehouse, self.session.execucao_id):
            return facts
        files = list_read_files(warehouse, self.session.execucao_id)
        read = read_contents(warehouse, [(name, sha256) for name, sha256, _ in files], keys)
        found = reconcile(position, read, keys, _read_typed(facts.extrato_digitado))
        suggested = suggest(position, found)
        proved = prove_open(position, found, suggested)
        refused = {name: refused for name, _, refused in files}
        self.found = whole = BankFound(found, suggested, refused, guess_accounts(position, read))
        self.lines = list_lines(position, whole)
        said = say_bank(found)
        return replace(
            facts,
            por_opcao={**facts.por_opcao, BANK: whole},
            movidos={**facts.movidos, **_say_moved(position, proved)},
            prova_banco={**facts.prova_banco, **_say_proofs(position, proved)},
            nao_entendidos=[*facts.nao_entendidos, *_list_misunderstood(found)],
            nao_pagos=facts.nao_pagos | {number for number, one in proved.items() if one.prova == SEM_DEBITO},
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

    def keep(self) -> None:
        """Keep what each line was matched with."""
        replace_matches(self.session.warehouse, None if self.found is None else self.found.conciliacao)


def _read_typed(typed: Mapping[int, Mapping[str, str]]) -> TypedLines:
    """Read what stands beside lines of statements at the payments desk."""
    titulos = {number: cells.get("titulo", "").strip() for number, cells in typed.items()}
    ignored = frozenset(number for number, cells in typed.items() if fold_words(cells.get("ignorar", "")) == "sim")
    known = {number: int(text) for number, text in titulos.items() if text.isascii() and text.isdecimal()}
    return TypedLines({number: titulo for number, titulo in known.items() if titulo < 2**63}, ignored)


def _list_misunderstood(found: BankReconciliation) -> list[tuple[str, int]]:
    """List the lines whose título, typed by hand, is none of the account's payments, or taken (Q39)."""
    return [("extrato", line.extrato_id) for one in found.contas.values() for line in one.casados.recusados]


def _say_moved(position: Position, proved: Mapping[int, BankEvidence]) -> dict[int, str]:
    """Say of each título that the bank moved when it did."""
    incoming = set(position.titulos.loc[position.titulos["tipo"] == "R", "titulo_id"])
    return {
        number: f"o banco {'recebeu' if number in incoming else 'pagou'} em {one.dia:%d/%m}"
        for number, one in proved.items()
        if one.prova == CONFIRMADA and one.dia is not None
    }


def _say_proofs(position: Position, proved: Mapping[int, BankEvidence]) -> dict[int, str]:
    """Say what the bank knows of each open título, for the sheet *Já pagos* of the payments desk."""
    moved = _say_moved(position, proved)
    return {number: f"{one.prova}: {moved[number]}" if number in moved else one.prova for number, one in proved.items()}
