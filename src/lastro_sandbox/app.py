"""The HTTP side: routes from the table of operations, and the gate that every request passes.

``Gate`` is the only place that looks at the access token. The token is compared and dropped: what is recorded of a
request is its method, its path and its query without the token.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import re
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lastro_sandbox.attachments import ATTACHMENT_OPERATIONS
from lastro_sandbox.charges import CHARGE_OPERATIONS
from lastro_sandbox.company_observed import dress_books
from lastro_sandbox.control import build_control_routes
from lastro_sandbox.decisions import COUNT_SHAPES, DEFAULT_COUNT_SHAPE, DIALECTS
from lastro_sandbox.entries import ENTRY_OPERATIONS
from lastro_sandbox.errors import Refused, not_found
from lastro_sandbox.faults import Fault, FaultPlan, bend_answer, bend_query, drift
from lastro_sandbox.ledger import Books
from lastro_sandbox.listing import Listings
from lastro_sandbox.operations import Operation, Service
from lastro_sandbox.reading import READ_OPERATIONS
from lastro_sandbox.registers import REGISTER_OPERATIONS
from lastro_sandbox.requests import limit_body, read_call, read_query
from lastro_sandbox.store import StateError, Store
from lastro_sandbox.transfers import TRANSFER_OPERATIONS

OPERATIONS: Final[tuple[Operation, ...]] = (
    *READ_OPERATIONS,
    *ENTRY_OPERATIONS,
    *TRANSFER_OPERATIONS,
    *CHARGE_OPERATIONS,
    *ATTACHMENT_OPERATIONS,
    *REGISTER_OPERATIONS,
)
"""Every operation of the document, and the reference lists of the dialect ``observado``."""

_ID: Final = re.compile(r"\{([a-z_]+)\}")
_HTML: Final = "<!DOCTYPE html><html><head><title>Erro</title></head><body><h1>Serviço indisponível</h1></body></html>"
_TRANSPORT_KEY: Final = "transport"

RecordedRequest = tuple[str, str, tuple[tuple[str, str], ...]]
"""Method, path, and the query's pairs in order, without ``access_token``."""


def render_refusal(refused: Refused) -> JSONResponse:
    """Turn a refusal into its answer ``{"errors": {field: [text]}}``."""
    return JSONResponse({"errors": refused.errors}, status_code=refused.status)


def _render_error(status: int, field: str, text: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"errors": {field: [text]}}, status_code=status, headers=headers)


