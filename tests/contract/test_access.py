"""Sections 5 and 7: every request needs the token; what does not exist is not found."""

from __future__ import annotations

import httpx
import pytest

from tests.contract.calls import Api, refused

LISTS = ["/v1/categorias", "/v1/clientes", "/v1/fornecedores", "/v1/classificacoes", "/v1/lancamentos?conta_id=1"]
RECORDS = ["lancamentos", "transferencias", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes"]


@pytest.mark.parametrize("path", LISTS)
def test_a_request_without_the_token_does_not_work(service: tuple[str, str], path: str) -> None:
    assert refused(httpx.get(service[0] + path))


@pytest.mark.parametrize("path", LISTS)
def test_a_request_with_another_token_does_not_work(service: tuple[str, str], path: str) -> None:
    separator = "&" if "?" in path else "?"
    assert refused(httpx.get(f"{service[0]}{path}{separator}access_token=outro-{service[1]}"))


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_does_not_exist_is_refused(api: Api, name: str) -> None:
    assert refused(api.ask("GET", f"/v1/{name}/999999999"))


def test_a_path_that_does_not_exist_is_refused(api: Api) -> None:
    assert refused(api.ask("GET", "/v1/inexistente"))


@pytest.mark.parametrize("name", RECORDS)
def test_deleting_what_does_not_exist_is_refused(api: Api, name: str) -> None:
    assert refused(api.ask("DELETE", f"/v1/{name}/999999999", {"acao": "remove_lancamentos"}))
