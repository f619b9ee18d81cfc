"""What a check and a data-quality rule answer, and how far that makes figures trustworthy (S15).

R15 prints the answers and `ops.verificacoes` keeps them.

Belongs here: the shapes. Does not belong here: the rules (`lastro.quality.queries`) and how anything is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from lastro.grid.words import count_text
from lastro.money import format_brl

Amount = Decimal | int | str | None
ERRO, ALERTA = "erro", "alerta"
LIGHT: Final = 3
"""Weight of what only wants tidying; 2 changes what is decided, 1 can cost the company."""
OK, FALHOU, NAO_SE_APLICA = "ok", "falhou", "não se aplica"
MAX_EXAMPLES: Final = 5
"""Ids that R15 prints per Q rule, and things that a failed check names in a sentence."""
RISK: Final = "Q41"
"""The finding of plans that may be lost: their late instalments come before all that is paid."""
CLOSED_MONTHS: Final = "V32"
"""The check of closed months: figures that were sent have changed."""
_ZERO: Final = Decimal("0.00")


def state_word(word: str) -> str:
    """Write a severity or a result as every sheet does; `ops.verificacoes` and Dagster have the bare words.

    >>> state_word("ok"), state_word("não se aplica"), state_word("alerta")
    ('OK', 'Não se aplica', 'Alerta')
    """
    return word.upper() if word == OK else word[:1].upper() + word[1:]


@dataclass(frozen=True)
class Verification:
    """The result of one V rule (S15).

    Attributes:
        id: "V01".
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
        peso: its place among checks of one severity, 1 first, as its head says.
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
    peso: int = LIGHT

    @property
    def failed(self) -> bool:
        """Whether the rule does not hold."""
        return self.situacao == FALHOU


def name_keys(check: Verification) -> str:
    """Name the things that a check found wrong, each with its own amounts; empty where it names none.

    >>> off = "2 comparações; cobrança 9: esperado 3,00, encontrado 2,00"
    >>> name_keys(Verification("V12", "Somam", "alerta", "falhou", chaves=("cobrança 9",), detalhe=off))
    'cobrança 9: esperado 3,00, encontrado 2,00'
    """
    told = [part for part in check.detalhe.split("; ") if ": esperado " in part]
    named = "; ".join(
        next((part for part in told if part.startswith(f"{key}: ")), key) for key in check.chaves[:MAX_EXAMPLES]
    )
    more = f" e mais {check.registros - MAX_EXAMPLES}" if check.registros > MAX_EXAMPLES else ""
    return f"{named}{more}"


@dataclass(frozen=True)
class Side:
    """What some records come to on one side: what goes in, or out; of open items receivables, or payables.

    Attributes:
        registros: how many.
        valor: what they come to, never negative.
    """

    registros: int = 0
    valor: Decimal = _ZERO


Sides = tuple[Side, Side]
"""What goes in (amounts above zero) and out (below), always apart."""


@dataclass(frozen=True)
class Finding:
    """What one Q rule noticed (R15); `mart.achados_itens` has the records.

    Attributes:
        regra: "Q01" .., or "MEMO": listed among the findings and none, the automatic settlements of the month (S10).
        titulo: the rule in a few words, pt-BR.
        gravidade: "erro", "alerta" or "informação".
        qtde: how many records, each once.
        lados: what they come to, gross; None where no record has an amount (Q11), or one of no side (Q37).
        ids: their keys, ascending.
        por_que: why it matters, pt-BR.
        como_corrigir: what to do, pt-BR.
        tipo: what the first id is of: "titulo", "linha", "conta", "grupo", "pessoa", "categoria", a list, ...
        abertos: whether all of them are open, so that the sides are what is to be received and what is to be paid.
        textos: what its records say, one by one, where people must be told each (Q24); ten a file, then how many more.
        peso: its place among findings of one severity, 1 first, as its head says.
    """

    regra: str
    titulo: str
    gravidade: str
    qtde: int
    lados: Sides | None
    ids: tuple[int, ...]
    por_que: str
    como_corrigir: str
    tipo: str = "linha"
    abertos: bool = False
    textos: tuple[str, ...] = ()
    peso: int = LIGHT

    @property
    def counted(self) -> bool:
        """Whether the stamp counts it, as it counts a check that failed."""
        return self.gravidade in (ERRO, ALERTA) and bool(self.qtde)

    @property
    def resumo(self) -> str:
        """What its records come to, in words; empty without amounts."""
        return describe_sides(self.lados, OPEN_ITEMS if self.abertos else FLOWS)

    @property
    def bruto(self) -> Decimal:
        """What both sides come to, never their difference; 0.00 without amounts."""
        return sum((side.valor for side in self.lados or ()), start=_ZERO)

    @property
    def dito(self) -> str:
        """Why it matters, after what is told of its records: they stand there already, or with what to do (Q28)."""
        texts = " · ".join(self.textos)
        return self.por_que if texts in self.por_que else f"{texts}. {self.por_que}"

    @property
    def exemplos(self) -> tuple[int, ...]:
        """The first five ids."""
        return self.ids[:MAX_EXAMPLES]


