"""The routes below ``/_sandbox``: the description of the interface for everyone, and the controls.

The controls move the clock and set faults. They exist only when asked for, answer only callers on this machine, and
refuse requests that a web page of another origin makes a browser send.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from lastro_sandbox.clock import advance
from lastro_sandbox.decisions import ADVANCE_MAX
from lastro_sandbox.errors import Refused, invalid
from lastro_sandbox.faults import KINDS, FaultPlan
from lastro_sandbox.openapi import describe_interface, render_page
from lastro_sandbox.operations import Operation, Service
from lastro_sandbox.params import LAST_YEAR, Params
from lastro_sandbox.repeats import add_days

Endpoint = Callable[[Request], Awaitable[Response]]


_OWN_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?", re.IGNORECASE)


def _check_local(request: Request) -> None:
    """Refuse, as if the route did not exist, whoever is not on this machine or comes from a foreign page."""
    host = request.client.host if request.client is not None else ""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    # A name of somebody else's that was rebound to this machine reaches us under that name.
    named = _OWN_HOST.fullmatch(request.headers.get("host", ""))
    if not local or not named or "origin" in request.headers:
        raise Refused(404, {"rota": ["endereço não encontrado"]})


async def _read_settings(request: Request) -> dict[str, list[str]]:
    """Read lists of texts from a form, a JSON object or the query: ``falha``, ``janela``, ``semente``."""
    body = await request.body()
    found: dict[str, list[str]] = {}
    if request.headers.get("content-type", "").startswith("application/json") and body:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise invalid("corpo", "JSON inválido") from None
        if not isinstance(value, dict):
            raise invalid("corpo", "deve ser um objeto JSON")
        for name, given in value.items():
            found[name] = [str(element) for element in (given if isinstance(given, list) else [given])]
    else:
        text = body.decode("utf-8", "replace")
        for name, given in [*request.query_params.multi_items(), *parse_qsl(text)]:
            found.setdefault(name.removesuffix("[]"), []).append(given)
    aliases = {"falhas": "falha", "janelas": "janela"}
    settings: dict[str, list[str]] = {}
    for name, values in found.items():
        settings.setdefault(aliases.get(name, name), []).extend(values)
    return settings


def build_control_routes(  # noqa: C901 - one short answer after the other
    service: Service,
    plan: FaultPlan,
    operations: Sequence[Operation],
    commit: Callable[[], None],
    *,
    controle: bool,
) -> list[Route]:
    """Build the routes below ``/_sandbox``.

    Args:
        service: the service.
        plan: the faults in force.
        operations: what the description describes.
        commit: stores the books after their clock moved.
        controle: whether the controls exist.
    """
    described = describe_interface(operations, service.dialeto)

    async def show_description(_request: Request) -> Response:
        return JSONResponse(described)

    async def show_page(_request: Request) -> Response:
        return HTMLResponse(render_page(described))

    async def move_clock(request: Request) -> Response:
        values = {name: given[-1] for name, given in (await _read_settings(request)).items()}
        params = Params(values)
        days = params.integer("dias", maximum=ADVANCE_MAX)
        params.check()
        days = 1 if days is None else days
        if add_days(service.books.hoje, days) > f"{LAST_YEAR - 10}-12-31":
            raise invalid("dias", "vai longe demais")
        moved = advance(service.books, days)
        commit()
        return JSONResponse(moved)

    async def set_faults(request: Request) -> Response:
        settings = await _read_settings(request)
        params = Params({name: given[-1] for name, given in settings.items()})
        seed = params.integer("semente")
        params.check()
        try:
            plan.replace(settings.get("falha", []), settings.get("janela", []), seed or 1)
        except ValueError as error:
            raise invalid("falha", str(error)) from None
        return JSONResponse(plan.describe())

    async def clear_faults(_request: Request) -> Response:
        plan.replace()
        return JSONResponse(plan.describe())

    async def show_faults(_request: Request) -> Response:
        return JSONResponse({**plan.describe(), "tipos": KINDS})

    async def show_state(_request: Request) -> Response:
        books = service.books
        state: dict[str, Any] = {
            "hoje": books.hoje,
            "empresa": books.nome,
            "dialeto": service.dialeto,
            "lancamentos": len(books.lancamentos),
            "cobrancas": len(books.cobrancas),
            "contas": books.describe_accounts(),
            "emails": books.emails[-50:],
        }
        return JSONResponse(state)

    def guarded(endpoint: Endpoint) -> Endpoint:
        async def local_only(request: Request) -> Response:
            _check_local(request)
            return await endpoint(request)

        return local_only

    routes = [
        Route("/_sandbox/openapi.json", show_description, methods=["GET"]),
        Route("/_sandbox", show_page, methods=["GET"]),
        Route("/_sandbox/", show_page, methods=["GET"]),
    ]
    if controle:

        async def faults(request: Request) -> Response:
            answers = {"GET": show_faults, "HEAD": show_faults, "POST": set_faults, "DELETE": clear_faults}
            return await answers[request.method](request)

        routes += [
            Route("/_sandbox/avancar", guarded(move_clock), methods=["POST"]),
            Route("/_sandbox/falhas", guarded(faults), methods=["GET", "POST", "DELETE"]),
            Route("/_sandbox/estado", guarded(show_state), methods=["GET"]),
        ]
    return routes
