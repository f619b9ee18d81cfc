"""The journal, starting over, snapshots, health, several companies, faults by header, controls from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from lastro_sandbox import Running, Tenant, create_app, golden_company, make_company, serve
from lastro_sandbox.journal import Noted, describe_request
from lastro_sandbox.store import Store
from tests.unit.sandbox.serving import ENTRY

SECRET = "-".join(("segredo", "4b1d", "9"))


@contextmanager
def controlled(**settings: Any) -> Iterator[tuple[httpx.Client, Running]]:
    """Serve the golden company with controls; yield a client that sends the token."""
    options = {"token": SECRET, "controle": True, **settings}
    books = None if "empresas" in settings else golden_company()
    with (
        serve(create_app(books, **options)) as running,
        httpx.Client(base_url=running.base_url, params={"access_token": SECRET}) as client,
    ):
        yield client, running


def test_the_journal_tells_what_was_sent_and_what_was_answered() -> None:
    with controlled() as (client, running):
        client.get("/v1/lancamentos", params={"conta_id": 101, "limit": 2})
        made = client.post("/v1/lancamentos", data=ENTRY)
        client.put("/v1/lancamentos/9999", data={"descricao": "x"})
        found = client.get("/_sandbox/requisicoes").json()
        assert [(one["metodo"], one["caminho"], one["status"]) for one in found] == [
            ("GET", "/v1/lancamentos", 200),
            ("POST", "/v1/lancamentos", 200),
            ("PUT", "/v1/lancamentos/9999", 404),
        ]
        assert found[0]["consulta"] == [["conta_id", "101"], ["limit", "2"]]
        assert running.requests[0] == ("GET", "/v1/lancamentos", (("conta_id", "101"), ("limit", "2")))
        assert dict(found[1]["corpo"]) == ENTRY
        assert (found[1]["bytes"], found[1]["ms"] > 0) == (len(made.content), True)
        for query, numbers in (({"desde": 1}, [2, 3]), ({"status": 404}, [3]), ({"metodo": "post"}, [2]),
                               ({"caminho": "/v1/lancamentos/"}, [3]), ({"limite": 1}, [3])):  # fmt: skip
            answer = client.get("/_sandbox/requisicoes", params=query).json()
            assert [one["numero"] for one in answer] == numbers, query
        assert client.delete("/_sandbox/requisicoes").json() is True
        assert client.get("/_sandbox/requisicoes").json() == []


@pytest.mark.parametrize("wrong", [SECRET, "outro-token-de-verdade/+ç="])
def test_no_token_is_ever_in_the_journal(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever a program puts it: the service's own token, or that of a real service sent here by mistake."""
    shown: list[str] = []
    with controlled(dialeto="observado", mostrar=lambda noted: shown.append(describe_request(noted))) as (client, run):
        query = {"access_token": wrong}
        client.get("/v1/lancamentos", params={**query, "busca": f"x{wrong}y"})
        client.get(f"/v1/{httpx.QueryParams({'t': wrong})}", params=query)
        client.post("/v1/lancamentos", params=query, data={**ENTRY, "access_token": wrong, "observacao": wrong})
        client.post(
            "/v1/lancamentos", params=query, json={**ENTRY, "access_token": wrong, "tags": [{"id": wrong}], wrong: 1}
        )
        client.post(
            "/v1/lancamentos", params=query, content=f"a={wrong}".encode(), headers={"Content-Type": "text/xml"}
        )
        client.post("/v1/anexos", params=query, files={"file": (wrong, b"x")}, data={"filename": wrong})
        client.get("/v1/contas", params=[("access_token", wrong), ("access_token", SECRET)])
        httpx.get(f"{run.base_url}/v1/lancamentos?access_token={wrong}%20&nome=%61ccess", headers={"X-Token": "x"})
        journal = client.get("/_sandbox/requisicoes").text
    text = journal + "\n".join(shown) + capsys.readouterr().out
    assert len(shown) == 8
    for token in (wrong, SECRET):
        assert token not in text
        assert str(httpx.QueryParams({"t": token}))[2:] not in text


def test_a_line_of_the_journal_holds_no_controls() -> None:
    noted = Noted(1, "2026-03-16T10:00:00.000-03:00", None, "GET", "/v1/x\x1b[2J\n", [("a", "b\r\u202e")], None)
    line = describe_request(noted)
    assert line.isprintable()
    assert line.startswith("10:00:00 GET /v1/x\\x1b[2J")


def test_starting_over_brings_everything_back() -> None:
    with controlled() as (client, running):
        first = client.get("/v1/lancamentos", params={"conta_id": 101, "limit": 500}).json()
        made = client.post("/v1/lancamentos", data=ENTRY).json()["id"]
        client.delete("/v1/lancamentos/1014")
        client.post("/_sandbox/avancar", params={"dias": 40})
        assert client.post("/_sandbox/reiniciar").json() == {"hoje": "2026-03-16", "lancamentos": 18}
        assert client.get("/v1/lancamentos", params={"conta_id": 101, "limit": 500}).json() == first
        assert client.get("/_sandbox/requisicoes").json()[0]["metodo"] == "GET"
        assert client.post("/v1/lancamentos", data=ENTRY).json()["id"] == made
        assert running.books.hoje == "2026-03-16"


