"""What `lastro dev` runs beside the guarded web server: Dagster's code server and daemon, by its own commands.

The children end with this process, however it ends, and when one of them ends by itself everything does: whoever
watches over `lastro dev` (systemd) starts it again.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lastro.errors import ConfigError, LastroError
from lastro.extras import write_install

PATIENCE_SECONDS = 20
"""How long children may take to end."""
WORKSPACE: Final = "workspace.yaml"
_PR_SET_PDEATHSIG = 1
Children = Mapping[str, "subprocess.Popen[bytes]"]


@contextlib.contextmanager
def run_services(module: str, name: str, folder: Path, startup_seconds: int, path: str) -> Iterator[Children]:
    """Run code server and daemon; what they need of one another stands in a folder that nobody else can read.

    Runs under way at the end are finished by the code server.

    Args:
        folder: where the workspace is written, too.
        startup_seconds: how long the code server may take to answer.
        path: where commands are looked for that are not beside this Python.
    """
    import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

    code_socket, workspace = folder / "codigo", folder / WORKSPACE
    server = {"grpc_server": {"host": "localhost", "socket": str(code_socket), "location_name": name}}
    workspace.write_text(yaml.safe_dump({"load_from": [server]}), encoding="utf-8")
    # Without a folder, Dagster writes the path of the one that it stands in into the arguments of a child.
    place = ("--socket", str(code_socket), "--location-name", name, "--module-name", module, "-d", ".")
    code = (sys.executable, "-m", "dagster", "code-server", "start", *place, "--log-level", "warning")
    daemon = (_find_daemon(path), "run", "--workspace", str(workspace))
    with (
        _run([*code, "--use-python-environment-entry-point"]) as code_server,
    ):
        _wait_for(code_socket, code_server, startup_seconds)
        with _run(daemon) as schedules:
            yield {"code server": code_server, "daemon": schedules}


def _find_daemon(places: str) -> str:
    """Find Dagster's daemon in the environment that this Python belongs to."""
    name = "dagster-daemon"
    path = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{places}")
    if path is None:
        raise ConfigError(
            f"{name}: não está ao lado de {sys.executable}. Instale ali de novo: {write_install('dagster')}."
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
    import grpc  # type: ignore[import-untyped] # of Dagster's own requirements

    end = time.monotonic() + seconds
    with grpc.insecure_channel(f"unix:{code_socket}") as channel:
        ready = grpc.channel_ready_future(channel)
        while True:
            try:
                ready.result(timeout=1)
                break
            except grpc.FutureTimeoutError:
                if server.poll() is not None or time.monotonic() > end:
                    raise tell_end("code server", server) from None


def tell_end(name: str, child: "subprocess.Popen[bytes]") -> LastroError:
    """Say that a child has ended by itself."""
    code = "no answer" if child.returncode is None else f"code {child.returncode}"
    return LastroError(
        f"O {name} do Dagster terminou sozinho ({code}); sem ele nada é agendado. O que ele disse está "
        "acima; inicie lastro dev de novo."
    )
