"""The golden company as the sandbox serves it, and what asks it with its token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import httpx

from lastro_sandbox import Books, Running, create_app, golden_company, serve

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ENTRY = {
    "descricao": "Nova", "conta_id": "101", "categoria_id": "11", "valor": "7.00", "data_vencimento": "2026-03-20",
}  # fmt: skip
"""The required fields of an entry."""


class Client(httpx.Client):
    """Asks a running sandbox."""

    def __init__(self, running: Running) -> None:
        super().__init__(base_url=running.base_url, params={"access_token": "sandbox"}, timeout=30)
        self.running, self.books = running, running.books

    def form(self, method: str, path: str, *pairs: tuple[str, str], **fields: Any) -> httpx.Response:
        """Send a form: fields, then pairs, in their order."""
        return self.request(method, path, content=urlencode([*fields.items(), *pairs]), headers=FORM)


@contextmanager
def served(books: Books | None = None, **settings: Any) -> Iterator[Client]:
    """Serve the golden company, or other books."""
    with serve(create_app(books or golden_company(), **settings)) as running, Client(running) as client:
        yield client


def ids(answer: httpx.Response) -> list[int]:
    """Read the ids of a list that came."""
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()]


def errors(answer: httpx.Response) -> list[str]:
    """Read the fields that a refusal names."""
    assert answer.status_code == 422, answer.text
    return sorted(answer.json()["errors"])
