"""How long the cash lasts, what must be sold, and how much hangs on few: fôlego, break-even, concentration (R22).

Sums are int64 centavos; shares in percent with two places, months with one, half up. What has no meaning is None, with
its reason in words (pt-BR).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.commitments import per_month, sum_series
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGIN_GROUPS, NET_GROUPS, select_dre_linhas
from lastro.calendar import add_months
from lastro.money import ratio_pct, to_decimal
from lastro.transform.position import SAIDAS

if TYPE_CHECKING:
    from datetime import date

    from lastro.analysis.abc_curve import Standing
    from lastro.analysis.cash_series import CashSeries
    from lastro.analysis.dre_map import DreMap
    from lastro.transform.position import Position

MONTHS: Final = 12
"""Closed months of the break-even."""
CASH_MONTHS: Final = 3
"""Closed months whose mean outflow the second fôlego divides by."""
TOP: Final = 5
FIXED: Final = ("pessoal", "administrativas", "comerciais")
VARIABLE: Final = ("deducoes", "custos_variaveis")
CARTAO: Final = "cartao"
BREAK_EVEN: Final = (
    "receita_liquida_media", "margem_contribuicao_pct", "ponto_equilibrio", "ponto_equilibrio_financeiro",
    "margem_seguranca",
)  # fmt: skip
"""The KPIs of `find_break_even`."""


Measures = dict[str, tuple[Decimal | None, str]]
"""KPI -> its value, or None, and why there is none where it is so."""


def find_runway(position: Position, series: CashSeries, current: date) -> Measures:
    """Divide the balance of D by what goes out every month; a month without movement counts as zero.

    Args:
        position: the position.
        series: its cash series.
        current: the month after the last closed one, by its first day.

    Returns:
        The equivalent per month of the live series to pay, in R$, positive; months that the balance of the accounts
        lasts with it (cards left out), and with the mean outflow of the last closed months.
    """
    groups = sum_series(position)
    live = groups[groups["viva"] & (groups["lado"] == "P") & ~groups["fora_resultado"].astype(bool)]
    fixed = sum(
        abs(centavos)
        for centavos in (per_month(*pair) for pair in records_of(live, "valor_centavos", "codigo"))
        if centavos is not None
    )
    first = add_months(current, -CASH_MONTHS)
    linhas = position.linhas
    months = linhas["mes_caixa"]
    inside = (linhas["classe"] == SAIDAS) & (months >= pd.Timestamp(first)) & (months < pd.Timestamp(current))
    out = max(0, -int(linhas.loc[inside.fillna(value=False), "valor_centavos"].sum()))
    balance = _balance(position, series)
    text = "variação, não saldo" if balance is None else "saldo negativo" if balance < 0 else ""
    return {
        "custo_fixo_mensal": (to_decimal(fixed), ""),
        "folego_custo_fixo": (
            _months(balance, Fraction(fixed)),
            text or ("" if fixed else "sem série viva a pagar"),
        ),
        "folego_media": (_months(balance, Fraction(out, CASH_MONTHS)), text or ("" if out else "sem saídas")),
    }


def _balance(position: Position, series: CashSeries) -> int | None:
    """Add the balances at D of the accounts that are no cards; None where one is a variation."""
    cards = set(position.contas.loc[position.contas["tipo"] == CARTAO, "conta_id"])
    own = [(place, account) for place, account in enumerate(series.accounts) if account.conta_id not in cards]
    if any(account.provisoria for _, account in own):
        return None
    return sum(series.balance(position.data_base, place, realised_only=True) or 0 for place, _ in own)


def find_break_even(position: Position, mapa: DreMap, current: date) -> Measures:
    """Add the 12 closed months of R06 up; without a map that is good enough there is no margin (S17).

    Args:
        position: the position.
        mapa: what its map says.
        current: the month after the last closed one, by its first day.

    Returns:
        Mean net revenue of a month; contribution margin in percent of it; what must be sold a month (fixed cost /
        margin %), also with the financial result borne; by how much percent revenue may fall before that.
    """
    linhas = select_dre_linhas(position)
    first = pd.Timestamp(add_months(current, -MONTHS))
    chosen = linhas[(linhas["mes_competencia"] >= first) & (linhas["mes_competencia"] < pd.Timestamp(current))]
    sums = chosen.groupby("grupo")["valor_centavos"].sum().to_dict()

    def add(groups: Sequence[str]) -> int:
        return sum(int(sums.get(group, 0)) for group in groups)

    revenue, margin = add(NET_GROUPS), add(MARGIN_GROUPS)
    reasons = {
        "DRE não mapeada": not mapa.classificada,
        "DRE parcial": not mapa.margens,
        "sem custos variáveis no mapa": not add(VARIABLE),
        "receita líquida não positiva": revenue <= 0,
        "margem de contribuição não positiva": margin <= 0,
    }
    reason = next((text for text, holds in reasons.items() if holds), "")
    if reason:
        return dict.fromkeys(BREAK_EVEN, (None, reason))
    fixed, financial = -add(FIXED), add(("financeiro",))
    figures = (
        _money(Fraction(revenue, MONTHS)),
        ratio_pct(margin, revenue),
        _money(Fraction(fixed * revenue, margin * MONTHS)),
        _money(Fraction((fixed - financial) * revenue, margin * MONTHS)),
        ratio_pct(margin - fixed, margin),
    )
    return {slug: (figure, "") for slug, figure in zip(BREAK_EVEN, figures, strict=True)}


def find_concentration(position: Position, ranking: Mapping[int | None, Standing]) -> Measures:
    """Say how much the largest customers are of revenue and of what is open; "Sem pessoa" counts and is nobody.

    Args:
        position: the position.
        ranking: result of `rank_customers`.

    Returns:
        Shares of the five largest customers and of the largest one, and of the five largest debtors, in percent.
    """
    revenue = {person: standing.receita_centavos for person, standing in ranking.items()}
    titulos = position.titulos
    still = ~titulos["pago"] & ~titulos["transferencia"] & (titulos["tipo"] == "R")
    opened = titulos[still].groupby("pessoa_id", dropna=False, as_index=False).agg(valor=("valor_centavos", "sum"))
    of_open = dict(records_of(opened, "pessoa_id", "valor"))
    return {
        "concentracao_5_clientes": (_share(revenue, TOP), "sem receita"),
        "concentracao_maior_cliente": (_share(revenue, 1), "sem receita"),
        "concentracao_5_devedores": (_share(of_open, TOP), "nada em aberto"),
    }


def _share(amounts: dict[int | None, int], many: int) -> Decimal | None:
    positive = {person: centavos for person, centavos in amounts.items() if centavos > 0}
    largest = sorted((centavos for person, centavos in positive.items() if person is not None), reverse=True)[:many]
    return ratio_pct(sum(largest), sum(positive.values()))


def _months(balance: int | None, monthly: Fraction) -> Decimal | None:
    if balance is None or balance < 0 or monthly <= 0:
        return None
    return _round(Fraction(balance) / monthly, 1)


def _money(centavos: Fraction) -> Decimal:
    return _round(centavos / 100, 2)


def _round(value: Fraction, places: int) -> Decimal:
    """Round half up, exactly."""
    scaled = value * 10**places
    whole = (Decimal(scaled.numerator) / Decimal(scaled.denominator)).quantize(Decimal(1), ROUND_HALF_UP)
    return whole.scaleb(-places)
