"""Dagster's web application in this process, as `lastro web` and `lastro dev` serve it."""

import contextlib
import json
import os
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import dagster as dg
from dagster_webserver.app import create_app_from_workspace_process_context

from lastro.errors import ConfigError
from lastro.guard.children import WORKSPACE, run_services, tell_end
from lastro.guard.guard import App
from lastro.guard.server import Announce, build_server, open_listener, run_server, until_interrupted
from lastro.settings import Settings

from . import LOCATION, MODULE
from .private import open_workspace

STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW = 15_000, 3_600, 20
"""How the web server uses Dagster's records: its own defaults."""
WATCH_SECONDS = 2.0
"""How often it looks whether its children are there."""
POLL_MILLISECONDS = 2_000
"""How often an open page asks for news of assets; the default of `dagster dev`."""


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
        run_server(build_server(app, listener, enderecos), listener, announce)


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
        run_services(
            MODULE, LOCATION, Path(folder), instance.code_server_process_startup_timeout, os.environ.get("PATH", "")
        ) as children,
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
            raise tell_end(name, children[name])


@contextlib.contextmanager
def own_workspace() -> Iterator[Path]:
    """Write a file that names our own code location and no other one."""
    with tempfile.TemporaryDirectory(prefix="lastro-") as folder:
        path = Path(folder) / WORKSPACE
        module = {"module_name": MODULE, "location_name": LOCATION}
        path.write_text(json.dumps({"load_from": [{"python_module": module}]}), encoding="utf-8")
        yield path


@contextlib.contextmanager
def _telling(workspace: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise ConfigError(f"{workspace}: o servidor web do Dagster não começou: {why}") from error


@contextlib.contextmanager
def open_instance() -> Iterator[dg.DagsterInstance]:
    """Open Dagster's records as a web server does."""
    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
        yield instance


@contextlib.contextmanager
def open_app(instance: dg.DagsterInstance, workspace: Path, *, read_only: bool) -> Iterator[App]:
    """Open Dagster's web application.

    Args:
        instance: its records.
        workspace: the file that names the code locations.
        read_only: whether the UI only shows.
    """
    with open_workspace(instance, workspace, read_only=read_only) as opened:
        yield create_app_from_workspace_process_context(opened, live_data_poll_rate=POLL_MILLISECONDS)
