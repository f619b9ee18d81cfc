"""The same charge and the same entry as the client libraries of several languages write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lastro_sandbox import create_app, golden_company, serve

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ITEMS = [("Mensalidade", "11", "100.00"), ("Frete", "12", "20.50")]
NAMES = ("descricao", "categoria_id", "valor")
CHARGE = "conta_id=101&cliente_id=501&data_vencimento=2026-04-30&tipo_cobranca=boleto&cobrar_juros={false}"

ROWS = "&".join(f"itens[][{n}]={v}" for item in ITEMS for n, v in zip(NAMES, item, strict=True))
SORTED = "&".join(f"itens%5B%5D%5B{n}%5D={v}" for item in ITEMS for n, v in sorted(zip(NAMES, item, strict=True)))
NUMBERED = "&".join(
    f"itens%5B{k}%5D%5B{n}%5D={v}" for k, item in enumerate(ITEMS) for n, v in zip(NAMES, item, strict=True)
)
COLUMNS = "&".join(f"itens[][{n}]={item[k]}" for k, n in enumerate(NAMES) for item in ITEMS)


@pytest.fixture
def service() -> Iterator[httpx.Client]:
    with (
        serve(create_app(golden_company())) as running,
        httpx.Client(base_url=running.base_url, params={"access_token": "sandbox"}) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("items", "false"),
    [(ROWS, "false"), (SORTED, "0"), (NUMBERED, "0"), (COLUMNS, "False")],
    ids=["rows", "sorted", "numbered", "columns"],
)
def test_a_charge_with_two_items(service: httpx.Client, items: str, false: str) -> None:
    body = f"{CHARGE.format(false=false)}&{items}"
    made = service.post("/v1/cobrancas", content=body, headers=FORM).json()
    assert (made["valor"], made["cobrar_juros"]) == ("120.50", 0)
    entries = [service.get(f"/v1/lancamentos/{id_}").json() for id_ in made["lancamento_ids"].split(",")]
    assert [(row["descricao"], row["categoria_id"], row["valor"]) for row in entries] == [
        ("Mensalidade", 11, "100.00"),
        ("Frete", 12, "20.50"),
    ]


@pytest.mark.parametrize(
    "tags", ["tags[][id]=1&tags[][id]=2", "tags%5B0%5D%5Bid%5D=1&tags%5B1%5D%5Bid%5D=2", "tags[]=1&tags[]=2"]
)
def test_tags(service: httpx.Client, tags: str) -> None:
    body = (
        "descricao=Caf%C3%A9+%26+cia&conta_id=101&categoria_id=11&valor=5&data_vencimento=2026-04-30"
        f"&data_pagamento=&total_repeticoes=null&infinito=false&tipo_lancamento_id=2&{tags}"
    )
    made = service.post("/v1/lancamentos", content=body, headers=FORM).json()
    assert (made["descricao"], made["tags"]) == ("Café & cia", [{"id": 1}, {"id": 2}])


@pytest.mark.parametrize("path", ["/v1/clientes/501/anexos.json", "/v1/clientes/501/anexos"])
@pytest.mark.parametrize("name", ["nota.pdf", "nota fiscal ção.pdf"])
def test_uploads(service: httpx.Client, path: str, name: str) -> None:
    files: Any = {"file": (name, b"%PDF-1.4", "application/pdf")}
    made = service.post(path, files=files, data={"filename": name}).json()
    assert (made["filename"], made["content_type"], made["size"]) == (name, "application/pdf", 8)


def test_the_parameters_of_a_delete_may_stand_in_its_body(service: httpx.Client) -> None:
    answer = service.request(
        "DELETE", "/v1/categorias/11", content="acao=migra_lancamentos&migracao_id=12", headers=FORM
    )
    assert answer.json() is True
    assert service.get("/v1/lancamentos/1001").json()["categoria_id"] == 12
