"""The HTTP side: routes from the table of operations, and the gate that every request passes.

``Gate`` is the only place that looks at the access token. The token is compared and dropped: what is recorded of a
request is its method, its path and its query without the token.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from lastro_sandbox.decisions import COUNT_SHAPES, DEFAULT_COUNT_SHAPE, DIALECTS
from lastro_sandbox.errors import Refused
from lastro_sandbox.forms import Node
from lastro_sandbox.ledger import Books
from lastro_sandbox.listing import Listings
from lastro_sandbox.operations import Call, Operation, Service
from lastro_sandbox.params import Params
from lastro_sandbox.reading import READ_OPERATIONS

OPERATIONS: Final[tuple[Operation, ...]] = READ_OPERATIONS
_ID: Final = re.compile(r"\{[a-z_]+\}")

RecordedRequest = tuple[str, str, tuple[tuple[str, str], ...]]
"""Method, path, and the query's pairs in order, without ``access_token``."""


def render_refusal(refused: Refused) -> JSONResponse:
    """Turn a refusal into its answer ``{"errors": {field: [text]}}``."""
    return JSONResponse({"errors": refused.errors}, status_code=refused.status)


def read_query(raw: bytes) -> list[tuple[str, str]]:
    """Read a query string; ``tag_id=1&2&3`` with plain ampersands is read as the text ``1&2&3``."""
    pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True)
    joined: list[tuple[str, str]] = []
    for name, value in pairs:
        if value == "" and name.isdigit() and joined and joined[-1][0] == "tag_id":
            joined[-1] = ("tag_id", f"{joined[-1][1]}&{name}")
        else:
            joined.append((name, value))
    return joined


class Gate:
    """Middleware: records the request, reads ``.json`` spellings, checks the access token."""

    def __init__(self, app: ASGIApp, *, token: str, service: Service, recorded: list[RecordedRequest], latencia: float):
        self._app = app
        self._token = token.encode()
        self._service = service
        self._recorded = recorded
        self._latency = latencia

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or refuse it."""
        if scope["type"] != "http" or scope["path"].startswith("/_sandbox"):
            await self._app(scope, receive, send)
            return
        pairs = read_query(scope["query_string"])
        public = tuple(pair for pair in pairs if pair[0] != "access_token")
        self._recorded.append((scope["method"], scope["path"], public))
        if self._latency:
            await asyncio.sleep(self._latency)
        try:
            self._check_token([value for name, value in pairs if name == "access_token"])
        except Refused as refused:
            await render_refusal(refused)(scope, receive, send)
            return
        path = scope["path"].removesuffix(".json")
        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, send)

    def _check_token(self, given: Sequence[str]) -> None:
        if not given or not given[-1]:
            raise Refused(401, {"access_token": ["é obrigatório"]})
        if not hmac.compare_digest(given[-1].encode(), self._token):
            status = 403 if self._service.dialeto == "observado" else 401
            raise Refused(status, {"access_token": ["não é válido"]})


def _build_endpoint(service: Service, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    names = [name[1:-1] for name in _ID.findall(operation.path)]

    async def endpoint(request: Request) -> Response:
        pairs = read_query(request.scope["query_string"])
        ids = tuple(int(request.path_params[name]) for name in names)
        call = Call(ids=ids, params=Params(dict(pairs)), form=Node())
        return JSONResponse(operation.answer(service, call))

    return endpoint


def _build_routes(service: Service) -> list[Route]:
    """Build one route per path that answers each of its methods."""
    by_path: dict[str, list[Operation]] = {}
    for operation in OPERATIONS:
        if operation.only_observado and service.dialeto != "observado":
            continue
        by_path.setdefault(operation.path, []).append(operation)
    routes = []
    for path, operations in by_path.items():
        for operation in operations:
            typed = _ID.sub(lambda match: match.group()[:-1] + ":int}", path)
            routes.append(
                Route(typed, _build_endpoint(service, operation), methods=[operation.method], name=operation.name)
            )
    return routes


async def _answer_refusal(_request: Request, exc: Exception) -> Response:
    if not isinstance(exc, Refused):
        raise exc
    return render_refusal(exc)


async def _answer_http_error(_request: Request, exc: Exception) -> Response:
    """Answer what the router itself refuses (no such path, wrong method) in the service's error shape."""
    if not isinstance(exc, HTTPException):
        raise exc
    texts = {404: "endereço não encontrado", 405: "método não permitido neste endereço"}
    errors = {"rota": [texts.get(exc.status_code, "requisição inválida")]}
    return JSONResponse({"errors": errors}, status_code=exc.status_code, headers=exc.headers)


def create_app(
    books: Books,
    *,
    token: str = "sandbox",  # noqa: S107 - a sandbox's token protects nothing
    dialeto: str = "documento",
    forma_count: str | None = None,
    latencia: float = 0.0,
) -> Starlette:
    """Build the service over one company's books.

    Args:
        books: the company.
        token: the only access token that is accepted.
        dialeto: ``documento`` or ``observado``.
        forma_count: shape of ``tipo_view=count``: ``indice`` {"0": N}, ``lista`` [N], ``numero`` N, ``count``
            {"count": N}, ``ilegivel``; by default ``count`` in ``documento`` and ``indice`` in ``observado``.
        latencia: seconds that every answer takes longer.

    Returns:
        The application; ``app.state.requests`` is the list of recorded requests, ``app.state.books`` the books.

    Raises:
        ValueError: unknown dialect or count shape.
    """
    dialect = next((name for name in DIALECTS if name == dialeto), None)
    if dialect is None:
        raise ValueError(f"dialeto must be one of {', '.join(DIALECTS)}, not {dialeto!r}")
    shape = next((name for name in COUNT_SHAPES if name == (forma_count or DEFAULT_COUNT_SHAPE[dialect])), None)
    if shape is None:
        raise ValueError(f"forma_count must be one of {', '.join(COUNT_SHAPES)}, not {forma_count!r}")
    books.warm()
    service = Service(books=books, listings=Listings(books), dialeto=dialect, forma_count=shape)
    recorded: list[RecordedRequest] = []
    app = Starlette(
        routes=_build_routes(service),
        middleware=[Middleware(Gate, token=token, service=service, recorded=recorded, latencia=latencia)],
        exception_handlers={Refused: _answer_refusal, HTTPException: _answer_http_error},
    )
    app.router.redirect_slashes = False
    app.state.requests = recorded
    app.state.books = books
    app.state.service = service
    return app


def dump_json(value: object) -> str:
    """Write a value as the service writes JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
