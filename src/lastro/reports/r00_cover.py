"""R00 Resumo: where are we, and can I trust it? The cover, what is to be done, and every KPI."""

from __future__ import annotations

from dataclasses import replace
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import LINE_ENTRADAS, LINE_SAIDAS
from lastro.analysis.charges import DAYS_AHEAD
from lastro.calendar import ONE_DAY, iter_days, month_start
from lastro.grid.cells import Kind, Link, link_sheet, row_key
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
    keep_drawable,
)
from lastro.grid.cover import COVER
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column, Table
from lastro.grid.verdict import ALERTA, CLOSED_MONTHS, ERRO, Verification, state_word
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.cover.first_page import build_cover, describe_due, find_lows
from lastro.reports.cover.indicators import build_indicators, two_places
from lastro.reports.cover.to_do import build_to_do
from lastro.reports.shared.kpis import due_within
from lastro.reports.spec import Phase, ReportSpec
from lastro.transform.position import Position
from lastro.transform.scope import holds_whole_accounts

if TYPE_CHECKING:
    from lastro.reports.view import View

TOP = 5
ALERT_WIDTH: Final = 115
"""Letters of an alert that have room beside its count."""


def build_r00(view: View) -> Report:
    """Build the cover over everything else, and the sheets Fazer and Indicadores.

    Returns:
        Sections `fazer`, `indicadores` and `resumo_fontes` (when there are any). Charts of the cover: balance by day,
        inflows and outflows by month.
    """
    sections = []
    if view.facts.fontes:
        columns = (Column("Fonte", Kind.TEXT), Column("Conteúdo", Kind.TEXT))
        sections.append(
            Section("resumo_fontes", columns, tuple(Row(fonte) for fonte in view.facts.fontes), title="Fontes")
        )
    to_do, tasks, lines = build_to_do(view)
    trend = _build_trend(view)
    shown, indicators = build_indicators(view, trend)
    report = SPEC.report(
        (to_do, shown, *sections),
        (_build_table(indicators), indicators, trend, tasks, lines),
        keep_drawable(
            *([_daily_chart(view)] if holds_whole_accounts(view.position) else ()), cut_empty_ends(_monthly_chart(view))
        ),
    )
    return replace(report, cover=build_cover(view, lines, (_build_alerts(view), _build_next_due(view.position))))


def _daily_chart(view: View) -> Chart:
    """Draw the balance of every day of Fluxo diário, its opening one included: realised up to D, projected from D.

    On D the projected balance also holds what is still expected that day. What the headline names as worst is drawn
    beside it; `saldo_minimo` where it says something: it is above zero, or a balance falls below it.
    """
    position, series = view.position, view.series
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


def _draw_headline(view: View, days: int) -> Series | None:
    """Draw the projection whose low the headline names, where that is not the booked one, which is drawn anyway."""
    lows = [] if view.series.provisional else find_lows(view)
    name, balances = min(lows, key=lambda low: (min(low[1]), low[0]), default=("", []))
    if name in {"", lows[0][0] if lows else ""}:
        return None
    values = tuple(to_decimal(centavos) for centavos, _ in balances)
    return Series(name, (None,) * (days - len(values)) + values, SCENARIO_COLOUR, dashed=True)


