"""Parts (f) to (h) of R11: every charge, for SQL; where it and its entries differ; what acquirers owe by day (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.cards import DUE, LATE, RECEIVED, RECEIVED_DAYS, name_acquirer, sum_card_days
from lastro.analysis.charges import ACTIONS, add_payment, find_differences
from lastro.grid.cells import Kind
from lastro.grid.pivot import build_total
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, say_more
from lastro.grid.storage import store_cells, store_each, store_labels, store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.words import count_text
from lastro.money import round_half_up
from lastro.reports.printing import Tables, print_section
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


def list_card_days(view: View) -> Columns:
    """List (h): what acquirers owe, late first, and what they passed on, by day and acquirer."""
    days = sum_card_days(view.position, view.once(read_charges))
    people = days["quem"] > 0
    return {
        "dia": days["dia"],
        "adquirente": [name_acquirer(view.position, quem) for quem in days["quem"].tolist()],
        **{key: days[key] for key in ("situacao", "qtde", "bruto", "taxas", "liquido", "antecipado", "diferenca")},
        "pessoa_id": days["quem"].astype("Int64").where(people),
        "forma_pagamento_id": (-days["quem"]).astype("Int64").where(~people),
    }


def show_card_days(view: View, tables: Tables) -> Section | None:
    """Print the first days, and below them the sum of each situation; nothing where nothing is passed on in lots."""
    table = tables[CARD_DAYS.name]
    if not len(table.rows):
        return None
    printed = print_section(CARD_DAYS, {**tables, table.name: table.take(np.arange(len(table.rows))[:MOST_DAYS])}, view)
    situations, rows = table.data["situacao"].cells(), [Row(cells) for cells in table.rows]
    totals = [
        build_total(printed.columns, own, f"Total {name}", only=SUMMED)
        for name in (LATE, DUE, RECEIVED)
        if (own := [row for row, situation in zip(rows, situations, strict=True) if situation == name])
    ]
    more = tuple(f"{each}." for each in say_more(len(rows), f"mart.{table.name}", MOST_DAYS))
    return replace(printed, rows=(*printed.rows, *totals), notes=(*printed.notes, *more))


MOST_DAYS: Final = 60
SUMMED: Final = ("qtde", "bruto", "taxas", "liquido", "antecipado", "diferenca")
CARD_DAYS: Final = Print(
    "agenda_cartoes",
    f"R11 (h): o que adquirentes devem, e o que repassaram em {RECEIVED_DAYS} dias, por situação, dia e adquirente",
    list_card_days,
    keys=("situacao", "dia", "pessoa_id", "forma_pagamento_id"),
    about={
        "dia": "dia anunciado, do vencimento ou projetado; do recebido, o dia em que veio; nulo sem anúncio",
        "situacao": "atrasado, a receber ou recebido",
        "bruto": "o que os clientes pagaram; sem cobrança, o valor dos títulos",
        "taxas": "tarifas das cobranças, positivas; nulo onde não há cobrança que as diga",
        "liquido": "bruto menos taxas",
        "diferenca": "líquido recebido menos os títulos pagos; negativo veio a menos; nulo onde não se sabe",
    },
    widths={"adquirente": 26, "situacao": 12},
    undefined=("taxas", "diferenca"),
    title="Agenda de cartões: o que as adquirentes devem e repassaram",
    notes=(
        "De cobranças pagas por cartão; sem elas, dos títulos do que se repassa em lotes (S12), sem taxa conhecida.",
        "Antecipado: veio antes do dia. Diferença: recebido menos lançado; negativo veio a menos.",
    ),
)
