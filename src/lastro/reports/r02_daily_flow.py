"""R02 Fluxo de caixa diário: on which day does cash get tight?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PREVISTO,
    REALIZADO,
    CashSeries,
    Flow,
    estimate_missing_recurrences,
    find_last_day,
    find_overdue_left_out,
    provisional_notes,
)
from lastro.calendar import iter_days, iter_months, month_end, month_start
from lastro.grid.charts import keep_drawable, read_figures, read_labels
from lastro.grid.model import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    Cell,
    Chart,
    ChartKind,
    Column,
    Family,
    Kind,
    Mark,
    Period,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    Value,
    find_place,
    summary_table,
)
from lastro.grid.words import WEEKDAYS, month_label
from lastro.money import to_decimal
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position
    from lastro.transform.scenarios import Projection

AMOUNTS: Final = (
    "Saldo inicial",
    "Saldos implantados",
    "Entradas realizadas",
    "Saídas realizadas",
    "Entradas previstas",
    "Saídas previstas",
    "Não operacional",
    "Transferências",
)
"""Opening balance and the seven amounts that add to the net (R02); R03 has the same."""
NEGATIVE, BELOW_MINIMUM = "Negativo", "Abaixo do mínimo"
MEMO_RECEBER, MEMO_PAGAR = "Vencidos a receber (não projetados)", "Vencidos a pagar (não projetados)"
MEMO_ALL_SETTLED = "Saldo final se todos os vencidos forem liquidados"
MEMO_RECURRENCES = "Recorrências ainda não geradas (estimativa)"


def build_r02(view: View) -> Report:
    """Build the sheet Fluxo diário: every day from the first of D's month to D+44.

    Other assumptions are each one more column; "Saldo final" and all others never change by them.

    Returns:
        Grain day. A month's total and the overall one show the first opening and the last closing. Memo rows stand
        below: amounts under "Líquido do dia", the balance under "Saldo final". A chart shows these two by day.
    """
    position, series, projections = view.position, view.series, view.projections
    columns = (
        Column("Data", Kind.DATE),
        Column("Dia", Kind.TEXT, width=6),
        Column("Dia útil", Kind.TEXT, width=9),
        Column("Tipo", Kind.TEXT, width=12),
        *amount_columns("Líquido do dia"),
        *projection_columns(projections),
    )
    first, last = month_start(position.data_base), find_last_day(position)
    rows: list[Row] = []
    for month in iter_months(first, last):
        end = min(month_end(month), last)
        rows.extend(_day_row(position, series, day, projections) for day in iter_days(month, end))
        flow = series.flow(Period("", month, end))
        rows.append(
            Row(
                (
                    Cell(f"Total {month_label(month)}", Kind.TEXT),
                    *(None, None, None),
                    *amount_cells(flow),
                    None,
                    *projection_cells(projections, flow, end, position.data_base),
                ),
                style=Style.SUBTOTAL,
            )
        )
    whole = series.flow(Period("", first, last))
    ahead = projection_cells(projections, whole, last, position.data_base)
    rows.append(
        Row((Cell("Total", Kind.TEXT), None, None, None, *amount_cells(whole), None, *ahead), style=Style.TOTAL)
    )
    memo = find_memo(position, whole.final or 0, "liquido_do_dia")
    rows.extend(memo_rows(memo, columns))
    notes = (*projection_notes(projections), *provisional_notes(series))
    section = Section("r02", columns, tuple(rows), notes=notes)
    tables = (
        summary_table(
            section, "R02: um dia do fluxo de caixa, do início do mês da data-base ao fim do horizonte (S4, V02)"
        ),
        Table(
            "r02_memo",
            (Column("Memo", Kind.TEXT), Column("Valor", Kind.MONEY)),
            tuple((label, value) for label, value, _ in memo),
            "R02: linhas de memória do fluxo diário, fora dos saldos",
        ),
        Table(
            "r02_cenarios",
            (Column("Data", Kind.DATE), *SCENARIO_COLUMNS),
            tuple(
                (day, *cells)
                for day in iter_days(position.data_base, last)
                for cells in scenario_rows(projections, series, day)
            ),
            "R02: saldo final de cada dia a partir da data-base em cada cenário, ao lado do contratual",
        ),
    )
    charts = keep_drawable(_build_chart(section))
    return SPEC.report((section,), tables, charts)


def _build_chart(section: Section) -> Chart:
    """Draw what each day moves and the balance it leaves."""
    days = [row for row in section.rows if row.style is Style.NORMAL]
    return Chart(
        "Líquido do dia e saldo final",
        ChartKind.COLUMN,
        read_labels(section, "data", days),
        (
            Series("Líquido do dia", read_figures(section, "liquido_do_dia", days), BALANCE_TINT),
            Series("Saldo final", read_figures(section, "saldo_final", days), BALANCE_COLOUR, line=True),
        ),
    )


def amount_columns(net: str) -> tuple[Column, ...]:
    """Return the money columns of R02 and R03 and the alert."""
    return (
        *(Column(header, Kind.MONEY, dense=True) for header in AMOUNTS),
        Column(net, Kind.MONEY, dense=True),
        Column("Saldo final", Kind.MONEY, dense=True, alert="saldo"),
        Column("Alerta", Kind.TEXT, width=18),
    )


def amount_cells(flow: Flow) -> tuple[Decimal, ...]:
    """Return the money cells of a consolidated period, `amount_columns` without the alert."""
    values = (
        flow.inicial or 0,
        flow.line(IMPLANTADOS),
        int(flow.matrix[LINE_ENTRADAS, REALIZADO]),
        int(flow.matrix[LINE_SAIDAS, REALIZADO]),
        int(flow.matrix[LINE_ENTRADAS, PREVISTO]),
        int(flow.matrix[LINE_SAIDAS, PREVISTO]),
        flow.line(LINE_NAO_OPERACIONAL),
        flow.transferencias,
        flow.liquido,
        flow.final or 0,
    )
    return tuple(to_decimal(value) for value in values)


SCENARIO_COLUMNS: Final = (
    Column("Cenário", Kind.TEXT),
    Column("Saldo contratual", Kind.MONEY),
    Column("Diferença", Kind.MONEY),
    Column("Saldo final", Kind.MONEY),
)
"""Long form of the projection columns of R02 and R03."""
BASE_NOTE: Final = (
    "Saldo final: contratual, cada título no vencimento e os vencidos conforme o parâmetro vencidos_na_projecao. As "
    "colunas à direita do alerta mudam só as premissas, a partir da data-base."
)


def projection_columns(projections: Sequence[Projection]) -> tuple[Column, ...]:
    """Return a money column per projection."""
    return tuple(Column(projection.nome, Kind.MONEY, dense=True, alert="saldo") for projection in projections)


def projection_cells(
    projections: Sequence[Projection], flow: Flow, last: date, data_base: date
) -> tuple[Decimal | None, ...]:
    """Return the closing balance of a consolidated period in every projection; blank when the period ends before D."""
    if last < data_base:
        return (None,) * len(projections)
    return tuple(to_decimal((flow.final or 0) + projection.difference_until(last)) for projection in projections)


def projection_notes(projections: Sequence[Projection]) -> tuple[str, ...]:
    """Say what every projection assumes."""
    if not projections:
        return ()
    return (BASE_NOTE, *(note for projection in projections for note in projection.notas))


def scenario_rows(
    projections: Sequence[Projection], series: CashSeries, last: date
) -> list[tuple[str, Decimal, Decimal, Decimal]]:
    """Return the long form of one day or week end: scenario, base, difference, balance."""
    base = series.balance(last) or 0
    return [
        (projection.nome, to_decimal(base), to_decimal(change), to_decimal(base + change))
        for projection in projections
        for change in (projection.difference_until(last),)
    ]


def find_alert(final: Decimal, saldo_minimo: Decimal) -> str | None:
    """Name the alert of a closing balance.

    >>> find_alert(Decimal("-0.01"), Decimal("100.00")), find_alert(Decimal("99.99"), Decimal("100.00"))
    ('Negativo', 'Abaixo do mínimo')
    """
    if final < 0:
        return NEGATIVE
    return BELOW_MINIMUM if final < saldo_minimo else None


def find_memo(position: Position, final_centavos: int, net: str) -> tuple[tuple[str, Decimal, str], ...]:
    """List the memo rows of R02 and R03: label, value, key of the column it stands in: `net` or the closing."""
    receive, pay, both = find_overdue_left_out(position)
    label = MEMO_RECURRENCES
    if position.parametros.projetar_infinitos:
        label += ", já incluídas na projeção"
    return (
        (MEMO_RECEBER, to_decimal(receive), net),
        (MEMO_PAGAR, to_decimal(pay), net),
        (MEMO_ALL_SETTLED, to_decimal(final_centavos + both), "saldo_final"),
        (label, to_decimal(estimate_missing_recurrences(position)), net),
    )


def memo_rows(memo: Iterable[tuple[str, Decimal, str]], columns: Sequence[Column]) -> list[Row]:
    """Place memo values in the columns of a flow."""
    rows = []
    for label, value, key in memo:
        cells: list[Value | Cell] = [None] * len(columns)
        cells[0] = Cell(label, Kind.TEXT)
        cells[find_place(columns, key)] = value
        rows.append(Row(tuple(cells), style=Style.MEMO))
    return rows


def _day_row(position: Position, series: CashSeries, day: date, projections: Sequence[Projection]) -> Row:
    today = position.data_base
    open_for_business = position.calendario.is_business_day(day)
    marks = set() if open_for_business else {Mark.NON_BUSINESS_DAY}
    if day == today:
        marks.add(Mark.TODAY)
    flow = series.flow(Period("", day, day))
    cells = amount_cells(flow)
    return Row(
        (
            day,
            WEEKDAYS[day.weekday()],
            "Sim" if open_for_business else "Não",
            "Realizado" if day < today else "Hoje" if day == today else "Projetado",
            *cells,
            find_alert(cells[-1], position.parametros.saldo_minimo),
            *projection_cells(projections, flow, day, today),
        ),
        key=f"dia_{day.isoformat()}",
        marks=frozenset(marks),
    )


SPEC: Final = ReportSpec(
    code="R02",
    name="daily_flow",
    sheet="Fluxo diário",
    title="Fluxo de caixa diário",
    question="Em que dia o caixa aperta?",
    family=Family.CASH,
    build=build_r02,
    keys={
        "r02": ("data",),
        "r02_memo": ("memo",),
    },
    lengths={"r02_memo": 4},
    totalled=frozenset({"r02"}),
)
