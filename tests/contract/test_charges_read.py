"""Sections 2.4 and 4.3, reading: fields, filters, states and paging of charges."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.calls import DATE, DECIMAL, Api, count_of, refused

STATES = ("agendado", "pendente", "cliente_pagou", "transferindo", "transferido")


@pytest.fixture(scope="module")
def charges(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while page := api.get("/v1/cobrancas", data_inicio="1900-01-01", start=len(found)):
        assert len(page) <= 50
        found += page
    if not found:
        pytest.skip("no charge")
    return found


def test_pages_put_together_are_the_listing(api: Api, charges: list[dict[str, Any]]) -> None:
    assert len({charge["id"] for charge in charges}) == len(charges)
    assert count_of(api.get("/v1/cobrancas", data_inicio="1900-01-01", tipo_view="count")) == len(charges)


def test_every_field_has_its_type(charges: list[dict[str, Any]]) -> None:
    for charge in charges:
        for name in ("id", "cobrar_juros", "permitir_segunda_via", "forma_pagamento_id", "cliente_id", "conta_id",
                     "status_id"):  # fmt: skip
            assert isinstance(charge[name], int), name
        for name in ("valor", "valor_taxa", "valor_multa_juros"):
            assert DECIMAL.fullmatch(charge[name]), name
        assert charge["valor_pago"] is None or DECIMAL.fullmatch(charge["valor_pago"])
        assert "percentual_multa" in charge
        assert charge["cobrar_juros"] in (0, 1)
        assert charge["permitir_segunda_via"] in (0, 1)
        assert DATE.fullmatch(charge["data_vencimento"])
        for name in ("data_a_transferir", "data_transferindo", "data_transferido", "data_cancelamento"):
            assert charge[name] is None or DATE.fullmatch(charge[name]), name
        for name in ("status_descricao", "lancamento_ids", "link_publico"):
            assert isinstance(charge[name], str), name
        assert all(part.strip().isdigit() for part in charge["lancamento_ids"].split(",") if part.strip())
        for name in ("instrucoes_boleto", "email"):
            assert charge[name] is None or isinstance(charge[name], str), name


def test_status_1_is_pendente(charges: list[dict[str, Any]]) -> None:
    assert {charge["status_descricao"] for charge in charges if charge["status_id"] == 1} <= {"Pendente"}


def test_the_public_link_ends_in_the_hash(charges: list[dict[str, Any]]) -> None:
    for charge in charges:
        if charge["cobranca_hash"]:
            assert charge["link_publico"].endswith(f"/pagar/{charge['cobranca_hash']}")


def test_one_of_the_six_filters_is_required(api: Api) -> None:
    assert refused(api.ask("GET", "/v1/cobrancas"))
    assert refused(api.ask("GET", "/v1/cobrancas", {"status": "pendente"}))


def test_filters(api: Api, charges: list[dict[str, Any]]) -> None:
    one = charges[len(charges) // 2]
    assert [c["id"] for c in api.get("/v1/cobrancas", cobranca_hash=one["cobranca_hash"])] == [one["id"]]
    for name in ("conta_id", "cliente_id"):
        page = api.get("/v1/cobrancas", **{name: one[name]})
        assert page
        assert {charge[name] for charge in page} == {one[name]}
    due = one["data_vencimento"]
    same_day = api.get("/v1/cobrancas", data_inicio=due, data_fim=due)
    assert {charge["id"] for charge in same_day} == {c["id"] for c in charges if c["data_vencimento"] == due}
    assert {charge["data_vencimento"] for charge in api.get("/v1/cobrancas", data_fim=due)} <= {
        c["data_vencimento"] for c in charges if c["data_vencimento"] <= due
    }


@pytest.mark.parametrize("status", STATES)
def test_status_filter(api: Api, charges: list[dict[str, Any]], status: str) -> None:
    found = api.get("/v1/cobrancas", data_inicio="1900-01-01", status=status)
    assert len({charge["status_id"] for charge in found}) <= 1
    listed = {charge["id"]: charge for charge in charges}
    assert all(listed[charge["id"]]["status_id"] == charge["status_id"] for charge in found)


def test_all_is_the_plain_view(api: Api, charges: list[dict[str, Any]]) -> None:
    assert api.get("/v1/cobrancas", data_inicio="1900-01-01", tipo_view="all") == charges[:50]


def test_the_get_of_a_charge_is_its_row(api: Api, charges: list[dict[str, Any]]) -> None:
    assert api.get(f"/v1/cobrancas/{charges[0]['id']}") == charges[0]
