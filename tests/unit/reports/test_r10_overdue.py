"""R10: the golden figures, the collection ladder, and personal data (LGPD)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.collection_ladder import find_steps, list_steps, mask_document
from lastro.analysis.to_do import find_tasks
from lastro.reports.r10_overdue import SPEC as R10
from lastro.settings import EtapaRegua, Parametros
from lastro.transform.position import Position
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_namesakes, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


def stages_of(position: Position) -> list[str]:
    """The rung of the collection ladder on which each título stands."""
    return [list_steps(position)[number] for number in find_steps(position, position.titulos).tolist()]


def due_on(*days: str, **more: Any) -> Position:
    """A título that falls due on each of the days."""
    entries = [
        {"id": number, "valor": "9.00", "conta_id": 101, "data_vencimento": day} for number, day in enumerate(days, 1)
    ]
    return make_position(entries, **more)


def test_golden_figures() -> None:
    report = R10.build(view_of(make_golden()))
    indices = records(section(report, "inadimplencia_indices"))
    for row, name in zip(indices, ("carteira", "acima_90", "ajustada"), strict=True):
        assert (row["Numerador"], row["Denominador"], row["%"]) == expected.R10[name]
        assert row["Fórmula"]
    vintages = {
        (r["Safra"].year, r["Safra"].month): r["% em aberto"] for r in records(section(report, "inadimplencia_safra"))
    }
    assert vintages == expected.R10["safra"]
    assert record(section(report, "inadimplencia_safra"), safra=date(2026, 4, 1))["Situação"] == "A vencer"
    assert sum(row["Vencido"] for row in records(section(report, "inadimplencia"))) == expected.R09["vencido"]


def test_namesakes_have_their_id_beside_the_name() -> None:
    position, told = make_namesakes()
    rows = records(section(R10.build(view_of(position)), "inadimplencia"))
    assert [row["Pessoa"] for row in rows] == [*told]


def test_a_debtor_in_detail() -> None:
    rows = records(section(R10.build(view_of(make_golden())), "inadimplencia"))
    assert [row["Pessoa"] for row in rows] == ["Beta", "Azul"]
    beta, azul = rows
    assert (beta["Em aberto"], beta["A vencer"], beta["Vencido"]) == tuple(
        map(Decimal, ("5900.00", "3500.00", "2400.00"))
    )
    assert (beta["91-180"], beta["1-30"], azul["1-30"]) == (Decimal("2400.00"), ZERO, Decimal("1000.00"))
    assert (beta["Maior atraso"], beta["Atraso médio"]) == (96, Decimal("96.0"))
    assert (beta["Encargos est."], beta["Valor atualizado"]) == (Decimal("124.80"), Decimal("6024.80"))
    assert (beta["% do vencido"], beta["% acumulado"]) == (Decimal("70.59"), Decimal("70.59"))  # 2400 / 3400
    assert (azul["% do vencido"], azul["% acumulado"]) == (Decimal("29.41"), Decimal("100.00"))
    assert (beta["Com cobrança paga"], beta["Etapa da régua"]) == (Decimal("2400.00"), "Dar baixa")
    assert (azul["Em carência"], azul["Etapa da régua"]) == (Decimal("1000.00"), "Vence hoje/carência")
    assert azul["Último recebimento"] == date(2026, 2, 3)
    assert (beta["Classe ABC"], azul["Classe ABC"]) == ("A", "A")


def test_management_sees_no_personal_data() -> None:
    columns = [column.header for column in section(R10.build(view_of(make_golden())), "inadimplencia").columns]
    assert "E-mail" not in columns
    assert "Telefone" not in columns
    assert records(section(R10.build(view_of(make_golden())), "inadimplencia"))[0]["CPF/CNPJ"] == "**.222.222/0001-**"


@pytest.mark.parametrize(
    ("documento", "masked"),
    [
        ("111.222.333-44", "***.222.333-**"),
        ("11222333000144", "**.222.333/0001-**"),
        ("AB.CDE.F12/0001-44", "**.CDE.F12/0001-**"),
        ("123456", "**34**"),
        ("1", "*"),
        ("", ""),
    ],
)
def test_masks(documento: str, masked: str) -> None:
    assert mask_document(documento) == masked


def test_ladder() -> None:
    stages = {
        "2026-03-20": "",  # 4 days ahead
        "2026-03-19": "Lembrete",
        "2026-03-17": "Lembrete",
        "2026-03-16": "Vence hoje/carência",
        "2026-03-14": "Vence hoje/carência",  # Saturday
        "2026-03-13": "1º aviso",  # Friday: 3 days of mora
        "2026-03-11": "1º aviso",
        "2026-03-10": "2º aviso",
        "2026-03-02": "2º aviso",  # 14 days
        "2026-02-27": "Contato",  # 17 days
        "2026-02-13": "Negociação",  # 31 days
        "2026-01-15": "Negociação",  # 60 days
        "2026-01-14": "Negativação",  # 61 days
        "2025-12-16": "Negativação",  # 90 days
        "2025-12-15": "Protesto/jurídico",  # 91 days
    }
    assert stages_of(due_on(*stages)) == [*stages.values()]


def test_a_ladder_of_ones_own() -> None:
    parametros = Parametros(regua=(EtapaRegua("Aviso", 10), EtapaRegua("Jurídico", None)))
    stages = {"2026-03-20": "", "2026-03-19": "Lembrete", "2026-03-06": "Aviso", "2026-03-05": "Jurídico"}
    assert stages_of(due_on(*stages, parametros=parametros)) == [*stages.values()]
    report = R10.build(view_of(due_on("2026-03-06", parametros=parametros)))
    assert record(table(report, "inadimplencia"), pessoa_id=None)["Etapa da régua"] == "Aviso"


def test_ladder_counts_from_the_due_date_of_a_live_charge() -> None:
    entry = {"id": 1, "valor": "9.00", "conta_id": 101, "pessoa_id": 501, "data_vencimento": "2026-03-20"}
    charge: dict[str, Any] = {"id": 9, "valor": "9.00", "lancamento_ids": "1", "data_vencimento": "2026-03-10"}
    position = make_position([entry], cobrancas=[charge])
    assert stages_of(position) == ["2º aviso"]
    cancelled = make_position([entry], cobrancas=[{**charge, "data_cancelamento": "2026-03-11"}])
    assert stages_of(cancelled) == [""]


def test_a_day_that_looks_mistyped_is_on_no_step() -> None:
    """346 days late by a wrong year; 31 days before its competence, and 30; and late, with a payment to come."""
    own = {"valor": "9.00", "conta_id": 101, "pessoa_id": 501}
    entries = [
        {**own, "id": 1, "data_vencimento": "2025-11-18", "data_competencia": "2026-10-19"},
        {**own, "id": 2, "data_vencimento": "2026-03-10", "data_competencia": "2026-04-10"},
        {**own, "id": 3, "data_vencimento": "2026-03-10", "data_competencia": "2026-04-09"},
        {**own, "id": 4, "data_vencimento": "2026-03-10", "data_pagamento": "2027-03-16"},
    ]
    position = make_position(entries)
    assert stages_of(position) == ["", "", "2º aviso", ""]
    tasks = find_tasks(position, view_of(position).payments, (), (), {}, {}, (), ())
    assert tasks["titulo_id"].tolist() == [3]


def test_a_person_stands_where_its_worst_titulo_stands() -> None:
    base = {"valor": "9.00", "conta_id": 101, "pessoa_id": 501}
    entries = [
        {"id": 1, "data_vencimento": "2026-03-18", **base},
        {"id": 2, "data_vencimento": "2026-02-02", **base},
        {"id": 3, "data_vencimento": "2026-03-11", **base},
    ]
    (row,) = records(section(R10.build(view_of(make_position(entries))), "inadimplencia"))
    assert row["Etapa da régua"] == "Negociação"
    assert row["Maior atraso"] == 42
    assert row["Atraso médio"] == Decimal("23.5")  # (42 + 5) / 2


def test_loans_are_no_default() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-01"}
    position = make_position(
        [
            {"id": 1, "valor": "8.00", "categoria_id": 30, **base},
            {"id": 2, "valor": "5.00", "categoria_id": 11, **base},
        ],
        parametros=Parametros(dre_mapa={30: "fora"}),
    )
    (row,) = records(section(R10.build(view_of(position)), "inadimplencia"))
    assert (row["Pessoa"], row["Vencido"], row["Id"]) == ("Sem pessoa", Decimal("5.00"), None)


def test_nobody_owes() -> None:
    report = R10.build(view_of(make_position([{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}])))
    assert_well_formed(report)
    assert section(report, "inadimplencia").rows == ()
    assert [row["%"] for row in records(section(report, "inadimplencia_indices"))] == [None, None, None]
