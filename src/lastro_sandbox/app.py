"""The HTTP side: routes from the table of operations, and what builds the application."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lastro_sandbox.answers import Rows, answer_json
from lastro_sandbox.attachments import ATTACHMENT_OPERATIONS
from lastro_sandbox.charges import CHARGE_OPERATIONS
from lastro_sandbox.company_observed import dress_books
from lastro_sandbox.control import Controls, build_control_routes
from lastro_sandbox.decisions import COUNT_SHAPES, DEFAULT_COUNT_SHAPE, DIALECTS
from lastro_sandbox.entries import ENTRY_OPERATIONS
from lastro_sandbox.errors import Refused, not_found
from lastro_sandbox.faults import Fault, FaultPlan, bend_answer
from lastro_sandbox.gate import Gate, RecordedRequest, render_error, render_refusal
from lastro_sandbox.journal import Journal, Noted
from lastro_sandbox.ledger import Books
from lastro_sandbox.operations import Operation
from lastro_sandbox.reading import READ_OPERATIONS
from lastro_sandbox.references import REFERENCE_OPERATIONS
from lastro_sandbox.registers import REGISTER_OPERATIONS
from lastro_sandbox.render import render_entry
from lastro_sandbox.requests import read_call
from lastro_sandbox.store import StateError
from lastro_sandbox.tenants import Served, Tenant, serve_tenant
from lastro_sandbox.transfers import TRANSFER_OPERATIONS

OPERATIONS: Final[tuple[Operation, ...]] = (
    *READ_OPERATIONS,
    *REFERENCE_OPERATIONS,
    *ENTRY_OPERATIONS,
    *TRANSFER_OPERATIONS,
    *CHARGE_OPERATIONS,
    *ATTACHMENT_OPERATIONS,
    *REGISTER_OPERATIONS,
)
"""Every operation of the document, and the reference lists of the dialect ``observado``."""

_ID: Final = re.compile(r"\{([a-z_]+)\}")


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


def _build_endpoint(operations: dict[str, Operation], *, keep_first: bool) -> Callable[[Request], Awaitable[Response]]:
    names = _ID.findall(next(iter(operations.values())).path)

    async def endpoint(request: Request) -> Response:
        operation = operations["GET" if request.method == "HEAD" else request.method]
        company: Served = request.scope["lastro.company"]
        service = company.service
        ids = _read_ids(request, names)
        call = await read_call(request, ids, request.scope["lastro.pairs"], service.dialeto)
        faults: list[Fault] = request.scope["lastro.faults"]
        if keep_first and operation.method != "GET":
            company.remember_first()
        service.count_delta = sum(int(fault.number("delta", 1)) for fault in faults if fault.kind == "contagem_errada")
        try:
            answer = operation.answer(service, call)
        finally:
            service.count_delta = 0
            company.commit()
        if isinstance(answer, Rows) and not faults:
            return Response(company.rows.encode(service, answer.entries), media_type="application/json")
        if isinstance(answer, Rows):
            answer = [render_entry(service, entry) for entry in answer.entries]
        created = operation.method == "POST" and service.dialeto == "observado"
        return answer_json(bend_answer(answer, faults) if faults else answer, 201 if created else 200)

    return endpoint


def _build_routes(dialeto: str, *, keep_first: bool) -> list[Route]:
    """Build one route per path that answers each of its methods."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations_of(dialeto):
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [
        Route(path, _build_endpoint(operations, keep_first=keep_first), methods=list(operations))
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
    return render_error(503, "estado", "o arquivo de estado não pôde ser gravado")


async def _answer_http_error(_request: Request, exc: Exception) -> Response:
    """Answer what the router or the body parser refuses in the service's error shape."""
    if not isinstance(exc, HTTPException):
        raise exc
    texts = {404: "endereço não encontrado", 405: "método não permitido neste endereço"}
    errors = {"rota" if exc.status_code in texts else "corpo": [texts.get(exc.status_code, "não pode ser lido")]}
    return answer_json({"errors": errors}, exc.status_code, dict(exc.headers or {}))


def create_app(  # noqa: PLR0913 - options of the sandbox, each with its default
    books: Books | None = None,
    *,
    token: str = "sandbox",  # noqa: S107 - a sandbox's token protects nothing
    dialeto: str = "documento",
    forma_count: str | None = None,
    falhas: Iterable[str] = (),
    janelas: Iterable[str] = (),
    semente: int = 1,
    controle: bool = False,
    segredo: str | None = None,
    latencia: float = 0.0,
    empresas: Sequence[Tenant] = (),
    gravar: bool = True,
    mostrar: Callable[[Noted], None] | None = None,
) -> Starlette:
    """Build the service over the books of one company, or of several.

    Args:
        books: the company; None where ``empresas`` names all.
        dialeto: ``documento`` or ``observado``.
        forma_count: shape of ``tipo_view=count``: ``indice`` {"0": N}, ``lista`` [N], ``numero`` N, ``count``
            {"count": N}, ``ilegivel``; by default ``count`` in ``documento`` and ``indice`` in ``observado``.
        falhas: faults to inject, each written as in ``faults.parse_fault`` (``"500:p=0.1"``).
        janelas: rate windows of each company, each written like ``"100/60s"``.
        controle: add the ``/_sandbox`` control routes, for callers on this machine only, and keep a journal.
        segredo: add them for callers anywhere who send this secret.
        latencia: seconds that every answer takes longer.
        empresas: further companies, each with its token.
        gravar: record the requests in ``app.state.requests``.
        mostrar: called with each request that was answered, as the journal notes it.

    Returns:
        The application; ``app.state`` has ``requests``, ``books``, ``service``, ``faults`` (the ``FaultPlan``),
        ``journal`` (None without controls and ``mostrar``) and ``companies``.

    Raises:
        ValueError: unknown dialect, count shape or fault, a window that can't be read, or companies that can't be told
            apart.
    """
    dialect = next((name for name in DIALECTS if name == dialeto), None)
    if dialect is None:
        raise ValueError(f"dialeto must be one of {', '.join(DIALECTS)}, not {dialeto!r}")
    shape = next((name for name in COUNT_SHAPES if name == (forma_count or DEFAULT_COUNT_SHAPE[dialect])), None)
    if shape is None:
        raise ValueError(f"forma_count must be one of {', '.join(COUNT_SHAPES)}, not {forma_count!r}")
    plan = FaultPlan(falhas, janelas, semente)
    tenants = [*([] if books is None else [Tenant(books, token)]), *empresas]
    if dialect == "observado":
        for tenant in tenants:
            dress_books(tenant.books)
    companies = [serve_tenant(tenant, dialect, shape) for tenant in tenants]
    _check_apart(companies)
    controls = controle or segredo is not None
    journal = Journal((tenant.token for tenant in tenants), mostrar) if controls or mostrar is not None else None
    recorded: list[RecordedRequest] = []
    settings: dict[str, Any] = {
        "companies": companies,
        "plan": plan,
        "recorded": recorded if gravar else None,
        "journal": journal,
        "latencia": latencia,
    }
    app = Starlette(
        routes=[
            *_build_routes(dialect, keep_first=controls),
            *build_control_routes(Controls(companies, plan, journal, segredo), operations_of(dialect), on=controls),
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
    app.state.companies = companies
    app.state.books = companies[0].tenant.books
    app.state.service = companies[0].service
    app.state.faults = plan
    app.state.journal = journal
    return app


def _check_apart(companies: Sequence[Served]) -> None:
    """Refuse companies that a request or a control could not tell apart.

    Raises:
        ValueError: there is none, or two share a name or a token.
    """
    if not companies:
        raise ValueError("books or empresas must name a company")
    if len({company.name for company in companies}) < len(companies):
        raise ValueError("two companies have the same name")
    if len({company.tenant.token for company in companies}) < len(companies):
        raise ValueError("two companies have the same token: a request could not say which one it means")
