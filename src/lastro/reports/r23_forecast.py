"""R23 Previsão: cash in and out of the coming thirteen weeks, with entries that are not booked yet (S24)."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import IMPLANTADOS, LINE_ENTRADAS, LINE_NAO_OPERACIONAL, LINE_SAIDAS
from lastro.analysis.expectation import Expectation, FlowKey
from lastro.calendar import week_start
from lastro.grid.cells import Kind, Value
from lastro.grid.charts import BALANCE_COLOUR, BALANCE_TINT, Chart, ChartKind, Series, keep_drawable
from lastro.grid.pivot import list_rows
from lastro.grid.sections import Mark, Row, Section
from lastro.grid.tables import Column, Period, Table
from lastro.grid.words import month_label, week_label
from lastro.grid.workbook import Family, Report
from lastro.money import decimal_or_none, to_decimal
from lastro.reports.shared.forecast_words import tell_coverage, tell_history
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.analysis.forecast_weeks import ForecastWeek
    from lastro.reports.view import View

WEEKS_BEFORE: Final = 4
"""Weeks of what happened that stand above the forecast."""
LARGEST: Final = 15
"""Categories that the sheet prints; SQL has all."""
REALIZADO, PREVISTO = "Realizado", "Previsto"


def build_r23(view: View) -> Report:
    """Build the sheet Previsão: four weeks as they were, then the thirteen to come, then the categories behind them.

    Returns:
        Grain ISO week. What is booked is the projection by habits (R02); what is expected, corrected and the band need
        six closed months and are blank before, and in a scope.
    """
    weeks = Table("previsao_semanal", _week_columns(view), tuple(_list_weeks(view)), COMMENTS["previsao_semanal"])
    categories = _keep_categories(view)
    section = _show_weeks(view, weeks)
    shown = _show_categories(view)
    sections = (section, *((shown,) if shown else ()))
    return SPEC.report(
        sections, (weeks, categories, _keep_tests(view), _keep_coverage(view)), keep_drawable(_build_chart(weeks))
    )


def _week_columns(view: View) -> tuple[Column, ...]:
    balance = "Variação prevista" if view.series.provisional else "Saldo previsto"
    return (
        Column("Semana", Kind.TEXT, width=32),
        Column(
            "Tipo",
            Kind.TEXT,
            "Realizado, até a data-base, ou Previsto, a partir dela: a semana dela está em ambos",
            width=12,
        ),
        Column(
            "Lançado entra",
            Kind.MONEY,
            "Entradas lançadas na semana, no dia em que se costuma receber; nas realizadas, o que entrou",
            dense=True,
        ),
        Column(
            "Lançado sai", Kind.MONEY, "Saídas lançadas na semana, negativa; nas realizadas, o que saiu", dense=True
        ),
        Column("Esperado entra", Kind.MONEY, "Entradas além do lançado; nulo nas semanas realizadas", dense=True),
        Column("Esperado sai", Kind.MONEY, "Saídas além do lançado, negativa; nulo nas semanas realizadas", dense=True),
        Column(
            "Não operacional e transf.",
            Kind.MONEY,
            "fora do resultado, transferências e saldos implantados da semana, com sinal",
            dense=True,
            key="nao_operacional_e_transf",
        ),
        Column(
            "Correção",
            Kind.MONEY,
            "o que a mediana dos erros medidos soma nesta semana; as semanas somam a do horizonte",
            dense=True,
        ),
        Column(
            balance,
            Kind.MONEY,
            "saldo: não se soma entre semanas; no fim da semana",
            dense=True,
            alert="saldo",
            key="saldo_previsto",
        ),
        Column(
            "Faixa de",
            Kind.MONEY,
            "saldo: não se soma entre semanas; ponta de baixo da faixa, nula com menos de 9 erros medidos",
            dense=True,
        ),
        Column(
            "Faixa até",
            Kind.MONEY,
            "saldo: não se soma entre semanas; ponta de cima da faixa, nula com menos de 9 erros medidos",
            dense=True,
        ),
        Column("Medições", Kind.INTEGER, "erros medidos desse horizonte; nulo nas semanas realizadas"),
        Column("Início", Kind.DATE, shown=False),
        Column("Fim", Kind.DATE, shown=False),
    )


def _list_weeks(view: View) -> list[tuple[Value, ...]]:
    """List the weeks that were, the part of D's week up to D, and the weeks to come; D's own is to come from D on."""
    day = view.position.data_base
    monday = week_start(day)
    rows: list[tuple[Value, ...]] = []
    for offset in range(-WEEKS_BEFORE, 1):
        first = monday + timedelta(days=7 * offset)
        last = min(first + timedelta(days=6), day)
        flow = view.series.flow(Period("", first, last, "realizado"))
        moved = flow.line(IMPLANTADOS) + flow.line(LINE_NAO_OPERACIONAL) + flow.transferencias
        amounts = (
            flow.line(LINE_ENTRADAS),
            flow.line(LINE_SAIDAS),
            None,
            None,
            moved,
            None,
            flow.final or 0,
            None,
            None,
        )
        rows.append(
            (week_label(first, last), REALIZADO, *(decimal_or_none(amount) for amount in amounts), None, first, last)
        )
    rows += [_cells_of(week, max(week.inicio, day)) for week in view.forecast_weeks]
    return rows


def _cells_of(week: ForecastWeek, first: date) -> tuple[Value, ...]:
    amounts = (
        week.lancado_entra, week.lancado_sai, week.esperado_entra, week.esperado_sai, week.fora, week.correcao,
        week.saldo, week.faixa_de, week.faixa_ate,
    )  # fmt: skip
    return (week_label(first, week.fim), PREVISTO, *map(decimal_or_none, amounts), week.medidas, first, week.fim)


def _show_weeks(view: View, table: Table) -> Section:
    day = view.position.data_base
    shown = tuple(column for column in table.columns if column.shown)
    rows = tuple(
        Row(
            cells[: len(shown)],
            key=f"previsao_{first:%Y-%m-%d}_{tipo}",
            marks=frozenset({Mark.TODAY} if last == day else ()),
        )
        for cells, (tipo, first, last) in zip(table.rows, list_rows(table, ("tipo", "inicio", "fim")), strict=True)
        if isinstance(first, date)
    )
    return Section(table.name, shown, rows, notes=(*tell_history(view), *tell_coverage(view), *NOTES))


NOTES: Final = (
    "Lançado: o que está no sistema, no dia em que se costuma pagar ou receber (Se os hábitos persistirem).",
    "Esperado: o ritmo mensal de cada categoria menos o que já está lançado ou pago no mês.",
    "Correção: a mediana dos erros medidos. Faixa: pelo menos 8 de 10 erros medidos ficaram dentro.",
    "A faixa vale se as próximas semanas se parecerem com as passadas: a perda de um cliente não está nela.",
)


def _keep_categories(view: View) -> Table:
    labels = view.position.rotulos
    expectations = view.forecast.categorias
    return Table.of(
        "previsao_categorias",
        (
            (Column("Classe", Kind.TEXT), [expectation.key.classe for expectation in expectations]),
            (
                Column("Categoria", Kind.TEXT),
                [labels.categoria_caminho(expectation.key.categoria_id) for expectation in expectations],
            ),
            (Column("Mês", Kind.MONTH), [expectation.mes for expectation in expectations]),
            (
                Column(
                    "Regra",
                    Kind.TEXT,
                    "corrente (mediana dos 6 últimos meses) ou anual (o mesmo mês do ano anterior); nula sem movimento "
                    "em 12 meses",
                ),
                [expectation.regra for expectation in expectations],
            ),
            (
                Column(
                    "Ritmo mensal", Kind.MONEY, "quanto a categoria costuma mover no mês; positivo entra, negativo sai"
                ),
                [to_decimal(expectation.ritmo) for expectation in expectations],
            ),
            (
                Column("Realizado", Kind.MONEY, "já pago no mês, até a data-base; positivo entra, negativo sai"),
                [to_decimal(expectation.realizado) for expectation in expectations],
            ),
            (
                Column("Lançado", Kind.MONEY, "em aberto e lançado para o mês; positivo entra, negativo sai"),
                [to_decimal(expectation.lancado) for expectation in expectations],
            ),
            (
                Column("Esperado", Kind.MONEY, "o que falta ao ritmo do mês; positivo entra, negativo sai"),
                [to_decimal(expectation.esperado) for expectation in expectations],
            ),
            (Column("Categoria id", Kind.INTEGER), [expectation.key.categoria_id for expectation in expectations]),
        ),
        COMMENTS["previsao_categorias"],
    )


def _show_categories(view: View) -> Section | None:
    """Print the categories of which most is expected, months side by side."""
    by_key: dict[FlowKey, list[Expectation]] = defaultdict(list)
    for expectation in view.forecast.categorias:
        by_key[expectation.key].append(expectation)
    expected = {key: abs(sum(expectation.esperado for expectation in months)) for key, months in by_key.items()}
    largest = sorted((key for key in by_key if expected[key]), key=lambda key: (-expected[key], key.categoria_id or 0))
    if not largest:
        return None
    months = [expectation.mes for expectation in by_key[largest[0]]]
    columns = (
        Column("Categoria", Kind.TEXT, width=32),
        Column("Regra", Kind.TEXT, width=12),
        Column("Ritmo mensal", Kind.MONEY, dense=True),
        *(
            Column(header, Kind.MONEY, dense=True, group=month_label(month), key=f"{header.lower()}_{month:%Y_%m}")
            for month in months
            for header in ("Lançado", "Esperado")
        ),
    )
    labels = view.position.rotulos
    rows = tuple(
        Row(
            (
                labels.categoria_caminho(key.categoria_id),
                by_key[key][0].regra,
                to_decimal(by_key[key][0].ritmo),
                *(
                    to_decimal(amount)
                    for expectation in by_key[key]
                    for amount in (expectation.lancado, expectation.esperado)
                ),
            )
        )
        for key in largest[:LARGEST]
    )
    return Section(
        "previsao_maiores",
        columns,
        rows,
        title="Categorias de que mais se espera além do lançado",
        notes=(
            "Ritmo mensal: corrente = mediana dos seis últimos meses fechados; anual = o mesmo mês do ano anterior.",
        ),
    )


def _keep_tests(view: View) -> Table:
    """Keep every forecast that is measured, with what came of it."""
    measured = view.facts.medidas or ()
    return Table.of(
        "previsao_teste",
        (
            (
                Column("Data-base", Kind.DATE, "o dia em que se previu, ou a segunda-feira reconstituída"),
                [forecast.data_base for forecast in measured],
            ),
            (Column("Horizonte", Kind.INTEGER), [forecast.horizonte for forecast in measured]),
            (Column("Fim", Kind.DATE), [forecast.fim for forecast in measured]),
            (
                Column(
                    "Previsto",
                    Kind.MONEY,
                    "entradas e saídas da data-base até o fim, como se previu; positivo entra, negativo sai",
                ),
                [to_decimal(forecast.previsto) for forecast in measured],
            ),
            (
                Column(
                    "Realizado",
                    Kind.MONEY,
                    "o que veio, sem o que já estava pago quando se previu; nulo até o fim passar",
                ),
                [decimal_or_none(forecast.realizado) for forecast in measured],
            ),
            (Column("Erro", Kind.MONEY), [decimal_or_none(forecast.erro) for forecast in measured]),
            (
                Column("Origem", Kind.TEXT, "gravada por uma execução daquele dia, ou reconstituida depois"),
                [forecast.origem for forecast in measured],
            ),
        ),
        COMMENTS["previsao_teste"],
    )


def _keep_coverage(view: View) -> Table:
    """Keep what the record says of each horizon, out of sample."""
    records = view.forecast_records
    return Table.of(
        "previsao_cobertura",
        (
            (Column("Horizonte", Kind.INTEGER), [record.horizonte for record in records]),
            (
                Column("Medidas", Kind.INTEGER, "erros do horizonte que contam, no máximo 52"),
                [record.medidas for record in records],
            ),
            (
                Column("Gravadas", Kind.INTEGER, "quantos deles uma execução previu; os demais são reconstituídos"),
                [record.gravadas for record in records],
            ),
            (
                Column("Correção", Kind.MONEY, "mediana dos erros do horizonte; 0 com menos de 9"),
                [to_decimal(record.correcao) for record in records],
            ),
            (
                Column("Erro de", Kind.MONEY, "ponta de baixo dos erros da faixa; nula com menos de 9"),
                [decimal_or_none(record.faixa.lower if record.faixa else None) for record in records],
            ),
            (
                Column("Erro até", Kind.MONEY, "ponta de cima dos erros da faixa; nula com menos de 9"),
                [decimal_or_none(record.faixa.upper if record.faixa else None) for record in records],
            ),
            (
                Column("Dentro", Kind.INTEGER, "quantas previsões anteriores acabaram dentro da faixa do seu dia"),
                [record.dentro for record in records],
            ),
            (
                Column(
                    "Janelas",
                    Kind.INTEGER,
                    "quantas previsões anteriores puderam ser comparadas com uma faixa, no máximo 10",
                ),
                [record.janelas for record in records],
            ),
        ),
        COMMENTS["previsao_cobertura"],
    )


def _build_chart(weeks: Table) -> Chart:
    """Draw the balance as it was and as it is forecast, with its band."""
    figures = list_rows(weeks, ("fim", "tipo", "saldo_previsto", "faixa_de", "faixa_ate"))
    last = max(place for place, row in enumerate(figures) if row[1] == REALIZADO)

    def line(column: int, first: int, end: int) -> tuple[Decimal | None, ...]:
        return tuple(
            value if first <= place < end and isinstance(value := row[column], Decimal) else None
            for place, row in enumerate(figures)
        )

    return Chart(
        "Saldo: realizado, previsto e faixa",
        ChartKind.LINE,
        tuple(row[0] for row in figures if isinstance(row[0], date)),
        (
            Series("Realizado", line(2, 0, last + 1), BALANCE_COLOUR),
            Series("Previsto", line(2, last, len(figures)), BALANCE_COLOUR, dashed=True),
            Series("Faixa de", line(3, 0, len(figures)), BALANCE_TINT, dashed=True),
            Series("Faixa até", line(4, 0, len(figures)), BALANCE_TINT, dashed=True),
        ),
        after="previsao_semanal",
    )


COMMENTS: Final = {
    "previsao_semanal": "R23: uma semana realizada (até a data-base) ou prevista (a partir dela); as colunas de uma "
    "prevista somam a mudança do saldo (S24, V39)",
    "previsao_categorias": "R23: uma categoria num mês, do da data-base em diante: o ritmo e o que falta lançar (S24)",
    "previsao_teste": "R23: uma previsão de caixa operacional, gravada ou reconstituída, e o que veio (S24)",
    "previsao_cobertura": "R23: o que os erros medidos dizem de um horizonte, e quantas faixas acertaram (S24)",
}
SPEC: Final = ReportSpec(
    code="R23",
    name="previsao",
    title="Previsão de caixa em 13 semanas",
    question="Quanto entra e sai nas próximas 13 semanas, contando o que ainda não foi lançado?",
    family=Family.CASH,
    builder=build_r23,
    keys={
        "previsao_semanal": ("inicio", "tipo"),
        "previsao_categorias": ("classe", "categoria_id", "mes"),
        "previsao_teste": ("data_base", "horizonte"),
        "previsao_cobertura": ("horizonte",),
    },
)
