"""A client of the service in memory, and what the readers landed of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from lastro.api.client import Client
from lastro.extract.entries import LancamentosRead, read_lancamentos
from lastro.extract.source import Source
from tests.unit.extract.fake_service import TOKEN, FakeService


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
