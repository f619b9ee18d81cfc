"""How long the cash lasts, what must be sold, and how much hangs on few: fôlego, break-even, concentration (R22).

Sums are int64 centavos; shares in percent with two places, months with one, half up. What has no meaning is None, with
its reason in words (pt-BR).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGIN_GROUPS, NET_GROUPS, find_beginning, select_dre_linhas
from lastro.analysis.ratios import select_receivables
from lastro.calendar import add_months
from lastro.money import ratio_pct
from lastro.transform.position import SAIDAS

if TYPE_CHECKING:
    from datetime import date

    from lastro.analysis.abc_curve import Standing
    from lastro.analysis.cash_series import CashSeries
    from lastro.analysis.dre_map import DreMap
    from lastro.transform.position import Position

MONTHS: Final = 12
"""Closed months of break-even and fixed cost."""
CASH_MONTHS: Final = 3
"""Closed months whose mean outflow the second fôlego divides by."""
TOP: Final = 5
DOMINANT: Final = 25
"""Above so many percent of revenue, or of what is late, a customer is named on the cover."""
FIXED: Final = ("pessoal", "administrativas", "comerciais")
VARIABLE: Final = ("deducoes", "custos_variaveis")
BY_LINES, BY_OUTFLOWS = "linhas 6 a 8 da DRE", "saídas de 3 meses"
"""What the fixed cost of a month is made of."""
CARTAO: Final = "cartao"
FIXED_COST: Final = "custo_fixo_mensal"
BREAK_EVEN: Final = (
    "receita_liquida_media", "margem_contribuicao_pct", "ponto_equilibrio", "ponto_equilibrio_financeiro",
    "margem_seguranca",
)  # fmt: skip
"""The KPIs of `find_break_even`."""


Measures = dict[str, tuple[Decimal | None, str]]
"""KPI -> its value and a note: why there is none, and of the fixed cost what it is made of."""


class Year(NamedTuple):
    """The 12 closed months of R06: centavos by group, and whether the books reach back that far."""

    sums: Mapping[str, int]
    inteiro: bool

    def add(self, groups: Sequence[str]) -> int:
        """Add groups up, signed."""
        return sum(self.sums.get(group, 0) for group in groups)


def sum_year(position: Position, current: date) -> Year:
    """Add up the linhas of R06 of the 12 closed months.

    Args:
        current: the month after the last closed one, by its first day.
    """
    linhas, first = select_dre_linhas(position), pd.Timestamp(add_months(current, -MONTHS))
    months = linhas["mes_competencia"]
    inside = (months >= first) & (months < pd.Timestamp(current))
    sums = linhas[inside].groupby("grupo")["valor_centavos"].sum()
    return Year({str(group): int(centavos) for group, centavos in sums.items()}, bool(find_beginning(months) <= first))


def measure_resilience(
    position: Position, series: CashSeries, mapa: DreMap, current: date, ranking: Mapping[int | None, Standing]
) -> Measures:
    """Measure how long the cash lasts, what must be sold, and how much hangs on few, as of D (R22).

    Args:
        series: its cash series.
        mapa: what the map of the DRE says.
        current: the month after the last closed one, by its first day.
        ranking: the customers by the revenue of the closed months.
    """
    year = sum_year(position, current)
    runway = find_runway(position, series, year, mapa, current)
    return {**runway, **find_break_even(year, mapa), **find_concentration(position, ranking)}


def find_runway(position: Position, series: CashSeries, year: Year, mapa: DreMap, current: date) -> Measures:
    """Divide the balance of D by what goes out every month; a month without movement counts as zero.

    Args:
        series: its cash series.
        year: result of `sum_year`.
        mapa: what the map of the DRE says.
        current: the month after the last closed one, by its first day.

    Returns:
        The fixed cost of a month, in R$: the lines 6 to 8 of R06 where the books have twelve closed months and the map
        allows margins (S17), else the mean outflow; months that the balance of the accounts lasts with it (cards left
        out), and with the mean outflow of the last closed months.
    """
    first = add_months(current, -CASH_MONTHS)
    linhas = position.linhas
    months = linhas["mes_caixa"]
    inside = (linhas["classe"] == SAIDAS) & (months >= pd.Timestamp(first)) & (months < pd.Timestamp(current))
    out = Fraction(max(0, -int(linhas.loc[inside.fillna(value=False), "valor_centavos"].sum())), CASH_MONTHS)
    by_lines = year.inteiro and mapa.margens
    fixed = Fraction(-year.add(FIXED), MONTHS) if by_lines else out
    balance = _balance(position, series)
    text = "variação, não saldo" if balance is None else "saldo negativo" if balance < 0 else ""
    none = "sem custos fixos no mapa" if by_lines else "sem saídas"
    return {
        FIXED_COST: (_money(fixed), BY_LINES if by_lines else BY_OUTFLOWS),
        "folego_custo_fixo": (_months(balance, fixed), text or ("" if fixed > 0 else none)),
        "folego_media": (_months(balance, out), text or ("" if out else "sem saídas")),
    }


def _balance(position: Position, series: CashSeries) -> int | None:
    """Add the balances at D of the accounts that are no cards; None where one is a variation."""
    cards = set(position.contas.loc[position.contas["tipo"] == CARTAO, "conta_id"])
    own = [(place, account) for place, account in enumerate(series.accounts) if account.conta_id not in cards]
    if any(account.provisoria for _, account in own):
        return None
    return sum(series.balance(position.data_base, place, realised_only=True) or 0 for place, _ in own)


def find_break_even(year: Year, mapa: DreMap) -> Measures:
    """Say what must be sold a month; without a map that is good enough there is no margin (S17).

    Args:
        year: result of `sum_year`.
        mapa: what its map says.

    Returns:
        Mean net revenue of a month; contribution margin in percent of it; what must be sold a month (fixed cost /
        margin %), also with the financial result borne; by how much percent revenue may fall before that.
    """
    revenue, margin = year.add(NET_GROUPS), year.add(MARGIN_GROUPS)
    reasons = {
        "DRE não mapeada": not mapa.classificada,
        "DRE parcial": not mapa.margens,
        "sem custos variáveis no mapa": not year.add(VARIABLE),
        "receita líquida não positiva": revenue <= 0,
        "margem de contribuição não positiva": margin <= 0,
    }
    reason = next((text for text, holds in reasons.items() if holds), "")
    if reason:
        return dict.fromkeys(BREAK_EVEN, (None, reason))
    fixed, financial = -year.add(FIXED), year.add(("financeiro",))
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

    So does who passes on in lots what others pay by card (S12).

    Args:
        ranking: result of `rank_customers`.

    Returns:
        Shares of the five largest customers and of the largest one, and of the five largest debtors, in percent.
    """
    revenue = {person: standing.receita_centavos for person, standing in ranking.items()}
    titulos = position.titulos
    still = select_receivables(titulos[~titulos["pago"]])
    opened = still.groupby("pessoa_id", dropna=False, as_index=False).agg(valor=("valor_centavos", "sum"))
    of_open = dict(records_of(opened, "pessoa_id", "valor"))
    nobody = (None, *position.parametros.pessoas_sem_cobranca)
    return {
        "concentracao_5_clientes": (_share(revenue, TOP, nobody), "sem receita"),
        "concentracao_maior_cliente": (_share(revenue, 1, nobody), "sem receita"),
        "concentracao_5_devedores": (_share(of_open, TOP, nobody), "nada em aberto"),
    }


def find_dominant(amounts: Mapping[int | None, int]) -> dict[int, Decimal]:
    """Find the customers that are more than a quarter of some amounts; "Sem pessoa" counts and is nobody.

    Returns:
        Customer -> share in percent, the largest first.
    """
    positive = {person: centavos for person, centavos in amounts.items() if centavos > 0}
    whole = sum(positive.values())
    chosen = [(own, person) for person, own in positive.items() if person is not None and own * 100 > whole * DOMINANT]
    return {person: ratio_pct(own, whole) or Decimal(0) for own, person in sorted(chosen, reverse=True)}


def _share(amounts: dict[int | None, int], many: int, nobody: Collection[int | None]) -> Decimal | None:
    positive = {person: centavos for person, centavos in amounts.items() if centavos > 0}
    largest = sorted((centavos for person, centavos in positive.items() if person not in nobody), reverse=True)[:many]
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
