"""The guard before the UI: what it passes on and what it refuses."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lastro.guard import server as guard_server
from lastro.guard.guard import MAX_BODY, App, Guard, Message, Receive, Scope, Send
from lastro.guard.server import build_server, open_listener
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
        app: App = everything,
        enderecos: tuple[str, ...] = (),
        port: int = PORT,
        kind: str = "http",
        came: tuple[Message, ...] = (),
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
        first = {"type": "http.request", "body": b"{}"} if kind == "http" else {"type": "websocket.connect"}
        coming, sent = list(came or (first,)), list[Message]()

        async def receive() -> Message:
            return coming.pop(0) if coming else await asyncio.get_running_loop().create_future()

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(Guard(app, port, enderecos)(scope, receive, send))
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


def _say(*parts: bytes) -> tuple[Message, ...]:
    last = len(parts) - 1
    return tuple({"type": "http.request", "body": part, "more_body": place < last} for place, part in enumerate(parts))


async def repeat(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body that is read here, and with what comes after it."""
    assert scope["type"] == "http"
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


@pytest.mark.parametrize(
    ("status", "parts"),
    [
        (200, (b'{"query": ', b'"{ version }", "variables": {"a": [[1]]}}')),
        (400, (b"[" * 200_000,)),
        (400, (b'{"a": ' + b"[" * 201 + b"]" * 201 + b"}",)),
        (400, (json.dumps({"query": "{a" * 5_000 + "}" * 5_000}).encode(),)),
        (400, (b'[{"query": "{ version }"}]',)),
        (400, (b"",)),
        (400, (b"\xff",)),
        (413, (b" " * MAX_BODY, b"{}")),
    ],
    ids=["whole", "only brackets", "deep", "a deep query", "a list", "nothing", "no text", "beyond reason"],
)
def test_a_question_is_passed_on_where_it_can_be_read(ask: Ask, status: int, parts: tuple[bytes, ...]) -> None:
    sent = ask("POST", "/graphql", {**OWN, **JSON}, came=_say(*parts), app=repeat)
    assert status_of(sent) == status
    assert sent[1]["body"].startswith(b"".join(parts) if status == 200 else b"lastro: ")


def test_who_leaves_before_the_end_of_a_question_is_answered_nothing(ask: Ask) -> None:
    async def leave(_scope: Scope, receive: Receive, _send: Send) -> None:
        assert await receive() == {"type": "http.disconnect"}

    came = ({"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"})
    assert ask("POST", "/graphql", {**OWN, **JSON}, came=came, app=leave) == []


def test_a_websocket_that_says_what_nobody_reads_ends(ask: Ask) -> None:
    heard: list[Message] = []

    async def listen(_scope: Scope, receive: Receive, _send: Send) -> None:
        while not heard or heard[-1]["type"] != "websocket.disconnect":
            heard.append(await receive())

    words = [{"type": "websocket.receive", "text": text} for text in ('{"type": "start"}', "[" * 200_000)]
    headers = {"host": OWN["host"], "origin": OWN["origin"]}
    sent = ask("GET", "/graphql", headers, kind="websocket", came=({"type": "websocket.connect"}, *words), app=listen)
    assert [message["type"] for message in heard] == ["websocket.connect", "websocket.receive", "websocket.disconnect"]
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1007)]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server whose patience is short, and whose answer takes longer."""
    monkeypatch.setattr(guard_server, "HALF_SECONDS", 0.3)

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(0.8)
            await everything(scope, receive, send)

    with open_listener(0) as listener:
        server = build_server(slow, listener, lifespan="off")
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(60)


HEAD = "POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n"


@pytest.mark.medio
@pytest.mark.parametrize("half", ["", "GET / HTTP/1.1\r\nhost: ", HEAD + "\r\n", HEAD + "\r\n{{"])
def test_half_a_request_is_not_waited_for_and_a_slow_answer_is(served: int, half: str) -> None:
    with socket.create_connection(("127.0.0.1", served), 60) as connection:
        connection.sendall(half.format(served).encode())
        assert connection.recv(4096) == b""
    with socket.create_connection(("127.0.0.1", served), 60) as connection:
        connection.sendall((HEAD.format(served) + "\r\n{").encode())
        connection.sendall(b"}")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
