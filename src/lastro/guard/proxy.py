"""A proxy in front of a running Dagster: the requests that it passes on, and the answers that it changes.

Requests and answers go through piece by piece, never whole, and keep what stands in them; only what belongs to one of
the two connections is exchanged: the headers that say so, `Host` and `Origin`, addresses in `Location`. Neither cookies
nor redirects are acted on, no variable of the environment is read, and no address is logged, for questions stand in it.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Iterable
from typing import Any, Final, NoReturn, cast
from urllib.parse import quote, urlsplit

import h11
import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from lastro.guard.guard import Headers, Receive, RefusedRequest, Scope, Send

CONNECT_SECONDS, ANSWER_SECONDS = 10.0, 300.0
"""How long Dagster may take to take a connection, and to begin or go on with an answer: questions can last minutes."""
IDLE_SECONDS = 2.0
"""How long an idle connection is kept: less than Dagster keeps it, so that none is used that it is closing."""
MOST_BYTES = 64 * 2**20
"""Of one message of a WebSocket, which is passed on whole."""
_OF_ONE_CONNECTION: Final = {
    *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
    *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect"),
}
_OF_A_SOCKET: Final = b"sec-websocket-"
_EXCHANGED: Final = {b"host", b"origin", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto"}
_OURS: Final = {b"date", b"server"}
"""What our own server says of an answer."""
_NORMAL, _GOING_AWAY, _BAD_GATEWAY, _NO_CODE = 1000, 1001, 1014, 1005
_UNSPEAKABLE: Final = (httpx.LocalProtocolError, httpx.InvalidURL, h11.LocalProtocolError, InvalidURI, ValueError)
"""What those who speak to Dagster raise of a request that cannot be said; httpx passes some of h11's on as they are."""
_LOG = logging.getLogger("dagster.lastro")


class _Left(Exception):
    """The browser is gone."""

    def __init__(self, code: int = _GOING_AWAY, reason: str = "") -> None:
        self.code = code
        self.reason = reason
        super().__init__(code)


