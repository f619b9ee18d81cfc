"""What the transforms are given: the records of a run, before any rule.

`lastro.warehouse.loading.conformer` makes it of landed pages, `lastro.transform.core` turns it into tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class Conformed:
    """The records of one run, typed and checked, one frame per list; each is shaped as `conformed.<its name>`.

    Attributes:
        lancamentos: grain entry of the listings, key `lancamento_id`.
        itens: grain (entry, nested item) of the listings.
        detalhes: entries read one by one (V15, S13); they win over the listing.
        detalhes_itens: their nested items.
        cobrancas, categorias, clientes, fornecedores, contas: the lists, key `<grain>_id`.
        nomes: labels of the other lists: centros, formas, tags, tipos_documento, classificacoes -> id -> text.
    """

    lancamentos: pd.DataFrame
    itens: pd.DataFrame
    detalhes: pd.DataFrame
    detalhes_itens: pd.DataFrame
    cobrancas: pd.DataFrame
    categorias: pd.DataFrame
    clientes: pd.DataFrame
    fornecedores: pd.DataFrame
    contas: pd.DataFrame
    nomes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
