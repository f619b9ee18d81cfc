"""R13 Previsto x realizado: how good the forecast was, and why it missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from lastro.analysis.forecast_accuracy import (
    DEVIATIONS,
    LEADS,
    Span,
    compare_period,
    find_largest,
    measure_accuracy,
    sum_deviations,
    sum_due_and_paid,
    sum_side,
)
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Kind
from lastro.grid.charts import BALANCE_COLOUR, BALANCE_TINT, Chart, ChartKind, Series, shorten
from lastro.grid.pivot import list_rows
from lastro.grid.prints import Columns, Print, RowLook, list_columns
from lastro.grid.sections import Section, Style
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.words import format_date
from lastro.grid.workbook import Family, Report
from lastro.money import ratio_pct
from lastro.reports.printing import Tables, print_report, print_section
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

TOP: Final = 20
SHOWN_AFTER: Final = timedelta(weeks=8)
"""How old a run must be whose forecast is held against what came, for the sheet to be in sight."""
PREVISTO, REALIZADO = "Previsto", "Realizado"
MISSED: Final = (
    "linha_id", "descricao", "pessoa", "categoria", "classe", "previsto", "realizado", "diferenca", "pessoa_id",
    "categoria_id",
)  # fmt: skip
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
DUE_MONTHS: Final = 13
"""Due months up to D's that the sheet shows; SQL has all."""


class MainPeriod(NamedTuple):
    """The main period, D of the run that forecast it, and what was expected against what happened, by linha."""

    period: Span
    since: date
    linhas: pd.DataFrame


def compare_main(view: View) -> MainPeriod | None:
    """Compare the first period (D's month, or on its first day the one before); None where no run is old enough."""
    main = next((forecast for forecast in view.facts.previsoes if forecast.lead == LEADS[0]), None)
    if main is None or main.execucao_id is None:
        return None
    run, period = view.facts.posicoes[main.execucao_id], main.period
    return MainPeriod(period, run.data_base, compare_period(view.position, run, period.first, period.last))


def _name_period(view: View) -> str:
    main = view.once(compare_main)
    return "" if main is None else main.period.label


def list_accuracy(view: View) -> Columns:
    """List the periods and leads that a stored run is old enough for."""
    rows = []
    for forecast in view.facts.previsoes:
        if forecast.execucao_id is not None:
            run, period = view.facts.posicoes[forecast.execucao_id], forecast.period
            found = measure_accuracy(view.position, run, period.first, period.last)
            amounts = (found.previsto, found.realizado, found.realizado - found.previsto)
            told = (period.label, period.first, period.last, forecast.lead, f"Execução {forecast.execucao_id}")
            rows.append((*told, run.data_base, *amounts, found.wape, found.aderencia, found.vies))
    return list_columns(
        ("periodo", "de", "ate", "antecedencia_dias", "previsao", "previsao_de", "previsto", "realizado", "erro",
         "wape_pct", "aderencia_pct", "vies_pct"),
        rows,
    )  # fmt: skip


def _tell_accuracy(view: View) -> Iterable[str]:
    """Explain the measures, and name in one sentence the horizons that no stored run is old enough for."""
    forecasts = view.facts.previsoes
    missing = sum(forecast.execucao_id is None for forecast in forecasts)
    if missing < len(forecasts):
        yield from NOTES
    if 0 < missing < len(forecasts):
        pairs = f"{missing} de {len(forecasts)} pares de período e antecedência"
        yield f"Sem histórico: {pairs}, por falta de execução completa."


def draw_accuracy(_: View, tables: Tables) -> Chart:
    """Pair expected and realised of each period, forecast by the shortest lead that has history."""
    table = tables[ACCURACY.name]
    days = min(table.data["antecedencia_dias"].cells(), default=0)
    moment = "na véspera" if days == 0 else f"{days} dias antes"
    told = list_rows(table, ("antecedencia_dias", "periodo", "previsto", "realizado"))
    drawn: list[Any] = [cells for lead, *cells in told if lead == days]
    periods, expected, happened = zip(*drawn, strict=True) if drawn else ((), (), ())
    pairs = Series(PREVISTO, expected, BALANCE_TINT), Series(REALIZADO, happened, BALANCE_COLOUR)
    title = f"Previsto ({moment}) x realizado por período"
    return Chart(title, ChartKind.COLUMN, tuple(map(shorten, periods)), pairs, after=ACCURACY.name)


def list_waterfall(view: View) -> Columns:
    """List the way from what was expected of the main period to what happened, each linha in one class."""
    main, rows = view.once(compare_main), []
    if main is not None:
        period = f"{format_date(main.period.first)} a {format_date(main.period.last)}"
        deviations = sum_deviations(main.linhas)
        rows = [
            (PREVISTO, f"previsão de {format_date(main.since)} para {period}", *sum_side(main.linhas, "previsto")),
            *((name, text, *deviations[name]) for name, text in DEVIATIONS.items()),
            (REALIZADO, f"caixa de {period} na data-base", *sum_side(main.linhas, "realizado")),
        ]
    return list_columns(("item", "o_que_e", "linhas", "valor"), rows)


def _look_at_waterfall(_: View, table: Table) -> Iterator[RowLook]:
    styles = {0: Style.SECTION, len(table.rows) - 1: Style.TOTAL}
    return (RowLook(styles.get(place, Style.NORMAL)) for place in range(len(table.rows)))


def find_misses(view: View) -> pd.DataFrame | None:
    """Find the linhas of the main period that missed by most (`find_largest`); None where no run is old enough."""
    main = view.once(compare_main)
    return None if main is None else find_largest(main.linhas, TOP)


