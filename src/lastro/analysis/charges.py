"""Charges beside the entries they collect (S12, R11): when they were paid, what is in transit, where both disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from lastro.analysis.frames import dicts_of, differ, records_of
from lastro.transform.charges import PAID_RANK, RANKS, find_repasses
from lastro.transform.position import Position

PENDENTE_RANK, TRANSFERRED_RANK = RANKS["pendente"], RANKS["transferido"]
DAYS_AHEAD = 7
"""What is due so soon is looked at today."""
TRANSFER_DAYS = 35
"""Longest usual time between the due day of a charge and that of its entry (M6)."""
ACTIONS = {
    "M1": "Cobrança paga e lançamento em aberto: dar baixa no lançamento.",
    "M2": "Lançamento pago e cobrança agendada ou pendente: conferir a baixa ou cancelar a cobrança.",
    "M3": "Valor da cobrança difere da soma das linhas positivas dos títulos: corrigir o lançamento ou a cobrança.",
    "M4": "A cobrança cita lançamentos que não existem: foram excluídos ou são de outra empresa.",
    "M5": "Cobrança cancelada e lançamento em aberto: emitir outra cobrança ou cancelar o lançamento.",
    "M6": "Vencimento do lançamento antes do da cobrança ou muito depois dele: acertar as datas.",
    "M7": "Cliente da cobrança difere da pessoa do lançamento: acertar o cadastro.",
    "M8": "Conta da cobrança difere da conta do lançamento: acertar a conta.",
    "M9": "Valor pago ausente ou diferente de valor + multa e juros: conferir com o extrato.",
    "M10": "Um mesmo título em mais de uma cobrança viva: cancelar a repetida.",
    "M11": "Situação de cobrança que não conhecemos: conferir no sistema.",
}
"""What to do about each kind of difference (R11 g)."""


def is_in_transit(cobrancas: pd.DataFrame) -> pd.Series:
    """Tell which charges the customer paid and the bank has not passed on (S12)."""
    return cobrancas["viva"] & (cobrancas["rank"] >= PAID_RANK) & (cobrancas["rank"] < TRANSFERRED_RANK)


@dataclass(frozen=True)
class Transit:
    """What customers paid and the bank has not passed on, in centavos (R00).

    Attributes:
        no_saldo: net of the charges whose títulos are all settled: our balance has it already.
        fora: net of the others: neither bank nor balance has it.
        baixado: paid value of the títulos of the first kind, which the bank's balance lacks.
    """

    no_saldo: int
    fora: int
    baixado: int


def find_transit(position: Position) -> Transit:
    """Tell what is in transit by whether the entries are settled already."""
    charges = position.cobrancas[is_in_transit(position.cobrancas)]
    titulos = position.titulos[["titulo_id", "pago", "caixa", "valor_centavos"]]
    links = position.cobranca_titulos.merge(titulos, on="titulo_id", validate="m:1")
    links = links[links["cobranca_id"].isin(charges["cobranca_id"])]
    settled = links.groupby("cobranca_id")["pago"].all()
    inside = charges["cobranca_id"].isin(settled.index[settled.astype(bool)])
    own = links[links["cobranca_id"].isin(charges.loc[inside, "cobranca_id"]) & links["caixa"]]
    net = charges["liquido_centavos"].fillna(0)
    return Transit(
        int(net[inside].sum()),
        int(net[~inside].sum()),
        int(own.drop_duplicates("titulo_id")["valor_centavos"].sum()),
    )


def sum_not_booked(position: Position) -> int:
    """Add up fees, fines and interest of live paid charges that no entry holds (R11 f), in centavos."""
    charges = add_payment(position)
    return int(charges.loc[charges["viva"] & charges["paga"], "nao_lancado_centavos"].fillna(0).sum())


def find_uncharged(position: Position) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find receivables that nobody asks the customer to pay: open, not fora, no live charge (R00).

    What an acquirer passes on in lots is asked of nobody (S12).

    Returns:
        Those overdue, and those that are due within `DAYS_AHEAD` by their projected day (S4).
    """
    titulos = position.titulos
    bare = titulos[
        ~titulos["pago"]
        & ~find_repasses(titulos, position.parametros)
        & ~titulos["transferencia"]
        & ~titulos["fora_resultado"]
        & (titulos["tipo"] == "R")
        & titulos["cobranca_id"].isna()
    ]
    last = pd.Timestamp(position.data_base) + pd.Timedelta(days=DAYS_AHEAD)
    return bare[bare["vencido"]], bare[~bare["vencido"] & (bare["data_projetada"] <= last)]


def add_payment(position: Position) -> pd.DataFrame:
    """Add to each charge its payment date, days, títulos and what was not booked (S12).

    The payment date is the latest of its títulos if all are paid as of D, else the day on which a run saw it paid.
    """
    cobrancas = position.cobrancas
    data_base = pd.Timestamp(position.data_base)
    titulos = position.titulos[["titulo_id", "valor_centavos", "pago", "data_pagamento"]]
    links = position.cobranca_titulos.merge(titulos, on="titulo_id", how="inner", validate="m:1")
    per_charge = links.groupby("cobranca_id").agg(
        soma=("valor_centavos", "sum"), pagos=("pago", "all"), ultimo=("data_pagamento", "max")
    )
    ids = cobrancas["cobranca_id"]
    # A merge keeps the type of dates where a map from nothing would not.
    own = (
        cobrancas[["cobranca_id"]]
        .merge(per_charge, left_on="cobranca_id", right_index=True, how="left")
        .set_axis(cobrancas.index)
    )
    all_paid = ids.isin(per_charge.index[per_charge["pagos"].astype(bool)])
    booked = own["soma"].astype("Int64")
    settled = own["ultimo"].astype("datetime64[us]").where(all_paid)
    seen = cobrancas["data_pagamento"].where(cobrancas["data_pagamento_observada"])
    paid_on = settled.fillna(seen.where(seen <= data_base))
    titulo_lists = _ids_by_charge(links.sort_values("titulo_id"))
    return cobrancas.assign(
        pago_em=paid_on,
        pago_observado=paid_on.notna() & settled.isna(),
        dias_venc_pagto=(paid_on - cobrancas["data_vencimento"]).dt.days.astype("Int64"),
        dias_pagto_transf=(cobrancas["data_transferido"] - paid_on).dt.days.astype("Int64"),
        nao_lancado_centavos=(cobrancas["liquido_centavos"] - booked).where(all_paid).astype("Int64"),
        titulo_ids=pd.Series(
            [titulo_lists.get(cobranca_id, []) for cobranca_id in ids.tolist()], index=ids.index, dtype=object
        ),
    )


