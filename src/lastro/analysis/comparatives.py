"""This period against the same one of last year (R19): pairs of periods, sums by line and category, what explains it.

Belongs here: which days are compared, what is added up, which variations explain the change. Does not belong here: the
rows of the sheet (`lastro.reports.r19_comparatives`) and the rule of the percent (`lastro.analysis.percent_change`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.analysis.income_statement import (
    Dre,
    Line,
    find_beginning,
    find_dre_grupos,
    find_sense,
    lay_lines,
    sum_categories,
    sum_revenue,
)
from lastro.analysis.percent_change import CompareRule, PercentChange
from lastro.analysis.tree import Vector
from lastro.calendar import ONE_DAY, add_months, month_end, month_start
from lastro.grid.sections import Style
from lastro.money import format_centavos
from lastro.transform.position import CLASS_KEYS, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, Position

TOP_CATEGORIES: Final = 5
TOP_PEOPLE: Final = 3
RESTO: Final = -1
"""In the place of a category: all that are not among the first."""

MONTH_TO_DAY: Final = "mes_ate_d"
"""Key of the first pair: D's month up to D against the same days of last year."""


@dataclass(frozen=True)
class Pair:
    """Two periods that are compared.

    Attributes:
        slug: its key in SQL.
        nome: printed.
        atual: first and last day of A.
        base: first and last day of B.
        inteiros: whole months on both sides.
    """

    slug: str
    nome: str
    atual: tuple[date, date]
    base: tuple[date, date]
    inteiros: bool

    @property
    def texto(self) -> str:
        """The days of both sides, "01-16/03/26 x 01-16/03/25"."""
        return f"{_span(*self.atual)} x {_span(*self.base)}"


def plan_pairs(position: Position) -> tuple[Pair, ...]:
    """Plan the four pairs (R19), whether or not there is a base."""
    day = position.data_base
    month, eve = month_start(day), month_start(day) - ONE_DAY
    pairs = []
    for slug, name, first, last in (
        (MONTH_TO_DAY, "Mês até D", month, day),
        ("mes_fechado", "Último mês fechado", month_start(eve), eve),
        ("ano_ate_d", "Ano até D", date(day.year, 1, 1), day),
        ("doze_fechados", "12 meses fechados", add_months(month, -12), eve),
    ):
        whole, then = last < day, add_months(last, -12)
        base = add_months(first, -12), month_end(then) if whole else then
        pairs.append(Pair(slug, name, (first, last), base, inteiros=whole))
    return tuple(pairs)


class Base(NamedTuple):
    """What is known of the base of a pair, of the result or of cash.

    Attributes:
        centavos: its revenue, or its Entradas.
        falta: what data it lacks; None where it lacks none.
    """

    centavos: int
    falta: str | None

    @property
    def rule(self) -> CompareRule:
        """How amounts are held against it."""
        return CompareRule(self.centavos, completa=self.falta is None)


class ComparedPair(NamedTuple):
    """A pair that has a base.

    Attributes:
        par: the pair.
        bases: `ACCRUED` and `CASH` -> what is known of it.
        dia_1_pct: share of |amount| whose competence is the first of a month, in whole percent; None over nothing.
    """

    par: Pair
    bases: Mapping[str, Base]
    dia_1_pct: int | None


ACCRUED, CASH = "resultado", "caixa"
CASH_LINES: Final = (
    Line("entradas", ENTRADAS),
    Line("saidas", SAIDAS),
    Line("fluxo_operacional", "= Fluxo operacional", ("entradas", "saidas"), Style.SUBTOTAL),
    Line("nao_operacional", NAO_OPERACIONAL),
    Line("geracao_de_caixa", "= Geração de caixa", ("entradas", "saidas", "nao_operacional"), Style.TOTAL),
)
"""The lines of realised cash, in order."""
_USED: Final = [
    "categoria_id", "pessoa_id", "conta_id", "classe", "natureza", "fora_resultado", "mes_competencia",
    "valor_centavos",
]  # fmt: skip


def select_compared(position: Position) -> dict[str, pd.DataFrame]:
    """Keep what R19 compares: non-transfer linhas of non-zero value, `dia` being the day that counts.

    Returns:
        `ACCRUED`: by competence, `fora` too, with `grupo` of the DRE. `CASH`: realised, with `grupo` the code of the
        class.
    """
    # Every pair looks at all of them again: only what is looked at.
    linhas = position.linhas[[*_USED, "transferencia", "caixa", "data_competencia_ef", "data_pagamento"]]
    linhas = linhas[~linhas["transferencia"] & (linhas["valor_centavos"] != 0)]
    accrued = linhas[linhas["data_competencia_ef"].notna()]
    cash = linhas[linhas["caixa"] & (linhas["classe"] != TRANSFERENCIAS)]
    return {
        ACCRUED: accrued[_USED].assign(grupo=find_dre_grupos(position, accrued), dia=accrued["data_competencia_ef"]),
        CASH: cash[_USED].assign(grupo=cash["classe"].map(CLASS_KEYS), dia=cash["data_pagamento"]),
    }


