"""Part (f) of R11: every charge with all that is known of it, one row each, and how its status is called (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import pandas as pd

from lastro.analysis.drill_down import Entries
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.model import Column, Row, Section, id_columns
from lastro.money import round_half_up, to_decimal
from lastro.transform.position import Position, as_date

DETAIL_SHEET = "Cobranças detalhe"
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
_DETAIL_FIELDS = (
    "cobranca_id", "status", "status_descricao", "status_id", "forma_pagamento_id", "cliente_id", "conta_id",
    "data_vencimento", "valor_centavos", "valor_multa_juros_centavos", "valor_pago_centavos", "taxa_centavos",
    "liquido_centavos", "percentual_multa", "cobrar_juros", "pago_em", "pago_observado", "dias_venc_pagto",
    "data_a_transferir", "data_transferindo", "data_transferido", "dias_pagto_transf", "data_cancelamento",
    "titulo_ids", "nao_lancado_centavos", "lancamento_ids", "permitir_segunda_via", "instrucoes_boleto",
    "cobranca_hash", "link_publico",
)  # fmt: skip


def build_charge_detail(position: Position, entries: Entries, cobrancas: pd.DataFrame) -> Section:
    """Build (f): every charge, cancelled ones too, by due date and id."""
    ordered = cobrancas.sort_values(["data_vencimento", "cobranca_id"], kind="stable")
    rotulos = position.rotulos
    rows = []
    for values in records_of(ordered, *_DETAIL_FIELDS):
        row = dict(zip(_DETAIL_FIELDS, values, strict=True))
        url = row["link_publico"] or None
        percentual = row["percentual_multa"]
        cells: tuple[Value, ...] = (
            row["cobranca_id"],
            status_label(row["status"]),
            row["status_descricao"] or "",
            row["status_id"],
            rotulos.forma(row["forma_pagamento_id"]),
            rotulos.pessoa(row["cliente_id"]),
            rotulos.conta(row["conta_id"]),
            as_date(row["data_vencimento"]),
            to_decimal(row["valor_centavos"]),
            to_decimal(row["valor_multa_juros_centavos"] or 0),
            money_or_none(row["valor_pago_centavos"]),
            to_decimal(row["taxa_centavos"]),
            money_or_none(row["liquido_centavos"]),
            None if percentual is None else round_half_up(percentual),
            bool(row["cobrar_juros"]),
            as_date(row["pago_em"]),
            bool(row["pago_observado"]),
            row["dias_venc_pagto"],
            as_date(row["data_a_transferir"]),
            as_date(row["data_transferindo"]),
            as_date(row["data_transferido"]),
            row["dias_pagto_transf"],
            as_date(row["data_cancelamento"]),
            link_titulos(entries, row["titulo_ids"], join_ids(row["titulo_ids"])),
            money_or_none(row["nao_lancado_centavos"]),
            row["lancamento_ids"] or "",
            bool(row["permitir_segunda_via"]),
            row["instrucoes_boleto"] or "",
            row["cobranca_hash"] or "",
            Link("abrir »", url=url) if url else None,
        )
        link = Link(row["cobranca_id"], url=url) if url else None
        ids = (row["cliente_id"], row["conta_id"], row["forma_pagamento_id"])
        rows.append(Row((*cells, *ids), key=f"cobranca-{row['cobranca_id']}", link=link))
    columns = (*DETAIL_COLUMNS, *id_columns("pessoa_id", "conta_id", "forma_id"))
    notes = (
        "Encargos/taxas não lançados = líquido - soma dos títulos pagos (só quando todos estão pagos).",
        "Os totais incluem as cobranças canceladas.",
    )
    return Section("cobrancas_detalhe", columns, tuple(rows), title="Todas as cobranças", detail=True, notes=notes)


def link_titulos(entries: Entries, ids: Sequence[int], text: str) -> Link | str:
    """Lead from the títulos of a charge to the row of the first one."""
    return (entries.link_titulo(ids[0], text) if ids else None) or text


def money_or_none(centavos: int | None) -> Decimal | None:
    """Turn centavos into reais; None stays None."""
    return None if centavos is None else to_decimal(centavos)


def join_ids(ids: Iterable[object]) -> str:
    """Write ids one after the other."""
    return ", ".join(str(number) for number in ids)
