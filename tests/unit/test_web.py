"""The guard before the UI: what it passes on and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lastro.guard.guard import Guard, Message, Receive, Scope, Send
from tests.browsers import ASKED, ATTACKS, JSON, OWN, PORT, Headers


async def everything(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whatever is asked."""
    del receive
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"books"})


Ask = Callable[..., list[Message]]


@pytest.fixture
def ask() -> Ask:
    """Give what asks behind the guard and returns what it sends."""

    def ask(
        method: str = "GET",
        path: str = "/",
        headers: Headers | None = None,
        *,
        enderecos: tuple[str, ...] = (),
        port: int = PORT,
        kind: str = "http",
        extensions: dict[str, Any] | None = None,
    ) -> list[Message]:
        pairs = list(headers.items()) if isinstance(headers, dict) else headers or []
        scope: Scope = {
            "type": kind,
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in pairs],
            "extensions": extensions or {},
        }
        came: list[Message] = [{"type": "http.request"} if kind == "http" else {"type": "websocket.connect"}]
        sent: list[Message] = []

        async def receive() -> Message:
            return came.pop() if came else await asyncio.get_running_loop().create_future()

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(Guard(everything, port, enderecos)(scope, receive, send))
        return sent

    return ask


def status_of(sent: list[Message]) -> int:
    return int(sent[0]["status"])


@pytest.mark.parametrize(("method", "path", "headers"), ASKED)
def test_what_the_ui_asks_is_answered(ask: Ask, method: str, path: str, headers: Headers) -> None:
    assert status_of(ask(method, path, headers)) == 200


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_another_page_could_send_is_refused_with_a_sentence(ask: Ask, attack: str) -> None:
    method, path, headers = ATTACKS[attack]
    start, body = ask(method, path, headers)
    assert start["status"] in (403, 405)
    assert body["body"].startswith(b"lastro: ")
    assert b"books" not in body["body"]
    assert not any(name.startswith(b"access-control") for name, _ in start["headers"])


def test_nobody_frames_or_embeds_what_is_answered(ask: Ask) -> None:
    start = ask("GET", "/", OWN)[0]
    assert (b"x-frame-options", b"DENY") in start["headers"]
    assert (b"cross-origin-resource-policy", b"same-origin") in start["headers"]


PROXY = ("https://lastro.example.com", "http://painel:8080")


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("lastro.example.com", "https://lastro.example.com"),
        ("lastro.example.com:443", "https://lastro.example.com"),
        ("painel:8080", "http://painel:8080"),
        # A proxy that names us by our own address.
        ("127.0.0.1:3000", "https://lastro.example.com"),
    ],
)
def test_a_proxy_that_the_settings_name_is_answered(ask: Ask, host: str, origin: str) -> None:
    headers = {"host": host, "origin": origin, "sec-fetch-site": "same-origin", **JSON}
    assert status_of(ask("POST", "/graphql", headers, enderecos=PROXY)) == 200
    assert status_of(ask("POST", "/graphql", headers)) == 403


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("lastro.example.com:8443", None),
        ("evil.lastro.example.com", None),
        ("lastro.example.com", "http://lastro.example.com"),
    ],
)
def test_what_only_looks_like_the_proxy_is_refused(ask: Ask, host: str, origin: str | None) -> None:
    headers = {"host": host, **({"origin": origin} if origin else {})}
    assert status_of(ask("GET", "/", headers, enderecos=PROXY)) == 403


def test_on_port_80_browsers_leave_the_port_out(ask: Ask) -> None:
    assert status_of(ask("GET", "/", {"host": "localhost", "origin": "http://localhost"}, port=80)) == 200
    assert status_of(ask("GET", "/", {"host": "localhost", "origin": "http://localhost"}, port=8080)) == 403


def test_a_websocket_of_our_own_page_is_accepted(ask: Ask) -> None:
    headers = {"host": OWN["host"], "origin": OWN["origin"]}
    assert ask("GET", "/graphql", headers, kind="websocket") == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/graphql", {"host": OWN["host"], "origin": "http://evil.example"}),
        ("/graphql", {"host": OWN["host"], "origin": "null"}),
        ("/graphql", {"host": "evil.example:3000", "origin": "http://evil.example:3000"}),
        ("/graphql", {"host": "evil.example:3000"}),
        ("/elsewhere", {"host": OWN["host"], "origin": OWN["origin"]}),
    ],
)
def test_a_websocket_of_another_page_is_refused(ask: Ask, path: str, headers: dict[str, str]) -> None:
    (message,) = ask("GET", path, headers, kind="websocket")
    assert message["type"] == "websocket.close"
    start, body = ask("GET", path, headers, kind="websocket", extensions={"websocket.http.response": {}})
    assert (start["type"], start["status"]) == ("websocket.http.response.start", 403)
    assert body["body"].startswith(b"lastro: ")
