"""R03 Fluxo de caixa semanal: the coming quarter by ISO week."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.reports.cash import (
    CashSeries,
    Period,
    build_series,
    plan_weeks,
    provisional_notes,
)
from lastro.reports.model import Cell, Column, Kind, Mark, Report, Row, Section, Style, Table
from lastro.reports.r02 import amount_cells, amount_columns, find_alert, find_memo, memo_rows

if TYPE_CHECKING:
    from lastro.transform.position import Position


def build_r03(position: Position, series: CashSeries | None = None) -> Report:
    """Build the sheet Fluxo semanal: 4 past ISO weeks, D's week, the following ones (13 with D's by default).

    D's week holds realised and predicted amounts. A week across two months is one row: weeks tie to days, not months.

    Args:
        position: the position.
        series: its cash series, built when not given.

    Returns:
        Grain ISO week; total and memo rows as in R02.
    """
    series = build_series(position) if series is None else series
    columns = (
        Column("Semana", Kind.TEXT, width=32),
        Column("Tipo", Kind.TEXT, width=14),
        *amount_columns("Líquido da semana"),
    )
    weeks = plan_weeks(position)
    today = position.data_base
    rows, long_rows = [], []
    for week in weeks:
        cells = amount_cells(series.flow(week))
        current = week.first <= today <= week.last
        tipo = "Semana atual" if current else "Realizado" if week.last < today else "Projetado"
        alert = find_alert(cells[-1], position.parametros.saldo_minimo)
        rows.append(
            Row(
                (week.label, tipo, *cells, alert),
                key=f"semana_{week.first.isoformat()}",
                marks=frozenset({Mark.TODAY}) if current else frozenset(),
            )
        )
        year, number, _ = week.first.isocalendar()
        long_rows.append((year, number, week.first, week.last, week.label, tipo, *cells, alert))
    whole = series.flow(Period("", weeks[0].first, weeks[-1].last))
    rows.append(Row((Cell("Total", Kind.TEXT), None, *amount_cells(whole), None), style=Style.TOTAL))
    memo = find_memo(position, whole.final or 0)
    rows.extend(memo_rows(memo, columns))
    section = Section("r03", columns, tuple(rows), notes=provisional_notes(series))
    tables = (
        Table(
            "r03",
            (
                Column("Ano ISO", Kind.INTEGER),
                Column("Semana ISO", Kind.INTEGER),
                Column("Início", Kind.DATE),
                Column("Fim", Kind.DATE),
                *columns,
            ),
            tuple(long_rows),
            "R03: uma semana ISO do fluxo de caixa, 4 passadas e as do horizonte (V03)",
        ),
        Table(
            "r03_memo",
            (Column("Memo", Kind.TEXT), Column("Valor", Kind.MONEY)),
            tuple((label, value) for label, value, _ in memo),
            "R03: linhas de memória do fluxo semanal, fora dos saldos",
        ),
    )
    title = f"Fluxo de caixa semanal ({position.parametros.horizonte['semanas']} semanas)"
    return Report("R03", "Fluxo semanal", title, "Como fica o caixa nas próximas semanas?", (section,), tables)
