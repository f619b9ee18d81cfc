"""What acquirers owe and passed on: charges paid by card, and títulos that are settled in lots (S12, R11).

Does not belong here: which títulos those are (`lastro.transform.charges.find_repasses`), and how they are laid out.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.charges import TRANSFERRED_RANK
from lastro.analysis.frames import records_of
from lastro.transform.charges import find_repasses
from lastro.transform.position import is_open, move_to_business

if TYPE_CHECKING:
    from lastro.transform.position import Position

LATE, DUE, RECEIVED = "atrasado", "a receber", "recebido"
RECEIVED_DAYS: Final = 30
"""How far back what was received is listed."""


def sum_card_days(position: Position, charges: pd.DataFrame) -> pd.DataFrame:
    """Sum by day and acquirer what acquirers owe, and what they passed on in the last days (R11 h).

    Of charges of a form of `formas_sem_cobranca` what the customer paid: due on the day announced, received on the day
    it was transferred. Without a live charge the títulos of those forms and persons (S12), of which nobody knows a fee.
    A day without banks is late only after the next one with (F8).

    Args:
        position: the position.
        charges: result of `add_payment`.

    Returns:
        By situation (late, due, received), day and acquirer: `situacao`, `dia` (null where none is announced), `quem`
        (`find_acquirers`), `qtde`, and in centavos `bruto`, `taxas` (null without any known), `liquido`, `antecipado`
        (received before its day), `diferenca` (received less booked; null where nothing says).
    """
    today = pd.Timestamp(position.data_base)
    parts = pd.concat([_list_charges(position, charges), _list_titulos(position)], ignore_index=True)
    over = move_to_business(parts["dia"], position.calendario) < today
    waiting = (~parts["recebido"] & over).map({True: LATE, False: DUE})
    parts = parts.assign(situacao=waiting.mask(parts["recebido"], RECEIVED), qtde=1)
    recent = parts["dia"].between(today - timedelta(RECEIVED_DAYS), today)
    parts = parts[~parts["recebido"] | recent]
    by = parts.groupby(["situacao", "dia", "quem"], dropna=False)
    known = by[["taxas", "diferenca"]].sum(min_count=1)
    sums = by[["qtde", "bruto", "liquido", "antecipado"]].sum().join(known).reset_index()
    order = sums["situacao"].map({LATE: 0, DUE: 1, RECEIVED: 2})
    return sums.assign(ordem=order).sort_values(["ordem", "dia", "quem"], ignore_index=True)


def _list_charges(position: Position, charges: pd.DataFrame) -> pd.DataFrame:
    forms = charges["forma_pagamento_id"].isin(position.parametros.formas_sem_cobranca).fillna(value=False)
    own = charges[forms & charges["viva"] & charges["paga"] & charges["liquido_centavos"].notna()]
    received = own["rank"] >= TRANSFERRED_RANK
    early = received & (own["data_transferido"] < own["data_a_transferir"]).fillna(value=False)
    return pd.DataFrame(
        {
            "recebido": received,
            "dia": own["data_transferido"].where(received, own["data_a_transferir"]),
            "quem": -own["forma_pagamento_id"].astype("int64"),
            "bruto": own["valor_pago_centavos"].astype("Int64"),
            "taxas": own["taxa_centavos"].astype("Int64"),
            "liquido": own["liquido_centavos"].astype("Int64"),
            "antecipado": own["liquido_centavos"].astype("Int64").where(early, 0),
            "diferenca": own["nao_lancado_centavos"].where(received),
        }
    )


def _list_titulos(position: Position) -> pd.DataFrame:
    titulos = position.titulos
    own = titulos[find_repasses(titulos, position.parametros) & ~titulos["transferencia"]]
    own = own[own["pago"] | is_open(own)]
    paid, value = own["pago"], own["valor_centavos"].astype("Int64")
    nothing = pd.Series(pd.NA, own.index, dtype="Int64")
    return pd.DataFrame(
        {
            "recebido": paid,
            "dia": own["data_pagamento"].where(paid, own["data_projetada"].fillna(own["data_vencimento"])),
            "quem": find_acquirers(position, own),
            "bruto": value,
            "taxas": nothing,
            "liquido": value,
            "antecipado": value.where(paid & (own["data_pagamento"] < own["data_vencimento"]), 0),
            "diferenca": nothing,
        }
    )


def find_acquirers(position: Position, titulos: pd.DataFrame) -> pd.Series:
    """Find who passes on the money of each título: the person that the settings name, else minus the payment method."""
    people = {*position.parametros.pessoas_sem_cobranca}
    pairs = records_of(titulos, "pessoa_id", "forma_pagamento_id")
    return pd.Series([one if one in people else -forma for one, forma in pairs], titulos.index, dtype="int64")


def name_acquirer(position: Position, acquirer: int) -> str:
    """Name one that `find_acquirers` found."""
    labels = position.rotulos
    return labels.pessoa(acquirer) if acquirer > 0 else labels.forma(-acquirer)
