"""Fôlego, break-even and concentration as KPIs (R22): for Indicadores, the cover's line and the closing of a month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.resilience import find_break_even, find_concentration, find_runway
from lastro.grid.cells import Kind, link_sheet
from lastro.money import format_amount, round_half_up
from lastro.reports.shared.kpis import Kpi, KpiValue

if TYPE_CHECKING:
    from datetime import date

    from lastro.analysis.abc_curve import Standing
    from lastro.analysis.cash_series import CashSeries
    from lastro.analysis.dre_map import DreMap
    from lastro.transform.position import Position

BLOCK: Final = "Fôlego"
_YEAR: Final = "12 meses fechados"
METHODS: Final[Mapping[str, str]] = {
    "custo_fixo_mensal": "séries vivas a pagar, equivalente mensal (R17)",
    "folego_custo_fixo": "saldo das contas, sem cartões / custo fixo mensal",
    "folego_media": "o mesmo saldo / média das saídas de 3 meses fechados",
    "receita_liquida_media": f"linha 3 da DRE, {_YEAR} / 12",
    "margem_contribuicao_pct": f"linha 5 / linha 3 da DRE, {_YEAR}",
    "ponto_equilibrio": f"linhas 6 + 7 + 8 da DRE, {_YEAR} / 12 / margem %",
    "ponto_equilibrio_financeiro": "o mesmo, com a linha 10",
    "margem_seguranca": "1 - linhas 6 + 7 + 8 / linha 5 da DRE",
    "concentracao_5_clientes": f"sobre a receita de {_YEAR}; sem pessoa só divide",
    "concentracao_maior_cliente": f"sobre a receita de {_YEAR}",
    "concentracao_5_devedores": "sobre o que está em aberto a receber",
}
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
    runway = find_runway(position, series, current)
    even = find_break_even(position, mapa, current)
    shares = find_concentration(position, ranking)
    recorrentes, dre = link_sheet("Recorrentes"), link_sheet("DRE")
    saldos, receber = link_sheet("Saldos"), link_sheet("Inadimplência")

    def months(slug: str, text: str, value: KpiValue, why: str) -> Kpi:
        return Kpi(slug, text, value, saldos, 1, kind=Kind.NUMBER, ausente=why, unidade="meses")

    def of_dre(slug: str, text: str, value: KpiValue, better: int, kind: Kind = Kind.MONEY) -> Kpi:
        return Kpi(slug, text, None if even.motivo else value, dre, better, kind=kind, ausente=even.motivo)

    def share(slug: str, text: str, value: KpiValue, why: str = "sem receita") -> Kpi:
        return Kpi(slug, text, value, receber, -1, kind=Kind.PERCENT, ausente=why)

    return (
        Kpi("custo_fixo_mensal", "Custo fixo mensal", runway.custo_fixo, recorrentes, -1),
        months("folego_custo_fixo", "Fôlego com custos fixos (meses)", runway.fixo, runway.sem_fixo),
        months("folego_media", "Fôlego pela média das saídas (meses)", runway.media, runway.sem_media),
        of_dre("receita_liquida_media", "Receita líquida média por mês", even.receita_media, 1),
        of_dre("margem_contribuicao_pct", "Margem de contribuição %", even.margem_pct, 1, Kind.PERCENT),
        of_dre("ponto_equilibrio", "Ponto de equilíbrio mensal", even.ponto, -1),
        of_dre("ponto_equilibrio_financeiro", "Idem, com resultado financeiro", even.ponto_com_financeiro, -1),
        of_dre("margem_seguranca", "Margem de segurança %", even.seguranca_pct, 1, Kind.PERCENT),
        share("concentracao_5_clientes", "Cinco maiores clientes %", shares.top),
        share("concentracao_maior_cliente", "Maior cliente %", shares.maior),
        share("concentracao_5_devedores", "Cinco maiores devedores %", shares.aberto_top, "nada em aberto"),
    )


def tell_resilience(kpis: Sequence[Kpi]) -> str:
    """Say R22 on the cover in one sentence of what can be said; empty where nothing can."""
    values = {kpi.slug: kpi.valor for kpi in kpis}

    def write(slug: str, places: int = 0) -> str:
        value = values.get(slug)
        if not isinstance(value, Decimal):
            return ""
        whole, _, decimals = format_amount(round_half_up(value, places)).partition(",")
        return f"{whole},{decimals[:places]}" if places else whole

    months, point, top = write("folego_custo_fixo", 1), write("ponto_equilibrio"), write("concentracao_5_clientes")
    parts = (
        f"{months} meses de custos fixos" if months else "",
        f"ponto de equilíbrio {point}/mês x receita {write('receita_liquida_media')}" if point else "",
        f"top-5 {top} %" if top else "",
    )
    return " · ".join(filter(None, parts))
