"""The one web server of lastro: on this machine alone, and nothing is served but behind the guard."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lastro.errors import ConfigError
from lastro.guard.guard import App, Guard

HOST = "127.0.0.1"
HALF_SECONDS = 10.0
"""How long a request may be under way to us; a browser that only opened a connection opens another one."""
Announce = Callable[[str], None]
"""Told the address when it is about to answer."""


class _Server(uvicorn.Server):
    """A web server whose signals are ours: what ends it ends its siblings too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Impatient(asyncio.Protocol):
    """The server's own way to speak HTTP, on a connection that is closed when a request does not come whole in time."""

    def __init__(self, **given: Any) -> None:
        self._inner = AutoHTTPProtocol(**given)  # as the server makes it
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's own is one in all but its class
        self._inner.connection_made(self._transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        self._inner.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def _watch(self) -> None:
        """Begin to count when a request is not whole, and go on counting until it is."""
        assert self._transport is not None  # noqa: S101 - made
        request = getattr(self._inner, "cycle", None)
        half = request is None or request.response_complete or request.more_body
        if not half or self._transport.get_protocol() is not self:  # it became a WebSocket
            self._forget()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(HALF_SECONDS, self._transport.close)

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def build_server(app: App, listener: socket.socket, enderecos: Collection[str] = (), **options: Any) -> uvicorn.Server:
    """Build the web server of an application; no word of a proxy is believed, and nobody is waited for at the end.

    Args:
        listener: where; `open_listener`.
        enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
        **options: of uvicorn's, besides those that every server here has.
    """
    return _Server(
        uvicorn.Config(
            Guard(app, listener.getsockname()[1], enderecos),
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            http=_Impatient,
            **options,
        )
    )


def run_server(server: uvicorn.Server, listener: socket.socket, announce: Announce) -> None:
    """Serve until Ctrl+C, SIGTERM, or until `should_exit` is set."""
    announce(f"http://{HOST}:{listener.getsockname()[1]}")
    with signals_to(server.handle_exit):
        asyncio.run(server.serve(sockets=[listener]))


@contextlib.contextmanager
def signals_to(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Hand Ctrl+C and SIGTERM to a handler."""
    before = {signum: signal.signal(signum, handler) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for signum, handler_before in before.items():
            signal.signal(signum, handler_before)


@contextlib.contextmanager
def until_interrupted() -> Iterator[None]:
    """End what stands below at Ctrl+C and SIGTERM.

    Who starts us in the background may have SIGINT ignored; Dagster would copy that to SIGTERM, here and in children.
    """
    with signals_to(signal.default_int_handler), contextlib.suppress(KeyboardInterrupt):
        yield


def open_listener(port: int) -> socket.socket:
    """Take a port of this machine; 0 takes a free one. Whoever comes before the server is ready waits in the queue.

    Raises:
        ConfigError: when it is taken.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or "essa porta não existe"
        raise ConfigError(
            f"porta {port} de {HOST}: {why}. Escolha outra com --porta, ou encerre quem a ocupa."
        ) from None
    return listener
