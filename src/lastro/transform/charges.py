"""Charges: status, fees, payment date and the títulos they collect (S9, S12)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from lastro.folding import sort_key
from lastro.transform.lookup import look_up

if TYPE_CHECKING:
    from lastro.settings import Parametros

RANKS = {"agendado": 1, "pendente": 2, "cliente_pagou": 3, "transferindo": 4, "transferido": 5}
CANCELADO = "cancelado"
PAID_RANK = RANKS["cliente_pagou"]


@dataclass(frozen=True)
class Charges:
    """Charges and what they point at.

    Attributes:
        cobrancas: grain charge, key `cobranca_id`.
        cobranca_titulos: distinct (cobranca_id, titulo_id).
        desconhecidos: (cobranca_id, lancamento_id) that match no row and no item.
    """

    cobrancas: pd.DataFrame
    cobranca_titulos: pd.DataFrame
    desconhecidos: pd.DataFrame


def find_status(descricao: object, *, cancelada: bool) -> str:
    """Turn `status_descricao` into the slug of S12; a cancellation date overrides all.

    >>> [find_status(text, cancelada=False) for text in ("Cliente pagou", "Em análise")]
    ['cliente_pagou', 'desconhecido: Em análise']
    >>> find_status("Pendente", cancelada=True)
    'cancelado'
    """
    if cancelada:
        return CANCELADO
    text = "" if descricao is None or pd.isna(descricao) else str(descricao).strip()  # type: ignore[call-overload]
    slug = re.sub(r"\s+", "_", sort_key(text))
    return slug if slug in RANKS else f"desconhecido: {text}"


def find_repasses(titulos: pd.DataFrame, parametros: Parametros) -> pd.Series:
    """Tell which títulos to receive an acquirer passes on in lots: nobody is asked for them (S12).

    Of a form or a person that the settings name, and without a live charge: who has one of those pays it.
    """
    lots = titulos["forma_pagamento_id"].isin(parametros.formas_sem_cobranca)
    lots |= titulos["pessoa_id"].isin(parametros.pessoas_sem_cobranca)
    return lots.fillna(value=False).astype(bool) & (titulos["tipo"] == "R") & titulos["cobranca_id"].isna()


def build_cobrancas(
    received: pd.DataFrame,
    linhas: pd.DataFrame,
    titulos: pd.DataFrame,
    carriers: dict[int, int],
    observadas: pd.DataFrame,
) -> Charges:
    """Add status, fees and payment date to charges and map their `lancamento_ids` to títulos (S12).

    Args:
        received: grain charge as conformed from the service.
        linhas: grain linha, for the ids that charges name.
        titulos: grain título, for the payment dates.
        carriers: ids of rows that are no linha (mode `total`) -> título.
        observadas: cobranca_id, data: date of the first stored run that saw the charge paid; may be empty.
    """
    charges = received.sort_values("cobranca_id").reset_index(drop=True)
    cancelled = charges["data_cancelamento"].notna()
    told = list(zip(charges["status_descricao"], cancelled.tolist(), strict=True))
    statuses = {(text, gone): find_status(text, cancelada=gone) for text, gone in set(told)}
    charges["status"] = [statuses[pair] for pair in told]
    charges["rank"] = charges["status"].map(RANKS).fillna(0).astype("int64")
    charges["viva"] = charges["status"] != CANCELADO
    charges["paga"] = charges["rank"] >= PAID_RANK
    charges["taxa_centavos"] = charges["valor_taxa_centavos"].abs()
    liquido = charges["valor_pago_centavos"] - charges["taxa_centavos"]
    charges["liquido_centavos"] = liquido.where(charges["paga"])

    links, unknown = _map_titulos(charges, linhas, carriers)
    paid = links.merge(titulos[["titulo_id", "data_pagamento"]], on="titulo_id", how="left", validate="m:1")
    per_charge = paid.groupby("cobranca_id")["data_pagamento"].agg(["max", "count", "size"])
    settled = per_charge[per_charge["count"] == per_charge["size"]]["max"]
    from_titulos = look_up(charges["cobranca_id"], settled)
    seen = look_up(charges["cobranca_id"], observadas.set_index("cobranca_id")["data"]).where(charges["paga"])
    charges["data_pagamento_observada"] = from_titulos.isna() & seen.notna()
    charges["data_pagamento"] = from_titulos.fillna(seen).astype("datetime64[us]")
    return Charges(charges, links, unknown)


def _map_titulos(
    charges: pd.DataFrame, linhas: pd.DataFrame, carriers: dict[int, int]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split `lancamento_ids` and find each id's título: a row before an item of equal id (S12)."""
    pairs = dict.fromkeys(
        (cobranca, text)
        for cobranca, texts in zip(charges["cobranca_id"], charges["lancamento_ids"].fillna(""), strict=True)
        for part in str(texts).split(",")
        if (text := part.strip())
    )
    named = pd.DataFrame(
        {
            "cobranca_id": pd.Series([cobranca for cobranca, _ in pairs], dtype="int64"),
            "lancamento_id": pd.Series([text for _, text in pairs], dtype="str"),
        }
    )
    wanted = [int(text) if text.isdecimal() else None for text in named["lancamento_id"]]
    few = [lancamento_id for lancamento_id in set(wanted) if lancamento_id is not None and lancamento_id < 2**63]
    targets = linhas.loc[linhas["linha_id"].isin(few), ["linha_id", "titulo_id", "origem"]]
    known = targets.sort_values("origem", key=lambda origem: origem != "lancamento", kind="stable")
    known = known.drop_duplicates("linha_id")
    lookup = dict(zip(known["linha_id"].tolist(), known["titulo_id"].tolist(), strict=True)) | carriers
    named["titulo_id"] = pd.array(
        [None if lancamento_id is None else lookup.get(lancamento_id) for lancamento_id in wanted], dtype="Int64"
    )
    links = named.dropna(subset=["titulo_id"])[["cobranca_id", "titulo_id"]].drop_duplicates()
    unknown = named[named["titulo_id"].isna()][["cobranca_id", "lancamento_id"]]
    return (
        links.astype({"titulo_id": "int64"}).sort_values(["cobranca_id", "titulo_id"]).reset_index(drop=True),
        unknown.reset_index(drop=True),
    )
