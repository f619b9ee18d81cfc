"""Conformed records for the transform tests, written by hand: only what a test is about needs to be said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.transform.composites import FALLBACK_FIELDS

_REFERENCES = (
    "conta_id", "categoria_id", "lancamento_transferencia_id", "lancamento_composto_id", "grupo_id",
    *FALLBACK_FIELDS, "pedido_id", "numero_repeticao", "total_repeticoes",
)  # fmt: skip
_DAYS = ("data_vencimento", "data_pagamento", "data_competencia", "modified")
_TEXTS = ("descricao", "documento", "observacao", "periodicidade")


def centavos(text: str) -> int:
    return int(Decimal(text).scaleb(2))


def make_lancamentos(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Make entries: `id` and `valor` (text) are needed, everything else is empty unless said."""
    records = []
    for row in rows:
        record: dict[str, Any] = dict.fromkeys((*_REFERENCES, *_DAYS)) | dict.fromkeys(_TEXTS, "")
        record |= {"conta_id": 101, "data_vencimento": "2026-03-10", "pagamento_automatico": False, "tags": []}
        record |= {"qtde_itens": 0} | {name: value for name, value in row.items() if name not in ("id", "valor")}
        records.append(record | {"lancamento_id": row["id"], "valor_centavos": centavos(row["valor"])})
    columns = ["lancamento_id", "valor_centavos", *_REFERENCES, *_DAYS, *_TEXTS]
    frame = pd.DataFrame(records, columns=[*columns, "pagamento_automatico", "tags", "qtde_itens"])
    types = dict.fromkeys(_REFERENCES, "Int64") | dict.fromkeys(_DAYS, "datetime64[us]")
    return frame.astype({**types, "lancamento_id": "int64", "valor_centavos": "int64", "qtde_itens": "int64"})


def make_itens(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Make nested items: `de` (the carrying entry), `id`, `valor`; a fallback field that is not said had no key."""
    records = []
    for place, row in enumerate(rows):
        record: dict[str, Any] = {"categoria_id": None, "lancamento_composto_id": None, "descricao": "", "tags": []}
        for name in FALLBACK_FIELDS:
            record |= {name: row.get(name), f"tem_{name}": name in row}
        record |= {name: value for name, value in row.items() if name not in ("id", "valor", "de")}
        records.append(
            record
            | {"lancamento_id": row["de"], "item_id": row["id"], "posicao_item": place}
            | {"valor_centavos": centavos(row["valor"])}
        )
    names = ("categoria_id", "lancamento_composto_id", *FALLBACK_FIELDS)
    columns = ["lancamento_id", "item_id", "posicao_item", "valor_centavos", *names, "descricao", "tags"]
    frame = pd.DataFrame(records, columns=[*columns, *(f"tem_{name}" for name in FALLBACK_FIELDS)])
    types: dict[str, str] = dict.fromkeys(names, "Int64") | {f"tem_{name}": "bool" for name in FALLBACK_FIELDS}
    return frame.astype({**types, "lancamento_id": "int64", "item_id": "int64", "valor_centavos": "int64"})


def days(*texts: str | None) -> pd.Series:
    return pd.Series(pd.to_datetime(pd.Series(texts, dtype="str"))).astype("datetime64[us]")
