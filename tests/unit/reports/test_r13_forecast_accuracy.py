"""R13: forecast of a stored run against what happened."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.forecast_accuracy import (
    DEVIATIONS,
    LEADS,
    choose_run,
    compare_period,
    list_periods,
    measure_accuracy,
    plan_forecasts,
)
from lastro.grid.verdict import Verification
from lastro.grid.workbook import Report
from lastro.money import to_decimal
from lastro.reports.r13_forecast_accuracy import SPEC as R13
from lastro.transform.position import Position
from tests.golden import expected
from tests.unit.reports.compared_runs import SEEDS, A, B, golden_runs, move_to, random_runs
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import check_reports, view_of

P0, P1 = date(2026, 3, 1), date(2026, 3, 16)


def v18(position: Position, report: Report) -> Verification:
    return check_reports("V18", position, report)


def waterfall(now: Position, before: Position, first: date = P0, last: date = P1) -> dict[str, dict[int, Decimal]]:
    """Class -> linha -> r-p, zero amounts left out."""
    found: dict[str, dict[int, Decimal]] = {}
    for row in compare_period(now, before, first, last).to_dict("records"):
        amount = row["realizado_centavos"] - row["previsto_centavos"]
        if amount:
            found.setdefault(row["desvio"], {})[row["linha_id"]] = to_decimal(amount)
    return found


def test_golden_waterfall_and_accuracy() -> None:
    now, before = golden_runs()
    compared = compare_period(now, before, P0, P1)
    assert set(compared.loc[compared["previsto"], "linha_id"]) == expected.R13["previsto_linhas"]
    assert waterfall(now, before) == expected.R13["cascata_linhas"]
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))
    assert record(table(report, "previsto_realizado_desvios"), item="Previsto")["Valor"] == expected.R13["previsto"]
    assert record(table(report, "previsto_realizado_desvios"), item="Realizado")["Valor"] == expected.R13["realizado"]
    for name in DEVIATIONS:
        assert record(table(report, "previsto_realizado_desvios"), item=name)["Valor"] == expected.R13["cascata"].get(
            name, 0
        )
    month = record(table(report, "previsto_realizado"), de=P0, antecedencia_dias=0)
    assert (month["Previsto"], month["WAPE"], month["Aderência"], month["Viés"]) == (
        expected.R13["previsto"], expected.R13["wape"], expected.R13["aderencia"], expected.R13["vies"],
    )  # fmt: skip
    assert measure_accuracy(now, before, P0, P1).erro_absoluto == 251000
    assert (v18(now, report).situacao, v18(now, report).encontrado) == ("ok", expected.R13["realizado"])


def test_the_largest_differences_lead_to_their_entries() -> None:
    now, before = golden_runs()
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))
    assert [(row["Lançamento"], row["Diferença"]) for row in records(table(report, "previsto_realizado_maiores"))] == [
        (1014, Decimal("6000.00")),
        (1004, Decimal("1500.00")),
        (1012, Decimal("-1000.00")),
        (1010, Decimal("-10.00")),
    ]
    assert records(section(report, "previsto_realizado_maiores"))[1]["Lançamento"].key == "linha_id=1004"


def test_leads_take_the_latest_run_that_was_early_enough() -> None:
    runs = {1: date(2026, 1, 30), 2: date(2026, 2, 22), 3: date(2026, 2, 28), 4: date(2026, 2, 28), 5: P0}
    assert [choose_run(runs, P0, lead) for lead in LEADS] == [4, 2, 1, None, None]
    assert choose_run({}, P0, 0) is None
    assert choose_run({1: P0 - timedelta(days=7)}, P0, 7) == 1


def test_periods_end_on_the_eve() -> None:
    def spans(day: date) -> list[tuple[date, date]]:
        return [(period.first, period.last) for period in list_periods(day)]

    # A Thursday, the first of a month: nothing of January is before it.
    assert spans(date(2026, 1, 1))[:2] == [
        (date(2025, 12, 1), date(2025, 12, 31)),
        (date(2025, 12, 29), date(2025, 12, 31)),
    ]
    assert len(spans(date(2026, 1, 1))) == 6
    # A Monday: its week has no day before it.
    assert spans(B)[:3] == [
        (P0, date(2026, 3, 15)),
        (date(2026, 2, 1), date(2026, 2, 28)),
        (date(2026, 3, 9), date(2026, 3, 15)),
    ]
    assert len(spans(date(2026, 3, 18))) == 7


def test_what_has_no_history_is_one_sentence() -> None:
    now, before = golden_runs()
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))
    # The run of Friday 27/02 is early enough, by hand, for 01/03 (eve), 02/03 (eve) and 09/03 (eve and a week).
    found = [(row["De"], row["Antecedência (dias)"]) for row in records(table(report, "previsto_realizado"))]
    assert found == [(P0, 0), (date(2026, 3, 9), 0), (date(2026, 3, 9), 7), (date(2026, 3, 2), 0)]
    assert section(report, "previsto_realizado").notes[-1].startswith("Sem histórico: 26 de 30 pares")


def test_payments_of_the_day_itself_are_no_miss() -> None:
    before = make_position([_entry(1, "2026-03-16"), _entry(2, "2026-03-13")], data_base=A)
    now = make_position([_entry(1, "2026-03-16"), _entry(2, "2026-03-13", "2026-03-13")], data_base=B)
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))
    month = record(table(report, "previsto_realizado"), de=P0, antecedencia_dias=0)
    assert (month["Previsto"], month["Realizado"], month["Aderência"]) == (
        Decimal("-100.00"), Decimal("-100.00"), Decimal("100.00"),
    )  # fmt: skip
    assert v18(now, report).situacao == "ok"


def test_without_history_the_sheet_shows_due_against_paid() -> None:
    now = make_golden()
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {}), runs={}))
    assert [part.name for part in report.sections] == ["previsto_realizado", "previsto_realizado_vencimento"]
    shown = section(report, "previsto_realizado")
    assert (table(report, "previsto_realizado").rows, shown.rows, shown.notes) == ((), (), ())
    assert shown.empty.startswith("Sem histórico: nenhuma execução completa")
    assert table(report, "previsto_realizado_desvios").rows == ()
    assert table(report, "previsto_realizado_maiores").rows == ()
    assert v18(now, report).situacao == "não se aplica"
    # By hand: due in March to pay are 1004 -1500, 1010 -120, 1016 -900, 1019 -600, of which 1010 and 1019 were paid.
    assert record(table(report, "previsto_realizado_vencimento"), mes_de_vencimento=P0, tipo="A pagar") == {
        "Mês de vencimento": P0, "Tipo": "A pagar", "Vencia": Decimal("-3120.00"), "Pago no mês": Decimal("-720.00"),
        "Pago antes": Decimal("0.00"), "Pago depois": Decimal("0.00"), "Em aberto": Decimal("-2400.00"),
        "% realização": Decimal("23.08"), "Código do tipo": "P",
    }  # fmt: skip
    january = record(
        table(report, "previsto_realizado_vencimento"), mes_de_vencimento=date(2026, 1, 1), tipo="A receber"
    )
    assert (january["Vencia"], january["Pago depois"], january["% realização"]) == (
        Decimal("5000.00"), Decimal("5000.00"), Decimal("0.00"),
    )  # fmt: skip


ROW = {"conta_id": 101, "categoria_id": 21, "valor": "-100.00", "data_competencia": "2026-03-01"}


TRANSFER = {"lancamento_transferencia_id": 70}


def _entry(number: int, due: str, paid: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": number, **ROW, "data_vencimento": due, "data_pagamento": paid, **fields}


CLASSES: tuple[tuple[dict[str, Any] | None, dict[str, Any] | None, str], ...] = (
    (_entry(1, "2026-03-10"), _entry(1, "2026-03-10", "2026-03-11", valor="-130.00"), "Mudança de valor"),
    (_entry(2, "2026-03-10"), None, "Excluídos"),
    (_entry(3, "2026-03-16"), _entry(3, "2026-03-16"), "A realizar"),
    (_entry(4, "2026-03-10"), _entry(4, "2026-03-10"), "Adiados"),
    (_entry(5, "2026-03-10"), _entry(5, "2026-04-10"), "Adiados"),
    (_entry(6, "2026-03-10"), _entry(6, "2026-03-10", "2026-02-28"), "Pagos antes"),
    (_entry(7, "2026-03-10"), _entry(7, "2026-03-10", "2026-03-09", **TRANSFER), "Outros (previsto)"),
    (None, _entry(8, "2026-03-10", "2026-03-09"), "Novos"),
    (_entry(9, "2026-03-20"), _entry(9, "2026-03-20", "2026-03-09"), "Antecipados"),
    (_entry(10, "2026-02-10"), _entry(10, "2026-02-10", "2026-03-09"), "Atrasados recuperados"),
    (_entry(11, "2026-02-10", "2026-02-11"), _entry(11, "2026-02-10", "2026-03-09"), "Outros (realizado)"),
)


def test_the_sheet_has_the_last_thirteen_months_of_due_days() -> None:
    report = R13.build(view_of(make_position([_entry(1, "2025-02-28"), _entry(2, "2025-03-01")])))
    name = "previsto_realizado_vencimento"
    months = [{row["Mês de vencimento"] for row in records(part(report, name))} for part in (table, section)]
    assert months == [{date(2025, 2, 1), date(2025, 3, 1)}, {date(2025, 3, 1)}]


def test_each_linha_is_in_exactly_one_class() -> None:
    before = make_position([then for then, _, _ in CLASSES if then], data_base=A)
    now = make_position([here for _, here, _ in CLASSES if here], data_base=B)
    found = sorted((linha, name) for name, linhas in waterfall(now, before).items() for linha in linhas)
    assert found == [(number, name) for number, (_, _, name) in enumerate(CLASSES, 1)]
    report = R13.build(view_of(now, forecasts=plan_forecasts(B, {1: A}), runs={1: before}))
    assert v18(now, report).situacao == "ok"


def test_an_item_that_became_a_row_is_the_same_linha() -> None:
    now, _ = golden_runs("C")
    _, before = golden_runs("A")
    # Composite 8001 was due and paid on 27/02: a forecast of 26/02 knew its nested items.
    eve = move_to(make_golden("A", anterior=True), date(2026, 2, 26))
    compared = compare_period(now, eve, date(2026, 2, 27), date(2026, 2, 27))
    assert compared["desvio"].tolist() == ["Mudança de valor"] * 3
    assert before.data_base == A


def test_a_run_inside_the_period_counts_what_it_had_paid() -> None:
    now, before = golden_runs()
    compared = compare_period(now, before, date(2026, 2, 20), P1)
    # Paid by 27/02 and in the period: the refund and the three linhas of the composite.
    assert {1007, 1008, 1009, 1017} <= set(compared.loc[compared["previsto"], "linha_id"])


@pytest.fixture(scope="module", params=SEEDS)
def runs(request: pytest.FixtureRequest) -> tuple[Position, Position]:
    return random_runs(request.param)


def test_random_companies_close_v18(runs: tuple[Position, Position]) -> None:
    now, before = runs
    report = R13.build(view_of(now, forecasts=plan_forecasts(now.data_base, {1: before.data_base}), runs={1: before}))
    assert_well_formed(report)
    assert not v18(now, report).failed
