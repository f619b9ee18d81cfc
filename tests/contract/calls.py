"""How the suite talks to a service: one small client, and the patterns of the values it answers."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import httpx

DECIMAL = re.compile(r"-?[0-9]+\.[0-9]{1,2}")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


class Api:
    """The service as the tests see it: requests carry the token, answers are JSON."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client = client
        self._token = token

    def ask(self, method: str, path: str, query: dict[str, Any] | None = None, **body: Any) -> httpx.Response:
        """Send one request and return the answer, whatever it is."""
        return self._client.request(method, path, params={**(query or {}), "access_token": self._token}, **body)

    def get(self, path: str, **query: Any) -> Any:
        """GET and return the JSON of a success."""
        return self._good(self.ask("GET", path, query))

    def post(self, path: str, *pairs: tuple[str, Any], **fields: Any) -> Any:
        """POST a form (fields first, then bracket pairs in order) and return the JSON of a success."""
        return self._good(self.send("POST", path, *pairs, **fields))

    def put(self, path: str, *pairs: tuple[str, Any], **fields: Any) -> Any:
        """PUT a form and return the JSON of a success."""
        return self._good(self.send("PUT", path, *pairs, **fields))

    def delete(self, path: str, **query: Any) -> Any:
        """DELETE and return the JSON of a success."""
        return self._good(self.ask("DELETE", path, query))

    def send(self, method: str, path: str, *pairs: tuple[str, Any], **fields: Any) -> httpx.Response:
        """Send a form body in bracket notation, exactly in the order given."""
        ordered = [*fields.items(), *pairs]
        body = urlencode([(name, _text(value)) for name, value in ordered])
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask(method, path, content=body, headers=headers)

    def upload(self, path: str, name: str, content: bytes, /, **fields: Any) -> httpx.Response:
        """POST a file as multipart/form-data."""
        data = {field: _text(value) for field, value in fields.items()}
        return self.ask("POST", path, files={"file": (name, content, "text/plain")}, data=data)

    @staticmethod
    def _good(answer: httpx.Response) -> Any:
        assert answer.status_code in (200, 201), f"{answer.request.method}: {answer.status_code} {answer.text[:500]}"
        assert answer.headers["content-type"].startswith("application/json")
        return answer.json()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def item(field: str, descricao: str, categoria: int, valor: str, **more: Any) -> list[tuple[str, Any]]:
    """Write one element of a list of items as the pairs of a form."""
    fields = {"descricao": descricao, "categoria_id": categoria, "valor": valor, **more}
    return [(f"{field}[][{name}]", value) for name, value in fields.items()]


def refused(answer: httpx.Response) -> bool:
    """Tell whether a request was refused as the client's mistake."""
    return 400 <= answer.status_code < 500


def count_of(answer: Any) -> int:
    """Read a count in any of the shapes that were seen."""
    if isinstance(answer, dict):
        answer = next(iter(answer.values()))
    elif isinstance(answer, list):
        answer = answer[0]
    assert isinstance(answer, int)
    return answer
