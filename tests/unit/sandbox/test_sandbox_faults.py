"""Each fault as a client sees it, the windows, the controls, and the description of the interface."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import lastro_sandbox
from lastro_sandbox import Running, create_app, golden_company
from lastro_sandbox.app import OPERATIONS, operations_of
from lastro_sandbox.decisions import DECISIONS
from lastro_sandbox.faults import DRIFTS, KINDS, FaultPlan, Windows, parse_fault
from lastro_sandbox.openapi import describe_interface
from lastro_sandbox.render import (
    render_account,
    render_charge,
    render_classification,
    render_entry,
    render_listed_account,
    render_person,
    render_transfer,
)
from lastro_sandbox.schemas import SCHEMAS
from tests.unit.sandbox.serving import ids, served

LIST = "/v1/lancamentos"


@contextmanager
def running(*falhas: str, **settings: Any) -> Iterator[tuple[Callable[..., httpx.Response], Running]]:
    """Serve the golden company with faults; yield a way to GET and the running sandbox."""
    with served(falhas=falhas, **settings) as client:
        yield lambda path=LIST, **query: client.get(path, params={"conta_id": 101, **query}), client.running


def test_reset_and_cut() -> None:
    with running("reset:k=1", "corte:k=2") as (get, _):
        with pytest.raises(httpx.TransportError):
            get()
        with pytest.raises(httpx.RemoteProtocolError):
            get()
        assert len(ids(get())) == 13


@pytest.mark.parametrize(
    ("kind", "status", "html"), [("500", 500, False), ("502", 502, True), ("503", 503, False), ("html200", 200, True)]
)
def test_error_answers(kind: str, status: int, html: bool) -> None:
    with running(f"{kind}:k=2") as (get, _):
        assert [get().status_code for _ in range(1)] == [200]
        bad = get()
        assert (bad.status_code, bad.headers["content-type"].startswith("text/html")) == (status, html)
        assert get().status_code == 200


def test_429_with_and_without_retry_after() -> None:
    with running("429:k=1,retry_after=7", "429:k=2") as (get, _):
        assert get().headers["retry-after"] == "7"
        second = get()
        assert (second.status_code, "retry-after" in second.headers) == (429, False)


def test_paging_faults() -> None:
    with running("pagina_repetida:k=2") as (get, _):
        first = ids(get(limit=4))
        assert ids(get(limit=4, start=4)) == first
        assert ids(get(limit=4, start=4)) != first
    with running("start_ignorado") as (get, _):
        assert ids(get(limit=4, start=8)) == ids(get(limit=4))
    with running("limite_menor:maximo=3") as (get, _):
        assert [len(ids(get(limit=500))), len(ids(get()))] == [3, 3]


def test_answers_bent() -> None:
    with running("contagem_errada:delta=-2") as (get, _):
        assert get(tipo_view="count").json() == {"count": 11}
    with running("campos_extras") as (get, _):
        assert all("campo_novo" in row for row in get().json())
    with running("campos_faltando:campos=valor|tags") as (get, _):
        assert all(not {"valor", "tags"} & row.keys() for row in get().json())
    with running("valores_malformados:campo=data_vencimento,texto=31/12/2026") as (get, _):
        assert [row["data_vencimento"] for row in get().json()][:2] == ["31/12/2026", "2026-01-05"]
    with running("erro200") as (get, _):
        assert list(get().json()) == ["errors"]


def test_slow_answers() -> None:
    with running("lento:k=1,segundos=0.4", latencia=0.05) as (get, _):
        begin = time.monotonic()
        get()
        middle = time.monotonic()
        get()
        assert middle - begin >= 0.45
        assert time.monotonic() - middle >= 0.05


def test_an_answer_that_has_begun_ends_before_the_service_does() -> None:
    with ThreadPoolExecutor(1) as client:
        with running("lento:k=1,segundos=0.1") as (_, sandbox):
            asked = client.submit(
                httpx.get, sandbox.base_url + LIST, params={"access_token": "sandbox", "conta_id": 101}
            )
            while not sandbox.requests:
                time.sleep(0.001)
        assert asked.result().status_code == 200


def test_no_connection_is_lost_that_was_let_in_at_the_end() -> None:
    """Else the collector finds its socket open, in whatever test runs then."""

    def call(port: int, callers: list[socket.socket]) -> None:
        with suppress(OSError):  # it has ended
            while True:
                callers.append(socket.create_connection(("127.0.0.1", port), timeout=60))

    for _ in range(5):
        callers: list[socket.socket] = []
        with ThreadPoolExecutor(1) as calling, running() as (_, sandbox):
            calling.submit(call, int(sandbox.base_url.rpartition(":")[2]), callers)
            while len(callers) < 20:
                time.sleep(0.001)
        for caller in callers:
            caller.close()
    gc.collect()  # an open socket is a ResourceWarning now, and so an error


@pytest.mark.parametrize("action", DRIFTS)
def test_drift_changes_the_books_before_a_page(action: str) -> None:
    before = golden_company().lancamentos
    with running(f"deriva:acao={action},k=2") as (get, sandbox):
        get(limit=5)
        after = {id_: entry.data_pagamento for id_, entry in sandbox.books.lancamentos.items()}
        assert after == {id_: entry.data_pagamento for id_, entry in before.items()}
        get(limit=5, start=5)
        now = sandbox.books.lancamentos
        changed = {
            "inserir": len(now) == len(before) + 1,
            "excluir": len(now) == len(before) - 1,
            "pagar": sum(e.data_pagamento is None for e in now.values())
            == sum(e.data_pagamento is None for e in before.values()) - 1,
            "mover": sum(e.conta_id == 101 for e in now.values())
            == sum(e.conta_id == 101 for e in before.values()) - 1,
        }
        assert changed[action]


def test_probability_is_seeded() -> None:
    def statuses(seed: int) -> list[int]:
        with running("500:p=0.4", semente=seed) as (get, _):
            return [get().status_code for _ in range(20)]

    assert statuses(5) == statuses(5) != statuses(6)
    assert 2 < statuses(5).count(500) < 15


def test_narrowing_to_paths_and_times() -> None:
    with running("500:caminho=/v1/categorias,vezes=1") as (get, _):
        assert [get().status_code, get("/v1/categorias").status_code, get("/v1/categorias").status_code] == [
            200,
            500,
            200,
        ]


def test_a_wrong_token_is_refused_before_any_fault() -> None:
    with running("500") as (get, _):
        assert get(access_token="outro").status_code == 401  # noqa: S106 - a wrong token on purpose


@pytest.mark.parametrize("spec", ["x", "500:q=1", "500:p=2", "500:k=a", "deriva:acao=x", "lento:segundos=99999"])
def test_specs_that_can_not_be_read(spec: str) -> None:
    with pytest.raises(ValueError, match=spec.split(":")[0]):
        parse_fault(spec)


def test_windows_slide() -> None:
    now = [0.0]
    windows = Windows(["2/10s", "3/60s"], clock=lambda: now[0])
    waits = []
    for moment in (0.0, 1.0, 2.0, 10.5, 11.5, 59.0, 61.0):
        now[0] = moment
        waits.append(windows.admit())
    assert waits == [None, None, 8.0, None, 48.5, 1.0, None]


def test_windows_answer_429_with_the_time_to_wait() -> None:
    with running(janelas=["2/60s"]) as (get, _):
        assert [get().status_code for _ in range(3)] == [200, 200, 429]
        assert 1 <= int(get().headers["retry-after"]) <= 60


def test_a_plan_that_can_not_be_read_replaces_nothing() -> None:
    plan = FaultPlan(["500"])
    with pytest.raises(ValueError, match="x"):
        plan.replace(["503", "x"])
    assert [fault.kind for fault in plan.faults] == ["500"]


# --- controls ---


def test_controls_exist_only_when_asked_for() -> None:
    with running() as (_, sandbox):
        for path in ("avancar", "falhas", "estado"):
            assert httpx.post(f"{sandbox.base_url}/_sandbox/{path}").status_code == 404
        assert httpx.get(f"{sandbox.base_url}/_sandbox/openapi.json").status_code == 200


def test_clock_and_faults_by_request() -> None:
    with running(controle=True) as (get, sandbox):
        control = f"{sandbox.base_url}/_sandbox"
        assert httpx.post(f"{control}/avancar?dias=4").json()["hoje"] == "2026-03-20"
        assert httpx.post(f"{control}/avancar", data={"dias": "1"}).json()["hoje"] == "2026-03-21"
        for days in ("-1", "x", "99999"):
            assert httpx.post(f"{control}/avancar?dias={days}").status_code == 422
        assert httpx.get(f"{control}/estado").json()["hoje"] == "2026-03-21"
        httpx.post(f"{control}/falhas", data={"falha[]": ["500:k=1", "503:k=2"], "semente": "3"})
        assert [get().status_code, get().status_code, get().status_code] == [500, 503, 200]
        described = httpx.post(f"{control}/falhas", json={"falhas": ["502:k=1"], "janelas": ["9/60s"]}).json()
        assert ([fault["tipo"] for fault in described["falhas"]], described["janelas"]) == (["502"], ["9/60s"])
        assert httpx.post(f"{control}/falhas", data={"falha": "x"}).status_code == 422
        assert httpx.delete(f"{control}/falhas").json() == {"falhas": [], "janelas": []}
        assert get().status_code == 200


def test_controls_answer_no_foreign_page() -> None:
    with running(controle=True) as (_, sandbox):
        answer = httpx.post(f"{sandbox.base_url}/_sandbox/avancar?dias=1", headers={"Origin": "https://outro.exemplo"})
        assert (answer.status_code, sandbox.books.hoje) == (404, "2026-03-16")


@pytest.mark.parametrize("host", ["outro.exemplo", "127.0.0.1.outro.exemplo", "["])
def test_controls_answer_no_name_that_was_rebound_to_this_machine(host: str) -> None:
    with running(controle=True) as (_, sandbox):
        answer = httpx.post(f"{sandbox.base_url}/_sandbox/avancar?dias=1", headers={"Host": host})
        assert answer.status_code in (400, 404)
        assert sandbox.books.hoje == "2026-03-16"


# --- the description ---


def test_the_description_has_every_operation_and_no_other() -> None:
    described = describe_interface(operations_of("documento"), "documento")
    paths = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert paths == {(o.method, o.path) for o in OPERATIONS if not o.only_observado}
    assert len(paths) == 46
    names = [o.name for o in OPERATIONS]
    assert len(names) == len(set(names))
    assert {o.schema for o in OPERATIONS} <= SCHEMAS.keys()


@pytest.mark.parametrize("dialect", ["documento", "observado"])
def test_the_described_fields_are_those_of_the_answers(dialect: str) -> None:
    app = create_app(golden_company(), dialeto=dialect)
    service, books = app.state.service, app.state.books
    classification = books.classificacoes[1]
    answers = {
        "lancamento": render_entry(service, books.lancamentos[1007], with_type=True),
        "transferencia": render_transfer(service, [books.lancamentos[1005]])[0],
        "cobranca": render_charge(service, books.cobrancas[9001]),
        "pessoa": render_person(books.pessoas[501]),
        "classificacao": render_classification(classification),
        "conta": render_account(books.contas[101]),
        "conta_listada": render_listed_account(service, books.contas[101]),
    }
    answers["item"] = answers["lancamento"]["itens_adicionais"][0]
    for name, answer in answers.items():
        described = SCHEMAS[name]["properties"].keys()
        assert described <= answer.keys(), name
        if dialect == "documento":
            assert described == answer.keys(), name


def test_the_page_can_be_read() -> None:
    with running() as (_, sandbox):
        page = httpx.get(f"{sandbox.base_url}/_sandbox").text
        assert page.startswith("<!DOCTYPE html>")
        assert all(operation.path.split("{")[0] in page for operation in operations_of("documento"))


def test_the_sandboxs_page_lists_every_choice_and_every_fault() -> None:
    page = (Path(lastro_sandbox.__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = [f"| {decision.topic} | {decision.choice} |" for decision in DECISIONS]
    assert [row for row in rows if row not in page] == []
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []
