"""The readers against a small service in memory that does not change: what they land, prove and ask for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from fake_service import COUNT_SHAPES, TOKEN, FakeService, make_charges, make_company

from lastro.api.client import Client
from lastro.extract.read import read_cobrancas, read_lancamentos, read_vencidos

READABLE = ("zero", "list", "bare", "count")


def open_client(service: FakeService, **options: Any) -> Client:
    return Client(
        "https://servico.test", TOKEN, limites=(), transport=service.transport(), sleep=lambda _s: None, **options
    )


def landed_pages(pasta: Path, nome: str) -> list[dict[str, Any]]:
    with gzip.open(pasta / f"{nome}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def landed_ids(pasta: Path, nome: str) -> list[int]:
    return [row["id"] for page in landed_pages(pasta, nome) for row in page["rows"]]


@pytest.fixture
def service() -> FakeService:
    return make_company(3, {101: 1200, 102: 1000, 103: 0, 104: 40})


@pytest.mark.parametrize("shape", sorted(COUNT_SHAPES))
def test_reads_every_row_once_in_every_count_shape(service: FakeService, tmp_path: Path, shape: str) -> None:
    service.count_shape = shape
    with open_client(service) as client:
        read = read_lancamentos(client, [101, 102, 103, 104], tmp_path)
    for conta in (101, 102, 103, 104):
        expected = sorted(row["id"] for row in service.entries.values() if row["conta_id"] == conta)
        assert sorted(landed_ids(tmp_path, f"lancamentos-{conta}")) == expected
    last = {p.conta_id: p for p in read.passadas}
    assert {p.veredito for p in last.values()} == {"provada"}
    assert {p.prova for p in last.values()} == ({"contagem"} if shape in READABLE else {"duas passadas idênticas"})


@pytest.mark.parametrize(("rows", "pages"), [(1, 1), (499, 1), (500, 1), (501, 2), (1000, 2), (1001, 3), (5000, 10)])
def test_a_quiet_account_costs_its_pages_two_counts_and_one_request_each_for_overdue(
    tmp_path: Path, rows: int, pages: int
) -> None:
    service = make_company(5, {101: rows})
    for number, row in enumerate(service.entries.values()):
        if number % 20:  # few open rows, so that PA and RA fit one page each
            row["data_pagamento"] = row["data_vencimento"]
    with open_client(service) as client:
        read = read_lancamentos(client, [101], tmp_path)
        read_vencidos(client, [101], tmp_path, leitura=read)
    assert len(service.listings(101)) == pages + 4


@pytest.mark.parametrize(("charges", "pages"), [(0, 0), (1, 1), (50, 1), (51, 2), (1000, 20), (1050, 21)])
def test_quiet_charges_cost_at_most_their_pages_and_four(tmp_path: Path, charges: int, pages: int) -> None:
    service = make_company(5, {})
    make_charges(service, charges)
    with open_client(service) as client:
        read = read_cobrancas(client, tmp_path)
    listed = [params for path, params in service.log if "status" not in params]
    assert len(listed) <= pages + 4
    assert sorted(landed_ids(tmp_path, "cobrancas")) == sorted(service.charges)
    by_status = {p.lista: p.contagem_antes for p in read.por_status}
    pendentes = sum(row["status"] == "pendente" for row in service.charges.values())
    assert by_status["cobrancas:status=pendente"] == pendentes
