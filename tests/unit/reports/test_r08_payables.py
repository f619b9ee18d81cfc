"""R08: the golden figures, the agenda against the account's balance, people, business-day rule."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from lastro.grid.cells import UNDEFINED, Link
from lastro.grid.sections import Mark, Style
from lastro.reports.r08_payables import SPEC as R08
from lastro.settings import Conta
from tests.golden import expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section
from tests.views import view_of

ZERO = Decimal("0.00")


def test_estimates_are_negative_so_that_the_columns_add_up() -> None:
    rates = {"receber": Decimal(2), "pagar": Decimal(2)}
    interest = {"receber": Decimal(1), "pagar": Decimal(1)}
    detail = section(R08.build(view_of(make_golden(multa_pct=rates, juros_pct_mes=interest))), "a_pagar")
    row = record(detail, titulo_id=1004)
    wanted = expected.R08["taxas_2_1"][1004]
    assert (row["Multa est."], row["Juros est."]) == (-wanted["multa"], -wanted["juros"])
    assert row["Valor atualizado"] == Decimal("-1535.50")


def test_detail_tells_what_a_titulo_is() -> None:
    row = record(section(R08.build(view_of(make_golden())), "a_pagar"), titulo_id=1004)
    assert row["Vencimento"] == date(2026, 3, 5)
    assert (row["Situação"], row["Faixa"], row["Pessoa"], row["Parcela"]) == ("Vencido", "1-30", "Delta", "3/3")
    assert (row["Categoria"], row["Centro"], row["Conta"]) == ("Despesas > Aluguel", "Centro #201", "Banco Alfa")
    assert "Cobrança" not in row


def test_composite_is_one_titulo_at_its_net() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-20", "lancamento_composto_id": 8, "pessoa_id": 601}
    position = make_position(
        [
            {"id": 1, "valor": "-100.00", "categoria_id": 21, "descricao": "Nota", **base},
            {"id": 2, "valor": "-50.00", "categoria_id": 22, **base},
            {"id": 3, "valor": "30.00", "categoria_id": 22, **base},
        ]
    )
    report = R08.build(view_of(position))
    (row,) = records(section(report, "a_pagar"))
    assert (row["Bruto"], row["Deduções"], row["Valor"]) == (Decimal("-150.00"), Decimal("30.00"), Decimal("-120.00"))
    assert (row["Descrição"], row["Categoria"]) == ("Nota + 2 itens", "Várias")


def test_refund_owed_to_a_customer_is_a_payable_and_leads_to_its_own_row() -> None:
    refund = {"id": 1, "valor": "-10.00", "conta_id": 101, "data_vencimento": "2026-03-20", "categoria_id": 11}
    (row,) = section(R08.build(view_of(make_position([{**refund, "pessoa_id": 501}]))), "a_pagar").rows
    assert (row.cells[0], row.link) == (1, Link(1, sheet="Lançamentos", key="titulo_id=1"))


def test_forward_buckets_hold_what_is_not_late() -> None:
    days = {"2026-03-16": "Hoje", "2026-03-17": "1-7", "2026-03-23": "1-7", "2026-03-24": "8-15", "2026-03-31": "8-15",
            "2026-04-01": "16-30", "2026-04-15": "16-30", "2026-04-16": "31-60", "2026-05-16": "61-90",
            "2026-06-14": "61-90", "2026-06-15": ">90"}  # fmt: skip
    entries = [
        {"id": number, "valor": "-1.00", "conta_id": 101, "data_vencimento": day}
        for number, day in enumerate(days, start=1)
    ]
    report = R08.build(view_of(make_position(entries)))
    found = {row["Vence em (dias)"]: row["Qtde"] for row in records(section(report, "a_pagar_a_vencer"))}
    buckets = list(days.values())
    assert found == {**{bucket: buckets.count(bucket) for bucket in buckets}, "Total": 11}
    assert record(section(report, "a_pagar_faixas"), faixa="A vencer")["Qtde"] == 11


def test_agenda_starts_from_the_projected_balance_of_the_eve() -> None:
    base = {"conta_id": 101}
    position = make_position(
        [
            {"id": 1, "valor": "40.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **base},
            {"id": 2, "valor": "-100.00", "data_vencimento": "2026-03-16", **base},
            {"id": 3, "valor": "25.00", "data_vencimento": "2026-03-18", **base},
            {"id": 4, "valor": "-60.00", "data_vencimento": "2026-03-21", **base},  # Saturday
            {"id": 5, "valor": "-9.00", "data_vencimento": "2026-03-30", **base},
            {"id": 6, "valor": "-9.00", "data_vencimento": "2026-03-31", **base},  # D+15: outside
            {"id": 7, "valor": "-5.00", "data_vencimento": "2026-03-02", **base},  # late: outside, in a note
        ],
        contas=[Conta(101, "Banco Alfa", Decimal("70.00"), date(2026, 1, 1))],
    )
    agenda = section(R08.build(view_of(position)), "a_pagar_agenda")
    # By hand: 70 + 40 = 110 on D; 110 - 100 = 10; + 25 on the 18th = 35; 35 - 60 = -25; -25 - 9 = -34.
    assert [
        (r["Data"].day, r["Saldo antes"], r["A pagar"], r["Saldo depois"], r["Cobre?"]) for r in records(agenda)[:3]
    ] == [
        (16, Decimal("110.00"), Decimal("-100.00"), Decimal("10.00"), "Sim"),
        (23, Decimal("35.00"), Decimal("-60.00"), Decimal("-25.00"), "Não"),
        (30, Decimal("-25.00"), Decimal("-9.00"), Decimal("-34.00"), "Não"),
    ]
    assert agenda.rows[0].marks == {Mark.TODAY}
    assert len(agenda.rows) == 4
    assert agenda.rows[-1].style is Style.TOTAL
    assert "Vencidos a pagar fora desta agenda: -R$ 5,00." in agenda.notes


def test_agenda_does_not_promise_cover_without_an_opening_balance() -> None:
    contas = [
        Conta(101, "Sem abertura"),
        Conta(102, "Cartão", Decimal("0.00"), date(2026, 1, 1), tipo="cartao"),
        Conta(103, "Começa depois", Decimal("9.00"), date(2026, 5, 1)),
    ]
    entries = [
        {"id": number, "valor": "-1.00", "conta_id": conta, "data_vencimento": "2026-03-17"}
        for number, conta in enumerate([101, 102, 103, None], start=1)
    ]
    rows = records(section(R08.build(view_of(make_position(entries, contas=contas))), "a_pagar_agenda"))
    assert [row["Cobre?"] for row in rows[:4]] == [
        "Sem saldo inicial",
        "Cartão",
        "Sem saldo inicial",
        "Sem saldo inicial",
    ]
    assert rows[2]["Saldo antes"] is UNDEFINED
    assert rows[3]["Conta"] == "Sem conta"


def test_twenty_people_and_the_others_together() -> None:
    entries = [
        {
            "id": number,
            "valor": f"-{number}.00",
            "conta_id": 101,
            "pessoa_id": 1000 + number,
            "data_vencimento": "2026-03-20",
        }
        for number in range(1, 24)
    ]
    rows = records(section(R08.build(view_of(make_position(entries))), "a_pagar_pessoas"))
    assert len(rows) == 22
    assert rows[0]["Pessoa"] == "Pessoa #1023 (não encontrada)"
    assert (rows[20]["Pessoa"], rows[20]["Total"]) == ("Demais (3 pessoas)", Decimal("-6.00"))
    assert rows[21]["Total"] == Decimal("-276.00")  # 1 + 2 + ... + 23


def test_nothing_open_still_has_every_section() -> None:
    report = R08.build(view_of(make_position([{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}])))
    assert_well_formed(report)
    assert section(report, "a_pagar").rows == ()
    assert section(report, "a_pagar_agenda").rows == ()
    assert record(section(report, "a_pagar_faixas"), faixa="Total")["% do total"] is None