def find_differences(position: Position) -> list[dict[str, Any]]:
    """Find where charges and entries disagree (R11 g, S12).

    A cancelled charge can only be M5; everything else looks at live charges.

    Returns:
        One dict per kind and charge: `tipo` (M1 to M11), `cobranca_id`, `lancamentos` (título ids, for M4 the unknown
        ids as text), `pessoa_id`, `valor_centavos`, `diferenca_centavos` (M3: charge - positive linhas; M9: paid -
        expected; else None), `link_publico`; sorted by kind and charge.
    """
    cobrancas, titulos = position.cobrancas, position.titulos
    charge_fields = ["cobranca_id", "viva", "paga", "rank", "data_vencimento", "pessoa_id", "conta_id"]
    fields = ["titulo_id", "pago", "data_vencimento", "pessoa_id", "conta_id", "bruto_centavos", "deducoes_centavos"]
    links = position.cobranca_titulos.merge(cobrancas[charge_fields], on="cobranca_id", validate="m:1")
    links = links.merge(titulos[fields], on="titulo_id", validate="m:1", suffixes=("", "_titulo"))
    live, cancelled = links[links["viva"]], links[~links["viva"]]
    latest = live["data_vencimento"] + pd.Timedelta(days=TRANSFER_DAYS)
    off_dates = (live["data_vencimento_titulo"] < live["data_vencimento"]) | (live["data_vencimento_titulo"] > latest)
    shared = live.groupby("titulo_id")["cobranca_id"].transform("nunique") > 1
    by_rule = {
        "M1": _ids_by_charge(live[live["paga"] & ~live["pago"]]),
        "M2": _ids_by_charge(live[live["rank"].between(1, PENDENTE_RANK) & live["pago"]]),
        "M5": _ids_by_charge(cancelled[~cancelled["pago"]]),
        "M6": _ids_by_charge(live[off_dates]),
        "M7": _ids_by_charge(live[differ(live["pessoa_id"], live["pessoa_id_titulo"])]),
        "M8": _ids_by_charge(live[differ(live["conta_id"], live["conta_id_titulo"])]),
        "M10": _ids_by_charge(live[shared]),
    }
    all_ids = _ids_by_charge(live)
    alive = cobrancas[cobrancas["viva"]]
    positive = links["bruto_centavos"].clip(lower=0) + links["deducoes_centavos"].clip(lower=0)
    gross = alive["cobranca_id"].map(positive.groupby(links["cobranca_id"]).sum()).fillna(0).astype("int64")
    expected = alive["valor_centavos"] + alive["valor_multa_juros_centavos"].fillna(0).astype("int64")
    paid_off = alive["valor_pago_centavos"] - expected
    off = alive["valor_centavos"] - gross
    differences: dict[str, dict[int, int | None]] = {
        "M3": _where(alive, off, off != 0),
        "M9": _where(alive, paid_off, alive["paga"] & (paid_off != 0).fillna(value=True).astype(bool)),
        "M11": _where(alive, pd.Series(pd.NA, index=alive.index, dtype="Int64"), alive["rank"] == 0),
    }
    for tipo, by_charge in differences.items():
        by_rule[tipo] = {cobranca_id: all_ids.get(cobranca_id, []) for cobranca_id in by_charge}
    unknown = position.cobranca_desconhecidos.rename(columns={"lancamento_id": "titulo_id"})
    unknown = unknown[unknown["cobranca_id"].isin(alive["cobranca_id"])].astype({"titulo_id": str})
    by_rule["M4"] = _ids_by_charge(unknown)
    named = cobrancas[cobrancas["cobranca_id"].isin({charge for found in by_rule.values() for charge in found})]
    told = dicts_of(named, "cobranca_id", "pessoa_id", "valor_centavos", "link_publico")
    charges = {charge["cobranca_id"]: charge for charge in told}
    return [
        {
            **charges[cobranca_id],
            "tipo": tipo,
            "lancamentos": sorted(by_rule[tipo][cobranca_id], key=str),
            "diferenca_centavos": differences.get(tipo, {}).get(cobranca_id),
        }
        for tipo in ACTIONS
        for cobranca_id in sorted(by_rule[tipo])
    ]


def _ids_by_charge(links: pd.DataFrame) -> dict[int, list[Any]]:
    ids: dict[int, list[Any]] = {}
    for cobranca_id, titulo_id in records_of(links, "cobranca_id", "titulo_id"):
        ids.setdefault(cobranca_id, []).append(titulo_id)
    return ids


def _where(cobrancas: pd.DataFrame, amounts: pd.Series, chosen: pd.Series) -> dict[int, int | None]:
    part = cobrancas[["cobranca_id"]].assign(valor=amounts)[chosen]
    return dict(records_of(part, "cobranca_id", "valor"))
