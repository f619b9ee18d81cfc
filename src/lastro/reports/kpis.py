"""The figures of the cover (R00): values with a state and a link to what explains them, kept from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.cash_series import CashSeries, find_last_day
from lastro.analysis.ratios import (
    compute_cash_days,
    compute_default_over,
    compute_overdue_share,
    compute_pmp,
    compute_pmr,
)
from lastro.calendar import ONE_DAY, add_months, month_end, month_start
from lastro.grid.cells import Kind, Link
from lastro.grid.model import Period
from lastro.grid.verdict import ERRO
from lastro.grid.words import format_date
from lastro.money import to_decimal

if TYPE_CHECKING:
    from lastro.transform.position import Position

OK, WARN, CRITICAL = "OK", "Atenção", "Crítico"
DAYS_AHEAD = 7
KpiValue = Decimal | int | date | None
Check = tuple[str, str, bool]
"""Id, severity ("erro" or "alerta"), passed."""


@dataclass(frozen=True)
class Kpi:
    """One figure of the cover.

    Attributes:
        slug: its name in `ops.kpis` and in the defined name `kpi_<slug>`.
        indicador: printed text.
        valor: MONEY, PERCENT and NUMBER are Decimal, INTEGER int, DATE a date; None = not computable (S14).
        kind: of the value.
        situacao: OK, Atenção, Crítico, or None for figures without a threshold.
        link: where it is explained.
        provisorio: an account without opening balance is inside: "variação, não saldo" (S7).
    """

    slug: str
    indicador: str
    valor: KpiValue
    kind: Kind
    situacao: str | None
    link: Link | None
    provisorio: bool = False

    @property
    def number(self) -> Decimal | None:
        """The value as stored and compared from run to run; None for dates and what could not be computed."""
        if self.valor is None or isinstance(self.valor, date):
            return None
        return Decimal(self.valor)


def compute_kpis(position: Position, series: CashSeries, checks: Sequence[Check] = ()) -> tuple[Kpi, ...]:
    """Compute every KPI of R00, in printed order.

    Args:
        position: the position.
        series: its cash series.
        checks: results of the V checks of this run, and grave findings.

    Returns:
        KPIs; payables and overdue payables are negative. "A receber/A pagar" are open, not overdue títulos whose
        projected day (S4) lies in D..D+n.
    """
    return (
        *_balance_kpis(position, series),
        *_open_kpis(position),
        *_ratio_kpis(position),
        *_month_kpis(position, series),
        *_charge_kpis(position),
        _cash_days_kpi(position, series),
        _check_kpi(checks),
    )


def _balance_kpis(position: Position, series: CashSeries) -> list[Kpi]:
    day, last = position.data_base, find_last_day(position)
    minimum = position.parametros.saldo_minimo
    yesterday = to_decimal(series.balance(day - ONE_DAY) or 0)
    now = to_decimal(series.balance(day, realised_only=True) or 0)
    found = series.lowest(last)
    lowest, lowest_on = (to_decimal(found[0]), found[1]) if found is not None else (None, None)
    days = position.parametros.horizonte["dias"]
    saldos, daily = Link("Saldos »", sheet="Saldos"), Link("Fluxo diário »", sheet="Fluxo diário")
    lowest_link = (
        daily if lowest_on is None else Link(daily.text, sheet=daily.sheet, key=f"dia_{lowest_on.isoformat()}")
    )
    flag = series.provisional
    return [
        Kpi(
            "saldo_ontem",
            f"Saldo no fechamento de ontem ({format_date(day - ONE_DAY)})",
            yesterday,
            Kind.MONEY,
            _balance_state(yesterday, minimum),
            saldos,
            flag,
        ),
        Kpi("saldo_atual", "Saldo atual", now, Kind.MONEY, _balance_state(now, minimum), saldos, flag),
        Kpi(
            "menor_saldo_projetado",
            f"Menor saldo projetado ({days} dias)",
            lowest,
            Kind.MONEY,
            None if lowest is None else _balance_state(lowest, minimum),
            lowest_link,
            flag,
        ),
        Kpi("data_menor_saldo", "Data do menor saldo projetado", lowest_on, Kind.DATE, None, lowest_link),
    ]


def _balance_state(value: Decimal, minimum: Decimal) -> str:
    if value < 0:
        return CRITICAL
    return WARN if value < minimum else OK


def _open_kpis(position: Position) -> list[Kpi]:
    titulos = position.titulos
    live = titulos[~titulos["pago"] & ~titulos["transferencia"]]
    receber, pagar = Link("Receber »", sheet="Receber"), Link("Pagar »", sheet="Pagar")
    kpis = []
    for slug, text, tipo, link in (
        ("a_receber", "A receber", "R", receber),
        ("a_pagar", "A pagar", "P", pagar),
    ):
        for name, words, days in (("hoje", "hoje", 0), ("7", "em 7 dias", 7), ("30", "em 30 dias", 30)):
            chosen = due_within(position, live[live["tipo"] == tipo], days)
            kpis.append(Kpi(f"{slug}_{name}", f"{text} {words}", _sum(chosen), Kind.MONEY, None, link))
    late = live[live["vencido"]]
    late_in, late_out = late[late["tipo"] == "R"], late[late["tipo"] == "P"]
    grace = live[live["em_carencia"] & (live["tipo"] == "R")]
    return [
        *kpis,
        _watched("vencido_a_receber", "Vencido a receber", _sum(late_in), receber),
        Kpi("em_carencia", "dos quais em carência", _sum(grace[grace["vencido"]]), Kind.MONEY, None, receber),
        _watched("vencido_a_pagar", "Vencido a pagar", _sum(late_out), pagar),
    ]


def due_within(position: Position, titulos: pd.DataFrame, days: int) -> pd.DataFrame:
    """Keep the títulos that are not overdue and whose projected day lies in D..D+days (R00)."""
    day = position.data_base
    projected = titulos["data_projetada"]
    inside = (projected >= pd.Timestamp(day)) & (projected <= pd.Timestamp(day + timedelta(days=days)))
    return titulos[inside & ~titulos["vencido"]]


def _ratio_kpis(position: Position) -> list[Kpi]:
    inadimplencia, pessoas = Link("Inadimplência »", sheet="Inadimplência"), Link("Pessoas »", sheet="Pessoas")
    days = position.parametros.inadimplencia_dias
    return [
        Kpi(
            "pct_carteira_vencida",
            "% da carteira vencida",
            compute_overdue_share(position),
            Kind.PERCENT,
            None,
            inadimplencia,
        ),
        Kpi(
            "inadimplencia_90",
            f"Inadimplência > {days} dias",
            compute_default_over(position),
            Kind.PERCENT,
            None,
            inadimplencia,
        ),
        Kpi("pmr", "PMR: prazo médio de recebimento (dias)", compute_pmr(position), Kind.NUMBER, None, pessoas),
        Kpi("pmp", "PMP: prazo médio de pagamento (dias)", compute_pmp(position), Kind.NUMBER, None, pessoas),
    ]


def _month_kpis(position: Position, series: CashSeries) -> list[Kpi]:
    month = month_start(position.data_base)
    before = add_months(month, -1)
    linhas = position.linhas
    result = linhas[~linhas["transferencia"] & ~linhas["fora_resultado"]]
    groups = position.categorias.set_index("categoria_id")["dre_grupo"]
    # Line 1 of the DRE; a linha without category is in "outras" (R06).
    revenue = result[result["categoria_id"].map(groups).eq("receita_bruta")]
    dre = Link("DRE »", sheet="DRE")
    flow = series.flow(Period("", month, month_end(month), "realizado"))
    gained = _of_month(result, month)
    operating = to_decimal(flow.operacional)
    return [
        Kpi("receita_mes", "Receita bruta do mês (competência)", _of_month(revenue, month), Kind.MONEY, None, dre),
        Kpi("receita_mes_anterior", "Receita bruta do mês anterior", _of_month(revenue, before), Kind.MONEY, None, dre),
        Kpi("resultado_mes", "Resultado do mês (competência)", gained, Kind.MONEY, _sign_state(gained), dre),
        Kpi("resultado_mes_anterior", "Resultado do mês anterior", _of_month(result, before), Kind.MONEY, None, dre),
        Kpi(
            "fluxo_operacional_mes",
            "Fluxo operacional realizado no mês",
            operating,
            Kind.MONEY,
            _sign_state(operating),
            Link("Fluxo mensal »", sheet="Fluxo mensal", key="fluxo_operacional"),
        ),
    ]


def _of_month(linhas: pd.DataFrame, month: date) -> Decimal:
    return _sum(linhas[linhas["mes_competencia"] == pd.Timestamp(month)])


def _sign_state(value: Decimal) -> str:
    return WARN if value < 0 else OK


def _watched(slug: str, text: str, value: Decimal, link: Link) -> Kpi:
    return Kpi(slug, text, value, Kind.MONEY, WARN if value else OK, link)


def _charge_kpis(position: Position) -> list[Kpi]:
    charges = position.cobrancas
    in_transit = charges[charges["viva"] & charges["rank"].isin([3, 4])]
    paid = charges.loc[charges["viva"] & charges["paga"], ["cobranca_id"]]
    open_ids = position.titulos.loc[~position.titulos["pago"], ["titulo_id", "valor_centavos"]]
    unsettled = position.cobranca_titulos.merge(paid, on="cobranca_id").merge(open_ids, on="titulo_id", validate="m:1")
    count = int(unsettled["cobranca_id"].nunique())
    amount = _sum(unsettled.drop_duplicates("titulo_id"))
    state = WARN if count else OK
    link = Link("Cobranças »", sheet="Cobranças")
    transit = to_decimal(int(in_transit["liquido_centavos"].fillna(0).sum()))
    return [
        Kpi("cobrancas_em_transito", "Cobranças em trânsito (líquido)", transit, Kind.MONEY, None, link),
        Kpi(
            "cobrancas_pagas_em_aberto_qtde",
            "Cobranças pagas com lançamento aberto (quantidade)",
            count,
            Kind.INTEGER,
            state,
            link,
        ),
        Kpi(
            "cobrancas_pagas_em_aberto_valor",
            "Cobranças pagas com lançamento aberto (R$)",
            amount,
            Kind.MONEY,
            state,
            link,
        ),
    ]


def _cash_days_kpi(position: Position, series: CashSeries) -> Kpi:
    saldo = series.balance(position.data_base, realised_only=True) or 0
    days = compute_cash_days(position, saldo)
    link = Link("Saldos »", sheet="Saldos")
    return Kpi("dias_de_caixa", "Dias de caixa", days, Kind.NUMBER, None, link, series.provisional)


def _check_kpi(checks: Sequence[Check]) -> Kpi:
    failed = [severity for _, severity, ok in checks if not ok]
    state = CRITICAL if ERRO in failed else WARN if failed else OK
    link = Link("Qualidade »", sheet="Qualidade")
    return Kpi("verificacoes_com_falha", "Verificações com falha", len(failed), Kind.INTEGER, state, link)


def _sum(frame: pd.DataFrame) -> Decimal:
    return to_decimal(int(frame["valor_centavos"].sum()))
