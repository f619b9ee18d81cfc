"""The readers against the sandbox over real sockets: quiet, storming, refusing and limited."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lastro.api.client import Client
from lastro.extract.lists import probe_contas, probe_lists, read_reference
from lastro.extract.plan import choose_composites
from lastro.extract.records import read_details
from lastro.extract.source import Source
from lastro.settings import Window
from lastro_sandbox import Running, create_app, make_company, serve
from tests.bare import read_cobrancas, read_lancamentos
from tests.marks import thinned

TOKEN = "canario-4b1d/+9=ç"  # noqa: S105 (a canary)
ACCOUNTS = (101, 102, 103)
SHAPES, DIALECTS = ("indice", "lista", "numero", "count", "ilegivel"), ("documento", "observado")
STORM = [
    *("reset", "corte", "500", "502", "503", "429", "429:retry_after=1", "html200", "erro200", "pagina_repetida"),
    *("start_ignorado", "limite_menor", "contagem_errada", "campos_extras", "lento:segundos=0.01"),
]


@contextmanager
def running(lancamentos: int = 1500, **options: Any) -> Iterator[tuple[Running, Client]]:
    """A sandbox and a client of it."""
    app = create_app(make_company(seed=3, lancamentos=lancamentos), token=TOKEN, **options)
    with serve(app) as sandbox, Client(sandbox.base_url, TOKEN, limites=()) as client:
        yield sandbox, client


def landed_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [row for line in file for row in json.loads(line)["rows"]]


def listed_ids(sandbox: Running) -> list[int]:
    """The ids of the entries that the sandbox lists as rows."""
    books = sandbox.books
    return sorted(entry.id for entry in books.lancamentos.values() if books.is_row(entry))


def entry_ids(folder: Path) -> list[int]:
    return [row["id"] for conta in ACCOUNTS for row in landed_rows(folder, f"lancamentos-{conta}")]


@pytest.mark.parametrize(
    ("forma_count", "dialeto"),
    thinned(product(SHAPES, DIALECTS), default=[*zip(SHAPES, DIALECTS * 3, strict=False)]),
)
def test_a_whole_company_is_read_in_both_dialects_and_every_count_shape(
    tmp_path: Path, dialeto: str, forma_count: str
) -> None:
    with running(dialeto=dialeto, forma_count=forma_count) as (sandbox, client):
        contas = probe_contas(Source(client, tmp_path))
        lists = probe_lists(Source(client, tmp_path), contas)
        for name in ("categorias", "clientes", "fornecedores", "classificacoes"):
            read_reference(Source(client, tmp_path), name)
        charges = read_cobrancas(Source(client, tmp_path))
        read = read_lancamentos(Source(client, tmp_path), ACCOUNTS, with_overdue=True)
        details = read_details(Source(client, tmp_path), choose_composites(read.compostos))
        asked = [request for request in sandbox.requests if request[1] == "/v1/lancamentos"]
    assert {request[0] for request in sandbox.requests} == {"GET"}
    assert sorted(entry_ids(tmp_path)) == listed_ids(sandbox)
    assert sorted(row["id"] for row in landed_rows(tmp_path, "cobrancas")) == sorted(sandbox.books.cobrancas)
    assert contas.exists == (dialeto == "observado")
    assert {probe.exists for probe in lists.values()} == {dialeto == "observado"}
    assert charges.contas <= set(ACCOUNTS)
    assert set(details.values()) == {"vivo"}
    if forma_count != "ilegivel":
        per_account = Counter(dict(request[2])["conta_id"] for request in asked)
        for conta in ACCOUNTS:
            rows = len(read.ids[conta])
            assert per_account[str(conta)] <= -(-rows // 500) + 4
        billed = [dict(query) for _, path, query in sandbox.requests if path == "/v1/cobrancas"]
        assert len([query for query in billed if "status" not in query]) <= -(-len(sandbox.books.cobrancas) // 50) + 4
        assert len([query for query in billed if "status" in query]) <= 5


@pytest.mark.parametrize("semente", thinned(range(3), default=(0,)))
def test_a_storm_of_faults_loses_nothing(tmp_path: Path, semente: int) -> None:
    share = 0.25 / len(STORM)
    faults = [f"{kind}{',' if ':' in kind else ':'}p={share:.4f}" for kind in STORM]
    with running(800, falhas=faults, semente=semente) as (sandbox, client):
        read_cobrancas(Source(client, tmp_path))
        read_lancamentos(Source(client, tmp_path), ACCOUNTS, with_overdue=True, page_size=100)
    assert sorted(entry_ids(tmp_path)) == listed_ids(sandbox)
    assert sorted(row["id"] for row in landed_rows(tmp_path, "cobrancas")) == sorted(sandbox.books.cobrancas)


def test_the_default_limits_keep_a_limited_service_from_refusing(tmp_path: Path) -> None:
    app = create_app(make_company(seed=3, lancamentos=300), token=TOKEN, janelas=["6/1s", "10/2s"])
    waits: list[tuple[float, str]] = []
    with (
        serve(app) as sandbox,
        Client(
            sandbox.base_url, TOKEN, limites=(Window(6, 1), Window(10, 2)), estado=tmp_path / "ritmo.json"
        ) as client,
    ):
        client.on_wait = lambda seconds, why: waits.append((seconds, why))
        for _ in range(12):
            client.get_json("/v1/categorias")
        assert client.requests == len(sandbox.requests) == 12
    assert {why for _, why in waits} == {"limite de pedidos"}
    assert TOKEN not in (tmp_path / "ritmo.json").read_text()
