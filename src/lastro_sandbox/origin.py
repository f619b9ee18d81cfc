"""Where a set of books comes from: what was asked for, so that the same books can be made again.

A state file keeps its origin: a second start with other wishes is refused instead of ignored, and starting over makes
the books once more.
"""

from __future__ import annotations

import gc
import json
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro_sandbox.company import make_company
from lastro_sandbox.decisions import CompositeShape, Dialect
from lastro_sandbox.exported import read_export
from lastro_sandbox.golden import golden_company
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry

EXAMPLES: Final = ("ouro", "ouro-anterior")
OPTIONS: Final = {
    "seed": "--semente",
    "lancamentos": "--lancamentos",
    "hoje": "--hoje",
    "empresa_exemplo": "--empresa-exemplo",
    "forma_composto": "--forma-composto",
    "saldo_inicial_lancamento": "--saldo-inicial-lancamento",
    "dados": "--dados",
}
"""Field of an ``Origin`` -> the option of the command that asks for it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What was asked for. ``hoje`` is ISO text, None for the day that the sandbox invents (2026-03-16).

    ``nome`` sets a company apart from others on the same port; ``dados`` is the folder of a user's own export.
    """

    seed: int = 1
    lancamentos: int = 5000
    hoje: str | None = None
    empresa_exemplo: str | None = None
    forma_composto: CompositeShape = "A"
    saldo_inicial_lancamento: bool = False
    dialeto: Dialect = "documento"
    nome: str | None = None
    dados: str | None = None

    def build(self) -> Books:
        """Make the books.

        Raises:
            ExportError: the folder of a user's own export can't be read.
        """
        collecting = gc.isenabled()
        gc.disable()  # nothing becomes garbage while a million records are made; looking for some takes seconds
        try:
            books = self._build()
        finally:
            if collecting:
                gc.enable()
        if self.nome is not None:
            books.nome, books.empresa_id = f"{books.nome} ({self.nome})", self.nome
        return books

    def _build(self) -> Books:
        if self.dados is not None:
            return read_export(Path(self.dados), date.fromisoformat(self.hoje or "2026-03-16"))
        if self.empresa_exemplo is None:
            day = None if self.hoje is None else date.fromisoformat(self.hoje)
            books = make_company(self.seed, self.lancamentos, day, self.forma_composto, self.dialeto)
            if self.saldo_inicial_lancamento:
                list_opening_balances(books)
            return books
        return golden_company(
            self.forma_composto,
            saldo_inicial=self.saldo_inicial_lancamento,
            anterior=self.empresa_exemplo == "ouro-anterior",
        )

    def to_text(self) -> str:
        """Write it as JSON, for a state file."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def find_contradictions(self, **asked: Any) -> list[str]:
        """Return the options whose value is not the one that these books were made with."""
        return [OPTIONS[name] for name, value in asked.items() if getattr(self, name) != value]


def list_opening_balances(books: Books) -> None:
    """List each account's opening balance as an ordinary paid entry too, below the ids of all others."""
    first = min(books.lancamentos, default=1001) - len(books.contas)
    opening = [
        Entry(
            id=first + place,
            conta_id=account.id,
            categoria_id=None,
            valor=account.valor_saldo_inicial,
            descricao="Saldo inicial",
            data_vencimento=account.data_saldo_inicial or books.hoje,
            data_pagamento=account.data_saldo_inicial or books.hoje,
            data_competencia=account.data_saldo_inicial or books.hoje,
        )
        for place, account in enumerate(sorted(books.contas.values(), key=lambda account: account.id))
    ]
    books.load_entries(opening)
    books.saldos_lancados = frozenset(entry.id for entry in opening)


def read_origin(text: str) -> Origin:
    """Read what ``to_text`` wrote; a field that another version added is left out."""
    known = {field.name for field in fields(Origin)}
    return Origin(**{name: value for name, value in json.loads(text).items() if name in known})
