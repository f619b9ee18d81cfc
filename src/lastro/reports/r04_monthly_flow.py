"""R04 Fluxo de caixa mensal por categoria: which categories bring and take cash?

Other assumptions give a memo row each, the closing balances of the months to come; the statement itself never changes
by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.cash_series import estimate_missing_recurrences, find_overdue_left_out, list_provisional_notes
from lastro.analysis.expectation import sum_expected
from lastro.analysis.income_statement import find_sense
from lastro.analysis.monthly_flow import BALANCES, CLASSES, SUMS, add_periods, lay_flow
from lastro.analysis.months import sum_by_month
from lastro.analysis.percent_change import NOTE, CompareRule, list_changes
from lastro.analysis.tree import Branch
from lastro.calendar import add_months
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.pivot import add_up, list_rows, pivot
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Column, Sum, describe_column
from lastro.grid.words import month_label
from lastro.grid.workbook import Family
from lastro.money import divide_half_up, ratio_pct
from lastro.reports.printing import Tables
from lastro.reports.shared.drill_down import find_blocks, link_to_lancamentos
from lastro.reports.shared.flow_parts import MEMO_PAGAR, MEMO_RECEBER, RECURRENCES, name_key
from lastro.reports.spec import ReportSpec
from lastro.reports.tree_print import Across, Tree, name_branches
from lastro.transform.scenarios import PROMESSAS

if TYPE_CHECKING:
    from lastro.reports.view import View

MEMO_BEFORE_CONTROL: Final = "Movimentos anteriores ao controle"
MEMO_RECURRENCES_OF_MONTH: Final = "Recorrências ainda não geradas (Q12)"
MEMO_EXPECTED: Final = "Esperado ainda não lançado"
CLOSED_SHOWN: Final = 4
"""Closed months in sight: with the months ahead and the totals, as many as stand side by side on a page."""
AHEAD: Final = frozenset({"a_realizar", "previsto"})
"""Moments of what is still to come."""
NODE: Final[Mapping[str, str]] = {
    "linha": "codigo", "nivel": "nivel", "categoria_id": "categoria_id", "categoria": "caminho"
}  # fmt: skip
"""Column that tells rows apart -> attribute of `Branch`."""
SHOWN_TOTALS: Final = ("total", "media_mensal", "av_pct", "variacao", "var_pct")


def _lay(view: View) -> tuple[Branch, ...]:
    return lay_flow(view.position, view.series, view.movements, view.months)


def list_flows(view: View) -> Columns:
    """List the branches by month and moment, D's month by its two, with the share of that month's Entradas."""
    branches = view.once(_lay)
    single = [place for place, period in enumerate(view.months) if period.momento != "total"]
    amounts = np.stack([branch.valores for branch in branches])[:, single]
    entradas = next(row for row, branch in zip(amounts, branches, strict=True) if branch.codigo == "entradas").tolist()
    return {
        "mes": [view.months[place].month for place in single] * len(branches),
        "momento": [view.months[place].momento for place in single] * len(branches),
        **name_branches(branches, len(single), NODE),
        "valor": store_money(amounts),
        "av_pct": [
            None if branch.codigo in BALANCES else ratio_pct(value, base)
            for branch, values in zip(branches, amounts.tolist(), strict=True)
            for value, base in zip(values, entradas, strict=True)
        ],
    }


def list_totals(view: View) -> Columns:
    """List what the months of each branch come to, and how D's month stands against the one before (R04).

    `total` adds all months shown, D's once, with the first opening and the last closing; `media_mensal` divides the sum
    of the closed months by their number; `av_pct` is a share of the total of Entradas.
    """
    branches, closed = view.once(_lay), _count_closed(view)
    current, before = closed + 2, closed - 1  # D's month in full stands behind its two moments
    whole = [add_periods(branch, current) for branch in branches]
    places = {branch.codigo: place for place, branch in enumerate(branches) if branch.node is None}
    entradas, rule = whole[places["entradas"]], CompareRule(int(branches[places["entradas"]].valores[before]))
    flows = [None if one.codigo in BALANCES else one for one in branches]
    means = [None if one is None else divide_half_up(int(one.valores[:closed].sum()), closed) for one in flows]
    return {
        **name_branches(branches, 1, NODE),
        "total": whole,
        "media_mensal": means,
        "av_pct": [None if one is None else ratio_pct(all_, entradas) for one, all_ in zip(flows, whole, strict=True)],
        **list_changes(
            None
            if one is None
            else rule.compare(int(one.valores[current]), int(one.valores[before]), find_sense(one.codigo))
            for one in flows
        ),
    }


def _count_closed(view: View) -> int:
    """Count the closed months, which are the first periods."""
    return next(place for place, period in enumerate(view.months) if period.momento == "a_realizar") - 1


def list_memo(view: View) -> Columns:
    """List the overdue amounts, payments before the control, and what is still to be generated or booked.

    The overdue are those that no projection holds, and have no month. Payments before the accounts' control stand in
    their payment month (S7), the estimates of series still to be generated in their due month, from D on (S10, Q12),
    and what is expected beyond what is booked in the months that the forecast reaches (S24).
    """
    position, periods = view.position, view.months
    receive, pay, _ = find_overdue_left_out(position)
    early = position.linhas[position.linhas["fora_controle"]]
    before = sum_by_month(early["data_pagamento"].dt.to_period("M").dt.start_time, early["valor_centavos"])
    missing, expected = estimate_missing_recurrences(position, periods[-1].last), sum_expected(view.forecast)
    done = [period for period in periods if period.momento == "realizado"]
    ahead = [period for period in periods if period.momento in AHEAD]
    reached = [period for period in ahead if period.month in expected]
    rows: list[tuple[Value, ...]] = [
        (MEMO_RECEBER, None, receive, "vencidos_a_receber", None),
        (MEMO_PAGAR, None, pay, "vencidos_a_pagar", None),
    ]
    for text, code, months, amounts in (
        (MEMO_BEFORE_CONTROL, "anteriores_ao_controle", done, before),
        (MEMO_RECURRENCES_OF_MONTH, RECURRENCES, ahead, missing),
        (MEMO_EXPECTED, "esperado_nao_lancado", reached, expected),
    ):
        rows += [(text, one.month, amounts.get(one.month, 0), code, one.momento) for one in months]
    return list_columns(("memo", "mes", "valor", "codigo", "momento"), rows)


def list_scenarios(view: View) -> Columns | None:
    """List the closing balances of every period that predicts under each assumption, beside the contractual ones."""
    finals = next(one.valores.tolist() for one in view.once(_lay) if one.codigo == "saldo_final")
    rows: list[tuple[Value, ...]] = []
    for outlook in view.projections:
        code = name_key(outlook.nome)
        for period, final in zip(view.months, finals, strict=True):
            if period.momento in AHEAD:
                change = outlook.difference_until(period.last)
                rows.append((period.month, period.momento, outlook.nome, final, change, final + change, code))
    keys = ("mes", "momento", "cenario", "saldo_contratual", "diferenca", "saldo_final", "codigo")
    return list_columns(keys, rows) if rows else None


def _show_months(view: View) -> Iterator[Across]:
    """Show every period: D's month in full, its moments, of which that is made, and older months folded at level 1."""
    whole = next(period for period in view.months if period.momento == "total")
    place = -1
    for period in view.months:
        place += period is not whole
        part = period.month == whole.month and period is not whole
        level = int(part or period.month < add_months(whole.month, -CLOSED_SHOWN))
        column = Column(period.label, Kind.MONEY, dense=True, level=level, key=period.key, period=period)
        yield Across({"valor": column}, (place - 1, place) if period is whole else (place,))


