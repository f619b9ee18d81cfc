"""INDICADORES: every KPI in blocks, beside the report before and the last twelve, with how it is computed.

`mart.indicadores` has the rows, the sheet prints them with the dates of `mart.kpis_tendencia` side by side. Belongs
here: blocks, words, the trend. Does not belong here: what a KPI comes to (`lastro.reports.shared.kpis`).
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
from lastro.grid.tables import Column, describe_column
from lastro.grid.words import format_date
from lastro.money import format_brl, round_half_up
from lastro.reports.cover.figures import list_kpis
from lastro.reports.cover.lines import OPEN
from lastro.reports.printing import Tables
from lastro.reports.shared.condensed_changes import NO_HISTORY
from lastro.reports.shared.earlier import find_before, find_told, is_comparable
from lastro.reports.shared.kpis import OVERDUE_PCT, Kpi
from lastro.reports.shared.resilience import BLOCK, METHODS

if TYPE_CHECKING:
    from lastro.reports.view import View

_LOW = "menor fim de dia do horizonte"
_FIRST_NEGATIVE = "primeiro fim de dia do horizonte abaixo de zero (do limite)"
_FIRST_BELOW = "primeiro fim de dia abaixo de saldo_minimo (com limite)"
_DUE = "em aberto, não vencido, da data-base até o prazo"
_LATE = "em aberto vencido antes da data-base, sem a carência"
_GRACE = "venceu em dia não útil; hoje se paga sem encargos"
_GROSS = "vencido e em carência juntos (bruto)"
_TO_DATE = "por competência, do dia 1 à data-base"
_SAME_DAYS = "a mesma soma, nos mesmos dias do período comparado"
_UNCHARGED = "títulos a receber sem cobrança viva"
BLOCKS: Final[Mapping[str, Mapping[str, str]]] = {
    "Caixa": {
        "saldo_ontem": "fim de dia da véspera da data-base, todas as contas",
        "saldo_atual": "abertura + tudo o que foi pago até a data-base",
        "saldo_estimado_banco": "saldo atual - baixado e ainda não transferido",
        "folga_com_limite": "saldo atual das contas, sem cartões + limites do banco",
        "menor_saldo_combinado": f"{_LOW}; com decisões e promessas",
        "menor_saldo_contratual": f"{_LOW}; sem os vencidos",
        "menor_saldo_habitos": f"{_LOW}; recebendo como de costume",
        "menor_saldo_conservador": f"{_LOW}; pagando já o vencido",
        "data_menor_saldo": "dia do menor na linha da manchete",
        "primeiro_negativo_combinado": _FIRST_NEGATIVE,
        "primeiro_negativo_contratual": _FIRST_NEGATIVE,
        "primeiro_negativo_habitos": _FIRST_NEGATIVE,
        "primeiro_negativo_conservador": _FIRST_NEGATIVE,
        "primeiro_abaixo_minimo_combinado": _FIRST_BELOW,
        "primeiro_abaixo_minimo_contratual": _FIRST_BELOW,
        "primeiro_abaixo_minimo_habitos": _FIRST_BELOW,
        "primeiro_abaixo_minimo_conservador": _FIRST_BELOW,
        "fluxo_operacional_mes": "entradas + saídas pagas do dia 1 à data-base",
        "atrasado_a_pagar": "vencido, sem decisão nem prova de que se pagou",
        "atrasado_a_receber": "vencido, além do hábito e sem promessa",
        "em_transito_no_saldo": "pago e baixado, ainda não transferido pelo banco",
        "em_transito_fora": "pago, em aberto aqui, ainda não transferido",
    },
    "Resultado": {
        "receita_ate_dia": f"{_TO_DATE}; só receitas",
        "receita_ate_dia_mes_anterior": _SAME_DAYS,
        "receita_ate_dia_ano_anterior": _SAME_DAYS,
        "resultado_ate_dia": f"{_TO_DATE}; sem os fora",
        "resultado_ate_dia_mes_anterior": _SAME_DAYS,
        "resultado_ate_dia_ano_anterior": _SAME_DAYS,
        "margem_contribuicao": "linha 5 da DRE, do dia 1 à data-base",
        "ebitda": "linha 9 da DRE, do dia 1 à data-base",
    },
    "Receber": {
        "a_receber_hoje": _DUE,
        "a_receber_7": _DUE,
        "a_receber_30": _DUE,
        "vencido_efetivo_a_receber": _LATE,
        "em_carencia_a_receber": _GRACE,
        "vencido_a_receber": _GROSS,
        "pct_carteira_vencida": "vencido / em aberto",
        "inadimplencia_90": "em aberto há mais dias que isso / venceu na janela",
        "sem_cobranca_vencidos_qtde": f"{_UNCHARGED}, vencidos",
        "sem_cobranca_vencidos_valor": f"{_UNCHARGED}, vencidos",
        "sem_cobranca_7_dias_qtde": f"{_UNCHARGED}, a vencer",
        "sem_cobranca_7_dias_valor": f"{_UNCHARGED}, a vencer",
        "cobrancas_pagas_em_aberto_qtde": "cobranças pagas cujo lançamento segue em aberto",
        "cobrancas_pagas_em_aberto_valor": "títulos em aberto com cobrança paga",
        "taxas_nao_lancadas": "taxas e encargos das cobranças pagas - o lançado",
    },
    "Pagar": {
        "a_pagar_hoje": _DUE,
        "a_pagar_7": _DUE,
        "a_pagar_30": _DUE,
        "vencido_efetivo_a_pagar": _LATE,
        "em_carencia_a_pagar": _GRACE,
        "vencido_a_pagar": _GROSS,
    },
    "Prazos": {
        "pmr": "recebíveis em aberto / receita da janela x dias dela",
        "pmp_fornecedores": "fornecedores em aberto / despesa da janela x dias dela",
        "ciclo": "PMR - PMP (sem dados de estoque)",
        "dias_de_caixa": "saldo atual / saídas realizadas em 90 dias x 90",
    },
    BLOCK: METHODS,
    "Confiança": {
        "mapa_estado": "categorias em uso com linha em dre_mapa",
        "verificacoes_com_falha": "verificações e achados graves desta execução",
    },
}
"""Block -> its KPIs and how each is computed, in order (R00, R22); a block without any is none."""
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


def list_trend(view: View) -> Mapping[str, list[Any]]:
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


def list_indicators(view: View) -> Columns:
    """List the KPIs by block, every figure with two places."""
    kpis, trend = {kpi.slug: kpi for kpi in list_kpis(view)}, view.once(list_trend)
    histories = _read_histories(zip(trend["kpi"], trend["data_base"], trend["valor"], strict=True))
    methods = [(block, slug, how) for block, own in BLOCKS.items() for slug, how in own.items() if slug in kpis]
    own = [kpis[slug] for _, slug, _ in methods]
    compared = [find_before(view, kpi) for kpi in own]
    told = [[value for _, value in sorted(histories.get(kpi.slug, {}).items())] for kpi in own]
    return {
        "bloco": [block for block, _, _ in methods],
        "kpi": [kpi.slug for kpi in own],
        "indicador": [kpi.indicador for kpi in own],
        "unidade": [kpi.unidade or UNITS[kpi.kind] for kpi in own],
        "valor": [round_as_stored(kpi.number) for kpi in own],
        "ausente": [kpi.why for kpi in own],
        "dia": [kpi.valor if isinstance(kpi.valor, date) else None for kpi in own],
        "relatorio_anterior": [round_as_stored(before) for before, _ in compared],
        "variacao": [round_as_stored(change) for _, change in compared],
        "situacao": [kpi.situacao for kpi in own],
        "so_variacao": [kpi.so_variacao for kpi in own],
        "tendencia": [find_trend(kpi.kind, values) or None for kpi, values in zip(own, told, strict=True)],
        "como_se_calcula": [how for _, _, how in methods],
    }


def list_summary(view: View) -> Columns:
    """Take the KPIs without what the sheet Indicadores has besides."""
    told = view.once(list_indicators)
    return {key: told[key] for key in told if key not in ("bloco", "tendencia", "como_se_calcula")}


def print_indicators(view: View, tables: Tables) -> Section:
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
            if kpi.kind is not Kind.DATE or kpi.valor is not None  # a day that does not come is in SQL
        ]
        if shown:
            begins = SCREEN_ONLY if block not in PRINTED and all(row.key != SCREEN_ONLY for row in printed) else None
            printed += [Row((block, *([None] * (len(days) + 7))), Style.SECTION, key=begins), *shown]
    no_before = () if view.facts.anterior is not None else (f"Relatório anterior: {NO_HISTORY.lower()}.",)
    return Section(INDICATORS.name, _list_columns(view, days), tuple(printed), notes=(*no_before, *_list_notes(view)))


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


def _list_columns(view: View, days: Sequence[date]) -> tuple[Column, ...]:
    report = view.facts.anterior
    before = "Relatório anterior" if report is None else f"Relatório anterior ({format_date(report.data_base)})"
    amount = partial(describe_column, kind=Kind.MONEY)
    return (
        describe_column("indicador", width=48),
        describe_column("valor"),
        amount("relatorio_anterior", header=before, width=20),
        amount("variacao", alert="variacao"),
        describe_column("situacao", alert="situacao", width=12),
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
    value = Undefined(str(cells["ausente"])) if kpi.valor is None else _of_kind(cells["valor"], kpi.kind)
    undated, way, change = kpi.kind is not Kind.DATE, cells["tendencia"], cells["variacao"]
    moved = {"▲": Decimal(1), "▼": Decimal(-1)}.get(way)
    return Row(
        (
            kpi.indicador,
            Cell(value if undated or kpi.valor is None else kpi.valor, kpi.kind),
            Cell(_of_kind(cells["relatorio_anterior"], kpi.kind), kpi.kind) if undated else None,
            Cell(_of_kind(change, kpi.kind), kpi.kind, tone=_tone_of(kpi, change)) if undated else None,
            kpi.situacao,
            *(Cell(_of_kind(each, kpi.kind), kpi.kind) if each is not None else None for each in history),
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
    if not kpi.sentido:
        return "neutro"
    return "bom" if (change > 0) is (kpi.sentido > 0) else "ruim"


def _of_kind(value: Decimal | None, kind: Kind) -> Value:
    """Give a figure the form of its kind: SQL keeps every one with two places."""
    if value is None or kind is Kind.DATE:
        return None
    if kind is Kind.INTEGER:
        return int(value)
    return round_half_up(value, 1 if kind is Kind.NUMBER else 2)


def _list_notes(view: View) -> tuple[str, ...]:
    warn, critical = OVERDUE_PCT
    notes = [
        (
            "Saldos: Crítico abaixo de zero (do limite), Atenção no limite ou abaixo do mínimo; dos menores, só o da "
            "manchete. Vencidos sem "
            f"carência: Atenção desde {warn} % do que está em aberto, Crítico desde {critical} %."
        ),
        f"Tendência (desde {TREND_POINTS} relatórios): o último contra a mediana dos outros, além de 5 % ou 2 p.p.",
    ]
    notes += _say_guards(view)
    if any(kpi.so_variacao for kpi in list_kpis(view)):
        notes.append(f"Em itálico: há conta sem saldo inicial ({PROVISIONAL_NOTE}).")
    return tuple(notes)


def _say_guards(view: View) -> list[str]:
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
