"""What `lastro web` serves: the UI of a workspace in this process, or of a Dagster that stands already."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import uvicorn

from lastro.errors import ConfigError, LastroError

from .proxy import Proxy
from .serving import HOST, build_server, open_listener, run_server, until_interrupted
from .web import App

Announce = Callable[[str], None]
"""Told the address when it is about to answer."""


def serve_dagster(
    target: Sequence[str], port: int, enderecos: Collection[str], *, read_only: bool, announce: Announce
) -> None:
    """Serve Dagster's UI from this process until Ctrl+C or SIGTERM; no schedule runs.

    Args:
        target: which code locations, as `dagster-webserver` is told: `-w FILE` or `-m MODULE`.
        port: where on this machine; 0 takes a free one.
        enderecos: origins under which a proxy with login serves it too (`enderecos_ui`).
        read_only: whether the UI only shows.
        announce: told the address.

    Raises:
        ConfigError: when the port is taken, or Dagster cannot begin with that target.
    """
    with until_interrupted(), open_listener(port) as listener:
        number = listener.getsockname()[1]

        def serve(app: App) -> None:
            announce(f"http://{HOST}:{number}")
            run_server(build_server(app, listener, enderecos), listener)

        # The port is held by us: whatever Dagster would serve by itself, unguarded, finds it taken.
        asked = [*target, "-h", HOST, "-p", str(number), "--code-server-log-level", "warning"]
        run_webserver([*asked, "--read-only"] if read_only else asked, serve)


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


def run_webserver(arguments: Sequence[str], serve: Callable[[App], None]) -> None:
    """Run Dagster's own command `dagster-webserver` in this process up to where it serves, which we do (DEC45).

    Args:
        arguments: its documented options.
        serve: given its application; when that ends, so does the command.

    Raises:
        ConfigError: when it ends before it has an application: a workspace that cannot be read, no instance.
        LastroError: when it served by other means, or did not serve.
    """
    from dagster_webserver.cli import cli

    served = False

    def run(app: App, **_options: Any) -> None:
        nonlocal served
        served = True
        serve(app)

    with _in_place_of_uvicorn(run):
        try:
            cli.main(args=list(arguments), standalone_mode=False)
        except LastroError:
            raise
        except Exception as error:
            if served:
                raise
            raise ConfigError(f"Dagster's web server did not begin: {_tell(error)}") from error
    if not served:
        raise LastroError(
            "This version of dagster-webserver serves by other means than uvicorn.run; nothing is served."
        )


@contextlib.contextmanager
def _in_place_of_uvicorn(run: Callable[..., None]) -> Iterator[None]:
    before = uvicorn.run
    setattr(uvicorn, "run", run)  # noqa: B010 - a function of a module
    try:
        yield
    finally:
        setattr(uvicorn, "run", before)  # noqa: B010 - as it was


def _tell(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:300] or type(error).__name__
