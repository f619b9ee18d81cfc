"""The connection itself: whom it trusts, how long it waits, and that nothing in the environment has a say in it.

A peer may send a byte now and then for ever: as header lines, early hints, chunk sizes or the head of a gzip stream,
below everything that sees a body. So one attempt has one end, and every wait on its socket, from connecting to the last
byte, is cut to what is left of it.
"""

from __future__ import annotations

import contextlib
import ssl
import threading
import time
from collections.abc import Iterable, Iterator

import certifi
import httpcore
import httpx

_CAUSES = {
    "CERTIFICATE_VERIFY_FAILED": "o certificado TLS não é de confiança",
    "illegal request line": "o que ele manda não é HTTP; parece que a porta fala TLS: escreva https:// em base_url",
    "WRONG_VERSION_NUMBER": "essa porta não fala TLS",
    "record layer failure": "essa porta não fala TLS",
    "getaddrinfo": "não existe essa máquina",
    "Name or service not known": "não existe essa máquina",
    "nodename nor servname": "não existe essa máquina",
    "name resolution": "não existe essa máquina",
    "Connection refused": "ninguém escuta ali",
}
_MOMENT = threading.local()
"""When the attempt of a thread ends, by the steady clock: requests of several threads share the connections."""


@contextlib.contextmanager
def ending_after(seconds: float) -> Iterator[None]:
    """Give what this thread sends and reads meanwhile so many seconds in all."""
    _MOMENT.end = time.monotonic() + seconds
    try:
        yield
    finally:
        _MOMENT.end = None


def _cut(timeout: float | None, late: type[Exception]) -> float | None:
    """Cut a timeout to what is left of the attempt."""
    end: float | None = getattr(_MOMENT, "end", None)
    if end is None:
        return timeout
    left = end - time.monotonic()
    if left <= 0:
        raise late("a tentativa esgotou o tempo")
    return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    """A connection whose waits end with the attempt."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _cut(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _cut(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _cut(timeout, httpcore.ConnectTimeout)))

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    """Opens connections whose waits end with the attempt."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        limit = _cut(timeout, httpcore.ConnectTimeout)
        return _Stream(super().connect_tcp(host, port, limit, local_address, socket_options))


def trust(certificados: str) -> ssl.SSLContext:
    """Say whose certificates to trust.

    The environment is not asked, as httpx's own transport would, neither for certificates (`SSL_CERT_FILE`) nor for a
    file to write the session's keys to (`SSLKEYLOGFILE`, which Python's default context obeys).

    Args:
        certificados: certificates (PEM) of the authority to trust in the place of the public ones; empty for those.

    Raises:
        ssl.SSLError: when there is no certificate in them.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if certificados:
        context.load_verify_locations(cadata=certificados)
    else:
        context.load_verify_locations(cafile=certifi.where())
    return context


def build_transport(certificados: str) -> httpx.HTTPTransport:
    """Build what sends the requests; the environment is asked for no proxy either.

    Args:
        certificados: as `trust` takes them.

    Raises:
        ssl.SSLError: when there is no certificate in them.
    """
    context = trust(certificados)
    transport = httpx.HTTPTransport(verify=context, trust_env=False, retries=0)
    # httpx has no parameter for what opens its connections; a test holds this against the pinned version.
    transport._pool = httpcore.ConnectionPool(ssl_context=context, retries=0, network_backend=_Backend())
    return transport


def describe_error(error: httpx.HTTPError) -> str:
    """Name a transport error by its cause where known, else by its kind; its own text may hold anything."""
    text = str(error)
    if text in _CAUSES.values():
        return text
    for sign, cause in _CAUSES.items():
        if sign in text:
            return cause
    return type(error).__name__
