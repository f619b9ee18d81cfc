"""R13 Previsto x realizado: how good the forecast was, and why it missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from lastro.analysis.forecast_accuracy import (
    DEVIATIONS,
    LEADS,
    Forecast,
    LargeDifference,
    compare_period,
    find_largest,
    measure_accuracy,
    sum_deviations,
    sum_due_and_paid,
    sum_side,
)
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.charts import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    Chart,
    ChartKind,
    Series,
    keep_drawable,
    read_labels,
    read_points,
)
from lastro.grid.pivot import build_section
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Table
from lastro.grid.words import format_date
from lastro.grid.workbook import Family, Report
from lastro.money import ratio_pct, to_decimal
from lastro.reports.shared.drill_down import Entries
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    import pandas as pd

    from lastro.reports.view import View
    from lastro.transform.position import Position

TOP: Final = 20
DUE_MONTHS: Final = 13
"""Due months up to D's that the sheet shows; SQL has all."""
SHOWN_AFTER: Final = timedelta(weeks=8)
"""How old a run must be whose forecast is held against what came, for the sheet to be in sight."""
NO_HISTORY: Final = "Sem histórico: nenhuma execução completa é antiga o bastante. Abaixo, vencimento contra pagamento."
PREVISTO, REALIZADO = "Previsto", "Realizado"


def build_r13(view: View) -> Report:
    """Build R13.

    Returns:
        Tables `previsto_realizado` accuracy per period and lead, `previsto_realizado_desvios` waterfall,
        `previsto_realizado_maiores` the largest differences and `previsto_realizado_vencimento` due and paid per due
        month, which the sheet shows when no run is old enough. A chart of expected and realised.
    """
    position, forecasts, before = view.position, view.facts.previsoes, view.facts.posicoes
    accuracy = _build_accuracy(position, forecasts, before)
    main = _main_forecast(forecasts)
    compared = since = None
    if main is not None and main.execucao_id is not None:
        run = before[main.execucao_id]
        compared = compare_period(position, run, main.period.first, main.period.last)
        since = run.data_base
    waterfall = _build_waterfall(main, since, compared)
    largest = find_largest(compared, TOP) if compared is not None else ()
    listed = _build_largest(position, largest)
    due = _build_due(position)
    first = _show_accuracy(accuracy, forecasts)
    sections: tuple[Section, ...]
    if compared is None or main is None:
        begin = add_months(month_start(position.data_base), 1 - DUE_MONTHS)
        rows = tuple(Row(cells) for cells in due.rows if isinstance(cells[0], date) and cells[0] >= begin)
        sections = (first, Section(due.name, due.columns, rows, title="Vencimento x pagamento", notes=DUE_NOTES))
    else:
        sections = (
            first,
            _show_waterfall(waterfall, main),
            build_section(
                listed,
                title=f"As {TOP} maiores diferenças: {main.period.label}",
                links={"linha_id": [_link(view.entries, difference) for difference in largest]},
            ),
        )
    report = SPEC.report(sections=sections, tables=(accuracy, waterfall, listed, due), charts=_build_charts(first))
    known = any(run.data_base <= position.data_base - SHOWN_AFTER for run in before.values())
    return replace(report, shown=known)


def _build_charts(accuracy: Section) -> tuple[Chart, ...]:
    """Draw the accuracy of the shortest lead that has history; none without history."""
    lead = accuracy.place("antecedencia_dias")
    for days in LEADS:
        rows = [row for row in accuracy.rows if row.cells[lead] == days]
        if rows:
            return keep_drawable(_build_chart(accuracy, rows, days))
    return ()


def _build_chart(accuracy: Section, rows: Sequence[Row], days: int) -> Chart:
    """Pair expected and realised of each period."""
    moment = "na véspera" if days == 0 else f"{days} dias antes"
    return Chart(
        f"Previsto ({moment}) x realizado por período",
        ChartKind.COLUMN,
        read_labels(accuracy, "periodo", rows),
        (
            Series(PREVISTO, read_points(accuracy, "previsto", rows), BALANCE_TINT),
            Series(REALIZADO, read_points(accuracy, "realizado", rows), BALANCE_COLOUR),
        ),
        after=accuracy.name,
    )


def _main_forecast(forecasts: Iterable[Forecast]) -> Forecast | None:
    """Return the forecast of the waterfall: the first period (D's month, or on its first day the one before)."""
    return next((forecast for forecast in forecasts if forecast.lead == LEADS[0]), None)


