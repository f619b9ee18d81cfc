"""What `lastro web` serves: the UI of a workspace in this process, or of a Dagster that stands already."""

import contextlib
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from lastro.errors import ConfigError

from . import MODULE
from .proxy import Proxy
from .serving import HOST, build_server, open_app, open_instance, open_listener, run_server, until_interrupted
from .web import App

Announce = Callable[[str], None]
"""Told the address when it is about to answer."""


def serve_workspace(
    workspace: Path, port: int, enderecos: Collection[str], *, read_only: bool, announce: Announce
) -> None:
    """Serve Dagster's UI from this process until Ctrl+C or SIGTERM; no schedule runs.

    Args:
        workspace: Dagster's file of code locations; DAGSTER_HOME says where the records are.
        port: where on this machine; 0 takes a free one.
        enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
        read_only: whether the UI only shows.
        announce: told the address.

    Raises:
        ConfigError: when the port is taken, or Dagster cannot begin with that file or home.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(until_interrupted())
        listener = stack.enter_context(open_listener(port))
        with _telling(workspace):
            instance = stack.enter_context(open_instance())
            app: App = stack.enter_context(open_app(instance, workspace, read_only=read_only))
        announce(f"http://{HOST}:{listener.getsockname()[1]}")
        run_server(build_server(app, listener, enderecos), listener)


def serve_before(address: str, port: int, enderecos: Collection[str], announce: Announce) -> None:
    """Serve a Dagster that stands already, behind the guard, until Ctrl+C or SIGTERM.

    Args:
        address: of that Dagster, without a path.
        port: where on this machine; 0 takes a free one.
        enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
        announce: told the address.

    Raises:
        ConfigError: when the port is taken.
    """
    with until_interrupted(), open_listener(port) as listener:
        announce(f"http://{HOST}:{listener.getsockname()[1]}")
        run_server(build_server(Proxy(address), listener, enderecos), listener)


@contextlib.contextmanager
def own_workspace() -> Iterator[Path]:
    """Write a file that names our own code location and no other one."""
    with tempfile.TemporaryDirectory(prefix="lastro-") as folder:
        path = Path(folder) / "workspace.yaml"
        path.write_text(f"load_from:\n  - python_module: {MODULE}\n", encoding="utf-8")
        yield path


@contextlib.contextmanager
def _telling(workspace: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise ConfigError(f"{workspace}: Dagster's web server did not begin: {why}") from error
