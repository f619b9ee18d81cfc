"""The one web server of lastro: on this machine alone, and nothing is served but behind the guard."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from lastro.errors import ConfigError

from .web import App, Guard

if TYPE_CHECKING:
    import dagster as dg

HOST = "127.0.0.1"
STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW = 15_000, 3_600, 20
"""How the web server uses Dagster's records: its own defaults."""
POLL_MILLISECONDS = 2_000
"""How often an open page asks for news of assets; the default of `dagster dev`."""


class _Server(uvicorn.Server):
    """A web server whose signals are ours: what ends it ends its siblings too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def build_server(app: App, listener: socket.socket, enderecos: Collection[str] = ()) -> uvicorn.Server:
    """Build the web server of an application; no word of a proxy is believed, and nobody is waited for at the end.

    Args:
        app: what is served.
        listener: where; `open_listener`.
        enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
    """
    return _Server(
        uvicorn.Config(
            Guard(app, listener.getsockname()[1], enderecos),
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )


def run_server(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until Ctrl+C, SIGTERM, or until `should_exit` is set."""
    with signals_to(server.handle_exit):
        asyncio.run(server.serve(sockets=[listener]))


@contextlib.contextmanager
def signals_to(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Hand Ctrl+C and SIGTERM to a handler."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


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
        why = getattr(error, "strerror", None) or "no such port"
        raise ConfigError(
            f"port {port} of {HOST}: {why}. Choose another one with --porta, or end what holds it."
        ) from None
    return listener


@contextlib.contextmanager
def open_instance() -> "Iterator[dg.DagsterInstance]":
    """Open Dagster's records as a web server does."""
    import dagster as dg  # a second, which the way to another Dagster does not need

    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
        yield instance


@contextlib.contextmanager
def open_app(instance: "dg.DagsterInstance", workspace: Path, *, read_only: bool) -> Iterator[App]:
    """Open Dagster's web application.

    Args:
        instance: its records.
        workspace: the file that names the code locations.
        read_only: whether the UI only shows.
    """
    from dagster_webserver.app import create_app_from_workspace_process_context

    from .private import open_workspace

    with open_workspace(instance, workspace, read_only=read_only) as opened:
        yield create_app_from_workspace_process_context(opened, live_data_poll_rate=POLL_MILLISECONDS)