NOTES: Final = (
    (
        "Erro = realizado - previsto. WAPE = soma de |r-p| / soma de |r|; aderência = 1 - soma de |r-p| / soma "
        "de max(|p|, |r|); viés = soma de (r-p) / soma de |p|; somas por categoria, sem transferências e sem "
        "categorias fora do resultado."
    ),
    (
        "Previsto: em aberto, não vencido e previsto para o período na última execução completa até o início "
        "do período menos a antecedência (0 = até a véspera). Períodos não encerrados vão até a véspera da data-base."
    ),
)
DUE_NOTES: Final = (
    (
        "Sem execução completa anterior ao período, compara-se o vencimento atual com o pagamento. "
        "% realização = pago até o fim do mês / vencia."
    ),
)


def _build_accuracy(position: Position, forecasts: Sequence[Forecast], before: Mapping[int, Position]) -> Table:
    measured = []
    for forecast in forecasts:
        if forecast.execucao_id is not None:
            run = before[forecast.execucao_id]
            accuracy = measure_accuracy(position, run, forecast.period.first, forecast.period.last)
            measured.append((forecast, run.data_base, accuracy))
    return Table.of(
        "previsto_realizado",
        (
            (
                Column("Período", Kind.TEXT, "o período por extenso", width=26),
                [forecast.period.label for forecast, *_ in measured],
            ),
            (Column("De", Kind.DATE), [forecast.period.first for forecast, *_ in measured]),
            (Column("Até", Kind.DATE), [forecast.period.last for forecast, *_ in measured]),
            (
                Column("Antecedência (dias)", Kind.INTEGER, "dias antes do período em que se previu: 0, 7, 30 ..."),
                [forecast.lead for forecast, *_ in measured],
            ),
            (
                Column("Previsão", Kind.TEXT, "a execução que previu", width=16),
                [f"Execução {forecast.execucao_id}" for forecast, *_ in measured],
            ),
            (Column("Previsão de", Kind.DATE, "dia da execução que previu"), [day for _, day, _ in measured]),
            (Column("Previsto", Kind.MONEY), [to_decimal(accuracy.previsto) for *_, accuracy in measured]),
            (Column("Realizado", Kind.MONEY), [to_decimal(accuracy.realizado) for *_, accuracy in measured]),
            (Column("Erro", Kind.MONEY), [to_decimal(accuracy.erro) for *_, accuracy in measured]),
            (
                Column(
                    "WAPE",
                    Kind.PERCENT,
                    "soma dos erros absolutos / soma do realizado absoluto; 0 = previsão exata",
                    key="wape_pct",
                ),
                [accuracy.wape for *_, accuracy in measured],
            ),
            (
                Column(
                    "Aderência",
                    Kind.PERCENT,
                    "parte do maior dos dois que coincide, por categoria; 100 = previsão exata",
                    key="aderencia_pct",
                ),
                [accuracy.aderencia for *_, accuracy in measured],
            ),
            (
                Column(
                    "Viés",
                    Kind.PERCENT,
                    "erro / soma do previsto absoluto; negativo = veio menos do que se previa",
                    key="vies_pct",
                ),
                [accuracy.vies for *_, accuracy in measured],
            ),
        ),
        "R13: um período e uma antecedência; realizado contra previsto, sem transferências e fora",
    )


def _show_accuracy(table: Table, forecasts: Sequence[Forecast]) -> Section:
    """Show the measured horizons, and name in one sentence those that no stored run is old enough for (R13)."""
    missing = sum(forecast.execucao_id is None for forecast in forecasts)
    title = "Acerto da previsão por período e antecedência"
    if not table.rows:
        return replace(build_section(table, title=title), empty=NO_HISTORY)
    told = (
        f"Sem histórico: {missing} de {len(forecasts)} pares de período e antecedência, por falta de execução completa."
    )
    return build_section(table, title=title, notes=(*NOTES, *((told,) if missing else ())))


def _build_waterfall(main: Forecast | None, since: date | None, compared: pd.DataFrame | None) -> Table:
    rows: list[tuple[Value, ...]] = []
    if main is not None and since is not None and compared is not None:
        period = f"{format_date(main.period.first)} a {format_date(main.period.last)}"
        texts = {PREVISTO: f"previsão de {format_date(since)} para {period}", **DEVIATIONS}
        texts[REALIZADO] = f"caixa de {period} na data-base"
        sums = {PREVISTO: sum_side(compared, "previsto"), **sum_deviations(compared)}
        sums[REALIZADO] = sum_side(compared, "realizado")
        rows = [(name, text, sums[name][0], to_decimal(sums[name][1])) for name, text in texts.items()]
    return Table(
        "previsto_realizado_desvios",
        (
            Column("Item", Kind.TEXT, width=26),
            Column("O que é", Kind.TEXT, "o que o passo soma, por extenso", width=60),
            Column("Linhas", Kind.INTEGER),
            Column("Valor", Kind.MONEY),
        ),
        tuple(rows),
        "R13: do previsto ao realizado do período principal, cada linha numa só classe",
    )


