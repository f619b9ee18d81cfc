"""The guard before a server it knows nothing of: what arrives there, what comes back, and how either side ends."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import logging
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from lastro.guard.guard import App, Guard, Message, Receive, Scope, Send
from lastro.guard.proxy import Proxy
from lastro.guard.server import build_server

PATIENCE = 60
Answer = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass
class Foreign:
    """A server of somebody else's: remembers what it is asked and answers what a test says."""

    answer: Answer
    scopes: list[Scope] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    seen: dict[str, Message] = field(default_factory=dict)
    went: threading.Event = field(default_factory=threading.Event)
    may_go_on: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        await self.answer(scope, receive, send)

    @property
    def headers(self) -> dict[str, str]:
        """The last request's, without those that stand twice."""
        return {name.decode(): value.decode() for name, value in self.scopes[-1]["headers"]}


@contextmanager
def serving(server: uvicorn.Server, listener: socket.socket) -> Iterator[str]:
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()


@contextmanager
def before(foreign: App) -> Iterator[str]:
    """Serve somebody's application and the guarded proxy before it; gives the proxy's address."""
    config = uvicorn.Config(foreign, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    with serving(uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))) as url:
        if isinstance(foreign, Foreign):
            foreign.url = url
        listener = socket.create_server(("127.0.0.1", 0))
        with serving(build_server(Proxy(url), listener), listener) as address:
            yield address


def say(status: int = 200, headers: list[tuple[str, str]] | None = None, body: bytes = b"books") -> Answer:
    async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        given = [(name.encode(), value.encode()) for name, value in headers or []]
        await send({"type": "http.response.start", "status": status, "headers": given})
        await send({"type": "http.response.body", "body": body})

    return answer


