"""What is a tax, and what is a plan of instalments of one: by the map, by the settings, by names (R21).

Belongs here: recognising them; `quality/prova/nomes.sql` reads names alike. Does not belong here: what is open of them
(`lastro.analysis.taxes`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.folding import split_letters
from lastro.transform.lookup import look_up

if TYPE_CHECKING:
    from lastro.transform.position import Position

IR_CSLL: Final = "ir_csll"
TAXES: Final = re.compile(
    " (simples nacional|icms|iss|pis|cofins|ipi|difal|irpj|csll|irrf|inss|fgts|impostos?|tributos?|iptu) "
)
"""What a tax is called, in whole words of `split_letters`, lower case."""
PLANS: Final = re.compile(" (parcelamentos?|pgfn|refis) ")
PUBLIC_PLANS: Final = re.compile(" (pgfn|refis) ")
DAS: Final = re.compile("[a-z].* DAS | DAS .*[a-z]|^ DAS | DAS $|^ das $")
"""DAS in capitals, or the whole name; in a name all in capitals it is a preposition where it joins two words."""
OF_TAXES, OF_OTHERS = "tributos", "outros"
"""Kinds of a plan of instalments: for taxes, or for other debts."""


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
    names = ("categoria_id", "descricao", "dre_grupo", "ancestrais")
    return frozenset(
        int(categoria_id)
        for categoria_id, name, group, above in zip(*(position.categorias[one] for one in names), strict=True)
        if group == IR_CSLL or chosen & {categoria_id, *above} or names_tax(name if isinstance(name, str) else "")
    )


def find_plans(position: Position, linhas: pd.DataFrame) -> pd.Series:
    """Tell of each linha of a título whether it is an instalment of a plan: `OF_TAXES`, `OF_OTHERS`, or "" of none.

    An instalment is one of a repetition (S10) whose description or category says plan; one of a public debt (PGFN,
    REFIS), or that names a tax, is of taxes whatever its category.

    Args:
        position: its categories.
        linhas: `categoria_id`, `descricao` and `grupo_id` of each.
    """
    names = position.categorias.set_index("categoria_id")["descricao"]
    said = pd.DataFrame({"categoria": look_up(linhas["categoria_id"], names), "linha": linhas["descricao"]})
    said = said.where(linhas["grupo_id"].notna(), "").astype(object).fillna("")
    kinds = {texts: _name_plan(texts) for texts in {*said.itertuples(index=False, name=None)}}
    return pd.Series([kinds[texts] for texts in said.itertuples(index=False, name=None)], said.index, dtype=object)


def find_instalments(position: Position, titulos: pd.Series) -> frozenset[int]:
    """Find which of some títulos are instalments of a plan, of taxes or of other debts."""
    linhas = _list_linhas(position, titulos)
    return frozenset(linhas.loc[find_plans(position, linhas) != "", "titulo_id"].tolist())


def _list_linhas(position: Position, titulos: pd.Series) -> pd.DataFrame:
    """List what `find_plans` asks of the linhas of some títulos."""
    linhas = position.linhas.loc[position.linhas["titulo_id"].isin(titulos), ["titulo_id", "categoria_id", "descricao"]]
    groups = position.titulos.set_index("titulo_id")["grupo_id"]
    return linhas.assign(grupo_id=look_up(linhas["titulo_id"], groups))


def find_taxes(position: Position, titulos: pd.Series) -> frozenset[int]:
    """Find which of some títulos to pay are taxes: a linha is of a category of them, or an instalment of their plan."""
    linhas = _list_linhas(position, titulos)
    own = linhas["categoria_id"].isin(find_tax_categories(position)) | (find_plans(position, linhas) == OF_TAXES)
    return frozenset(linhas.loc[own.fillna(value=False), "titulo_id"].tolist())


def _name_plan(texts: tuple[str, str]) -> str:
    if not any(map(names_plan, texts)):
        return ""
    public = any(PUBLIC_PLANS.search(split_letters(text).lower()) or names_tax(text) for text in texts)
    return OF_TAXES if public else OF_OTHERS
