"""Sections 2.3, 4.2, 4.4, 4.6, 4.7: files attached to entries, transfers, customers and suppliers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.contract.calls import Api, refused

pytestmark = pytest.mark.escrita
CONTENT = "conteúdo do anexo\n".encode()


def check(api: Api, made: dict[str, Any], path: str, owner: dict[str, int]) -> None:
    """Hold an attachment against the document, then delete it."""
    assert {"id", "filename", "content_type", "size"} <= made.keys()
    assert {name: made[name] for name in owner} == owner
    assert (made["filename"], made["size"]) == ("nota.txt", len(CONTENT))
    assert "file" not in made
    plain = api.get(path)
    assert "file" not in plain
    assert plain["id"] == made["id"]
    assert base64.b64decode(api.get(path, with_file="true")["file"]) == CONTENT
    assert api.delete(path) is True
    assert refused(api.ask("GET", path))


@pytest.fixture
def entry(api: Api, conta: int, categoria: int) -> int:
    return api.post(
        "/v1/lancamentos", descricao="Com anexo", conta_id=conta, categoria_id=categoria, valor="-1.00",
        data_vencimento="2026-05-31",
    )["id"]  # fmt: skip


@pytest.mark.parametrize("path", ["/v1/anexos", "/v1/anexos.json"])
def test_entry(api: Api, entry: int, path: str) -> None:
    answer = api.upload(path, "nota.txt", CONTENT, filename="nota.txt", lancamento_id=entry)
    assert answer.is_success
    made = answer.json()
    assert "lancamento_compost_id" in made
    assert api.get(f"/v1/lancamentos/{entry}")["anexos"] == [{"id": made["id"]}]
    check(api, made, f"/v1/anexos/{made['id']}", {"lancamento_id": entry})
    assert api.get(f"/v1/lancamentos/{entry}")["anexos"] == []


def test_transfer(api: Api, conta: int, outra_conta: int) -> None:
    legs = api.post(
        "/v1/transferencias", descricao="Com anexo", valor="5.00", data="2026-01-10", conta_origem_id=conta,
        conta_destino_id=outra_conta,
    )  # fmt: skip
    source, target = sorted(legs, key=lambda leg: not leg["valor"].startswith("-"))
    path = f"/v1/transferencias/{source['id']}/anexos"
    assert refused(api.upload(f"/v1/transferencias/{target['id']}/anexos", "n.txt", CONTENT, filename="n.txt"))
    made = api.upload(path, "nota.txt", CONTENT, filename="nota.txt").json()
    assert "model_id" in made
    legs = api.get(f"/v1/transferencias/{source['id']}")
    assert {"id": made["id"]} in [file for leg in legs for file in leg["anexos"]]
    check(api, made, f"{path}/{made['id']}", {"transferencia_id": source["id"]})


@pytest.mark.parametrize("suffix", ["", ".json"])
@pytest.mark.parametrize("role", ["cliente", "fornecedor"])
def test_people(api: Api, request: pytest.FixtureRequest, role: str, suffix: str) -> None:
    person = request.getfixturevalue(role)
    plural = f"/v1/{'clientes' if role == 'cliente' else 'fornecedores'}/{person}"
    made = api.upload(f"{plural}/anexos{suffix}", "nota.txt", CONTENT, filename="nota.txt").json()
    assert "model_id" in made
    assert {"id": made["id"]} in api.get(plural)["anexos"]
    assert api.get(f"{plural}/anexos/{made['id']}", with_url="true")["id"] == made["id"]
    check(api, made, f"{plural}/anexos/{made['id']}", {f"{role}_id": person})


def test_file_and_filename_are_required(api: Api, entry: int) -> None:
    assert refused(api.upload("/v1/anexos", "nota.txt", CONTENT, lancamento_id=entry))
    assert refused(api.upload("/v1/anexos", "nota.txt", CONTENT, filename="nota.txt"))
    assert refused(api.send("POST", "/v1/anexos", filename="nota.txt", lancamento_id=entry))


def test_an_attachment_to_nothing_is_refused(api: Api) -> None:
    answer = api.upload("/v1/anexos", "nota.txt", CONTENT, filename="nota.txt", lancamento_id=999999999)
    assert refused(answer)
    assert refused(api.upload("/v1/clientes/999999999/anexos", "n.txt", CONTENT, filename="n.txt"))