class Gate:
    """Middleware: records the request, checks the token, applies rate windows and faults, reads other spellings."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        service: Service,
        plan: FaultPlan,
        recorded: list[RecordedRequest] | None,
        latencia: float,
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._service = service
        self._plan = plan
        self._recorded = recorded
        self._latency = latencia

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or answer in its place."""
        if scope["type"] != "http" or scope["path"].startswith("/_sandbox"):
            await self._app(scope, limit_body(receive), send)
            return
        try:
            pairs = read_query(scope["query_string"])
            self._record(scope, pairs)
            if self._latency:
                await asyncio.sleep(self._latency)
            self._check_token([value for name, value in pairs if name == "access_token"])
        except Refused as refused:
            await render_refusal(refused)(scope, receive, send)
            return
        path = _plain_path(scope["path"])
        wait = self._plan.windows.admit()
        if wait is not None:
            headers = {"Retry-After": str(math.ceil(wait))}
            await _render_error(429, "base", "limite de requisições", headers)(scope, receive, send)
            return
        faults = self._plan.pick(scope["method"], path)
        if faults and await self._strike(scope, receive, send, faults):
            return
        if faults:
            pairs = bend_query(pairs, faults)
            self._drift(faults, dict(pairs), path)
            if any(fault.kind == "corte" for fault in faults):
                send = _cut_body(scope, send)
        scope = {
            **scope,
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(pairs).encode() if faults else scope["query_string"],
            "lastro.faults": faults,
        }
        await self._app(scope, limit_body(receive), send)

    def _record(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> None:
        if self._recorded is not None:
            public = tuple(pair for pair in pairs if pair[0] != "access_token")
            self._recorded.append((scope["method"], scope["path"], public))

    def _check_token(self, given: Sequence[str]) -> None:
        if not given or not given[-1]:
            raise Refused(401, {"access_token": ["é obrigatório"]})
        if not hmac.compare_digest(given[-1].encode("utf-8", "surrogatepass"), self._token):
            status = 403 if self._service.dialeto == "observado" else 401
            raise Refused(status, {"access_token": ["não é válido"]})

    async def _strike(self, scope: Scope, receive: Receive, send: Send, faults: list[Fault]) -> bool:
        """Apply the faults that answer in the service's place; tell whether one of them did."""
        for fault in faults:
            if fault.kind == "lento":
                await asyncio.sleep(fault.number("segundos", 2))
        for fault in faults:
            if fault.kind == "reset":
                _reset(scope)
                return True
            answer = _answer_in_place(fault)
            if answer is not None:
                await answer(scope, receive, send)
                return True
        return False

    def _drift(self, faults: list[Fault], query: dict[str, str], path: str) -> None:
        """Change the books before a page of entries is read."""
        account = query.get("conta_id", "")
        if path != "/v1/lancamentos" or query.get("tipo_view") == "count" or not account.isdecimal():
            return
        for fault in faults:
            if fault.kind == "deriva" and int(account) in self._service.books.contas:
                drift(self._service.books, self._plan.rng, int(account), fault.options.get("acao"))


def _plain_path(path: str) -> str:
    """Return a path without the spellings that programs add: ``.json`` and a slash at the end."""
    return path.rstrip("/").removesuffix(".json") or "/"


def _answer_in_place(fault: Fault) -> Response | None:
    """Return the answer that a fault gives instead of the service's, if it does."""
    if fault.kind == "429":
        after = fault.options.get("retry_after")
        return _render_error(429, "base", "limite de requisições", {"Retry-After": after} if after else None)
    if fault.kind in ("500", "503"):
        return _render_error(int(fault.kind), "base", "erro interno")
    if fault.kind in ("502", "html200"):
        return HTMLResponse(_HTML, status_code=502 if fault.kind == "502" else 200)
    return None


def _transport(scope: Scope) -> asyncio.Transport | None:
    transport = scope.get("state", {}).get(_TRANSPORT_KEY)
    return transport if isinstance(transport, asyncio.Transport) else None


def _reset(scope: Scope) -> None:
    """Reset the connection: the client sees it closed by the peer without an answer."""
    transport = _transport(scope)
    if transport is None:
        return
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def _cut_body(scope: Scope, send: Send) -> Send:
    """Wrap ``send`` so that half of the body goes out under the full length, and then the connection ends."""

    async def send_half(message: Message) -> None:
        if message["type"] != "http.response.body":
            await send(message)
            return
        body = message.get("body", b"")
        await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        transport = _transport(scope)
        if transport is not None:
            transport.close()

    return send_half


def _read_ids(request: Request, names: Sequence[str]) -> tuple[int, ...]:
    """Read the ids of a path.

    Raises:
        Refused: 404 for what is no integer id.
    """
    ids = []
    for name in names:
        text = request.path_params[name]
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise not_found("registro")
        ids.append(int(text))
    return tuple(ids)


def _build_endpoint(
    service: Service, operations: dict[str, Operation], commit: Callable[[], None]
) -> Callable[[Request], Awaitable[Response]]:
    names = _ID.findall(next(iter(operations.values())).path)

    async def endpoint(request: Request) -> Response:
        operation = operations["GET" if request.method == "HEAD" else request.method]
        query = read_query(request.scope["query_string"])
        call = await read_call(request, _read_ids(request, names), query, service.dialeto)
        faults: list[Fault] = request.scope.get("lastro.faults", [])
        wrong = sum(int(fault.number("delta", 1)) for fault in faults if fault.kind == "contagem_errada")
        service.count_delta = wrong
        try:
            answer = operation.answer(service, call)
        finally:
            service.count_delta = 0
            commit()
        return JSONResponse(bend_answer(answer, faults) if faults else answer)

    return endpoint


def _build_routes(service: Service, commit: Callable[[], None]) -> list[Route]:
    """Build one route per path that answers each of its methods."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations_of(service.dialeto):
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [
        Route(path, _build_endpoint(service, operations, commit), methods=list(operations))
        for path, operations in by_path.items()
    ]


def operations_of(dialeto: str) -> list[Operation]:
    """Return the operations that a dialect has."""
    return [operation for operation in OPERATIONS if dialeto == "observado" or not operation.only_observado]


async def _answer_refusal(_request: Request, exc: Exception) -> Response:
    if not isinstance(exc, Refused):
        raise exc
    return render_refusal(exc)


async def _answer_state_error(_request: Request, exc: Exception) -> Response:
    """Answer that the state file could not be written; what was not stored is tried again with the next change."""
    if not isinstance(exc, StateError):
        raise exc
    return _render_error(503, "estado", "o arquivo de estado não pôde ser gravado")


async def _answer_http_error(_request: Request, exc: Exception) -> Response:
    """Answer what the router or the body parser refuses in the service's error shape."""
    if not isinstance(exc, HTTPException):
        raise exc
    texts = {404: "endereço não encontrado", 405: "método não permitido neste endereço"}
    errors = {"rota" if exc.status_code in texts else "corpo": [texts.get(exc.status_code, "não pode ser lido")]}
    return JSONResponse({"errors": errors}, status_code=exc.status_code, headers=exc.headers)


def create_app(  # noqa: PLR0913 - options of the sandbox, each with its default
    books: Books,
    *,
    token: str = "sandbox",  # noqa: S107 - a sandbox's token protects nothing
    dialeto: str = "documento",
    forma_count: str | None = None,
    falhas: Iterable[str] = (),
    janelas: Iterable[str] = (),
    semente: int = 1,
    controle: bool = False,
    latencia: float = 0.0,
    estado: Store | None = None,
    gravar: bool = True,
) -> Starlette:
    """Build the service over one company's books.

    Args:
        books: the company.
        token: the only access token that is accepted.
        dialeto: ``documento`` or ``observado``.
        forma_count: shape of ``tipo_view=count``: ``indice`` {"0": N}, ``lista`` [N], ``numero`` N, ``count``
            {"count": N}, ``ilegivel``; by default ``count`` in ``documento`` and ``indice`` in ``observado``.
        falhas: faults to inject, each written as in ``faults.parse_fault`` (``"500:p=0.1"``).
        janelas: rate windows, each written like ``"100/60s"``.
        semente: seed of the faults.
        controle: add the ``/_sandbox`` control routes, for callers on this machine only.
        latencia: seconds that every answer takes longer.
        estado: where changes are kept between starts.
        gravar: record the requests in ``app.state.requests``.

    Returns:
        The application; ``app.state`` has ``requests``, ``books``, ``faults`` (the ``FaultPlan``) and ``service``.

    Raises:
        ValueError: unknown dialect, count shape or fault, or a window that can't be read.
    """
    dialect = next((name for name in DIALECTS if name == dialeto), None)
    if dialect is None:
        raise ValueError(f"dialeto must be one of {', '.join(DIALECTS)}, not {dialeto!r}")
    shape = next((name for name in COUNT_SHAPES if name == (forma_count or DEFAULT_COUNT_SHAPE[dialect])), None)
    if shape is None:
        raise ValueError(f"forma_count must be one of {', '.join(COUNT_SHAPES)}, not {forma_count!r}")
    plan = FaultPlan(falhas, janelas, semente)
    if dialect == "observado":
        dress_books(books)
    books.settle_ids()
    books.warm()
    service = Service(books=books, listings=Listings(books), dialeto=dialect, forma_count=shape)

    def commit(*, moved: bool = False) -> None:
        if estado is not None:
            estado.flush(books, moved=moved)
        books.touched.clear()

    recorded: list[RecordedRequest] = []
    settings: dict[str, Any] = {
        "token": token,
        "service": service,
        "plan": plan,
        "recorded": recorded if gravar else None,
        "latencia": latencia,
    }
    app = Starlette(
        routes=[
            *_build_routes(service, commit),
            *build_control_routes(
                service, plan, operations_of(dialect), partial(commit, moved=True), controle=controle
            ),
        ],
        middleware=[Middleware(Gate, **settings)],
        exception_handlers={
            Refused: _answer_refusal,
            HTTPException: _answer_http_error,
            StateError: _answer_state_error,
        },
    )
    app.router.redirect_slashes = False
    app.state.requests = recorded
    app.state.books = books
    app.state.faults = plan
    app.state.service = service
    return app
