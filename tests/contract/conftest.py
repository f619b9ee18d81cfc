"""The conformance suite's options and its way to the service.

Against a sandbox that it starts itself:  pytest tests/contract
Against any service, reading only:        pytest tests/contract --base-url URL --token T [--contas 101,102]
Against a test account, writing as well:  pytest tests/contract --base-url URL --token T --escrita

Nothing here knows how the service is built; what the document leaves open is not asserted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from tests.contract.calls import Api


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("contract")
    group.addoption("--base-url", default=None, help="service to hold against the document (default: our sandbox)")
    group.addoption("--token", default=None, help="its access token")
    group.addoption("--contas", default="", help="ids of its accounts, for a service without an account list")
    group.addoption("--escrita", action="store_true", help="also create, edit and delete records there")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "escrita: creates, edits or deletes records of the service")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--base-url", default=None) is None or config.getoption("--escrita", default=False):
        return
    reason = pytest.mark.skip(reason="writes only with --escrita")
    for item in items:
        if "escrita" in item.keywords:
            item.add_marker(reason)


@pytest.fixture(scope="session")
def service(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Base address and token of the service under test."""
    address = request.config.getoption("--base-url", default=None)
    if address is not None:
        yield address.rstrip("/"), request.config.getoption("--token", default=None) or "sandbox"
        return
    from lastro_sandbox import create_app, make_company, serve

    with serve(create_app(make_company(seed=7, lancamentos=1500, hoje=date(2026, 3, 16)))) as running:
        yield running.base_url, "sandbox"


@pytest.fixture(scope="session")
def api(service: tuple[str, str]) -> Iterator[Api]:
    address, token = service
    with httpx.Client(base_url=address, timeout=60) as client:
        yield Api(client, token)


@pytest.fixture(scope="session")
def contas(request: pytest.FixtureRequest, api: Api) -> list[int]:
    """Ids of accounts to read: those of the option, of the account list, or of the charges."""
    given = request.config.getoption("--contas", default="")
    if given:
        return [int(text) for text in given.split(",")]
    if request.config.getoption("--base-url", default=None) is None:
        return [101, 102, 103]
    listed = api.ask("GET", "/v1/contas")
    if listed.status_code == 200 and isinstance(listed.json(), list):
        return [account["id"] for account in listed.json()]
    charges = api.get("/v1/cobrancas", data_inicio="1900-01-01")
    found = sorted({charge["conta_id"] for charge in charges})
    if not found:
        pytest.skip("no account is known: name some with --contas")
    return found


@pytest.fixture(scope="session")
def rows(api: Api, contas: list[int]) -> list[dict[str, Any]]:
    """A sample of entries: up to 500 of each account."""
    return [row for conta in contas for row in api.get("/v1/lancamentos", conta_id=conta, limit=500)]


@pytest.fixture(scope="session")
def conta(api: Api) -> int:
    """An account of the tests' own, to write into."""
    return api.post("/v1/contas", descricao="Conta de conformidade", valor_saldo_inicial="100.00")["id"]


@pytest.fixture(scope="session")
def outra_conta(api: Api) -> int:
    """A second account of the tests' own."""
    return api.post("/v1/contas", descricao="Outra conta de conformidade")["id"]


@pytest.fixture(scope="session")
def categoria(api: Api) -> int:
    """A category of the tests' own."""
    return api.post("/v1/categorias", descricao="Conformidade", cor="#00AA55")["id"]


@pytest.fixture(scope="session")
def cliente(api: Api) -> int:
    """A customer of the tests' own."""
    return api.post("/v1/clientes", nome="Cliente de conformidade", email="cliente@exemplo.com.br")["id"]


@pytest.fixture(scope="session")
def fornecedor(api: Api) -> int:
    """A supplier of the tests' own."""
    return api.post("/v1/fornecedores", nome="Fornecedor de conformidade")["id"]
