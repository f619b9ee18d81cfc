"""A small service in memory, written from the document for these tests, that can change its books between requests.

Rows are listed by cash date, then id; every request first lets `before_request` change them. Below it: a client of it,
and what the readers landed of it.
"""

from __future__ import annotations

import gzip
import json
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx

from lastro.api.client import Client
from lastro.extract.entries import LancamentosRead
from lastro.extract.source import Source
from tests.bare import read_lancamentos

TOKEN = "tk-canario-7f3e9d2c"  # noqa: S105 (a canary, searched for in everything that is written)
COUNT_SHAPES: dict[str, Callable[[int], Any]] = {
    "zero": lambda n: {"0": n},
    "list": lambda n: [n],
    "bare": lambda n: n,
    "count": lambda n: {"count": n},
    "total": lambda n: {"total": n},
    "null": lambda _n: None,
}
BEGIN = datetime(2026, 3, 16, 12, 0, 0, tzinfo=UTC)


@dataclass
class FakeService:
    """Entries by id, charges by id, reference lists by path."""

    entries: dict[int, dict[str, Any]] = field(default_factory=dict)
    charges: dict[int, dict[str, Any]] = field(default_factory=dict)
    lists: dict[str, Any] = field(default_factory=dict)
    count_shape: str = "zero"
    cap: int = 500
    ignore_start: bool = False
    stamps: bool = True
    tie_rng: random.Random | None = None
    hidden: set[int] = field(default_factory=set)
    before_request: Callable[[FakeService, httpx.Request], httpx.Response | None] = lambda _s, _r: None
    clock: datetime = BEGIN
    tick: timedelta = timedelta(seconds=1)
    lock: threading.Lock = field(default_factory=threading.Lock)
    log: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            return self.respond(request)

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.clock += self.tick
        early = self.before_request(self, request)
        params = dict(request.url.params)
        self.log.append((request.url.path, params))
        if early is not None:
            return early
        assert request.method == "GET"
        if params.pop("access_token", None) != TOKEN:
            return self.answer({"error": "token"}, 401)
        path = request.url.path
        if path == "/v1/lancamentos":
            return self.list_entries(params)
        if path == "/v1/cobrancas":
            return self.list_charges(params)
        if path.startswith("/v1/transferencias/"):
            leg = self.entries.get(int(path.rsplit("/", 1)[1]))
            other = leg and self.entries.get(leg["lancamento_transferencia_id"] or 0)
            return self.answer([leg, other]) if other else self.answer({"errors": {"id": ["?"]}}, 404)
        if path.startswith("/v1/lancamentos/"):
            row = self.entries.get(int(path.rsplit("/", 1)[1]))
            return self.answer(row) if row else self.answer({"errors": {"id": ["?"]}}, 404)
        if path in self.lists:
            return self.answer(self.lists[path])
        return self.answer({"errors": {"path": ["?"]}}, 404)

    def answer(self, value: Any, status: int = 200) -> httpx.Response:
        return httpx.Response(
            status, content=json.dumps(value).encode(), headers={"Date": format_datetime(self.clock, usegmt=True)}
        )

    def list_entries(self, params: dict[str, str]) -> httpx.Response:
        conta = int(params["conta_id"])
        if conta in self.hidden:
            return self.answer({"errors": {"conta_id": ["?"]}}, 422)
        rows = [row for row in self.entries.values() if row["conta_id"] == conta]
        rows.sort(key=lambda row: (row["data_pagamento"] or row["data_vencimento"], row["id"]))
        if self.tie_rng is not None:  # orders rows of one date anew for every request
            rng = self.tie_rng
            rows.sort(key=lambda row: (row["data_pagamento"] or row["data_vencimento"], rng.random()))
        today = (self.clock - timedelta(hours=3)).date().isoformat()
        if params.get("tipo") in {"PA", "RA"}:
            negative = params["tipo"] == "PA"
            rows = [
                row
                for row in rows
                if not row["data_pagamento"]
                and row["data_vencimento"] < today
                and row["valor"].startswith("-") == negative
                and not row["lancamento_transferencia_id"]
            ]
        return self.page(rows, params, min(int(params.get("limit", 50)), self.cap))

    def list_charges(self, params: dict[str, str]) -> httpx.Response:
        rows = sorted(self.charges.values(), key=lambda row: (row["data_vencimento"], row["id"]))
        status = params.get("status")
        rows = [row for row in rows if status is None or row["status"] == status]
        return self.page(rows, params, 50)

    def page(self, rows: list[Any], params: dict[str, str], limit: int) -> httpx.Response:
        if params.get("tipo_view") == "count":
            return self.answer(COUNT_SHAPES[self.count_shape](len(rows)))
        start = 0 if self.ignore_start else int(params.get("start", 0))
        return self.answer(rows[start : start + limit])

    # --- changes of the books

    def stamp(self) -> str | None:
        return (self.clock - timedelta(hours=3)).strftime("%Y-%m-%d %H:%M:%S") if self.stamps else "2026-01-01 08:00:00"

    def insert(self, rng: random.Random, conta: int) -> int:
        new = max(self.entries, default=1000) + 1
        self.entries[new] = make_entry(rng, new, conta, modified=self.stamp())
        return new

    def delete(self, row_id: int) -> None:
        del self.entries[row_id]

    def pay(self, rng: random.Random, row_id: int) -> None:
        row = self.entries[row_id]
        row["data_pagamento"] = None if row["data_pagamento"] else random_date(rng)
        row["modified"] = self.stamp()

    def move(self, row_id: int, conta: int) -> None:
        self.entries[row_id]["conta_id"] = conta
        self.entries[row_id]["modified"] = self.stamp()

    def listings(self, conta: int | None = None) -> list[dict[str, str]]:
        """Every request for entries, optionally of one account."""
        return [
            params
            for path, params in self.log
            if path == "/v1/lancamentos" and (conta is None or params["conta_id"] == str(conta))
        ]