def _lead(view: View, branch: Branch) -> Link | None:
    """Lead to the first block of Lançamentos at or below a branch."""
    return link_to_lancamentos(view.books.once(find_blocks), CLASSES.get(branch.codigo, ""), branch.categorias)


def _list_below(view: View, tables: Tables) -> Iterator[Row]:
    """Spread the memo over the months, with its sum under Total; then the balances of each other assumption."""
    blank = (None,) * (len(SHOWN_TOTALS) - 1)
    memo = tables[MEMO.name]
    for (text, code), cells in pivot(memo, ("memo", "codigo"), view.months, "valor").items():
        total = add_up([value for value, own in list_rows(memo, ("valor", "codigo")) if own == code])
        yield Row((text, *cells, total, *blank), style=Style.MEMO)
    if SCENARIOS.name in tables:
        closings = pivot(tables[SCENARIOS.name], ("cenario",), view.months, "saldo_final", Sum.CLOSING)
        for (name,), cells in closings.items():
            if name != PROMESSAS:  # in the plan
                yield Row((f"Saldo: {name}", *cells, None, *blank), Style.MEMO)


def _say_notes(view: View) -> Iterator[str]:
    """Say how means and changes are made, and which balances are provisional."""
    closed = _count_closed(view)
    yield f"Média mensal: soma dos {closed} meses fechados mostrados / {closed}."
    current = month_label(view.position.data_base)
    yield f"AV %: total da linha / total de Entradas, se positivo. Variação: total de {current} - mês anterior."
    yield NOTE
    yield from list_provisional_notes(view.series)


