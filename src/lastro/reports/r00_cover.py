"""R00 Resumo: where are we, and can I trust it? The KPIs, what falls due, what failed, and the index of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from lastro.analysis.cash_series import LINE_ENTRADAS, LINE_SAIDAS, PROVISIONAL_NOTE, find_last_day
from lastro.calendar import ONE_DAY, iter_days, month_start
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.charts import cut_empty_ends, fits_chart, keep_drawable
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
    Report,
    Row,
    Section,
    Series,
    Table,
)
from lastro.grid.verdict import ALERTA, ERRO
from lastro.grid.words import format_date, month_label
from lastro.money import round_half_up, to_decimal
from lastro.reports.cover_page import build_cover, describe_due
from lastro.reports.kpis import DAYS_AHEAD, Kpi, due_within
from lastro.reports.r14_changes import NO_HISTORY
from lastro.reports.r15_data_quality import state_word
from lastro.reports.spec import ReportSpec, Stage
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.reports.view import View

TOP = 5


def build_r00(view: View) -> Report:
    """Build the sheet Resumo over everything else.

    KPIs of the previous complete run stand as they were stored; they are never computed again.

    Returns:
        The report; every KPI row has the key `kpi_<slug>`. Charts: balance by day, inflows and outflows by month.
    """
    position, kpis, anterior = view.position, view.kpis, view.facts.anterior
    day = None if view.facts.posicao_anterior is None else view.facts.posicao_anterior.data_base
    section = Section(
        "resumo",
        (
            Column("Indicador", Kind.TEXT),
            Column("Valor", Kind.MONEY),
            Column(
                "Relatório anterior" if day is None else f"Anterior ({format_date(day)})",
                Kind.MONEY,
                key="relatorio_anterior",
            ),
            Column("Variação", Kind.MONEY, alert="variacao"),
            Column("Situação", Kind.TEXT, alert="situacao"),
            Column("Abrir", Kind.LINK),
        ),
        tuple(_kpi_row(kpi, anterior) for kpi in kpis),
        title="Indicadores",
        notes=(*(() if anterior is not None else (f"Relatório anterior: {NO_HISTORY.lower()}.",)), *_notes(kpis)),
    )
    sections = [section]
    if view.facts.fontes:
        columns = (Column("Fonte", Kind.TEXT), Column("Conteúdo", Kind.TEXT))
        sections.append(
            Section("resumo_fontes", columns, tuple(Row(fonte) for fonte in view.facts.fontes), title="Fontes")
        )
    report = SPEC.report(
        tuple(sections),
        (_build_table(kpis, anterior),),
        keep_drawable(_daily_chart(view), cut_empty_ends(_monthly_chart(view))),
    )
    cover = build_cover(view, (_build_next_due(position), _build_alerts(view)), _build_index(view.reports))
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
    return Chart("Saldo diário: realizado e projetado", ChartKind.LINE, days, tuple(lines), after="resumo")


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
    return Chart(
        "Entradas, saídas e saldo por mês",
        ChartKind.COLUMN,
        tuple(month_label(period.first) for period in periods),
        (
            Series(
                "Entradas", tuple(to_decimal(flow.line(LINE_ENTRADAS)) for flow in flows), IN_COLOUR, light_from=closed
            ),
            Series(
                "Saídas", tuple(to_decimal(-flow.line(LINE_SAIDAS)) for flow in flows), OUT_COLOUR, light_from=closed
            ),
            Series("Saldo", closing[:closed] + (None,) * (len(closing) - closed), BALANCE_COLOUR, line=True),
            Series(
                "Saldo projetado", (None,) * last_closed + closing[last_closed:], BALANCE_TINT, line=True, dashed=True
            ),
        ),
        after="resumo",
    )


def _kpi_row(kpi: Kpi, anterior: Mapping[str, Decimal] | None) -> Row:
    before = None if anterior is None or kpi.number is None else anterior.get(kpi.slug)
    change = None if before is None or kpi.number is None else kpi.number - before
    return Row(
        (
            kpi.indicador,
            Cell(kpi.valor, kpi.kind),
            Cell(_of_kind(before, kpi.kind), kpi.kind),
            Cell(_of_kind(change, kpi.kind), kpi.kind, tone=_tone_of(kpi.slug, change)),
            kpi.situacao,
            kpi.link,
        ),
        level=0,
        key=f"kpi_{kpi.slug}",
        marks=frozenset({Mark.PROVISIONAL}) if kpi.provisorio else frozenset(),
    )


GOOD_UP: Final = (
    "saldo", "menor_saldo", "a_receber", "receita", "resultado", "fluxo_operacional", "dias_de_caixa",
)  # fmt: skip
BAD_UP: Final = (
    "vencido", "em_carencia", "pct_carteira", "inadimplencia", "pmr", "verificacoes", "taxas", "sem_cobranca",
    "cobrancas_pagas_em_aberto",
)  # fmt: skip
"""How the slugs begin of the figures that are good, and bad, news when they rise; payables are negative: see them."""


def _tone_of(slug: str, change: Decimal | None) -> Literal["", "bom", "ruim", "neutro"]:
    """Say whether a change is good or bad news."""
    if not change:
        return ""
    if slug.startswith("vencido_a_pagar"):  # negative: a rise is less to pay
        return "bom" if change > 0 else "ruim"
    for beginnings, rise in ((BAD_UP, "ruim"), (GOOD_UP, "bom")):
        if slug.startswith(beginnings):
            good = (rise == "bom") is (change > 0)
            return "bom" if good else "ruim"
    return "neutro"


def _of_kind(value: Decimal | None, kind: Kind) -> Value:
    """Give a stored value the form of its kind: `ops.kpis` keeps every figure as DECIMAL(18,2)."""
    if value is None or kind is Kind.DATE:
        return None
    if kind is Kind.INTEGER:
        return int(value)
    return round_half_up(value, 1 if kind is Kind.NUMBER else 2)


def _notes(kpis: Sequence[Kpi]) -> tuple[str, ...]:
    notes = [
        "Situação de saldos: Crítico abaixo de zero, Atenção abaixo do saldo mínimo.",
        "Atenção também para vencidos, cobrança paga com lançamento aberto, resultado ou fluxo operacional negativo.",
        "Verificações: Crítico quando falha uma de severidade erro.",
    ]
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
    """List what failed, errors first, then the first findings that are a warning."""
    texts = {check.id: check.resumo or check.descricao for check in view.verifications}
    texts |= {finding.regra: finding.titulo for finding in view.grave}
    failed = sorted((check for check in view.checks if not check[2]), key=lambda check: (check[1] != ERRO, check[0]))
    rows = [
        Row((f"{state_word(severity)} {name}: {texts[name]}", None, _link_rule("verificacao", name)))
        for name, severity, _ in failed
    ]
    warnings = [finding for finding in view.findings if finding.gravidade == ALERTA and finding.qtde]
    rows += [
        Row(
            (
                f"{state_word(finding.gravidade)} {finding.regra}: {finding.titulo}",
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


def _link_rule(kind: str, name: str) -> Link:
    """Lead to the row of a check or finding; a grave finding counts among the checks."""
    return Link("Qualidade »", sheet="Qualidade", key=f"{'regra' if name.startswith('Q') else kind}-{name}")


def _build_index(reports: Sequence[Report]) -> Section:
    return Section(
        "resumo_indice",
        (Column("Planilha", Kind.TEXT), Column("Pergunta que responde", Kind.TEXT)),
        (
            *(Row((Link(f"{report.sheet} »", sheet=report.sheet), report.question)) for report in reports),
            Row(("Gráficos (oculta)", "De que números são feitos os gráficos?")),
        ),
        title="Índice",
    )


UNITS: Final = {
    Kind.MONEY: "R$", Kind.PERCENT: "%", Kind.NUMBER: "dias", Kind.INTEGER: "quantidade", Kind.DATE: "data",
}  # fmt: skip
"""How `resumo.unidade` says what a value is counted in."""


def _build_table(kpis: Sequence[Kpi], anterior: Mapping[str, Decimal] | None) -> Table:
    rows = []
    for kpi in kpis:
        before = None if anterior is None or kpi.number is None else anterior.get(kpi.slug)
        change = None if before is None or kpi.number is None else kpi.number - before
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
    stage=Stage.COVER,
    heading="Posição financeira",
    keys={
        "resumo": ("kpi",),
    },
)
