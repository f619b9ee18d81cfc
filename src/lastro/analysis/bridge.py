"""The bridge from result to cash, month by month, and its answer in five lines (R07, V05)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.months import sum_by_month

if TYPE_CHECKING:
    from lastro.transform.position import Position

OPERATING = "abcdefghijk"
ANSWERS: Final = {
    "resultado": "a", "clientes": "bdg", "pagamentos": "cei", "nao_operacional": "k", "adiantamentos": "fhj",
    "implantados": "no", "caixa": "p",
}  # fmt: skip
"""Lines of the answer -> the letters that they add; those between the fourth and the last only where they are."""
MOST_OPENED: Final = 3
"""Categories by which the fourth line is opened."""
OPENED, OTHERS = "categoria", "demais"


@dataclass(frozen=True)
class NetLine:
    """A line of the answer in five: one of `ANSWERS`, or below the fourth a category of it (`OPENED`) or the others.

    Attributes:
        linha: its code.
        months: month -> signed centavos; months without amount may be missing.
        categoria_id: of a category; None for what has none, and in any other line.
    """

    linha: str
    months: Mapping[date, int]
    categoria_id: int | None = None


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
    fora = _find_outside(linhas)
    bridge["k"] = sum_by_month(mx[fora], valor[fora])
    bridge["l"] = _add(bridge[letter] for letter in OPERATING)
    transfers = caixa & linhas["transferencia"]
    bridge["n"] = sum_by_month(mx[transfers], valor[transfers])
    bridge["o"] = _sum_opening_balances(position)
    bridge["p"] = _add(bridge[letter] for letter in "lno")
    return bridge


def answer_bridge(position: Position, bridge: Mapping[str, Mapping[date, int]], month: date) -> list[NetLine]:
    """NetLine in five lines, net, why the result of each month is not its cash; they add up to the change of balance.

    What is outside the result is opened by its largest categories of one month, which are the same in all months; with
    equal amounts the lower id comes first.

    Args:
        position: that of the bridge.
        bridge: every line of the twelve (`build_bridge`).
        month: whose categories are the largest, by its first day.
    """
    lines = {linha: _add(bridge[letter] for letter in letters) for linha, letters in ANSWERS.items()}
    optional = ("adiantamentos", "implantados")
    kept = {linha: months for linha, months in lines.items() if linha not in optional or any(months.values())}
    answers = [NetLine(linha, months) for linha, months in kept.items()]
    return [*answers[:4], *_open_outside(position, month), *answers[4:]]


def _open_outside(position: Position, month: date) -> list[NetLine]:
    linhas = position.linhas[_find_outside(position.linhas)]
    keys = linhas["categoria_id"].astype("Int64")
    months = {
        None if pd.isna(key) else int(key): sum_by_month(own["mes_caixa"], own["valor_centavos"])
        for key, own in linhas.groupby(keys, dropna=False)
    }
    ranked = sorted(months, key=lambda key: (-abs(months[key].get(month, 0)), key is None, key or 0))
    opened = [key for key in ranked if months[key].get(month)][:MOST_OPENED]
    others = _add(own for key, own in months.items() if key not in opened)
    answers = [NetLine(OPENED, months[key], key) for key in opened]
    return [*answers, NetLine(OTHERS, others)] if opened and any(others.values()) else answers


def _find_outside(linhas: pd.DataFrame) -> pd.Series:
    """Tell which linhas moved cash outside the result: loans, owners, what is paid in instalments."""
    return linhas["caixa"] & linhas["fora_resultado"] & ~linhas["transferencia"]


def _sum_opening_balances(position: Position) -> dict[date, int]:
    """Opening balances by the month in which the account's control starts, up to D (S7); undated ones never enter."""
    contas = position.contas
    started = contas[contas["data_saldo_inicial"] <= pd.Timestamp(position.data_base)]
    months = started["data_saldo_inicial"].dt.to_period("M").dt.to_timestamp()
    return sum_by_month(months, started["valor_saldo_inicial_centavos"])


def _add(lines: Iterable[Mapping[date, int]]) -> dict[date, int]:
    total: dict[date, int] = {}
    for line in lines:
        for month, centavos in line.items():
            total[month] = total.get(month, 0) + centavos
    return total
