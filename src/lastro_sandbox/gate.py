"""The gate that every request passes: token, journal, rate windows, faults, other spellings of a path.

``Gate`` is the only place that looks at the access token. The token is compared and dropped: what is recorded of a
request is its method, its path and its query without the token.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import socket
import struct
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lastro_sandbox.answers import answer_json
from lastro_sandbox.errors import Refused
from lastro_sandbox.faults import Fault, FaultPlan, bend_query, drift, parse_fault
from lastro_sandbox.journal import Journal
from lastro_sandbox.requests import limit_body, read_query
from lastro_sandbox.tenants import Served

_HTML: Final = "<!DOCTYPE html><html><head><title>Erro</title></head><body><h1>Serviço indisponível</h1></body></html>"
_TRANSPORT_KEY: Final = "transport"
FAULT_HEADER: Final = "X-Sandbox-Falha"
"""Header of one request that asks for faults: ``429:retry_after=2; lento:segundos=1``."""

RecordedRequest = tuple[str, str, tuple[tuple[str, str], ...]]
"""Method, path, and the query's pairs in order, without ``access_token``."""


def render_refusal(refused: Refused) -> Response:
    """Turn a refusal into its answer ``{"errors": {field: [text]}}``."""
    return answer_json({"errors": refused.errors}, refused.status)


def render_error(status: int, field: str, text: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer with one error."""
    return answer_json({"errors": {field: [text]}}, status, headers)


class Gate:
    """Middleware: records the request, finds the company, applies rate windows and faults, reads other spellings."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        companies: Sequence[Served],
        plan: FaultPlan,
        recorded: list[RecordedRequest] | None,
        journal: Journal | None,
        latencia: float,
    ) -> None:
        self._app = app
        self._companies = companies
        self._plan = plan
        self._recorded = recorded
        self._journal = journal
        self._latency = latencia

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or answer in its place."""
        if scope["type"] != "http" or scope["path"].startswith("/_sandbox"):
            await self._app(scope, limit_body(receive), send)
            return
        noted = None
        try:
            pairs = read_query(scope["query_string"])
        except Refused as refused:
            await render_refusal(refused)(scope, receive, send)
            return
        self._record(scope, pairs)
        company = self._find_company([value for name, value in pairs if name == "access_token"])
        if self._journal is not None:
            name = company.name if company is not None and len(self._companies) > 1 else None
            receive, send, noted = self._journal.watch(scope, receive, send, pairs, name)
        try:
            if self._latency:
                await asyncio.sleep(self._latency)
            if company is None:
                raise self._refuse_token(pairs)
            asked = _read_fault_header(scope)
        except Refused as refused:
            await render_refusal(refused)(scope, receive, send)
            return
        path = _plain_path(scope["path"])
        wait = self._plan.windows.admit(company.name)
        if wait is not None:
            headers = {"Retry-After": str(math.ceil(wait))}
            await render_error(429, "base", "limite de requisições", headers)(scope, receive, send)
            return
        faults = self._plan.pick(scope["method"], path)
        faults += [fault for fault in asked if fault.strikes(self._plan.rng, scope["method"], path)]
        if noted is not None:
            noted.falhas = [fault.kind for fault in faults]
        inner = {
            **scope,
            "path": path,
            "raw_path": path.encode(),
            "lastro.faults": faults,
            "lastro.pairs": pairs,
            "lastro.company": company,
        }
        if faults:
            await self._answer_with_faults(inner, receive, send, company)
        else:
            await self._app(inner, limit_body(receive), send)

    async def _answer_with_faults(self, scope: Scope, receive: Receive, send: Send, company: Served) -> None:
        """Let faults answer in the service's place, or bend what it is asked and how it answers."""
        faults = scope["lastro.faults"]
        if await self._strike(scope, receive, send, faults):
            return
        pairs = bend_query(scope["lastro.pairs"], faults)
        self._drift(company, faults, dict(pairs), scope["path"])
        if any(fault.kind == "corte" for fault in faults):
            send = _cut_body(scope, send)
        scope["lastro.pairs"], scope["query_string"] = pairs, urlencode(pairs).encode()
        await self._app(scope, limit_body(receive), send)

    def _record(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> None:
        if self._recorded is not None:
            public = tuple(pair for pair in pairs if pair[0] != "access_token")
            self._recorded.append((scope["method"], scope["path"], public))

    def _find_company(self, given: Sequence[str]) -> Served | None:
        """Return the company whose token was given; all are compared, in the same time whatever is given."""
        found = None
        sent = (given[-1] if given else "").encode("utf-8", "surrogatepass")
        for company in self._companies:
            if hmac.compare_digest(sent, company.tenant.token.encode()) and sent:
                found = company
        return found

    def _refuse_token(self, pairs: Sequence[tuple[str, str]]) -> Refused:
        if not dict(pairs).get("access_token"):
            return Refused(401, {"access_token": ["é obrigatório"]})
        observado = self._companies[0].service.dialeto == "observado"
        return Refused(403 if observado else 401, {"access_token": ["não é válido"]})

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

    def _drift(self, company: Served, faults: list[Fault], query: dict[str, str], path: str) -> None:
        """Change the books before a page of entries is read."""
        account = query.get("conta_id", "")
        if path != "/v1/lancamentos" or query.get("tipo_view") == "count" or not account.isdecimal():
            return
        for fault in faults:
            if fault.kind == "deriva" and int(account) in company.tenant.books.contas:
                company.remember_first()
                drift(company.tenant.books, self._plan.rng, int(account), fault.options.get("acao"))


def _plain_path(path: str) -> str:
    """Return a path without the spellings that programs add: ``.json`` and a slash at the end."""
    return path.rstrip("/").removesuffix(".json") or "/"


def _read_fault_header(scope: Scope) -> list[Fault]:
    """Read the faults that one request asks for.

    Raises:
        Refused: 400 for a fault that can't be read.
    """
    name = FAULT_HEADER.lower().encode()
    specs = [spec for key, value in scope["headers"] if key == name for spec in value.decode("latin-1").split(";")]
    try:
        return [parse_fault(spec) for spec in specs if spec.strip()]
    except ValueError as error:
        raise Refused(400, {FAULT_HEADER: [str(error)]}) from None


def _answer_in_place(fault: Fault) -> Response | None:
    """Return the answer that a fault gives instead of the service's, if it does."""
    if fault.kind == "429":
        after = fault.options.get("retry_after")
        return render_error(429, "base", "limite de requisições", {"Retry-After": after} if after else None)
    if fault.kind == "recusa":
        field, text = fault.options.get("campo", "base"), fault.options.get("texto", "não é válido")
        return render_error(int(fault.options.get("status", "422")), field, text)
    if fault.kind in ("500", "503"):
        return render_error(int(fault.kind), "base", "erro interno")
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
