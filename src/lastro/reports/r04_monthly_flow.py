"""R04 Fluxo de caixa mensal por categoria: which categories bring and take cash?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
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
from lastro.analysis.percent_change import NOTE, CompareRule, Sense
from lastro.analysis.periods import sum_by_period
from lastro.analysis.tree import Node, Vector, build_nodes
from lastro.grid.cells import Kind, Link, Undefined, Value
from lastro.grid.pivot import add_up, list_rows, pivot
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.tables import Column, Period, Sum, Table
from lastro.grid.words import column_name
from lastro.grid.workbook import Family, Report
from lastro.money import divide_half_up, ratio_pct, to_decimal
from lastro.reports.shared.drill_down import link_to_lancamentos
from lastro.reports.shared.flow_parts import (
    MEMO_PAGAR,
    MEMO_RECEBER,
    RECURRENCES,
    SCENARIO_COLUMNS,
)
from lastro.reports.shared.levels import skip_levels
from lastro.reports.spec import ReportSpec
from lastro.transform.position import CLASS_KEYS, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.scenarios import Outlook

MEMO_BEFORE_CONTROL = "Movimentos anteriores ao controle"
MEMO_RECURRENCES_OF_MONTH = "Recorrências ainda não geradas (Q12)"
BEFORE_CONTROL: Final = "anteriores_ao_controle"
MEMO_EXPECTED = "Esperado ainda não lançado"
EXPECTED: Final = "esperado_nao_lancado"
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
TREES: Final[Mapping[str, str]] = {code: classe for classe, code in CLASS_KEYS.items()}
BALANCES: Final = frozenset({"saldo_inicial", "saldos_implantados", "saldo_final"})
"""Lines without mean and ratios."""
SUMS: Final[Mapping[str, Sum]] = {"saldo_inicial": Sum.OPENING, "saldo_final": Sum.CLOSING}
"""Lines whose total over periods is not their sum."""
NODE_COLUMNS: Final = (
    Column(
        "Linha",
        Kind.TEXT,
        "código da linha: saldo_inicial, saldos_implantados, entradas, saidas, fluxo_operacional, nao_operacional, "
        "geracao_de_caixa, transferencias, saldo_final",
    ),
    Column("Nível", Kind.INTEGER),
    Column("Categoria id", Kind.INTEGER),
    Column("Categoria", Kind.TEXT),
)
NODE_KEYS: Final = tuple(column.key for column in NODE_COLUMNS)
TOTAL_COLUMNS: Final = (
    Column(
        "Total", Kind.MONEY, "soma dos meses mostrados; dos saldos, o primeiro inicial e o último final", dense=True
    ),
    Column("Média mensal", Kind.MONEY, "soma dos meses fechados mostrados / número deles", dense=True),
    Column("AV %", Kind.PERCENT, "parte das Entradas de todos os meses mostrados; nula em saldos"),
    Column("Variação", Kind.MONEY, dense=True),
    Column("Var. %", Kind.PERCENT, key="var_pct"),
    Column("Var. nota", Kind.TEXT, shown=False),
)
PRINTED_TOTALS: Final = tuple(column for column in TOTAL_COLUMNS if column.shown)
SENSES: Final[Mapping[str, Sense]] = {
    "entradas": Sense.GAIN, "saidas": Sense.COST, "fluxo_operacional": Sense.GAIN, "geracao_de_caixa": Sense.GAIN,
}  # fmt: skip
"""Which sign a line has in good order (R04); the others may have either."""
NO_RATIOS: Final = (None,) * (len(PRINTED_TOTALS) - 1)
STYLES: Final[Mapping[str, Style]] = {
    "entradas": Style.SECTION,
    "saidas": Style.SECTION,
    "fluxo_operacional": Style.SUBTOTAL,
    "nao_operacional": Style.SECTION,
    "geracao_de_caixa": Style.SUBTOTAL,
    "saldo_final": Style.TOTAL,
}


def build_r04(view: View) -> Report:
    """Build the sheet Fluxo mensal: closed months, D's month in three columns, future months.

    Other assumptions give a memo row each, the closing balances of the months to come; the statement itself never
    changes by them.

    Returns:
        Grain category node x month under each of Entradas, Saídas and Não operacional; a mixed category may stand
        under two of them. "Total" adds the flows of all months shown, with the first opening and the last closing;
        "Média mensal" divides the closed months' sum by their number; "AV %" is the node's total over Entradas' total;
        "Variação" and "Var. %" compare D's month ("Total") with the month before (R04). Siblings stand by name.
    """
    series, projections, periods = view.series, view.projections, view.months
    flows = [series.flow(period) for period in periods]
    whole = series.flow(Period("Total", periods[0].first, periods[-1].last))
    layout = _Layout(periods, whole.line(LINE_ENTRADAS), flows)
    entries = tuple(_list_entries(view, layout, flows, whole))
    entradas = np.array([flow.line(LINE_ENTRADAS) for flow in flows], dtype=np.int64)
    table = Table(
        "fluxo_mensal",
        (
            Column("Mês", Kind.MONTH),
            Column("Momento", Kind.TEXT),
            *NODE_COLUMNS,
            Column(
                "Valor",
                Kind.MONEY,
                "positivo entra, negativo sai; saldos não se somam; um nó da árvore já contém as filhas",
            ),
            Column("AV %", Kind.PERCENT, "parte das Entradas do mesmo período; 100 = igual a elas; nula em saldos"),
        ),
        tuple(row for entry in entries for row in layout.long_rows(entry, entradas)),
        "R04: uma linha do fluxo mensal por mês e momento (realizado, a_realizar, previsto); nível 0 é a linha, "
        "acima dele os nós da árvore de categorias, cada um já com as filhas (V07)",
    )
    totals = Table(
        "fluxo_mensal_total",
        (replace(NODE_COLUMNS[0], about="código da linha, como em fluxo_mensal"), *NODE_COLUMNS[1:], *TOTAL_COLUMNS),
        tuple((*entry.node, *layout.totals(entry)) for entry in entries),
        "R04: total, média, AV e variação de cada linha do fluxo mensal; var_nota diz por que não há var_pct (R04)",
    )
    spread = pivot(table, NODE_KEYS, periods, "valor", lambda node: SUMS.get(str(node[0]), Sum.FLOW))
    figures = {
        cells[: len(NODE_KEYS)]: (
            *cells[len(NODE_KEYS) : -2],
            cells[-2] if cells[-1] is None else Undefined(str(cells[-1])),
        )
        for cells in list_rows(totals, [*NODE_KEYS, *(column.key for column in TOTAL_COLUMNS)])
    }
    levels, names = [entry.node[1] for entry in entries], [entry.label for entry in entries]
    printed = [(*spread[entry.node], *figures[entry.node]) for entry in entries]
    rows = [
        Row((entry.label, *printed[index]), entry.style, min(levels[index], MAX_LEVEL), entry.key, entries[leads].link)
        for index, _, leads in skip_levels(levels, names, printed)
        for entry in (entries[index],)
    ]
    memo = _build_memo(view, periods)
    rows.extend(_memo_rows(memo, periods))
    tables = [table, totals, memo]
    if projections:
        tables.append(_build_scenarios(projections, periods, flows))
        closings = pivot(tables[-1], ("cenario",), periods, "saldo_final", Sum.CLOSING)
        rows += [Row((f"Saldo: {name}", *cells, None, *NO_RATIOS), Style.MEMO) for (name,), cells in closings.items()]
    columns = (Column("Categoria", Kind.TEXT, width=28), *_period_columns(periods), *PRINTED_TOTALS)
    notes = (
        f"Média mensal: soma dos {layout.closed} meses fechados mostrados / {layout.closed}.",
        f"AV %: total da linha / total de Entradas. Variação: total de {layout.current_label} - mês anterior.",
        NOTE,
        *provisional_notes(series),
    )
    section = Section(
        "fluxo_mensal",
        columns,
        tuple(rows),
        notes=notes,
        outline=True,
    )
    return SPEC.report((section,), tuple(tables))


def _period_columns(periods: Sequence[Period]) -> tuple[Column, ...]:
    """Return the money column of every period: D's month in full, its details collapsed at outline level 1."""
    split = {period.month for period in periods if period.momento == "total"}
    return tuple(
        Column(
            period.label,
            Kind.MONEY,
            dense=True,
            level=1 if period.month in split and period.momento != "total" else 0,
            key=period.key,
            period=period,
        )
        for period in periods
    )


