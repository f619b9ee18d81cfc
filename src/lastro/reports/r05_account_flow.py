"""R05 Fluxo mensal por conta: where does the money go through, account by account?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.cash_series import (
    ENVIADAS,
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PROVISIONAL_NOTE,
    RECEBIDAS,
    CashSeries,
    Flow,
    money,
    provisional_notes,
    sort_accounts,
)
from lastro.analysis.periods import sum_by_period
from lastro.grid.model import Column, Family, Kind, Mark, Period, Report, Row, Section, Style, Table, Undefined, Value
from lastro.money import to_decimal
from lastro.reports.r04_monthly_flow import period_columns
from lastro.reports.spec import ReportSpec
from lastro.transform.names import sort_key
from lastro.transform.position import TRANSFERENCIAS

if TYPE_CHECKING:
    from lastro.reports.view import View

LINES: Final[tuple[tuple[str, Callable[[Flow], int | None]], ...]] = (
    ("Saldo inicial", lambda flow: flow.inicial),
    ("Saldos implantados", lambda flow: flow.line(IMPLANTADOS)),
    ("Entradas", lambda flow: flow.line(LINE_ENTRADAS)),
    ("Saídas", lambda flow: flow.line(LINE_SAIDAS)),
    ("Não operacional", lambda flow: flow.line(LINE_NAO_OPERACIONAL)),
    ("Transf. recebidas", lambda flow: flow.line(RECEBIDAS)),
    ("Transf. enviadas", lambda flow: flow.line(ENVIADAS)),
    ("Saldo final", lambda flow: flow.final),
)
CENTRO_LINES: Final = tuple(header for header, _ in LINES if not header.startswith("Saldo"))
CONSOLIDADO = "Consolidado"


def build_r05(view: View) -> tuple[Report, ...]:
    """Build the sheet Fluxo por conta and, on demand (`fluxo_por_centro`), Fluxo por centro."""
    by_account = build_r05_contas(view)
    return (by_account, build_r05_centros(view)) if view.position.parametros.fluxo_por_centro else (by_account,)


def build_r05_contas(view: View) -> Report:
    """Build the sheet Fluxo por conta: one block of rows per account, then "Consolidado".

    Returns:
        Grain conta x month; columns as in R04 plus "Total" (flows added, first opening, last closing). Balances before
        the control of an account are undefined (S7). Accounts in the order of R01; entries without account form the
        block "Sem conta".
    """
    series, periods = view.series, view.months
    rows: list[Row] = []
    long_rows: list[tuple[Value, ...]] = []
    for number in (*sort_accounts(series), None):
        flows = [series.flow(period, number) for period in periods]
        whole = series.flow(Period("Total", periods[0].first, periods[-1].last), number)
        rows.extend(_block_rows(series, number, [*flows, whole]))
        if number is None:
            continue
        account = series.accounts[number]
        for period, flow in zip(periods, flows, strict=True):
            if period.momento != "total":
                cells = [money(pick(flow)) for _, pick in LINES]
                plain = [None if isinstance(value, Undefined) else value for value in cells]
                long_rows.append((account.conta_id, account.descricao, period.month, period.momento, *plain))
    columns = (
        Column("Conta", Kind.TEXT, width=32),
        *period_columns(periods),
        Column("Total", Kind.MONEY, dense=True),
    )
    section = Section("r05", columns, tuple(rows), notes=provisional_notes(series), outline=True)
    table = Table(
        "r05",
        (
            Column("Conta id", Kind.INTEGER),
            Column("Conta", Kind.TEXT),
            Column("Mês", Kind.MONTH),
            Column("Momento", Kind.TEXT),
            *(Column(header, Kind.MONEY) for header, _ in LINES),
        ),
        tuple(long_rows),
        "R05: uma conta por mês e momento (realizado, a_realizar, previsto); saldo indefinido é nulo (S7)",
    )
    return SPEC.report((section,), (table,))


def build_r05_centros(view: View) -> Report:
    """Build the layout of R05 by cost centre, without balances, on demand.

    Returns:
        Grain centro x month, centres by name, "Sem centro" among them, then "Consolidado"; one row per line of R05.
    """
    position, movements, periods = view.position, view.movements, view.months
    transfer = movements["classe"] == TRANSFERENCIAS
    sent = movements["valor_centavos"] < 0
    linha = movements["classe"].where(~transfer, "Transf. recebidas").where(~(transfer & sent), "Transf. enviadas")
    sums = sum_by_period(movements.assign(linha=linha), periods, ("centro_custo_lucro_id", "linha"), position.data_base)
    current = next(number for number, period in enumerate(periods) if period.momento == "total")
    centros = {key: position.rotulos.centro(key) for key, _ in sums}
    order = sorted(centros, key=lambda key: (sort_key(centros[key]), int(str(key or 0))))
    zero = np.zeros(len(periods), dtype=np.int64)
    rows: list[Row] = []
    long_rows: list[tuple[Value, ...]] = []
    for centro in (*order, CONSOLIDADO):
        label = centros.get(centro, CONSOLIDADO)
        rows.append(_section_row(label, len(periods) + 1, key=f"centro_{'sem' if centro is None else centro}"))
        for header in CENTRO_LINES:
            chosen = [
                vector
                for (key, name), vector in sums.items()
                if name == header and (centro == CONSOLIDADO or key == centro)
            ]
            vector = sum(chosen, start=zero)
            values = [to_decimal(int(value)) for value in vector]
            rows.append(Row((header, *values, to_decimal(int(vector.sum() - vector[current]))), level=1))
            if centro != CONSOLIDADO:
                centro_id = None if centro is None else int(str(centro))
                long_rows.extend(
                    (centro_id, label, period.month, period.momento, header, value)
                    for period, value in zip(periods, values, strict=True)
                    if period.momento != "total"
                )
    columns = (
        Column("Centro", Kind.TEXT, width=32),
        *period_columns(periods),
        Column("Total", Kind.MONEY, dense=True),
    )
    section = Section("r05_centro", columns, tuple(rows), outline=True)
    table = Table(
        "r05_centro",
        (
            Column("Centro id", Kind.INTEGER),
            Column("Centro", Kind.TEXT),
            Column("Mês", Kind.MONTH),
            Column("Momento", Kind.TEXT),
            Column("Linha", Kind.TEXT),
            Column("Valor", Kind.MONEY),
        ),
        tuple(long_rows),
        "R05: um centro de custo por mês, momento e linha de fluxo, sem saldos",
    )
    return SPEC.report(
        (section,),
        (table,),
        sheet="Fluxo por centro",
        title="Fluxo mensal por centro de custo",
        question="Quanto cada centro de custo traz e leva, mês a mês?",
    )


def _block_rows(series: CashSeries, number: int | None, flows: Sequence[Flow]) -> list[Row]:
    marks: frozenset[Mark] = frozenset()
    label, key = CONSOLIDADO, "conta_consolidado"
    if number is not None:
        account = series.accounts[number]
        label, key = account.descricao, f"conta_{'sem' if account.conta_id is None else account.conta_id}"
        if account.provisoria:
            label, marks = f"{label} ({PROVISIONAL_NOTE})", frozenset({Mark.PROVISIONAL})
    rows = [_section_row(label, len(flows), key=key, marks=marks)]
    for header, pick in LINES:
        style = Style.NORMAL
        if header == "Saldo final":
            style = Style.TOTAL if number is None else Style.SUBTOTAL
        rows.append(Row((header, *(money(pick(flow)) for flow in flows)), style=style, level=1, marks=marks))
    return rows


def _section_row(label: str, width: int, *, key: str, marks: frozenset[Mark] = frozenset()) -> Row:
    return Row((label, *([None] * width)), style=Style.SECTION, key=key, marks=marks)


SPEC: Final = ReportSpec(
    code="R05",
    name="account_flow",
    sheet="Fluxo por conta",
    title="Fluxo mensal por conta",
    question="Por quais contas o dinheiro passa, mês a mês?",
    family=Family.CASH,
    build=build_r05,
    keys={
        "r05": ("conta_id", "mes", "momento"),
        "r05_centro": ("centro_id", "mes", "momento", "linha"),
    },
)
