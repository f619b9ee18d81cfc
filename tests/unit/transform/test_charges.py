"""Charges: status, fees, payment dates, and the títulos that their ids mean (S9, S12)."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from lastro.transform.charges import Charges, build_cobrancas, find_status
from tests.bare import build_linhas
from tests.builders import NO_SIGHTING, days, make_cobrancas, make_itens, make_lancamentos


@pytest.mark.parametrize(
    ("text", "cancelled", "status"),
    [
        ("Agendado", False, "agendado"),
        ("Pendente", False, "pendente"),
        ("CLIENTE PAGOU", False, "cliente_pagou"),
        (" Cliente  pagou ", False, "cliente_pagou"),
        ("Transferindo", False, "transferindo"),
        ("transferido", False, "transferido"),
        ("Transferido", True, "cancelado"),
        ("", True, "cancelado"),
        ("Em análise", False, "desconhecido: Em análise"),
        ("", False, "desconhecido: "),
        (None, False, "desconhecido: "),
    ],
)
def test_the_status_is_the_slug_and_a_cancellation_overrides_it(text: str | None, cancelled: bool, status: str) -> None:
    assert find_status(text, cancelada=cancelled) == status


def make_charges(*rows: dict[str, Any]) -> pd.DataFrame:
    return make_cobrancas(
        {
            "id": row["id"],
            "valor": "1.00",
            "valor_taxa": row.get("taxa", "0.00"),
            "valor_pago": row.get("pago"),
            "status_descricao": row.get("status", "Pendente"),
            "data_cancelamento": row.get("cancelada"),
            "lancamento_ids": row.get("ids", ""),
        }
        for row in rows
    )


def build(*rows: dict[str, Any], seen: pd.DataFrame = NO_SIGHTING, mode: str = "parcela") -> Charges:
    lancamentos = make_lancamentos(
        [
            {"id": 1, "valor": "10.00", "data_pagamento": "2026-03-02"},
            {"id": 2, "valor": "10.00", "data_pagamento": "2026-03-05"},
            {"id": 3, "valor": "10.00"},
            {"id": 7, "valor": "5.00", "lancamento_composto_id": 70, "data_pagamento": "2026-03-09", "qtde_itens": 2},
        ]
    )
    itens = make_itens([{"de": 7, "id": 8, "valor": "2.00"}, {"de": 7, "id": 3, "valor": "3.00"}])
    composed = build_linhas(lancamentos, itens, composto_valor_pai=mode)
    charges = make_charges(*rows)
    before = charges.copy(deep=True)
    built = build_cobrancas(charges, composed.linhas, composed.titulos, composed.carriers, seen)
    pd.testing.assert_frame_equal(charges, before)
    return built


def row(built: Charges, charge: int = 9001) -> pd.Series:
    found = built.cobrancas.set_index("cobranca_id").loc[charge]
    assert isinstance(found, pd.Series)  # an id repeated would be a frame
    return found


def titulos(built: Charges) -> list[int]:
    return built.cobranca_titulos["titulo_id"].tolist()


def test_ids_are_split_trimmed_and_mapped_to_distinct_titulos() -> None:
    built = build({"id": 9001, "ids": " 2 ,1,,7,8 , 2"})
    assert titulos(built) == [1, 2, 7]  # 8 is an item of the título 7
    assert built.desconhecidos.empty


def test_a_row_is_meant_before_an_item_of_equal_id() -> None:
    assert titulos(build({"id": 9001, "ids": "3"})) == [3]


def test_a_carrier_that_is_no_linha_is_still_found() -> None:
    assert titulos(build({"id": 9001, "ids": "7"}, mode="total")) == [7]


@pytest.mark.parametrize("text", ["99", "abc", "1.5", "-1", "²", "1" * 30])
def test_ids_that_match_nothing_are_kept_apart(text: str) -> None:
    built = build({"id": 9001, "ids": f"1,{text}"})
    assert titulos(built) == [1]
    assert built.desconhecidos.to_dict("records") == [{"cobranca_id": 9001, "lancamento_id": text}]


def test_live_and_paid_follow_the_status() -> None:
    built = build(
        {"id": 1, "status": "Agendado"},
        {"id": 2, "status": "Pendente"},
        {"id": 3, "status": "Cliente pagou"},
        {"id": 4, "status": "Transferido"},
        {"id": 5, "status": "Transferido", "cancelada": "2026-03-01"},
        {"id": 6, "status": "Novo"},
    )
    frame = built.cobrancas
    assert frame["rank"].tolist() == [1, 2, 3, 5, 0, 0]
    assert frame["viva"].tolist() == [True, True, True, True, False, True]
    assert frame["paga"].tolist() == [False, False, True, True, False, False]


def test_the_fee_is_positive_and_what_is_left_is_known_only_of_the_paid() -> None:
    built = build(
        {"id": 1, "status": "Cliente pagou", "taxa": "-1.99", "pago": "5106.67"},
        {"id": 2, "status": "Cliente pagou", "taxa": "3.50", "pago": "10.00"},
        {"id": 3, "status": "Pendente", "taxa": "-3.50", "pago": "10.00"},
        {"id": 4, "status": "Cliente pagou", "taxa": "-3.50"},
    )
    assert built.cobrancas["taxa_centavos"].tolist() == [199, 350, 350, 350]
    assert built.cobrancas["liquido_centavos"].fillna(-1).tolist() == [510_468, 650, -1, -1]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ("1,2", "2026-03-05"),
        ("2,1", "2026-03-05"),
        ("1", "2026-03-02"),
        ("1,99", "2026-03-02"),
        ("1,3", None),
        ("", None),
    ],
)
def test_the_payment_date_is_the_latest_of_its_titulos_when_all_are_paid(ids: str, expected: str | None) -> None:
    for status in ("Transferido", "Pendente"):
        found = row(build({"id": 9001, "ids": ids, "status": status}))["data_pagamento"]
        assert pd.isna(found) if expected is None else found == pd.Timestamp(expected)


def test_else_it_is_the_day_on_which_a_run_first_saw_it_paid() -> None:
    seen = pd.DataFrame({"cobranca_id": [9001], "data": days("2026-03-12")})
    observed = row(build({"id": 9001, "ids": "3", "status": "Cliente pagou"}, seen=seen))
    assert observed["data_pagamento"] == pd.Timestamp("2026-03-12")
    assert observed["data_pagamento_observada"]
    known = row(build({"id": 9001, "ids": "1", "status": "Cliente pagou"}, seen=seen))
    assert known["data_pagamento"] == pd.Timestamp("2026-03-02")
    assert not known["data_pagamento_observada"]
    undone = row(build({"id": 9001, "ids": "3", "status": "Pendente"}, seen=seen))
    assert pd.isna(undone["data_pagamento"])
    assert not undone["data_pagamento_observada"]


def test_no_charges_at_all() -> None:
    charges = make_charges({"id": 1}).iloc[:0]
    composed = build_linhas(make_lancamentos([]), make_itens([]))
    built = build_cobrancas(charges, composed.linhas, composed.titulos, {}, NO_SIGHTING)
    assert len(built.cobrancas) == len(built.cobranca_titulos) == len(built.desconhecidos) == 0