def random_date(rng: random.Random) -> str:
    return (datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=rng.randrange(900))).date().isoformat()


def make_entry(rng: random.Random, row_id: int, conta: int, *, modified: str | None) -> dict[str, Any]:
    due = random_date(rng)
    return {
        "id": row_id,
        "conta_id": conta,
        "descricao": f"Lançamento {row_id}",
        "valor": f"{rng.choice(('', '-'))}{rng.randrange(1, 10**6)}.{rng.randrange(100):02d}",
        "data_vencimento": due,
        "data_pagamento": due if rng.random() < 0.6 else None,
        "data_competencia": due,
        "lancamento_transferencia_id": None,
        "lancamento_composto_id": None,
        "itens_adicionais": [],
        "anexos": [],
        "modified": modified,
    }


def make_company(seed: int, sizes: dict[int, int], **options: Any) -> FakeService:
    """Make a service with so many entries per account, last touched weeks ago."""
    rng = random.Random(seed)  # noqa: S311 (test data)
    service = FakeService(**options)
    ids = list(range(1001, 1001 + sum(sizes.values())))
    rng.shuffle(ids)
    for conta, size in sizes.items():
        for _ in range(size):
            row_id = ids.pop()
            service.entries[row_id] = make_entry(
                rng, row_id, conta, modified=f"2026-02-{rng.randrange(1, 28):02d} 09:00:00"
            )
    return service


def make_charges(service: FakeService, number: int) -> None:
    rng = random.Random(number)  # noqa: S311 (test data)
    for row_id in range(9001, 9001 + number):
        service.charges[row_id] = {
            "id": row_id,
            "conta_id": 101,
            "valor": "10.00",
            "data_vencimento": random_date(rng),
            "status": rng.choice(("agendado", "pendente", "transferido")),
            "lancamento_ids": "1",
        }


def open_client(service: FakeService, **options: Any) -> Client:
    return Client(
        "https://servico.test", TOKEN, limites=(), transport=service.transport(), sleep=lambda _s: None, **options
    )


def read_entries(service: FakeService, folder: Path, contas: list[int], **options: Any) -> LancamentosRead:
    """Read the entries of accounts, as a run does."""
    with open_client(service) as client:
        return read_lancamentos(Source(client, folder), contas, **options)


def landed_pages(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def landed_ids(folder: Path, name: str) -> list[int]:
    return [row["id"] for page in landed_pages(folder, name) for row in page["rows"]]
