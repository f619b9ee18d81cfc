"""R02 Fluxo de caixa diário: on which day does cash get tight?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.calendar import iter_days, iter_months, month_end, month_start
from lastro.money import to_decimal
from lastro.reports.cash import (
    IMPLANTADOS,
    LINE_ENTRADAS,
    LINE_NAO_OPERACIONAL,
    LINE_SAIDAS,
    PREVISTO,
    REALIZADO,
    CashSeries,
    Flow,
    Period,
    build_series,
    estimate_missing_recurrences,
    find_last_day,
    find_overdue_left_out,
    provisional_notes,
)
from lastro.reports.model import (
    WEEKDAYS,
    Cell,
    Column,
    Kind,
    Mark,
    Report,
    Row,
    Section,
    Style,
    Table,
    Value,
    month_label,
)

if TYPE_CHECKING:
    from lastro.transform.position import Position

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


def build_r02(position: Position, series: CashSeries | None = None) -> Report:
    """Build the sheet Fluxo diário: every day from the first of D's month to D+44.

    Args:
        position: the position.
        series: its cash series, built when not given.

    Returns:
        Grain day. A month's total and the overall one show the first opening and the last closing. Memo rows stand
        below: amounts under "Líquido do dia", the balance under "Saldo final".
    """
    series = build_series(position) if series is None else series
    columns = (
        Column("Data", Kind.DATE),
        Column("Dia", Kind.TEXT, width=6),
        Column("Dia útil", Kind.TEXT, width=9),
        Column("Tipo", Kind.TEXT, width=12),
        *amount_columns("Líquido do dia"),
    )
    first, last = month_start(position.data_base), find_last_day(position)
    rows: list[Row] = []
    for month in iter_months(first, last):
        end = min(month_end(month), last)
        rows.extend(_day_row(position, series, day) for day in iter_days(month, end))
        flow = series.flow(Period("", month, end))
        rows.append(
            Row(
                (Cell(f"Total {month_label(month)}", Kind.TEXT), None, None, None, *amount_cells(flow), None),
                style=Style.SUBTOTAL,
            )
        )
    whole = series.flow(Period("", first, last))
    rows.append(Row((Cell("Total", Kind.TEXT), None, None, None, *amount_cells(whole), None), style=Style.TOTAL))
    memo = find_memo(position, whole.final or 0)
    rows.extend(memo_rows(memo, columns))
    section = Section("r02", columns, tuple(rows), notes=provisional_notes(series))
    tables = (
        Table(
            "r02",
            columns,
            tuple(
                tuple(value.value if isinstance(value, Cell) else value for value in row.cells)
                for row in rows
                if row.style is Style.NORMAL
            ),
            "R02: um dia do fluxo de caixa, do início do mês da data-base ao fim do horizonte (S4, V02)",
        ),
        Table(
            "r02_memo",
            (Column("Memo", Kind.TEXT), Column("Valor", Kind.MONEY)),
            tuple((label, value) for label, value, _ in memo),
            "R02: linhas de memória do fluxo diário, fora dos saldos",
        ),
    )
    question = "Em que dia o caixa aperta?"
    return Report("R02", "Fluxo diário", "Fluxo de caixa diário", question, (section,), tables)


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


def find_alert(final: Decimal, saldo_minimo: Decimal) -> str | None:
    """Name the alert of a closing balance.

    >>> find_alert(Decimal("-0.01"), Decimal("100.00")), find_alert(Decimal("99.99"), Decimal("100.00"))
    ('Negativo', 'Abaixo do mínimo')
    """
    if final < 0:
        return NEGATIVE
    return BELOW_MINIMUM if final < saldo_minimo else None


def find_memo(position: Position, final_centavos: int) -> tuple[tuple[str, Decimal, str], ...]:
    """List the memo rows of R02 and R03: label, value, header of the column it stands in ("" = the net)."""
    receive, pay, both = find_overdue_left_out(position)
    label = MEMO_RECURRENCES
    if position.parametros.projetar_infinitos:
        label += ", já incluídas na projeção"
    return (
        (MEMO_RECEBER, to_decimal(receive), ""),
        (MEMO_PAGAR, to_decimal(pay), ""),
        (MEMO_ALL_SETTLED, to_decimal(final_centavos + both), "Saldo final"),
        (label, to_decimal(estimate_missing_recurrences(position)), ""),
    )


def memo_rows(memo: Iterable[tuple[str, Decimal, str]], columns: Sequence[Column]) -> list[Row]:
    """Place memo values in the columns of a flow: the net column stands just before "Saldo final"."""
    final = [column.header for column in columns].index("Saldo final")
    rows = []
    for label, value, header in memo:
        cells: list[Value | Cell] = [None] * len(columns)
        cells[0] = Cell(label, Kind.TEXT)
        cells[final if header == "Saldo final" else final - 1] = value
        rows.append(Row(tuple(cells), style=Style.MEMO))
    return rows


def _day_row(position: Position, series: CashSeries, day: date) -> Row:
    today = position.data_base
    open_for_business = position.calendario.is_business_day(day)
    marks = set() if open_for_business else {Mark.NON_BUSINESS_DAY}
    if day == today:
        marks.add(Mark.TODAY)
    cells = amount_cells(series.flow(Period("", day, day)))
    return Row(
        (
            day,
            WEEKDAYS[day.weekday()],
            "Sim" if open_for_business else "Não",
            "Realizado" if day < today else "Hoje" if day == today else "Projetado",
            *cells,
            find_alert(cells[-1], position.parametros.saldo_minimo),
        ),
        key=f"dia_{day.isoformat()}",
        marks=frozenset(marks),
    )
