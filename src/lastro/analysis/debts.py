"""Debts among the payables (R24): loans, plans of instalments and advances, as they stand in the books.

Does not belong here: what a category is called that is one (`lastro.analysis.dre_map`), what a plan is
(`lastro.transform.taxes`), and how debts are laid out (`lastro.reports.r24_debts`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import pandas as pd

from lastro.analysis.dre_map import find_groups
from lastro.transform.categories import DIVIDA
from lastro.transform.position import Position, is_open
from lastro.transform.taxes import find_plans

_OF_TITULO: Final = (
    "titulo_id", "pessoa_id", "grupo_id", "valor_centavos", "vencido", "data_vencimento", "data_projetada",
)  # fmt: skip


def find_debt_categories(position: Position) -> frozenset[int]:
    """Find the categories of debts: mapped to `divida`, or to `fora` or nothing and named as a debt (S17)."""
    groups = find_groups(position.categorias, position.parametros.dre_mapa)
    return frozenset(key for key, group in groups.items() if group == DIVIDA)


def list_debts(position: Position, settled: Collection[int]) -> pd.DataFrame:
    """List the open títulos to pay that are debts (R24).

    Those whose linhas of a category of debts, or of a plan of instalments, add up to an amount to pay: a deduction from
    the payroll is none. Each is owed whole, with the interest that the books have in it.

    Args:
        settled: títulos that are owed no more as they stand (S26).

    Returns:
        A row a título, by id: `titulo_id`, `categoria_id` (the lowest of those linhas; null where they have none),
        `pessoa_id`, `valor_centavos` (negative), `vencido`, `data_vencimento`, `data_projetada` (null where overdue),
        `parcelamento`: it is an instalment of a plan.
    """
    titulos = position.titulos
    owed = titulos.loc[
        is_open(titulos) & (titulos["tipo"] == "P") & ~titulos["titulo_id"].isin([*settled]), [*_OF_TITULO]
    ]
    linhas = position.linhas[["titulo_id", "categoria_id", "descricao", "valor_centavos"]]
    linhas = linhas[linhas["titulo_id"].isin(owed["titulo_id"])]
    linhas = linhas.merge(owed[["titulo_id", "grupo_id"]], on="titulo_id", validate="m:1")
    linhas = linhas.assign(parcelamento=find_plans(position, linhas) != "")
    known = linhas["categoria_id"].isin(find_debt_categories(position)).fillna(value=False)
    own = linhas[known | linhas["parcelamento"]].groupby("titulo_id", as_index=False)
    found = own.agg({"categoria_id": "min", "valor_centavos": "sum", "parcelamento": "any"})
    found = found.loc[found["valor_centavos"] < 0, ["titulo_id", "categoria_id", "parcelamento"]]
    return found.merge(owed.drop(columns="grupo_id"), on="titulo_id", validate="1:1")
