"""R03 Fluxo de caixa semanal: the coming quarter by ISO week, for SQL; the sheet of the weeks is that of R23."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.analysis.periods import plan_weeks
from lastro.grid.cells import Kind, Value
from lastro.grid.tables import Column, Period, Table
from lastro.grid.workbook import Family, Report
from lastro.reports.shared.flow_parts import (
    SCENARIO_COLUMNS,
    amount_cells,
    amount_columns,
    find_alert,
    find_memo,
    memo_table,
    projection_cells,
    projection_columns,
    scenario_rows,
)
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View


def build_r03(view: View) -> Report:
    """Build the table of weeks: 4 past ISO weeks, D's week, the following ones (13 with D's by default).

    D's week holds realised and predicted amounts. A week across two months is one row: weeks tie to days, not months.

    Returns:
        Grain ISO week; memo rows as in R02. Nothing of it stands on a sheet.
    """
    position, series, projections = view.position, view.series, view.projections
    columns = (
        Column("Semana", Kind.TEXT, width=32),
        Column("Tipo", Kind.TEXT, "Realizado, Semana atual ou Projetado", width=14),
        *amount_columns("da semana"),
        *projection_columns(projections),
    )
    weeks = plan_weeks(position)
    today = position.data_base
    table = Table(
        "fluxo_semanal",
        (
            Column("Ano ISO", Kind.INTEGER, "ano ISO da semana, que pode ser outro que o do calendário"),
            Column("Semana ISO", Kind.INTEGER, "número ISO da semana, 1 a 53"),
            Column("Início", Kind.DATE),
            Column("Fim", Kind.DATE),
            *columns,
        ),
        tuple(_week_cells(view, week) for week in weeks),
        "R03: uma semana ISO do fluxo de caixa, 4 passadas e as do horizonte (V03)",
    )
    memo = find_memo(position, series.balance(weeks[-1].last) or 0, "liquido_da_semana")
    of_memo = memo_table("fluxo_semanal_memo", memo, "R03: linhas de memória do fluxo semanal, fora dos saldos")
    tables = (
        table,
        of_memo,
        Table(
            "fluxo_semanal_cenarios",
            (Column("Início", Kind.DATE), Column("Fim", Kind.DATE), *SCENARIO_COLUMNS),
            tuple(
                (week.first, week.last, *cells)
                for week in weeks
                if week.last >= today
                for cells in scenario_rows(projections, series, week.last)
            ),
            "R03: saldo final de cada semana a partir da data-base em cada cenário, ao lado do contratual",
        ),
    )
    return SPEC.report((), tables)


def _week_cells(view: View, week: Period) -> tuple[Value, ...]:
    """Return the cells of a week in the table: its number and days, then what the sheet prints."""
    flow, today = view.series.flow(week), view.position.data_base
    cells = amount_cells(flow)
    current = week.first <= today <= week.last
    tipo = "Semana atual" if current else "Realizado" if week.last < today else "Projetado"
    ahead = projection_cells(view.projections, flow, week.last, today)
    alert = find_alert(cells[-1], view.position.parametros.saldo_minimo, view.projections, ahead)
    year, week_number, _ = week.first.isocalendar()
    return (year, week_number, week.first, week.last, week.label, tipo, *cells, alert, *ahead)


SPEC: Final = ReportSpec(
    code="R03",
    name="fluxo_semanal",
    title="Fluxo de caixa semanal",
    question="Como fica o caixa nas próximas semanas?",
    family=Family.CASH,
    builder=build_r03,
    keys={
        "fluxo_semanal": ("inicio",),
        "fluxo_semanal_memo": ("codigo",),
    },
)
