"""What did my program send? The last requests with their answers, without the access token.

The token stands in the query of every request; it is dropped by its name, and wherever else a request repeats it, or
the token of any company served here, it is painted over. Headers are not kept at all.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl, quote, quote_plus

import orjson
from starlette.types import Message, Receive, Scope, Send

KEPT: Final = 1000
BODY_KEPT: Final = 8192
PAINT: Final = "***"
_SHORTEST: Final = 6  # a wrong token of fewer characters is not painted over: it would hide half of the text

Pairs = Sequence[tuple[str, str]]


@dataclass(slots=True)
class Noted:
    """One request and its answer."""

    numero: int
    quando: str
    empresa: str | None
    metodo: str
    caminho: str
    consulta: list[tuple[str, str]]
    corpo: Any
    falhas: list[str] = field(default_factory=list)
    status: int | None = None
    bytes: int = 0
    ms: float = 0.0


class Journal:
    """The requests as they came, the newest last.

    Args:
        tokens: what must never be seen.
        show: called with each request when it was answered, to print it.
    """

    def __init__(self, tokens: Iterable[str], show: Callable[[Noted], None] | None = None) -> None:
        self._tokens = list(tokens)
        self._show = show
        self._number = 0
        self.kept: deque[Noted] = deque(maxlen=KEPT)

    def watch(
        self, scope: Scope, receive: Receive, send: Send, pairs: Pairs, company: str | None
    ) -> tuple[Receive, Send, Noted]:
        """Note a request; the functions returned complete the note with its body and its answer."""
        begun = time.perf_counter()
        given = [value for name, value in pairs if name == "access_token" and len(value) >= _SHORTEST]
        secrets = [*self._tokens, *given]
        self._number += 1
        noted = Noted(
            self._number,
            datetime.now().astimezone().isoformat(timespec="milliseconds"),
            company,
            scope["method"],
            paint(scope["path"], secrets),
            [(paint(name, secrets), paint(value, secrets)) for name, value in pairs if name != "access_token"],
            None,
        )
        self.kept.append(noted)
        kind = dict(scope["headers"]).get(b"content-type", b"").decode("latin-1")
        body = bytearray()

        async def receive_noted() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                body.extend(message.get("body", b"")[: BODY_KEPT + 1 - len(body)])
                if not message.get("more_body", False):
                    noted.corpo = read_body(bytes(body), kind, secrets)
            return message

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                noted.status = message["status"]
            elif message["type"] == "http.response.body":
                noted.bytes += len(message.get("body", b""))
                if not message.get("more_body", False):
                    noted.ms = round((time.perf_counter() - begun) * 1000, 1)
                    if self._show is not None:
                        self._show(noted)
            await send(message)

        return receive_noted, send_noted, noted


def paint(text: str, secrets: Iterable[str]) -> str:
    """Return a text in which no secret can be read, as it is or percent-encoded.

    >>> paint("/v1/x?t=se%2Fgredo", ["se/gredo"])
    '/v1/x?t=***'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        for spelling in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret)):
            if spelling:
                text = text.replace(spelling, PAINT)
    return text


def read_body(body: bytes, kind: str, secrets: Sequence[str]) -> Any:
    """Return what is kept of a body: pairs of a form, JSON as it is, of anything else its size."""
    if not body:
        return None
    whole, bare = len(body) <= BODY_KEPT, kind.partition(";")[0].strip().lower()
    if bare == "application/json" and whole:
        try:
            return _paint_json(orjson.loads(body), secrets)
        except ValueError:
            return paint(body.decode("utf-8", "replace"), secrets)
    if bare in ("application/x-www-form-urlencoded", "text/plain", "") and whole:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
        return [(paint(name, secrets), paint(value, secrets)) for name, value in pairs if name != "access_token"]
    return f"{bare or 'sem tipo'}: {len(body) if whole else f'mais de {BODY_KEPT}'} bytes"


def _paint_json(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return {
            paint(name, secrets): _paint_json(member, secrets)
            for name, member in value.items()
            if name != "access_token"
        }
    if isinstance(value, list):
        return [_paint_json(member, secrets) for member in value]
    if isinstance(value, str) or str(value) in secrets:
        return paint(str(value), secrets)
    return value


def describe_request(noted: Noted) -> str:
    """Return one line for the terminal: without controls, as short as it can be."""
    query = "&".join(f"{name}={value}" for name, value in noted.consulta)
    text = f"{noted.quando[11:19]} {noted.metodo} {noted.caminho}{'?' if query else ''}{query}"
    if noted.corpo is not None:
        shown = noted.corpo
        if isinstance(shown, list) and all(isinstance(pair, tuple) for pair in shown):
            shown = "&".join(f"{name}={value}" for name, value in shown)
        text += f"  [{shown if isinstance(shown, str) else orjson.dumps(shown).decode()}]"
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    faults = f" falhas: {', '.join(noted.falhas)}" if noted.falhas else ""
    company = f" {noted.empresa}" if noted.empresa else ""
    return f"{text[:400]} -> {noted.status} {noted.bytes} B {noted.ms:.0f} ms{company}{faults}"
