"""The guard before the Dagster UI: it answers what its own pages ask, and no other page.

Dagster's web server has no login and asks no request where it comes from, so any web page that the operator has open
could start and stop runs by it, or read what they told. What is guarded is the browser: a request that it sends for a
page of somebody else names another host (DNS rebinding), another origin, or says that it is cross-site. Programs on
this machine are not kept out. `server` puts it before what it serves, Dagster in this process (`lastro dev`, `lastro
web`); before a plain `dagster-webserver` `pipelines/deploy/guarda.conf` makes nginx refuse the same.
"""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

GRAPHQL = "/graphql"
"""The one path that changes anything, and that answers every question; elsewhere with a prefix before it."""
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
            app: what is guarded.
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
            await self._app(scope, receive, send_guarded)
        except RefusedRequest as refused:
            await _refuse(scope, receive, send, refused)

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
