"""Sections 3 and 4.5-4.9, writing: categories, customers, suppliers, classifications, accounts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.calls import Api, refused

pytestmark = pytest.mark.escrita

PERSON = {
    "nome": "Comércio Ipê Ltda", "nome_fantasia": "Ipê", "documento": "11222333000181", "inscricao_estadual": "123",
    "inscricao_municipal": "456", "telefone": "(11) 5555-0000", "email": "ipe@exemplo.com.br",
    "endereco": "Rua das Acácias", "endereco_numero": "12-A", "endereco_complemento": "fundos", "bairro": "Centro",
    "cep": "01001000", "agencia": "0421", "numero_conta": "33817-2", "observacao": "linha 1\nlinha 2",
}  # fmt: skip
PLURALS = ["clientes", "fornecedores"]
ROLES = [("clientes", "cliente", "fornecedor"), ("fornecedores", "fornecedor", "cliente")]


def entry(api: Api, **fields: Any) -> dict[str, Any]:
    base = {"descricao": "Referência", "valor": "-3.00", "data_vencimento": "2026-05-31"}
    return api.post("/v1/lancamentos", **{**base, **fields})


# --- categories ---


def test_category_tree(api: Api) -> None:
    root = api.post("/v1/categorias", descricao="Raiz", cor="#112233")
    assert (root["descricao"], root["cor"], root["parent_id"], root["ativo"]) == ("Raiz", "#112233", None, True)
    child = api.post("/v1/categorias", descricao="Filha", parent_id=root["id"])
    assert child["parent_id"] == root["id"]
    listed = {node["id"]: node for node in api.get("/v1/categorias")}
    assert [node["id"] for node in listed[root["id"]]["categorias_filhas"]] == [child["id"]]
    assert child["id"] in [node["id"] for node in api.get("/v1/categorias", tipo_view="children")]
    edited = api.put(f"/v1/categorias/{child['id']}", descricao="Filha mudada", cor="#445566")
    assert (edited["descricao"], edited["cor"], edited["parent_id"]) == ("Filha mudada", "#445566", root["id"])


def test_category_needs_a_name_and_an_existing_parent(api: Api) -> None:
    assert refused(api.send("POST", "/v1/categorias", cor="#112233"))
    assert refused(api.send("POST", "/v1/categorias", descricao="Órfã", parent_id=999999999))


def test_deleting_a_category_removes_or_migrates_its_entries(api: Api, conta: int, categoria: int) -> None:
    gone, moved = (api.post("/v1/categorias", descricao=text)["id"] for text in ("Some", "Migra"))
    lost = entry(api, conta_id=conta, categoria_id=gone)
    kept = entry(api, conta_id=conta, categoria_id=moved)
    assert refused(api.ask("DELETE", f"/v1/categorias/{gone}"))
    assert refused(api.ask("DELETE", f"/v1/categorias/{moved}", {"acao": "migra_lancamentos"}))
    assert refused(api.ask("DELETE", f"/v1/categorias/{moved}", {"acao": "outra"}))
    assert api.delete(f"/v1/categorias/{gone}", acao="remove_lancamentos") is True
    assert api.delete(f"/v1/categorias/{moved}", acao="migra_lancamentos", migracao_id=categoria) is True
    assert refused(api.ask("GET", f"/v1/lancamentos/{lost['id']}"))
    assert api.get(f"/v1/lancamentos/{kept['id']}")["categoria_id"] == categoria
    assert refused(api.ask("GET", f"/v1/categorias/{gone}"))


# --- people ---


@pytest.mark.parametrize(("plural", "role", "other"), ROLES)
def test_person_comes_back_whole(api: Api, plural: str, role: str, other: str) -> None:
    made = api.post(f"/v1/{plural}", **PERSON, banco_id=1)
    assert {name: made[name] for name in PERSON} == PERSON
    assert (made[role], made[other], made["ativo"], made["banco_id"]) == (True, False, True, 1)
    edited = api.put(f"/v1/{plural}/{made['id']}", **{**PERSON, "nome": "Outro nome"})
    assert edited["nome"] == "Outro nome"
    assert edited["anexos"] == []
    assert api.get(f"/v1/{plural}/{made['id']}")["nome"] == "Outro nome"


@pytest.mark.parametrize(("plural", "role", "other"), ROLES)
def test_one_record_can_be_both(api: Api, plural: str, role: str, other: str) -> None:
    made = api.post(f"/v1/{plural}", nome="Dos dois lados", **{other: True})
    assert (made[role], made[other]) == (True, True)
    for path in ("clientes", "fornecedores"):
        assert made["id"] in [person["id"] for person in api.get(f"/v1/{path}")]


@pytest.mark.parametrize("plural", PLURALS)
def test_person_needs_a_name(api: Api, plural: str) -> None:
    assert refused(api.send("POST", f"/v1/{plural}", email="a@exemplo.com.br"))


@pytest.mark.parametrize("plural", PLURALS)
def test_inactive_people_are_listed_only_when_asked_for(api: Api, plural: str) -> None:
    made = api.post(f"/v1/{plural}", nome="Vai embora")
    api.put(f"/v1/{plural}/{made['id']}", nome="Vai embora", ativo=False)
    assert made["id"] not in [person["id"] for person in api.get(f"/v1/{plural}")]
    assert made["id"] in [person["id"] for person in api.get(f"/v1/{plural}", considerar_inativos="true")]


@pytest.mark.parametrize("plural", PLURALS)
def test_deleting_a_person_can_migrate_the_entries(api: Api, conta: int, categoria: int, plural: str) -> None:
    leaving, staying = (api.post(f"/v1/{plural}", nome=text)["id"] for text in ("Sai", "Fica"))
    made = entry(api, conta_id=conta, categoria_id=categoria, pessoa_id=leaving)
    assert refused(api.ask("DELETE", f"/v1/{plural}/{leaving}", {"migracao_id": 999999999}))
    assert api.delete(f"/v1/{plural}/{leaving}", migracao_id=staying) is True
    assert api.get(f"/v1/lancamentos/{made['id']}")["pessoa_id"] == staying
    assert refused(api.ask("GET", f"/v1/{plural}/{leaving}"))
    assert api.delete(f"/v1/{plural}/{staying}") is True
    assert api.get(f"/v1/lancamentos/{made['id']}")["id"] == made["id"]


# --- classifications ---


def kind(api: Api) -> int:
    """The kind of the default listing, customer, read from a classification where there is one."""
    listed = api.get("/v1/classificacoes", considerar_inativos="true")
    return next((record["tipo_classificacao_id"] for record in listed), 1)


def test_classification(api: Api) -> None:
    of = kind(api)
    made = api.post("/v1/classificacoes", nome="Ouro", tipo_classificacao_id=of)
    assert made == {"id": made["id"], "nome": "Ouro", "tipo_classificacao_id": of, "ativo": True}
    path = f"/v1/classificacoes/{made['id']}"
    assert api.put(path, nome="Prata", tipo_classificacao_id=of)["nome"] == "Prata"
    for missing in ("nome", "tipo_classificacao_id"):
        fields = {name: value for name, value in {"nome": "X", "tipo_classificacao_id": of}.items() if name != missing}
        assert refused(api.send("POST", "/v1/classificacoes", **fields))
        assert refused(api.send("PUT", path, **fields))
    assert made["id"] in [record["id"] for record in api.get("/v1/classificacoes", tipo_classificacao=of)]


def test_an_inactive_classification_can_not_be_attached(api: Api) -> None:
    of = kind(api)
    made = api.post("/v1/classificacoes", nome="Antiga", tipo_classificacao_id=of)
    field = "classificacao_cliente_id"
    person = api.post("/v1/clientes", nome="Classificado", **{field: made["id"]})
    assert person[field] == made["id"]
    inactive = api.put(f"/v1/classificacoes/{made['id']}", nome="Antiga", tipo_classificacao_id=of, ativo=False)
    assert inactive["ativo"] is False
    assert made["id"] not in [record["id"] for record in api.get("/v1/classificacoes")]
    assert refused(api.send("POST", "/v1/clientes", nome="Outro", **{field: made["id"]}))


def test_deleting_a_classification_can_migrate_its_people(api: Api) -> None:
    of = kind(api)
    leaving, staying = (
        api.post("/v1/classificacoes", nome=text, tipo_classificacao_id=of)["id"] for text in ("Sai", "Fica")
    )
    person = api.post("/v1/clientes", nome="Migrado", classificacao_cliente_id=leaving)
    assert api.delete(f"/v1/classificacoes/{leaving}", migracao_id=staying) is True
    assert api.get(f"/v1/clientes/{person['id']}")["classificacao_cliente_id"] == staying
    assert refused(api.ask("GET", f"/v1/classificacoes/{leaving}"))


# --- accounts ---


def test_account(api: Api) -> None:
    made = api.post(
        "/v1/contas", descricao="Banco Novo", banco_id=1, agencia="0001", numero="12345-6", nome_gerente="Inês",
        telefone_gerente="(11) 5555-1111", data_saldo_inicial="2026-01-01", valor_saldo_inicial="1000.00",
    )  # fmt: skip
    assert isinstance(made["id"], int)
    assert refused(api.send("POST", "/v1/contas", numero="1"))
