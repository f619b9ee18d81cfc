"""The guard before the Dagster UI: it answers what its own pages ask, and no other page.

Dagster's web server has no login and asks no request where it comes from, so any web page that the operator has open
could start and stop runs by it, or read what they told. What is guarded is the browser: a request that it sends for a
page of somebody else names another host (DNS rebinding), another origin, or says that it is cross-site. Programs on
this machine are not kept out. `server` puts it before what it serves, Dagster in this process (`lastro dev`, `lastro
web`); before a plain `dagster-webserver` `pipelines/lastro_pipelines/deploy/guarda.conf` makes nginx refuse the same.
"""

import json
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, Final
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

GRAPHQL = "/graphql"
"""The one path that changes anything, and that answers every question; elsewhere with a prefix before it."""
MAX_BODY: Final = 16 * 2**20
"""Bytes of a question; the largest of the UI, a run's settings, have some thousand."""
MAX_DEPTH: Final = 200
"""Brackets within brackets of one: what reads it goes down as deep, and questions of the UI have some twenty."""
_BRACKETS = re.compile(rb"[\[{(]|[\]})]")
_BAD_DATA = 1007
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HEADERS = (
    # Nobody frames the UI (clickjacking), embeds what it serves, or keeps a handle on its window.
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class RefusedRequest(Exception):
    """A request that is not answered: status and the sentence that says why."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why
        super().__init__(why)


class Guard:
    """Passes on what comes from the UI's own pages and refuses the rest."""

    def __init__(self, app: App, port: int, enderecos: Collection[str]) -> None:
        """Guard an application.

        Args:
            port: where it is served on this machine.
            enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
        """
        self._app = app
        self.origins = {f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")} | set(enderecos)
        if port == _DEFAULT_PORTS["http"]:
            self.origins |= {origin.removesuffix(":80") for origin in self.origins}
        self.hosts = {urlsplit(origin).netloc for origin in self.origins}
        # A proxy may spell out the port that a browser leaves out.
        self.hosts |= {f"{parts.netloc}:{_DEFAULT_PORTS[parts.scheme]}"
                       for parts in map(urlsplit, enderecos) if parts.port is None}  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                # In the place of what the application says: where two stand, browsers may take neither.
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in dict(_HEADERS)]
                message["headers"] = [*kept, *_HEADERS]
            await send(message)

        try:
            self.check(scope)
            if scope["type"] == "websocket":
                await self._converse(scope, receive, send_guarded)
                return
            if _is_graphql(scope):
                receive = _replay(await _read_question(receive), receive)
            await self._app(scope, receive, send_guarded)
        except RefusedRequest as refused:
            await _refuse(scope, receive, send, refused)

    async def _converse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a WebSocket on, until it says what nobody could read: then the application sees it end."""
        ended: list[str] = []

        async def receive_readable() -> Message:
            message = await receive()
            try:
                if message["type"] == "websocket.receive":
                    _demand_readable(message.get("bytes") or (message.get("text") or "").encode())
            except RefusedRequest as refused:
                ended.append(refused.why)
                return {"type": "websocket.disconnect", "code": _BAD_DATA, "reason": refused.why}
            return message

        await self._app(scope, receive_readable, send)
        for why in ended:
            await send({"type": "websocket.close", "code": _BAD_DATA, "reason": why})

    def check(self, scope: Scope) -> None:
        """Decide about a request by its head alone.

        Raises:
            RefusedRequest: when it is not one of the UI's own.
        """
        host, origin = _read_header(scope, b"host"), _read_header(scope, b"origin")
        if host is None or host.lower() not in self.hosts:
            raise RefusedRequest(
                403,
                "Este endereço não é o da UI: abra o que o lastro imprimiu, ou acrescente este a enderecos_ui.",
            )
        if origin is not None and origin.lower() not in self.origins:
            raise RefusedRequest(403, "Pedidos de outras páginas não são respondidos.")
        if scope["type"] == "websocket":
            # Browsers send an Origin with every WebSocket, so the test above is the whole test.
            if not scope["path"].endswith(GRAPHQL):
                raise RefusedRequest(403, "Aqui não há WebSocket.")
            return
        self._check_request(scope)

    def _check_request(self, scope: Scope) -> None:
        site, method, path = _read_header(scope, b"sec-fetch-site"), scope["method"], scope["path"]
        if site not in (None, "same-origin", "none") and not _is_link(scope):
            raise RefusedRequest(403, "Pedidos de outras páginas não são respondidos.")
        if "/report_asset_" in path:
            raise RefusedRequest(403, "Só as execuções relatam ativos.")
        if _is_graphql(scope):
            if method != "POST" or not path.endswith(GRAPHQL):
                raise RefusedRequest(405, "Aqui só se responde a POST de application/json.")
            # By its media type, not by what the header contains: text/plain needs no leave of the browser's.
            media_type = (_read_header(scope, b"content-type") or "").partition(";")[0].strip().lower()
            if media_type != "application/json":
                raise RefusedRequest(403, "Aqui só se responde a application/json.")
        elif method not in ("GET", "HEAD"):
            raise RefusedRequest(405, "Aqui só se responde a GET.")


async def _read_question(receive: Receive) -> list[Message]:
    """Read the body of a question whole: what reads it would tell the log a traceback of what it cannot.

    Returns:
        What came, in one message; where the asker left, that.

    Raises:
        RefusedRequest: when it is beyond reason, or no JSON object.
    """
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return [message]
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY:
            raise RefusedRequest(413, "O pedido é grande demais.")
    _demand_readable(bytes(body))
    return [{"type": "http.request", "body": bytes(body), "more_body": False}]


def _replay(came: list[Message], receive: Receive) -> Receive:
    async def replay() -> Message:
        return came.pop() if came else await receive()

    return replay


def _demand_readable(body: bytes) -> None:
    """Demand a JSON object that is no deeper than a question is, nor the query in it.

    Raises:
        RefusedRequest: when it is none.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    query = said.get("query") if isinstance(said, dict) else None
    texts = (body, query.encode("utf-8", "replace") if isinstance(query, str) else b"")
    if not isinstance(said, dict) or any(_measure_depth(text) > MAX_DEPTH for text in texts):
        raise RefusedRequest(400, "Aqui só se responde a um objeto de JSON que se possa ler.")


def _measure_depth(text: bytes) -> int:
    """Count how deep brackets stand within brackets.

    >>> _measure_depth(b"{ a(b: [1]) } []")
    3
    """
    deepest = depth = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in b"[{(" else -1
        deepest = max(deepest, depth)
    return deepest


def _is_graphql(scope: Scope) -> bool:
    return str(scope["path"]).rstrip("/").endswith(GRAPHQL)


def _is_link(scope: Scope) -> bool:
    """Tell whether somebody followed a link to a page: it shows the page to them, and nobody else can read it."""
    return (
        scope["method"] == "GET"
        and not _is_graphql(scope)
        and _read_header(scope, b"sec-fetch-mode") == "navigate"
        and _read_header(scope, b"sec-fetch-dest") == "document"
    )


def _read_header(scope: Scope, name: bytes) -> str | None:
    """Return a header that may be sent once; None when it was not sent.

    Raises:
        RefusedRequest: when it was sent twice: the server behind might read the other one.
    """
    values = [value for key, value in scope["headers"] if key.lower() == name]
    if len(values) > 1:
        raise RefusedRequest(403, f"O cabeçalho {name.decode()} veio duas vezes.")
    return values[0].decode("latin-1").strip() if values else None


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: RefusedRequest) -> None:
    kind = "http"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": refused.why})
            return
        kind = "websocket.http"
    body = f"lastro: {refused.why}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"x-content-type-options", b"nosniff"),
        *_HEADERS,
    ]
    if refused.status == 405:
        headers.append((b"allow", b"POST" if _is_graphql(scope) else b"GET, HEAD"))
    await send({"type": f"{kind}.response.start", "status": refused.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": body if scope.get("method") != "HEAD" else b""})
