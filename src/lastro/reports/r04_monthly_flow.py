"""R04 Fluxo de caixa mensal por categoria: which categories bring and take cash?

Other assumptions give a memo row each, the closing balances of the months to come; the statement itself never changes
by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    Flow,
    estimate_missing_recurrences,
    find_overdue_left_out,
    provisional_notes,
)
from lastro.analysis.expectation import sum_expected
from lastro.analysis.income_statement import find_sense
from lastro.analysis.months import sum_by_month
from lastro.analysis.percent_change import NOTE, CompareRule, list_changes
from lastro.analysis.periods import sum_by_period
from lastro.analysis.tree import Branch, Vector, build_nodes, list_branches
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.pivot import add_up, list_rows, pivot
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Style
from lastro.grid.storage import store_money
from lastro.grid.tables import Column, Period, Sum, describe_column
from lastro.grid.words import column_name, month_label
from lastro.grid.workbook import Family
from lastro.money import divide_half_up, ratio_pct, to_decimal
from lastro.reports.prints import Tables
from lastro.reports.shared.drill_down import link_to_lancamentos
from lastro.reports.shared.flow_parts import MEMO_PAGAR, MEMO_RECEBER, RECURRENCES
from lastro.reports.spec import ReportSpec
from lastro.reports.tree_print import Across, Tree, name_branches
from lastro.transform.position import CLASS_KEYS, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS

if TYPE_CHECKING:
    from lastro.reports.view import View

MEMO_BEFORE_CONTROL: Final = "Movimentos anteriores ao controle"
MEMO_RECURRENCES_OF_MONTH: Final = "Recorrências ainda não geradas (Q12)"
MEMO_EXPECTED: Final = "Esperado ainda não lançado"
AHEAD: Final = frozenset({"a_realizar", "previsto"})
"""Moments of what is still to come."""
LINES: Final[tuple[tuple[str, str, Callable[[Flow], int]], ...]] = (
    ("saldo_inicial", "Saldo inicial", lambda flow: flow.inicial or 0),
    ("saldos_implantados", "Saldos implantados", lambda flow: flow.line(IMPLANTADOS)),
    ("entradas", ENTRADAS, lambda flow: flow.line(LINE_ENTRADAS)),
    ("saidas", SAIDAS, lambda flow: flow.line(LINE_SAIDAS)),
    ("fluxo_operacional", "= Fluxo operacional", lambda flow: flow.operacional),
    ("nao_operacional", NAO_OPERACIONAL, lambda flow: flow.line(LINE_NAO_OPERACIONAL)),
    ("geracao_de_caixa", "= Geração de caixa", lambda flow: flow.geracao),
    ("transferencias", "Transferências entre contas", lambda flow: flow.transferencias),
    ("saldo_final", "Saldo final", lambda flow: flow.final or 0),
)
"""Code, printed text and amount of every line above the categories, in printed order."""
CLASSES: Final[Mapping[str, str]] = {
    **{code: classe for classe, code in CLASS_KEYS.items()}, "transferencias": TRANSFERENCIAS
}  # fmt: skip
"""Line -> the class whose entries it adds."""
BALANCES: Final = frozenset({"saldo_inicial", "saldos_implantados", "saldo_final"})
"""Lines without mean and ratios."""
SUMS: Final[Mapping[str, Sum]] = {"saldo_inicial": Sum.OPENING, "saldo_final": Sum.CLOSING}
"""Lines whose total over periods is not their sum."""
STYLES: Final[Mapping[str, Style]] = {
    "entradas": Style.SECTION, "saidas": Style.SECTION, "fluxo_operacional": Style.SUBTOTAL,
    "nao_operacional": Style.SECTION, "geracao_de_caixa": Style.SUBTOTAL, "saldo_final": Style.TOTAL,
}  # fmt: skip
NODE: Final[Mapping[str, str]] = {
    "linha": "codigo", "nivel": "nivel", "categoria_id": "categoria_id", "categoria": "caminho"
}  # fmt: skip
"""Column that tells rows apart -> attribute of `Branch`."""
SHOWN_TOTALS: Final = ("total", "media_mensal", "av_pct", "variacao", "var_pct")


def lay_flow(view: View) -> tuple[Branch, ...]:
    """Lay out every line, then the nodes of its tree, siblings by name; centavos per period of `View.months`.

    A mixed category may stand under two of Entradas, Saídas and Não operacional.
    """
    position, periods = view.position, view.months
    flows = [view.series.flow(period) for period in periods]
    sums = sum_by_period(view.movements, periods, ("classe", "categoria_id"), position.data_base)
    of_class: dict[object, dict[int | None, Vector]] = {}
    for (classe, key), vector in sums.items():
        of_class.setdefault(classe, {})[None if key is None else int(key)] = vector  # type: ignore[call-overload]
    branches = []
    for code, text, pick in LINES:
        parts = of_class.get(CLASSES.get(code), {})
        nodes = build_nodes(position.categorias, parts) if parts and code != "transferencias" else ()
        roots = [key for node in nodes if node.nivel == 0 for key in node.categorias]
        ids = roots if code != "transferencias" else [None, *sorted(key for key in parts if key is not None)]
        vector = np.array([pick(flow) for flow in flows], dtype=np.int64)
        branches.append(Branch(code, text, vector, STYLES.get(code, Style.NORMAL), tuple(ids)))
        branches += list_branches(code, nodes)
    return tuple(branches)


def list_flows(view: View) -> Columns:
    """List the branches by month and moment, D's month by its two, with the share of that month's Entradas."""
    branches = view.once(lay_flow)
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
    branches, closed = view.once(lay_flow), _count_closed(view)
    current = closed + 2  # D's month in full stands behind its two moments
    lines = {branch.codigo: branch.valores for branch in branches if branch.node is None}
    whole = [_add_periods(branch, current) for branch in branches]
    entradas = int(lines["entradas"].sum() - lines["entradas"][current])
    rule = CompareRule(int(lines["entradas"][closed - 1]))
    flows = [(branch, total) for branch, total in zip(branches, whole, strict=True)]
    return {
        **name_branches(branches, 1, NODE),
        "total": store_money(np.array(whole, dtype=np.int64)),
        "media_mensal": [
            None if one.codigo in BALANCES else to_decimal(divide_half_up(int(one.valores[:closed].sum()), closed))
            for one in branches
        ],
        "av_pct": [None if one.codigo in BALANCES else ratio_pct(total, entradas) for one, total in flows],
        **list_changes(
            None
            if one.codigo in BALANCES
            else rule.compare(int(one.valores[current]), int(one.valores[closed - 1]), find_sense(one.codigo))
            for one in branches
        ),
    }


def _count_closed(view: View) -> int:
    """Count the closed months, which are the first periods."""
    return next(place for place, period in enumerate(view.months) if period.momento == "a_realizar") - 1


def _add_periods(branch: Branch, current: int) -> int:
    """Make one figure of all periods, without counting D's month twice."""
    rule = SUMS.get(branch.codigo)
    if rule is not None:
        return int(branch.valores[0 if rule is Sum.OPENING else -1])
    return int(branch.valores.sum() - branch.valores[current])


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
        (MEMO_RECEBER, None, to_decimal(receive), "vencidos_a_receber", None),
        (MEMO_PAGAR, None, to_decimal(pay), "vencidos_a_pagar", None),
    ]
    for text, code, months, amounts in (
        (MEMO_BEFORE_CONTROL, "anteriores_ao_controle", done, before),
        (MEMO_RECURRENCES_OF_MONTH, RECURRENCES, ahead, missing),
        (MEMO_EXPECTED, "esperado_nao_lancado", reached, expected),
    ):
        rows += [(text, one.month, to_decimal(amounts.get(one.month, 0)), code, one.momento) for one in months]
    return list_columns(("memo", "mes", "valor", "codigo", "momento"), rows)


