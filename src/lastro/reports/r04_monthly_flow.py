"""R04 Fluxo de caixa mensal por categoria: what brings and what takes cash?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    Flow,
    Vector,
    find_overdue_left_out,
    provisional_notes,
)
from lastro.analysis.drill_down import Blocks, link_to_lancamentos
from lastro.analysis.periods import sum_by_period
from lastro.analysis.tree import Node, build_nodes
from lastro.grid.model import Column, Family, Kind, Period, Report, Row, Section, Style, Table, Value
from lastro.money import divide_half_up, ratio_pct, to_decimal
from lastro.reports.r02_daily_flow import MEMO_PAGAR, MEMO_RECEBER, SCENARIO_COLUMNS, projection_notes
from lastro.reports.spec import ReportSpec
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position
    from lastro.transform.scenarios import Projection

MAX_LEVEL = 7
MEMO_BEFORE_CONTROL = "Movimentos anteriores ao controle"
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
TREES: Final[Mapping[str, str]] = {"entradas": ENTRADAS, "saidas": SAIDAS, "nao_operacional": NAO_OPERACIONAL}
BALANCES: Final = frozenset({"saldo_inicial", "saldos_implantados", "saldo_final"})
"""Lines without mean and ratios."""
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

    Other assumptions give a table below with the closing balances of the months to come; the statement itself never
    changes by them.

    Returns:
        Grain category node x month under each of Entradas, Saídas and Não operacional; a mixed category may stand
        under two of them. "Total" adds the flows of all months shown, with the first opening and the last closing;
        "Média mensal" divides the closed months' sum by their number; "AV %" is the node's total over Entradas' total;
        "AH %" compares D's month ("Total") with the month before. Siblings stand by name, or with the setting
        `ordem_categorias` = "valor" by |Total| descending.
    """
    position, series, projections, periods, blocks = (
        view.position, view.series, view.projections, view.months, view.blocks,
    )  # fmt: skip
    flows = [series.flow(period) for period in periods]
    whole = series.flow(Period("Total", periods[0].first, periods[-1].last))
    sums = sum_by_period(view.movements, periods, ("classe", "categoria_id"), position.data_base)
    layout = _Layout(periods, whole.line(LINE_ENTRADAS))
    rows: list[Row] = []
    long_rows: list[tuple[Value, ...]] = []
    total_rows: list[tuple[Value, ...]] = []
    entradas = np.array([flow.line(LINE_ENTRADAS) for flow in flows], dtype=np.int64)
    for code, label, pick in LINES:
        vector = np.array([pick(flow) for flow in flows], dtype=np.int64)
        classe = TREES.get(code) or (TRANSFERENCIAS if code == "transferencias" else None)
        nodes: tuple[Node, ...] = ()
        if code in TREES:
            nodes = build_nodes(
                position.categorias,
                {_as_id(key): amounts for (name, key), amounts in sums.items() if name == classe},
                size=layout.total if position.parametros.ordem_categorias == "valor" else None,
            )
        figures = layout.figures(vector, pick(whole), balance=code in BALANCES)
        first_blocks: Sequence[int | None] = tuple(
            item for node in nodes if node.nivel == 0 for item in node.categorias
        )
        link = None
        if classe is not None:
            link = link_to_lancamentos(blocks, classe, first_blocks if code in TREES else (None, *_ids(sums, classe)))
        rows.append(Row((label, *figures), style=STYLES.get(code, Style.NORMAL), key=code, link=link))
        long_rows.extend(layout.long_rows(code, 0, None, label.removeprefix("= "), vector, entradas, code in BALANCES))
        total_rows.append((code, 0, None, label.removeprefix("= "), *figures[len(periods) :]))
        for node in nodes:
            node_figures = layout.figures(node.valores, int(layout.total(node.valores)), balance=False)
            rows.append(_node_row(code, node, node_figures, blocks, TREES[code]))
            long_rows.extend(
                layout.long_rows(code, node.nivel + 1, node.categoria_id, node.caminho, node.valores, entradas, False)
            )
            total_rows.append((code, node.nivel + 1, node.categoria_id, node.caminho, *node_figures[len(periods) :]))
    rows.extend(_memo_rows(position, layout))
    columns = (Column("Categoria", Kind.TEXT, width=45), *layout.columns())
    notes = (
        f"Média mensal: soma dos {layout.closed} meses fechados mostrados / {layout.closed}.",
        "AV %: total da linha / total de Entradas.",
        f"AH %: total de {layout.current_label} / mês anterior - 1.",
        *provisional_notes(series),
    )
    section = Section("r04", columns, tuple(rows), notes=notes, outline=True)
    node_columns = (
        Column("Linha", Kind.TEXT),
        Column("Nível", Kind.INTEGER),
        Column("Categoria id", Kind.INTEGER),
        Column("Categoria", Kind.TEXT),
    )
    tables = (
        Table(
            "r04",
            (
                Column("Mês", Kind.MONTH),
                Column("Momento", Kind.TEXT),
                *node_columns,
                Column("Valor", Kind.MONEY),
                Column("AV %", Kind.PERCENT),
            ),
            tuple(long_rows),
            "R04: uma linha do fluxo mensal por mês e momento (realizado, a_realizar, previsto); nível 0 é a linha, "
            "acima dele os nós da árvore de categorias, cada um já com as filhas (V07)",
        ),
        Table(
            "r04_total",
            (*node_columns, *layout.columns()[len(periods) :]),
            tuple(total_rows),
            "R04: colunas de total, média, AV e AH de cada linha do fluxo mensal",
        ),
    )
    if not projections:
        return SPEC.report((section,), tables)
    below, long_table = _build_projections(projections, periods, flows, columns[: len(periods) + 1])
    return SPEC.report((section, below), (*tables, long_table))


