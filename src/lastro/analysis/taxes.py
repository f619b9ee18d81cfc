"""Taxes among the payables (R21): which categories are one, what of them is open, and months that have no entry.

Belongs here: what is a tax, what is a plan of instalments, what being late is estimated to cost. Does not belong here:
how they are laid out (`lastro.reports.r21_taxes`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.calendar import add_months
from lastro.folding import split_letters
from lastro.money import divide_half_up
from lastro.transform.position import Position, as_date

IR_CSLL: Final = "ir_csll"
TAXES: Final = re.compile(" (simples nacional|icms|iss|pis|cofins|ipi|difal|irpj|csll|irrf|inss|fgts|imposto|iptu) ")
"""What a tax is called, in whole words of `split_letters`, lower case."""
PLANS: Final = re.compile(" (parcelamento|pgfn|refis) ")
PUBLIC_PLANS: Final = re.compile(" (pgfn|refis) ")
DAS: Final = re.compile("[a-z].* DAS | DAS .*[a-z]|^ DAS | DAS $|^ das $")
"""DAS in capitals, or the whole name; in a name all in capitals it is a preposition where it joins two words."""
DUE, LATE, PLAN, MISSING = "a vencer", "atrasado", "em parcelamento", "sem guia"
FINE_A_DAY, MOST_FINE = 33, 2_000
"""The fine of a late tax in hundredths of a percent: 0,33 % a day, 20 % at most."""
SCALE: Final = 10_000
QUARTER: Final = 3
"""A tax that mostly skips fewer months than these comes each month: one between two of them is missed (Q40)."""


def names_tax(name: str) -> bool:
    """Tell whether a name is that of a tax; "das" is a preposition too.

    >>> [names_tax(name) for name in ("PIS/COFINS", "IMPÔSTO s/ serviços", "IPTU2026", "DAS mensal", "das", "Guia DAS")]
    [True, True, True, True, True, True]
    >>> [names_tax(name) for name in ("Custo das vendas", "CUSTO DAS VENDAS", "Missões", "Impostômetro", "")]
    [False, False, False, False, False]
    """
    words = split_letters(name)
    return bool(TAXES.search(words.lower()) or DAS.search(words))


def names_plan(name: str) -> bool:
    """Tell whether a name is that of a plan of instalments.

    >>> names_plan("Parcelamento PGFN 12/60"), names_plan("Parcela do caminhão")
    (True, False)
    """
    return bool(PLANS.search(split_letters(name).lower()))


def find_tax_categories(position: Position) -> frozenset[int]:
    """Find the categories of taxes: mapped to `ir_csll`, of `categorias_tributos` or below one, or named as a tax."""
    chosen = set(position.parametros.categorias_tributos)
    categories = records_of(position.categorias, "categoria_id", "descricao", "dre_grupo", "ancestrais")
    return frozenset(
        categoria_id
        for categoria_id, name, group, above in categories
        if group == IR_CSLL or chosen & {categoria_id, *above} or names_tax(name or "")
    )


def list_open_taxes(position: Position, decided: Mapping[int, str]) -> pd.DataFrame:
    """List the open linhas of payables that are taxes.

    An instalment of a repetition (S10) whose description or category says plan is of a plan; one of a public debt
    (PGFN, REFIS), or that names a tax, is a tax whatever its category.

    Args:
        position: the position.
        decided: titulo_id -> what was decided of it.

    Returns:
        A row a linha, in the order of the books: `titulo_id`, `categoria_id`, `mes_competencia`, `valor_centavos`
        (negative, a deduction positive), `data_vencimento`, `dias` late (S8), `encargos_centavos` (negative),
        `situacao`, `decisao`.
    """
    linhas, titulos = position.linhas, position.titulos
    owed = titulos.loc[~titulos["pago"] & (titulos["tipo"] == "P"), list(_OF_TITULO)].set_index("titulo_id")
    open_ = linhas.loc[linhas["titulo_id"].isin(owed.index) & ~linhas["transferencia"], list(_OF_LINHA)]
    open_ = open_.join(owed, on="titulo_id")
    plan = _find_plans(position, open_)
    known = open_["categoria_id"].isin(find_tax_categories(position)).fillna(value=False)
    chosen = open_[known | (plan == _OF_TAXES)]
    rate = position.parametros.juros_tributos_pct_mes
    late = chosen["vencido"].map({True: LATE, False: DUE})
    amounts = records_of(chosen, "valor_centavos", "dias_mora")
    return chosen.assign(
        encargos_centavos=[estimate_charges(centavos, days, rate) for centavos, days in amounts],
        situacao=late.where(plan[chosen.index] == "", PLAN),
        decisao=pd.Series([decided.get(one) for one in chosen["titulo_id"].tolist()], chosen.index, dtype=object),
    )


_OF_TITULO: Final = ("titulo_id", "dias", "dias_mora", "vencido", "grupo_id", "data_vencimento")
_OF_LINHA: Final = ("titulo_id", "transferencia", "categoria_id", "mes_competencia", "valor_centavos", "descricao")
_OF_TAXES, _OF_OTHERS = "tributos", "outros"


def _find_plans(position: Position, open_: pd.DataFrame) -> pd.Series:
    """Tell of each open linha whether it is an instalment of a plan, of taxes or of others; "" of none."""
    names = dict(records_of(position.categorias, "categoria_id", "descricao"))
    said = [
        ("", "") if grupo_id is None else (names.get(categoria_id) or "", descricao or "")
        for grupo_id, categoria_id, descricao in records_of(open_, "grupo_id", "categoria_id", "descricao")
    ]
    kinds = {texts: _name_plan(texts) for texts in set(said)}
    return pd.Series([kinds[texts] for texts in said], index=open_.index, dtype=object)


def _name_plan(texts: tuple[str, str]) -> str:
    if not any(map(names_plan, texts)):
        return ""
    public = any(PUBLIC_PLANS.search(split_letters(text).lower()) or names_tax(text) for text in texts)
    return _OF_TAXES if public else _OF_OTHERS


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
    quarter misses nothing.
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
            if month not in known:
                missing.append((categoria_id, month))
    return missing
