"""Fôlego, break-even and concentration as KPIs (R22): for Indicadores, the cover's line and the closing of a month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.changes import find_late
from lastro.analysis.frames import records_of
from lastro.analysis.resilience import (
    BY_LINES,
    find_break_even,
    find_concentration,
    find_dominant,
    find_runway,
    sum_year,
)
from lastro.grid.cells import Kind, link_sheet
from lastro.money import format_amount, round_half_up
from lastro.reports.shared.kpis import Kpi

if TYPE_CHECKING:
    from datetime import date

    from lastro.analysis.abc_curve import Standing
    from lastro.analysis.cash_series import CashSeries
    from lastro.analysis.dre_map import DreMap
    from lastro.reports.view import View
    from lastro.transform.position import Position

BLOCK: Final = "Fôlego"
FIXED_COST: Final = "custo_fixo_mensal"
_YEAR: Final = "12 meses fechados"
_KPIS: Final = (
    ("custo_fixo_mensal", "Custo fixo mensal",
     f"linhas 6 + 7 + 8 da DRE, {_YEAR} / 12; sem eles ou sem mapa, média das saídas de 3 meses fechados", "DRE",
     Kind.MONEY, -1),
    ("folego_custo_fixo", "Fôlego com custos fixos (meses)", "saldo das contas, sem cartões / custo fixo mensal",
     "Saldos", Kind.NUMBER, 1),
    ("folego_media", "Fôlego pela média das saídas (meses)", "o mesmo saldo / média das saídas de 3 meses fechados",
     "Saldos", Kind.NUMBER, 1),
    ("receita_liquida_media", "Receita líquida média por mês", f"linha 3 da DRE, {_YEAR} / 12", "DRE", Kind.MONEY, 1),
    ("margem_contribuicao_pct", "Margem de contribuição %", f"linha 5 / linha 3 da DRE, {_YEAR}", "DRE",
     Kind.PERCENT, 1),
    ("ponto_equilibrio", "Ponto de equilíbrio mensal", f"linhas 6 + 7 + 8 da DRE, {_YEAR} / 12 / margem %", "DRE",
     Kind.MONEY, -1),
    ("ponto_equilibrio_financeiro", "Idem, com resultado financeiro", "o mesmo, com a linha 10", "DRE",
     Kind.MONEY, -1),
    ("margem_seguranca", "Margem de segurança %", "1 - linhas 6 + 7 + 8 / linha 5 da DRE", "DRE", Kind.PERCENT, 1),
    ("concentracao_5_clientes", "Cinco maiores clientes %", f"sobre a receita de {_YEAR}; sem pessoa só divide",
     "Inadimplência", Kind.PERCENT, -1),
    ("concentracao_maior_cliente", "Maior cliente %", f"sobre a receita de {_YEAR}", "Inadimplência",
     Kind.PERCENT, -1),
    ("concentracao_5_devedores", "Cinco maiores devedores %", "sobre o aberto a receber, sem fora do resultado",
     "Inadimplência", Kind.PERCENT, -1),
)  # fmt: skip
"""KPI, its text, how it is computed, the sheet that explains it, its kind, and whether more of it is better."""
METHODS: Final = {slug: method for slug, _, method, *_ in _KPIS}
"""KPI -> how it is computed, in printed order."""


def list_resilience_kpis(
    position: Position, series: CashSeries, mapa: DreMap, current: date, ranking: Mapping[int | None, Standing]
) -> tuple[Kpi, ...]:
    """List the KPIs of R22 as of D; one without a meaning says why.

    Args:
        position: the position.
        series: its cash series.
        mapa: what the map of the DRE says.
        current: the month after the last closed one, by its first day.
        ranking: the customers by the revenue of the closed months.
    """
    year = sum_year(position, current)
    runway, base = find_runway(position, series, year, mapa, current)
    found = {**runway, **find_break_even(year, mapa), **find_concentration(position, ranking)}
    kpis = []
    for slug, text, _, sheet, kind, better in _KPIS:
        (value, why), unit = found[slug], "meses" if kind is Kind.NUMBER else ""
        name = f"{text} ({base})" if slug == FIXED_COST else text
        kpis.append(Kpi(slug, name, value, link_sheet(sheet), better, kind=kind, ausente=why, unidade=unit))
    return tuple(kpis)


def tell_dominant(view: View) -> str:
    """Name the customers that are more than a quarter of revenue or of what is late; empty where nobody is."""
    late = find_late(view.position)
    owed = late[late["tipo"] == "R"].groupby("pessoa_id", dropna=False, as_index=False).agg(v=("valor_centavos", "sum"))
    revenue = {person: standing.receita_centavos for person, standing in view.ranking.items()}
    shares = [
        (find_dominant(revenue), "da receita de 12 meses"),
        (find_dominant(dict(records_of(owed, "pessoa_id", "v"))), "do vencido a receber"),
    ]
    people = dict.fromkeys(person for found, _ in reversed(shares) for person in found)
    return "; ".join(
        f"{view.position.rotulos.pessoa(person)} "
        + " e ".join(f"{round_half_up(found[person], 0)} % {text}" for found, text in shares if person in found)
        for person in people
    )


def tell_resilience(kpis: Sequence[Kpi]) -> str:
    """Say R22 on the cover in one sentence of what can be said, the shorter runway first; empty where nothing can."""
    values = {kpi.slug: kpi.valor for kpi in kpis}

    def write(slug: str, places: int = 0) -> str:
        value = values.get(slug)
        if not isinstance(value, Decimal):
            return ""
        whole, _, decimals = format_amount(round_half_up(value, places)).partition(",")
        return f"{whole},{decimals[:places]}" if places else whole

    by_lines = any(kpi.slug == FIXED_COST and BY_LINES in kpi.indicador for kpi in kpis)
    runways = [("folego_media", "saídas de 3 meses"), ("folego_custo_fixo", "custos fixos")][: 1 + by_lines]
    known = [(value, slug, base) for slug, base in runways if isinstance(value := values.get(slug), Decimal)]
    point, top = write("ponto_equilibrio"), write("concentracao_5_clientes")
    parts = (
        *(f"{write(slug, 1)} {'mês' if value < 2 else 'meses'} ({base})" for value, slug, base in sorted(known)[:1]),
        f"ponto de equilíbrio {point}/mês x receita {write('receita_liquida_media')}" if point else "",
        f"5 maiores clientes {top} %" if top else "",
    )
    return " · ".join(filter(None, parts))
