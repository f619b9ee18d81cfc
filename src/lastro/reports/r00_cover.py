"""R00 Resumo: where are we, and can I trust it? The cover, what is to be done, and every KPI."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import LINE_ENTRADAS, LINE_SAIDAS
from lastro.calendar import ONE_DAY, iter_days, month_start
from lastro.grid.charts import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    IN_COLOUR,
    OUT_COLOUR,
    SCENARIO_COLOUR,
    Chart,
    ChartKind,
    Series,
    cut_empty_ends,
    fits_chart,
)
from lastro.grid.cover import COVER
from lastro.grid.prints import Print, list_columns
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.cover.first_page import build_cover, find_lows
from lastro.reports.cover.indicators import INDICATORS, SUMMARY, TREND, print_indicators
from lastro.reports.cover.to_do import LINES, TO_DO, print_to_do
from lastro.reports.printing import Tables
from lastro.reports.spec import Phase, ReportSpec
from lastro.transform.scenarios import VENCIMENTO
from lastro.transform.scope import holds_whole_accounts

if TYPE_CHECKING:
    from lastro.reports.view import Judged


def build_r00(view: Judged) -> Report:
    """Build the cover over everything else, and the sheets Fazer and Indicadores."""
    report = SPEC.print(view)
    (lines,) = [table for table in report.tables if table.name == LINES.name]
    return replace(report, cover=build_cover(view, lines))


def draw_daily(view: Judged, _: Tables) -> Chart | None:
    """Draw the balance of every day of Fluxo diário, its opening one included: realised up to D, projected from D.

    On D the projected balance also holds what is still expected that day. What the headline names as worst is drawn
    beside it; `saldo_minimo` where it says something: it is above zero, or a balance falls below it.
    """
    position, series = view.position, view.series
    if not holds_whole_accounts(position):
        return None
    today, minimum = position.data_base, position.parametros.saldo_minimo
    days = tuple(iter_days(month_start(today) - ONE_DAY, position.ultimo_dia))
    past = tuple(to_decimal(series.balance(day, realised_only=True) or 0) for day in days if day <= today)
    ahead = tuple(to_decimal(series.balance(day) or 0) for day in days if day >= today)
    lines = [
        Series("Saldo realizado", past + (None,) * (len(ahead) - 1), BALANCE_COLOUR),
        Series("Saldo projetado", (None,) * (len(past) - 1) + ahead, BALANCE_TINT, dashed=True),
    ]
    if (scenario := _draw_headline(view, len(days))) is not None:
        lines.append(scenario)
    marked = tuple(past[-1] if day == today else None for day in days) if past else ()
    if any((*past, *ahead)):
        lines.append(Series(f"Hoje ({today:%d/%m})", marked, OUT_COLOUR, line=True, point=True))
    if not series.provisional and any((*past, *ahead)) and (minimum > 0 or min(*past, *ahead) < minimum):
        lines.append(Series("Saldo mínimo", (minimum,) * len(days), OUT_COLOUR, dashed=True))
    title = "Variação desde o início dos lançamentos" if series.provisional else "Saldo diário: realizado e projetado"
    return Chart(title, ChartKind.LINE, days, tuple(lines), after=COVER)


def _draw_headline(view: Judged, days: int) -> Series | None:
    """Draw the projection whose low the headline names, where that is not the booked one, which is drawn anyway."""
    lows = [] if view.series.provisional else find_lows(view)
    if not lows or lows[0][0].nome == VENCIMENTO:
        return None
    line, balances = lows[0]
    values = tuple(to_decimal(centavos) for centavos, _ in balances)
    return Series(line.nome, (None,) * (days - len(values)) + values, SCENARIO_COLOUR, dashed=True)


def draw_monthly(view: Judged, _: Tables) -> Chart:
    """Draw Entradas, Saídas (sign turned) and the closing balance of each month, as Fluxo mensal has them (R04).

    D's month and those after it hold what is predicted: their closing balance is projected.
    """
    day, series = view.position.data_base, view.series
    current = month_start(day)
    periods = [
        period
        for period in view.months
        if (period.momento == "total") == (month_start(period.first) == current) and fits_chart(period.first, day)
    ]
    flows = [series.flow(period) for period in periods]
    closing = tuple(to_decimal(flow.final or 0) for flow in flows)
    closed = sum(period.first < current for period in periods)
    last_closed = closed - 1  # where the projected line begins
    shown, ahead = ("Variação", "Variação projetada") if series.provisional else ("Saldo", "Saldo projetado")
    balances: tuple[Series, ...] = (
        Series(shown, closing[:closed] + (None,) * (len(closing) - closed), BALANCE_COLOUR, line=True),
        Series(ahead, (None,) * last_closed + closing[last_closed:], BALANCE_TINT, line=True, dashed=True),
    )
    if not holds_whole_accounts(view.position):
        balances = ()
    chart = Chart(
        f"Entradas, saídas e {shown.lower()} por mês" if balances else "Entradas e saídas por mês",
        ChartKind.COLUMN,
        tuple(month_label(period.first) for period in periods),
        (
            Series(
                "Entradas", tuple(to_decimal(flow.line(LINE_ENTRADAS)) for flow in flows), IN_COLOUR, light_from=closed
            ),
            Series(
                "Saídas", tuple(to_decimal(-flow.line(LINE_SAIDAS)) for flow in flows), OUT_COLOUR, light_from=closed
            ),
            *balances,
        ),
        after=COVER,
    )
    return cut_empty_ends(chart)


SOURCES: Final[Print[Judged]] = Print(
    "resumo_fontes",
    "",
    lambda view: list_columns(("fonte", "conteudo"), view.facts.fontes),
    headers={"conteudo": "Conteúdo"},
    title="Fontes",
    optional=True,
)
SPEC: Final = ReportSpec(
    code="R00",
    name="resumo",
    title="Resumo",
    question="Onde estamos, e dá para confiar?",
    family=Family.COVER,
    tables=(SUMMARY, INDICATORS, TREND, TO_DO, LINES),
    sections=(print_to_do, print_indicators, SOURCES),
    charts=(draw_daily, draw_monthly),
    builder=build_r00,
    phase=Phase.COVER,
)
