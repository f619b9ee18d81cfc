"""What `lastro dev` and `lastro web` run: the guarded web server in this process, and for `dev` its children.

The children, code server and daemon, are Dagster's own commands. They end with this process, however it ends, and when
one of them ends by itself everything does: whoever watches over `lastro dev` (systemd) starts it again.
"""

import asyncio
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import dagster as dg
import grpc  # type: ignore[import-untyped] # of Dagster's own requirements
import uvicorn
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency
from dagster_webserver.app import create_app_from_workspace_process_context

from lastro.errors import ConfigError, LastroError
from lastro.settings import Settings

from . import MODULE
from .private import open_workspace
from .proxy import Proxy
from .web import App, Guard

HOST = "127.0.0.1"
WATCH_SECONDS = 2.0
PATIENCE_SECONDS = 20
"""How long children may take to end."""
STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW = 15_000, 3_600, 20
"""How the web server uses Dagster's records: its own defaults."""
POLL_MILLISECONDS = 2_000
"""How often an open page asks for news of assets; the default of `dagster dev`."""
_PR_SET_PDEATHSIG = 1
WORKSPACE = "workspace.yaml"
Announce = Callable[[str], None]
Children = Mapping[str, "subprocess.Popen[bytes]"]


class _Server(uvicorn.Server):
    """A web server whose signals are ours: what ends it ends its siblings too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve_ui(settings: Settings, port: int, *, read_only: bool, announce: Announce) -> None:
    """Serve the UI and run schedules and sensors until Ctrl+C or SIGTERM. Dagster's home must be prepared.

    Args:
        settings: all settings.
        port: where on this machine; 0 takes a free one.
        read_only: whether the UI only shows.
        announce: told the address when it is about to answer.

    Raises:
        ConfigError: when the port is taken.
        LastroError: when the code server or the daemon ended by itself.
    """
    with (
        _ready(port) as listener,
        _open_instance() as instance,
        tempfile.TemporaryDirectory(prefix="lastro-") as name,
        _run_children(Path(name), instance.code_server_process_startup_timeout) as children,
        _open_app(instance, Path(name) / WORKSPACE, read_only=read_only) as app,
    ):
        _serve(app, listener, settings.enderecos_ui, announce, children)


def serve_workspace(
    workspace: Path, port: int, addresses: Collection[str], *, read_only: bool, announce: Announce
) -> None:
    """Serve the UI of code locations that others serve; DAGSTER_HOME says where the records are.

    Args:
        workspace: Dagster's own file of code locations.
        port: where on this machine; 0 takes a free one.
        addresses: other addresses of the UI, behind a proxy with login.
        read_only: whether the UI only shows.
        announce: told the address when it is about to answer.

    Raises:
        ConfigError: when the port is taken.
    """
    with (
        _ready(port) as listener,
        _open_instance() as instance,
        _open_app(instance, workspace, read_only=read_only) as app,
    ):
        _serve(app, listener, addresses, announce)


def serve_proxy(address: str, port: int, addresses: Collection[str], *, announce: Announce) -> None:
    """Serve the UI of a Dagster that stands already, under the guard; arguments as above."""
    with _ready(port) as listener:
        _serve(Proxy(address), listener, addresses, announce)


@contextlib.contextmanager
def _ready(port: int) -> Iterator[socket.socket]:
    """Take the port, and hear Ctrl+C and SIGTERM as the end that somebody wants."""
    # Who starts us in the background may have SIGINT ignored; Dagster would copy that to SIGTERM, here and in children.
    with _signals_to(signal.default_int_handler), contextlib.suppress(KeyboardInterrupt), _listen(port) as listener:
        yield listener


@contextlib.contextmanager
def _open_instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
        yield instance


@contextlib.contextmanager
def _open_app(instance: dg.DagsterInstance, workspace: Path, *, read_only: bool) -> Iterator[App]:
    with open_workspace(instance, workspace, read_only=read_only) as opened:
        yield create_app_from_workspace_process_context(opened, live_data_poll_rate=POLL_MILLISECONDS)


def _serve(
    app: App, listener: socket.socket, addresses: Collection[str], announce: Announce, children: Children | None = None
) -> None:
    """Serve an application under the guard, for as long as the children live."""
    port = listener.getsockname()[1]
    server = _Server(build_config(Guard(app, port, addresses)))
    announce(f"http://{HOST}:{port}")
    with _watch(children or {}, server) as ended, _signals_to(server.handle_exit):
        asyncio.run(server.serve(sockets=[listener]))
    for name in ended:
        raise _desert(name, (children or {})[name])


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
def _run_children(folder: Path, startup_seconds: int) -> Iterator[Children]:
    """Run code server and daemon; what they need of one another stands in a folder that nobody else can read.

    Runs under way at the end are finished by the code server.
    """
    code_socket, workspace = folder / "codigo", folder / WORKSPACE
    server = {"grpc_server": {"host": "localhost", "socket": str(code_socket), "location_name": MODULE}}
    workspace.write_text(yaml.safe_dump({"load_from": [server]}), encoding="utf-8")
    # Without a folder, Dagster writes the path of the one that it stands in into the arguments of a child.
    place = ("--socket", str(code_socket), "--location-name", MODULE, "--module-name", MODULE, "-d", ".")
    code = (sys.executable, "-m", "dagster", "code-server", "start", *place, "--log-level", "warning")
    daemon = (_find_program("dagster-daemon"), "run", "--workspace", str(workspace))
    with (
        _run([*code, "--use-python-environment-entry-point"]) as code_server,
        _wait_for(code_socket, code_server, startup_seconds),
        _run(daemon) as schedules,
    ):
        yield {"code server": code_server, "daemon": schedules}


def _find_program(name: str) -> str:
    """Find a command of the environment that this Python belongs to."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise ConfigError(f"{name}: not found beside {sys.executable}. Install 'lastro[dagster]' there anew.")
    return found


