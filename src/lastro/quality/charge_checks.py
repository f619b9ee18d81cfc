"""V11 to V13: live charges against the entries they collect (S12, R11)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.money import to_decimal
from lastro.quality.model import Verification
from lastro.quality.record_checks import BY_STATUS
from lastro.quality.tally import Tally
from lastro.transform.charges import RANKS, find_status

if TYPE_CHECKING:
    from lastro.transform.position import Position

BEFORE_PAYMENT: Final = (1, 2)


def check_v11(position: Position) -> Verification:
    """V11: every id in `lancamento_ids` of a live charge is an entry or an item (R11 M4)."""
    tally = Tally()
    cobrancas = position.cobrancas
    live = set(cobrancas.loc[cobrancas["viva"], "cobranca_id"])
    tally.count += len(live)
    for cobranca_id, lancamento_id in zip(
        position.cobranca_desconhecidos["cobranca_id"], position.cobranca_desconhecidos["lancamento_id"], strict=True
    ):
        if cobranca_id in live:
            tally.fail([f"cobrança {cobranca_id} · lançamento {lancamento_id}"])
    return tally.verification("V11")


def check_v12(position: Position) -> Verification:
    """V12: a live charge's `valor` is the sum of the positive linhas of its títulos (R11 M3)."""
    tally = Tally()
    linhas = position.linhas
    positive = linhas["valor_centavos"].clip(lower=0).groupby(linhas["titulo_id"]).sum()
    links = position.cobranca_titulos
    gross = links["titulo_id"].map(positive).fillna(0).astype("int64").groupby(links["cobranca_id"]).sum()
    cobrancas = position.cobrancas
    live = cobrancas[cobrancas["viva"]]
    total = found = 0
    for cobranca_id, centavos in zip(live["cobranca_id"], live["valor_centavos"], strict=True):
        have = int(gross.get(cobranca_id, 0))
        tally.compare(f"cobrança {cobranca_id}", to_decimal(int(centavos)), to_decimal(have))
        total, found = total + int(centavos), found + have
    return tally.verification("V12", esperado=to_decimal(total), encontrado=to_decimal(found))


def check_v13(position: Position, passadas: pd.DataFrame | None = None) -> Verification:
    """V13: a paid charge's títulos are paid, and a paid título's charge is (R11 M1, M2); counts per status agree.

    Args:
        position: the position.
        passadas: rows of `ops.passadas`; those of `cobrancas:status=<slug>` carry the service's count.
    """
    tally = Tally()
    states = position.titulos.set_index("titulo_id")["pago"]
    links = position.cobranca_titulos
    pago = links["titulo_id"].map(states).astype("boolean")
    cobrancas = position.cobrancas
    open_ids = set(links.loc[(~pago).fillna(value=False).astype(bool), "cobranca_id"])
    paid_ids = set(links.loc[pago.fillna(value=False).astype(bool), "cobranca_id"])
    for cobranca_id, viva, paga, rank in zip(
        cobrancas["cobranca_id"], cobrancas["viva"], cobrancas["paga"], cobrancas["rank"], strict=True
    ):
        if not viva:
            continue
        tally.count += 1
        if paga and cobranca_id in open_ids:
            tally.fail([f"cobrança {cobranca_id}"], "lançamento pago", "em aberto")
        elif rank in BEFORE_PAYMENT and cobranca_id in paid_ids:
            tally.fail([f"cobrança {cobranca_id}"], "cobrança paga", "pendente")
    if passadas is not None:
        _count_per_status(tally, position, passadas)
    return tally.verification("V13")


def _count_per_status(tally: Tally, position: Position, passadas: pd.DataFrame) -> None:
    """Compare the service's counts; whether its filter counts cancelled charges is not documented: either will do."""
    cobrancas = position.cobrancas
    live = Counter(cobrancas["status"])
    shown = Counter(find_status(text, False) for text in cobrancas["status_descricao"])
    rows = passadas[passadas["lista"].astype(str).str.startswith(BY_STATUS)]
    for lista, count in zip(rows["lista"], rows["contagem_antes"], strict=True):
        slug = str(lista).removeprefix(BY_STATUS)
        if pd.isna(count) or slug not in RANKS:
            continue
        have = shown[slug] if int(count) == shown[slug] else live[slug]
        tally.compare(f"status {slug}", int(count), have)