def test_what_belongs_to_one_connection_stays_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    said = [
        ("keep-alive", "timeout=5"),
        ("connection", "keep-alive, x-hop"),
        ("x-hop", "1"),
        ("set-cookie", "a=1; Path=/"),
        ("set-cookie", "b=2"),
        ("date", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ("content-encoding", "gzip"),
        ("x-frame-options", "SAMEORIGIN"),
    ]
    packed = gzip.compress(b"books")
    foreign = Foreign(say(headers=said, body=packed))
    with before(foreign) as url, httpx.Client(trust_env=False) as client:
        own = {
            "Origin": url,
            "Connection": "keep-alive, X-Secret",
            "X-Secret": "1",
            "TE": "trailers",
            "Proxy-Authorization": "Basic eDp5",
            "Authorization": "Bearer t",
            "X-Forwarded-For": "10.0.0.7",
            "X-Forwarded-Proto": "https",
        }
        with client.stream("GET", f"{url}/assets/a%2Fb%20c?x=%20&y=+", headers=own) as answer:
            assert b"".join(answer.iter_raw()) == packed
        here = url.removeprefix("http://")
        assert foreign.scopes[0]["raw_path"] == b"/assets/a%2Fb%20c"
        assert foreign.scopes[0]["query_string"] == b"x=%20&y=+"
        arrived = foreign.headers
        assert not {"x-secret", "te", "proxy-authorization", "connection"} & set(arrived)
        assert arrived["host"] == foreign.url.removeprefix("http://")
        assert arrived["origin"] == foreign.url
        assert arrived["authorization"] == "Bearer t"
        assert arrived["x-forwarded-for"] == "10.0.0.7, 127.0.0.1"
        assert (arrived["x-forwarded-host"], arrived["x-forwarded-proto"]) == (here, "https")
        assert not {"x-hop", "keep-alive"} & set(answer.headers)
        assert answer.headers.get_list("set-cookie") == ["a=1; Path=/", "b=2"]
        assert len(answer.headers.get_list("date")) == 1
        assert answer.headers.get_list("x-frame-options") == ["DENY"]
        # What was said to one browser is not told to Dagster for the next one.
        client.cookies.clear()
        client.get(url)
        assert "cookie" not in foreign.headers


REDIRECTS = {
    "{there}/graphql?x=1": "/graphql?x=1",
    "{there}": "/",
    "/runs": "/runs",
    "https://login.example.com/?back={there}": "https://login.example.com/?back={there}",
}


def test_redirects_are_the_browsers_and_stay_at_our_address() -> None:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await say(307, [("location", said.format(there=foreign.url))])(scope, receive, send)

    foreign = Foreign(answer)
    with before(foreign) as url, httpx.Client(trust_env=False) as client:
        for said in REDIRECTS:
            found = client.get(url)
            told = REDIRECTS[said].format(there=foreign.url)
            assert (found.status_code, found.headers["location"]) == (307, told)
        assert len(foreign.scopes) == len(REDIRECTS)


def test_a_path_with_steps_goes_no_further() -> None:
    foreign = Foreign(say())
    with before(foreign) as url:
        for path in ("/a/../graphql", "/a/%2e%2e/graphql", "/./x", "/a%5c..%5cgraphql", "/a%00"):
            asked = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
            asked.request("GET", path)  # as it stands: httpx would walk the steps itself
            answer = asked.getresponse()
            assert answer.status in (400, 405), path
            answer.read()
            asked.close()
    assert foreign.scopes == []


SOCKET_HEAD = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
ODD = {
    "the length is called the connection's": "POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\n"
    "Content-Length: 2\r\nConnection: content-length, close\r\n{host}\r\n{{}}",
    "an address for the path of a socket": "GET http://127.0.0.1:1/graphql HTTP/1.1\r\n" + SOCKET_HEAD + "{host}\r\n",
    "a port that is none": "GET http://a:b/graphql HTTP/1.1\r\n" + SOCKET_HEAD + "{host}\r\n",
}


@pytest.mark.parametrize("odd", ODD)
def test_what_cannot_be_passed_on_is_refused_in_a_sentence(odd: str, caplog: pytest.LogCaptureFixture) -> None:
    foreign = Foreign(say())
    with before(foreign) as url, caplog.at_level(logging.INFO):
        address = url.removeprefix("http://")
        host, _, port = address.partition(":")
        text = ODD[odd].format(host=f"Host: {address}\r\nOrigin: {url}\r\n", key="dGhlIHNhbXBsZSBub25jZQ==")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as asked:
            asked.sendall(text.encode())
            answer = http.client.HTTPResponse(asked)
            answer.begin()
            assert (answer.status, answer.read()[:8]) == (400, b"lastro: ")
    assert foreign.bodies == []
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def test_an_answer_and_a_question_go_through_piece_by_piece() -> None:
    async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            foreign.bodies.append(message.get("body", b""))
            foreign.went.set()
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await asyncio.to_thread(foreign.may_go_on.wait, PATIENCE)
        await send({"type": "http.response.body", "body": b"two"})

    def ask() -> Iterator[bytes]:
        yield b'{"query":'
        assert foreign.went.wait(PATIENCE)  # the first piece is there before the second is written
        yield b"1}"

    foreign = Foreign(answer)
    headers = {"Content-Type": "application/json"}
    with (
        before(foreign) as url,
        httpx.stream("POST", f"{url}/graphql", content=ask(), headers=headers, trust_env=False) as told,
    ):
        pieces = told.iter_raw()
        assert next(pieces) == b"one"
        foreign.may_go_on.set()
        assert b"".join(pieces) == b"two"
    assert b"".join(foreign.bodies) == b'{"query":1}'


def test_whoever_leaves_ends_the_question_at_dagster_too() -> None:
    async def answer(_scope: Scope, receive: Receive, _send: Send) -> None:
        await receive()
        foreign.went.set()
        foreign.seen["end"] = await receive()
        foreign.may_go_on.set()

    foreign = Foreign(answer)
    with before(foreign) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as asked:
            asked.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert foreign.went.wait(PATIENCE)
        assert foreign.may_go_on.wait(PATIENCE)
    assert foreign.seen["end"]["type"] == "http.disconnect"


def test_a_dagster_that_is_gone_is_told_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    nobody = socket.create_server(("127.0.0.1", 0))
    there = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    nobody.close()
    with caplog.at_level(logging.INFO), serving(build_server(Proxy(there), listener), listener) as url:
        answer = httpx.get(f"{url}/runs?segredo=1", trust_env=False)
        assert (answer.status_code, answer.text) == (502, f"lastro: O Dagster em {there} não responde.\n")
        with pytest.raises(InvalidStatus) as refused, open_socket(url):
            pass
        assert refused.value.response.status_code == 502
    assert "segredo" not in "".join(record.getMessage() for record in caplog.records if record.name != "httpx")


def test_an_answer_that_breaks_off_is_seen_to_lack_its_end() -> None:
    async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})

    with before(Foreign(answer)) as url, pytest.raises(httpx.RemoteProtocolError):
        httpx.get(url, trust_env=False)


