"""R01's statements (S23): the golden cases A2, A3 and A6, on the sheet, in `mart.extratos` and in V19 and V38."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import pandas as pd

from lastro.grid.workbook import Report
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room
from lastro.reports.r00_cover import SPEC as R00
from lastro.reports.r01_balances import SPEC as R01
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.settings import Conta, SaldoConferido
from lastro.transform.position import Position
from tests.damages import judge_damaged, list_unseen
from tests.golden import dataset
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import check_reports, view_of


def make(
    saldos: list[tuple[str, str]], valor: str | None = None, poupanca: list[tuple[str, str]] | None = None
) -> Position:
    payloads: dict[str, Any] = dataset.payloads()
    typed, other = (
        tuple(SaldoConferido(date.fromisoformat(day), Decimal(value)) for day, value in own)
        for own in (saldos, poupanca or [])
    )
    alfa = Conta(101, "Banco Alfa", None if valor is None else Decimal(valor), saldos_conferidos=typed)
    lists = ("cobrancas", "categorias", "clientes", "fornecedores")
    return make_position(
        payloads["lancamentos"],
        contas=[alfa, Conta(102, "Poupança", saldos_conferidos=other)],
        **{name: payloads[name] for name in lists},
    )


BORN = ("Nasceu no período", "Papel")


def statements(report: Report) -> list[tuple[Any, ...]]:
    return [
        tuple(str(row[name]) for name in ("Dia", "Extrato", "Livro", "Em trânsito", "Diferença", *BORN))
        for row in records(table(report, "extratos"))
    ]


A2 = [("2026-02-28", "8004.68"), ("2026-03-16", "12348.78")]


@cache
def make_a2() -> tuple[Position, Report]:
    position = make(A2)
    return position, R01.build(view_of(position))


def test_a2_a_later_statement_tells_in_which_period_a_difference_was_born() -> None:
    position, report = make_a2()
    assert_well_formed(report)
    assert statements(report) == [
        ("2026-02-28", "8004.68", "8004.68", "0.00", "0.00", "0.00", "âncora"),
        ("2026-03-16", "12348.78", "13884.68", "0.00", "1535.90", "1535.90", "conferência"),
    ]
    row = record(table(report, "saldos_por_conta"), conta_id=101)
    assert (row["Abertura calculada"], row["Diferença"]) == (Decimal("10104.68"), Decimal("1535.90"))
    assert record(table(report, "saldos_por_conta"), conta_id=102)["Abertura calculada"] is None
    assert check_reports("V19", position, report).situacao == "falhou"
    assert check_reports("V38", position, report).situacao == "ok"


def test_a1_moves_every_balance_of_the_past_by_the_openings_and_nothing_else() -> None:
    plain, typed = (
        {(row["Mês"], row["Momento"], row["Linha"], row["Categoria"]): row["Valor"] for row in records(found)}
        for position in (make([]), make([("2026-02-28", "7900.00")], poupanca=[("2026-03-16", "2200.00")]))
        for found in [table(R04.build(view_of(position)), "fluxo_mensal")]
    )
    assert plain.keys() == typed.keys()
    moved = {key[2] for key in plain if typed[key] - plain[key] == Decimal("12000.00")}
    assert moved == {"saldo_inicial", "saldo_final"}
    assert all(typed[key] - plain[key] == (Decimal("12000.00") if key[2] in moved else 0) for key in plain)
    closing = {key[0]: value for key, value in typed.items() if key[1:3] == ("realizado", "saldo_final")}
    assert [closing[date(2026, month, 1)] for month in (1, 2, 3)] == [
        Decimal("10500.00"), Decimal("10700.00"), Decimal("15980.00"),
    ]  # fmt: skip


def test_the_card_of_the_cover_holds_the_books_against_the_newest_statement() -> None:
    cover = R00.build(view_of(make(A2, poupanca=[("2026-03-16", "2200.00")]))).cover
    assert cover is not None
    assert cover.tiles[0].lines[1] == "Banco Alfa em 16/03: 12.348,78 · o livro tem 1.535,90 a mais"


def test_the_card_names_what_it_took_off() -> None:
    """On 04/02 the books have 13500.00, of which 5000.00 is in transit: 8600.00 at the bank is 100.00 more."""
    early = make([("2026-02-04", "8600.00")])
    statements = early.extrato_saldos
    later = make([("2026-01-31", "8500.00")], poupanca=[("2026-03-16", "2200.00")])
    position = replace(later, extrato_saldos=pd.concat([later.extrato_saldos.iloc[:1], statements], ignore_index=True))
    cover = R00.build(view_of(position)).cover
    assert cover is not None
    assert cover.tiles[0].lines[1] == (
        "Banco Alfa em 04/02: 8.600,00 · o livro tem 100,00 a menos (sem 5.000,00 em trânsito)"
    )


def test_a3_what_is_in_transit_is_no_difference() -> None:
    position = make([("2026-02-04", "8500.00"), ("2026-02-28", "7900.00")])
    report = R01.build(view_of(position))
    assert statements(report) == [
        ("2026-02-04", "8500.00", "13500.00", "5000.00", "0.00", "0.00", "âncora"),
        ("2026-02-28", "7900.00", "7900.00", "0.00", "0.00", "0.00", "conferência"),
    ]
    assert [check_reports(rule, position, report).situacao for rule in ("V19", "V38")] == ["ok", "ok"]
    ofx = position.extrato_saldos.iloc[:1].assign(origem="ofx", papel="preterido")  # the bank's file says it, too
    position = replace(position, extrato_saldos=pd.concat([position.extrato_saldos, ofx], ignore_index=True))
    assert [check_reports(rule, position, report).situacao for rule in ("V19", "V38")] == ["ok", "ok"]


def test_a6_a_configured_opening_is_checked_by_every_statement() -> None:
    position = make([("2026-02-28", "7900.00")], valor="9000.00")
    report = R01.build(view_of(position))
    assert statements(report) == [
        ("2026-02-28", "7900.00", "6900.00", "0.00", "-1000.00", "-1000.00", "conferência"),
    ]  # fmt: skip
    assert record(table(report, "saldos_por_conta"), conta_id=101)["Abertura calculada"] is None


def test_the_sheet_has_the_twelve_newest_of_an_account_and_the_table_those_of_thirteen_months() -> None:
    days = [dataset.DATA_BASE - timedelta(days=30 * number) for number in range(20)]
    report = R01.build(view_of(make([(day.isoformat(), "1.00") for day in days])))
    kept = [day for day in days if day >= date(2025, 2, 16)]
    kept_rows = records(table(report, "extratos"))
    assert [row["Dia"] for row in kept_rows] == [min(days), *sorted(kept)]  # the anchor, however old
    assert sum(row["Nasceu no período"] for row in kept_rows) == kept_rows[-1]["Diferença"] != 0
    assert [row.cells[1] for row in section(report, "extratos").rows] == sorted(kept)[-12:]
    assert len(kept) == 14


def test_v38_sees_a_damaged_table() -> None:
    position, report = make_a2()
    room = open_room(position, reports=[report])
    assert list_unseen("V38", room, "mart.extratos", "livro") == []
    for damage in (
        "DELETE FROM mart.extratos WHERE rowid > 0",
        "INSERT INTO mart.extratos SELECT * REPLACE (DATE '2026-03-15' AS dia) FROM mart.extratos WHERE rowid = 1",
    ):
        assert judge_damaged(read_queries()["V38"], room, damage).failed
