"""R01: the golden balances (section 5), cards, accounts without opening balance, statement balances."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.cash_series import LINE_SAIDAS
from lastro.calendar import month_end
from lastro.grid.cells import UNDEFINED
from lastro.grid.sections import Mark
from lastro.grid.workbook import Report
from lastro.reports.r01_balances import SPEC as R01
from lastro.settings import Conta, Parametros, SaldoConferido
from lastro.transform.openings import list_configured
from lastro.transform.position import Position
from tests.bare import store_statements
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.positions import moved as entry
from tests.unit.reports.readers import record, records, section, table, value
from tests.views import view_of

NOTHING = entry(9, "0.00", "2026-03-10")


def column_of(report: Report, key: str) -> dict[str | None, Any]:
    """What the sheet prints of an account (or a total): key of the row -> cell."""
    found = section(report, "saldos_por_conta")
    return {row.key: value(row.cells[found.place(key)]) for row in found.rows}


def test_rows_name_the_days_and_the_keys_do_not() -> None:
    report = R01.build(view_of(make_golden()))
    labels = {row.key: row.cells[0] for row in section(report, "saldos_por_conta").rows}
    assert (labels["saldo_em_d_1"], labels["saldo_em_d"]) == ("Saldo em 15/03/2026", "Saldo em 16/03/2026")
    assert all(
        (Mark.BALANCE in row.marks) is str(row.cells[0]).startswith("Saldo em ")
        for row in section(report, "saldos_por_conta").rows
    )
    assert [column.key for column in table(report, "saldos_por_conta").columns][4] == "saldo_em_d_1"


def test_movements_of_the_day_lead_from_yesterday_to_today() -> None:
    position = make_position(
        [
            entry(1, "100.00", "2026-03-10"),
            entry(2, "30.00", "2026-03-16"),
            entry(3, "-8.00", "2026-03-16", categoria_id=21),
            entry(4, "500.00", "2026-03-16", categoria_id=30),
            entry(5, "-2.00", "2026-03-16", categoria_id=None, lancamento_transferencia_id=99),
            entry(6, "7.00", "2026-03-16", paid=False),
        ],
        parametros=Parametros(dre_mapa={30: "fora"}),
    )
    row = record(table(R01.build(view_of(position)), "saldos_por_conta"), conta_id=101)
    assert [row[name] for name in ("Saldo em 15/03/2026", "Entradas do dia", "Saídas do dia")] == [
        Decimal("100.00"), Decimal("30.00"), Decimal("-8.00"),
    ]  # fmt: skip
    assert (row["Não operacional do dia"], row["Transferências do dia"]) == (Decimal("500.00"), Decimal("-2.00"))
    assert (row["Saldo em 16/03/2026"], row["A realizar 7 dias"], row["Saldo em D+7"]) == (
        Decimal("620.00"), Decimal("7.00"), Decimal("627.00"),
    )  # fmt: skip


def test_control_that_starts_on_the_data_base_adds_its_opening_today() -> None:
    conta = Conta(101, "Banco", Decimal("50.00"), date(2026, 3, 16))
    row = record(
        table(R01.build(view_of(make_position([entry(1, "5.00", "2026-03-16")], contas=[conta]))), "saldos_por_conta"),
        conta_id=101,
    )
    assert (row["Saldo em 15/03/2026"], row["Saldo em 16/03/2026"]) == (None, Decimal("55.00"))


def test_undefined_balance_is_not_zero() -> None:
    position = make_position([NOTHING], contas=[Conta(101, "Banco", Decimal("50.00"), date(2026, 4, 1))])
    report = R01.build(view_of(position))
    shown = column_of(report, "conta_101")
    assert shown["saldo_em_d"] is UNDEFINED
    assert shown["menor_saldo_projetado"] is UNDEFINED
    assert record(table(report, "saldos_por_conta"), conta_id=101)["Saldo em 16/03/2026"] is None


def test_account_without_opening_balance_is_marked_as_variation() -> None:
    report = R01.build(view_of(make_position([entry(1, "5.00", "2026-03-10", conta_id=109)])))
    headers = [column.header for column in section(report, "saldos_por_conta").columns]
    assert "Conta #109 (variação, não saldo)" in headers
    assert any("Conta #109" in note for note in section(report, "saldos_por_conta").notes)


def test_entries_without_account_stand_in_their_own_column() -> None:
    report = R01.build(view_of(make_position([entry(1, "5.00", "2026-03-10", conta_id=None)])))
    assert record(table(report, "saldos_por_conta"), conta_id=None)["Saldo em 16/03/2026"] == Decimal("5.00")
    assert (column_of(report, "conta_sem")["saldo_em_d"], column_of(report, "total")["saldo_em_d"]) == (
        Decimal("5.00"), Decimal("5.00"),
    )  # fmt: skip


def test_credit_card_stands_behind_the_available_money() -> None:
    contas = [
        Conta(101, "Banco", Decimal("100.00"), date(2026, 1, 1)),
        Conta(102, "Cartão Visa", Decimal("0.00"), date(2026, 1, 1), tipo="cartao"),
    ]
    entries = [entry(1, "-30.00", "2026-03-10", conta_id=102, categoria_id=21)]
    report = R01.build(view_of(make_position(entries, contas=contas)))
    columns = section(report, "saldos_por_conta").columns[1:]
    assert [(column.header, column_of(report, column.key)["saldo_em_d"]) for column in columns] == [
        ("Banco", Decimal("100.00")),
        ("Disponível", Decimal("100.00")),
        ("Cartão Visa", Decimal("-30.00")),
        ("Cartões", Decimal("-30.00")),
        ("Total", Decimal("70.00")),
    ]
    assert column_of(report, "disponivel")["menor_saldo_projetado"] == Decimal("100.00")
    assert column_of(report, "total")["menor_saldo_projetado"] == Decimal("70.00")


def test_accounts_are_sorted_by_balance_then_id() -> None:
    contas = [
        Conta(number, f"C{number}", Decimal(valor), date(2026, 1, 1))
        for number, valor in ((101, "5.00"), (102, "9.00"), (103, "5.00"))
    ]
    found = records(table(R01.build(view_of(make_position([NOTHING], contas=contas))), "saldos_por_conta"))
    assert [row["Conta id"] for row in found] == [102, 101, 103]


def test_difference_to_the_latest_statement_up_to_the_data_base() -> None:
    contas = [
        Conta(
            101,
            "Banco",
            Decimal("100.00"),
            date(2026, 1, 1),
            saldos_conferidos=(
                SaldoConferido(date(2026, 2, 28), Decimal("999.00")),
                SaldoConferido(date(2026, 3, 12), Decimal("103.00")),
                SaldoConferido(date(2026, 3, 17), Decimal("777.00")),
            ),
        )
    ]
    position = make_position([entry(1, "5.00", "2026-03-12"), entry(2, "50.00", "2026-03-13")], contas=contas)
    position = _with_statements(position, contas)
    row = record(table(R01.build(view_of(position)), "saldos_por_conta"), conta_id=101)
    assert (row["Saldo conferido"], row["Diferença"]) == (Decimal("103.00"), Decimal("2.00"))


def _with_statements(position: Position, contas: list[Conta]) -> Position:
    return replace(position, extrato_saldos=store_statements(list_configured(contas), set()))


def test_the_series_adds_what_was_paid_in_a_month_and_what_is_to_be() -> None:
    march = view_of(make_golden()).series.moved(date(2026, 3, 1), month_end(expected.D), "total", None)
    assert march[LINE_SAIDAS].tolist() == [-72000, -90000]


@pytest.mark.parametrize(
    ("saldos", "situacao", "diferenca"),
    [
        ([("2026-02-28", "7900.00")], "Confere", "0.00"),
        ([("2026-01-31", "8500.00")], "Desatualizada", "0.00"),  # 44 days before D
        ([("2026-02-09", "12000.00")], "Confere", "0.00"),  # 35 days before D: 10000 - 1500 + 5000 - 1500
        ([("2026-02-08", "12000.00")], "Desatualizada", "0.00"),  # 36 days
        ([("2026-01-31", "8500.01")], "Não confere", "-0.01"),  # a difference does not grow stale
        ([("2026-01-31", "1.00"), ("2026-02-28", "7900.00")], "Confere", "0.00"),  # the latest one speaks
        ([("2026-03-17", "1.00")], "Sem conferência", None),  # after D
        ([("2025-12-31", "1.00")], "Não confere", "indefinido"),  # before the control there is no balance
    ],
)
def test_what_the_latest_statement_says(saldos: list[tuple[str, str]], situacao: str, diferenca: str | None) -> None:
    contas = [
        Conta(101, saldos_conferidos=tuple(SaldoConferido(date.fromisoformat(day), Decimal(v)) for day, v in saldos))
    ]
    position = _with_statements(make_golden(), contas)
    report = R01.build(view_of(position))
    row = record(table(report, "saldos_por_conta"), conta_id=101)
    assert row["Conferência"] == situacao
    shown = column_of(report, "conta_101").get("diferenca")
    assert shown == (None if diferenca is None else UNDEFINED if diferenca == "indefinido" else Decimal(diferenca))
    assert record(table(report, "saldos_por_conta"), conta_id=102)["Conferência"] == "Sem conferência"
