"""R02 Fluxo de caixa diário: on which day does cash get tight?"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import (
    provisional_notes,
)
from lastro.calendar import iter_days, iter_months, month_start
from lastro.grid.cells import Kind, Value
from lastro.grid.charts import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    Chart,
    ChartKind,
    Series,
    keep_drawable,
    read_labels,
    read_points,
)
from lastro.grid.pivot import build_total, leave_out_unused
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.tables import Column, Period, Table
from lastro.grid.words import WEEKDAYS, month_label
from lastro.grid.workbook import Family, Report
from lastro.reports.shared.flow_parts import (
    SCENARIO_COLUMNS,
    account_cells,
    amount_cells,
    amount_columns,
    day_key,
    find_alert,
    find_memo,
    memo_rows,
    memo_table,
    projection_cells,
    projection_columns,
    projection_notes,
    scenario_rows,
)
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position


def build_r02(view: View) -> Report:
    """Build the sheet Fluxo diário: every day from the first of D's month to D+44.

    Other assumptions are each one more column; "Saldo final" and all others never change by them.

    Returns:
        Grain day. A month's total and the overall one show the first opening and the last closing. Memo rows stand
        below: amounts under "Líquido do dia", the balance under "Saldo final". A chart shows these two by day.
    """
    position, series, projections = view.position, view.series, view.projections
    columns = (
        Column("Data", Kind.DATE, key="dia"),
        Column("Dia", Kind.TEXT, width=6, key="dia_da_semana"),
        Column("Dia útil", Kind.BOOLEAN, "os bancos liquidam nesse dia", width=9),
        Column("Tipo", Kind.TEXT, "Realizado, Hoje ou Projetado", width=12),
        *amount_columns("do dia"),
        *projection_columns(projections),
    )
    first, last = month_start(position.data_base), position.ultimo_dia
    days = tuple(iter_days(first, last))
    table = Table(
        "fluxo_diario",
        columns,
        tuple(_day_cells(view, day) for day in days),
        "R02: um dia do fluxo de caixa, do início do mês da data-base ao fim do horizonte (S4, V02)",
    )
    shown = [
        Row(cells, key=day_key(day), marks=_find_marks(position, day))
        for day, cells in zip(days, table.rows, strict=True)
    ]
    rows: list[Row] = []
    for month in iter_months(first, last):
        of_month = [row for day, row in zip(days, shown, strict=True) if month_start(day) == month]
        rows += [*of_month, build_total(columns, of_month, f"Total {month_label(month)}", Style.SUBTOTAL)]
    rows.append(build_total(columns, shown, "Total"))
    memo = find_memo(position, series.balance(last) or 0, "liquido_do_dia")
    of_memo = memo_table("fluxo_diario_memo", memo, "R02: linhas de memória do fluxo diário, fora dos saldos")
    rows.extend(memo_rows(of_memo, memo, columns))
    notes = (*projection_notes(projections), *provisional_notes(series))
    section = Section("fluxo_diario", columns, tuple(rows), notes=notes)
    tables = (
        table,
        _build_accounts(view, days),
        of_memo,
        Table(
            "fluxo_diario_cenarios",
            (Column("Data", Kind.DATE, key="dia"), *SCENARIO_COLUMNS),
            tuple(
                (day, *cells)
                for day in iter_days(position.data_base, last)
                for cells in scenario_rows(projections, series, day)
            ),
            "R02: saldo final de cada dia a partir da data-base em cada cenário, ao lado do contratual",
        ),
    )
    charts = keep_drawable(_build_chart(section))
    return SPEC.report((leave_out_unused(section, "saldos_implantados"),), tables, charts)


def _build_chart(section: Section) -> Chart:
    """Draw what each day moves and the balance it leaves."""
    days = [row for row in section.rows if row.style is Style.NORMAL]
    return Chart(
        "Líquido do dia e saldo final",
        ChartKind.COLUMN,
        read_labels(section, "dia", days),
        (
            Series("Líquido do dia", read_points(section, "liquido_do_dia", days), BALANCE_TINT),
            Series("Saldo final", read_points(section, "saldo_final", days), BALANCE_COLOUR, line=True),
        ),
        after="fluxo_diario",
    )


def _day_cells(view: View, day: date) -> tuple[Value, ...]:
    position, today = view.position, view.position.data_base
    flow = view.series.flow(Period("", day, day))
    cells = amount_cells(flow)
    ahead = projection_cells(view.projections, flow, day, today)
    return (
        day,
        WEEKDAYS[day.weekday()],
        position.calendario.is_business_day(day),
        _find_kind(day, today),
        *cells,
        find_alert(cells[-1], position.parametros.saldo_minimo, view.projections, ahead),
        *ahead,
    )


def _build_accounts(view: View, days: tuple[date, ...]) -> Table:
    """List every day of every account, for SQL alone: on a sheet it would be as long as all other sheets together."""
    series, today = view.series, view.position.data_base
    amounts = amount_columns("do dia")[:-1]
    return Table(
        "fluxo_diario_contas",
        (
            Column("Data", Kind.DATE, key="dia"),
            Column("Conta id", Kind.INTEGER),
            Column("Conta", Kind.TEXT),
            Column("Tipo", Kind.TEXT, "Realizado, Hoje ou Projetado"),
            *amounts,
        ),
        tuple(
            (day, account.conta_id, account.descricao, _find_kind(day, today), *account_cells(flow))
            for day in days
            for place, account in enumerate(series.accounts)
            for flow in (series.flow(Period("", day, day), place),)
        ),
        "R02: um dia de uma conta, nos dias do fluxo diário; saldo indefinido é nulo (S4, S7, V02)",
    )


def _find_kind(day: date, today: date) -> str:
    return "Realizado" if day < today else "Hoje" if day == today else "Projetado"


def _find_marks(position: Position, day: date) -> frozenset[Mark]:
    marks = set() if position.calendario.is_business_day(day) else {Mark.NON_BUSINESS_DAY}
    return frozenset(marks | {Mark.TODAY} if day == position.data_base else marks)


SPEC: Final = ReportSpec(
    code="R02",
    name="fluxo_diario",
    title="Fluxo de caixa diário",
    question="Em que dia o caixa aperta?",
    family=Family.CASH,
    builder=build_r02,
    keys={
        "fluxo_diario": ("dia",),
        "fluxo_diario_contas": ("dia", "conta_id"),
        "fluxo_diario_memo": ("codigo",),
    },
    totalled=True,
)