FLOWS: Final = Print(
    "fluxo_mensal",
    "R04: uma linha do fluxo mensal por mês e momento (realizado, a_realizar, previsto); nível 0 é a linha, "
    "acima dele os nós da árvore de categorias, cada um já com as filhas (V07)",
    list_flows,
    keys=("mes", "momento", *NODE),
    about={
        "linha": "código da linha: saldo_inicial, saldos_implantados, entradas, saidas, fluxo_operacional, "
        "nao_operacional, geracao_de_caixa, transferencias, saldo_final",
        "valor": "positivo entra, negativo sai; saldos não se somam; um nó da árvore já contém as filhas",
    },
    shown=("categoria_id",),
    notes=(_say_notes,),
)
TOTALS: Final = Print(
    "fluxo_mensal_total",
    "R04: total, média, AV e variação de cada linha do fluxo mensal; var_nota diz por que não há var_pct (R04)",
    list_totals,
    keys=tuple(NODE),
    about={
        "linha": "código da linha, como em fluxo_mensal",
        "total": "soma dos meses mostrados; dos saldos, o primeiro inicial e o último final",
        "av_pct": "parte das Entradas de todos os meses mostrados; nula em saldos",
    },
    dense=True,
    hidden=("var_nota",),
    shown=("categoria_id",),
)
MEMO: Final = Print(
    "fluxo_mensal_memo",
    "R04: linhas de memória do fluxo mensal, fora dos saldos; as de vencidos não têm mês",
    list_memo,
    keys=("codigo", "mes"),
)
SCENARIOS: Final = Print(
    "fluxo_mensal_cenarios",
    "R04: saldo final de cada mês a partir da data-base em cada cenário, ao lado do contratual",
    list_scenarios,
)
TREE: Final = Tree(
    FLOWS,
    lambda view: view.once(_lay),
    _show_months,
    describe_column("categoria", width=28),
    key=lambda branch: branch.join("_"),
    totals=TOTALS,
    beside=lambda _: {key: TOTALS.describe(key) for key in SHOWN_TOTALS},
    why={"var_pct": "var_nota"},
    sums=SUMS,
    link=_lead,
    level=lambda branch, _: branch.nivel,
    below=_list_below,
)
SPEC: Final = ReportSpec(
    code="R04",
    name="fluxo_mensal",
    title="Fluxo de caixa mensal por categoria",
    question="O que traz e o que leva caixa?",
    family=Family.CASH,
    tables=(FLOWS, TOTALS, MEMO, SCENARIOS),
    sections=(TREE.show,),
)
