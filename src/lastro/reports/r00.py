"""R00 Resumo: where are we, and can I trust it? The KPIs, what falls due, what failed, and the index of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd

from lastro.analysis.cash_series import (
    LINE_ENTRADAS,
    LINE_SAIDAS,
    ONE_DAY,
    PROVISIONAL_NOTE,
    CashSeries,
    build_series,
    find_last_day,
    plan_months,
)
from lastro.analysis.ratios import (
    compute_cash_days,
    compute_default_over,
    compute_overdue_share,
    compute_pmp,
    compute_pmr,
)
from lastro.calendar import add_months, iter_days, month_end, month_start
from lastro.grid.charts import cut_empty_ends, has_room, keep_drawable
from lastro.grid.model import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    IN_COLOUR,
    OUT_COLOUR,
    Cell,
    Chart,
    ChartKind,
    Column,
    Kind,
    Link,
    Mark,
    Period,
    Report,
    Row,
    Section,
    Series,
    Table,
    Value,
    format_date,
    month_label,
)
from lastro.money import round_half_up, to_decimal
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.transform.position import Position

OK, WARN, CRITICAL = "OK", "Atenção", "Crítico"
NO_HISTORY = "Disponível a partir da segunda execução"
TOP = 5
DAYS_AHEAD = 7
CHECK_ERROR = "erro"
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


def compute_kpis(
    position: Position, series: CashSeries | None = None, *, checks: Sequence[Check] = ()
) -> tuple[Kpi, ...]:
    """Compute every KPI of R00, in printed order.

    Args:
        position: the position.
        series: its cash series, built when not given.
        checks: results of the V checks of this run.

    Returns:
        KPIs; payables and overdue payables are negative. "A receber/A pagar" are open, not overdue títulos whose
        projected day (S4) lies in D..D+n.
    """
    series = build_series(position) if series is None else series
    return (
        *_balance_kpis(position, series),
        *_open_kpis(position),
        *_ratio_kpis(position),
        *_month_kpis(position, series),
        *_charge_kpis(position),
        _cash_days_kpi(position, series),
        _check_kpi(checks),
    )


def build_r00(
    position: Position,
    *,
    kpis: Sequence[Kpi] | None = None,
    series: CashSeries | None = None,
    anterior: Mapping[str, Decimal] | None = None,
    checks: Sequence[Check] = (),
    textos: Mapping[str, str] | None = None,
    qualidade: Sequence[tuple[str, str, int, str]] = (),
    mudancas: Sequence[tuple[Value, ...]] | None = None,
    indice: Sequence[tuple[str, str]] = (),
    fontes: Sequence[tuple[str, str]] = (),
) -> Report:
    """Build the sheet Resumo.

    Args:
        position: the position.
        kpis: result of `compute_kpis`, computed when not given.
        series: the cash series, built when not given.
        anterior: the same KPIs as stored by the previous complete run, by slug; None without one. Never recomputed.
        checks: results of the V checks.
        textos: check id -> what failed, in words.
        qualidade: Q rules with findings, worst first: rule, severity, count, text; the first five are printed.
        mudancas: rows of "O que mudou": type, entry id, description, impact on open items, on the result; None without
            a previous run.
        indice: sheet and the question it answers, in order.
        fontes: where the figures come from: list and what was read.

    Returns:
        The report; every KPI row has the key `kpi_<slug>`. Charts: balance by day, inflows and outflows by month.
    """
    series = build_series(position) if series is None else series
    kpis = compute_kpis(position, series, checks=checks) if kpis is None else kpis
    section = Section(
        "r00",
        (
            Column("Indicador", Kind.TEXT, width=45),
            Column("Valor", Kind.MONEY),
            Column("Relatório anterior", Kind.MONEY),
            Column("Variação", Kind.MONEY),
            Column("Situação", Kind.TEXT, alert="situacao"),
            Column("Abrir", Kind.LINK, width=24),
        ),
        tuple(_kpi_row(kpi, anterior) for kpi in kpis),
        title="Indicadores",
        notes=(*(() if anterior is not None else (f"Relatório anterior: {NO_HISTORY.lower()}.",)), *_notes(kpis)),
    )
    sections = [
        section,
        _build_changes(mudancas),
        _build_next_due(position),
        _build_alerts(checks, textos or {}, qualidade),
    ]
    if fontes:
        columns = (Column("Fonte", Kind.TEXT), Column("Conteúdo", Kind.TEXT))
        sections.append(Section("r00_fontes", columns, tuple(Row(fonte) for fonte in fontes), title="Fontes"))
    sections.append(_build_index(indice))
    return Report(
        "R00",
        "Resumo",
        "Posição financeira",
        "Onde estamos, e dá para confiar?",
        tuple(sections),
        (_build_table(kpis, anterior),),
        keep_drawable(_daily_chart(position, series), cut_empty_ends(_monthly_chart(position, series))),
    )


def _daily_chart(position: Position, series: CashSeries) -> Chart:
    """Draw the balance of every day of Fluxo diário, its opening one included: realised up to D, projected from D.

    On D the projected balance also holds what is still expected that day. `saldo_minimo` is drawn where it says
    something: it is above zero, or a balance falls below it.
    """
    today, minimum = position.data_base, position.parametros.saldo_minimo
    days = tuple(iter_days(month_start(today) - ONE_DAY, find_last_day(position)))
    past = tuple(to_decimal(series.balance(day, realised_only=True) or 0) for day in days if day <= today)
    ahead = tuple(to_decimal(series.balance(day) or 0) for day in days if day >= today)
    lines = [
        Series("Saldo realizado", past + (None,) * (len(ahead) - 1), BALANCE_COLOUR),
        Series("Saldo projetado", (None,) * (len(past) - 1) + ahead, BALANCE_TINT, dashed=True),
    ]
    if any((*past, *ahead)) and (minimum > 0 or min(*past, *ahead) < minimum):
        lines.append(Series("Saldo mínimo", (minimum,) * len(days), OUT_COLOUR, dashed=True))
    return Chart("Saldo diário: realizado e projetado", ChartKind.LINE, days, tuple(lines), after="r00")


def _monthly_chart(position: Position, series: CashSeries) -> Chart:
    """Draw Entradas, Saídas (sign turned) and the closing balance of each month, as Fluxo mensal has them (R04).

    D's month and those after it hold what is predicted: their closing balance is projected.
    """
    day = position.data_base
    current = month_start(day)
    periods = [
        period
        for period in plan_months(position)
        if (period.momento == "total") == (month_start(period.first) == current) and has_room(period.first, day)
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
            Series("Entradas", tuple(to_decimal(flow.line(LINE_ENTRADAS)) for flow in flows), IN_COLOUR),
            Series("Saídas", tuple(to_decimal(-flow.line(LINE_SAIDAS)) for flow in flows), OUT_COLOUR),
            Series("Saldo", closing[:closed] + (None,) * (len(closing) - closed), BALANCE_COLOUR, line=True),
            Series(
                "Saldo projetado", (None,) * last_closed + closing[last_closed:], BALANCE_TINT, line=True, dashed=True
            ),
        ),
        after="r00",
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
            chosen = _due_within(position, live[live["tipo"] == tipo], days)
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


def _due_within(position: Position, titulos: pd.DataFrame, days: int) -> pd.DataFrame:
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
    revenue = result[result["categoria_id"].map(groups).eq("receita_bruta").fillna(value=False).astype(bool)]
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
    state = CRITICAL if CHECK_ERROR in failed else WARN if failed else OK
    link = Link("Qualidade »", sheet="Qualidade")
    return Kpi("verificacoes_com_falha", "Verificações com falha", len(failed), Kind.INTEGER, state, link)


def _sum(frame: pd.DataFrame) -> Decimal:
    return to_decimal(int(frame["valor_centavos"].sum()))


def _kpi_row(kpi: Kpi, anterior: Mapping[str, Decimal] | None) -> Row:
    before = None if anterior is None or kpi.number is None else anterior.get(kpi.slug)
    change = None if before is None or kpi.number is None else kpi.number - before
    return Row(
        (
            kpi.indicador,
            Cell(kpi.valor, kpi.kind),
            Cell(_of_kind(before, kpi.kind), kpi.kind),
            Cell(_of_kind(change, kpi.kind), kpi.kind),
            kpi.situacao,
            kpi.link,
        ),
        level=0,
        key=f"kpi_{kpi.slug}",
        marks=frozenset({Mark.PROVISIONAL}) if kpi.provisorio else frozenset(),
    )


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
    chosen = _due_within(position, live, DAYS_AHEAD)
    chosen = chosen.assign(tamanho=chosen["valor_centavos"].abs()).sort_values(
        ["tamanho", "data_projetada", "titulo_id"], ascending=[False, True, True], kind="stable"
    )
    labels = position.rotulos
    rows = tuple(
        Row(
            (
                str(row["descricao"] or labels.categoria(row["categoria_id"])),
                to_decimal(row["valor_centavos"]),
                as_date(row["data_projetada"]),
                labels.pessoa(row["pessoa_id"]),
                labels.conta(row["conta_id"]),
                Link("Receber »", sheet="Receber") if row["tipo"] == "R" else Link("Pagar »", sheet="Pagar"),
            )
        )
        for row in chosen.head(TOP).to_dict("records")
    )
    return Section(
        "r00_proximos",
        (
            Column("Descrição", Kind.TEXT),
            Column("Valor", Kind.MONEY),
            Column("Data", Kind.DATE),
            Column("Pessoa", Kind.TEXT),
            Column("Conta", Kind.TEXT),
            Column("Abrir", Kind.LINK),
        ),
        rows or _notice(f"Nada vence nos próximos {DAYS_AHEAD} dias", 6),
        title=f"O que vence nos próximos {DAYS_AHEAD} dias (os {TOP} maiores)",
    )


def _build_changes(mudancas: Sequence[tuple[Value, ...]] | None) -> Section:
    """Print the largest changes since the previous report (R14); without one, say when they come."""
    if mudancas:
        rows = tuple(
            Row((texto, aberto, resultado, tipo, lancamento))
            for tipo, lancamento, texto, aberto, resultado in mudancas[:TOP]
        )
    else:
        rows = _notice(NO_HISTORY if mudancas is None else "Nada mudou desde o último relatório", 5)
    return Section(
        "r00_mudancas",
        (
            Column("Descrição", Kind.TEXT),
            Column("Impacto no aberto", Kind.MONEY),
            Column("Impacto no resultado", Kind.MONEY),
            Column("Tipo", Kind.TEXT),
            Column("Lançamento", Kind.INTEGER),
        ),
        rows,
        title=f"O que mudou (as {TOP} maiores)",
    )


def _build_alerts(
    checks: Sequence[Check], textos: Mapping[str, str], qualidade: Sequence[tuple[str, str, int, str]]
) -> Section:
    failed = sorted((check for check in checks if not check[2]), key=lambda check: (check[1] != CHECK_ERROR, check[0]))
    link = Link("Qualidade »", sheet="Qualidade")
    rows = [Row((f"{name}: {textos.get(name, 'falhou')}", None, severity, link)) for name, severity, _ in failed]
    rows += [Row((f"{rule}: {text}", count, severity, link)) for rule, severity, count, text in qualidade[:TOP]]
    return Section(
        "r00_alertas",
        (
            Column("Alerta", Kind.TEXT),
            Column("Ocorrências", Kind.INTEGER),
            Column("Gravidade", Kind.TEXT),
            Column("Abrir", Kind.LINK),
        ),
        tuple(rows) or _notice("Nenhuma verificação falhou", 4),
        title="Alertas",
    )


def _build_index(indice: Sequence[tuple[str, str]]) -> Section:
    return Section(
        "r00_indice",
        (Column("Planilha", Kind.TEXT), Column("Pergunta que responde", Kind.TEXT)),
        tuple(Row((Link(f"{sheet} »", sheet=sheet), question)) for sheet, question in indice),
        title="Índice",
    )


def _build_table(kpis: Sequence[Kpi], anterior: Mapping[str, Decimal] | None) -> Table:
    rows = []
    for kpi in kpis:
        before = None if anterior is None or kpi.number is None else anterior.get(kpi.slug)
        change = None if before is None or kpi.number is None else kpi.number - before
        rows.append(
            (
                kpi.slug,
                kpi.indicador,
                kpi.kind.value,
                _two_places(kpi.number),
                kpi.valor if isinstance(kpi.valor, date) else None,
                _two_places(before),
                _two_places(change),
                kpi.situacao,
            )
        )
    return Table(
        "r00",
        (
            Column("Kpi", Kind.TEXT),
            Column("Indicador", Kind.TEXT),
            Column("Tipo", Kind.TEXT),
            Column("Valor", Kind.MONEY),
            Column("Data", Kind.DATE),
            Column("Relatório anterior", Kind.MONEY),
            Column("Variação", Kind.MONEY),
            Column("Situação", Kind.TEXT),
        ),
        tuple(rows),
        "R00: um indicador da capa; tipo diz a unidade de valor (M reais, P por cento, N e I números, D data)",
    )


def _two_places(value: Decimal | None) -> Decimal | None:
    return None if value is None else round_half_up(value)
