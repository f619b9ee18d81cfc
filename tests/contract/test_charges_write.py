"""Sections 3 and 4.3, writing: charges, their entries, and their cancelling."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from tests.contract import calls
from tests.contract.calls import Api, refused

pytestmark = pytest.mark.escrita
item = partial(calls.item, "itens")


@pytest.fixture
def base(conta: int, cliente: int) -> dict[str, Any]:
    """The required fields but the items."""
    return {"conta_id": conta, "cliente_id": cliente, "data_vencimento": "2099-03-31", "tipo_cobranca": "boleto"}


def linked(api: Api, charge: dict[str, Any]) -> list[dict[str, Any]]:
    return [api.get(f"/v1/lancamentos/{id_.strip()}") for id_ in charge["lancamento_ids"].split(",")]


def test_defaults(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = api.post("/v1/cobrancas", *item("Mensalidade", categoria, "150.00"), **base)
    assert Decimal(made["valor"]) == Decimal("150.00")
    assert Decimal(str(made["percentual_multa"])) == 2
    assert (made["cobrar_juros"], made["permitir_segunda_via"]) == (1, 1)
    assert made["valor_pago"] is None
    assert made["instrucoes_boleto"] is None
    assert made["email"] is None
    assert made["data_cancelamento"] is None
    assert (made["conta_id"], made["cliente_id"]) == (base["conta_id"], base["cliente_id"])
    assert made["data_vencimento"] == "2099-03-31"
    assert api.get(f"/v1/cobrancas/{made['id']}") == made


def test_the_linked_entries_carry_the_items(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = api.post(
        "/v1/cobrancas",
        *item("Produto", categoria, "100.00", centro_custo_lucro_id=9),
        *item("Frete", categoria, "20.50"),
        **base,
        data_competencia="2099-03-01",
    )
    assert Decimal(made["valor"]) == Decimal("120.50")
    entries = linked(api, made)
    revenue = [entry for entry in entries if not entry["valor"].startswith("-")]
    assert sum(Decimal(entry["valor"]) for entry in revenue) == Decimal("120.50")
    assert {entry["pessoa_id"] for entry in entries} == {base["cliente_id"]}
    assert {entry["conta_id"] for entry in entries} == {base["conta_id"]}
    assert {entry["data_competencia"] for entry in entries} == {"2099-03-01"}
    groups = {entry["lancamento_composto_id"] for entry in entries}
    assert len(groups) == 1
    found = api.get("/v1/cobrancas", lancamento_composto_id=groups.pop())
    assert [charge["id"] for charge in found] == [made["id"]]


def test_options_come_back(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = api.post(
        "/v1/cobrancas",
        *item("Mensalidade", categoria, "80.00"),
        **base,
        email="pagador@exemplo.com.br",
        percentual_multa=5,
        cobrar_juros=False,
        permitir_segunda_via=False,
        instrucoes_boleto="Não receber após o vencimento",
    )
    assert made["email"] == "pagador@exemplo.com.br"
    assert Decimal(str(made["percentual_multa"])) == 5
    assert (made["cobrar_juros"], made["permitir_segunda_via"]) == (0, 0)
    assert made["instrucoes_boleto"] == "Não receber após o vencimento"


def test_issue_now_or_by_the_dates(api: Api, base: dict[str, Any], categoria: int) -> None:
    pairs = item("Mensalidade", categoria, "80.00")
    scheduled = api.post("/v1/cobrancas", *pairs, **base)
    assert scheduled["status_descricao"] == "Agendado"
    by_dates = api.post("/v1/cobrancas", *pairs, **base, tipo_emissao=2, dias_para_emissao=5)
    assert by_dates["status_descricao"] == "Agendado"
    now = api.post("/v1/cobrancas", *pairs, **base, tipo_emissao=1)
    assert (now["status_id"], now["status_descricao"]) == (1, "Pendente")
    assert re.search(rf"/pagar/{now['cobranca_hash']}$", now["link_publico"])
    assert [c["id"] for c in api.get("/v1/cobrancas", cobranca_hash=now["cobranca_hash"])] == [now["id"]]


@pytest.mark.parametrize("kind", ["boleto", "cartao_credito", "pix"])
def test_kinds(api: Api, base: dict[str, Any], categoria: int, kind: str) -> None:
    made = api.post("/v1/cobrancas", *item("Item", categoria, "10.00"), **{**base, "tipo_cobranca": kind})
    assert isinstance(made["forma_pagamento_id"], int)


@pytest.mark.parametrize("name", ["conta_id", "cliente_id", "data_vencimento", "tipo_cobranca"])
def test_required_fields(api: Api, base: dict[str, Any], categoria: int, name: str) -> None:
    body = {key: value for key, value in base.items() if key != name}
    assert refused(api.send("POST", "/v1/cobrancas", *item("Item", categoria, "10.00"), **body))


@pytest.mark.parametrize("name", ["descricao", "categoria_id", "valor"])
def test_required_fields_of_items(api: Api, base: dict[str, Any], categoria: int, name: str) -> None:
    assert refused(api.send("POST", "/v1/cobrancas", **base))
    pairs = [pair for pair in item("Item", categoria, "10.00") if pair[0] != f"itens[][{name}]"]
    assert refused(api.send("POST", "/v1/cobrancas", *pairs, **base))


@pytest.mark.parametrize(
    ("name", "value"), [("tipo_cobranca", "cheque"), ("periodicidade", "X1"), ("tipo_emissao", "3"),
                        ("data_vencimento", "amanhã")],
)  # fmt: skip
def test_wrong_values_are_refused(api: Api, base: dict[str, Any], categoria: int, name: str, value: str) -> None:
    assert refused(api.send("POST", "/v1/cobrancas", *item("Item", categoria, "10.00"), **{**base, name: value}))


def test_items_are_positive(api: Api, base: dict[str, Any], categoria: int) -> None:
    assert refused(api.send("POST", "/v1/cobrancas", *item("Item", categoria, "-10.00"), **base))


def test_instalments(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = api.post("/v1/cobrancas", *item("Parcela", categoria, "10.00"), **base, periodicidade="M1", parcelas=3)
    found = api.get("/v1/cobrancas", cliente_id=base["cliente_id"], data_inicio="2099-03-31")
    dates = sorted(charge["data_vencimento"] for charge in found if charge["id"] >= made["id"])
    assert dates == ["2099-03-31", "2099-04-30", "2099-05-31"]


@pytest.mark.parametrize("delete", [True, False])
def test_cancelling(api: Api, base: dict[str, Any], categoria: int, delete: bool) -> None:
    made = api.post("/v1/cobrancas", *item("Um", categoria, "10.00"), *item("Dois", categoria, "5.00"), **base)
    query = {"excluir_lancamentos": "true", "enviar_email_aviso": "true"} if delete else {}
    answer = api.delete(f"/v1/cobrancas/{made['id']}", **query)
    assert list(answer) == ["success"]
    assert isinstance(answer["success"], str)
    assert api.get(f"/v1/cobrancas/{made['id']}")["data_cancelamento"] is not None
    for id_ in made["lancamento_ids"].split(","):
        assert refused(api.ask("GET", f"/v1/lancamentos/{id_}")) == delete
