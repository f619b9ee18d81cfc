"""INDICADORES: every KPI in blocks, beside the report before and the last twelve, with how it is computed.

`mart.indicadores` has the rows, the sheet prints them with the dates of `mart.kpis_tendencia` side by side. Belongs
here: the sheet and the trend. Does not belong here: what a KPI is (`lastro.reports.shared.kpis`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.cash_series import PROVISIONAL_NOTE
from lastro.grid.cells import Cell, Kind, Undefined, Value
from lastro.grid.cover import Tone
from lastro.grid.pivot import list_dicts, list_rows
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import SCREEN_ONLY, Mark, Row, Section, Style
from lastro.grid.tables import Alert, Column, describe_column
from lastro.grid.words import format_date
from lastro.money import format_brl, round_half_up
from lastro.reports.cover.lines import OPEN
from lastro.reports.printing import Tables
from lastro.reports.r14_changes import NO_HISTORY
from lastro.reports.shared.earlier import find_before, find_told, is_comparable
from lastro.reports.shared.kpis import BLOCKS, OVERDUE_PCT, Kpi, list_kpis

if TYPE_CHECKING:
    from lastro.reports.view import Judged

PRINTED: Final = ("Caixa", "Resultado")
"""The blocks that paper has: the first ones."""
UNITS: Final = {
    Kind.MONEY: "R$", Kind.PERCENT: "%", Kind.NUMBER: "dias", Kind.INTEGER: "quantidade", Kind.DATE: "data",
}  # fmt: skip
"""How `unidade` says what a value is counted in."""
TREND_POINTS: Final = 4
"""Fewer reports make no trend."""
TREND_SHARE: Final = Decimal("0.05")
TREND_POINTS_OF_PERCENT: Final = Decimal(2)
"""How far from the median of the earlier ones the last value must be: a share of it, of percents points."""
DATES_IN_SIGHT: Final = 4
"""Newest reports whose columns stand open."""


def list_trend(view: Judged) -> Mapping[str, list[Any]]:
    """List the KPIs of the last reports, this one last: what tiles and lines of the cover are drawn from.

    Those of earlier reports stand as they were stored; they are never computed again.
    """
    kept = [
        (report.data_base, kpi.slug, value)
        for report in view.facts.anteriores
        for kpi in sorted(list_kpis(view), key=lambda kpi: kpi.slug)
        if is_comparable(report, kpi) and (value := find_told(report, kpi, view.series)) is not None
    ]
    day = view.position.data_base
    kept += [(day, kpi.slug, kpi.number) for kpi in list_kpis(view) if kpi.number is not None]
    order = {day: place for place, day in enumerate(sorted({day for day, _, _ in kept}), 1)}
    return {
        "kpi": [slug for _, slug, _ in kept],
        "ordem": [order[day] for day, *_ in kept],
        "data_base": [day for day, *_ in kept],
        "valor": [round_as_stored(value) for *_, value in kept],
    }


def _read_histories(trend: Iterable[tuple[Any, ...]]) -> Mapping[str, Mapping[date, Decimal]]:
    """Read of the trend what each KPI was, by day."""
    histories: dict[str, dict[date, Decimal]] = {}
    for slug, day, value in trend:
        histories.setdefault(slug, {})[day] = value
    return histories


def list_indicators(view: Judged) -> Columns:
    """List the KPIs by block, every figure with two places."""
    kpis, trend = {kpi.slug: kpi for kpi in list_kpis(view)}, view.once(list_trend)
    histories = _read_histories(zip(trend["kpi"], trend["data_base"], trend["valor"], strict=True))
    blocks = [(block, kpi) for block, specs in BLOCKS.items() for spec in specs if (kpi := kpis.get(spec.slug))]
    own = [kpi for _, kpi in blocks]
    compared = [find_before(view, kpi) for kpi in own]
    told = [[value for _, value in sorted(histories.get(kpi.slug, {}).items())] for kpi in own]
    return {
        "bloco": [block for block, _ in blocks],
        "kpi": [kpi.slug for kpi in own],
        "indicador": [kpi.indicador for kpi in own],
        "unidade": [kpi.spec.unidade or UNITS[kpi.spec.kind] for kpi in own],
        "valor": [round_as_stored(kpi.number) for kpi in own],
        "ausente": [kpi.why for kpi in own],
        "dia": [kpi.valor if isinstance(kpi.valor, date) else None for kpi in own],
        "relatorio_anterior": [round_as_stored(before) for before, _ in compared],
        "variacao": [round_as_stored(change) for _, change in compared],
        "situacao": [kpi.situacao for kpi in own],
        "so_variacao": [kpi.so_variacao for kpi in own],
        "tendencia": [find_trend(kpi.spec.kind, values) or None for kpi, values in zip(own, told, strict=True)],
        "como_se_calcula": [kpi.spec.como for kpi in own],
    }


def list_summary(view: Judged) -> Columns:
    """Take the KPIs without what the sheet Indicadores has besides."""
    told = view.once(list_indicators)
    return {key: told[key] for key in told if key not in ("bloco", "tendencia", "como_se_calcula")}


def print_indicators(view: Judged, tables: Tables) -> Section:
    """Print the indicators by block, every row with the key `kpi_<slug>`, the dates of the trend side by side."""
    kpis = {kpi.slug: kpi for kpi in list_kpis(view)}
    histories = _read_histories(list_rows(tables[TREND.name], ("kpi", "data_base", "valor")))
    days = sorted({day for by_day in histories.values() for day in by_day})
    printed: list[Row] = []
    for block, own in groupby(list_dicts(tables[INDICATORS.name]), itemgetter("bloco")):
        shown = [
            _print(kpi, cells, [histories.get(kpi.slug, {}).get(day) for day in days])
            for cells in own
            for kpi in [kpis[str(cells["kpi"])]]
            if kpi.spec.kind is not Kind.DATE or kpi.valor is not None  # a day that does not come is in SQL
        ]
        if shown:
            begins = SCREEN_ONLY if block not in PRINTED and all(row.key != SCREEN_ONLY for row in printed) else None
            printed += [Row((block, *([None] * (len(days) + 7))), Style.SECTION, key=begins), *shown]
    said = ANEW if view.facts.anterior is not None else f"{NO_HISTORY.lower()}."
    return Section(
        INDICATORS.name,
        _list_columns(view, days),
        tuple(printed),
        notes=(f"Relatório anterior: {said}", *_list_notes(view)),
    )


ANEW: Final = "os saldos são refeitos pelos livros de hoje; o que se imprimiu então pode ser outro."


def round_as_stored(value: Decimal | None) -> Decimal | None:
    """Round as `ops.kpis` keeps figures."""
    return None if value is None else round_half_up(value)


def find_trend(kind: Kind, values: Sequence[Decimal]) -> str:
    """Say where a KPI goes: its last value against the median of the earlier ones, "" where too few are known.

    >>> find_trend(Kind.MONEY, [Decimal(100), Decimal(90), Decimal(110), Decimal(106)])
    '▲'
    >>> find_trend(Kind.MONEY, [Decimal(100), Decimal(90), Decimal(110), Decimal(105)])
    '='
    >>> find_trend(Kind.PERCENT, [Decimal(10), Decimal(10), Decimal(10), Decimal("7.9")])
    '▼'
    >>> find_trend(Kind.MONEY, [Decimal(1), Decimal(2), Decimal(3)])
    ''
    """
    if len(values) < TREND_POINTS:
        return ""
    *earlier, last = values
    usual = median(earlier)
    least = TREND_POINTS_OF_PERCENT if kind is Kind.PERCENT else TREND_SHARE * abs(usual)
    if abs(last - usual) <= least:
        return "="
    return "▲" if last > usual else "▼"


def _list_columns(view: Judged, days: Sequence[date]) -> tuple[Column, ...]:
    report = view.facts.anterior
    before = "Relatório anterior" if report is None else f"Relatório anterior ({format_date(report.data_base)})"
    amount = partial(describe_column, kind=Kind.MONEY)
    return (
        describe_column("indicador", width=48),
        describe_column("valor"),
        amount("relatorio_anterior", header=before, width=20),
        amount("variacao", alert=Alert.VARIACAO),
        describe_column("situacao", alert=Alert.SITUACAO, width=12),
        *(
            amount(f"em_{each:%Y_%m_%d}", header=f"{each:%d/%m/%y}", dense=True, level=int(place < folded))
            for folded in [len(days) - DATES_IN_SIGHT]
            for place, each in enumerate(days)
        ),
        describe_column("tendencia", width=11),
        describe_column("como_se_calcula", width=50),
        replace(OPEN, width=16),
    )


def _print(kpi: Kpi, cells: Mapping[str, Any], history: Sequence[Decimal | None]) -> Row:
    """Print a row of the table, its figures in the kind of the KPI."""
    value = Undefined(str(cells["ausente"])) if kpi.valor is None else _of_kind(cells["valor"], kpi.spec.kind)
    undated, way, change = kpi.spec.kind is not Kind.DATE, cells["tendencia"], cells["variacao"]
    moved = {"▲": Decimal(1), "▼": Decimal(-1)}.get(way)
    return Row(
        (
            kpi.indicador,
            Cell(value if undated or kpi.valor is None else kpi.valor, kpi.spec.kind),
            Cell(_of_kind(cells["relatorio_anterior"], kpi.spec.kind), kpi.spec.kind) if undated else None,
            Cell(_of_kind(change, kpi.spec.kind), kpi.spec.kind, tone=_tone_of(kpi, change)) if undated else None,
            kpi.situacao,
            *(Cell(_of_kind(each, kpi.spec.kind), kpi.spec.kind) if each is not None else None for each in history),
            Cell(way, Kind.TEXT, tone=_tone_of(kpi, moved)) if way else None,
            cells["como_se_calcula"],
            kpi.link,
        ),
        key=f"kpi_{kpi.slug}",
        marks=frozenset({Mark.PROVISIONAL}) if kpi.so_variacao else frozenset(),
    )


def _tone_of(kpi: Kpi, change: Value) -> Tone:
    """Say whether a change is good or bad news."""
    if not isinstance(change, Decimal) or not change:
        return ""
    if not kpi.spec.sentido:
        return "neutro"
    return "bom" if (change > 0) is (kpi.spec.sentido > 0) else "ruim"


def _of_kind(value: Decimal | None, kind: Kind) -> Value:
    """Give a figure the form of its kind: SQL keeps every one with two places."""
    if value is None or kind is Kind.DATE:
        return None
    if kind is Kind.INTEGER:
        return int(value)
    return round_half_up(value, 1 if kind is Kind.NUMBER else 2)


def _list_notes(view: Judged) -> tuple[str, ...]:
    warn, critical = OVERDUE_PCT
    notes = [
        (
            "Saldos: Crítico abaixo de zero (além do limite), Atenção no limite ou abaixo do mínimo; dos menores, só o "
            "da manchete. Vencidos sem "
            f"carência: Atenção desde {warn} % do que está em aberto, Crítico desde {critical} %."
        ),
        f"Tendência (desde {TREND_POINTS} relatórios): o último contra a mediana dos outros, além de 5 % ou 2 p.p.",
    ]
    notes += _say_guards(view)
    if any(kpi.so_variacao for kpi in list_kpis(view)):
        notes.append(f"Em itálico: há conta sem saldo inicial ({PROVISIONAL_NOTE}).")
    return tuple(notes)


def _say_guards(view: Judged) -> list[str]:
    """Say why a variation is blank, and where the books say another balance of that day than its report did."""
    report = view.facts.anterior
    if report is None:
        return []
    notes = []
    if report.mudados:
        changed = ", ".join(report.mudados)
        notes.append(f"Variação em branco: parâmetros mudaram desde o relatório anterior ({changed}).")
    elif not report.mesmas_aberturas:
        notes.append("Variação em branco no que segue dos saldos: mudou o saldo de que partem.")
    told = report.kpis.get("saldo_atual")
    now = next((find_told(report, kpi, view.series) for kpi in list_kpis(view) if kpi.slug == "saldo_atual"), None)
    if told is not None and now is not None and round_as_stored(told) != now:
        notes.append(
            f"Saldo de {format_date(report.data_base)} pelos livros de hoje: {format_brl(now)}. O relatório daquele "
            f"dia disse {format_brl(told)}."
        )
    return notes


INDICATORS: Final = Print(
    "indicadores",
    "R00: um indicador, com bloco, tendência e como se calcula",
    list_indicators,
    keys=("kpi",),
    about={
        "dia": "o dia, onde o indicador é uma data; nulo nos demais",
        "valor": "valor do indicador, na unidade da coluna unidade; nulo onde é uma data",
        "variacao": "valor menos relatorio_anterior, na unidade da coluna unidade",
        "situacao": "OK, Atenção ou Crítico; nula onde não se julga",
    },
    kinds={"valor": Kind.PERCENT, "variacao": Kind.PERCENT},
)
SUMMARY: Final = replace(
    INDICATORS, name="resumo", comment="R00: um indicador da capa; unidade diz em que está o valor", make=list_summary
)
TREND: Final = Print(
    "kpis_tendencia",
    "R00: um indicador por relatório, dos últimos 12; ordem 1 é o mais antigo, a maior é este",
    list_trend,
    keys=("kpi", "data_base"),
    about={
        "ordem": "1 = o relatório mais antigo dos guardados; o maior = este",
        "data_base": "o dia a que aquele relatório se refere",
        "valor": "valor do indicador, na unidade que resumo.unidade diz",
    },
    kinds={"valor": Kind.PERCENT},
)
