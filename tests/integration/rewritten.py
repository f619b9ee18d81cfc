"""A service between lastro and the sandbox that changes answers on their way: hosts, clocks, odd rows, odd bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

Change = Callable[[httpx.Request, httpx.Response], httpx.Response]


class Rewritten(httpx.BaseTransport):
    """Send every request to the sandbox, whatever host it names, and let a test change what comes back.

    Args:
        base_url: of the sandbox.
        change: given the request as lastro sent it and the sandbox's answer, gives the answer that lastro sees.
    """

    def __init__(self, base_url: str, change: Change = lambda _request, response: response) -> None:
        self._sandbox, self._change = httpx.URL(base_url), change
        self._inner = httpx.HTTPTransport(trust_env=False)
        self.hosts: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.hosts.append(request.url.host)
        url = request.url.copy_with(scheme="http", host=self._sandbox.host, port=self._sandbox.port)
        response = self._inner.handle_request(httpx.Request("GET", url))
        # A new one: lastro reads the stream, which is spent once it has been read here.
        return self._change(request, with_body(response, response.read()))

    def close(self) -> None:
        self._inner.close()


def with_rows(path: str, edit: Callable[[list[Any]], list[Any]]) -> Change:
    """Change the rows of one list that comes whole."""

    def change(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if request.url.path != path or response.status_code != 200:
            return response
        return with_body(response, json.dumps(edit(response.json())).encode())

    return change


def with_body(response: httpx.Response, body: bytes) -> httpx.Response:
    """Give an answer another body."""
    return httpx.Response(response.status_code, headers={"Date": response.headers["Date"]}, content=body)
