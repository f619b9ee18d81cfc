"""R09: the golden figures, charges as annotations, and the business-day rule."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lastro.grid.cells import Link
from lastro.grid.sections import Mark
from lastro.reports.r09_receivables import SPEC as R09
from tests.golden import expected
from tests.marks import EACH_SHAPE
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


@pytest.mark.parametrize("forma", EACH_SHAPE)
def test_golden_figures_in_every_shape_of_the_composite(forma: str) -> None:
    report = R09.build(view_of(make_golden(forma)))
    assert_well_formed(report)
    faixas = section(report, "a_receber_faixas")
    for row in records(faixas)[:6]:
        assert row["Valor"] == expected.R09["faixas"].get(row["Faixa"], ZERO)
    assert record(faixas, faixa="Total")["Valor"] == expected.R09["total"]
    assert record(faixas, faixa="Vencido")["Valor"] == expected.R09["vencido"]
    assert record(faixas, faixa="Vencido efetivo")["Valor"] == expected.R09["vencido_efetivo"]
    assert record(faixas, faixa="Em carência")["Valor"] == expected.R09["em_carencia"]
    detail = section(report, "a_receber")
    assert {row["Título"] for row in records(detail) if row["Dias de atraso"] > 0} == expected.R09["ra"]
    assert not {row["Título"] for row in records(detail)} & expected.R09["ausentes"]
    oldest, grace = record(detail, titulo_id=1011), record(detail, titulo_id=1012)
    wanted = expected.R09["titulos"][1011]
    assert (oldest["Dias de atraso"], oldest["Multa est."], oldest["Juros est."], oldest["Valor atualizado"]) == (
        wanted["dias"], wanted["multa"], wanted["juros"], wanted["atualizado"],
    )  # fmt: skip
    assert grace["Situação"] == expected.R09["titulos"][1012]["situacao"]
    assert (grace["Multa est."], grace["Juros est."]) == (ZERO, ZERO)


def test_overdue_with_a_paid_charge_says_so_and_is_explained() -> None:
    report = R09.build(view_of(make_golden()))
    detail = section(report, "a_receber")
    url = "https://cobranca.exemplo/pagar/hash9003"
    assert record(detail, titulo_id=1011)["Cobrança"] == Link("cobrança consta paga (Cliente pagou)", url=url)
    assert record(detail, titulo_id=1012)["Cobrança"].text == "Pendente"
    assert record(detail, titulo_id=1015)["Cobrança"] == "sem cobrança"  # its charge was cancelled
    faixas = section(report, "a_receber_faixas")
    assert record(faixas, faixa="Vencido com cobrança paga")["Valor"] == Decimal("2400.00")
    assert record(faixas, faixa="Vencido sem explicação")["Valor"] == ZERO
    assert record(table(report, "a_receber"), titulo_id=1011)["Cobrança"] == "cobrança consta paga (Cliente pagou)"


def test_more_than_ninety_days_is_marked() -> None:
    marks = {row.cells[0]: row.marks for row in section(R09.build(view_of(make_golden())), "a_receber").rows}
    assert marks[1011] == {Mark.LATE_90}
    assert marks[1012] == frozenset()


def test_business_day_rule_moves_the_grace_period_out_of_the_overdue() -> None:
    faixas = section(R09.build(view_of(make_golden(venc_regra="dia_util"))), "a_receber_faixas")
    assert record(faixas, faixa="Vencido")["Valor"] == Decimal("2400.00")
    assert record(faixas, faixa="Em carência")["Valor"] == Decimal("1000.00")
    assert record(faixas, faixa="Vencido efetivo")["Valor"] == Decimal("2400.00")
    assert record(faixas, faixa="A vencer")["Valor"] == Decimal("4500.00")


def test_outside_the_result_stays_in_the_aging_and_transfers_do_not() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-01"}
    position = make_position(
        [
            {"id": 1, "valor": "8.00", "categoria_id": 30, **base},
            {"id": 2, "valor": "9.00", "lancamento_transferencia_id": 3, **base},
        ],
    )
    assert [row["Título"] for row in records(section(R09.build(view_of(position)), "a_receber"))] == [1]


def test_tables_hold_what_the_sheet_shows() -> None:
    report = R09.build(view_of(make_golden()))
    for name in ("a_receber_faixas", "a_receber_a_vencer", "a_receber"):
        part, found = section(report, name), table(report, name)
        assert [column for column in found.columns if column.shown] == [
            column for column in part.columns if column.shown
        ]
        assert sum(row["Valor"] for row in records(found)) == (
            Decimal("3500.00") if name == "a_receber_a_vencer" else expected.R09["total"]
        )
