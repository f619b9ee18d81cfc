"""R23 Previsão: cash in and out of the coming thirteen weeks, with entries that are not booked yet (S24).

What is booked is the projection by habits (R02); what is expected, corrected and the band need six closed months and
are blank before, and in a scope.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.cash_series import IMPLANTADOS, LINE_ENTRADAS, LINE_NAO_OPERACIONAL, LINE_SAIDAS
from lastro.analysis.expectation import Expectation, FlowKey
from lastro.analysis.forecast_record import Band
from lastro.analysis.frames import read_centavos, read_fields, store_centavos
from lastro.calendar import week_start
from lastro.grid.charts import BALANCE_COLOUR, BALANCE_TINT, Chart, ChartKind, Series
from lastro.grid.pivot import list_dicts
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Mark
from lastro.grid.storage import Values
from lastro.grid.tables import Alert, Column, Period, describe_column
from lastro.grid.words import month_label, week_label
from lastro.grid.workbook import Family
from lastro.reports.printing import Tables, mark_days
from lastro.reports.shared.forecast_words import tell_correction, tell_coverage, tell_history
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

WEEKS_BEFORE: Final = 4
"""Weeks of what happened that stand above the forecast."""
LARGEST: Final = 15
"""Categories that the sheet prints; SQL has all."""
REALIZADO, PREVISTO = "Realizado", "Previsto"
FIGURES: Final = (
    "lancado_entra", "lancado_sai", "esperado_entra", "esperado_sai", "nao_operacional_e_transf", "correcao",
    "saldo_previsto", "faixa_de", "faixa_ate", "medicoes",
)  # fmt: skip
"""The figures of a week, in the order of `ForecastWeek`."""


def list_forecast_weeks(view: View) -> Columns:
    """List the weeks that were, the part of D's week up to D, and the weeks to come; D's own is to come from D on."""
    day = view.position.data_base
    past = list(_list_past(view))
    weeks = [*past, *(week._replace(inicio=max(week.inicio, day)) for week in view.forecast_weeks)]
    first, last, *figures = zip(*weeks, strict=True)
    return {
        "semana": list(map(week_label, first, last)),
        "tipo": [REALIZADO] * len(past) + [PREVISTO] * len(view.forecast_weeks),
        **{key: store_centavos(values) for key, values in zip(FIGURES, figures, strict=True)},
        "inicio": first,
        "fim": last,
    }


def _list_past(view: View) -> Iterator[tuple[Any, ...]]:
    """List the weeks as they were, each as a `ForecastWeek`; nothing was expected in them."""
    day = view.position.data_base
    for offset in range(-WEEKS_BEFORE, 1):
        first = week_start(day) + timedelta(days=7 * offset)
        last = min(first + timedelta(days=6), day)
        flow = view.series.flow(Period("", first, last, "realizado"))
        moved = flow.line(IMPLANTADOS) + flow.line(LINE_NAO_OPERACIONAL) + flow.transferencias
        came, went, balance = flow.line(LINE_ENTRADAS), flow.line(LINE_SAIDAS), flow.final or 0
        yield (first, last, came, went, None, None, moved, None, balance, None, None, None)


def list_categories(view: View) -> Columns:
    """List what is expected of each category, month by month."""
    expected, labels = view.forecast.categorias, view.position.rotulos
    return {
        "classe": [one.key.classe for one in expected],
        "categoria": [labels.categoria_caminho(one.key.categoria_id) for one in expected],
        **read_fields(expected, "mes", "regra"),
        "ritmo_mensal": store_centavos(one.ritmo for one in expected),
        **read_centavos(expected, "realizado", "lancado", "esperado"),
        "categoria_id": [one.key.categoria_id for one in expected],
    }


def list_tests(view: View) -> Columns:
    """List every forecast that is measured, with what came of it."""
    measured = view.facts.medidas or ()
    return {
        **read_fields(measured, "data_base", "horizonte", "fim"),
        **read_centavos(measured, "previsto", "realizado", "erro"),
        **read_fields(measured, "origem"),
        **_store_bands(one.faixa for one in measured),
    }


def list_coverage(view: View) -> Columns:
    """List what the record says of each horizon, out of sample."""
    records = view.forecast_records
    return {
        **read_fields(records, "horizonte", "medidas", "gravadas"),
        **read_centavos(records, "correcao"),
        **_store_bands(one.faixa for one in records),
        **read_fields(records, "alargamento", "dentro", "janelas"),
    }


def _store_bands(bands: Iterable[Band | None]) -> Columns:
    ends = [(None, None) if band is None else band for band in bands]
    return {
        "erro_de": store_centavos(lower for lower, _ in ends),
        "erro_ate": store_centavos(upper for _, upper in ends),
    }


def list_largest(view: View) -> Columns | None:
    """List the categories of which most is expected, months side by side; None where nothing is."""
    of_key: defaultdict[FlowKey, list[Expectation]] = defaultdict(list)
    for one in view.forecast.categorias:
        of_key[one.key].append(one)
    expected = {key: abs(sum(one.esperado for one in months)) for key, months in of_key.items()}
    largest = sorted(filter(expected.get, of_key), key=lambda key: (-expected[key], key.categoria_id or 0))[:LARGEST]
    first = [of_key[key][0] for key in largest]
    columns: dict[str, Values] = {
        "categoria": [view.position.rotulos.categoria_caminho(key.categoria_id) for key in largest],
        **read_fields(first, "regra"),
        "ritmo_mensal": store_centavos(one.ritmo for one in first),
    }
    for months in zip(*(of_key[key] for key in largest), strict=True):
        read = read_centavos(months, "lancado", "esperado")
        columns |= {f"{key}_{months[0].mes:%Y_%m}": values for key, values in read.items()}
    return columns if largest else None


def head_largest(view: View) -> Mapping[str, Column]:
    """Head the months of the largest categories, each with what is booked and what is expected."""
    months = {one.mes for one in view.forecast.categorias}
    pairs = ((key, month) for month in months for key in ("lancado", "esperado"))
    looks = (
        describe_column(key, dense=True, group=month_label(month), key=f"{key}_{month:%Y_%m}") for key, month in pairs
    )
    return {column.key: column for column in looks}


def draw_balance(_: View, tables: Tables) -> Chart:
    """Draw the balance as it was and as it is forecast, with its band."""
    weeks = list_dicts(tables[WEEKS.name])
    last = max(place for place, week in enumerate(weeks) if week["tipo"] == REALIZADO)
    balances = [week["saldo_previsto"] for week in weeks]
    figures = (
        ("Realizado", [*balances[: last + 1], *[None] * (len(weeks) - last - 1)], BALANCE_COLOUR),
        ("Previsto", [*[None] * last, *balances[last:]], BALANCE_COLOUR),
        ("Faixa de", [week["faixa_de"] for week in weeks], BALANCE_TINT),
        ("Faixa até", [week["faixa_ate"] for week in weeks], BALANCE_TINT),
    )
    series = tuple(
        Series(name, tuple(values), colour, dashed=name != "Realizado")  # type: ignore[arg-type]
        for name, values, colour in figures
    )
    days = tuple(week["fim"] for week in weeks)
    return Chart("Saldo: realizado, previsto e faixa", ChartKind.LINE, days, series, after=WEEKS.name)  # type: ignore[arg-type]


def name_balance(view: View) -> Mapping[str, str]:
    """Call a balance without an opening what it is (S7)."""
    return {"saldo_previsto": "Variação prevista"} if view.series.provisional else {}


WEEKS: Final = Print(
    "previsao_semanal",
    "R23: uma semana realizada (até a data-base) ou prevista (a partir dela); as colunas de uma prevista somam a "
    "mudança do saldo (S24, V39)",
    list_forecast_weeks,
    keys=("inicio", "tipo"),
    about={"tipo": "Realizado, até a data-base, ou Previsto, a partir dela: a semana dela está em ambos"},
    headers=name_balance,
    widths={"semana": 32, "tipo": 12},
    alerts={"saldo_previsto": Alert.SALDO},
    dense=True,
    hidden=("inicio", "fim", "correcao"),
    marks={Mark.TODAY: mark_days("fim")[Mark.TODAY]},
    notes=(
        tell_history,
        tell_coverage,
        tell_correction,
        "Lançado: o que se recebe como os clientes pagam, e se paga no vencimento ou no dia decidido.",
        "O vencido a pagar sem decisão não está no lançado.",
        "Esperado: o ritmo mensal de cada categoria menos o que já está lançado ou pago no mês.",
        "Faixa: os erros medidos à mesma distância, alargados até que 8 de 10 das últimas previsões fiquem dentro.",
        "A faixa vale se as próximas semanas se parecerem com as passadas: a perda de um cliente não está nela.",
    ),
)
CATEGORIES: Final = Print(
    "previsao_categorias",
    "R23: uma categoria num mês, do da data-base em diante: o ritmo e o que falta lançar (S24)",
    list_categories,
    keys=("classe", "categoria_id", "mes"),
    about={
        "regra": "corrente (mediana dos 6 últimos meses) ou anual (o mesmo mês do ano anterior); nula sem movimento "
        "em 12 meses",
        "realizado": "já pago no mês, até a data-base; positivo entra, negativo sai",
    },
)
MOST_EXPECTED: Final = Print(
    "previsao_maiores",
    make=list_largest,
    named=head_largest,
    widths={"categoria": 32, "regra": 12},
    dense=True,
    title="Categorias de que mais se espera além do lançado",
    notes=("Ritmo mensal: corrente = mediana dos seis últimos meses fechados; anual = o mesmo mês do ano anterior.",),
)
TESTS: Final = Print(
    "previsao_teste",
    "R23: uma previsão de caixa operacional, gravada ou reconstituída, e o que veio (S24)",
    list_tests,
    keys=("data_base", "horizonte"),
    about={
        "data_base": "o dia em que se previu, ou a segunda-feira reconstituída",
        "previsto": "entradas e saídas da data-base até o fim, como se previu; positivo entra, negativo sai",
        "realizado": "o que veio, sem o que já estava pago quando se previu; nulo até o fim passar",
        "origem": "gravada por uma execução daquele dia, ou reconstituida depois",
        "erro_de": "ponta de baixo dos erros da faixa impressa naquele dia; nula sem faixa",
        "erro_ate": "ponta de cima dos erros da faixa impressa naquele dia; nula sem faixa",
    },
)
COVERAGE: Final = Print(
    "previsao_cobertura",
    "R23: o que os erros medidos dizem de um horizonte, e quantas faixas acertaram (S24)",
    list_coverage,
    keys=("horizonte",),
    about={"correcao": "mediana dos erros do horizonte; 0 com menos de 12"},
)
SPEC: Final = ReportSpec(
    code="R23",
    name="previsao",
    title="Previsão de caixa em 13 semanas",
    question="Quanto entra e sai nas próximas 13 semanas, contando o que ainda não foi lançado?",
    family=Family.CASH,
    tables=(WEEKS, CATEGORIES, TESTS, COVERAGE),
    sections=(WEEKS, MOST_EXPECTED),
    charts=(draw_balance,),
)