class Comparables(NamedTuple):
    """What R19 holds against its base.

    Attributes:
        linhas: as `select_compared`.
        pairs: those that have a base.
        without: those that have none: the books begin later.
    """

    linhas: Mapping[str, pd.DataFrame]
    pairs: Sequence[ComparedPair]
    without: Sequence[Pair]


def find_comparables(position: Position) -> Comparables:
    """Say of each pair what its base lacks."""
    linhas = select_compared(position)
    seen = ["dia", "mes_competencia", "valor_centavos", "natureza"]
    inside = linhas[ACCRUED].loc[~linhas[ACCRUED]["fora_resultado"], seen]
    caixa = linhas[CASH][["dia", "conta_id", "valor_centavos", "grupo"]]
    compared, without = [], []
    for par in plan_pairs(position):
        if not has_base(linhas[ACCRUED], par):
            without.append(par)
            continue
        now, then = select_days(inside, par.atual), select_days(inside, par.base)
        months, base_months = now["mes_competencia"].nunique(), then["mes_competencia"].nunique()
        # What runs up to D has no whole months to count (R19, golden figures).
        lacking = f"{base_months} de {months} meses" if par.inteiros and base_months < months else None
        cash, before = select_days(caixa, par.atual), select_days(caixa, par.base)
        both = pd.concat([now, then])
        sizes = both["valor_centavos"].abs()
        whole, first = int(sizes.sum()), int(sizes[both["dia"].dt.day == 1].sum())
        revenue = int(then.loc[then["natureza"] == "R", "valor_centavos"].sum())
        received = int(before.loc[before["grupo"] == "entradas", "valor_centavos"].sum())
        uncontrolled = lacking or _find_accounts_without_base(position, cash, par.base[0])
        bases = {ACCRUED: Base(revenue, lacking), CASH: Base(received, uncontrolled)}
        compared.append(ComparedPair(par, bases, (first * 200 + whole) // (2 * whole) if whole else None))
    return Comparables(linhas, compared, without)


def _find_accounts_without_base(position: Position, cash: pd.DataFrame, first: date) -> str | None:
    """Name how many accounts with movement in A were not in control yet on the first day of B (S7)."""
    contas = position.contas
    late = contas["data_saldo_inicial"].notna() & (contas["data_saldo_inicial"] > pd.Timestamp(first))
    count = int(contas.loc[late & contas["conta_id"].isin(cash["conta_id"].dropna()), "conta_id"].nunique())
    return f"{count} conta(s) ainda fora do controle" if count else None


def has_base(linhas: pd.DataFrame, par: Pair) -> bool:
    """Tell whether the books began no later than the base of a pair ends; what is `fora` begins nothing."""
    inside = linhas.loc[~linhas["fora_resultado"], ["dia", "mes_competencia"]]
    begun = inside["mes_competencia"] >= find_beginning(inside["mes_competencia"])
    return bool((begun & (inside["dia"] <= pd.Timestamp(par.base[1]))).any())


def is_between(linhas: pd.DataFrame, days: tuple[date, date]) -> pd.Series:
    """Tell which linhas have their `dia` between two days, both included."""
    return (linhas["dia"] >= pd.Timestamp(days[0])) & (linhas["dia"] <= pd.Timestamp(days[1]))


def select_days(linhas: pd.DataFrame, days: tuple[date, date]) -> pd.DataFrame:
    """Keep the linhas whose `dia` lies between two days, both included."""
    return linhas[is_between(linhas, days)]


def compare_first_pair(position: Position, dre: Dre) -> list[PercentChange | None]:
    """Hold D's month up to D against the same days of last year, for the rows of the DRE (R06): the first pair.

    Returns:
        The change of each branch: what holds nothing on those days has changed by nothing, whichever months made it a
        row. None where there is no base (`has_base`).
    """
    pair = plan_pairs(position)[0]
    linhas = dre.linhas.assign(dia=dre.linhas["data_competencia_ef"])
    if not has_base(linhas, pair):
        return [None] * len(dre.branches)
    rule = CompareRule(sum_revenue(select_days(linhas, pair.base)))
    laid = lay_lines(position.categorias, dre.lines, sum_pairs(linhas, [pair]), 2)
    sums = {branch.name: branch.valores.tolist() for branch in laid}
    pairs = ((branch, *sums.get(branch.name, (0, 0))) for branch in dre.branches)
    return [rule.compare(now, then, find_sense(one.codigo), total=one.is_sum) for one, now, then in pairs]


def sum_pairs(linhas: pd.DataFrame, pairs: Sequence[Pair]) -> dict[str, dict[int | None, Vector]]:
    """Sum by group and category: a vector of A and B of every pair in turn, signed centavos."""
    sides = [side for pair in pairs for side in (pair.atual, pair.base)]
    parts = ((is_between(linhas, days).to_numpy(), place, linhas["valor_centavos"]) for place, days in enumerate(sides))
    return sum_categories(linhas, len(sides), parts)


@dataclass(frozen=True)
class Driver:
    """A category that explains the change of the result.

    Attributes:
        categoria_id: None = "Sem categoria"; `RESTO` = the others together.
        atual: centavos of A.
        base: centavos of B.
        pessoas: who makes the variation (None is nobody) and how much of it, the largest first, then `RESTO`: all
            others together.
        modulo: |A - B|, added up over the categories that it stands for.
        quantas: how many categories it stands for.
    """

    categoria_id: int | None
    atual: int
    base: int
    pessoas: Mapping[int | None, int]
    modulo: int
    quantas: int = 1

    @property
    def variacao(self) -> int:
        """A - B in centavos."""
        return self.atual - self.base

    @property
    def tipo(self) -> str:
        """What became of it: novo, encerrado, virou, maior or menor."""
        if self.base == 0 or self.atual == 0:
            return "novo" if self.base == 0 else "encerrado"
        if (self.atual > 0) != (self.base > 0):
            return "virou"
        return "maior" if abs(self.atual) > abs(self.base) else "menor"


def explain(linhas: pd.DataFrame, par: Pair) -> list[Driver]:
    """Find the variations that explain the change of the result of a pair (R19), of linhas by competence.

    Returns:
        The categories (a linha's own) with the largest |A - B|, ties by id, then the others together where there are
        any. All are differences of sums of the same linhas, so they add to the change of the result exactly.
    """
    inside = linhas.loc[~linhas["fora_resultado"], ["dia", "categoria_id", "pessoa_id", "valor_centavos"]]
    now, then = select_days(inside, par.atual), select_days(inside, par.base)
    both = _compare(now, then, "categoria_id")
    first = [(key, a, b) for key, (a, b) in islice(both.items(), TOP_CATEGORIES) if a != b]
    drivers = [
        Driver(key, a, b, _share(_of_category(now, key), _of_category(then, key)), abs(a - b)) for key, a, b in first
    ]
    if rest := [*both.values()][len(first) :]:
        current, before = (sum(side) for side in zip(*rest, strict=True))
        size = sum(abs(a - b) for a, b in rest)
        drivers.append(Driver(RESTO, current, before, {RESTO: current - before}, size, len(rest)))
    return drivers


def _share(now: pd.DataFrame, then: pd.DataFrame) -> dict[int | None, int]:
    shares = {key: a - b for key, (a, b) in _compare(now, then, "pessoa_id").items() if a != b}
    rest = [*shares.values()][TOP_PEOPLE:]
    return {**dict(islice(shares.items(), TOP_PEOPLE)), **({RESTO: sum(rest)} if rest else {})}


def _compare(now: pd.DataFrame, then: pd.DataFrame, column: str) -> dict[int | None, tuple[int, int]]:
    """Sum A and B by a column of ids, the largest |A - B| first, ties by id."""
    a, b = _sum_by(now, column), _sum_by(then, column)
    both = {key: (a.get(key, 0), b.get(key, 0)) for key in {*a, *b}}
    return dict(sorted(both.items(), key=lambda item: (-abs(item[1][0] - item[1][1]), item[0] or 0)))


def _of_category(linhas: pd.DataFrame, key: int | None) -> pd.DataFrame:
    own = linhas["categoria_id"].isna() if key is None else linhas["categoria_id"].eq(key).fillna(value=False)
    return linhas[own.astype(bool)]


def _sum_by(linhas: pd.DataFrame, column: str) -> dict[int | None, int]:
    places, keys = pd.factorize(linhas[column], use_na_sentinel=False)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, places, linhas["valor_centavos"].to_numpy())
    return {None if pd.isna(key) else int(key): int(value) for key, value in zip(keys, sums, strict=True)}


def write_sentence(driver: Driver, categoria: str, name: Callable[[int | None], str]) -> str:
    """Say a variation in words: "Serviços caiu 4.200,00: Azul -4.200,00".

    Args:
        categoria: name of its category.
        name: gives a person's name.
    """
    cost = driver.atual <= 0 and driver.base <= 0
    rose = driver.variacao > 0 if not cost else driver.variacao < 0
    people = ", ".join(f"{name(person)} {format_centavos(centavos)}" for person, centavos in driver.pessoas.items())
    text = f"{categoria} {'subiu' if rose else 'caiu'} {format_centavos(abs(driver.variacao))}"
    return f"{text}: {people}" if people else text


def _span(first: date, last: date) -> str:
    if (first.year, first.month) == (last.year, last.month):
        return f"{first:%d}-{last:%d/%m/%y}"
    return f"{first:%d/%m/%y}-{last:%d/%m/%y}"
