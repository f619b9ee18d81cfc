"""When so much of the past changes at once that a person must look first: other books, or a mass edit (S13)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pandas as pd

from lastro.errors import ChangesHeld, join_keys
from lastro.money import format_centavos_brl, ratio_pct

LANCAMENTOS = "lancamentos"
"""The list whose records are held."""
LEAST_ROWS = 50
"""Fewer changed linhas never hold a run, whatever their share."""


@dataclass(frozen=True)
class PastChanges:
    """The linhas of the months before the previous complete run's month, as that run had them.

    Attributes:
        before: first day of that month.
        linhas: how many there are.
        valor_centavos: the sum of their absolute values.
        changed: registro_id (the entry, whose row or item the linha was), valor_centavos (signed, as it was) of those
            whose value, account, payment or competence date differs now, or that are gone; category, person and text
            never count.
    """

    before: date
    linhas: int
    valor_centavos: int
    changed: pd.DataFrame


def check_past_changes(
    past: PastChanges,
    limit: Decimal,
    *,
    execucao_id: int,
    accepted: Collection[int],
    deleted: Collection[int],
) -> None:
    """Stop a run that would change too much of the past at once (S13).

    Args:
        limit: percent of the absolute value of the past that one run may change.
        execucao_id: the run, which a person may accept by its number.
        accepted: entries that a held run showed as changed and a person accepted.
        deleted: entries whose deletion a person accepted: asked once is enough.

    Raises:
        ChangesHeld: when at least 50 linhas and more than the limit would change, and not all of them were accepted.
    """
    changed = past.changed[~past.changed["registro_id"].isin(list(deleted))]
    value = int(changed["valor_centavos"].abs().sum())
    if (
        len(changed) < LEAST_ROWS
        or value * 100 <= limit * past.valor_centavos
        or set(changed["registro_id"]) <= set(accepted)
    ):
        return
    largest = changed.assign(tamanho=-changed["valor_centavos"].abs()).sort_values(["tamanho", "registro_id"])
    raise ChangesHeld(
        f"de {past.linhas} linhas anteriores a {past.before:%m/%Y}, {len(changed)} mudaram de valor, "
        f"conta, pagamento ou competência, ou sumiram: {format_centavos_brl(value)} "
        f"de {format_centavos_brl(past.valor_centavos)} "
        f"em valor absoluto ({ratio_pct(value, past.valor_centavos)} %); o limite é {limit} %. Maiores "
        f"ids: {join_keys(largest['registro_id'])}. Nada foi publicado. Veja se endereço e token são "
        f"desta empresa; se o passado mudou mesmo tanto, aceite-a: --so-relatorios --aceitar-alteracoes {execucao_id}.",
        {LANCAMENTOS: changed["registro_id"]},
    )
