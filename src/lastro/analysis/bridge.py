"""The bridge from result to cash, month by month (R07, V05)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.months import sum_by_month

if TYPE_CHECKING:
    from lastro.transform.position import Position

OPERATING = "abcdefghijk"


def build_bridge(position: Position) -> dict[str, dict[date, int]]:
    """Compute every line of the bridge (R07).

    The competence month mc is `mes_competencia`, the cash month mx `mes_caixa` (caixa linhas only). A linha without
    competence (`excluir`) counts as of an earlier competence. Lines a to j leave out transfers and `fora`.

    Args:
        position: the position; its frames are not changed.

    Returns:
        Letter of the line -> month -> signed centavos; months without amount may be missing.
    """
    linhas = position.linhas
    outside = linhas["transferencia"] | linhas["fora_resultado"]
    mc, mx, valor = linhas["mes_competencia"], linhas["mes_caixa"], linhas["valor_centavos"]
    receita, despesa = linhas["natureza"] == "R", linhas["natureza"] == "D"
    pago, caixa = linhas["pago"], linhas["caixa"]
    other_month = caixa & mc.notna() & (mx != mc)
    earlier, later = caixa & (mc.isna() | (mc < mx)), caixa & (mc > mx)

    def total(months: pd.Series, chosen: pd.Series, sign: int = 1) -> dict[date, int]:
        mask = chosen & ~outside
        return sum_by_month(months[mask], sign * valor[mask])

    bridge = {
        "a": total(mc, mc.notna()),
        "b": total(mc, receita & ~pago, -1),
        "c": total(mc, despesa & ~pago, -1),
        "d": total(mc, receita & other_month, -1),
        "e": total(mc, despesa & other_month, -1),
        "f": total(mc, pago & ~caixa, -1),
        "g": total(mx, receita & earlier),
        "h": total(mx, receita & later),
        "i": total(mx, despesa & earlier),
        "j": total(mx, despesa & later),
    }
    fora = caixa & linhas["fora_resultado"] & ~linhas["transferencia"]
    bridge["k"] = sum_by_month(mx[fora], valor[fora])
    bridge["l"] = _add(bridge[letter] for letter in OPERATING)
    transfers = caixa & linhas["transferencia"]
    bridge["n"] = sum_by_month(mx[transfers], valor[transfers])
    bridge["o"] = _sum_opening_balances(position)
    bridge["p"] = _add(bridge[letter] for letter in "lno")
    return bridge


def _sum_opening_balances(position: Position) -> dict[date, int]:
    """Opening balances by the month in which the account's control starts, up to D (S7); undated ones never enter."""
    contas = position.contas
    started = contas[contas["data_saldo_inicial"] <= pd.Timestamp(position.data_base)]
    months = started["data_saldo_inicial"].dt.to_period("M").dt.to_timestamp()
    return sum_by_month(months, started["valor_saldo_inicial_centavos"])


def _add(lines: Iterable[dict[date, int]]) -> dict[date, int]:
    total: dict[date, int] = {}
    for line in lines:
        for month, centavos in line.items():
            total[month] = total.get(month, 0) + centavos
    return total
