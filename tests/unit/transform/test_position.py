"""The state as of D, each rule by one hand-worked case (S3, S4, S5, S7, S8). D is Monday, 2026-03-16."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from lastro.calendar import BusinessCalendar
from lastro.settings import Conta, Empresa, Parametros
from lastro.transform.position import FAIXAS, Position, as_date, build_position
from tests.bare import build_core
from tests.builders import make_conformed

D = date(2026, 3, 16)
CATEGORIES = [(11, 2), (21, 1), (30, 0), (91, 1)]
CHARGE: dict[str, Any] = {
    "lancamento_ids": "1", "valor": "1000.00", "data_vencimento": "2026-01-30", "link_publico": "https://x.example/h",
}  # fmt: skip


def take(
    *rows: dict[str, Any],
    day: date = D,
    extraction: date = D,
    charges: list[dict[str, Any]] | None = None,
    contas: tuple[Conta, ...] = (Conta(101),),
    **parametros: Any,
) -> Position:
    conformed = make_conformed(
        rows,
        cobrancas=[CHARGE | charge for charge in charges or []],
        categorias=[{"id": number, "tipo_categoria_id": tipo, "descricao": "c"} for number, tipo in CATEGORIES],
    )
    settings = Parametros(**parametros)
    empresa = Empresa("acme", "Acme", "https://x.example", "ACME", contas=contas, parametros=settings)
    core = build_core(conformed, empresa).core
    before = core.linhas.copy(deep=True), core.titulos.copy(deep=True)
    position = build_position(
        core, data_base=day, data_extracao=extraction, parametros=settings, calendario=BusinessCalendar()
    )
    pd.testing.assert_frame_equal(core.linhas, before[0])
    pd.testing.assert_frame_equal(core.titulos, before[1])
    return position


def entry(
    id_: int = 1, valor: str = "1000.00", due: str = "2026-03-10", paid: str | None = None, **rest: Any
) -> dict[str, Any]:
    return {"id": id_, "valor": valor, "data_vencimento": due, "data_pagamento": paid, **rest}


def titulo(position: Position, id_: int = 1) -> dict[str, Any]:
    found = position.titulos.set_index("titulo_id").loc[id_].to_dict()
    return {
        str(name): as_date(value) if isinstance(value, pd.Timestamp) or value is pd.NaT else value
        for name, value in found.items()
    }


def linha(position: Position, id_: int = 1) -> dict[str, Any]:
    found = position.linhas.set_index("linha_id").loc[id_].to_dict()
    return {
        str(name): as_date(value) if isinstance(value, pd.Timestamp) or value is pd.NaT else value
        for name, value in found.items()
    }


def test_a_payment_on_d_is_paid_and_one_after_d_is_open() -> None:
    position = take(entry(1, paid="2026-03-16"), entry(2, paid="2026-03-17"), entry(3))
    assert [titulo(position, id_)["pago"] for id_ in (1, 2, 3)] == [True, False, False]
    scheduled = titulo(position, 2)
    assert (scheduled["data_prevista"], scheduled["situacao"], scheduled["vencido"]) == (
        date(2026, 3, 17),
        "Agendado",
        False,
    )
    assert titulo(position, 1)["data_prevista"] is None
    assert titulo(position, 3)["data_prevista"] == date(2026, 3, 10)


@pytest.mark.parametrize(
    ("due", "amount", "day"),
    [
        ("2026-03-15", "100.00", None),  # of yesterday: a payment typed for the 20th would make it due again (Q43)
        ("2026-03-16", "100.00", date(2026, 3, 20)),  # of today, and customers do schedule
        ("2026-03-15", "-100.00", date(2026, 3, 20)),  # to be paid, it would make the plan look better to leave it out
    ],
)
def test_a_late_receivable_is_on_no_day_by_a_payment_that_was_typed(due: str, amount: str, day: date | None) -> None:
    position = take(entry(1, amount, due, paid="2026-03-20"))
    state = titulo(position)
    assert (state["situacao"], state["vencido"], state["suspeito"]) == ("Agendado", False, due < "2026-03-16")
    assert (state["data_projetada"], linha(position)["data_projetada"]) == (day, day)


def test_a_retroactive_day_does_not_know_later_payments() -> None:
    """Paid on 12/03, extracted on 16/03: as of 11/03 it was open and due on its due date (S3)."""
    position = take(entry(1, paid="2026-03-12"), day=date(2026, 3, 11))
    state = titulo(position)
    assert (state["pago"], state["data_prevista"], state["vencido"], state["dias_de_atraso"]) == (
        False,
        date(2026, 3, 10),
        True,
        1,
    )
    assert position.reconstituida
    assert not linha(position)["caixa"]


def test_due_states() -> None:
    wanted = {
        "2026-03-14": ("2026-03-16", True, True, "Em carência"),  # Saturday: payable today without charges
        "2026-03-13": ("2026-03-13", False, True, "Vencido"),
        "2026-03-16": ("2026-03-16", False, False, "Vence hoje"),
        "2026-03-17": ("2026-03-17", False, False, "A vencer"),
        "2026-04-03": ("2026-04-06", False, False, "A vencer"),  # Good Friday
    }
    position = take(*(entry(number, due=due) for number, due in enumerate(wanted, 1)))
    for number, (due, (effective, grace, late, situation)) in enumerate(wanted.items(), 1):
        state = titulo(position, number)
        assert state["data_efetiva"] == date.fromisoformat(effective)
        assert (state["em_carencia"], state["vencido"], state["situacao"]) == (grace, late, situation)
        assert state["vencido"] + state["vence_hoje"] + state["a_vencer"] == 1
        assert state["dias_de_atraso"] == (D - date.fromisoformat(due)).days


def test_by_business_day_a_saturday_is_late_only_after_monday() -> None:
    state = titulo(take(entry(due="2026-03-14"), venc_regra="dia_util"))
    assert (state["data_ref"], state["dias_de_atraso"], state["vencido"], state["vence_hoje"]) == (D, 0, False, True)
    assert state["em_carencia"]
    assert titulo(
        take(entry(due="2026-03-14"), venc_regra="dia_util", day=date(2026, 3, 17), extraction=date(2026, 3, 17))
    )["vencido"]


def test_taxes_are_due_on_the_business_day_before() -> None:
    position = take(
        entry(1, "-5.00", "2026-03-21", categoria_id=91), entry(2, "-5.00", "2026-03-21"), categorias_antecipam=(91,)
    )
    assert titulo(position, 1)["data_efetiva"] == date(2026, 3, 20)
    assert titulo(position, 2)["data_efetiva"] == date(2026, 3, 23)


def test_aging_bands() -> None:
    bands = {-1: 0, 0: 0, 1: 1, 30: 1, 31: 2, 60: 2, 61: 3, 90: 3, 91: 4, 180: 4, 181: 5, 4000: 5}
    position = take(*(entry(5000 + days, due=(D - timedelta(days)).isoformat()) for days in bands))
    for days, band in bands.items():
        state = titulo(position, 5000 + days)
        assert (state["dias_de_atraso"], state["faixa"]) == (days, FAIXAS[band])


def test_zero_values_and_transfers_are_never_late() -> None:
    position = take(
        entry(1, "0.00", "2026-01-01"),
        entry(2, "-80.00", "2026-03-10", lancamento_transferencia_id=3),
        entry(3, "80.00", "2026-03-10", lancamento_transferencia_id=2, conta_id=102),
    )
    for id_ in (1, 2, 3):
        state = titulo(position, id_)
        assert not any(state[name] for name in ("vencido", "vence_hoje", "a_vencer", "em_carencia"))
        assert state["dias_de_mora"] == 0
    # an unpaid leg due before D is projected on D (S6)
    assert titulo(position, 2)["data_projetada"] == D
    assert linha(position, 3)["classe"] == "Transferências"


def test_what_is_overdue_stands_in_no_projection() -> None:
    position = take(entry(1, "10.00"), entry(2, "-10.00"), entry(3, "10.00", "2026-03-20"))
    assert [titulo(position, id_)["data_projetada"] for id_ in (1, 2, 3)] == [None, None, date(2026, 3, 20)]
    assert linha(position, 2)["data_projetada"] is None


def test_projections_on_the_effective_day() -> None:
    position = take(entry(1, due="2026-03-21"))  # a Saturday: no bank settles before Monday
    assert titulo(position)["data_projetada"] == date(2026, 3, 23)


def test_the_rule_of_overdue_decides_what_a_weekend_does() -> None:
    # Sunday the 15th: due on Saturday, so overdue by calendar days, and effective only on Monday.
    sunday = date(2026, 3, 15)
    late = titulo(take(entry(1, due="2026-03-14"), day=sunday, extraction=sunday))
    assert (late["vencido"], late["data_efetiva"], late["data_projetada"]) == (True, date(2026, 3, 16), None)
    in_time = titulo(take(entry(1, due="2026-03-14"), day=sunday, extraction=sunday, venc_regra="dia_util"))
    assert (in_time["vencido"], in_time["data_projetada"]) == (False, date(2026, 3, 16))


@pytest.mark.parametrize(
    ("paid", "inside"),
    [("2025-12-31", False), ("2026-01-01", True)],
)
def test_payments_before_the_control_of_an_account_are_in_no_cash_view(paid: str, inside: bool) -> None:
    conta = Conta(101, valor_saldo_inicial=Decimal("1.00"), data_saldo_inicial=date(2026, 1, 1))
    state = linha(take(entry(1, paid=paid), contas=(conta,)))
    assert (state["pago"], state["caixa"], state["fora_controle"]) == (True, inside, not inside)
    assert state["mes_caixa"] == (date.fromisoformat(paid).replace(day=1) if inside else None)


def test_without_a_date_every_payment_counts_and_so_does_an_entry_without_account() -> None:
    position = take(entry(1, paid="1999-01-01"), entry(2, paid="2026-03-01", conta_id=None))
    assert linha(position, 1)["caixa"]
    assert linha(position, 2)["caixa"]


@pytest.mark.parametrize(
    ("fallback", "paid", "expected"),
    [
        ("vencimento", "2026-02-05", date(2026, 3, 10)),
        ("caixa", "2026-02-05", date(2026, 2, 5)),
        ("caixa", None, date(2026, 3, 10)),
        ("excluir", "2026-02-05", None),
    ],
)
def test_the_competence_of_an_entry_without_one(fallback: str, paid: str | None, expected: date | None) -> None:
    state = linha(take(entry(1, paid=paid), competencia_nula=fallback))
    assert state["data_competencia_ef"] == expected
    assert state["competencia_presumida"]
    assert state["mes_competencia"] == (expected.replace(day=1) if expected else None)
    own = linha(take(entry(1, data_competencia="2026-01-31"), competencia_nula=fallback))
    assert own["data_competencia_ef"] == date(2026, 1, 31)
    assert not own["competencia_presumida"]


def test_the_four_classes() -> None:
    position = take(
        entry(1, "-10.00", categoria_id=11),
        entry(2, "10.00", categoria_id=21),
        entry(3, "10.00", categoria_id=30),
        entry(4, "10.00"),
        entry(5, "-10.00"),
        entry(6, "-10.00", categoria_id=30, lancamento_transferencia_id=7),
        dre_mapa={30: "fora"},
    )
    assert [linha(position, id_)["classe"] for id_ in range(1, 7)] == [
        "Entradas", "Saídas", "Não operacional", "Entradas", "Saídas", "Transferências",
    ]  # fmt: skip


def fees(position: Position, id_: int = 1) -> tuple[int, int, int]:
    state = titulo(position, id_)
    return state["dias_de_mora"], state["multa_centavos"], state["juros_centavos"]


def test_late_fees_by_hand() -> None:
    late = (("2400.00", "2025-12-10"), ("-1500.00", "2026-03-05"), ("1000.00", "2026-03-14"), ("0.25", "2026-03-13"),
            ("0.50", "2026-02-13"))  # fmt: skip
    position = take(*(entry(number, valor, due) for number, (valor, due) in enumerate(late, 1)))
    # 2400.00, 96 days: 2 % = 48.00; 1 % a month: 2400 x 0.01 x 96 / 30 = 76.80
    assert fees(position, 1) == (96, 4_800, 7_680)
    # payables have no rates by default; with 2 and 1: 1500.00, 11 days: 30.00 and 5.50
    assert fees(position, 2) == (11, 0, 0)
    rates: dict[str, Any] = {
        "multa_pct": {"receber": Decimal(0), "pagar": Decimal(2)},
        "juros_pct_mes": {"receber": Decimal(0), "pagar": Decimal(1)},
    }
    assert fees(take(entry(1, "-1500.00", "2026-03-05"), **rates)) == (11, 3_000, 550)
    # in grace: nothing
    assert fees(position, 3) == (0, 0, 0)
    # half a centavo goes up: 0.25 x 2 % = 0.005; 0.50 x 1 % x 30 / 30 = 0.005
    assert fees(position, 4) == (3, 1, 0)
    assert fees(position, 5)[2] == 1


def test_a_live_charge_sets_rates_and_the_day_they_count_from() -> None:
    charges: list[dict[str, Any]] = [
        {"cobranca_id": 9, "lancamento_ids": "1"},
        {"cobranca_id": 10, "lancamento_ids": "2", "cobrar_juros": False},
        {"cobranca_id": 11, "lancamento_ids": "3", "percentual_multa": Decimal("0.00")},
        {"cobranca_id": 12, "lancamento_ids": "4", "data_cancelamento": "2026-02-01"},
        {"cobranca_id": 14, "lancamento_ids": "5", "data_vencimento": "2026-03-13"},
        {"cobranca_id": 13, "lancamento_ids": "5"},
    ]
    position = take(*(entry(number, "1000.00", "2026-03-10") for number in range(1, 6)), charges=charges)
    # the charge fell due on Friday 30/01: 45 days; 2 % = 20.00; 1000 x 0.01 x 45 / 30 = 15.00
    assert fees(position, 1) == (45, 2_000, 1_500)
    assert fees(position, 2) == (45, 2_000, 0)
    assert fees(position, 3) == (45, 0, 1_500)
    # a cancelled one does not count: 6 days from the entry's own due date, 20.00 and 2.00
    assert fees(position, 4) == (6, 2_000, 200)
    # of two live ones the lowest id does
    state = titulo(position, 5)
    assert (state["cobranca_id"], state["dias_de_mora"], state["cobranca_status"]) == (13, 45, "pendente")


def test_a_charge_annotates_and_never_adds_value() -> None:
    position = take(entry(1), charges=[{"cobranca_id": 9, "status_descricao": "Cliente pagou"}])
    state = titulo(position)
    assert (state["valor_centavos"], state["cobranca_paga"], state["vencido"]) == (100_000, True, True)
    assert len(position.titulos) == len(position.linhas) == 1


def test_a_company_without_entries_has_a_position() -> None:
    position = take()
    assert len(position.linhas) == len(position.titulos) == 0
    assert position.contas["conta_id"].tolist() == [101]


def test_days_become_dates_and_nothing_stays_nothing() -> None:
    assert as_date(pd.Timestamp("2026-03-16 10:00")) == D
    assert as_date(pd.NaT) is None
    assert as_date(None) is None
