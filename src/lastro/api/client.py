"""Send one GET and say what came back: the place where httpx, HTTP status and JSON turn into values or our errors.

- Only GET exists here, so nothing in lastro can change the company's books.
- The token is added to the address below httpx, by the transport: httpx's own log lines and exceptions never hold it.
- Proxy and certificate variables of the environment are not read (`lastro.api.wire`): a stray `HTTP_PROXY` would hand
  the token to that proxy.
- A redirect is refused: it could lead the token to another host.
- A body that is not the JSON shape asked for is a failure, like a 5xx, and never an empty list.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, cast
from urllib.parse import urlencode, urlsplit

import httpx

from lastro.api.bodies import Body, decode_body, expand_gzip, parse_body, read_body
from lastro.api.breaker import Breaker, TokenRefused
from lastro.api.pacing import Pacer
from lastro.api.paging import describe_shape
from lastro.api.redaction import TOKEN_FILTER, BodyMask, list_spellings
from lastro.api.retry import RETRIED_STATUS, TOO_MANY, RetryPolicy, parse_http_date, parse_retry_after
from lastro.api.wire import build_transport, describe_error, ending_after
from lastro.errors import ApiRejected, ApiUnavailable

if TYPE_CHECKING:
    from lastro.settings import Window

Shape = Literal["list", "object", "any"]
MAX_BODY_BYTES = 16 * 1024 * 1024
"""Largest body accepted, expanded: a page of 500 entries is below half a megabyte."""
MAX_LIST_BYTES = 64 * 1024 * 1024
"""The same for a list that comes whole: all customers of a company in one answer."""
MAX_PAGE_ROWS = 10_000
"""Rows of one page: the largest fixed page of a service that ignores `limit` is far below."""
PATIENT_WITH_RETRY_AFTER = 3
"""From so many failures on, our own wait comes on top of a `Retry-After`, which may be too short."""
FORBIDDEN: Final = 403
_REFUSING_TOKEN = frozenset({401, FORBIDDEN})
OK = 200
"""The one status that is an answer: 206 is a part of one, and 204 none."""


_HEADERS: Final = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Cache-Control": "no-cache",  # a page from a cache would belong to another moment than its neighbours
    "User-Agent": "lastro",
}


class Refused(ApiRejected):
    """The service answered a 4xx that neither concerns the token nor asks to wait: the resource is not there.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class Answer:
    """A readable answer.

    Attributes:
        origem: path and parameters asked for, never the token.
        line: one line of JSON, in UTF-8, that reads exactly (see `lastro.api.bodies`).
        value: the same, parsed; numbers with a fraction are texts of their literal.
        original: the body as received where `line` had to be rewritten, else None.
        extraido_em: UTC, when the answer was complete.
        data_servidor: UTC, the answer's `Date`, by the service's own clock; None when it sent none.
        repaired: characters of it that are a guess: bytes that were no UTF-8, halves of surrogate pairs.
    """

    origem: str
    line: bytes
    value: Any
    original: str | None
    extraido_em: datetime
    data_servidor: datetime | None
    repaired: int = 0


class Unreadable(ApiUnavailable):
    """The service answers, and nothing that can be read."""


class _Failure(Exception):
    """One attempt that may be repeated; the text says what came, without any of it.

    `answered` says that something came with status 200, however unreadable, or put us off.
    """

    def __init__(
        self, what: str, *, status: int | None = None, wait: float | None = None, answered: bool = False
    ) -> None:
        self.what, self.status, self.wait, self.answered = what, status, wait, answered
        super().__init__(what)