def _build_scenarios(projections: Sequence[Outlook], periods: Sequence[Period], flows: Sequence[Flow]) -> Table:
    """Build the closing balances of every period that predicts under each assumption."""
    rows: list[tuple[Value, ...]] = []
    for projection in projections:
        for period, flow in zip(periods, flows, strict=True):
            if period.momento in AHEAD:
                final, change = flow.final or 0, projection.difference_until(period.last)
                amounts = map(to_decimal, (final, change, final + change))
                code = column_name(projection.nome)
                rows.append((period.month, period.momento, projection.nome, *amounts, code))
    return Table(
        "fluxo_mensal_cenarios",
        (Column("Mês", Kind.MONTH), Column("Momento", Kind.TEXT), *SCENARIO_COLUMNS),
        rows,
        "R04: saldo final de cada mês a partir da data-base em cada cenário, ao lado do contratual",
    )


@dataclass(frozen=True)
class _Entry:
    """A printed row before it is one: a line of the statement or a node of its category tree.

    Attributes:
        node: line, level, category id and text: what identifies it in the tables, columns `NODE_COLUMNS`.
        label: what the sheet prints.
        vector: centavos per period.
        total_centavos: all periods together.
        style: look of the row.
        key: unique in the sheet.
        link: block of Lançamentos.
    """

    node: tuple[str, int, int | None, str]
    label: str
    vector: Vector
    total_centavos: int
    style: Style
    key: str
    link: Link | None

    @property
    def is_balance(self) -> bool:
        return self.node[0] in BALANCES


