"""The bank's side as an option of a run: its files read, its lines held against the books, what that proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from lastro.bank.proof import CONFIRMADA, SEM_DEBITO, BankEvidence, guess_accounts, prove_open, suggest
from lastro.bank.reading import PLACE, list_keys, read_bank_files
from lastro.bank.reconciliation import BankReconciliation, reconcile
from lastro.bank.report import BANK, say_bank
from lastro.bank.storage import FOLDER, has_files, list_read_files, read_contents, replace_matches
from lastro.bank.tables import BankFound, build_tables
from lastro.run.options import EntryFiles, Option

if TYPE_CHECKING:
    from lastro.catalogue import RunFacts
    from lastro.grid.model import Table
    from lastro.transform.position import Position

BANCO: Final = "BANCO"
"""What begins the line of the cover and of the terminal."""


class Delivery(Option):
    """The bank's side; a company without statements has none."""

    entrada: ClassVar[str] = FOLDER
    found: BankReconciliation | None = None

    def read_entry(self, path: Path) -> EntryFiles:
        """Read the bank's files."""
        return read_bank_files(self.session, path)

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add what the bank has and the books have not, and what it proves of open títulos."""
        warehouse, keys = self.session.warehouse, list_keys(self.session)
        if not has_files(warehouse, self.session.execucao_id, PLACE):
            return facts
        files = list_read_files(warehouse, self.session.execucao_id, PLACE)
        read = read_contents(warehouse, [(name, sha256) for name, sha256, _ in files], keys)
        self.found = found = reconcile(position, read, keys)
        suggested = suggest(position, found)
        proved = prove_open(position, found, suggested)
        said = say_bank(found)
        return replace(
            facts,
            das_opcoes={
                **facts.das_opcoes,
                BANK: BankFound(
                    found, suggested, {name: refused for name, _, refused in files}, guess_accounts(position, read)
                ),
            },
            movidos={**facts.movidos, **_say_moved(position, proved)},
            nao_pagos=facts.nao_pagos | {number for number, one in proved.items() if one.prova == SEM_DEBITO},
            fontes=[*facts.fontes, *([(BANCO, said)] if said else [])],
            ditos=[*facts.ditos, *([f"{BANCO}  {said}"] if said else [])],
        )

    def list_tables(self) -> Sequence[Table]:
        """List the tables of Conciliação where there is none: a question on them has an answer, without rows."""
        return self.list_empty_tables() if self.found is None else ()

    @classmethod
    def list_empty_tables(cls) -> Sequence[Table]:
        """List the tables of Conciliação without any row."""
        return build_tables(None, None)

    def keep(self) -> None:
        """Keep what each line was matched with."""
        replace_matches(self.session.warehouse, self.found)


def _say_moved(position: Position, proved: Mapping[int, BankEvidence]) -> dict[int, str]:
    """Say of each título that the bank moved when it did."""
    incoming = set(position.titulos.loc[position.titulos["tipo"] == "R", "titulo_id"])
    return {
        number: f"o banco {'recebeu' if number in incoming else 'pagou'} em {one.dia:%d/%m}"
        for number, one in proved.items()
        if one.prova == CONFIRMADA and one.dia is not None
    }
