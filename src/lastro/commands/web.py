"""`lastro web`: the UI behind its guard where no schedule runs, or before a Dagster that stands already."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from lastro.commands.options import config_option, read_only_option, read_settings, ui_port_option
from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.settings import FILE_NAME, Settings
from lastro.settings.parse import Wrong, parse_origin
from lastro.terminal import messages, output

_HERE = ("localhost", "::1")


@click.command()
@config_option
@click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Dagster's workspace.yaml, of several machines or pods; DAGSTER_HOME says where the records are.",
)
@click.option("--para", help="Address of a Dagster that stands already, such as http://127.0.0.1:3001.")
@click.option("--endereco", "enderecos", multiple=True, help="Address of a proxy with login, as in enderecos_ui.")
@ui_port_option
@read_only_option
def web(
    config: Path | None,
    workspace: Path | None,
    para: str | None,
    enderecos: tuple[str, ...],
    porta: int,
    *,
    somente_leitura: bool,
) -> None:
    """Open the Dagster UI on this machine without schedules, or the guard before another Dagster."""
    demand("dagster", "lastro web")
    if para is not None and (workspace is not None or somente_leitura):
        raise ConfigError(
            "lastro web --para: what there is to see and to start says the Dagster behind it; leave out -w and "
            "--somente-leitura (dagster-webserver --read-only does the same there)."
        )
    own = para is None and workspace is None
    settings = read_settings(config) if own or config is not None or Path(FILE_NAME).exists() else None
    origins = {_parse("--endereco", one) for one in enderecos} | set(settings.enderecos_ui if settings else ())
    from lastro.pipelines import webserver

    def announce(address: str) -> None:
        output.print(f"Dagster: {address}  (Ctrl+C ends it)", markup=False)

    if para is not None:
        webserver.serve_before(_choose_dagster(para, porta), porta, origins, announce)
        return
    with _choose_workspace(workspace, settings, config) as chosen:
        webserver.serve_workspace(chosen, porta, origins, read_only=somente_leitura, announce=announce)


@contextmanager
def _choose_workspace(workspace: Path | None, settings: Settings | None, config: Path | None) -> Iterator[Path]:
    """Give the file of code locations: the one that is named, else one of ours alone, and prepare Dagster's home.

    Raises:
        ConfigError: when nobody says where the records are, or the settings make runs into pods.
    """
    if workspace is not None:
        if not os.environ.get("DAGSTER_HOME"):
            raise ConfigError("lastro web -w: DAGSTER_HOME is not set. Set it to the folder that holds dagster.yaml.")
        os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
        yield workspace
        return
    assert settings is not None  # noqa: S101 - read where no file is named
    if settings.kubernetes is not None:
        raise ConfigError(f"{settings.origem}: kubernetes: here runs become pods. Give the workspace.yaml with -w.")
    from lastro.pipelines.execution import prepare_home
    from lastro.pipelines.webserver import own_workspace

    prepare_home(settings, os.environ)
    if config is not None:
        os.environ["LASTRO_CONFIG"] = str(config.absolute())
    with own_workspace() as own:
        yield own


def _choose_dagster(para: str, porta: int) -> str:
    """Read the address of another Dagster; tell when the way to it is open.

    Raises:
        ConfigError: when it is none, or our own.
    """
    address = _parse("--para", para)
    parts = urlsplit(address)
    host = parts.hostname or ""
    here = host in _HERE or host.startswith("127.")
    if here and (parts.port or 80) == porta:
        raise ConfigError(f"lastro web --para {address}: that is the port of this command. Choose another --porta.")
    if parts.scheme == "http" and not here:
        messages.print(f"lastro: {address}: o caminho até lá não é cifrado.", style="yellow", markup=False)
    return address


def _parse(option: str, value: str) -> str:
    try:
        return parse_origin(value)
    except Wrong as wrong:
        raise ConfigError(f"lastro web {option}: {wrong}.") from None
