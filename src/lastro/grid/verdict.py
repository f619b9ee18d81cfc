"""What a check and a data-quality rule answer: values that R15 prints and `ops.verificacoes` keeps (S15).

Belongs here: the shapes. Does not belong here: the rules (`lastro.quality.registry`) and how anything is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

Amount = Decimal | int | str | None
ERRO, ALERTA = "erro", "alerta"
OK, FALHOU, NAO_SE_APLICA = "ok", "falhou", "não se aplica"
INFORMA: Final = "informação"
"""Nothing is wrong, and somebody should know: never counted in the flag (V13)."""
"""Offending keys that a check hands over; `registros` counts them all."""
MAX_EXAMPLES: Final = 5
"""Ids that R15 prints per Q rule."""


@dataclass(frozen=True)
class Outcome:
    """What a check found; with its rule it becomes a `Verification`, whose attributes these are.

    Attributes:
        severidade: "erro" or "alerta" where this result calls for another one than its rule's (V09, V14).
    """

    situacao: str
    esperado: Amount = None
    encontrado: Amount = None
    diferenca: Decimal | None = None
    registros: int = 0
    chaves: tuple[str, ...] = ()
    detalhe: str = ""
    resumo: str = ""
    severidade: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the rule does not hold."""
        return self.situacao == FALHOU


@dataclass(frozen=True)
class Verification:
    """The result of one V rule (S15).

    Attributes:
        id: "V01" to "V21", "V27", "V32", "V34", "V35".
        descricao: the rule in words, pt-BR.
        severidade: "erro" or "alerta", as this result calls for (V09 and V14 can be either).
        situacao: "ok", "falhou", "não se aplica" or "informação".
        esperado: headline of the rule when it holds; of the first difference when it fails.
        encontrado: the same, as found.
        diferenca: found minus expected where both are amounts.
        registros: how many keys differ.
        chaves: those keys, at most 10 ("linha 1011", "conta 101 · 2026-03").
        detalhe: how many comparisons were made, or what differs; never a name of a person or a document number.
        resumo: what the cover says of it; empty: the rule in words.
    """

    id: str
    descricao: str
    severidade: str
    situacao: str
    esperado: Amount = None
    encontrado: Amount = None
    diferenca: Decimal | None = None
    registros: int = 0
    chaves: tuple[str, ...] = ()
    detalhe: str = ""
    resumo: str = ""

    @property
    def failed(self) -> bool:
        """Whether the rule does not hold."""
        return self.situacao == FALHOU


@dataclass(frozen=True)
class Finding:
    """What one Q rule noticed (R15).

    Attributes:
        regra: "Q01" .. or "MEMO".
        titulo: the rule in a few words, pt-BR.
        gravidade: "erro", "alerta" or "informação".
        qtde: how many records.
        valor: their signed sum, or None where a sum says nothing (Q11, Q17).
        ids: their keys, ascending: título, linha, conta, grupo, pessoa or categoria, as the rule names them.
        por_que: why it matters, pt-BR.
        como_corrigir: what to do, pt-BR.
    """

    regra: str
    titulo: str
    gravidade: str
    qtde: int
    valor: Decimal | None
    ids: tuple[int, ...]
    por_que: str
    como_corrigir: str

    @property
    def exemplos(self) -> tuple[int, ...]:
        """The first five ids."""
        return self.ids[:MAX_EXAMPLES]
