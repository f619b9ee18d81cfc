"""R02 Fluxo de caixa diário: on which day does cash get tight?

Every day from the first of D's month to the end of the horizon. Other assumptions are each one more column; "Saldo
final" and all others never change by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import list_provisional_notes
from lastro.calendar import iter_days, month_start
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.charts import BALANCE_COLOUR, BALANCE_TINT, ChartKind
from lastro.grid.pivot import build_total
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Alert, Column, Period, Table, find_place
from lastro.grid.words import WEEKDAYS, month_label
from lastro.grid.workbook import Family
from lastro.reports.printing import Plot, Tables, mark_days, print_section
from lastro.reports.shared.flow_parts import (
    SUMS,
    WITH_OVERDUE,
    day_key,
    describe_projections,
    list_amounts,
    list_flow_columns,
    list_flow_memo,
    list_projected,
    tell_projections,
)
from lastro.reports.shared.headline import tell_arrears
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

NET: Final = "liquido_do_dia"


def _plan_days(view: View) -> list[date]:
    return list(iter_days(month_start(view.position.data_base), view.position.ultimo_dia))


def list_cash_days(view: View) -> Columns:
    """List the days with their amounts, alert and projections."""
    days = _plan_days(view)
    return {
        "dia": days,
        "dia_da_semana": [WEEKDAYS[day.weekday()] for day in days],
        "dia_util": [view.position.calendario.is_business_day(day) for day in days],
        "tipo": _name_kinds(view, days),
        **list_flow_columns(view, [view.series.flow(Period("", day, day)) for day in days], days, NET),
    }


def list_account_days(view: View) -> Columns:
    """List the days of every account, for SQL alone: on a sheet they would be longer than all other sheets together."""
    series = view.series
    grain = [(day, place) for day in _plan_days(view) for place in range(len(series.accounts))]
    accounts, days = [series.accounts[place] for _, place in grain], [day for day, _ in grain]
    return {
        "dia": days,
        "conta_id": [account.conta_id for account in accounts],
        "conta": [account.descricao for account in accounts],
        "tipo": _name_kinds(view, days),
        **list_amounts([series.flow(Period("", day, day), place) for day, place in grain], NET),
    }


def _name_kinds(view: View, days: Sequence[date]) -> list[str]:
    today = view.position.data_base
    return ["Realizado" if day < today else "Hoje" if day == today else "Projetado" for day in days]


def list_day_scenarios(view: View) -> Columns:
    """List the days from D on in every projection."""
    days = list(iter_days(view.position.data_base, view.position.ultimo_dia))
    return {"dia": [day for day in days for _ in view.projections], **list_projected(view, days)}


def _describe_balances(view: View) -> Mapping[str, Column]:
    """Describe the balances, of which rows above a total have the first or the last."""
    return {key: replace(DAYS.describe(key), sums=how) for key, how in SUMS.items()} | {**describe_projections(view)}


def show_days(view: View, tables: Tables) -> Section:
    """Print the days, each month and all with the first opening and the last closing, and the memo figures below."""
    section = print_section(DAYS, tables, view)
    days = [replace(row, key=day_key(day)) for row in section.rows if isinstance(day := row.cells[0], date)]
    rows: list[Row] = []
    for month, of_month in groupby(days, lambda row: month_label(row.cells[0])):  # type: ignore[arg-type]
        own = list(of_month)
        rows += [*own, build_total(section.columns, own, f"Total {month}", Style.SUBTOTAL)]
    memo = _print_memo(tables[MEMO.name], section.columns)
    return replace(section, rows=(*rows, build_total(section.columns, days, "Total"), *memo))


def _print_memo(table: Table, columns: Sequence[Column]) -> Iterator[Row]:
    """Print an amount below the net, and the balance below the closing one."""
    for label, amount, code in table.rows:
        cells: list[Value | Cell] = [Cell(label, Kind.TEXT), *([None] * (len(columns) - 1))]
        cells[find_place(columns, "saldo_final" if code == WITH_OVERDUE else NET)] = amount
        yield Row(tuple(cells), style=Style.MEMO)


def _tell_left_out(view: View) -> tuple[str, ...]:
    line = view.lines[0].nome
    said = tell_arrears(view.arrears.leave_out(line))
    return (f"{line}: {said}.",) if said else ()


_KINDS: Final = {"tipo": "Realizado, Hoje ou Projetado"}
DAYS: Final[Print[View]] = Print(
    "fluxo_diario",
    "R02: um dia do fluxo de caixa, do início do mês da data-base ao fim do horizonte (S4, V02)",
    list_cash_days,
    keys=("dia",),
    about=_KINDS,
    named=_describe_balances,
    widths={"dia_da_semana": 6, "dia_util": 9, "tipo": 12},
    alerts={"saldo_final": Alert.SALDO},
    dense=True,
    used=("saldos_implantados",),
    hidden=("alerta",),  # below zero each line of projection has a mark of its own
    marks=mark_days("dia"),
    notes=(
        _tell_left_out,
        tell_projections,
        lambda view: list_provisional_notes(view.series),
    ),
)
ACCOUNTS: Final = Print(
    "fluxo_diario_contas",
    "R02: um dia de uma conta, nos dias do fluxo diário; saldo indefinido é nulo (S4, S7, V02)",
    list_account_days,
    keys=("dia", "conta_id"),
    about=_KINDS,
)
MEMO: Final[Print[View]] = Print(
    "fluxo_diario_memo",
    "R02: linhas de memória do fluxo diário, fora dos saldos",
    lambda view: list_flow_memo(view, view.position.ultimo_dia),
    keys=("codigo",),
)
SCENARIOS: Final = Print(
    "fluxo_diario_cenarios",
    "R02: saldo final de cada dia a partir da data-base em cada cenário, ao lado do contratual",
    list_day_scenarios,
)
SPEC: Final = ReportSpec(
    code="R02",
    name="fluxo_diario",
    title="Fluxo de caixa diário",
    question="Em que dia o caixa aperta?",
    family=Family.CASH,
    tables=(DAYS, ACCOUNTS, MEMO, SCENARIOS),
    sections=(show_days,),
    charts=(
        Plot(
            "Líquido do dia e saldo final",
            ChartKind.COLUMN,
            DAYS.name,
            "dia",
            {NET: ("Líquido do dia", BALANCE_TINT), "saldo_final": ("Saldo final", BALANCE_COLOUR)},
            lines=("saldo_final",),
        ),
    ),
)