def _list_entries(view: View, layout: _Layout, flows: Sequence[Flow], whole: Flow) -> Iterator[_Entry]:
    """Give every row of the statement in printed order: each line, then the nodes of its tree."""
    position, blocks = view.position, view.blocks
    sums = sum_by_period(view.movements, layout.periods, ("classe", "categoria_id"), position.data_base)
    for code, label, pick in LINES:
        classe = TREES.get(code) or (TRANSFERENCIAS if code == "transferencias" else None)
        nodes: tuple[Node, ...] = ()
        if code in TREES:
            nodes = build_nodes(
                position.categorias,
                {_as_id(key): amounts for (name, key), amounts in sums.items() if name == classe},
            )
        link = None
        if classe is not None:
            roots = tuple(item for node in nodes if node.nivel == 0 for item in node.categorias)
            link = link_to_lancamentos(blocks, classe, roots if code in TREES else (None, *_ids(sums, classe)))
        vector = np.array([pick(flow) for flow in flows], dtype=np.int64)
        style = STYLES.get(code, Style.NORMAL)
        yield _Entry((code, 0, None, label.removeprefix("= ")), label, vector, pick(whole), style, code, link)
        for node in nodes:
            suffix = "sem" if node.categoria_id is None else str(node.categoria_id)
            yield _Entry(
                node=(code, node.nivel + 1, node.categoria_id, node.caminho),
                label=node.label,
                vector=node.valores,
                total_centavos=layout.total(node.valores),
                style=Style.NORMAL,
                key=f"{code}_{suffix}{'_direto' if node.direto else ''}",
                link=link_to_lancamentos(blocks, TREES[code], node.categorias),
            )


class _Layout:
    """Which column shows what: periods, then `TOTAL_COLUMNS`."""

    def __init__(self, periods: Sequence[Period], entradas_centavos: int, flows: Sequence[Flow]) -> None:
        self.periods = periods
        self.entradas_centavos = entradas_centavos
        self.closed = next(place for place, period in enumerate(periods) if period.momento == "a_realizar") - 1
        self.current = self.closed + 2
        self.current_label = periods[self.current].label.split()[0]
        self.rule = CompareRule(flows[self.closed - 1].line(LINE_ENTRADAS))

    def total(self, vector: Vector) -> int:
        """Add the periods without counting D's month twice."""
        return int(vector.sum() - vector[self.current])

    def totals(self, entry: _Entry) -> tuple[Value, ...]:
        """Return the cells of `TOTAL_COLUMNS`; balances have no mean and no ratios."""
        total = to_decimal(entry.total_centavos)
        if entry.is_balance:
            return (total, None, None, None, None, None)
        closed = int(entry.vector[: self.closed].sum())
        here, before = int(entry.vector[self.current]), int(entry.vector[self.closed - 1])
        compared = self.rule.compare(here, before, SENSES.get(entry.node[0], Sense.EITHER))
        return (
            total,
            to_decimal(divide_half_up(closed, self.closed)),
            ratio_pct(entry.total_centavos, self.entradas_centavos),
            compared.variacao,
            compared.pct,
            compared.nota,
        )

    def long_rows(self, entry: _Entry, entradas: Vector) -> Iterator[tuple[Value, ...]]:
        """Give a row of the table per single moment of a month, with its share of that month's Entradas."""
        for period, value, base in zip(self.periods, entry.vector, entradas, strict=True):
            if period.momento != "total":
                share = None if entry.is_balance else ratio_pct(int(value), int(base))
                yield (period.month, period.momento, *entry.node, to_decimal(int(value)), share)


