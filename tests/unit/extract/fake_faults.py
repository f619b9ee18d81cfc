"""Storms: every kind of fault that the sandbox's list names, at random, for the service in memory."""

from __future__ import annotations

import random
from collections.abc import Callable

import httpx

from tests.unit.extract.fake_service import FakeService

KINDS = (
    "reset",
    "timeout",
    "cut body",
    "500",
    "html 502",
    "503 with Retry-After",
    "429",
    "429 with Retry-After",
    "html 200",
    "object 200",
    "error object 200",
    "empty 200",
    "duplicate page",
    "ignored start",
    "capped page",
    "short listing",
    "wrong count",
)


def make_storm(
    seed: int, share: float, kinds: tuple[str, ...] = KINDS
) -> Callable[[FakeService, httpx.Request], httpx.Response | None]:
    """Make a `before_request` that lets so many requests end in a fault."""
    rng = random.Random(seed)  # noqa: S311 (test data)
    last: list[httpx.Response] = []

    def strike(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        if rng.random() >= share:
            return None
        kind = rng.choice(kinds)
        answer = _answer(kind, rng, service, request)
        if answer is None and kind == "duplicate page":
            answer = last[-1] if last else None
        if answer is not None and answer.status_code == 200:
            last.append(answer)
        return answer

    return strike


def _answer(kind: str, rng: random.Random, service: FakeService, request: httpx.Request) -> httpx.Response | None:
    if kind == "reset":
        raise httpx.ReadError("reset", request=request)
    if kind == "timeout":
        raise httpx.ReadTimeout("slow", request=request)
    simple = {
        "500": httpx.Response(500, json={"error": "boom"}),
        "html 502": httpx.Response(502, html="<html>bad gateway</html>"),
        "503 with Retry-After": httpx.Response(503, headers={"Retry-After": "1"}),
        "429": httpx.Response(429),
        "429 with Retry-After": httpx.Response(429, headers={"Retry-After": "2"}),
        "html 200": httpx.Response(200, html="<html>maintenance</html>"),
        "object 200": httpx.Response(200, json={}),
        "error object 200": httpx.Response(200, json={"errors": {"base": ["?"]}}),
        "empty 200": httpx.Response(200, content=b""),
    }
    if kind in simple:
        return simple[kind]
    params = dict(request.url.params)
    listing = request.url.path == "/v1/lancamentos" and "tipo_view" not in params
    if kind == "cut body":
        return httpx.Response(200, content=service.list_entries(params).content[:-7]) if listing else None
    if kind == "wrong count" and params.get("tipo_view") == "count" and "conta_id" in params:
        return service.answer({"0": rng.randrange(2000)})
    if not listing:
        return None
    if kind in {"duplicate page", "ignored start"}:
        return service.list_entries({**params, "start": "0"})
    if kind == "capped page":
        return service.list_entries({**params, "limit": "7"})
    if kind == "short listing":
        return service.list_entries({**params, "limit": str(rng.randrange(1, int(params["limit"]) + 1))})
    return None
