"""In which order payables are decided, which of them the list has, and what its sums count. D is Monday 16/03/2026."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from lastro.desk.decisions import Decisions
from lastro.desk.payables import Payables
from lastro.desk.plan import BLOCKS, Balances, Payments
from lastro.settings.model import PAGAMENTOS as ORDER
from tests.golden import dataset
from tests.unit.desk.bare import build_payables, plan_payments
from tests.unit.reports.positions import position_of

AT_RISK, _, PAYROLL, LATE, SOON = BLOCKS
EXTRAS = (
    (31, "INSS"),
    (32, "Energia elétrica"),
    (33, "Distribuição de lucros"),
    (34, "Coisas"),
    (35, "Outras despesas"),
)


def payable(number: int, category: int | None, amount: str, due: str, **other: Any) -> dict[str, Any]:
    own = {
        "pessoa_id": 601,
        "data_vencimento": due,
        "valor": amount,
        "descricao": other.pop("descricao", f"Entry {number}"),
        **other,
    }
    return {**dataset.mesa()[3], "id": number, "categoria_id": category, **own}


def payables_of(*entries: dict[str, Any], **parametros: Any) -> Payables:
    given = dataset.payloads("A", com_mesa=True)
    (despesas,) = [tree for tree in given["categorias"] if tree["id"] == 20]
    despesas["categorias_filhas"] += [
        {**despesas["categorias_filhas"][0], "id": number, "descricao": name} for number, name in EXTRAS
    ]
    given["lancamentos"] = list(entries)
    return build_payables(position_of(given, **parametros))


def lay_out(payables: Payables, order: tuple[str, ...] = ORDER, **more: Any) -> Payments:
    return plan_payments(payables, Decisions(), order, Balances({101: 0}), **more)


def blocks_of(payments: Payments) -> list[tuple[str, int]]:
    return [(BLOCKS[line.bloco], line.titulo.titulo_id) for line in payments.linhas]


def test_payroll_of_ten_days_is_paid_before_all_that_is_overdue() -> None:
    found = lay_out(payables_of(
        payable(1, 31, "-48546.00", "2026-01-20"),  # social security of the year before: no payroll
        payable(2, 27, "-70000.00", "2026-03-20"),
        payable(3, 27, "-900.00", "2026-03-13"),
        payable(4, 22, "-500.00", "2026-03-26"),  # D+10
        payable(5, 27, "-600.00", "2026-03-27"),
        payable(6, 22, "-700.00", "2026-03-18", descricao="FGTS 02/2026"),
        payable(7, 27, "-800.00", "2026-03-19", descricao="Líquido, sem INSS"),
    ))  # fmt: skip
    assert blocks_of(found) == [
        (PAYROLL, 3), (PAYROLL, 7), (PAYROLL, 2), (PAYROLL, 4), (LATE, 1), (SOON, 6), (SOON, 5),
    ]  # fmt: skip


def test_what_partners_draw_comes_last_and_what_has_no_group_before_it() -> None:
    payables = payables_of(
        payable(1, 33, "-5000.00", "2026-03-10"),
        payable(2, 32, "-300.00", "2026-03-12"),
        payable(3, 28, "-200.00", "2026-03-10"),
        payable(4, 34, "-100.00", "2026-03-09"),
        payable(5, 35, "-100.00", "2026-03-12"),
        payable(6, 25, "-100.00", "2026-03-13"),
    )
    assert [one.grupo for one in sorted(payables.titulos, key=lambda one: one.titulo_id)] == [
        "fora", "administrativas", "financeiro", "", "outras", "deducoes",
    ]  # fmt: skip
    assert [number for _, number in blocks_of(lay_out(payables))] == [6, 2, 3, 5, 4, 1]


def test_a_loan_stands_before_what_partners_draw_also_in_an_order_without_debts() -> None:
    payables = payables_of(payable(1, 33, "-5000.00", "2026-03-10"), payable(2, 30, "-80.00", "2026-03-12"))
    assert {one.titulo_id: one.grupo for one in payables.titulos} == {1: "fora", 2: "divida"}  # 30: Empréstimos
    assert [number for _, number in blocks_of(lay_out(payables))] == [2, 1]
    assert [number for _, number in blocks_of(lay_out(payables, ("pessoal", "fora")))] == [2, 1]


def test_plans_come_first_of_what_is_no_result_and_those_at_risk_before_all() -> None:
    """All in `fora` but the rent: a draw, a loan, an instalment of a plan in a category of draws, and payroll."""
    payables = payables_of(
        payable(1, 33, "-5000.00", "2026-03-02"),
        payable(2, 30, "-80.00", "2026-03-03"),
        payable(3, 33, "-90.00", "2026-03-12", descricao="REFIS 14/60", grupo_id=9),
        payable(4, 27, "-700.00", "2026-03-18"),
        payable(5, 32, "-300.00", "2026-03-10"),
        dre_mapa={30: "fora", 33: "fora"},
    )
    assert blocks_of(lay_out(payables)) == [(PAYROLL, 4), (LATE, 5), (LATE, 3), (LATE, 2), (LATE, 1)]
    at_risk = lay_out(payables, ("fora", "pessoal"), em_risco={3})
    assert blocks_of(at_risk) == [(AT_RISK, 3), (LATE, 2), (LATE, 1), (LATE, 5), (SOON, 4)]


@pytest.mark.parametrize(
    ("order", "found"),
    [
        (("fora", "pessoal"), [(LATE, 2), (LATE, 3), (SOON, 1)]),  # another group before it: no block of its own
        (("pessoal", "fora"), [(PAYROLL, 1), (LATE, 2), (LATE, 3)]),
    ],
)
def test_the_settings_still_order(order: tuple[str, ...], found: list[tuple[str, int]]) -> None:
    payables = payables_of(
        payable(1, 27, "-700.00", "2026-03-20"),
        payable(2, 33, "-100.00", "2026-03-12"),
        payable(3, 32, "-100.00", "2026-03-10"),
    )
    assert blocks_of(lay_out(payables, order)) == found


def test_the_list_goes_by_the_day_on_which_projections_count() -> None:
    """Good Friday, 03/04/2026: taxes are paid the day before, all else on Monday, D+21."""
    entries = (
        payable(1, 25, "-48546.00", "2026-04-03"),
        payable(2, 32, "-300.00", "2026-04-03"),
        payable(3, 25, "-12945.60", "2026-03-28"),  # a Saturday: Friday 27/03
        payable(4, 32, "-400.00", "2026-03-28"),  # Monday 30/03
    )
    day = date(2026, 3, 18)
    given = dataset.payloads("A", com_mesa=True) | {"data_base": day, "data_extracao": day, "lancamentos": [*entries]}
    payables = build_payables(position_of(given, categorias_antecipam=(25,)))
    assert {one.titulo_id for one in payables.titulos} == {1, 3, 4}  # D+15 is 02/04
    due = {one.dia: -one.vence for one in lay_out(payables).dias if one.vence}
    assert due == {date(2026, 3, 27): 12945_60, date(2026, 3, 30): 400_00, date(2026, 4, 2): 48546_00}


def test_one_of_two_that_may_be_one_counts() -> None:
    payables = payables_of(
        payable(1, 26, "-27340.00", "2026-03-20"),
        payable(2, 26, "-27340.00", "2026-03-20"),
        payable(3, 26, "-27340.00", "2026-03-23"),
        payable(4, 26, "-50.00", "2026-03-20", pessoa_id=None),
        payable(5, 26, "-50.00", "2026-03-20", pessoa_id=None),
        payable(6, 26, "-80.00", "2026-03-20", grupo_id=70),
        payable(7, 26, "-80.00", "2026-03-20", grupo_id=70),
        payable(8, 26, "-90.00", "2026-03-20", data_pagamento="2026-03-11"),
        payable(9, 26, "-90.00", "2026-03-20"),
    )
    told = {one.titulo_id: one.aviso for one in payables.titulos if one.aviso}
    assert told == {
        1: "possível duplicidade", 2: "possível duplicidade, fora das somas", 9: "possível duplicidade",
    }  # fmt: skip
    payments = lay_out(payables)
    assert -payments.contas[0].proximos_15_dias == 2 * 27340_00 + 2 * 50_00 + 2 * 80_00 + 90_00
    assert {one.dia.day: -one.vence for one in payments.dias if one.vence} == {20: 27690_00, 23: 27340_00}
    assert -max(payments.linhas, key=lambda line: -line.acumulado).acumulado == 27690_00 + 27340_00
