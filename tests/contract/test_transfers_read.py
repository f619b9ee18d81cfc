"""Sections 2.2 and 4.2, reading: a transfer is its two linked records, by the id of either."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.contract.calls import DATE, DECIMAL, Api


@pytest.fixture
def legs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [row for row in rows if row["lancamento_transferencia_id"]]
    if not found:
        pytest.skip("no transfer")
    return found[:5]


def test_either_id_gives_both_records(api: Api, legs: list[dict[str, Any]]) -> None:
    for leg in legs:
        pair = api.get(f"/v1/transferencias/{leg['id']}")
        assert pair == api.get(f"/v1/transferencias/{leg['lancamento_transferencia_id']}")
        assert {record["id"] for record in pair} == {leg["id"], leg["lancamento_transferencia_id"]}
        one, other = pair
        assert (one["lancamento_transferencia_id"], other["lancamento_transferencia_id"]) == (other["id"], one["id"])
        assert Decimal(one["valor"]) == -Decimal(other["valor"]) != 0


def test_records_have_their_fields(api: Api, legs: list[dict[str, Any]]) -> None:
    for record in api.get(f"/v1/transferencias/{legs[0]['id']}"):
        assert {
            "id", "lancamento_transferencia_id", "categoria_id", "conta_id", "tipo_lancamento_id", "descricao",
            "data_vencimento", "valor", "anexos", "data_pagamento", "data_competencia",
        } <= record.keys()  # fmt: skip
        assert isinstance(record["tipo_lancamento_id"], int)
        assert DECIMAL.fullmatch(record["valor"])
        assert DATE.fullmatch(record["data_vencimento"])


def test_an_ordinary_entry_is_no_transfer(api: Api, rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if not row["lancamento_transferencia_id"])
    assert api.ask("GET", f"/v1/transferencias/{row['id']}").status_code in (400, 404, 422)