def _build_projections(
    projections: Sequence[Projection], periods: Sequence[Period], flows: Sequence[Flow], columns: Sequence[Column]
) -> tuple[Section, Table]:
    """Build the closing balances of every period that predicts, base first; columns as in the statement."""
    ahead = [period.momento != "realizado" for period in periods]
    finals = [flow.final or 0 for flow in flows]
    base = [to_decimal(final) if future else None for final, future in zip(finals, ahead, strict=True)]
    rows = [Row(("Contratual", *base))]
    long_rows: list[tuple[Value, ...]] = []
    for projection in projections:
        cells: list[Value] = [projection.nome]
        for period, final, future in zip(periods, finals, ahead, strict=True):
            change = projection.difference_until(period.last) if future else 0
            cells.append(to_decimal(final + change) if future else None)
            if future and period.momento != "total":
                amounts = (to_decimal(final), to_decimal(change), to_decimal(final + change))
                long_rows.append((period.month, period.momento, projection.nome, *amounts))
        rows.append(Row(tuple(cells)))
    section = Section(
        "r04_cenarios",
        (Column("Saldo final por cenário", Kind.TEXT, width=45), *columns[1:]),
        tuple(rows),
        title="Saldo final por cenário",
        notes=projection_notes(projections),
    )
    table = Table(
        "r04_cenarios",
        (Column("Mês", Kind.MONTH), Column("Momento", Kind.TEXT), *SCENARIO_COLUMNS),
        tuple(long_rows),
        "R04: saldo final de cada mês a partir da data-base em cada cenário, ao lado do contratual",
    )
    return section, table


