"""R05 Fluxo mensal por conta: where does the money go through, account by account?

It stands on Saldos, below R01 and in its order; entries without account are "Sem conta".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import sort_accounts
from lastro.grid.prints import Columns, Print
from lastro.grid.tables import Period, describe_column
from lastro.grid.workbook import Family
from lastro.reports.shared.flow_parts import list_flow_lines
from lastro.reports.spec import ReportSpec
from lastro.reports.turned import Head, Turned, head_account, order_accounts

if TYPE_CHECKING:
    from lastro.reports.view import View

MONTHS_SHOWN: Final = 3


def list_account_months(view: View) -> Columns:
    """List every account in each moment of a month, accounts in the order of R01."""
    series, periods = view.series, _find_single(view)
    grain = [(place, period) for place in sort_accounts(series) for period in periods]
    accounts = [series.accounts[place] for place, _ in grain]
    return {
        "conta_id": [account.conta_id for account in accounts],
        "conta": [account.descricao for account in accounts],
        "mes": [period.month for _, period in grain],
        "momento": [period.momento for _, period in grain],
        **list_flow_lines([series.flow(period, place) for place, period in grain]),
    }


def list_all_months(view: View) -> Columns:
    """List all accounts together in each moment of a month."""
    periods = _find_single(view)
    return {
        "mes": [period.month for period in periods],
        "momento": [period.momento for period in periods],
        **list_flow_lines([view.series.flow(period) for period in periods]),
    }


def _find_single(view: View) -> list[Period]:
    """Find the periods that are no sum of others."""
    return [period for period in view.months if period.momento != "total"]


def _find_shown(view: View) -> list[Period]:
    """Find the months of the sheet: the last closed ones, and D's as far as it is realised."""
    return [period for period in view.months if period.momento == "realizado"][-MONTHS_SHOWN:]


def _list_heads(view: View) -> Iterator[Head]:
    yield from (head_account(account, ACCOUNTS) for account in order_accounts(view))
    yield Head("total", "Total", TOTAL)


ACCOUNTS: Final = Print(
    "fluxo_por_conta",
    "R05: uma conta por mês e momento (realizado, a_realizar, previsto); saldo indefinido é nulo (S7)",
    list_account_months,
    keys=("conta_id", "mes", "momento"),
)
TOTAL: Final = Print(
    "fluxo_por_conta_total",
    "R05: todas as contas por mês e momento, também o que se move antes do controle de uma conta (S7)",
    list_all_months,
    keys=("mes", "momento"),
)
SPEC: Final = ReportSpec(
    code="R05",
    name="fluxo_por_conta",
    title="Fluxo mensal por conta",
    question="Por quais contas o dinheiro passa, mês a mês?",
    family=Family.CASH,
    tables=(ACCOUNTS, TOTAL),
    sections=(
        Turned(
            ACCOUNTS,
            describe_column("linha", width=32),
            _list_heads,
            balances={"saldo_final": frozenset()},
            missing=lambda row: row,
            blocks=_find_shown,
            used=("saldos_implantados",),
            title="Fluxo por conta",
        ),
    ),
)
