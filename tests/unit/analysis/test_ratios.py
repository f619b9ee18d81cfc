"""Ratios and mean terms: what a window and a missing competence do."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.analysis import ratios
from lastro.settings import Parametros
from tests.unit.reports.positions import make_golden, make_position


def test_windows_are_open_at_their_far_end() -> None:
    base = {"conta_id": 101, "categoria_id": 11, "pessoa_id": 501}
    entries = [
        {"id": 1, "valor": "10.00", "data_vencimento": "2025-03-16", "data_competencia": "2025-12-16", **base},
        {"id": 2, "valor": "40.00", "data_vencimento": "2025-03-17", "data_competencia": "2025-12-17", **base},
        {"id": 3, "valor": "50.00", "data_vencimento": "2026-03-17", "data_competencia": "2026-03-17", **base},
    ]
    position = make_position(entries)
    # D = 16/03/2026: D-365 = 16/03/2025 and D-90 = 16/12/2025 are outside, D+1 too.
    assert ratios.find_default_ratio(position) == ratios.Ratio(5000, 4000)
    assert ratios.find_pmr(position) == ratios.Term(5000, 4000, 90)


def test_titulos_without_competence_have_no_term_but_a_delay() -> None:
    base = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-03-01"}
    entries = [
        {"id": 1, "valor": "10.00", "data_pagamento": "2026-03-05", "data_competencia": "2026-02-23", **base},
        {"id": 2, "valor": "30.00", "data_pagamento": "2026-03-09", **base},
    ]
    position = make_position(entries, parametros=Parametros(competencia_nula="excluir"))
    assert ratios.find_effective_term(ratios.find_paid_in_window(position, "R")).dias == Decimal("10.0")
    assert ratios.find_effective_delay(ratios.find_paid_in_window(position, "R")).dias == Decimal(
        "7.0"
    )  # (10 x 4 + 30 x 8) / 40


def test_nothing_to_divide_by_is_blank() -> None:
    position = make_position([{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}])
    pmr = ratios.find_pmr(position)
    assert (ratios.find_overdue_ratio(position).pct, pmr.dias, ratios.find_cash_days(position, 100).dias) == (None,) * 3
    assert ratios.compute_cash_cycle(pmr, ratios.Term(1, 1)) is None
    assert ratios.find_vintages(position) == {}


def test_a_negative_base_is_blank_and_says_so() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-01", "data_competencia": "2026-03-01"}
    entries = [
        {"id": 1, "valor": "10.00", "categoria_id": 11, **base},
        {"id": 2, "valor": "-40.00", "categoria_id": 11, **base},  # more given back than sold
        {"id": 3, "valor": "90.00", "categoria_id": 21, "data_pagamento": "2026-03-01", **base},
    ]
    position = make_position(entries)
    pmr, cash = ratios.find_pmr(position), ratios.find_cash_days(position, 100)
    assert (pmr.dias, pmr.ausente, pmr.denominador) == (None, "n/d, a base é negativa", -3000)
    assert (cash.dias, cash.ausente, cash.denominador) == (None, "n/d, a base é negativa", -9000)
    assert (ratios.Term(1, 0).ausente, ratios.Term(1, 2).ausente) == ("n/d, nada por que dividir", "")


def test_outside_the_result_and_transfers_do_not_count() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-01"}
    entries = [
        {"id": 1, "valor": "10.00", "categoria_id": 30, **base},
        {"id": 2, "valor": "20.00", "lancamento_transferencia_id": 3, **base},
        {"id": 4, "valor": "40.00", "categoria_id": 11, **base},
    ]
    position = make_position(entries, parametros=Parametros(dre_mapa={30: "fora"}))
    assert ratios.find_overdue_ratio(position) == ratios.Ratio(4000, 4000)
    assert list(ratios.find_vintages(position)) == [date(2026, 3, 1)]


def test_pmp_is_of_suppliers_and_needs_a_map() -> None:
    # Stock: the rent of March, -1500. Flow in (16/12, 16/03]: rent -1500 x 3, third parties -250 - 120 = -4870; payroll
    # (-3000 + 150) is in neither. 1500 / 4870 x 90 = 27.7 days; PMR 52.8 - 27.7 = 25.1.
    mapa = {10: "receita_bruta", 20: "administrativas", 22: "pessoal", 24: "comerciais", 30: "fora"}
    position = make_golden(dre_mapa=mapa)
    pmp = ratios.find_pmp(position)
    assert pmp == ratios.Term(150_000, 487_000, 90)
    assert pmp.dias == Decimal("27.7")
    assert ratios.compute_cash_cycle(ratios.find_pmr(position), pmp) == Decimal("25.1")
    del mapa[20]
    assert ratios.find_pmp(make_golden(dre_mapa=mapa)) is None
