"""The routes below ``/_sandbox``: description and health for everyone, and the controls.

The controls move the clock, set faults, show the journal, and bring books back. They exist only when asked for. Without
a secret they answer only callers on this machine; with one, whoever sends it. They refuse requests that a web page of
another origin makes a browser send.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from lastro_sandbox.answers import answer_json
from lastro_sandbox.clock import advance
from lastro_sandbox.decisions import ADVANCE_MAX
from lastro_sandbox.errors import Refused, invalid, not_found
from lastro_sandbox.faults import KINDS, FaultPlan
from lastro_sandbox.journal import Journal, Noted
from lastro_sandbox.openapi import describe_interface, list_references, render_page
from lastro_sandbox.operations import Operation
from lastro_sandbox.params import LAST_YEAR, Params
from lastro_sandbox.repeats import add_days
from lastro_sandbox.tenants import Served

Endpoint = Callable[[Request], Awaitable[Response]]
Settings = dict[str, list[str]]

SECRET_HEADER: Final = "X-Sandbox-Segredo"  # noqa: S105 - the name of a header
_OWN_HOST: Final = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?", re.IGNORECASE)
_ALIASES: Final = {"falhas": "falha", "janelas": "janela"}


@dataclass(frozen=True, slots=True)
class Controls:
    """What the controls act on, and the secret that lets callers of other machines in."""

    companies: Sequence[Served]
    plan: FaultPlan
    journal: Journal | None
    secret: str | None

    def check_caller(self, request: Request) -> None:
        """Refuse, as if the route did not exist, whoever may not control.

        Raises:
            Refused: 404.
        """
        if self.secret is not None:
            given = request.headers.get(SECRET_HEADER, "")
            allowed = hmac.compare_digest(given.encode(), self.secret.encode())
        else:
            allowed = _is_local(request)
        if not allowed or "origin" in request.headers:
            raise Refused(404, {"rota": ["endereço não encontrado"]})

    def for_each(self, settings: Settings, act: Callable[[Served], Any]) -> Any:
        """Act on the company that ``empresa`` names, or on all; several answers stand under their names.

        Raises:
            Refused: 422 for a company that is not served here.
        """
        names = settings.get("empresa", [])
        chosen = [company for company in self.companies if not names or company.name in names]
        if len(chosen) < len(names) or not chosen:
            raise invalid("empresa", f"deve ser uma destas: {', '.join(company.name for company in self.companies)}")
        if len(self.companies) == 1 or names:
            return act(chosen[0])
        return {"empresas": {company.name: act(company) for company in chosen}}


def _is_local(request: Request) -> bool:
    host = request.client.host if request.client is not None else ""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    # A name of somebody else's that was rebound to this machine reaches us under that name.
    return local and _OWN_HOST.fullmatch(request.headers.get("host", "")) is not None


async def _read_settings(request: Request) -> Settings:
    """Read lists of texts from a form, a JSON object or the query: ``falha``, ``janela``, ``semente``."""
    body = await request.body()
    found: Settings = {}
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
    settings: Settings = {}
    for name, values in found.items():
        settings.setdefault(_ALIASES.get(name, name), []).extend(values)
    return settings


def _last(settings: Settings) -> Params:
    return Params({name: given[-1] for name, given in settings.items()})


# --- what is answered ----------------------------------------------------------------------------------------------


def _move_clock(controls: Controls, settings: Settings, _request: Request) -> Any:
    params = _last(settings)
    asked = params.integer("dias", maximum=ADVANCE_MAX)
    params.check()
    days = 1 if asked is None else asked

    def move(company: Served) -> Any:
        books = company.tenant.books
        if add_days(books.hoje, days) > f"{LAST_YEAR - 10}-12-31":
            raise invalid("dias", "vai longe demais")
        company.remember_first()
        moved = advance(books, days)
        company.commit(moved=True)
        return moved

    return controls.for_each(settings, move)


def _show_state(controls: Controls, settings: Settings, _request: Request) -> Any:
    def show(company: Served) -> Any:
        books = company.tenant.books
        return {
            "hoje": books.hoje,
            "empresa": books.nome,
            "dialeto": company.service.dialeto,
            "lancamentos": len(books.lancamentos),
            "cobrancas": len(books.cobrancas),
            "contas": books.describe_accounts(),
            "emails": books.emails[-50:],
        }

    return controls.for_each(settings, show)


def _show_faults(controls: Controls, _settings: Settings, _request: Request) -> Any:
    return {**controls.plan.describe(), "tipos": KINDS}


def _set_faults(controls: Controls, settings: Settings, _request: Request) -> Any:
    params = _last(settings)
    seed = params.integer("semente")
    params.check()
    try:
        controls.plan.replace(settings.get("falha", []), settings.get("janela", []), seed or 1)
    except ValueError as error:
        raise invalid("falha", str(error)) from None
    return controls.plan.describe()


def _clear_faults(controls: Controls, _settings: Settings, _request: Request) -> Any:
    controls.plan.replace()
    return controls.plan.describe()


def _show_requests(controls: Controls, settings: Settings, _request: Request) -> Any:
    """Return the journal, the oldest first: those after ``desde``, of a method, a path, a status, a company."""
    if controls.journal is None:
        return []
    params = _last(settings)
    since, status = params.integer("desde") or 0, params.integer("status")
    method, path, company = params.raw("metodo"), params.raw("caminho"), params.raw("empresa")
    limit = params.integer("limite", minimum=1)
    params.check()

    def fits(noted: Noted) -> bool:
        return (
            noted.numero > since
            and (status is None or noted.status == status)
            and (method is None or noted.metodo == method.upper())
            and (path is None or noted.caminho.startswith(path))
            and (company is None or noted.empresa == company)
        )

    found = [noted for noted in controls.journal.kept if fits(noted)]
    return found if limit is None else found[-limit:]


def _clear_requests(controls: Controls, _settings: Settings, _request: Request) -> Any:
    if controls.journal is not None:
        controls.journal.kept.clear()
    return True


def _start_over(controls: Controls, settings: Settings, request: Request) -> Any:
    def restart(company: Served) -> Any:
        company.start_over()
        return {"hoje": company.tenant.books.hoje, "lancamentos": len(company.tenant.books.lancamentos)}

    answer = controls.for_each(settings, restart)
    _clear_requests(controls, settings, request)
    return answer


def _list_snapshots(controls: Controls, settings: Settings, _request: Request) -> Any:
    return controls.for_each(settings, lambda company: sorted(company.snapshots))


def _take_snapshot(controls: Controls, settings: Settings, request: Request) -> Any:
    def take(company: Served) -> Any:
        try:
            company.take_snapshot(request.path_params["nome"])
        except ValueError as error:
            raise invalid("nome", str(error)) from None
        return sorted(company.snapshots)

    return controls.for_each(settings, take)


def _restore_snapshot(controls: Controls, settings: Settings, request: Request) -> Any:
    def restore(company: Served) -> Any:
        try:
            company.restore_snapshot(request.path_params["nome"])
        except KeyError:
            raise not_found("instantâneo") from None
        return {"hoje": company.tenant.books.hoje, "lancamentos": len(company.tenant.books.lancamentos)}

    return controls.for_each(settings, restore)


def _drop_snapshot(controls: Controls, settings: Settings, request: Request) -> Any:
    def drop(company: Served) -> Any:
        try:
            company.drop_snapshot(request.path_params["nome"])
        except KeyError:
            raise not_found("instantâneo") from None
        return True

    return controls.for_each(settings, drop)


Act = Callable[[Controls, Settings, Request], Any]
CONTROLS: Final[dict[str, dict[str, Act]]] = {
    "/_sandbox/avancar": {"POST": _move_clock},
    "/_sandbox/estado": {"GET": _show_state},
    "/_sandbox/falhas": {"GET": _show_faults, "POST": _set_faults, "DELETE": _clear_faults},
    "/_sandbox/requisicoes": {"GET": _show_requests, "DELETE": _clear_requests},
    "/_sandbox/reiniciar": {"POST": _start_over},
    "/_sandbox/instantaneos": {"GET": _list_snapshots},
    "/_sandbox/instantaneos/{nome}": {"POST": _take_snapshot, "DELETE": _drop_snapshot},
    "/_sandbox/instantaneos/{nome}/restaurar": {"POST": _restore_snapshot},
}
"""Path -> method -> what it does."""


def _build_control(controls: Controls, acts: dict[str, Act]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        controls.check_caller(request)
        settings = await _read_settings(request)
        return answer_json(acts["GET" if request.method == "HEAD" else request.method](controls, settings, request))

    return endpoint


def build_control_routes(controls: Controls, operations: Sequence[Operation], *, on: bool) -> list[Route]:
    """Build the routes below ``/_sandbox``.

    Args:
        controls: what the controls act on.
        on: whether the controls exist.
    """
    service = controls.companies[0].service

    async def show_description(_request: Request) -> Response:
        references = list_references(service.books, service.dialeto)
        return answer_json(describe_interface(operations, service.dialeto, references))

    async def show_page(_request: Request) -> Response:
        return HTMLResponse(render_page(describe_interface(operations, service.dialeto)))

    async def show_health(_request: Request) -> Response:
        days = sorted({company.tenant.books.hoje for company in controls.companies})
        return answer_json({"situacao": "ok", "empresas": len(controls.companies), "hoje": days[0]})

    routes = [
        Route("/_sandbox/openapi.json", show_description, methods=["GET"]),
        Route("/_sandbox/saude", show_health, methods=["GET"]),
        Route("/_sandbox", show_page, methods=["GET"]),
        Route("/_sandbox/", show_page, methods=["GET"]),
    ]
    if on:
        routes += [Route(path, _build_control(controls, acts), methods=list(acts)) for path, acts in CONTROLS.items()]
    return routes