def test_a_dagster_that_takes_too_long_is_told_with_a_sentence() -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("")

    came: list[Message] = [{"type": "http.request"}]
    sent: list[Message] = []

    async def receive() -> Message:
        return came.pop() if came else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost:3000")]}
    app = Guard(Proxy("http://dagster.example:3000", httpx.MockTransport(refuse)), 3000)
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 504
    assert sent[1]["body"] == b"lastro: O Dagster em http://dagster.example:3000 demorou demais a responder.\n"


@contextmanager
def open_socket(url: str, **options: Any) -> Iterator[ClientConnection]:
    address = f"{url.replace('http', 'ws')}/graphql?x=1"
    with connect(address, origin=Origin(url), proxy=None, max_size=None, open_timeout=PATIENCE, **options) as stream:
        yield stream


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Choose the last subprotocol, say everything again, and end as it is told to."""
    await receive()
    await send({"type": "websocket.accept", "subprotocol": (scope["subprotocols"] or [None])[-1]})
    while (message := await receive())["type"] == "websocket.receive":
        if message.get("text") == "end":
            await send({"type": "websocket.close", "code": 4001, "reason": "so be it"})
            return
        await send({**message, "type": "websocket.send"})
    raise AssertionError(message)


def test_a_websocket_goes_through_whole_and_ends_as_dagster_says() -> None:
    foreign = Foreign(echo)
    with before(foreign) as url:
        with open_socket(url, subprotocols=["graphql-transport-ws", "graphql-ws"]) as stream:
            assert stream.subprotocol == "graphql-ws"
            large = "é" * 3_000_000
            for said in ("{}", b"\x00\xff", large):
                stream.send(said)
                assert stream.recv(timeout=PATIENCE) == said
            stream.send("end")
            with pytest.raises(ConnectionClosed) as closed:
                stream.recv(timeout=PATIENCE)
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4001, "so be it")
        assert foreign.scopes[0]["query_string"] == b"x=1"
        assert foreign.headers["host"] == foreign.url.removeprefix("http://")
        assert foreign.headers["origin"] == foreign.url
        with open_socket(url) as stream:
            assert stream.subprotocol is None


@pytest.mark.parametrize(
    ("code", "arrives"), [(4002, (4002, "enough")), (1000, (1000, "enough")), (None, (1000, ""))], ids=str
)
def test_dagster_is_told_how_the_browser_left(code: int | None, arrives: tuple[int, str]) -> None:
    async def listen(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        foreign.seen["end"] = await receive()
        foreign.went.set()

    foreign = Foreign(listen)
    with before(foreign) as url, open_socket(url) as stream:
        if code is None:
            stream.socket.shutdown(socket.SHUT_RDWR)
        else:
            stream.close(code, "enough")
        assert foreign.went.wait(PATIENCE)
    assert (foreign.seen["end"]["code"], foreign.seen["end"].get("reason") or "") == arrives


def test_a_websocket_that_dagster_refuses_is_refused() -> None:
    async def refuse(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.close", "code": 1008})

    with before(Foreign(refuse)) as url, pytest.raises(InvalidStatus) as refused, open_socket(url):
        pass
    assert refused.value.response.status_code == 403


def test_a_websocket_follows_no_redirect() -> None:
    async def lead_on(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        target = (b"location", foreign.url.replace("http", "ws").encode() + b"/elsewhere")
        await send({"type": "websocket.http.response.start", "status": 302, "headers": [target]})
        await send({"type": "websocket.http.response.body", "body": b""})

    foreign = Foreign(lead_on)
    with before(foreign) as url, pytest.raises(InvalidStatus) as refused, open_socket(url):
        pass
    assert refused.value.response.status_code == 502
    assert len(foreign.scopes) == 1


def test_a_dagster_that_dies_ends_its_websockets() -> None:
    """A raw server that takes the WebSocket and then breaks the connection."""
    import base64
    import hashlib

    with socket.create_server(("127.0.0.1", 0)) as raw:

        def accept() -> None:
            stream, _ = raw.accept()
            head = b""
            while b"\r\n\r\n" not in head:
                head += stream.recv(4096)
            key = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
            made = hashlib.sha1(key.split(b": ")[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()  # noqa: S324
            stream.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + base64.b64encode(made) + b"\r\n\r\n"
            )
            stream.close()

        thread = threading.Thread(target=accept)
        thread.start()
        listener = socket.create_server(("127.0.0.1", 0))
        proxy = Proxy(f"http://127.0.0.1:{raw.getsockname()[1]}")
        with (
            serving(build_server(proxy, listener), listener) as url,
            open_socket(url) as stream,
            pytest.raises(ConnectionClosed) as closed,
        ):
            stream.recv(timeout=PATIENCE)
        thread.join(PATIENCE)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1014
