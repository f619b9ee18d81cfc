"""Part (f) of R11, for SQL: every charge with all that is known of it, and how its status is called (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from lastro.grid.cells import Kind, Link
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.tables import Column, Table
from lastro.money import round_half_up
from lastro.reports.shared.drill_down import Entries
from lastro.transform.charges import RANKS
from lastro.transform.position import Position

STATUS_LABELS = {
    "agendado": "Agendado",
    "pendente": "Pendente",
    "cliente_pagou": "Cliente pagou",
    "transferindo": "Transferindo",
    "transferido": "Transferido",
    "cancelado": "Cancelado",
}
STATUS_TEXTS = tuple(STATUS_LABELS[status] for status in RANKS)
"""Stage names by rank 1 to 5 (S12)."""


def status_label(status: str) -> str:
    """Name a status as it is printed; one that is not known prints as it came."""
    return STATUS_LABELS.get(status, status)


def build_charge_detail(position: Position, cobrancas: pd.DataFrame) -> Table:
    """Build (f): every charge, cancelled ones too, by due date and id."""
    ordered = cobrancas.sort_values(["data_vencimento", "cobranca_id"], kind="stable")
    labels = position.rotulos
    titulos = ordered["titulo_ids"].tolist()
    return Table.of(
        "cobrancas_detalhe",
        (
            (Column("Cobrança", Kind.INTEGER, key="cobranca_id"), ordered["cobranca_id"]),
            (Column("Status", Kind.TEXT, width=18), store_each(Kind.TEXT, ordered["status"], status_label)),
            (
                Column("Status no sistema", Kind.TEXT, "a situação com o nome que o serviço lhe dá", width=18),
                store_texts(ordered["status_descricao"], ""),
            ),
            (Column("Status id", Kind.INTEGER, "número da situação da cobrança no serviço"), ordered["status_id"]),
            (Column("Forma", Kind.TEXT), store_labels(ordered["forma_pagamento_id"], labels.forma)),
            (Column("Cliente", Kind.TEXT), store_labels(ordered["cliente_id"], labels.pessoa)),
            (Column("Conta", Kind.TEXT), store_labels(ordered["conta_id"], labels.conta)),
            (Column("Vencimento", Kind.DATE), ordered["data_vencimento"]),
            (
                Column("Valor", Kind.MONEY, "valor cobrado, positivo, sem multa e juros", dense=True, total=True),
                ordered["valor_centavos"],
            ),
            (
                Column(
                    "Multa e juros", Kind.MONEY, "o que o cliente pagou além do valor, positivo", dense=True, total=True
                ),
                ordered["valor_multa_juros_centavos"].fillna(0),
            ),
            (Column("Valor pago", Kind.MONEY, dense=True, total=True), ordered["valor_pago_centavos"]),
            (
                Column(
                    "Taxa",
                    Kind.MONEY,
                    "tarifa do serviço, positiva; conhecida depois do pagamento",
                    dense=True,
                    total=True,
                ),
                ordered["taxa_centavos"],
            ),
            (Column("Líquido", Kind.MONEY, dense=True, total=True), ordered["liquido_centavos"]),
            (
                Column("Percentual de multa", Kind.PERCENT, "multa combinada na cobrança", key="multa_pct"),
                store_each(Kind.PERCENT, ordered["percentual_multa"], round_half_up),
            ),
            (
                Column("Cobra juros", Kind.BOOLEAN, "a cobrança pede juros por atraso", width=18),
                ordered["cobrar_juros"].astype(bool),
            ),
            (
                Column("Data de pagamento", Kind.DATE, "dia em que o cliente pagou a cobrança; nulo se não pagou"),
                ordered["pago_em"],
            ),
            (
                Column(
                    "Data observada",
                    Kind.BOOLEAN,
                    "o serviço não diz o dia do pagamento: é o da primeira execução que a viu paga",
                    width=18,
                ),
                ordered["pago_observado"].astype(bool),
            ),
            (
                Column("Dias venc.→pagto", Kind.INTEGER, "dias do vencimento ao pagamento; negativo = pago antes"),
                ordered["dias_venc_pagto"],
            ),
            (Column("Data a transferir", Kind.DATE), ordered["data_a_transferir"]),
            (
                Column("Data transferindo", Kind.DATE, "dia em que a transferência começou; nulo antes"),
                ordered["data_transferindo"],
            ),
            (
                Column("Data transferido", Kind.DATE, "dia em que o dinheiro chegou à conta; nulo antes"),
                ordered["data_transferido"],
            ),
            (
                Column("Dias pagto→transf.", Kind.INTEGER, "dias do pagamento à transferência"),
                ordered["dias_pagto_transf"],
            ),
            (
                Column("Data de cancelamento", Kind.DATE, "dia do cancelamento; nulo se não cancelada"),
                ordered["data_cancelamento"],
            ),
            (
                Column("Títulos", Kind.TEXT, "números dos títulos que a cobrança cobra, separados por vírgula"),
                [join_ids(ids) for ids in titulos],
            ),
            (
                Column(
                    "Encargos/taxas não lançados",
                    Kind.MONEY,
                    "multa, juros e tarifa da cobrança que nenhum lançamento registra",
                    dense=True,
                    total=True,
                ),
                ordered["nao_lancado_centavos"],
            ),
            (
                Column("Lançamentos citados", Kind.TEXT, "números que a cobrança cita, conhecidos ou não"),
                store_texts(ordered["lancamento_ids"], ""),
            ),
            (
                Column("Segunda via", Kind.BOOLEAN, "o cliente pode emitir segunda via", width=18),
                ordered["permitir_segunda_via"].astype(bool),
            ),
            (
                Column("Instruções", Kind.TEXT, "texto impresso na cobrança"),
                store_texts(ordered["instrucoes_boleto"], ""),
            ),
            (Column("Hash", Kind.TEXT, "identificação pública da cobrança"), store_texts(ordered["cobranca_hash"], "")),
            (
                Column("Link", Kind.LINK, "endereço da cobrança para o cliente"),
                store_each(Kind.LINK, ordered["link_publico"], lambda url: "abrir »" if url else None),
            ),
            (Column("Pessoa id", Kind.INTEGER, shown=False), ordered["cliente_id"]),
            (Column("Conta id", Kind.INTEGER, shown=False), ordered["conta_id"]),
            (Column("Forma id", Kind.INTEGER, shown=False), ordered["forma_pagamento_id"]),
        ),
        "R11 (f): uma cobrança por linha (S12)",
    )


def link_titulos(entries: Entries, ids: Sequence[int], text: str) -> Link | str:
    """Lead from the títulos of a charge to the row of the first one."""
    return (entries.link_titulo(ids[0], text) if ids else None) or text


def join_ids(ids: Iterable[object]) -> str:
    """Write ids one after the other."""
    return ", ".join(str(record_id) for record_id in ids)
