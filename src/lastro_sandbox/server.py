"""Runs the service on a socket: in a thread for tests and the demo, in the foreground for the command.

Logs are off: a request line holds the access token in its query.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from lastro_sandbox.gate import RecordedRequest
from lastro_sandbox.ledger import Books

_START_TIMEOUT = 15.0
_TICK = 0.1
_PAUSE = 0.005
_TURNS = 3


class _Protocol(H11Protocol):
    """The plain HTTP protocol, which also hands its transport to the app, so that a fault can reset it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class _Server(uvicorn.Server):
    """The server, ended at once by another thread.

    uvicorn looks ten times a second whether it should end, and waits for a tenth at least when it does: a third of a
    second each, of which a suite of tests ends hundreds.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Stop serving, told by another thread than the server's."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._ended.set)

    async def main_loop(self) -> None:
        """Wait for the end, looking each tick too for what a signal's handler can't wake."""
        self._loop = asyncio.get_running_loop()
        for tick in count():
            if await self.on_tick(tick):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), _TICK)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let answers that have begun end, for as long as the configuration says, and close."""
        for listening in sockets or ():
            asyncio.get_running_loop().remove_reader(listening)
        for _ in range(_TURNS):  # who was accepted becomes a connection: a closed server would lose its socket
            await asyncio.sleep(0)
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_PAUSE)
        for task in list(self.server_state.tasks):
            task.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for _ in range(_TURNS):  # a loop that ends before they are closed leaves their sockets to the collector
            await asyncio.sleep(0)
        await self.lifespan.shutdown()


def build_server(app: Starlette) -> _Server:
    """Build the quiet server for an app; its socket is given when it runs."""
    parser_log = logging.getLogger("python_multipart")
    if not parser_log.handlers:  # a body that can't be read is answered; nobody needs a line on the terminal for it
        parser_log.addHandler(logging.NullHandler())
    config = uvicorn.Config(
        app,
        http=_Protocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
    )
    return _Server(config)


def run_until_stopped(app: Starlette, sock: socket.socket, announce: Callable[[], None]) -> None:
    """Serve in the foreground until Ctrl+C or SIGTERM, both ordinary ways to end it.

    Args:
        app: what ``create_app`` built.
        sock: where to listen.
        announce: called once before the first request is served.
    """
    server = build_server(app)

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    announce()
    gc.collect()
    gc.freeze()  # the books stay: looking through them for garbage would stop everybody now and then
    server.run(sockets=[sock])


def open_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one.

    Raises:
        OSError: the port is taken or the host is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol must be named: only then does asyncio switch Nagle's algorithm off, which costs 40 ms a request
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(512)
    except OSError:
        sock.close()
        raise
    return sock


def describe_address(sock: socket.socket) -> str:
    """Return the base address of a listening socket."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class Running:
    """A running sandbox: where it answers, what it was asked, and the books behind it."""

    base_url: str
    requests: list[RecordedRequest]
    books: Books


@contextmanager
def serve(app: Starlette, port: int = 0) -> Iterator[Running]:
    """Serve an app in a thread until the block ends.

    Args:
        app: what ``create_app`` built.
        port: 0 for a free one.

    Yields:
        ``Running`` with ``base_url``, ``requests`` (method, path, query pairs without the token, in order of arrival)
        and ``books``.

    Raises:
        OSError: the address can't be had.
        RuntimeError: the server did not start in time.
    """
    sock = open_socket("127.0.0.1", port)
    server = build_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, name="lastro-sandbox", daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + _START_TIMEOUT
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the sandbox did not start")
            time.sleep(_PAUSE)
        yield Running(describe_address(sock), app.state.requests, app.state.books)
    finally:
        server.end()
        thread.join(timeout=10)
        sock.close()
