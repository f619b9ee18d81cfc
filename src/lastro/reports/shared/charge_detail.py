"""Part (f) of R11, for SQL: every charge with all that is known of it, and how its status is called (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from lastro.analysis.drill_down import Entries
from lastro.grid.cells import Kind, Link
from lastro.grid.model import Column, Table, id_columns
from lastro.grid.storage import store_cells, store_each, store_labels, store_texts
from lastro.money import round_half_up
from lastro.transform.position import Position

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


def build_charge_detail(position: Position, cobrancas: pd.DataFrame) -> Table:
    """Build (f): every charge, cancelled ones too, by due date and id."""
    ordered = cobrancas.sort_values(["data_vencimento", "cobranca_id"], kind="stable")
    labels = position.rotulos
    titulos = ordered["titulo_ids"].tolist()
    return Table.of(
        "cobrancas_detalhe",
        (*DETAIL_COLUMNS, *id_columns("pessoa_id", "conta_id", "forma_id")),
        {
            "cobranca_id": ordered["cobranca_id"],
            "status": store_each(Kind.TEXT, ordered["status"], status_label),
            "status_no_sistema": store_texts(ordered["status_descricao"], ""),
            "status_id": ordered["status_id"],
            "forma": store_labels(ordered["forma_pagamento_id"], labels.forma),
            "cliente": store_labels(ordered["cliente_id"], labels.pessoa),
            "conta": store_labels(ordered["conta_id"], labels.conta),
            "vencimento": ordered["data_vencimento"],
            "valor": ordered["valor_centavos"],
            "multa_e_juros": ordered["valor_multa_juros_centavos"].fillna(0),
            "valor_pago": ordered["valor_pago_centavos"],
            "taxa": ordered["taxa_centavos"],
            "liquido": ordered["liquido_centavos"],
            "multa_pct": store_each(Kind.PERCENT, ordered["percentual_multa"], round_half_up),
            "cobra_juros": ordered["cobrar_juros"].astype(bool),
            "data_de_pagamento": ordered["pago_em"],
            "data_observada": ordered["pago_observado"].astype(bool),
            "dias_venc_pagto": ordered["dias_venc_pagto"],
            "data_a_transferir": ordered["data_a_transferir"],
            "data_transferindo": ordered["data_transferindo"],
            "data_transferido": ordered["data_transferido"],
            "dias_pagto_transf": ordered["dias_pagto_transf"],
            "data_de_cancelamento": ordered["data_cancelamento"],
            "titulos": store_cells(Kind.TEXT, [join_ids(ids) for ids in titulos]),
            "encargos_taxas_nao_lancados": ordered["nao_lancado_centavos"],
            "lancamentos_citados": store_texts(ordered["lancamento_ids"], ""),
            "segunda_via": ordered["permitir_segunda_via"].astype(bool),
            "instrucoes": store_texts(ordered["instrucoes_boleto"], ""),
            "hash": store_texts(ordered["cobranca_hash"], ""),
            "link": store_each(Kind.LINK, ordered["link_publico"], lambda url: "abrir »" if url else None),
            "pessoa_id": ordered["cliente_id"],
            "conta_id": ordered["conta_id"],
            "forma_id": ordered["forma_pagamento_id"],
        },
        "R11 (f): uma cobrança por linha (S12)",
    )


def link_titulos(entries: Entries, ids: Sequence[int], text: str) -> Link | str:
    """Lead from the títulos of a charge to the row of the first one."""
    return (entries.link_titulo(ids[0], text) if ids else None) or text


def join_ids(ids: Iterable[object]) -> str:
    """Write ids one after the other."""
    return ", ".join(str(number) for number in ids)