def find_ids(findings: Iterable[Finding], rule: str) -> frozenset[int]:
    """Return the records that a rule found."""
    return frozenset(number for finding in findings if finding.regra == rule for number in finding.ids)


def add_sides(amounts: Iterable[Decimal]) -> Sides:
    """Add signed amounts up, each side apart."""
    amounts = list(amounts)
    ins, outs = [amount for amount in amounts if amount > 0], [-amount for amount in amounts if amount < 0]
    return Side(len(ins), sum(ins, start=_ZERO)), Side(len(outs), sum(outs, start=_ZERO))


OPEN_ITEMS: Final = (("a receber", "a receber"), ("a pagar", "a pagar"))
FLOWS: Final = (("entrada", "entradas"), ("saída", "saídas"))
"""What the records of both sides are called, one of them and several."""


def describe_sides(sides: Sides | None, words: Iterable[tuple[str, str]] = OPEN_ITEMS) -> str:
    """Write how many records each side has and what it comes to; a side without any is left out.

    >>> describe_sides(add_sides([Decimal("10.00"), Decimal("-3.00"), Decimal("-4.00")]))
    '1 a receber R$ 10,00 · 2 a pagar R$ 7,00'
    >>> describe_sides(add_sides([Decimal("10.00"), Decimal("-3.00"), Decimal("-4.00")]), FLOWS)
    '1 entrada R$ 10,00 · 2 saídas R$ 7,00'
    """
    named = zip(sides or (), words, strict=False)
    return " · ".join(
        f"{count_text(side.registros, *name)} {format_brl(side.valor)}" for side, name in named if side.registros
    )


UNMAPPED, UNOPENED = "mapa_sem_grupo", "saldos_que_faltam"
"""The indicators that say what a run lacks: what the map leaves without a group, accounts without an opening."""
NAO_CONFIAVEL, ATENCAO, SOMAS_CONFEREM, CONFIAVEL = "NÃO CONFIÁVEL", "ATENÇÃO", "SOMAS CONFEREM", "CONFIÁVEL"


@dataclass(frozen=True)
class Lack:
    """What nobody stated and figures rest on: checks cannot see it, so what they prove are sums (S15).

    Attributes:
        mapas: companies whose map of the DRE leaves more without a group than `dre_mapa_tolerancia_pct` allows.
        saldos: accounts with movement whose opening balance nobody gave.
    """

    mapas: int = 0
    saldos: int = 0

    @classmethod
    def of_company(cls, indicators: Mapping[str, Decimal | None]) -> Lack:
        """Read it from the indicators of a company's run, of which one before 0.4.0 has neither.

        >>> Lack.of_company({UNMAPPED: Decimal("0.30"), UNOPENED: Decimal(2)}), Lack.of_company({})
        (Lack(mapas=1, saldos=2), Lack(mapas=0, saldos=0))
        """
        left_out, unopened = (indicators.get(slug) or Decimal(0) for slug in (UNMAPPED, UNOPENED))
        return cls(int(left_out > 0), int(unopened))

    def __bool__(self) -> bool:
        return bool(self.mapas or self.saldos)

    def __add__(self, other: Lack) -> Lack:
        return Lack(self.mapas + other.mapas, self.saldos + other.saldos)

    def __str__(self) -> str:
        """Name it.

        >>> str(Lack(1, 2)), str(Lack(3, 1)), str(Lack())
        ('mapa da DRE, 2 saldos', '3 mapas da DRE, 1 saldo', '')
        """
        maps = "mapa da DRE" if self.mapas == 1 else f"{self.mapas} mapas da DRE"
        named = ((self.mapas, maps), (self.saldos, count_text(self.saldos, "saldo", "saldos")))
        return ", ".join(text for count, text in named if count)


@dataclass(frozen=True)
class Trust:
    """How far figures can be trusted (S15): whatever says so says it by this; of a group the sum of its companies.

    Attributes:
        erros: failed checks and findings of severity erro.
        alertas: those of severity alerta.
        rejeitados: records that could not be read.
        falta: what nobody stated and figures rest on.
    """

    erros: int = 0
    alertas: int = 0
    rejeitados: int = 0
    falta: Lack = field(default_factory=Lack)

    @property
    def word(self) -> str:
        """Say it in a word or two."""
        if self.erros or self.rejeitados:
            return NAO_CONFIAVEL if self.erros else ATENCAO
        return SOMAS_CONFEREM if self.falta else CONFIAVEL

    def __add__(self, other: Trust) -> Trust:
        counts = (self.erros + other.erros, self.alertas + other.alertas, self.rejeitados + other.rejeitados)
        return Trust(*counts, self.falta + other.falta)

    @property
    def scope(self) -> str:
        """Say it with what is missing."""
        return f"{self.word} · falta: {self.falta}" if self.falta else self.word
