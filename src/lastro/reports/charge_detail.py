"""Part (f) of R11: every charge with all that is known of it, one row each, and how its status is called (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np
import pandas as pd

from lastro.analysis.drill_down import Entries
from lastro.analysis.encode import (
    encode,
    encode_amounts,
    encode_dates,
    encode_integers,
    encode_labels,
    encode_made,
    encode_plain,
    encode_texts,
    encode_urls,
)
from lastro.grid.cells import Kind, Link
from lastro.grid.coded import CodedCells, CodedColumn, CodedRows
from lastro.grid.model import Column, Section, id_columns
from lastro.money import round_half_up, to_decimal
from lastro.transform.position import Position

DETAIL_SHEET = "Cobranças detalhe"
ANCHORS = (("cobranca_id", "cobranca_id"),)
"""How other sheets find a charge there."""
STATUS_TEXTS = ("Agendado", "Pendente", "Cliente pagou", "Transferindo", "Transferido")
"""Stage names by rank 1 to 5 (S12)."""
STATUS_LABELS = {
    "agendado": "Agendado",
    "pendente": "Pendente",
    "cliente_pagou": "Cliente pagou",
    "transferindo": "Transferindo",
    "transferido": "Transferido",
    "cancelado": "Cancelado",
}
RANK_ORDER = {status: place for place, status in enumerate(STATUS_LABELS)}


def status_label(status: str) -> str:
    """Name a status as it is printed; one that is not known prints as it came."""
    return STATUS_LABELS.get(status, status)


DETAIL_COLUMNS = (
    Column("Cobrança", Kind.INTEGER, key="cobranca_id"),
    Column("Status", Kind.TEXT, width=18),
    Column("Status no sistema", Kind.TEXT, width=18),
    Column("Status id", Kind.INTEGER),
    Column("Forma", Kind.TEXT),
    Column("Cliente", Kind.TEXT),
    Column("Conta", Kind.TEXT),
    Column("Vencimento", Kind.DATE),
    Column("Valor", Kind.MONEY, dense=True, total=True),
    Column("Multa e juros", Kind.MONEY, dense=True, total=True),
    Column("Valor pago", Kind.MONEY, dense=True, total=True),
    Column("Taxa", Kind.MONEY, dense=True, total=True),
    Column("Líquido", Kind.MONEY, dense=True, total=True),
    Column("Percentual de multa", Kind.PERCENT, key="multa_pct"),
    Column("Cobra juros", Kind.BOOLEAN, width=18),
    Column("Data de pagamento", Kind.DATE),
    Column("Data observada", Kind.BOOLEAN, width=18),
    Column("Dias venc.→pagto", Kind.INTEGER),
    Column("Data a transferir", Kind.DATE),
    Column("Data transferindo", Kind.DATE),
    Column("Data transferido", Kind.DATE),
    Column("Dias pagto→transf.", Kind.INTEGER),
    Column("Data de cancelamento", Kind.DATE),
    Column("Títulos", Kind.TEXT),
    Column("Encargos/taxas não lançados", Kind.MONEY, dense=True, total=True),
    Column("Lançamentos citados", Kind.TEXT),
    Column("Segunda via", Kind.BOOLEAN, width=18),
    Column("Instruções", Kind.TEXT),
    Column("Hash", Kind.TEXT),
    Column("Link", Kind.LINK),
)


def build_charge_detail(position: Position, entries: Entries, cobrancas: pd.DataFrame) -> Section:
    """Build (f): every charge, cancelled ones too, by due date and id."""
    ordered = cobrancas.sort_values(["data_vencimento", "cobranca_id"], kind="stable")
    labels = position.rotulos
    titulos = ordered["titulo_ids"].tolist()
    firsts = pd.Series([ids[0] if ids else None for ids in titulos], dtype="Int64")
    pages = encode_urls(ordered["link_publico"])
    columns = [
        encode_integers(ordered["cobranca_id"]),
        encode(ordered["status"], lambda codes: [status_label(one) for one in codes.tolist()]),
        encode_texts(ordered["status_descricao"], ""),
        encode_integers(ordered["status_id"]),
        encode_labels(ordered["forma_pagamento_id"], labels.forma),
        encode_labels(ordered["cliente_id"], labels.pessoa),
        encode_labels(ordered["conta_id"], labels.conta),
        encode_dates(ordered["data_vencimento"]),
        encode_amounts(ordered["valor_centavos"]),
        encode_amounts(ordered["valor_multa_juros_centavos"], to_decimal(0)),
        encode_amounts(ordered["valor_pago_centavos"]),
        encode_amounts(ordered["taxa_centavos"]),
        encode_amounts(ordered["liquido_centavos"]),
        encode(ordered["percentual_multa"], lambda some: [round_half_up(one) for one in some.tolist()]),
        encode_plain(ordered["cobrar_juros"].astype(bool)),
        encode_dates(ordered["pago_em"]),
        encode_plain(ordered["pago_observado"].astype(bool)),
        encode_integers(ordered["dias_venc_pagto"]),
        encode_dates(ordered["data_a_transferir"]),
        encode_dates(ordered["data_transferindo"]),
        encode_dates(ordered["data_transferido"]),
        encode_integers(ordered["dias_pagto_transf"]),
        encode_dates(ordered["data_cancelamento"]),
        encode_made(map(join_ids, titulos)),
        encode_amounts(ordered["nao_lancado_centavos"]),
        encode_texts(ordered["lancamento_ids"], ""),
        encode_plain(ordered["permitir_segunda_via"].astype(bool)),
        encode_texts(ordered["instrucoes_boleto"], ""),
        encode_texts(ordered["cobranca_hash"], ""),
        CodedColumn(np.minimum(pages.codes, 0), np.array(["abrir »"], dtype=object), list),
        *(encode_integers(ordered[name]) for name in ("cliente_id", "conta_id", "forma_pagamento_id")),
    ]
    places = {column.key: place for place, column in enumerate(DETAIL_COLUMNS)}
    rows = CodedRows(
        CodedCells(columns),
        label=pages,
        links={places["titulos"]: entries.encode_links("titulo_id", firsts), places["link"]: pages},
    )
    notes = (
        "Encargos/taxas não lançados = líquido - soma dos títulos pagos (só quando todos estão pagos).",
        "Os totais incluem as cobranças canceladas.",
    )
    return Section(
        "cobrancas_detalhe",
        (*DETAIL_COLUMNS, *id_columns("pessoa_id", "conta_id", "forma_id")),
        rows,
        title="Todas as cobranças",
        detail=True,
        notes=notes,
        anchors=ANCHORS,
    )


def link_titulos(entries: Entries, ids: Sequence[int], text: str) -> Link | str:
    """Lead from the títulos of a charge to the row of the first one."""
    return (entries.link_titulo(ids[0], text) if ids else None) or text


def money_or_none(centavos: int | None) -> Decimal | None:
    """Turn centavos into reais; None stays None."""
    return None if centavos is None else to_decimal(centavos)


def join_ids(ids: Iterable[object]) -> str:
    """Write ids one after the other."""
    return ", ".join(str(number) for number in ids)