@contextlib.contextmanager
def _run(command: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a child, and ask it to end; a code server whose runs are still under way finishes them and ends then."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent)  # noqa: S603, PLW1509
    try:
        yield child
    finally:
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(PATIENCE_SECONDS)


def _end_with_parent() -> None:
    """Ask the system to end this process when its parent is gone; only Linux does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


@contextlib.contextmanager
def _wait_for(code_socket: Path, server: "subprocess.Popen[bytes]", seconds: int) -> Iterator[None]:
    """Wait until the code server answers; whoever asked before would show a location that cannot be loaded."""
    end = time.monotonic() + seconds
    with grpc.insecure_channel(f"unix:{code_socket}") as channel:
        ready = grpc.channel_ready_future(channel)
        while True:
            try:
                ready.result(timeout=1)
                break
            except grpc.FutureTimeoutError:
                if server.poll() is not None or time.monotonic() > end:
                    raise _desert("code server", server) from None
    yield


def _desert(name: str, child: "subprocess.Popen[bytes]") -> LastroError:
    code = "no answer" if child.returncode is None else f"code {child.returncode}"
    return LastroError(
        f"Dagster's {name} ended by itself ({code}); without it nothing is scheduled. What it said stands above; start "
        "lastro dev again."
    )


@contextlib.contextmanager
def _watch(children: Children, server: uvicorn.Server) -> Iterator[list[str]]:
    """Look after the children: without one of them everything ends.

    Yields:
        Who ended before being told to, once the server has ended.
    """
    stop, ended = threading.Event(), list[str]()

    def look() -> None:
        while not stop.wait(WATCH_SECONDS):
            gone = [name for name, child in children.items() if child.poll() is not None]
            if gone and not server.should_exit:
                ended.extend(gone[:1])
                server.should_exit = True
                return

    watcher = threading.Thread(target=look, name="lastro-watch", daemon=True)
    watcher.start()
    try:
        yield ended
    finally:
        stop.set()
        watcher.join(PATIENCE_SECONDS)
