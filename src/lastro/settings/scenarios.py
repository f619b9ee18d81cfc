"""Scenarios and scopes: other views of a company's books, besides the books as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated

from lastro.settings.parsers import MAX_DAYS, parse_integer, parse_percent, parse_short_name, setting, tables

Percent = Annotated[Decimal, parse_percent]
Days = Annotated[int, parse_integer(0, MAX_DAYS)]
ShortName = Annotated[str, parse_short_name]


def find_twice(ids: Iterable[int | None]) -> list[int]:
    """List the ids that stand more than once; None is one that could not be read."""
    return sorted(found for found, count in Counter(ids).items() if count > 1 and found is not None)


@dataclass(frozen=True)
class Atraso:
    """A customer that pays everything not yet due so many days later."""

    pessoa_id: int = setting(about="cliente que paga mais tarde")
    dias: Annotated[int, parse_integer(1, MAX_DAYS)] = setting(about="quantos dias depois do projetado")


@dataclass(frozen=True)
class Queda:
    """A category, with those below it, whose projected amounts shrink."""

    categoria_id: int = setting(about="categoria que encolhe, com as abaixo dela")
    percentual: Percent = setting(about="% que não vem")


@dataclass(frozen=True)
class Avulso:
    """An amount that moves cash once."""

    data: date = setting(about="dia em que o caixa se move; antes da data-base não conta")
    valor: Decimal = setting(about="valor com sinal: negativo sai")
    descricao: str = setting("", about="o que é")


@dataclass(frozen=True)
class Cenario:
    """What if: an extra column beside the projected balance; the base never changes."""

    nome: ShortName = setting(about="nome da coluna")
    calote_pct: Percent | None = setting(
        None,
        about="% dos vencidos a receber que nunca vem; nenhum os deixa como na base",
    )
    recuperacao_dias: Days = setting(30, about="com calote_pct: dias depois da data-base em que vem o resto")
    atrasos: tuple[Atraso, ...] = tables()
    quedas: tuple[Queda, ...] = tables()
    avulsos: tuple[Avulso, ...] = tables()

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield what is told twice, or that the scenario changes nothing."""
        for key, of, ids in (
            ("atrasos", "pessoa_id", [part.pessoa_id for part in self.atrasos]),
            ("quedas", "categoria_id", [part.categoria_id for part in self.quedas]),
        ):
            for twice in find_twice(ids):
                yield f"{key}.{of}", f"{twice} aparece duas vezes; diga uma só"
        if not told and self.calote_pct is None and not (self.atrasos or self.quedas or self.avulsos):
            yield "", "não muda nada; acrescente calote_pct, atrasos, quedas ou avulsos"


@dataclass(frozen=True)
class Recorte:
    """A scope: the reports once more, over a part of the entries, in a workbook of their own (DEC10).

    An entry is in scope when it meets every criterion given.
    """

    nome: ShortName = setting(about="nome da pasta de trabalho do recorte")
    contas: tuple[int, ...] = setting((), about="contas")
    centros: tuple[int, ...] = setting((), about="centros de custo")
    pessoas: tuple[int, ...] = setting((), about="clientes e fornecedores")
    tags: tuple[int, ...] = setting((), about="tags, qualquer delas")

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield that the scope leaves nothing out."""
        if not (told or self.contas or self.centros or self.pessoas or self.tags):
            yield "", "não deixa nada de fora; acrescente contas, centros, pessoas ou tags"