def test_snapshots_have_names_and_outlive_the_process(tmp_path: Path) -> None:
    path = tmp_path / "livros.db"
    store = Store(path)
    books = golden_company()
    store.save_all(books)
    with controlled(empresas=[Tenant(books, SECRET, estado=store)]) as (client, _):
        client.post("/v1/lancamentos", data=ENTRY)
        assert client.post("/_sandbox/instantaneos/com-nova").json() == ["com-nova"]
        client.post("/_sandbox/reiniciar")
        assert client.get("/_sandbox/estado").json()["lancamentos"] == 18
        for name in ("a b", "x" * 41, "ação"):
            assert client.post(f"/_sandbox/instantaneos/{name}").status_code == 422
    store.close()
    again = Store(path)
    loaded = again.load()
    assert loaded is not None
    assert len(loaded.lancamentos) == 18
    with controlled(empresas=[Tenant(loaded, SECRET, estado=again)]) as (client, _):
        assert client.get("/_sandbox/instantaneos").json() == ["com-nova"]
        assert client.post("/_sandbox/instantaneos/com-nova/restaurar").json()["lancamentos"] == 19
        assert client.get("/v1/lancamentos", params={"conta_id": 101, "busca": "nova"}).json()[0]["descricao"] == "Nova"
        assert client.delete("/_sandbox/instantaneos/com-nova").json() is True
        for request in (client.post, client.delete):
            assert (
                request(f"/_sandbox/instantaneos/com-nova{'/restaurar' if request == client.post else ''}").status_code
                == 404
            )
    again.close()
    third = Store(path)
    kept = third.load()
    third.close()
    assert kept is not None
    assert len(kept.lancamentos) == 19


def test_health_is_answered_to_everybody() -> None:
    with serve(create_app(golden_company(), token=SECRET)) as running:
        answer = httpx.get(f"{running.base_url}/_sandbox/saude", headers={"Host": "outro.exemplo"})
    assert (answer.status_code, answer.json()) == (200, {"situacao": "ok", "empresas": 1, "hoje": "2026-03-16"})


@pytest.fixture
def two() -> Iterator[tuple[httpx.Client, Running]]:
    tenants = [Tenant(golden_company(), "token-um-1", "um"), Tenant(make_company(2, 60), "token-dois-2", "dois")]
    with controlled(empresas=tenants, janelas=["3/60s"]) as found:
        yield found


def test_the_token_says_which_company_is_meant(two: tuple[httpx.Client, Running]) -> None:
    client, _ = two
    names = [
        client.get("/v1/clientes", params={"access_token": token}).json()[0]["nome"]
        for token in ("token-um-1", "token-dois-2")
    ]
    assert names[0] == "Azul"
    assert names[1] != "Azul"
    assert client.get("/v1/clientes").status_code == 401  # SECRET is nobody's here
    assert [one["empresa"] for one in client.get("/_sandbox/requisicoes").json()] == ["um", "dois", None]
    assert client.get("/_sandbox/requisicoes", params={"empresa": "dois"}).json()[0]["numero"] == 2


def test_controls_act_on_all_companies_or_on_one(two: tuple[httpx.Client, Running]) -> None:
    client, _ = two
    moved = client.post("/_sandbox/avancar", params={"dias": 2}).json()["empresas"]
    assert {name: one["hoje"] for name, one in moved.items()} == {"um": "2026-03-18", "dois": "2026-03-18"}
    assert client.post("/_sandbox/avancar", params={"dias": 1, "empresa": "dois"}).json()["hoje"] == "2026-03-19"
    state = client.get("/_sandbox/estado").json()["empresas"]
    assert {name: one["hoje"] for name, one in state.items()} == {"um": "2026-03-18", "dois": "2026-03-19"}
    assert client.post("/_sandbox/reiniciar", params={"empresa": "tres"}).status_code == 422


def test_companies_that_can_not_be_told_apart_are_refused() -> None:
    one, other = golden_company(), make_company(1, 10)
    for tenants in (
        [Tenant(one, "a", "x"), Tenant(other, "a", "y")],
        [Tenant(one, "a", "x"), Tenant(other, "b", "x")],
        [],
    ):
        with pytest.raises(ValueError, match=r"token|name|company"):
            create_app(empresas=tenants)


@pytest.mark.parametrize(
    ("asked", "status"),
    [("500", 500), ("429:retry_after=7", 429), ("recusa", 422), ("recusa:status=409,campo=valor,texto=ruim", 409),
     ("html200; lento:segundos=0.01", 200), ("x", 400), ("500:q=1", 400)],
)  # fmt: skip
def test_one_request_asks_for_its_fault_by_a_header(asked: str, status: int) -> None:
    with serve(create_app(golden_company())) as running:
        url = f"{running.base_url}/v1/lancamentos?access_token=sandbox&conta_id=101"
        assert httpx.get(url, headers={"X-Sandbox-Falha": asked}).status_code == status
        assert httpx.get(url).status_code == 200
        assert httpx.get(url.replace("=sandbox", "=x"), headers={"X-Sandbox-Falha": asked}).status_code == 401


def test_controls_from_elsewhere_need_the_secret() -> None:
    with serve(create_app(golden_company(), segredo=SECRET)) as running:
        elsewhere = {"Host": "container.exemplo"}
        url = f"{running.base_url}/_sandbox/avancar"
        for headers in (
            elsewhere,
            {**elsewhere, "X-Sandbox-Segredo": "x"},
            {},
            {"X-Sandbox-Segredo": SECRET, "Origin": "x"},
        ):
            assert httpx.post(url, headers=headers).status_code == 404
        assert running.books.hoje == "2026-03-16"
        assert httpx.post(url, headers={**elsewhere, "X-Sandbox-Segredo": SECRET}).json()["hoje"] == "2026-03-17"