def list_scenarios(view: View) -> Columns | None:
    """List the closing balances of every period that predicts under each assumption, beside the contractual ones."""
    finals = next(one.valores.tolist() for one in view.once(lay_flow) if one.codigo == "saldo_final")
    rows: list[tuple[Value, ...]] = []
    for outlook in view.projections:
        code = column_name(outlook.nome)
        for period, final in zip(view.months, finals, strict=True):
            if period.momento in AHEAD:
                change = outlook.difference_until(period.last)
                amounts = map(to_decimal, (final, change, final + change))
                rows.append((period.month, period.momento, outlook.nome, *amounts, code))
    keys = ("mes", "momento", "cenario", "saldo_contratual", "diferenca", "saldo_final", "codigo")
    return list_columns(keys, rows) if rows else None


def _show_months(view: View) -> Iterator[Across]:
    """Show every period: D's month in full, its moments, of which that is made, folded at outline level 1."""
    place = -1
    for period in view.months:
        whole = period.momento == "total"
        place += not whole
        level = 1 if not whole and any(period.month == one.month and one is not period for one in view.months) else 0
        yield Across({"valor": _column(period, level)}, (place - 1, place) if whole else (place,))


def _column(period: Period, level: int) -> Column:
    return Column(period.label, Kind.MONEY, dense=True, level=level, key=period.key, period=period)


def _lead(view: View, branch: Branch) -> Link | None:
    """Lead to the first block of Lançamentos at or below a branch."""
    return link_to_lancamentos(view.blocks, CLASSES.get(branch.codigo, ""), branch.categorias)


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
            yield Row((f"Saldo: {name}", *cells, None, *blank), Style.MEMO)


def _say_notes(view: View) -> Iterator[str]:
    """Say how means and changes are made, and which balances are provisional."""
    closed = _count_closed(view)
    yield f"Média mensal: soma dos {closed} meses fechados mostrados / {closed}."
    current = month_label(view.position.data_base)
    yield f"AV %: total da linha / total de Entradas. Variação: total de {current} - mês anterior."
    yield NOTE
    yield from provisional_notes(view.series)


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
    lambda view: view.once(lay_flow),
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
    notes=_say_notes,
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