class Proxy:
    """Asks another web server whatever it is asked; for behind the guard."""

    def __init__(self, address: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Pass on to a web server.

        Args:
            address: scheme, host and port of it, without a path: paths are the same there.
            transport: who sends requests; None opens connections.
        """
        parts = urlsplit(address)
        self._origin, self._host = address, parts.netloc
        self._sockets = f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}"
        self._transport = transport or httpx.AsyncHTTPTransport(
            verify=ssl.create_default_context(),  # the machine's store, where a firm's own authority stands
            trust_env=False,
            limits=httpx.Limits(max_connections=None, keepalive_expiry=IDLE_SECONDS),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or WebSocket.

        Raises:
            RefusedRequest: when there is nothing to pass on: that server does not answer, or the path has steps in it.
        """
        if scope["type"] == "lifespan":
            await self._wait_for_the_end(receive, send)
        elif scope["type"] == "websocket":
            await self._pass_socket(scope, receive, send)
        else:
            body = _Body(receive)
            try:
                await _until_one_ends(self._pass_request(scope, body, send), body.watch())
            except _Left:
                return

    async def _wait_for_the_end(self, receive: Receive, send: Send) -> None:
        for step in ("startup", "shutdown"):
            await receive()
            if step == "shutdown":
                await self._transport.aclose()
            await send({"type": f"lifespan.{step}.complete"})

    async def _pass_request(self, scope: Scope, body: "_Body", send: Send) -> None:
        headers = self._exchange(scope)
        if any(name == b"transfer-encoding" for name, _ in scope["headers"]):
            headers = [(name, value) for name, value in headers if name != b"content-length"]
            headers.append((b"transfer-encoding", b"chunked"))
        wait = {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS, "read": ANSWER_SECONDS, "write": ANSWER_SECONDS}
        try:
            request = httpx.Request(
                scope["method"],
                self._origin,
                headers=headers,
                stream=body,
                extensions={"target": _target(scope), "timeout": wait},
            )
            response = await self._transport.handle_async_request(request)
        except httpx.TimeoutException:
            raise RefusedRequest(504, f"O Dagster em {self._origin} demorou demais a responder.") from None
        except _UNSPEAKABLE:
            raise _refuse_odd() from None
        except httpx.TransportError:
            self._give_up()
        try:
            given = [self._bring_home(*pair) for pair in _pass_on(response.headers.raw) if pair[0] not in _OURS]
            await send({"type": "http.response.start", "status": response.status_code, "headers": given})
            async for part in cast("httpx.AsyncByteStream", response.stream):
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except httpx.TransportError as error:
            # The answer has begun: that it lacks its end is how the browser sees it.
            _LOG.warning("Dagster at %s broke an answer off (%s).", self._origin, type(error).__name__)
        finally:
            await response.aclose()

    async def _pass_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value) for name, value in self._exchange(scope) if name != b"host"]
        try:
            dagster = await _Connect(
                self._sockets + _target(scope).decode("latin-1"),
                subprotocols=scope.get("subprotocols") or None,
                additional_headers=[(name.decode(), value.decode(errors="replace")) for name, value in headers],
                user_agent_header=None,
                compression=None,
                proxy=None,
                open_timeout=CONNECT_SECONDS,
                ping_timeout=ANSWER_SECONDS,
                max_size=MOST_BYTES,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            raise RefusedRequest(
                status if 400 <= status < 500 else 502, f"O Dagster em {self._origin} recusou."
            ) from None
        except _UNSPEAKABLE:
            raise _refuse_odd() from None
        except (WebSocketException, OSError):
            self._give_up()
        try:
            await receive()
            await send({"type": "websocket.accept", "subprotocol": dagster.subprotocol})
            await _until_one_ends(_pass_up(receive, dagster), _pass_down(dagster, send))
        except (_Left, OSError) as error:
            left = error if isinstance(error, _Left) else _Left()
            await dagster.close(_sendable(left.code, _GOING_AWAY), left.reason)
        except ConnectionClosed as closed:
            frame = closed.rcvd or closed.sent
            code, reason = (frame.code, frame.reason) if frame else (_BAD_GATEWAY, "")
            await send({"type": "websocket.close", "code": _sendable(code, _BAD_GATEWAY), "reason": reason})
        finally:
            await dagster.close()

    def _exchange(self, scope: Scope) -> Headers:
        """Return the headers of a request as they stand on the way to Dagster."""
        kept = _pass_on(scope["headers"])
        sent = [pair for pair in kept if pair[0] not in _EXCHANGED and not pair[0].startswith(_OF_A_SOCKET)]
        came = dict(kept)
        sent.append((b"host", self._host.encode()))
        if b"origin" in came:  # one of ours, or the guard would not have passed it
            sent.append((b"origin", self._origin.encode()))
        client = scope.get("client")
        hops = [came.get(b"x-forwarded-for"), client[0].encode() if client else None]
        sent.append((b"x-forwarded-for", b", ".join(hop for hop in hops if hop)))
        sent.append((b"x-forwarded-host", came.get(b"host", b"")))
        scheme = str(scope.get("scheme", "http")).replace("ws", "http")
        sent.append((b"x-forwarded-proto", came.get(b"x-forwarded-proto", scheme.encode())))
        return sent

    def _bring_home(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Turn an address of Dagster's into the same path of ours."""
        if name not in (b"location", b"content-location"):
            return name, value
        try:
            parts = urlsplit(value.decode("latin-1"))
        except ValueError:
            return name, value
        if parts.netloc.lower() != self._host:
            return name, value
        return name, (parts._replace(scheme="", netloc="").geturl() or "/").encode("latin-1")

    def _give_up(self) -> NoReturn:
        raise RefusedRequest(502, f"O Dagster em {self._origin} não responde.") from None


class _Connect(connect):
    """Opens a WebSocket where it is told and nowhere else."""

    def process_redirect(self, exc: Exception) -> Exception:
        """Follow no redirect."""
        return exc


class _Body(httpx.AsyncByteStream):
    """What a request brings, as it comes; the one place that listens to the browser."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._whole = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while not self._whole.is_set():
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise _Left
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                self._whole.set()

    async def watch(self) -> None:
        """Wait until the browser is gone; what it still sends is for Dagster to read first.

        Raises:
            _Left: then.
        """
        await self._whole.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
        raise _Left


async def _pass_up(receive: Receive, dagster: ClientConnection) -> NoReturn:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            raise _Left(message.get("code", _NO_CODE), message.get("reason") or "")
        text = message.get("text")
        await dagster.send(message["bytes"] if text is None else text)


async def _pass_down(dagster: ClientConnection, send: Send) -> NoReturn:
    while True:
        message = await dagster.recv()
        await send({"type": "websocket.send", "text" if isinstance(message, str) else "bytes": message})


async def _until_one_ends(*works: Awaitable[None]) -> None:
    """Do several things until one of them ends, and raise what it raises; the others are given up."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task in done:
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _pass_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Leave out what is said of one connection alone; names in small letters."""
    lowered = [(name.lower(), value) for name, value in headers]
    named = {word.strip().lower() for name, value in lowered if name == b"connection" for word in value.split(b",")}
    return [pair for pair in lowered if pair[0] not in _OF_ONE_CONNECTION | named]


def _target(scope: Scope) -> bytes:
    """Return path and question as they came, byte for byte.

    Raises:
        RefusedRequest: when it is no path but an address, or has steps in it, which no browser sends: another server
            might walk them to a path that the guard would have held to more.
    """
    path = str(scope["path"])
    odd = not path.startswith("/") or "\\" in path or not path.isprintable()
    if odd or {".", ".."} & set(path.split("/")):
        raise RefusedRequest(400, "Este caminho não é repassado.")
    raw: Any = scope.get("raw_path") or quote(path).encode()
    question = scope.get("query_string")
    return bytes(raw) + (b"?" + question if question else b"")


def _refuse_odd() -> RefusedRequest:
    return RefusedRequest(400, "Este pedido não pode ser repassado: os cabeçalhos ou o corpo não combinam.")


def _sendable(code: int, otherwise: int) -> int:
    """Return a code that may be sent: none at all means normal, and some only exist where a connection broke."""
    if code == _NO_CODE:
        return _NORMAL
    return code if 1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999 else otherwise