def list_misses(view: View) -> Columns:
    """List the linhas that missed by most, ties by id."""
    labels, misses = view.position.rotulos, view.once(find_misses)
    if misses is None:
        return list_columns(MISSED, ())
    return {
        "linha_id": misses["linha_id"].astype("Int64"),
        "descricao": store_texts(misses["descricao"]),
        "pessoa": store_labels(misses["pessoa_id"], labels.pessoa),
        "categoria": store_labels(misses["categoria_id"], labels.categoria_caminho),
        "classe": misses["desvio"],
        "previsto": misses["previsto_centavos"],
        "realizado": misses["realizado_centavos"],
        "diferenca": misses["diferenca"],
        "pessoa_id": misses["pessoa_id"],
        "categoria_id": misses["categoria_id"],
    }


def _link_misses(view: View) -> Mapping[str, Leads]:
    """Lead to the linhas that are still there."""
    misses = view.once(find_misses)
    there = None if misses is None else misses["linha_id"].astype("Int64").where(misses["existe"])
    return {} if there is None else {"linha_id": view.books.once(find_entries).lead("linha_id", there)}


def show_where(own: Print[View], view: View, tables: Tables, *, known: bool) -> Section | None:
    """Print a table where a run is old enough for the main period, or where none is."""
    return print_section(own, tables, view) if (view.once(compare_main) is not None) is known else None


def build_r13(view: View) -> Report:
    """Build what is declared; the sheet is in sight once a run is old enough."""
    report = SPEC.report(*print_report(SPEC.tables, SPEC.sections or (), SPEC.charts, view))
    oldest = view.position.data_base - SHOWN_AFTER
    return replace(report, shown=any(run.data_base <= oldest for run in view.facts.posicoes.values()))


def list_due(view: View) -> Columns:
    """List what fell due in each month up to D's, and when it was paid."""
    sums = sum_due_and_paid(view.position)
    total = sums[["no_mes", "antes", "depois", "em_aberto"]].sum(axis=1)
    return {
        "mes_de_vencimento": sums["mes"],
        "tipo": store_each(Kind.TEXT, sums["tipo"], lambda tipo: "A receber" if tipo == "R" else "A pagar"),
        "vencia": total,
        "pago_no_mes": sums["no_mes"],
        "pago_antes": sums["antes"],
        "pago_depois": sums["depois"],
        "em_aberto": sums["em_aberto"],
        "pct_realizacao": list(map(ratio_pct, (sums["no_mes"] + sums["antes"]).abs().tolist(), total.abs().tolist())),
        "tipo_codigo": sums["tipo"],
    }


def _look_at_due(view: View, table: Table) -> Iterator[RowLook | None]:
    begin = add_months(month_start(view.position.data_base), 1 - DUE_MONTHS)
    return (RowLook() if month >= begin else None for month in table.data["mes_de_vencimento"].cells())


DUE: Final = Print(
    "previsto_realizado_vencimento",
    "R13: títulos por mês de vencimento e tipo: quando foram pagos",
    list_due,
    keys=("mes_de_vencimento", "tipo_codigo"),
    about={"tipo": "A receber ou A pagar"},
    widths={"tipo": 12},
    hidden=("tipo_codigo",),
    title="Vencimento x pagamento",
    looks=_look_at_due,
    notes=(
        (
            "Sem execução completa anterior ao período, compara-se o vencimento atual com o pagamento. "
            "% realização = pago até o fim do mês / vencia."
        ),
    ),
)
ACCURACY: Final = Print(
    "previsto_realizado",
    "R13: um período e uma antecedência; realizado contra previsto, sem transferências e fora",
    list_accuracy,
    about={"periodo": "o período por extenso"},
    widths={"periodo": 26, "previsao": 16},
    title="Acerto da previsão por período e antecedência",
    notes=(_tell_accuracy,),
    empty="Sem histórico: nenhuma execução completa é antiga o bastante. Abaixo, vencimento contra pagamento.",
)
WATERFALL: Final = Print(
    "previsto_realizado_desvios",
    "R13: do previsto ao realizado do período principal, cada linha numa só classe",
    list_waterfall,
    keys=("item",),
    widths={"item": 26, "o_que_e": 60},
    title=lambda view: f"Do previsto ao realizado: {_name_period(view)}",
    looks=_look_at_waterfall,
    notes=("Inclui categorias fora do resultado; transferências não. Previsto + classes = realizado.",),
)
MISSES: Final = Print(
    "previsto_realizado_maiores",
    f"R13: as {TOP} linhas com maior diferença no período principal",
    list_misses,
    about={"classe": "por que diferem: Mudança de valor, Adiados, Novos ... como em previsto_realizado_desvios"},
    widths={"linha_id": 12, "descricao": 40, "pessoa": 30, "categoria": 36, "classe": 22},
    shown=("linha_id",),
    title=lambda view: f"As {TOP} maiores diferenças: {_name_period(view)}",
    links=_link_misses,
)
SPEC: Final = ReportSpec(
    code="R13",
    name="previsto_realizado",
    title="Previsto x realizado",
    question="A previsão é boa, e por que errou?",
    family=Family.HISTORY,
    tables=(ACCURACY, WATERFALL, MISSES, DUE),
    sections=(
        ACCURACY,
        partial(show_where, WATERFALL, known=True),
        partial(show_where, MISSES, known=True),
        partial(show_where, DUE, known=False),
    ),
    charts=(draw_accuracy,),
    builder=build_r13,
)
