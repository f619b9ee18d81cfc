"""Sections 3 and 4.2, writing: transfers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.contract.calls import Api, refused

pytestmark = pytest.mark.escrita


@pytest.fixture
def base(conta: int, outra_conta: int) -> dict[str, Any]:
    """The five required fields."""
    return {
        "descricao": "Transferência de conformidade",
        "valor": "250.00",
        "data": "2026-01-10",
        "conta_origem_id": conta,
        "conta_destino_id": outra_conta,
    }


def by_sign(legs: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    source, target = sorted(legs, key=lambda leg: Decimal(leg["valor"]))
    return source, target


def test_a_transfer_is_two_linked_entries(api: Api, base: dict[str, Any], conta: int, outra_conta: int) -> None:
    source, target = by_sign(api.post("/v1/transferencias", **base))
    assert (source["conta_id"], target["conta_id"]) == (conta, outra_conta)
    assert (Decimal(source["valor"]), Decimal(target["valor"])) == (Decimal(-250), Decimal(250))
    assert source["lancamento_transferencia_id"] == target["id"]
    assert target["lancamento_transferencia_id"] == source["id"]
    assert {leg["data_pagamento"] for leg in (source, target)} == {"2026-01-10"}
    for leg in (source, target):
        assert api.get(f"/v1/lancamentos/{leg['id']}")["lancamento_transferencia_id"] is not None


def test_a_future_date_schedules(api: Api, base: dict[str, Any]) -> None:
    legs = api.post("/v1/transferencias", **{**base, "data": "2099-01-10"})
    assert {leg["data_pagamento"] for leg in legs} == {None}
    assert {leg["data_vencimento"] for leg in legs} == {"2099-01-10"}


@pytest.mark.parametrize("name", ["descricao", "valor", "data", "conta_origem_id", "conta_destino_id"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_every_field_is_required(api: Api, base: dict[str, Any], method: str, name: str) -> None:
    path = "/v1/transferencias"
    if method == "PUT":
        path += f"/{api.post('/v1/transferencias', **base)[0]['id']}"
    assert refused(api.send(method, path, **{key: value for key, value in base.items() if key != name}))


@pytest.mark.parametrize(("name", "value"), [("valor", "-5.00"), ("valor", "x"), ("data", "hoje"),
                                             ("conta_origem_id", "999999999")])  # fmt: skip
def test_wrong_values_are_refused(api: Api, base: dict[str, Any], name: str, value: str) -> None:
    assert refused(api.send("POST", "/v1/transferencias", **{**base, name: value}))


@pytest.mark.parametrize("end", [0, 1])
def test_either_id_edits_and_deletes_both(api: Api, base: dict[str, Any], end: int) -> None:
    made = api.post("/v1/transferencias", **base)
    path = f"/v1/transferencias/{made[end]['id']}"
    source, target = by_sign(api.put(path, **{**base, "valor": "300.00", "data": "2026-01-11"}))
    assert (Decimal(source["valor"]), Decimal(target["valor"])) == (Decimal(-300), Decimal(300))
    assert {source["id"], target["id"]} == {leg["id"] for leg in made}
    assert source["data_vencimento"] == "2026-01-11"
    assert api.delete(path) is True
    for leg in made:
        assert refused(api.ask("GET", f"/v1/transferencias/{leg['id']}"))
        assert refused(api.ask("GET", f"/v1/lancamentos/{leg['id']}"))
