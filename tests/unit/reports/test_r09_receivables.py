"""R09: the golden figures, charges as annotations, and the business-day rule."""

from __future__ import annotations

from decimal import Decimal

from lastro.grid.cells import Link
from lastro.grid.sections import Mark
from lastro.reports.r09_receivables import SPEC as R09
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


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


def test_shares_are_of_what_is_shown_beside_them() -> None:
    """3500.00 to come in 16 to 30 days, 1000.00 two days late and 2400.00 since December, of 6900.00."""
    report = R09.build(view_of(make_golden()))
    faixas = [record(section(report, "a_receber_faixas"), faixa=one) for one in ("A vencer", "1-30", "91-180", "Total")]
    assert [(row["Qtde"], row["% do total"]) for row in faixas] == [
        (1, Decimal("50.72")), (1, Decimal("14.49")), (1, Decimal("34.78")), (3, Decimal("100.00")),
    ]  # fmt: skip
    assert record(section(report, "a_receber_faixas"), faixa="Vencido")["% do total"] == Decimal("49.28")
    ahead = {row["Vence em (dias)"]: row["% do total"] for row in records(table(report, "a_receber_a_vencer"))}
    assert {term: share for term, share in ahead.items() if share} == {"16-30": Decimal("100.00")}


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
