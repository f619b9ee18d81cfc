"""What `lastro dev` runs: code server and daemon as children, the guarded web server in this process."""

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import dagster as dg
import uvicorn
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WEBSERVER_GRPC_SERVER_HEARTBEAT_TTL, WorkspaceProcessContext
from dagster._grpc.constants import GrpcServerCommand
from dagster._grpc.server import GrpcServerProcess
from dagster._utils.log import configure_loggers
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__

from lastro.errors import ConfigError, LastroError
from lastro.settings import Settings

from . import LOCATION, MODULE, PACKAGE
from .daemon import served_location
from .web import Guard

HOST = "127.0.0.1"
WATCH_SECONDS = 5.0
"""How often the children are looked at; the code server ends by itself when nobody has asked for it for long."""
PATIENCE_SECONDS = 20
"""How long children may take to end."""
STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW = 15_000, 3_600, 20
"""How the web server uses Dagster's records: its own defaults."""
POLL_MILLISECONDS = 2_000
"""How often an open page asks for news of assets; the default of `dagster dev`."""
_LOG = logging.getLogger("dagster.lastro")


class _Server(uvicorn.Server):
    """A web server whose signals are ours: what ends it ends its siblings too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve_ui(settings: Settings, port: int, *, read_only: bool, announce: Callable[[str], None]) -> None:
    """Serve the UI and run schedules and sensors until Ctrl+C or SIGTERM. Dagster's home must be prepared.

    Args:
        settings: all settings.
        port: where on this machine; 0 takes a free one.
        read_only: whether the UI only shows.
        announce: told the address when it is about to answer.

    Raises:
        ConfigError: when the port is taken.
        LastroError: when the daemon ended by itself.
    """
    # Who starts us in the background may have SIGINT ignored; Dagster would copy that to SIGTERM, here and in children.
    with _signals_to(signal.default_int_handler), contextlib.suppress(KeyboardInterrupt), _listen(port) as listener:
        configure_loggers(log_level="INFO")
        with contextlib.ExitStack() as stack:
            instance = stack.enter_context(dg.DagsterInstance.get())
            instance.optimize_for_webserver(STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
            code = stack.enter_context(_run_code_server(instance.code_server_process_startup_timeout))
            daemon = stack.enter_context(_run_daemon(str(code.socket)))
            target = served_location(str(code.socket))
            workspace = stack.enter_context(
                WorkspaceProcessContext(instance, target, version=__version__, read_only=read_only)
            )
            port = listener.getsockname()[1]
            app = Guard(
                create_app_from_workspace_process_context(workspace, live_data_poll_rate=POLL_MILLISECONDS),
                port,
                settings.enderecos_ui,
            )
            server = _Server(build_config(app))
            announce(f"http://{HOST}:{port}")
            with _watch(code, daemon, server) as deserted, _signals_to(server.handle_exit):
                asyncio.run(server.serve(sockets=[listener]))
            if deserted.is_set():
                raise LastroError(
                    f"Dagster's daemon ended by itself (code {daemon.returncode}); without it nothing is scheduled. "
                    "What it said stands above; start lastro dev again."
                )


def build_config(app: Any) -> uvicorn.Config:
    """Configure the web server: no word of a proxy is believed, and nobody is waited for at the end."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )


@contextlib.contextmanager
def _signals_to(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        # The address is told before the server takes connections: those that come first wait in the queue.
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or "no such port"
        raise ConfigError(
            f"port {port} of {HOST}: {why}. Choose another one with --porta, or end what holds it."
        ) from None
    return listener


@contextlib.contextmanager
def _run_code_server(startup_seconds: int) -> Iterator[GrpcServerProcess]:
    """Run the process that loads our definitions and starts runs; runs under way at the end are finished by it."""
    code = GrpcServerProcess(
        # It finds Dagster's home in the environment: arguments are everybody's to read.
        instance_ref=None,
        server_command=GrpcServerCommand.CODE_SERVER_START,
        location_name=LOCATION,
        # Without one, Dagster writes the path of the folder that it stands in into the arguments of a child.
        loadable_target_origin=LoadableTargetOrigin(module_name=MODULE, working_directory="."),
        heartbeat=True,
        heartbeat_timeout=WEBSERVER_GRPC_SERVER_HEARTBEAT_TTL,
        startup_timeout=startup_seconds,
        log_level="warning",
    )
    try:
        yield code
    finally:
        code.shutdown_server()
        with contextlib.suppress(subprocess.TimeoutExpired):
            code.wait(PATIENCE_SECONDS)


@contextlib.contextmanager
def _run_daemon(code_socket: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"{PACKAGE}.daemon", code_socket]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as daemon:  # noqa: S603 - our own interpreter, no shell
        try:
            yield daemon
        finally:
            if daemon.stdin is not None:
                daemon.stdin.close()
            try:
                daemon.wait(PATIENCE_SECONDS)
            except BaseException:
                daemon.kill()
                raise


@contextlib.contextmanager
def _watch(
    code: GrpcServerProcess, daemon: "subprocess.Popen[bytes]", server: uvicorn.Server
) -> Iterator[threading.Event]:
    """Look after the children: the code server is started again, without the daemon everything ends.

    Yields:
        Set when the daemon ended before it was told to.
    """
    stop, deserted = threading.Event(), threading.Event()

    def look() -> None:
        while not stop.wait(WATCH_SECONDS):
            if daemon.poll() is not None and not server.should_exit:
                deserted.set()
                server.should_exit = True
                return
            try:
                if code.server_process.poll() is None:
                    code.create_client().heartbeat("ping")
                elif not server.should_exit:
                    _LOG.warning(
                        "The code server ended (code %s) and is started again.", code.server_process.returncode
                    )
                    code.start_server_process()
            except Exception:  # noqa: BLE001 - whatever a client of a process that dies raises
                # It may be starting or ending; the next look tells.
                _LOG.debug("The code server did not answer.", exc_info=True)

    watcher = threading.Thread(target=look, name="lastro-watch", daemon=True)
    watcher.start()
    try:
        yield deserted
    finally:
        stop.set()
        watcher.join(PATIENCE_SECONDS)
