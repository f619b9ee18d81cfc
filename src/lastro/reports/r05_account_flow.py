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
    RECEBIDAS,
    CashSeries,
    Flow,
    name_account,
    sort_accounts,
)
from lastro.grid.cells import Kind, Value
from lastro.grid.pivot import pivot, show_row
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Period, Table
from lastro.grid.workbook import Family, Report
from lastro.money import decimal_or_none
from lastro.reports.shared.flow_parts import account_key
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

IMPLANTED: Final = Column("Saldos implantados", Kind.MONEY)
"""A line that stands on the sheet only where it is used."""
_ABOUT_ENTRADAS: Final = "classe Entradas: receitas, com seus estornos; positiva salvo se estornos a superam"
_ABOUT_SAIDAS: Final = "classe Saídas: despesas, com seus descontos; negativa salvo se descontos a superam"
LINES: Final[tuple[tuple[Column, Callable[[Flow], int | None]], ...]] = (
    (Column("Saldo inicial", Kind.MONEY), lambda flow: flow.inicial),
    (IMPLANTED, lambda flow: flow.line(IMPLANTADOS)),
    (Column("Entradas", Kind.MONEY, _ABOUT_ENTRADAS), lambda flow: flow.line(LINE_ENTRADAS)),
    (Column("Saídas", Kind.MONEY, _ABOUT_SAIDAS), lambda flow: flow.line(LINE_SAIDAS)),
    (Column("Não operacional", Kind.MONEY), lambda flow: flow.line(LINE_NAO_OPERACIONAL)),
    (
        Column("Transf. recebidas", Kind.MONEY, "transferências de outras contas próprias, positivas"),
        lambda flow: flow.line(RECEBIDAS),
    ),
    (
        Column("Transf. enviadas", Kind.MONEY, "transferências a outras contas próprias, negativas"),
        lambda flow: flow.line(ENVIADAS),
    ),
    (Column("Saldo final", Kind.MONEY), lambda flow: flow.final),
)
"""Column and amount, in printed order."""
MONTHS_SHOWN: Final = 3


def build_r05(view: View) -> Report:
    """Build the flow by account, in the order of R01, which stands on Saldos; entries without account are "Sem conta".

    Balances before the control of an account are undefined (S7).

    Returns:
        The section has a block for each of the last months (`MONTHS_SHOWN`), an account a column; SQL has all months.
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
            *(column for column, _ in LINES),
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
    shown = _find_shown(view)
    keys = [column.key for column, _ in LINES]
    spread = [pivot(table, ("conta_id",), shown, key) for key in keys]
    of_all = [pivot(whole, (), shown, key)[()] for key in keys]
    accounts = [series.accounts[place] for place in order]
    heads = [(name_account(account), account_key(account)) for account in accounts]
    lines = [
        (column, [[*(cells[(account.conta_id,)][n] for account in accounts), total[n]] for n in range(len(shown))])
        for (column, _), cells, total in zip(LINES, spread, of_all, strict=True)
    ]
    return SPEC.report((_show(heads, shown, lines),), (table, whole))


def _find_shown(view: View) -> list[Period]:
    """Take the months that the sheet shows: the last closed ones, and D's as far as it is realised."""
    past = [
        period for period in view.months if period.momento == "realizado" and period.month <= view.position.data_base
    ]
    return past[-MONTHS_SHOWN:]


def _show(
    heads: Sequence[tuple[str, str]],
    shown: Sequence[Period],
    lines: Sequence[tuple[Column, Sequence[Sequence[Value]]]],
) -> Section:
    """Print each month as a block of lines, an account a column; a balance that does not exist is undefined.

    Args:
        heads: header and key of each column; the last one is "Total".
        shown: the months.
        lines: column of each line and, by month, its cells.
    """
    columns = (
        Column("Linha", Kind.TEXT, width=32),
        *(Column(text, Kind.MONEY, dense=True, key=key, undefined=True) for text, key in heads),
        Column("Total", Kind.MONEY, dense=True, undefined=True),
    )
    rows = []
    used = [(line, months) for line, months in lines if line != IMPLANTED or any(any(cells) for cells in months)]
    for index, period in enumerate(shown):
        rows.append(
            Row((period.label, *([None] * (len(columns) - 1))), Style.SECTION, key=f"fluxo_por_conta-{period.key}")
        )
        for line, months in used:
            style = Style.SUBTOTAL if line.key == "saldo_final" else Style.NORMAL
            rows.append(show_row(columns, (line.header, *months[index]), style=style, level=1))
    return Section("fluxo_por_conta", columns, tuple(rows), title="Fluxo por conta")


def _list_months(series: CashSeries, order: Sequence[int], periods: Sequence[Period]) -> Iterator[tuple[Value, ...]]:
    """Give a row per account and moment of a month; a balance that does not exist is None (S7)."""
    for place in order:
        account = series.accounts[place]
        for period in _single(periods):
            cells = _amounts(series.flow(period, place))
            yield (account.conta_id, account.descricao, period.month, period.momento, *cells)


def _single(periods: Sequence[Period]) -> Iterator[Period]:
    """Give the periods that are no sum of others."""
    return (period for period in periods if period.momento != "total")


def _amounts(flow: Flow) -> Iterator[Value]:
    """Give the cells of `LINES`."""
    amounts = (pick(flow) for _, pick in LINES)
    return (decimal_or_none(centavos) for centavos in amounts)


SPEC: Final = ReportSpec(
    code="R05",
    name="fluxo_por_conta",
    title="Fluxo mensal por conta",
    question="Por quais contas o dinheiro passa, mês a mês?",
    family=Family.CASH,
    builder=build_r05,
    keys={
        "fluxo_por_conta": ("conta_id", "mes", "momento"),
        "fluxo_por_conta_total": ("mes", "momento"),
    },
)
