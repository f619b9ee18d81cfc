"""R05 Fluxo mensal por conta: where does the money go through, account by account?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import (
    ENVIADAS,
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PROVISIONAL_NOTE,
    RECEBIDAS,
    Account,
    CashSeries,
    Flow,
    provisional_notes,
    sort_accounts,
)
from lastro.grid.cells import UNDEFINED, Kind, Value
from lastro.grid.model import Column, Family, Mark, Period, Report, Row, Section, Style, Sum, Table
from lastro.grid.pivot import add_up, pivot, single_moments
from lastro.grid.words import column_name
from lastro.money import to_decimal
from lastro.reports.shared.flow_parts import period_columns
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

LINES: Final[tuple[tuple[str, Callable[[Flow], int | None], Sum], ...]] = (
    ("Saldo inicial", lambda flow: flow.inicial, Sum.OPENING),
    ("Saldos implantados", lambda flow: flow.line(IMPLANTADOS), Sum.FLOW),
    ("Entradas", lambda flow: flow.line(LINE_ENTRADAS), Sum.FLOW),
    ("Saídas", lambda flow: flow.line(LINE_SAIDAS), Sum.FLOW),
    ("Não operacional", lambda flow: flow.line(LINE_NAO_OPERACIONAL), Sum.FLOW),
    ("Transf. recebidas", lambda flow: flow.line(RECEBIDAS), Sum.FLOW),
    ("Transf. enviadas", lambda flow: flow.line(ENVIADAS), Sum.FLOW),
    ("Saldo final", lambda flow: flow.final, Sum.CLOSING),
)
"""Header, amount and how it makes a total, in printed order."""
CONSOLIDADO = "Consolidado"


def build_r05(view: View) -> Report:
    """Build the sheet Fluxo por conta: one block of rows per account, then "Consolidado".

    Returns:
        Grain conta x month; columns as in R04 plus "Total" (flows added, first opening, last closing). Balances before
        the control of an account are undefined (S7). Accounts in the order of R01; entries without account form the
        block "Sem conta".
    """
    series, periods = view.series, view.months
    order = sort_accounts(series)
    table = Table(
        "fluxo_por_conta",
        (
            Column("Conta id", Kind.INTEGER),
            Column("Conta", Kind.TEXT),
            Column("Mês", Kind.MONTH),
            Column("Momento", Kind.TEXT),
            *(Column(header, Kind.MONEY) for header, _, _ in LINES),
        ),
        tuple(_list_months(series, order, periods)),
        "R05: uma conta por mês e momento (realizado, a_realizar, previsto); saldo indefinido é nulo (S7)",
    )
    whole = Table(
        "fluxo_por_conta_total",
        table.columns[2:],
        tuple((period.month, period.momento, *_amounts(series.flow(period))) for period in _single(periods)),
        "R05: todas as contas por mês e momento, também o que se move antes do controle de uma conta (S7)",
    )
    spread = [pivot(table, ("conta_id",), periods, column_name(header), how) for header, _, how in LINES]
    rows: list[Row] = []
    for account in (series.accounts[number] for number in order):
        rows += _account_rows(account, [cells[(account.conta_id,)] for cells in spread], periods)
    rows.append(_section_row(CONSOLIDADO, len(periods) + 1, key="conta_consolidado"))
    for header, _, how in LINES:
        (cells,) = pivot(whole, (), periods, column_name(header), how).values()
        style = Style.TOTAL if header == "Saldo final" else Style.NORMAL
        rows.append(_line_row(header, cells, periods, how, style))
    columns = (
        Column("Conta", Kind.TEXT, width=32),
        *period_columns(periods),
        Column("Total", Kind.MONEY, dense=True),
    )
    notes = provisional_notes(series)
    section = Section(
        "fluxo_por_conta",
        columns,
        tuple(rows),
        notes=notes,
        outline=True,
    )
    return SPEC.report((section,), (table, whole))


def _list_months(series: CashSeries, order: Sequence[int], periods: Sequence[Period]) -> Iterator[tuple[Value, ...]]:
    """Give a row per account and moment of a month; a balance that does not exist is None (S7)."""
    for number in order:
        account = series.accounts[number]
        for period in _single(periods):
            cells = _amounts(series.flow(period, number))
            yield (account.conta_id, account.descricao, period.month, period.momento, *cells)


def _single(periods: Sequence[Period]) -> Iterator[Period]:
    """Give the periods that are no sum of others."""
    return (period for period in periods if period.momento != "total")


def _amounts(flow: Flow) -> Iterator[Value]:
    """Give the cells of `LINES`."""
    amounts = (pick(flow) for _, pick, _ in LINES)
    return (None if centavos is None else to_decimal(centavos) for centavos in amounts)


def _account_rows(account: Account, lines: Sequence[Sequence[Value]], periods: Sequence[Period]) -> list[Row]:
    """Build the block of an account from its lines in the table; a balance that does not exist is undefined (S7)."""
    label, marks = account.descricao, frozenset[Mark]()
    if account.provisoria:
        label, marks = f"{label} ({PROVISIONAL_NOTE})", frozenset({Mark.PROVISIONAL})
    key = f"conta_{'sem' if account.conta_id is None else account.conta_id}"
    rows = [_section_row(label, len(periods) + 1, key=key, marks=marks)]
    for (header, _, how), cells in zip(LINES, lines, strict=True):
        shown = (*cells, add_up(single_moments(cells, periods), how))
        style = Style.SUBTOTAL if header == "Saldo final" else Style.NORMAL
        values = tuple(UNDEFINED if cell is None else cell for cell in shown)
        rows.append(Row((header, *values), style=style, level=1, marks=marks))
    return rows


def _line_row(
    header: str, cells: Sequence[Value], periods: Sequence[Period], how: Sum = Sum.FLOW, style: Style = Style.NORMAL
) -> Row:
    """Print a line and its total; a balance that does not exist is undefined (S7)."""
    shown = (*cells, add_up(single_moments(cells, periods), how))
    return Row((header, *(UNDEFINED if cell is None else cell for cell in shown)), style=style, level=1)


def _section_row(label: str, width: int, *, key: str, marks: frozenset[Mark] = frozenset()) -> Row:
    return Row((label, *([None] * width)), style=Style.SECTION, key=key, marks=marks)


SPEC: Final = ReportSpec(
    code="R05",
    name="fluxo_por_conta",
    sheet="Fluxo por conta",
    title="Fluxo mensal por conta",
    question="Por quais contas o dinheiro passa, mês a mês?",
    family=Family.CASH,
    build=build_r05,
    keys={
        "fluxo_por_conta": ("conta_id", "mes", "momento"),
        "fluxo_por_conta_total": ("mes", "momento"),
    },
)
