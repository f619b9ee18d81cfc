"""Curva ABC of customers (R10, R12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.calendar import add_months, month_start
from lastro.money import ratio_pct
from lastro.transform.position import Position

MONTHS = 12
CUTS: Final = (80, 95)
"""Percent of the revenue at which class A ends, and class B."""


@dataclass(frozen=True)
class Standing:
    """A person's place on the curve.

    Attributes:
        receita_centavos: revenue of the 12 closed months.
        acumulado_pct: share of all positive revenue up to and with the person; None when the revenue is not positive.
        classe: "A", "B" or "C".
    """

    receita_centavos: int
    acumulado_pct: Decimal | None
    classe: str


def rank_customers(position: Position, current: date | None = None) -> dict[int | None, Standing]:
    """Rank persons by their revenue of the 12 closed months before a month, D's by default, by competence (R12).

    Revenue: linhas of natureza R, no transfers, not `fora`, by the linha's person; None is "Sem pessoa". Class A while
    the cumulative share *before* the person is below the first cut, B below the second, else C; a revenue that is not
    positive is C and last. The whole is the sum of the positive revenues.

    Returns:
        Person -> standing, in the order of the curve (revenue descending, ties by id, "Sem pessoa" last); persons
        without any revenue linha are not in it.
    """
    current = current or month_start(position.data_base)
    first, last = pd.Timestamp(add_months(current, -MONTHS)), pd.Timestamp(current)
    linhas = position.linhas
    chosen = linhas[
        (linhas["natureza"] == "R")
        & ~linhas["transferencia"]
        & ~linhas["fora_resultado"]
        & (linhas["valor_centavos"] != 0)
        & (linhas["data_competencia_ef"] >= first)
        & (linhas["data_competencia_ef"] < last)
    ]
    sums = chosen.groupby("pessoa_id", dropna=False, as_index=False)[["valor_centavos"]].sum()
    revenue: list[tuple[int | None, int]] = list(records_of(sums, "pessoa_id", "valor_centavos"))
    revenue.sort(key=lambda item: (-item[1], item[0] is None, item[0] or 0))
    whole = sum(max(centavos, 0) for _, centavos in revenue)
    first_cut, second_cut = CUTS
    running = 0
    ranking: dict[int | None, Standing] = {}
    for pessoa_id, centavos in revenue:
        if centavos <= 0:
            ranking[pessoa_id] = Standing(centavos, None, "C")
            continue
        before = Decimal(running) * 100
        classe = "A" if before < first_cut * whole else "B" if before < second_cut * whole else "C"
        running += centavos
        ranking[pessoa_id] = Standing(centavos, ratio_pct(running, whole), classe)
    return ranking


UNRANKED = Standing(0, None, "C")
"""The standing of a person without revenue."""
