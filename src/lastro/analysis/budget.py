"""Budgeted against booked, by category and month of D's year, and how the year closes (R18).

Belongs here: which category answers for a linha, what is still to be contracted, the verdict on a deviation. Does not
belong here: the reading of the file (`lastro.entrada.orcamento`) and the sheet (`lastro.reports.r18_budget`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.tree import Vector, list_above, rank_paths
from lastro.calendar import add_months
from lastro.schema.values import ORIGINAL, REVISADO, TIPO_DESPESA, TIPO_RECEITA

if TYPE_CHECKING:
    from lastro.transform.position import Position

MONTHS: Final = 12
CRITICO, ATENCAO, SEM_ORCAMENTO, OK = "Crítico", "Atenção", "Não orçado", "OK"
CUTS: Final = ((25, CRITICO), (10, ATENCAO))
"""Percent of the budget from which an unfavourable deviation is called so, the worst first (R18)."""
_SIDES: Final[dict[Any, int]] = {TIPO_RECEITA: 0, TIPO_DESPESA: 2}
MISTA: Final = 0
"""tipo of a category of which neither sign is good news."""


def _twelve() -> Vector:
    return np.zeros(MONTHS, np.int64)


@dataclass(frozen=True)
class BudgetKey:
    """One category of the year: its budget, and the bookings on it and on the categories below it that have no budget.

    Attributes:
        categoria_id: the category, None = without one.
        orcada: it has a budget row in the year.
        fora: outside the result (S17); such a key is in no total.
        mista: of tipo 0, neither good nor bad.
        original: signed centavos per month, with `tem_original` where the file has a row.
        vigente: what is in force, the revised amount where there is one; with `tem_vigente`.
        realizado: of competence up to D; contratado: after D, paid or not.
    """

    categoria_id: int | None
    orcada: bool
    fora: bool
    mista: bool
    original: Vector = field(default_factory=_twelve)
    tem_original: Vector = field(default_factory=_twelve)
    vigente: Vector = field(default_factory=_twelve)
    tem_vigente: Vector = field(default_factory=_twelve)
    realizado: Vector = field(default_factory=_twelve)
    contratado: Vector = field(default_factory=_twelve)


@dataclass(frozen=True)
class YearBudget:
    """The budget of D's year.

    Attributes:
        ano: its first day.
        fechados: closed months of it, 0 in January: so also the place of D's month among the twelve.
        chaves: budgeted keys as the tree prints them, then the others by |realizado|, then those outside the result.
        existe: some budget is kept, of whatever year.
    """

    ano: date
    fechados: int
    chaves: tuple[BudgetKey, ...]
    existe: bool

    @property
    def meses(self) -> tuple[date, ...]:
        """The months of the year."""
        return tuple(add_months(self.ano, offset) for offset in range(MONTHS))

    @cached_property
    def amounts(self) -> tuple[Vector, Vector, Vector, Vector]:
        """The amounts, key x month: budget in force, realizado, contratado, and what is still to be contracted.

        That is s(B, X) of D's month and of later ones (R18).
        """
        rows = [(key.vigente, key.realizado, key.contratado) for key in self.chaves]
        planned, done, ahead = np.array(rows, np.int64).reshape(-1, 3, MONTHS).swapaxes(0, 1)
        pairs = zip(planned.ravel().tolist(), (done + ahead).ravel().tolist(), strict=True)
        left = np.array([find_uncontracted(*pair) for pair in pairs], np.int64).reshape(-1, MONTHS)
        left[:, : self.fechados] = 0
        return planned, done, ahead, left


def find_uncontracted(orcado: int, booked: int) -> int:
    """Return what is still to be contracted of a budget: s(B, X), both signed centavos (R18).

    A refund frees no more than the budget, and what exceeds it leaves nothing.

    >>> [find_uncontracted(*pair) for pair in ((-1000, -400), (-1000, -1300), (-1000, 200), (4000, -200), (0, -600))]
    [-600, 0, -1000, 4000, 0]
    """
    if not orcado:
        return 0
    sign = 1 if orcado > 0 else -1
    return sign * max(0, abs(orcado) - max(0, sign * booked))


def classify_deviation(orcado: int, realizado: int, minimum: int) -> str:
    """Say how bad a deviation of the year to date is; centavos, and `fazer_minimo` in them (R18).

    Where nothing was budgeted for these months any cost above the minimum is critical: it is no share of nothing.
    """
    deviation = realizado - orcado
    if deviation < 0 and -deviation >= minimum:
        return next((word for cut, word in CUTS if -deviation * 100 >= cut * abs(orcado)), OK)
    return OK


def find_budget(position: Position) -> YearBudget:
    """Hold the budget of D's year against what is booked by competence; transfers are left out (S6)."""
    day = position.data_base
    year = date(day.year, 1, 1)
    rows = position.orcamento
    of_year = rows[(rows["mes"] >= pd.Timestamp(year)) & (rows["mes"] < pd.Timestamp(add_months(year, MONTHS)))]
    nodes = {int(key) for key in of_year["categoria_id"]}
    if not nodes:
        return YearBudget(year, day.month - 1, (), existe=not rows.empty)
    frame = position.categorias
    chains = {key: [key, *above[::-1]] for key, above in list_above(frame)}
    outside = {int(key) for key in frame.loc[frame["fora_resultado"], "categoria_id"]}
    mixed = {int(key) for key in frame.loc[frame["tipo_categoria_id"] == MISTA, "categoria_id"]}
    keys: dict[tuple[int | None, bool], BudgetKey] = {
        (node, node in outside): BudgetKey(node, orcada=True, fora=node in outside, mista=node in mixed)
        for node in sorted(nodes)
    }
    typed = records_of(of_year, "versao", "categoria_id", "mes", "valor_centavos")
    for versao, key, mes, centavos in sorted(typed, key=lambda row: row[0] == REVISADO):
        own, place = keys[key, key in outside], mes.month - 1
        own.vigente[place], own.tem_vigente[place] = centavos, 1
        if versao == ORIGINAL:
            own.original[place], own.tem_original[place] = centavos, 1
    for category, fora, month, ahead, centavos in _sum_booked(position, year):
        chain = () if category is None else chains.get(category, ())
        owner = next((step for step in chain if step in nodes), None)
        if fora and owner is None:
            continue
        name = category if owner is None else owner
        key = BudgetKey(name, orcada=owner is not None, fora=fora, mista=name in mixed)
        own = keys.setdefault((name, fora), key)
        (own.contratado if ahead else own.realizado)[month - 1] += centavos
    return YearBudget(year, day.month - 1, _in_order(position.categorias, [*keys.values()]), existe=True)


