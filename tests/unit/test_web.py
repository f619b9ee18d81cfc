"""The guard before the UI: what it passes on and what it refuses, here and before a Dagster that stands elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from lastro.guard.guard import App, Guard, Message, Receive, Scope, Send
from lastro.guard.proxy import Proxy

PORT = 3000
OWN = {"host": "127.0.0.1:3000", "origin": "http://127.0.0.1:3000", "sec-fetch-site": "same-origin"}
JSON = {"content-type": "application/json"}
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


async def everything(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whatever is asked."""
    del receive
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"books"})


def elsewhere() -> App:
    """Return a proxy before a server that answers everything."""
    return Proxy("http://dagster.example:8080", httpx.MockTransport(lambda _: httpx.Response(200, content=b"books")))


APPS: dict[str, Callable[[], App]] = {"lastro dev, lastro web": lambda: everything, "lastro web --para": elsewhere}
Headers = dict[str, str] | list[tuple[str, str]]
Ask = Callable[..., list[Message]]


@pytest.fixture(params=APPS)
def ask(request: pytest.FixtureRequest) -> Ask:
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

        asyncio.run(Guard(APPS[request.param](), port, enderecos)(scope, receive, send))
        return sent

    return ask


def status_of(sent: list[Message]) -> int:
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {"host": "127.0.0.1:3000"}),
        ("GET", "/runs/7", {"host": "localhost:3000", "sec-fetch-site": "none"}),
        ("GET", "/_next/static/chunk.js", {"host": "[::1]:3000", "sec-fetch-site": "same-origin"}),
        ("HEAD", "/", {"host": "LOCALHOST:3000"}),
        ("GET", "/logs/7/out", OWN),
        ("POST", "/graphql", {**OWN, **JSON}),
        ("POST", "/graphql", {"host": "localhost:3000", "content-type": "Application/JSON; charset=utf-8"}),
        # Somebody follows a link in a message or a wiki.
        ("GET", "/runs/7", {"host": "127.0.0.1:3000", **LINK}),
    ],
)
def test_what_the_ui_asks_is_answered(ask: Ask, method: str, path: str, headers: dict[str, str]) -> None:
    assert status_of(ask(method, path, headers)) == 200


CROSS = {**OWN, "sec-fetch-site": "cross-site"}
ATTACKS: dict[str, tuple[str, str, Headers]] = {
    "mutation by image": ("GET", "/graphql", {"host": OWN["host"]}),
    "mutation by image of a browser that tells": (
        "GET", "/graphql", {"host": OWN["host"], "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    ),
    "mutation by link": ("GET", "/graphql", {"host": OWN["host"], **LINK}),
    "mutation by link with a slash": ("GET", "/graphql/", {"host": OWN["host"], **LINK}),
    "GraphiQL by link": ("GET", "/graphql", {"host": OWN["host"], **LINK, "accept": "text/html"}),
    "GraphiQL by hand": ("GET", "/graphql", {"host": OWN["host"], "sec-fetch-site": "none", "accept": "text/html"}),
    "a form": ("POST", "/graphql", {"host": OWN["host"], "content-type": "application/x-www-form-urlencoded"}),
    "a form of another origin": (
        "POST", "/graphql", {**OWN, "origin": "http://evil.example", "content-type": "multipart/form-data"},
    ),
    "text/plain": ("POST", "/graphql", {"host": OWN["host"], "content-type": "text/plain"}),
    "text/plain that mentions JSON": (
        "POST", "/graphql", {"host": OWN["host"], "content-type": "text/plain; x=application/json"},
    ),
    "no media type": ("POST", "/graphql", {"host": OWN["host"]}),
    "two media types": (
        "POST", "/graphql", [("host", OWN["host"]), ("content-type", "application/json"), ("content-type", "a/b")],
    ),
    "GraphQL as text": ("POST", "/graphql", {**OWN, "content-type": "application/graphql"}),
    "another origin": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://evil.example"}),
    "another port of this machine": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://127.0.0.1:8080"}),
    "another scheme": ("POST", "/graphql", {**OWN, **JSON, "origin": "https://127.0.0.1:3000"}),
    "an origin that begins alike": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://127.0.0.1:3000.evil.example"}),
    "a sandboxed frame": ("POST", "/graphql", {**OWN, **JSON, "origin": "null"}),
    "an empty origin": ("POST", "/graphql", {**OWN, **JSON, "origin": ""}),
    "two origins": ("POST", "/graphql", [("host", OWN["host"]), ("origin", OWN["origin"]), ("origin", "null")]),
    "cross-site": ("POST", "/graphql", {**CROSS, **JSON}),
    "same-site": ("POST", "/graphql", {**OWN, **JSON, "sec-fetch-site": "same-site"}),
    "a word nobody knows": ("POST", "/graphql", {**OWN, **JSON, "sec-fetch-site": "Same-Origin"}),
    "a rebound name": ("POST", "/graphql", {**JSON, "host": "evil.example:3000", "sec-fetch-site": "same-origin"}),
    "a rebound name that reads": ("GET", "/", {"host": "evil.example:3000"}),
    "a rebound name with its origin": ("GET", "/", {"host": "evil.example:3000", "origin": "http://evil.example:3000"}),
    "another port as host": ("GET", "/", {"host": "127.0.0.1:8080"}),
    "no port": ("GET", "/", {"host": "127.0.0.1"}),
    "no host": ("GET", "/", {}),
    "two hosts": ("GET", "/", [("host", "127.0.0.1:3000"), ("host", "evil.example")]),
    "a host that begins alike": ("GET", "/", {"host": "127.0.0.1:3000.evil.example"}),
    "a log as script": ("GET", "/logs/7/out", {"host": OWN["host"], "sec-fetch-site": "cross-site"}),
    "a frame": ("GET", "/", {"host": OWN["host"], **LINK, "sec-fetch-dest": "iframe"}),
    "a form that navigates": ("POST", "/", {"host": OWN["host"], **LINK}),
    "materialisation": ("POST", "/report_asset_materialization/x", {**OWN, **JSON}),
    "check": ("POST", "/report_asset_check/x", {**OWN, **JSON}),
    "observation": ("POST", "/report_asset_observation/x", {**OWN, **JSON}),
    "preflight": ("OPTIONS", "/graphql", {"host": OWN["host"]}),
    "delete": ("DELETE", "/", OWN),
    "post elsewhere": ("POST", "/runs", {**OWN, **JSON}),
    "post beside": ("POST", "/graphql/", {**OWN, **JSON}),
    "mutation by link below a prefix": ("GET", "/dagster/graphql", {"host": OWN["host"], **LINK}),
    "mutation by image below a prefix": ("GET", "/a/b/graphql/", {"host": OWN["host"]}),
    "a form below a prefix": ("POST", "/dagster/graphql", {"host": OWN["host"], "content-type": "text/plain"}),
}  # fmt: skip


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


@pytest.mark.parametrize("ask", ["lastro dev, lastro web"], indirect=True)
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
