"""Parts (f) and (g) of R11: every charge, for SQL; how its status is called; where it and its entries differ (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.charges import ACTIONS, add_payment, find_differences
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print
from lastro.grid.storage import store_cells, store_each, store_labels, store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.words import count_text
from lastro.money import round_half_up
from lastro.reports.shared.drill_down import find_entries
from lastro.transform.charges import RANKS

if TYPE_CHECKING:
    from lastro.reports.view import View

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


def label_status(status: str) -> str:
    """Name a status as it is printed; one that is not known prints as it came."""
    return STATUS_LABELS.get(status, status)


def read_charges(view: View) -> pd.DataFrame:
    """Read the charges of D with what is known of their payment (`add_payment`)."""
    return add_payment(view.position)


def read_live(view: View) -> pd.DataFrame:
    """Keep the charges that are not cancelled."""
    charges = view.once(read_charges)
    return charges[charges["viva"]]


def list_every_charge(view: View) -> Columns:
    """List (f): every charge, cancelled ones too, by due date and id."""
    charges, labels = view.once(read_charges), view.position.rotulos
    charges = charges.sort_values(["data_vencimento", "cobranca_id"], kind="stable")
    return {
        "cobranca_id": charges["cobranca_id"],
        "status": store_each(Kind.TEXT, charges["status"], label_status),
        "status_descricao": store_texts(charges["status_descricao"], ""),
        "status_id": charges["status_id"],
        "forma": store_labels(charges["forma_pagamento_id"], labels.forma),
        "pessoa": store_labels(charges["pessoa_id"], labels.pessoa),
        "conta": store_labels(charges["conta_id"], labels.conta),
        "data_vencimento": charges["data_vencimento"],
        "valor": charges["valor_centavos"],
        "valor_multa_juros": charges["valor_multa_juros_centavos"].fillna(0),
        "valor_pago": charges["valor_pago_centavos"],
        "taxa": charges["taxa_centavos"],
        "liquido": charges["liquido_centavos"],
        "percentual_multa": store_each(Kind.PERCENT, charges["percentual_multa"], round_half_up),
        "cobrar_juros": charges["cobrar_juros"].astype(bool),
        "data_pagamento_ef": charges["pago_em"],
        "data_observada": charges["pago_observado"].astype(bool),
        "dias_venc_pagto": charges["dias_venc_pagto"],
        "data_a_transferir": charges["data_a_transferir"],
        "data_transferindo": charges["data_transferindo"],
        "data_transferido": charges["data_transferido"],
        "dias_pagto_transf": charges["dias_pagto_transf"],
        "data_cancelamento": charges["data_cancelamento"],
        "titulos": [join_ids(ids) for ids in charges["titulo_ids"].tolist()],
        "encargos_taxas_nao_lancados": charges["nao_lancado_centavos"],
        "lancamento_ids": store_texts(charges["lancamento_ids"], ""),
        "permitir_segunda_via": charges["permitir_segunda_via"].astype(bool),
        "instrucoes_boleto": store_texts(charges["instrucoes_boleto"], ""),
        "cobranca_hash": store_texts(charges["cobranca_hash"], ""),
        "link_publico": store_texts(charges["link_publico"], ""),
        "pessoa_id": charges["pessoa_id"],
        "conta_id": charges["conta_id"],
        "forma_pagamento_id": charges["forma_pagamento_id"],
    }


def join_ids(ids: Iterable[object]) -> str:
    """Write ids one after the other."""
    return ", ".join(str(record_id) for record_id in ids)


def read_differences(view: View) -> list[dict[str, Any]]:
    """Read where charges and entries differ (`find_differences`)."""
    return find_differences(view.position)


def list_differences(view: View) -> Columns:
    """List (g), the differences as `find_differences` gives them: they are what to act on."""
    found, label = view.once(read_differences), view.position.rotulos.pessoa
    return {
        "tipo": [row["tipo"] for row in found],
        "cobranca_id": [row["cobranca_id"] for row in found],
        "lancamentos": [join_ids(row["lancamentos"]) for row in found],
        "pessoa": [label(row["pessoa_id"]) for row in found],
        "valor": [row["valor_centavos"] for row in found],
        "diferenca": [row["diferenca_centavos"] for row in found],
        "o_que_fazer": [ACTIONS[row["tipo"]] for row in found],
        "pessoa_id": [row["pessoa_id"] for row in found],
    }


def link_differences(view: View) -> Mapping[str, Leads]:
    """Lead from a charge to its page, and from entries to the row of the first título; unknown ones lead nowhere."""
    found = view.once(read_differences)
    firsts = [next((one for one in row["lancamentos"] if isinstance(one, int)), None) for row in found]
    return {
        "cobranca_id": Leads(store_cells(Kind.TEXT, [row["link_publico"] or None for row in found])),
        "lancamentos": view.books.once(find_entries).lead("titulo_id", pd.Series(firsts, dtype="Int64")),
    }


CHARGES: Final = Print(
    "cobrancas_detalhe",
    "R11 (f): uma cobrança por linha (S12)",
    list_every_charge,
    keys=("cobranca_id",),
    about={"valor": "valor cobrado, positivo, sem multa e juros"},
)
DIFFERENCES: Final = Print(
    "cobrancas_divergencias",
    "R11 (g): uma divergência entre cobrança e lançamentos por linha (M1 a M11)",
    list_differences,
    keys=("tipo", "cobranca_id"),
    about={"tipo": "M1 a M11 (R11 g)", "valor": "valor da cobrança, positivo"},
    widths={"tipo": 18, "cobranca_id": 11, "lancamentos": 18, "o_que_fazer": 60},
    shown=("cobranca_id",),
    title=lambda view: f"Divergências ({count_text(len(view.once(read_differences)), 'caso', 'casos')})",
    links=link_differences,
)
