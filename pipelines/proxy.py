"""The way to a Dagster that stands already, for `lastro web --para`: what the guard let through goes on, unread.

A proxy of one address. Requests are small and sent whole; answers are streamed as they come; what concerns one
connection alone (hop-by-hop headers) stays with it; whoever goes away is told to the other side.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Coroutine, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from .web import Message, Receive, Refused, Scope, Send, refuse

MOST_BYTES: Final = 32_000_000
"""Of a request: the largest configuration that anybody launches is a thousandth of it."""
CONNECT_SECONDS: Final = 10.0
_HOP_BY_HOP: Final = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
        b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip
_OF_SOCKET: Final = _HOP_BY_HOP | {b"host", b"origin"}
Headers = list[tuple[bytes, bytes]]


class Proxy:
    """An application that hands everything on to one address.

    Args:
        address: scheme, host and port.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._netloc = urlsplit(address).netloc.encode()
        self._trusted = ssl.create_default_context()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand one request or WebSocket on."""
        try:
            if scope["type"] == "websocket":
                await self._hand_on_socket(scope, receive, send)
            else:
                await self._hand_on(scope, receive, send)
        except Refused as refused:
            await refuse(scope, receive, send, refused)

    async def _hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read_body(receive)
        if body is None:
            return
        # Made by hand: the client would add headers of its own, such as encodings that the browser cannot read.
        request = httpx.Request(
            scope["method"], self._write_url(scope), headers=self._choose_headers(scope, _HOP_BY_HOP), content=body
        )
        await _first_of(_wait_for_end(receive), self._answer(request, send))

    async def _answer(self, request: httpx.Request, send: Send) -> None:
        # A client each, that nothing outlives the loop; and no proxy of the environment, who would see what is guarded.
        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
        async with contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                httpx.AsyncClient(verify=self._trusted, trust_env=False, timeout=timeout)
            )
            try:
                answer = await client.send(request, stream=True)
            except httpx.HTTPError as error:
                raise self._away(error) from None
            stack.push_async_callback(answer.aclose)
            headers = _drop(((key.lower(), value) for key, value in answer.headers.raw), _HOP_BY_HOP)
            await send(
                {"type": "http.response.start", "status": answer.status_code, "headers": self._localise(headers)}
            )
            # What breaks off there breaks off here: the length that was announced tells the browser.
            async for piece in answer.aiter_raw():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _hand_on_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        url = self._write_url(scope).replace("http", "ws", 1)
        headers = [
            (key.decode("latin-1"), value.decode("latin-1"))
            for key, value in self._choose_headers(scope, _OF_SOCKET)
            if not key.startswith(b"sec-websocket-")
        ]
        try:
            there = await connect(
                url,
                origin=self.address,  # type: ignore[arg-type] # a text by another name
                subprotocols=[Subprotocol(name) for name in scope.get("subprotocols", ())] or None,
                additional_headers=headers,
                user_agent_header=None,
                proxy=None,
                max_size=None,
                open_timeout=CONNECT_SECONDS,
            )
        except (OSError, WebSocketException) as error:
            raise self._away(error) from None
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(there.close)
            await receive()
            await send({"type": "websocket.accept", "subprotocol": there.subprotocol})
            await _first_of(_carry_there(receive, there), _carry_back(there, send))

    def _away(self, error: Exception) -> Refused:
        return Refused(502, f"The Dagster at {self.address} does not answer ({type(error).__name__}).")

    def _write_url(self, scope: Scope) -> str:
        path: bytes = scope.get("raw_path") or scope["path"].encode()
        query: bytes = scope.get("query_string") or b""
        return self.address + (path + (b"?" + query if query else b"")).decode("ascii")

    def _choose_headers(self, scope: Scope, left: Iterable[bytes]) -> Headers:
        """Choose the headers that go on: host and origin are those of the other side, as its own pages would say."""
        told = [(key.lower(), value) for key, value in scope["headers"]]
        kept = [(key, value) for key, value in _drop(told, left) if key not in (b"host", b"origin", b"referer")]
        if b"host" in left:
            return kept
        origin = [(b"origin", self.address.encode())] if any(key == b"origin" for key, _ in told) else []
        return [(b"host", self._netloc), *kept, *origin]

    def _localise(self, headers: Headers) -> Headers:
        """Let a redirection of the other side to itself lead here."""
        own = self.address.encode()
        return [
            (key, value.removeprefix(own) or b"/" if key == b"location" and value.startswith(own) else value)
            for key, value in headers
        ]


def _drop(headers: Iterable[tuple[bytes, bytes]], left: Iterable[bytes]) -> Headers:
    """Leave out what concerns one connection, and what its header `Connection` names besides."""
    every = list(headers)
    named = {name.strip().lower() for key, value in every if key == b"connection" for name in value.split(b",")}
    return [(key, value) for key, value in every if key not in left and key not in named]


async def _read_body(receive: Receive) -> bytes | None:
    """Read a request whole; None when whoever sent it went away."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise Refused(413, "The request is too large.")
        if not message.get("more_body"):
            return bytes(body)


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _carry_there(receive: Receive, there: ClientConnection) -> None:
    while True:
        message: Message = await receive()
        if message["type"] == "websocket.disconnect":
            await there.close(_sendable(message.get("code")), message.get("reason") or "")
            return
        told = message.get("text")
        with contextlib.suppress(ConnectionClosed):
            await there.send(message.get("bytes") or b"" if told is None else told)


async def _carry_back(there: ClientConnection, send: Send) -> None:
    async for told in _listen(there):
        await send({"type": "websocket.send", **({"text": told} if isinstance(told, str) else {"bytes": told})})
    await send({"type": "websocket.close", "code": _sendable(there.close_code), "reason": there.close_reason or ""})


async def _listen(there: ClientConnection) -> AsyncIterator[str | bytes]:
    with contextlib.suppress(ConnectionClosed):
        async for told in there:
            yield told


def _sendable(code: int | None) -> int:
    """Choose the code that a WebSocket is closed with: some only say that none came, and must not be sent."""
    if code in (None, 1005):
        return 1000
    return 1011 if code in (1006, 1015) else int(code or 1000)


async def _first_of(*ways: Coroutine[Any, Any, None]) -> None:
    """Go both ways until one has come to its end, and end the other; what went wrong on it is told."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
