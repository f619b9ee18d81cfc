"""R13 Previsto x realizado: how good the forecast was, and why it missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.drill_down import Blocks, link_linha
from lastro.analysis.forecast_accuracy import DEVIATIONS, LEADS, Forecast, compare_period, measure_accuracy
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.charts import keep_drawable, read_figures, read_labels
from lastro.grid.model import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    Chart,
    ChartKind,
    Column,
    Family,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    id_columns,
)
from lastro.grid.words import format_date
from lastro.money import ratio_pct, to_decimal
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

TOP: Final = 20
NOT_MEASURED: Final = "sem histórico"
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
    compared = None
    if main is not None and main.execucao_id is not None:
        compared = compare_period(position, before[main.execucao_id], main.period.first, main.period.last)
    since = None if main is None or main.execucao_id is None else before[main.execucao_id].data_base
    waterfall = _build_waterfall(main, since, compared)
    largest = _build_largest(position, view.blocks, main, compared)
    due = _build_due_and_paid(position)
    sections = (accuracy, due) if compared is None else (accuracy, waterfall, largest)
    return SPEC.report(
        sections=sections,
        tables=(
            _table(
                accuracy, "R13: um período e uma antecedência; realizado contra previsto, sem transferências e fora"
            ),
            _table(waterfall, "R13: do previsto ao realizado do período principal, cada linha numa só classe"),
            _table(largest, "R13: as 20 linhas com maior diferença no período principal", {"linha_id": Kind.INTEGER}),
            _table(due, "R13: títulos por mês de vencimento e tipo: quando foram pagos"),
        ),
        charts=_build_charts(accuracy),
    )


def _build_charts(accuracy: Section) -> tuple[Chart, ...]:
    """Draw the accuracy of the shortest lead that has history; none without history."""
    previsto, lead = accuracy.place("previsto"), accuracy.place("antecedencia_dias")
    for days in LEADS:
        rows = [row for row in accuracy.rows if row.cells[lead] == days and row.cells[previsto] is not None]
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
            Series(PREVISTO, read_figures(accuracy, "previsto", rows), BALANCE_TINT),
            Series(REALIZADO, read_figures(accuracy, "realizado", rows), BALANCE_COLOUR),
        ),
        after=accuracy.name,
    )


def _main_forecast(forecasts: Iterable[Forecast]) -> Forecast | None:
    """Return the forecast of the waterfall: the first period (D's month) from its eve."""
    return next((forecast for forecast in forecasts if forecast.lead == LEADS[0]), None)


def _build_accuracy(position: Position, forecasts: Sequence[Forecast], before: Mapping[int, Position]) -> Section:
    rows = []
    for forecast in forecasts:
        period = forecast.period
        head: tuple[Value, ...] = (period.label, period.first, period.last, forecast.lead)
        if forecast.execucao_id is None:
            rows.append(Row((*head, NOT_MEASURED, None, *(None,) * 6)))
            continue
        run = before[forecast.execucao_id]
        found = measure_accuracy(position, run, period.first, period.last)
        amounts = (to_decimal(found.previsto), to_decimal(found.realizado), to_decimal(found.erro))
        shown = f"Execução {forecast.execucao_id}"
        rows.append(Row((*head, shown, run.data_base, *amounts, found.wape, found.aderencia, found.vies)))
    return Section(
        "previsto_realizado",
        (
            Column("Período", Kind.TEXT, width=26),
            Column("De", Kind.DATE),
            Column("Até", Kind.DATE),
            Column("Antecedência (dias)", Kind.INTEGER),
            Column("Previsão", Kind.TEXT, width=16),
            Column("Previsão de", Kind.DATE),
            Column("Previsto", Kind.MONEY),
            Column("Realizado", Kind.MONEY),
            Column("Erro", Kind.MONEY),
            Column("WAPE", Kind.PERCENT, key="wape_pct"),
            Column("Aderência", Kind.PERCENT, key="aderencia_pct"),
            Column("Viés", Kind.PERCENT, key="vies_pct"),
        ),
        tuple(rows),
        title="Acerto da previsão por período e antecedência",
        notes=(
            (
                "Erro = realizado - previsto. WAPE = soma de |r-p| / soma de |r|; aderência = 1 - soma de |r-p| / soma "
                "de max(|p|, |r|); viés = soma de (r-p) / soma de |p|; somas por categoria, sem transferências e sem "
                "categorias fora do resultado."
            ),
            (
                "Previsto: em aberto, não vencido e previsto para o período na última execução completa até o início "
                "do período menos a antecedência (0 = até a véspera). Períodos não encerrados vão até a data-base."
            ),
        ),
    )


def _build_waterfall(main: Forecast | None, since: date | None, compared: pd.DataFrame | None) -> Section:
    columns = (
        Column("Item", Kind.TEXT, width=26),
        Column("O que é", Kind.TEXT, width=60),
        Column("Linhas", Kind.INTEGER),
        Column("Valor", Kind.MONEY),
    )
    if main is None or since is None or compared is None:
        return Section("previsto_realizado_desvios", columns, (), title="Do previsto ao realizado")
    amounts = compared["realizado_centavos"] - compared["previsto_centavos"]
    sums, counts = amounts.groupby(compared["desvio"]).sum(), compared.groupby("desvio").size()
    expected, happened = compared["previsto"], compared["realizado"]
    period = f"{format_date(main.period.first)} a {format_date(main.period.last)}"
    rows = [
        Row(
            (
                PREVISTO,
                f"previsão de {format_date(since)} para {period}",
                int(expected.sum()),
                to_decimal(int(compared["previsto_centavos"].sum())),
            ),
            style=Style.SECTION,
        )
    ]
    rows += [
        Row((name, meaning, int(counts.get(name, 0)), to_decimal(int(sums.get(name, 0)))))
        for name, meaning in DEVIATIONS.items()
    ]
    rows.append(
        Row(
            (
                REALIZADO,
                f"caixa de {period} na data-base",
                int(happened.sum()),
                to_decimal(int(compared["realizado_centavos"].sum())),
            ),
            style=Style.TOTAL,
        )
    )
    return Section(
        "previsto_realizado_desvios",
        columns,
        tuple(rows),
        title=f"Do previsto ao realizado: {main.period.label}",
        notes=("Inclui categorias fora do resultado; transferências não. Previsto + classes = realizado.",),
    )


def _build_largest(position: Position, blocks: Blocks, main: Forecast | None, compared: pd.DataFrame | None) -> Section:
    columns = (
        Column("Lançamento", Kind.LINK, width=12, key="linha_id"),
        Column("Descrição", Kind.TEXT, width=40),
        Column("Pessoa", Kind.TEXT, width=30),
        Column("Categoria", Kind.TEXT, width=36),
        Column("Classe", Kind.TEXT, width=22),
        Column("Previsto", Kind.MONEY),
        Column("Realizado", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
        *id_columns("pessoa_id", "categoria_id"),
    )
    title = f"As {TOP} maiores diferenças"
    if main is None or compared is None:
        return Section("previsto_realizado_maiores", columns, (), title=title)
    difference = compared["realizado_centavos"] - compared["previsto_centavos"]
    top = compared.assign(diferenca=difference, tamanho=-difference.abs())
    top = top[top["diferenca"] != 0].sort_values(["tamanho", "linha_id", "chave_composto"]).head(TOP)
    labels = position.rotulos
    rows = []
    for number, text, pessoa, categoria, desvio, fluxo, p, r, delta, exists in records_of(
        top,
        "linha_id",
        "descricao",
        "pessoa_id",
        "categoria_id",
        "desvio",
        "classe_fluxo",
        "previsto_centavos",
        "realizado_centavos",
        "diferenca",
        "existe",
    ):
        rows.append(
            Row(
                (
                    link_linha(blocks, number, fluxo, categoria) if exists else str(number),
                    text or None,
                    labels.pessoa(pessoa),
                    labels.categoria_caminho(categoria),
                    desvio,
                    to_decimal(p),
                    to_decimal(r),
                    to_decimal(delta),
                    pessoa,
                    categoria,
                )
            )
        )
    return Section("previsto_realizado_maiores", columns, tuple(rows), title=f"{title}: {main.period.label}")


def _build_due_and_paid(position: Position) -> Section:
    """Build "Vencimento x pagamento": what fell due in each month up to D's, and when it was paid."""
    titulos = position.titulos
    chosen = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    due = chosen["data_vencimento"].dt.to_period("M")
    chosen, due = chosen[due <= pd.Period(position.data_base, "M")], due[due <= pd.Period(position.data_base, "M")]
    paid, value = chosen["data_pagamento"].dt.to_period("M"), chosen["valor_centavos"]
    moment = np.select(
        [~chosen["pago"], paid == due, paid > due],
        ["em_aberto", "no_mes", "depois"],
        "antes",
    )
    sums = value.groupby([due, chosen["tipo"], pd.Series(moment, index=chosen.index)]).sum().unstack(fill_value=0)
    sums = sums.reindex(columns=["no_mes", "antes", "depois", "em_aberto"], fill_value=0).astype("int64")
    rows = []
    for (month, tipo), amounts in zip(sums.index, sums.itertuples(index=False), strict=True):
        in_month, earlier, later, still_open = (int(amount) for amount in amounts)
        total = in_month + earlier + later + still_open
        rows.append(
            Row(
                (
                    month.to_timestamp().date(),
                    "A receber" if tipo == "R" else "A pagar",
                    to_decimal(total),
                    to_decimal(in_month),
                    to_decimal(earlier),
                    to_decimal(later),
                    to_decimal(still_open),
                    ratio_pct(in_month + earlier, total),
                    tipo,
                )
            )
        )
    return Section(
        "previsto_realizado_vencimento",
        (
            Column("Mês de vencimento", Kind.MONTH),
            Column("Tipo", Kind.TEXT, width=12),
            Column("Vencia", Kind.MONEY),
            Column("Pago no mês", Kind.MONEY),
            Column("Pago antes", Kind.MONEY),
            Column("Pago depois", Kind.MONEY),
            Column("Em aberto", Kind.MONEY),
            Column("% realização", Kind.PERCENT),
            Column("Código do tipo", Kind.TEXT, key="tipo_codigo", shown=False),
        ),
        tuple(rows),
        title="Vencimento x pagamento",
        notes=(
            (
                "Sem execução completa anterior ao período, compara-se o vencimento atual com o pagamento. "
                "% realização = pago até o fim do mês / vencia."
            ),
        ),
    )


def _table(section: Section, comment: str, kinds: Mapping[str, Kind] | None = None) -> Table:
    """Turn a section into its table, totals included where they are part of the statement."""
    kinds = kinds or {}
    columns = tuple(
        replace(column, kind=kinds[column.key]) if column.key in kinds else column for column in section.columns
    )
    rows = tuple(
        tuple(_unlink(cell, kinds.get(column.key)) for cell, column in zip(row.cells, section.columns, strict=True))
        for row in section.rows
    )
    return Table(section.name, columns, rows, comment)


def _unlink(cell: object, kind: Kind | None) -> Value:
    text = cell.text if isinstance(cell, Link) else cell
    return int(str(text)) if kind is Kind.INTEGER and text is not None else text  # type: ignore[return-value]


SPEC: Final = ReportSpec(
    code="R13",
    name="previsto_realizado",
    sheet="Previsto x realizado",
    title="Previsto x realizado",
    question="A previsão é boa, e por que errou?",
    family=Family.HISTORY,
    build=build_r13,
    keys={
        "previsto_realizado_desvios": ("item",),
        "previsto_realizado_vencimento": ("mes_de_vencimento", "tipo_codigo"),
    },
)
