"""Sections 5 and 7: every request needs the token; what does not exist is not found."""

from __future__ import annotations

import httpx
import pytest

from tests.contract.calls import Api, refused

LISTS = ["/v1/categorias", "/v1/clientes", "/v1/fornecedores", "/v1/classificacoes", "/v1/lancamentos?conta_id=1"]
RECORDS = ["lancamentos", "transferencias", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes"]


@pytest.mark.parametrize("path", LISTS)
def test_a_request_without_its_token_does_not_work(service: tuple[str, str], path: str) -> None:
    address = service[0] + path
    for token in ("", "access_token=", f"access_token=outro-{service[1]}"):
        assert refused(httpx.get(f"{address}{'&' if '?' in path else '?'}{token}"))


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_does_not_exist_is_refused(api: Api, name: str) -> None:
    assert refused(api.ask("GET", f"/v1/{name}/999999999"))
    assert refused(api.ask("DELETE", f"/v1/{name}/999999999", {"acao": "remove_lancamentos"}))


def test_a_path_that_does_not_exist_is_refused(api: Api) -> None:
    assert refused(api.ask("GET", "/v1/inexistente"))