def _sum_booked(position: Position, year: date) -> list[tuple[Any, ...]]:
    """Add the linhas of the year: category, outside the result, month, of competence after D, centavos."""
    linhas = position.linhas
    first, end = pd.Timestamp(year), pd.Timestamp(add_months(year, MONTHS))
    days = linhas["data_competencia_ef"]
    chosen = linhas[~linhas["transferencia"] & (linhas["valor_centavos"] != 0) & (days >= first) & (days < end)]
    days = chosen["data_competencia_ef"]
    parts = {
        "categoria_id": chosen["categoria_id"].astype("Int64"),
        "fora": chosen["fora_resultado"],
        "mes": days.dt.month,
        "adiante": days > pd.Timestamp(position.data_base),
        "valor": chosen["valor_centavos"],
    }
    names = [*parts][:-1]
    sums = pd.DataFrame(parts).groupby(names, dropna=False, as_index=False).agg(valor=("valor", "sum"))
    return list(records_of(sums, *names, "valor"))


def _in_order(categorias: pd.DataFrame, keys: Sequence[BudgetKey]) -> tuple[BudgetKey, ...]:
    places = {key: rank for rank, key in enumerate(order_tree(categorias))}

    def place(key: BudgetKey) -> tuple[bool, bool, int, int]:
        own = key.categoria_id or 0
        return (
            (key.fora, False, 0, places[own]) if key.orcada else (key.fora, True, -abs(int(key.realizado.sum())), own)
        )

    return tuple(sorted(keys, key=place))


def order_tree(categorias: pd.DataFrame) -> list[int]:
    """Order categories as the sheet prints them: trees of revenue, mixed ones, then expense, each by name (R04)."""
    tipos = dict(zip(categorias["categoria_id"], categorias["tipo_categoria_id"], strict=True))
    sides = [_SIDES.get(tipos.get(above[0] if above else key), 1) for key, above in list_above(categorias)]
    frame = categorias[["categoria_id"]].assign(lado=sides, lugar=rank_paths(categorias)(categorias["categoria_id"]))
    return [int(key) for key in frame.sort_values(["lado", "lugar"])["categoria_id"]]
