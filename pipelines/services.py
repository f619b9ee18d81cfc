"""What `lastro dev` runs: Dagster's code server and daemon as children, the guarded web server in this process.

The children are Dagster's own commands. They end with this process, however it ends, and when one of them ends by
itself everything does: whoever watches over `lastro dev` (systemd) starts it again.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import grpc  # type: ignore[import-untyped] # of Dagster's own requirements
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.errors import ConfigError, LastroError
from lastro.guard.server import Announce, build_server, open_listener, run_server, until_interrupted
from lastro.settings import Settings

from . import MODULE
from .webserver import open_app, open_instance

WATCH_SECONDS = 2.0
PATIENCE_SECONDS = 20
"""How long children may take to end."""
WORKSPACE = "workspace.yaml"
_PR_SET_PDEATHSIG = 1
Children = Mapping[str, "subprocess.Popen[bytes]"]


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
        until_interrupted(),
        open_listener(port) as listener,
        tempfile.TemporaryDirectory(prefix="lastro-") as folder,
        open_instance() as instance,
        _run_children(Path(folder), instance.code_server_process_startup_timeout) as children,
        open_app(instance, Path(folder) / WORKSPACE, read_only=read_only) as app,
    ):
        ended: list[str] = []

        async def look() -> None:
            gone = [name for name, child in children.items() if child.poll() is not None]
            if gone and not server.should_exit:  # else they were told to, as we were
                ended.extend(gone[:1])
                server.should_exit = True

        server = build_server(app, listener, settings.enderecos_ui, callback_notify=look, timeout_notify=WATCH_SECONDS)
        run_server(server, listener, announce)
        for name in ended:
            raise _desert(name, children[name])


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
    daemon = (_find_daemon(), "run", "--workspace", str(workspace))
    with (
        _run([*code, "--use-python-environment-entry-point"]) as code_server,
    ):
        _wait_for(code_socket, code_server, startup_seconds)
        with _run(daemon) as schedules:
            yield {"code server": code_server, "daemon": schedules}


def _find_daemon() -> str:
    """Find Dagster's daemon in the environment that this Python belongs to."""
    name = "dagster-daemon"
    path = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is None:
        raise ConfigError(
            f"{name}: não está ao lado de {sys.executable}. Instale ali de novo, na pasta do repositório: "
            "pip install -c constraints.txt '.[dagster]'."
        )
    return path


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


def _wait_for(code_socket: Path, server: "subprocess.Popen[bytes]", seconds: int) -> None:
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


def _desert(name: str, child: "subprocess.Popen[bytes]") -> LastroError:
    code = "no answer" if child.returncode is None else f"code {child.returncode}"
    return LastroError(
        f"O {name} do Dagster terminou sozinho ({code}); sem ele nada é agendado. O que ele disse está "
        "acima; inicie lastro dev de novo."
    )