class _Layout:
    """Which column shows what: periods, then Total, Média mensal, AV % and AH %."""

    def __init__(self, periods: Sequence[Period], entradas_centavos: int) -> None:
        self.periods = periods
        self.entradas_centavos = entradas_centavos
        self.closed = next(number for number, period in enumerate(periods) if period.momento == "a_realizar") - 1
        self.current = self.closed + 2
        self.current_label = periods[self.current].label.split()[0]

    def columns(self) -> tuple[Column, ...]:
        return (
            *period_columns(self.periods),
            Column("Total", Kind.MONEY, dense=True),
            Column("Média mensal", Kind.MONEY, dense=True),
            Column("AV %", Kind.PERCENT),
            Column("AH %", Kind.PERCENT),
        )

    def total(self, vector: Vector) -> int:
        """Add the periods without counting D's month twice."""
        return int(vector.sum() - vector[self.current])

    def figures(self, vector: Vector, total_centavos: int, *, balance: bool) -> tuple[Value, ...]:
        values: list[Value] = [to_decimal(int(value)) for value in vector]
        values.append(to_decimal(total_centavos))
        if balance:
            return (*values, None, None, None)
        closed = int(vector[: self.closed].sum())
        here, before = int(vector[self.current]), int(vector[self.closed - 1])
        return (
            *values,
            to_decimal(divide_half_up(closed, self.closed)),
            ratio_pct(total_centavos, self.entradas_centavos),
            ratio_pct(here - before, before),
        )

    def long_rows(
        self,
        code: str,
        level: int,
        categoria_id: int | None,
        text: str,
        vector: Vector,
        entradas: Vector,
        balance: bool,
    ) -> list[tuple[Value, ...]]:
        rows: list[tuple[Value, ...]] = []
        for period, value, base in zip(self.periods, vector, entradas, strict=True):
            if period.momento != "total":
                share = None if balance else ratio_pct(int(value), int(base))
                rows.append(
                    (period.month, period.momento, code, level, categoria_id, text, to_decimal(int(value)), share)
                )
        return rows


def period_columns(periods: Sequence[Period]) -> tuple[Column, ...]:
    """Return the money column of every monthly period (R04, R05): D's month details collapsed at outline level 1."""
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


def _node_row(code: str, node: Node, figures: tuple[Value, ...], blocks: Blocks, classe: str) -> Row:
    suffix = "sem" if node.categoria_id is None else str(node.categoria_id)
    return Row(
        (node.label, *figures),
        level=min(node.nivel + 1, MAX_LEVEL),
        key=f"{code}_{suffix}{'_direto' if node.direto else ''}",
        link=link_to_lancamentos(blocks, classe, node.categorias),
    )


def _memo_rows(position: Position, layout: _Layout) -> list[Row]:
    """Overdue items that no projection holds, and payments before the accounts' control by payment month (S7)."""
    receive, pay, _ = find_overdue_left_out(position)
    rows = []
    for label, value in ((MEMO_RECEBER, receive), (MEMO_PAGAR, pay)):
        cells: list[Value] = [None] * len(layout.periods)
        rows.append(Row((label, *cells, to_decimal(value), None, None, None), style=Style.MEMO))
    before = position.linhas[position.linhas["fora_controle"]]
    months = before["data_pagamento"].to_numpy().astype("datetime64[M]")
    values: list[Value] = []
    total = 0
    for period in layout.periods:
        if period.momento == "a_realizar" or period.momento == "previsto":
            values.append(None)
            continue
        amount = int(before.loc[months == np.datetime64(period.first, "M"), "valor_centavos"].sum())
        total += 0 if period.momento == "total" else amount
        values.append(to_decimal(amount))
    rows.append(Row((MEMO_BEFORE_CONTROL, *values, to_decimal(total), None, None, None), style=Style.MEMO))
    return rows


def _ids(sums: Mapping[tuple[object, ...], Vector], classe: str) -> list[int | None]:
    found = {_as_id(key) for name, key in sums if name == classe}
    return sorted(found, key=lambda key: (key is None, key or 0))


def _as_id(key: object) -> int | None:
    return None if key is None else int(key)  # type: ignore[call-overload]


SPEC: Final = ReportSpec(
    code="R04",
    name="monthly_flow",
    sheet="Fluxo mensal",
    title="Fluxo de caixa mensal por categoria",
    question="O que traz e o que leva caixa?",
    family=Family.CASH,
    build=build_r04,
    keys={
        "r04": ("mes", "momento", "linha", "nivel", "categoria_id", "categoria"),
        "r04_total": ("linha", "nivel", "categoria_id", "categoria"),
    },
)