def _build_memo(view: View, periods: Sequence[Period]) -> Table:
    """List the memo rows: overdue amounts, payments before the control, entries still to be generated.

    The overdue are those that no projection holds, and have no month. Payments before the accounts' control stand in
    their payment month (S7), the estimates of series still to be generated in their due month, from D on (S10, Q12),
    and what is expected beyond what is booked in the months that the forecast reaches (S24).
    """
    position = view.position
    receive, pay, _ = find_overdue_left_out(position)
    early = position.linhas[position.linhas["fora_controle"]]
    paid = early["data_pagamento"].to_numpy().astype("datetime64[M]")
    missing = estimate_missing_recurrences(position, periods[-1].last)
    rows: list[tuple[str, date | None, int, str, str | None]] = [
        (MEMO_RECEBER, None, receive, "vencidos_a_receber", None),
        (MEMO_PAGAR, None, pay, "vencidos_a_pagar", None),
    ]
    for period in periods:
        if period.momento == "realizado":
            amount = int(early.loc[paid == np.datetime64(period.first, "M"), "valor_centavos"].sum())
            rows.append((MEMO_BEFORE_CONTROL, period.month, amount, BEFORE_CONTROL, period.momento))
    label = MEMO_RECURRENCES_OF_MONTH
    rows += [
        (label, period.month, missing.get(period.month, 0), RECURRENCES, period.momento)
        for period in periods
        if period.momento in AHEAD
    ]
    expected = sum_expected(view.forecast)
    rows += [
        (MEMO_EXPECTED, period.month, expected[period.month], EXPECTED, period.momento)
        for period in periods
        if period.momento in AHEAD and period.month in expected
    ]
    return Table(
        "fluxo_mensal_memo",
        (
            Column("Memo", Kind.TEXT),
            Column("Mês", Kind.MONTH),
            Column("Valor", Kind.MONEY),
            Column("Código", Kind.TEXT),
            Column("Momento", Kind.TEXT),
        ),
        tuple((label, month, to_decimal(amount), *rest) for label, month, amount, *rest in rows),
        "R04: linhas de memória do fluxo mensal, fora dos saldos; as de vencidos não têm mês",
    )


def _memo_rows(memo: Table, periods: Sequence[Period]) -> list[Row]:
    """Spread the memo over the months, and print its sum under Total."""
    rows = []
    for (label, code), cells in pivot(memo, ("memo", "codigo"), periods, "valor").items():
        total = add_up([value for value, own in list_rows(memo, ("valor", "codigo")) if own == code])
        rows.append(Row((label, *cells, total, *NO_RATIOS), style=Style.MEMO))
    return rows


def _ids(sums: Mapping[tuple[object, ...], Vector], classe: str) -> list[int | None]:
    ids = {_as_id(key) for name, key in sums if name == classe}
    return sorted(ids, key=lambda key: (key is None, key or 0))


def _as_id(key: object) -> int | None:
    return None if key is None else int(key)  # type: ignore[call-overload]


SPEC: Final = ReportSpec(
    code="R04",
    name="fluxo_mensal",
    title="Fluxo de caixa mensal por categoria",
    question="O que traz e o que leva caixa?",
    family=Family.CASH,
    builder=build_r04,
    keys={
        "fluxo_mensal": ("mes", "momento", "linha", "nivel", "categoria_id", "categoria"),
        "fluxo_mensal_total": ("linha", "nivel", "categoria_id", "categoria"),
        "fluxo_mensal_memo": ("codigo", "mes"),
    },
)
