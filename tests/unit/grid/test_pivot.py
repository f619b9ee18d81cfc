"""A sheet read off its table: every figure of the table once, totals made of moments, nothing invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from lastro.calendar import add_months, month_end
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.pivot import build_total, list_rows, pivot, show_totals
from lastro.grid.sections import Row, Style
from lastro.grid.tables import Column, Period, Sum, Table
from lastro.grid.words import month_label

D = date(2026, 3, 16)
MARCH = date(2026, 3, 1)
AMOUNTS = st.integers(-10_000, 10_000).map(lambda centavos: Decimal(centavos).scaleb(-2))


def months_around() -> tuple[Period, ...]:
    past, future = add_months(MARCH, -1), add_months(MARCH, 1)
    return (
        Period(month_label(past), past, MARCH - timedelta(days=1), "realizado"),
        Period("mar/26 Realizado", MARCH, month_end(MARCH), "realizado"),
        Period("mar/26 A realizar", D, month_end(MARCH), "a_realizar"),
        Period("mar/26 Total", MARCH, month_end(MARCH), "total"),
        Period(month_label(future), future, month_end(future), "previsto"),
    )


def table_of(rows: Sequence[tuple[Value, ...]]) -> Table:
    columns = (
        Column("Conta id", Kind.INTEGER),
        Column("Mês", Kind.MONTH),
        Column("Momento", Kind.TEXT),
        Column("Valor", Kind.MONEY),
    )
    return Table("t", columns, tuple(rows), "")


@given(st.dictionaries(st.integers(1, 5), st.lists(AMOUNTS, min_size=4, max_size=4), max_size=4))
def test_a_pivot_shows_every_figure_once_and_its_totals_are_sums(figures: dict[int, list[Decimal]]) -> None:
    periods = months_around()
    single = [period for period in periods if period.momento != "total"]
    rows = [
        (conta, period.month, period.momento, value)
        for conta, values in figures.items()
        for period, value in zip(single, values, strict=True)
    ]
    found = pivot(table_of(rows), ("conta_id",), periods, "valor")
    assert list(found) == [(conta,) for conta in figures]
    for (conta,), cells in found.items():
        assert isinstance(conta, int)
        assert [*cells[:3], *cells[4:]] == figures[conta]
        assert cells[3] == cells[1] + cells[2]  # type: ignore[operator]


def test_balances_take_the_first_and_the_last() -> None:
    rows = [(1, MARCH, "realizado", Decimal("5.00")), (1, MARCH, "a_realizar", None)]
    for how, total in ((Sum.FLOW, Decimal("5.00")), (Sum.OPENING, Decimal("5.00")), (Sum.CLOSING, None)):
        cells = pivot(table_of(rows), ("conta_id",), months_around(), "valor", how)[(1,)]
        assert cells == (None, Decimal("5.00"), None, total, None)


def test_rows_are_read_by_key_in_the_order_asked_for() -> None:
    rows = [(1, MARCH, "realizado", Decimal("5.00"))]
    assert list_rows(table_of(rows), ("valor", "conta_id")) == [(Decimal("5.00"), 1)]


COLUMNS = (
    Column("Dia", Kind.INTEGER),
    Column("Abre", Kind.MONEY, sums=Sum.OPENING),
    Column("Move", Kind.MONEY),
    Column("Fecha", Kind.MONEY, sums=Sum.CLOSING),
)


def test_a_total_adds_amounts_and_of_counts_those_that_are_named() -> None:
    days = [(1, "1.00", "2.00", "3.00"), (2, "3.00", "4.00", "7.00"), (3, "7.00", "-9.00", "-2.00")]
    rows = [Row((day, *map(Decimal, amounts))) for day, *amounts in days]
    total = build_total(COLUMNS, rows, "Total")
    assert (total.style, [str(cell) for cell in total.cells[1:]]) == (Style.TOTAL, ["1.00", "-3.00", "-2.00"])
    named = build_total(
        (Column("Nome", Kind.TEXT), *COLUMNS), [Row(("a", *row.cells)) for row in rows], "=", only={"dia"}
    )
    assert named.cells == (Cell("=", Kind.TEXT), 6, None, None, None)


def test_totals_stand_under_the_columns_of_their_figures() -> None:
    columns = (Column("Id", Kind.INTEGER), Column("Nome", Kind.TEXT), Column("Valor", Kind.MONEY))
    totals = Table(
        "t_total",
        (Column("Código", Kind.TEXT), Column("Linha", Kind.TEXT), columns[2]),
        (("total", "Todos", Decimal("3.00")),),
        "",
    )
    (shown,) = show_totals(totals, columns[1:])
    assert (shown.cells, shown.style) == (("Todos", Decimal("3.00")), Style.TOTAL)
    memo = replace(totals, rows=(("resto", "Resto", None),))
    (shown,) = show_totals(memo, columns)
    assert (shown.cells, shown.style) == ((Cell("Resto", Kind.TEXT), None, None), Style.MEMO)
