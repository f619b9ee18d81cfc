"""R17: the golden series, every period, change against the previous instalment."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.reports.r17_commitments import SPEC as R17
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, table
from tests.views import view_of


def test_golden_figures() -> None:
    report = R17.build(view_of(make_golden()))
    assert [row["Id"] for row in records(table(report, "recorrentes"))] == list(expected.R17)
    for grupo_id, figures in expected.R17.items():
        row = record(table(report, "recorrentes"), grupo_id=grupo_id)
        assert (row["Parcelas"], row["Pagas"], row["Valor em aberto"]) == tuple(figures.values())
    assert (row["Periodicidade"], row["Em aberto"], row["Variação vs anterior"]) == ("Mensal", 1, Decimal("0.00"))
    assert (row["Último vencimento gerado"], row["Próximo vencimento"]) == (date(2026, 3, 5), None)


BASE = {"conta_id": 101, "grupo_id": 7, "data_vencimento": "2026-03-20"}


def test_periods() -> None:
    periods = {
        "D7": ("Semanal", "-428.57"),  # 100 x 30 / 7
        "D15": ("Quinzenal", "-200.00"),
        "M1": ("Mensal", "-100.00"),
        "M2": ("Bimestral", "-50.00"),
        "M3": ("Trimestral", "-33.33"),
        "M6": ("Semestral", "-16.67"),
        "M12": ("Anual", "-8.33"),
        "DS": ("Segunda a sexta", None),
        "X9": ("X9", None),
    }
    position = make_position(
        [
            {**BASE, "id": number, "grupo_id": 70 + number, "valor": "-100.00", "periodicidade": code}
            for number, code in enumerate(periods)
        ]
    )
    rows = records(table(R17.build(view_of(position)), "recorrentes"))
    assert {(row["Parcelas"], row["Sem fim"]) for row in rows} == {("sem fim", True)}
    assert {(row["Periodicidade"], row["Equivalente mensal"]) for row in rows} == {
        (label, None if monthly is None else Decimal(monthly)) for label, monthly in periods.values()
    }


def test_last_instalment_tells_value_and_change() -> None:
    base = {"conta_id": 101, "grupo_id": 7, "periodicidade": "M1", "total_repeticoes": 4, "pessoa_id": 601}
    entries = [
        {"id": 3, "valor": "-110.00", "data_vencimento": "2026-05-10", "descricao": "Nova", **base},
        {"id": 1, "valor": "-90.00", "data_vencimento": "2026-02-10", "data_pagamento": "2026-02-10", **base},
        {"id": 2, "valor": "-100.00", "data_vencimento": "2026-04-10", "descricao": "Velha", **base},
        {"id": 4, "valor": "0.00", "data_vencimento": "2026-06-10", **base},
    ]
    (row,) = records(table(R17.build(view_of(make_position(entries))), "recorrentes"))
    assert (row["Descrição"], row["Pessoa"], row["Parcelas"]) == ("Nova", "Delta", "3 de 4")
    assert row["Sem fim"] is False
    assert (row["Pagas"], row["Em aberto"], row["Valor em aberto"]) == (1, 2, Decimal("-210.00"))
    assert (row["Próximo vencimento"], row["Último vencimento gerado"]) == (date(2026, 4, 10), date(2026, 5, 10))
    assert (row["Último valor"], row["Variação vs anterior"]) == (Decimal("-110.00"), Decimal("10.00"))


def test_order_is_by_open_value_then_id() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-20"}
    values = {5: "-10.00", 3: "30.00", 4: "-10.00"}
    entries = [
        {"id": n, "grupo_id": group, "valor": value, **base} for n, (group, value) in enumerate(values.items(), 1)
    ]
    assert [row["Id"] for row in records(table(R17.build(view_of(make_position(entries))), "recorrentes"))] == [
        3,
        4,
        5,
    ]


def test_transfers_are_no_commitment() -> None:
    entry = {"id": 1, "valor": "5.00", "lancamento_transferencia_id": 2, **BASE}
    report = R17.build(view_of(make_position([entry])))
    assert_well_formed(report)
    assert table(report, "recorrentes").rows == ()


def test_only_live_series_are_added_receivable_and_payable_apart() -> None:
    monthly = {"conta_id": 101, "periodicidade": "M1"}
    paid = {"data_vencimento": "2026-02-20", "data_pagamento": "2026-02-20"}
    entries = [
        {"id": 1, "grupo_id": 1, "valor": "-10.00", "total_repeticoes": 1, **paid, **monthly},  # finished
        {"id": 2, "grupo_id": 2, "valor": "-20.00", **paid, **monthly},  # endless
        {"id": 3, "grupo_id": 3, "valor": "-40.00", "total_repeticoes": 2, "data_vencimento": "2026-03-20", **monthly},
        {"id": 4, "grupo_id": 4, "valor": "80.00", "total_repeticoes": 2, "data_vencimento": "2026-03-20", **monthly},
    ]
    report = R17.build(view_of(make_position(entries)))
    assert_well_formed(report)
    found = {part.name: [row["Id"] for row in records(part)] for part in report.sections}
    assert found == {"recorrentes_receber": [4], "recorrentes_pagar": [3, 2]}
    totals = {part.name: [column.header for column in part.columns if column.total] for part in report.sections}
    assert totals["recorrentes_pagar"] == ["Valor em aberto", "Equivalente mensal"]
    lives = {row["Id"]: (row["Viva"], row["Lado"]) for row in records(table(report, "recorrentes"))}
    assert lives == {4: (True, "R"), 3: (True, "P"), 2: (True, "P"), 1: (False, "P")}