def _show_waterfall(table: Table, main: Forecast) -> Section:
    styles = {0: Style.SECTION, len(table.rows) - 1: Style.TOTAL}
    rows = tuple(Row(cells, style=styles.get(place, Style.NORMAL)) for place, cells in enumerate(table.rows))
    title = f"Do previsto ao realizado: {main.period.label}"
    notes = ("Inclui categorias fora do resultado; transferências não. Previsto + classes = realizado.",)
    return Section(table.name, table.columns, rows, title=title, notes=notes)


def _build_largest(position: Position, largest: Sequence[LargeDifference]) -> Table:
    labels = position.rotulos
    return Table.of(
        "previsto_realizado_maiores",
        (
            (
                Column("Lançamento", Kind.INTEGER, width=12, key="linha_id"),
                [difference.linha_id for difference in largest],
            ),
            (Column("Descrição", Kind.TEXT, width=40), [difference.descricao or None for difference in largest]),
            (Column("Pessoa", Kind.TEXT, width=30), [labels.pessoa(difference.pessoa_id) for difference in largest]),
            (
                Column("Categoria", Kind.TEXT, width=36),
                [labels.categoria_caminho(difference.categoria_id) for difference in largest],
            ),
            (
                Column(
                    "Classe",
                    Kind.TEXT,
                    "por que diferem: Mudança de valor, Adiados, Novos ... como em previsto_realizado_desvios",
                    width=22,
                ),
                [difference.desvio for difference in largest],
            ),
            (Column("Previsto", Kind.MONEY), [to_decimal(difference.previsto_centavos) for difference in largest]),
            (Column("Realizado", Kind.MONEY), [to_decimal(difference.realizado_centavos) for difference in largest]),
            (Column("Diferença", Kind.MONEY), [to_decimal(difference.diferenca) for difference in largest]),
            (Column("Pessoa id", Kind.INTEGER, shown=False), [difference.pessoa_id for difference in largest]),
            (Column("Categoria id", Kind.INTEGER, shown=False), [difference.categoria_id for difference in largest]),
        ),
        f"R13: as {TOP} linhas com maior diferença no período principal",
    )


def _link(entries: Entries, difference: LargeDifference) -> Link | int:
    return (entries.link_linha(difference.linha_id) if difference.existe else None) or difference.linha_id


def _build_due(position: Position) -> Table:
    """Build "Vencimento x pagamento": what fell due in each month up to D's, and when it was paid."""
    rows = []
    for month, tipo, in_month, earlier, later, still_open in sum_due_and_paid(position):
        total = in_month + earlier + later + still_open
        amounts = (to_decimal(centavos) for centavos in (total, in_month, earlier, later, still_open))
        label = "A receber" if tipo == "R" else "A pagar"
        rows.append((month, label, *amounts, ratio_pct(in_month + earlier, total), tipo))
    return Table(
        "previsto_realizado_vencimento",
        (
            Column("Mês de vencimento", Kind.MONTH),
            Column("Tipo", Kind.TEXT, "A receber ou A pagar", width=12),
            Column("Vencia", Kind.MONEY, "títulos com vencimento no mês"),
            Column("Pago no mês", Kind.MONEY, "parte paga no mês do vencimento"),
            Column("Pago antes", Kind.MONEY, "parte paga antes do mês do vencimento"),
            Column("Pago depois", Kind.MONEY, "parte paga depois do mês do vencimento"),
            Column("Em aberto", Kind.MONEY),
            Column("% realização", Kind.PERCENT, "pago até a data-base / vencia"),
            Column("Código do tipo", Kind.TEXT, "R a receber, P a pagar", key="tipo_codigo", shown=False),
        ),
        tuple(rows),
        "R13: títulos por mês de vencimento e tipo: quando foram pagos",
    )


SPEC: Final = ReportSpec(
    code="R13",
    name="previsto_realizado",
    title="Previsto x realizado",
    question="A previsão é boa, e por que errou?",
    family=Family.HISTORY,
    builder=build_r13,
    keys={
        "previsto_realizado_desvios": ("item",),
        "previsto_realizado_vencimento": ("mes_de_vencimento", "tipo_codigo"),
    },
)