def _monthly_chart(view: View) -> Chart:
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
    balances: tuple[Series, ...] = (
        Series("Saldo", closing[:closed] + (None,) * (len(closing) - closed), BALANCE_COLOUR, line=True),
        Series("Saldo projetado", (None,) * last_closed + closing[last_closed:], BALANCE_TINT, line=True, dashed=True),
    )
    if not holds_whole_accounts(view.position):
        balances = ()
    return Chart(
        "Entradas, saídas e saldo por mês" if balances else "Entradas e saídas por mês",
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


def _notice(text: str, width: int) -> tuple[Row, ...]:
    """Say in words that a section has nothing to list."""
    return (Row((text, *([None] * (width - 1)))),)


def _build_next_due(position: Position) -> Section:
    """List the largest open títulos of the next seven days, receipts and payments alike."""
    titulos = position.titulos
    live = titulos[~titulos["pago"] & ~titulos["transferencia"] & (titulos["valor_centavos"] != 0)]
    chosen = due_within(position, live, DAYS_AHEAD)
    chosen = chosen.assign(tamanho=chosen["valor_centavos"].abs()).sort_values(
        ["tamanho", "data_projetada", "titulo_id"], ascending=[False, True, True], kind="stable"
    )
    rows = []
    for row in chosen.head(TOP).to_dict("records"):
        text, day = describe_due(position, row)
        sheet = "Receber títulos" if row["tipo"] == "R" else "Pagar títulos"
        link = link_sheet(sheet, row_key("titulo_id", int(row["titulo_id"])))
        rows.append(Row((text, to_decimal(row["valor_centavos"]), day, link)))
    return Section(
        "resumo_proximos",
        (
            Column("Descrição", Kind.TEXT),
            Column("Valor", Kind.MONEY),
            Column("Data", Kind.DATE, key="dia"),
            Column("Abrir", Kind.LINK),
        ),
        tuple(rows) or _notice(f"Nada vence nos próximos {DAYS_AHEAD} dias", 4),
        title=f"O QUE VENCE NOS PRÓXIMOS {DAYS_AHEAD} DIAS (OS {TOP} MAIORES)",
    )


def _build_alerts(view: View) -> Section:
    """List what failed, errors first, then closed months and what says an amount; months restated lately; findings.

    In the words of who reads it: its number stands on Qualidade, where it leads.
    """
    texts = {check.id: say_failure(check) for check in view.verifications}
    said = {check.id: check.resumo for check in view.verifications}
    texts |= {finding.regra: finding.titulo for finding in view.grave}
    failed = sorted(
        (check for check in view.checks if not check[2]),
        key=lambda check: (check[1] != ERRO, check[0] != CLOSED_MONTHS, not said.get(check[0]), check[0]),
    )
    rows = [Row((_fit(text), None, None)) for text in view.facts.recados]
    rows += [
        Row((_fit(f"{state_word(severity)}: {texts[name]}"), None, _link_rule("verificacao", name)))
        for name, severity, _ in failed
    ]
    rows += [
        Row((_fit(f"{state_word(ALERTA)}: em {day:%d/%m}, {said}"), None, link_sheet("Mudanças")))
        for day, said in view.facts.reabertos
    ]
    warnings = [finding for finding in view.findings if finding.gravidade == ALERTA and finding.qtde]
    rows += [
        Row(
            (
                f"{state_word(finding.gravidade)}: {finding.titulo}",
                finding.qtde,
                _link_rule("regra", finding.regra),
            )
        )
        for finding in warnings[:TOP]
    ]
    return Section(
        "resumo_alertas",
        (Column("Alerta", Kind.TEXT), Column("Ocorrências", Kind.INTEGER), Column("Abrir", Kind.LINK)),
        tuple(rows) or _notice("Nenhuma verificação falhou", 3),
        title="ALERTAS",
    )


def _fit(text: str) -> str:
    """Cut a text at a word to the width of the page; all of it stands on Qualidade."""
    return shorten(text, ALERT_WIDTH, placeholder=" …")


def say_failure(check: Verification) -> str:
    """Say what a failed check means: its own words for it, or that its rule does not hold."""
    return check.resumo or f"não confere: {check.descricao}"


def _link_rule(kind: str, name: str) -> Link:
    """Lead to the row of a check or finding; a grave finding counts among the checks."""
    return link_sheet("Qualidade", f"{'regra' if name.startswith('Q') else kind}-{name}")


def _build_trend(view: View) -> Table:
    """List the KPIs of the last reports, this one last: what tiles and lines of the cover are drawn from."""
    kept = [
        (report.data_base, kpi.slug, value)
        for report in view.facts.anteriores
        for kpi in sorted(view.kpis, key=lambda kpi: kpi.slug)
        if report.compares(kpi) and (value := report.tell(kpi, view.series)) is not None
    ]
    day = view.position.data_base
    kept += [(day, kpi.slug, kpi.number) for kpi in view.kpis if kpi.number is not None]
    order = {day: place for place, day in enumerate(sorted({day for day, _, _ in kept}), 1)}
    return Table.of(
        "kpis_tendencia",
        (
            (Column("Kpi", Kind.TEXT), [slug for _, slug, _ in kept]),
            (
                Column("Ordem", Kind.INTEGER, "1 = o relatório mais antigo dos guardados; o maior = este"),
                [order[day] for day, *_ in kept],
            ),
            (
                Column("Data-base", Kind.DATE, "o dia a que aquele relatório se refere", key="data_base"),
                [day for day, *_ in kept],
            ),
            (
                Column("Valor", Kind.PERCENT, "valor do indicador, na unidade que resumo.unidade diz"),
                [two_places(value) for *_, value in kept],
            ),
        ),
        "R00: um indicador por relatório, dos últimos 12; ordem 1 é o mais antigo, a maior é este",
    )


def _build_table(indicators: Table) -> Table:
    """Take the KPIs without what the sheet Indicadores has besides."""
    columns = [column for column in indicators.columns if column.key not in {"bloco", "tendencia", "como_se_calcula"}]
    kept = [(column, indicators.data[column.key]) for column in columns]
    return Table.of("resumo", kept, "R00: um indicador da capa; unidade diz em que está o valor")


SPEC: Final = ReportSpec(
    code="R00",
    name="resumo",
    title="Resumo",
    question="Onde estamos, e dá para confiar?",
    family=Family.COVER,
    builder=build_r00,
    phase=Phase.COVER,
    keys={
        "resumo": ("kpi",),
        "indicadores": ("kpi",),
        "kpis_tendencia": ("kpi", "data_base"),
        "fazer_hoje": ("regra",),
    },
)