class _TokenTransport(httpx.BaseTransport):
    """Put the token into the address as the last thing before the wire."""

    def __init__(self, inner: httpx.BaseTransport, token: str) -> None:
        self._inner, self._token = inner, token

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with_token = httpx.Request(
            request.method,
            request.url.copy_merge_params({"access_token": self._token}),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        try:
            return self._inner.handle_request(with_token)
        except httpx.HTTPError as error:
            # our own text: the inner request, address and token included, would ride along as `error.request`
            raise type(error)(describe_error(error)) from None

    def close(self) -> None:
        self._inner.close()


class Client:
    """Read one company's service. A context manager; safe to share between threads.

    Args:
        base_url: address below which `/v1` starts, as settings read it.
        token: the company's access token, as settings read it.
        holder: what to look at where the service refuses the token: the name of its variable, never the token.
        limites: requests per window (see `lastro.api.pacing`); empty for none.
        estado: file in which recent request times are remembered between runs; None for memory only.
        transport: what sends the requests; tests pass their own.
        certificados: certificates (PEM) to trust in the place of the public ones.
        connect_seconds, read_seconds: timeouts of a connection and of each wait for bytes.
        attempt_seconds: time of one attempt from connecting to the last byte: a peer that drips bytes must not hold a
            run for ever.
        policy: how patient to be.
        on_wait: hears, from any thread, how many seconds a request is going to be held back, and why (pt-BR).
        now, monotonic, sleep, rng: wall clock and steady clock in seconds, the wait, and a uniform number in [0, 1).
    """

    def __init__(  # noqa: PLR0913 - all that a service may need, each with its default
        self,
        base_url: str,
        token: str,
        *,
        holder: str = "o token",
        limites: Sequence[Window],
        estado: Path | None = None,
        transport: httpx.BaseTransport | None = None,
        certificados: str = "",
        connect_seconds: float = 10.0,
        read_seconds: float = 45.0,
        attempt_seconds: float = 180.0,
        policy: RetryPolicy | None = None,
        on_wait: Callable[[float, str], None] = lambda _seconds, _why: None,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
        rng: Callable[[], float] = random.random,
    ) -> None:
        self._base_url, self._holder = base_url, holder
        self._root = urlsplit(base_url).path  # told with every path, for it is what is most often wrong; no host is
        self._mask = BodyMask(token)
        self._offset: timedelta | None = None
        TOKEN_FILTER.add(list_spellings(token))
        self.on_wait = on_wait
        self._policy = policy or RetryPolicy()
        self._attempt_seconds = attempt_seconds
        self._now, self._monotonic, self._rng = now, monotonic, rng
        self._breaker = Breaker(self._policy.breaker, self._policy.silence, monotonic)
        # waiting on the event lets a refused token wake the other threads at once
        self._sleep: Callable[[float], object] = sleep or self._breaker.stopped.wait
        key = hashlib.sha256(f"{self._base_url}\n{token}".encode()).hexdigest()[:32]
        self._pacer = Pacer(limites, key, estado, now=now, sleep=self._sleep)
        self._http = httpx.Client(
            transport=_TokenTransport(transport or build_transport(certificados), token),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(read_seconds, connect=connect_seconds),
            headers=_HEADERS,
        )

    def __repr__(self) -> str:
        return f"Client({self._base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; threads that still wait give up."""
        self._breaker.stopped.set()
        self._http.close()

    @property
    def requests(self) -> int:
        """How many requests were sent, retries included."""
        return self._breaker.requests

    @property
    def requests_here(self) -> int:
        """How many of them this thread sent: what several threads ask at a time is told apart by it."""
        return self._breaker.requests_here

    @property
    def clock_offset(self) -> timedelta | None:
        """How far our clock is ahead of the service's `Date`: the least over all answers; None when it sent none."""
        return self._offset

    def stop(self) -> None:
        """Make every thread that is waiting or about to ask give up, because the run has ended."""
        self._breaker.stop()

    def resume(self) -> None:
        """Let requests through again after a stop or an open breaker; a refused token stays refused."""
        self._breaker.resume()

    def _announce_wait(self, seconds: float, why: str) -> None:
        self._breaker.check()
        self.on_wait(seconds, why)

    def get_json(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        shape: Shape = "any",
        attempts: int | None = None,
        probe: bool = False,
        whole: bool = False,
        within: float | None = None,
    ) -> Answer:
        """Ask until a readable answer came or the patience is spent.

        Args:
            path: below the base address, starting with `/v1`.
            params: query parameters without the token, sent in this order.
            shape: JSON type that the answer must have; anything else counts as unreadable and is asked again.
            attempts: other than the policy's number of attempts.
            probe: a question whose refusal is normal: any 4xx outside `RETRIED_STATUS` is `Refused`, also 401 and 403
                (gateways answer those on paths that do not exist), and does not end the run.
            whole: a list that comes in one answer: its body may be longer, with any number of rows.
            within: seconds that the question may take in all, waits that the service asks for included; our own
                limits' waits before it are not counted.

        Raises:
            Refused: a 4xx of this request.
            ApiRejected: the token is refused, or the service redirects; every later request fails at once.
            ApiUnavailable: no readable answer within the attempts (`Unreadable` where the last one came and could not
                be read), or the service fails too often in a row.
        """
        params = dict(params or {})
        origem = f"{path}?{urlencode(params)}" if params else path
        began, failures = self._monotonic(), 0
        while True:
            self._breaker.check()
            self._pacer.acquire(self._announce_wait)
            self._breaker.check()
            self._breaker.count_request()
            if not failures:
                began = self._monotonic()
            left = None if within is None else began + within - self._monotonic()
            try:
                answer = self._send(path, params, origem, shape, probe=probe, whole=whole, left=left)
            except _Failure as failure:
                failures += 1
                self._breaker.note_failure(failure.what, failure.status, path)
                if failure.wait is not None:
                    # everybody waits, also where this question is given up: the service counts per token
                    self._pacer.block(min(failure.wait, self._policy.retry_after_cap), f"{failure.what} em {path}")
                limit = attempts or (self._policy.attempts if self._breaker.answered else self._policy.first_attempts)
                elapsed = self._monotonic() - began
                out_of_time = within is not None and elapsed + min(failure.wait or 0.0, within) >= within
                if failures >= limit or elapsed > self._policy.patience or out_of_time:
                    kind = Unreadable if failure.answered else ApiUnavailable
                    raise kind(
                        f"{self._root}{path}: nenhuma resposta legível em {failures} tentativas durante "
                        f"{elapsed:.0f} s; a última: {failure.what}. Tente mais tarde, ou confira base_url"
                    ) from None
                self._wait(failure, failures, path)
            else:
                self._breaker.note_contact()
                return answer

    def _wait(self, failure: _Failure, failures: int, path: str) -> None:
        why = f"{failure.what} em {path}, tentativa {failures}"
        if failure.wait is not None and failures < PATIENT_WITH_RETRY_AFTER:
            return
        seconds = self._policy.compute_wait(failures, self._rng(), status=failure.status)
        self.on_wait(seconds, why)
        self._sleep(seconds)

    def _send(
        self,
        path: str,
        params: Mapping[str, str | int],
        origem: str,
        shape: Shape,
        *,
        probe: bool,
        whole: bool,
        left: float | None,
    ) -> Answer:
        response, content = self._fetch(path, params, MAX_LIST_BYTES if whole else MAX_BODY_BYTES, left)
        status, headers = response.status_code, response.headers
        served = parse_http_date(headers.get("Date"))
        put_off = status == FORBIDDEN and _is_put_off(headers, content, answered=self._breaker.answered)
        if status in RETRIED_STATUS or status >= 500 or status < 200 or put_off:
            wait = parse_retry_after(headers.get("Retry-After"), served or _to_moment(self._now()))
            # One that is put off is waited for as a 429 is; a page without a time says nothing against other lists.
            told = TOO_MANY if put_off else status
            raise _Failure(f"HTTP {status}", status=told, wait=wait, answered=put_off and wait is None)
        if status == 304:
            raise _Failure("HTTP 304, como se tivéssemos pedido a um cache", status=status)
        if 300 <= status < 400:
            if probe:
                raise Refused(f"{path}: HTTP {status}", status)
            message = (
                f"{self._root}{path}: o serviço redireciona (HTTP {status}); redirecionamentos não são seguidos, "
                "pois levariam o token a outro lugar. Ponha em base_url o endereço final"
            )
            raise self._breaker.reject(ApiRejected(message))
        if status >= 400:
            raise self._refuse(path, status, content, probe=probe)
        if status != OK:
            raise _Failure(f"HTTP {status}, que não é uma resposta inteira", status=status)
        body, guessed = _parse(response, content, self._mask)
        wanted = {"list": list, "object": dict, "any": object}[shape]
        if not isinstance(body.value, wanted):
            raise _Failure(f"HTTP {status} com {describe_shape(body.value)} no lugar do JSON {shape}", answered=True)
        if not whole and isinstance(body.value, list) and len(body.value) > MAX_PAGE_ROWS:
            raise _Failure(f"HTTP {status} com {describe_shape(body.value)} como uma página", answered=True)
        now = _to_moment(self._now())
        if served is not None and (self._offset is None or abs(now - served) < abs(self._offset)):
            self._offset = now - served
        return Answer(origem, body.line, body.value, body.original, now, served, guessed + body.halves)

    def _fetch(
        self, path: str, params: Mapping[str, str | int], most: int, left: float | None
    ) -> tuple[httpx.Response, bytes]:
        """Send one request and read its body, within the time of one attempt."""
        request = self._http.build_request("GET", self._base_url + path, params=params)
        seconds = self._attempt_seconds if left is None else min(self._attempt_seconds, left)
        try:
            with ending_after(seconds):
                response = self._http.send(request, stream=True)
                try:
                    return response, _read_body(response, most)
                finally:
                    response.close()
                    response.stream = httpx.ByteStream(b"")  # the old one knows the answer: a circle, which would stay
        except httpx.TimeoutException as error:
            raise _Failure(f"tempo esgotado ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise _Failure(f"a conexão falhou ({describe_error(error)})") from None

    def _refuse(self, path: str, status: int, content: bytes, *, probe: bool) -> ApiRejected:
        if status in _REFUSING_TOKEN and not probe:
            what = f"o serviço recusa o token de acesso (HTTP {status}). Confira {self._holder}, e base_url"
            return self._breaker.reject(TokenRefused(f"{self._root}{path}: {what}"))
        self._breaker.note_contact()
        fields = _read_error_fields(self._mask(decode_body(content, None)[0]))
        about = f"; ele cita {', '.join(fields)}" if fields else ""
        return Refused(
            f"{self._root}{path}: o serviço recusa o pedido (HTTP {status}){about}. Confira base_url", status
        )


def _to_moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _is_put_off(headers: httpx.Headers, content: bytes, *, answered: bool) -> bool:
    """Tell whether a 403 is a limit of requests: it says when to come back, or a gateway says it by its own page.

    The service says what is wrong in JSON. Where it never answered nobody knows how it refuses a token.
    """
    if "Retry-After" in headers or not answered:
        return "Retry-After" in headers
    try:
        return not isinstance(parse_body(decode_body(content, None)[0]).value, dict)
    except ValueError:
        return True


def _parse(response: httpx.Response, content: bytes, mask: BodyMask) -> tuple[Body, int]:
    """Parse a body, and count the characters of it that are a guess."""
    try:
        return read_body(content, response.charset_encoding, mask)
    except ValueError:
        raise _Failure(f"HTTP {response.status_code} com um corpo que não é JSON", answered=True) from None


def _read_body(response: httpx.Response, most: int) -> bytes:
    """Read a body of up to so many bytes, expanding the one encoding that was asked for."""
    status, encoding = response.status_code, response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in {"identity", "", "gzip"}:
        raise _Failure("um corpo numa codificação que não foi pedida", status=status)
    chunks = cast(httpx.SyncByteStream, response.stream)  # as received: httpx would expand it without a limit
    try:
        if encoding == "gzip":
            return expand_gzip(chunks, most)
        parts, size = [], 0
        for chunk in chunks:
            size += len(chunk)
            if size > most:
                raise ValueError(f"um corpo de mais de {most // 2**20} MB")
            parts.append(chunk)
    except ValueError as error:
        raise _Failure(str(error), status=status) from None
    return b"".join(parts)


def _read_error_fields(text: str) -> list[str]:
    """Read the field names, never the texts, of `{"errors": {field: [text]}}`."""
    try:
        errors = parse_body(text).value["errors"]
        return [name for name in errors if isinstance(name, str) and re.fullmatch(r"[a-z_0-9.\[\]]{1,60}", name)][:10]
    except (ValueError, KeyError, TypeError, IndexError):
        return []
