"""Sections 2.5-2.8 and 4.5-4.8, reading: categories, customers, suppliers, classifications."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.calls import Api

TEXTS = (
    "nome_fantasia", "documento", "inscricao_estadual", "inscricao_municipal", "telefone", "endereco",
    "endereco_numero", "endereco_complemento", "bairro", "cep", "email", "observacao", "agencia", "numero_conta",
)  # fmt: skip
LINKS = ("cidade_id", "estado_id", "banco_id", "classificacao_cliente_id", "classificacao_fornecedor_id")


def walk(nodes: list[dict[str, Any]], parent: int | None = None) -> Iterator[tuple[dict[str, Any], int | None]]:
    for node in nodes:
        yield node, parent
        yield from walk(node["categorias_filhas"], node["id"])


def test_categories_are_a_tree(api: Api) -> None:
    found = list(walk(api.get("/v1/categorias", considerar_inativos="true")))
    assert found
    assert len({node["id"] for node, _ in found}) == len(found)
    for node, parent in found:
        assert node["parent_id"] == parent
        assert isinstance(node["descricao"], str)
        assert isinstance(node["cor"], str)
        assert isinstance(node["ativo"], bool)
        assert node["tipo_categoria_id"] in (0, 1, 2)


def test_inactive_categories_come_only_when_asked_for(api: Api) -> None:
    active = {node["id"] for node, _ in walk(api.get("/v1/categorias"))}
    found = {node["id"]: node for node, _ in walk(api.get("/v1/categorias", considerar_inativos="true"))}
    assert active == {id_ for id_, node in found.items() if node["ativo"]}


def test_children_view_has_only_children(api: Api) -> None:
    found = {node["id"]: node for node, _ in walk(api.get("/v1/categorias"))}
    children = api.get("/v1/categorias", tipo_view="children")
    assert {node["id"] for node in children} <= {id_ for id_, node in found.items() if node["parent_id"] is not None}


def test_the_get_of_a_category_is_its_node(api: Api) -> None:
    node = api.get("/v1/categorias", considerar_inativos="true")[0]
    assert api.get(f"/v1/categorias/{node['id']}") == node


@pytest.mark.parametrize(("path", "role"), [("/v1/clientes", "cliente"), ("/v1/fornecedores", "fornecedor")])
def test_people(api: Api, path: str, role: str) -> None:
    found = api.get(path, considerar_inativos="true")
    assert found
    for person in found:
        assert isinstance(person["id"], int)
        assert isinstance(person["nome"], str)
        assert person[role] is True
        for name in ("cliente", "fornecedor", "ativo"):
            assert isinstance(person[name], bool), name
        for name in TEXTS:
            assert person[name] is None or isinstance(person[name], str), name
        for name in LINKS:
            assert person[name] is None or isinstance(person[name], int), name
        assert {"estado", "cidade"} <= person.keys()
        assert all(isinstance(element["id"], int) for element in person["anexos"])
    active = {person["id"] for person in api.get(path)}
    assert active == {person["id"] for person in found if person["ativo"]}
    one = api.get(f"{path}/{found[0]['id']}")
    assert {name: one[name] for name in ("id", "nome", role)} == {n: found[0][n] for n in ("id", "nome", role)}


@pytest.mark.parametrize("path", ["/v1/clientes", "/v1/fornecedores"])
def test_people_are_found_by_document_and_by_term(api: Api, path: str) -> None:
    found = api.get(path)
    documented = next((person for person in found if person["documento"]), None)
    if documented is not None:
        digits = "".join(c for c in documented["documento"] if c.isdigit())
        assert documented["id"] in [person["id"] for person in api.get(path, documento=digits)]
    assert found[0]["id"] in [person["id"] for person in api.get(path, term=found[0]["nome"])]
    assert api.get(path, documento="00000000000191000") == []


def test_classifications(api: Api) -> None:
    found = api.get("/v1/classificacoes", considerar_inativos="true")
    for record in found:
        assert isinstance(record["id"], int)
        assert isinstance(record["nome"], str)
        assert isinstance(record["tipo_classificacao_id"], int)
        assert isinstance(record["ativo"], bool)
        assert api.get(f"/v1/classificacoes/{record['id']}") == record
    active = {record["id"] for record in api.get("/v1/classificacoes")}
    assert active == {record["id"] for record in found if record["ativo"]}
