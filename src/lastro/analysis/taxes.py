"""Taxes among the payables (R21): open amounts, the cost of being late, and months without an entry.

Does not belong here: what is a tax and what a plan of instalments (`lastro.transform.taxes`), and how they are laid out
(`lastro.reports.r21_taxes`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.calendar import add_months
from lastro.money import divide_half_up
from lastro.transform.position import Position, as_date
from lastro.transform.taxes import OF_TAXES, find_plans, find_tax_categories

DUE, LATE, PLAN, MISSING = "a vencer", "atrasado", "em parcelamento", "sem guia"
FINE_A_DAY, MOST_FINE = 33, 2_000
"""The fine of a late tax in hundredths of a percent: 0,33 % a day, 20 % at most."""
SCALE: Final = 10_000
QUARTER: Final = 3
"""A tax that mostly skips fewer months than these comes each month: one between two of them is missed (Q40)."""


def list_open_taxes(
    position: Position,
    decided: Mapping[int, str],
    settled: Collection[int],
    answered: Collection[int],
) -> pd.DataFrame:
    """List the open linhas of payables that are taxes.

    Args:
        decided: titulo_id -> what was decided of it.
        settled: títulos that were paid, though the books do not say so yet: owed no more (S26).
        answered: títulos that the desk answered to be in a plan of instalments: nothing of them is late, nor charged.

    Returns:
        A row a linha, in the order of the books: `titulo_id`, `categoria_id`, `mes_competencia`, `valor_centavos`
        (negative, a deduction positive), `data_vencimento`, `dias` and whether `vencido` (S8), `encargos_centavos`
        (negative), `situacao`, `decisao`.
    """
    linhas, titulos = position.linhas, position.titulos
    owed = titulos[~titulos["pago"] & (titulos["tipo"] == "P") & ~titulos["titulo_id"].isin([*settled])]
    owed = owed[[*_OF_TITULO]].set_index("titulo_id")
    owed["vencido"] &= ~owed.index.isin([*answered])
    open_ = linhas.loc[linhas["titulo_id"].isin(owed.index) & ~linhas["transferencia"], list(_OF_LINHA)]
    open_ = open_.join(owed, on="titulo_id")
    plan = find_plans(position, open_)
    known = open_["categoria_id"].isin(find_tax_categories(position)).fillna(value=False)
    chosen = open_[known | (plan == OF_TAXES)]
    in_plan = (plan[chosen.index] != "") | chosen["titulo_id"].isin([*answered])
    rate = position.parametros.juros_tributos_pct_mes
    late = chosen["vencido"].map({True: LATE, False: DUE})
    amounts = records_of(chosen.assign(dias_de_mora=chosen["dias_de_mora"].where(chosen["vencido"], 0)), *_CHARGED)
    return chosen.assign(
        encargos_centavos=[estimate_charges(centavos, days, rate) for centavos, days in amounts],
        situacao=late.where(~in_plan, PLAN),
        decisao=pd.Series([decided.get(one) for one in chosen["titulo_id"].tolist()], chosen.index, dtype=object),
    )


_CHARGED: Final = ("valor_centavos", "dias_de_mora")
_OF_TITULO: Final = ("titulo_id", "dias_de_atraso", "dias_de_mora", "vencido", "grupo_id", "data_vencimento")
_OF_LINHA: Final = ("titulo_id", "transferencia", "categoria_id", "mes_competencia", "valor_centavos", "descricao")


def estimate_charges(centavos: int, days: int, rate: Decimal) -> int:
    """Estimate fine and interest of a tax that is so many days late; each is rounded by itself, half up (S8).

    >>> estimate_charges(-2_700_000, 30, Decimal(1)), estimate_charges(-2_700_000, 90, Decimal(1))
    (-294300, -621000)
    """
    amount, sign = abs(centavos), -1 if centavos < 0 else 1
    fine = divide_half_up(amount * min(FINE_A_DAY * days, MOST_FINE), SCALE)
    return sign * (fine + divide_half_up(amount * int(rate * SCALE) * days, 3000 * SCALE))


def list_missing(position: Position) -> list[tuple[int, date]]:
    """List the months in which a tax that comes each month has no entry, though it has one before and one after (Q40).

    A category comes each month when most of its months stand closer together than a quarter apart: what is due each
    quarter misses nothing. Of a month whose category is older than a year it is asked where the same month of the year
    before had one, so that a tax of ten instalments rests; of a younger one where both neighbours have one.
    """
    linhas = position.linhas
    taxes = find_tax_categories(position)
    chosen = linhas[linhas["categoria_id"].isin(taxes) & ~linhas["transferencia"] & linhas["mes_competencia"].notna()]
    missing = []
    for _, part in chosen.groupby("categoria_id"):
        categoria_id = int(part["categoria_id"].iloc[0])
        known = sorted(day for stamp in part["mes_competencia"].unique() if (day := as_date(stamp)) is not None)
        near = sum(later < add_months(month, QUARTER) for month, later in pairwise(known))
        if 2 * near < len(known) - 1:
            continue
        month = known[0]
        while (month := add_months(month, 1)) < known[-1]:
            if month not in known and _is_missed(month, known):
                missing.append((categoria_id, month))
    return missing


def _is_missed(month: date, known: Collection[date]) -> bool:
    before = add_months(month, -12)
    if before >= min(known):
        return before in known
    return {add_months(month, -1), add_months(month, 1)} <= {*known}
