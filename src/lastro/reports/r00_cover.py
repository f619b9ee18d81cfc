"""R00 Resumo: where are we, and can I trust it? The KPIs, what falls due, what failed, and the index of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import LINE_ENTRADAS, LINE_SAIDAS, PROVISIONAL_NOTE, find_last_day
from lastro.calendar import ONE_DAY, iter_days, month_start
from lastro.grid.cells import Cell, Kind, Link, Undefined, Value, row_key
from lastro.grid.charts import cut_empty_ends, fits_chart, keep_drawable
from lastro.grid.cover import Tone
from lastro.grid.model import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    IN_COLOUR,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Column,
    Family,
    Mark,
    Printing,
    Report,
    Row,
    Section,
    Series,
    Table,
)
from lastro.grid.pivot import list_rows
from lastro.grid.verdict import ALERTA, ERRO, Verification
from lastro.grid.words import format_date, month_label
from lastro.money import round_half_up, to_decimal
from lastro.reports.r15_data_quality import state_word
from lastro.reports.shared.condensed_changes import NO_HISTORY
from lastro.reports.shared.cover_page import build_cover, describe_due
from lastro.reports.shared.kpis import DAYS_AHEAD, OVERDUE_PCT, Kpi, due_within
from lastro.reports.shared.to_do import SHEET, build_to_do
from lastro.reports.spec import Part, Phase, ReportSpec
from lastro.transform.position import Position
from lastro.transform.scope import holds_whole_accounts

if TYPE_CHECKING:
    from lastro.reports.view import View

TOP = 5
ALERT_WIDTH: Final = 115
"""Letters of an alert that have room beside its count."""


def build_r00(view: View) -> Report:
    """Build the sheet Resumo over everything else.

    KPIs of the previous complete run stand as they were stored; they are never computed again.

    Returns:
        The report; every KPI row has the key `kpi_<slug>`. Charts: balance by day, inflows and outflows by month.
    """
    position, kpis, anterior = view.position, view.kpis, view.facts.anterior
    table = _build_table(view)
    section = Section(
        "resumo",
        (
            Column("Indicador", Kind.TEXT),
            Column("Valor", Kind.MONEY),
            Column(_previous_header(view), Kind.MONEY, key="relatorio_anterior"),
            Column("Variação", Kind.MONEY, alert="variacao"),
            Column("Situação", Kind.TEXT, alert="situacao"),
            Column("Abrir", Kind.LINK),
        ),
        tuple(
            _kpi_row(kpi, figures)
            for kpi, figures in zip(kpis, list_rows(table, KPI_FIGURES), strict=True)
            if kpi.kind is not Kind.DATE or kpi.valor is not None  # a day that does not come is in SQL
        ),
        title="Indicadores",
        notes=(*(() if anterior is not None else (f"Relatório anterior: {NO_HISTORY.lower()}.",)), *_notes(view)),
    )
    sections = [section]
    if view.facts.fontes:
        columns = (Column("Fonte", Kind.TEXT), Column("Conteúdo", Kind.TEXT))
        sections.append(
            Section("resumo_fontes", columns, tuple(Row(fonte) for fonte in view.facts.fontes), title="Fontes")
        )
    to_do, tasks, lines = build_to_do(view)
    report = SPEC.report(
        (*sections, to_do),
        (table, _build_trend(view), tasks, lines),
        keep_drawable(
            *([_daily_chart(view)] if holds_whole_accounts(position) else ()), cut_empty_ends(_monthly_chart(view))
        ),
    )
    index = _build_index([one for one in view.reports if one.sections])
    cover = build_cover(view, lines, (_build_next_due(position), _build_alerts(view)), index)
    return replace(report, cover=cover)


def _daily_chart(view: View) -> Chart:
    """Draw the balance of every day of Fluxo diário, its opening one included: realised up to D, projected from D.

    On D the projected balance also holds what is still expected that day. `saldo_minimo` is drawn where it says
    something: it is above zero, or a balance falls below it.
    """
    position, series = view.position, view.series
    today, minimum = position.data_base, position.parametros.saldo_minimo
    days = tuple(iter_days(month_start(today) - ONE_DAY, find_last_day(position)))
    past = tuple(to_decimal(series.balance(day, realised_only=True) or 0) for day in days if day <= today)
    ahead = tuple(to_decimal(series.balance(day) or 0) for day in days if day >= today)
    lines = [
        Series("Saldo realizado", past + (None,) * (len(ahead) - 1), BALANCE_COLOUR),
        Series("Saldo projetado", (None,) * (len(past) - 1) + ahead, BALANCE_TINT, dashed=True),
    ]
    marked = tuple(past[-1] if day == today else None for day in days) if past else ()
    if any((*past, *ahead)):
        lines.append(Series(f"Hoje ({today:%d/%m})", marked, OUT_COLOUR, line=True, point=True))
    if any((*past, *ahead)) and (minimum > 0 or min(*past, *ahead) < minimum):
        lines.append(Series("Saldo mínimo", (minimum,) * len(days), OUT_COLOUR, dashed=True))
    title = "Variação desde o início dos lançamentos" if series.provisional else "Saldo diário: realizado e projetado"
    return Chart(title, ChartKind.LINE, days, tuple(lines), after="resumo")


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
        after="resumo",
    )


def _previous_header(view: View) -> str:
    day = view.facts.anterior_em
    return "Relatório anterior" if day is None else f"Relatório anterior ({format_date(day)})"


def _compare(kpi: Kpi, view: View) -> tuple[Decimal | None, Decimal | None]:
    """Return the figure of the previous report and the change; no change where other parameters made the figure."""
    anterior = view.facts.anterior
    before = None if anterior is None or kpi.number is None else anterior.get(kpi.slug)
    blank = before is None or kpi.number is None or bool(view.facts.parametros_mudados)
    return before, None if blank else kpi.number - before  # type: ignore[operator]


def _kpi_row(kpi: Kpi, figures: Sequence[Value]) -> Row:
    """Print a KPI, its figures (`KPI_FIGURES`) in the kind of its own."""
    value, day, before, change = figures
    shown = Undefined(kpi.ausente) if kpi.valor is None and kpi.ausente else day or _of_kind(value, kpi.kind)
    return Row(
        (
            kpi.indicador,
            Cell(shown, kpi.kind),
            None if day else Cell(_of_kind(before, kpi.kind), kpi.kind),
            None if day else Cell(_of_kind(change, kpi.kind), kpi.kind, tone=_tone_of(kpi, change)),
            kpi.situacao,
            kpi.link,
        ),
        level=0,
        key=f"kpi_{kpi.slug}",
        marks=frozenset({Mark.PROVISIONAL}) if kpi.provisorio else frozenset(),
    )


def _tone_of(kpi: Kpi, change: Value) -> Tone:
    """Say whether a change is good or bad news."""
    if not isinstance(change, Decimal) or not change:
        return ""
    if not kpi.sentido:
        return "neutro"
    return "bom" if (change > 0) is (kpi.sentido > 0) else "ruim"


def _of_kind(value: Value, kind: Kind) -> Value:
    """Give a figure the form of its kind: the table, as `ops.kpis`, keeps every one with two places."""
    if not isinstance(value, Decimal) or kind is Kind.DATE:
        return None
    if kind is Kind.INTEGER:
        return int(value)
    return round_half_up(value, 1 if kind is Kind.NUMBER else 2)


def _notes(view: View) -> tuple[str, ...]:
    kpis = view.kpis
    warn, critical = OVERDUE_PCT
    notes = [
        "Situação de saldos: Crítico abaixo de zero, Atenção abaixo do mínimo; menor saldo: a da pior das projeções.",
        f"Vencidos, sem carência: Atenção desde {warn} % do que está em aberto, Crítico desde {critical} %.",
        "Atenção também para cobrança paga com lançamento aberto, resultado ou fluxo operacional negativo.",
        "Verificações: Crítico quando falha uma de severidade erro.",
    ]
    if view.facts.parametros_mudados:
        changed = ", ".join(view.facts.parametros_mudados)
        notes.append(f"Variação em branco: parâmetros mudaram desde o relatório anterior ({changed}).")
    if any(kpi.provisorio for kpi in kpis):
        notes.append(f"Em itálico: há conta sem saldo inicial ({PROVISIONAL_NOTE}).")
    return tuple(notes)


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
        link = Link(f"{sheet} »", sheet=sheet, key=row_key("titulo_id", int(row["titulo_id"])))
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
    """List what failed, errors first, months restated lately, then the first findings that are a warning.

    In the words of who reads it: its number stands on Qualidade, where it leads.
    """
    texts = {check.id: say_failure(check) for check in view.verifications}
    texts |= {finding.regra: finding.titulo for finding in view.grave}
    failed = sorted((check for check in view.checks if not check[2]), key=lambda check: (check[1] != ERRO, check[0]))
    rows = [
        Row((_fit(f"{state_word(severity)}: {texts[name]}"), None, _link_rule("verificacao", name)))
        for name, severity, _ in failed
    ]
    rows += [
        Row((_fit(f"{state_word(ALERTA)}: em {day:%d/%m}, {said}"), None, Link("Mudanças »", sheet="Mudanças")))
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
    return Link("Qualidade »", sheet="Qualidade", key=f"{'regra' if name.startswith('Q') else kind}-{name}")


def _build_index(reports: Sequence[Report]) -> Section:
    return Section(
        "resumo_indice",
        (Column("Planilha", Kind.TEXT), Column("Pergunta que responde", Kind.TEXT)),
        (
            *(Row((Link(f"{report.sheet} »", sheet=report.sheet), _ask(report))) for report in reports),
            Row(("Gráficos (oculta)", "De que números são feitos os gráficos?")),
        ),
        title="Índice",
    )


def _ask(report: Report) -> str:
    """Say what a sheet answers, and where it stands on the screen alone: its paper does not."""
    return f"{report.question} (não impresso)" if report.printing is Printing.NONE else report.question


KPI_FIGURES: Final = ("valor", "dia", "relatorio_anterior", "variacao")
UNITS: Final = {
    Kind.MONEY: "R$", Kind.PERCENT: "%", Kind.NUMBER: "dias", Kind.INTEGER: "quantidade", Kind.DATE: "data",
}  # fmt: skip
"""How `resumo.unidade` says what a value is counted in."""


def _build_trend(view: View) -> Table:
    """List the KPIs of the last reports, this one last: what tiles and lines of the cover are drawn from."""
    kept = [(day, kpi, value) for _, day, kpi, value in view.facts.tendencia]
    day = view.position.data_base
    kept += [(day, kpi.slug, kpi.number) for kpi in view.kpis if kpi.number is not None]
    order = {day: number for number, day in enumerate(sorted({day for day, _, _ in kept}), 1)}
    return Table(
        "kpis_tendencia",
        (
            Column("Kpi", Kind.TEXT),
            Column("Ordem", Kind.INTEGER),
            Column("Data-base", Kind.DATE, key="data_base"),
            Column("Valor", Kind.PERCENT),
        ),
        tuple((kpi, order[day], day, _two_places(value)) for day, kpi, value in kept),
        "R00: um indicador por relatório, dos últimos 12; ordem 1 é o mais antigo, a maior é este",
    )


def _build_table(view: View) -> Table:
    rows = []
    for kpi in view.kpis:
        before, change = _compare(kpi, view)
        rows.append(
            (
                kpi.slug,
                kpi.indicador,
                UNITS[kpi.kind],
                _two_places(kpi.number),
                kpi.valor if isinstance(kpi.valor, date) else None,
                _two_places(before),
                _two_places(change),
                kpi.situacao,
                kpi.provisorio,
            )
        )
    return Table(
        "resumo",
        (
            Column("Kpi", Kind.TEXT),
            Column("Indicador", Kind.TEXT),
            Column("Unidade", Kind.TEXT),
            Column("Valor", Kind.PERCENT),
            Column("Data", Kind.DATE, key="dia"),
            Column("Relatório anterior", Kind.PERCENT),
            Column("Variação", Kind.PERCENT),
            Column("Situação", Kind.TEXT),
            Column("Só variação", Kind.BOOLEAN),
        ),
        tuple(rows),
        "R00: um indicador da capa; unidade diz em que está o valor",
    )


def _two_places(value: Decimal | None) -> Decimal | None:
    return None if value is None else round_half_up(value)


SPEC: Final = ReportSpec(
    code="R00",
    name="resumo",
    sheet="Resumo",
    title="Resumo",
    question="Onde estamos, e dá para confiar?",
    family=Family.COVER,
    build=build_r00,
    phase=Phase.COVER,
    heading="Posição financeira",
    keys={
        "resumo": ("kpi",),
        "kpis_tendencia": ("kpi", "data_base"),
        "fazer_hoje": ("regra",),
    },
    totalled=frozenset({"fazer"}),
    parts=(
        Part(
            SHEET,
            "O que fazer hoje",
            "Que títulos estão atrás de cada linha de FAZER HOJE?",
            ("fazer",),
        ),
    ),
)
