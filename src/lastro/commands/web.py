"""`lastro web`: the UI behind its guard, where no schedule runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lastro.commands.invocation import announce_ui, config_option, read_only_option, read_settings, ui_port_option
from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.settings import Settings, find_settings_file
from lastro.settings.addresses import parse_origin
from lastro.settings.parsers import Wrong


@click.command()
@config_option
@click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="workspace.yaml do Dagster, de várias máquinas; DAGSTER_HOME diz onde estão os registros.",
)
@click.option("--endereco", "enderecos", multiple=True, help="Endereço de um proxy com login, como em enderecos_ui.")
@ui_port_option
@read_only_option
def web(
    config: Path | None,
    workspace: Path | None,
    enderecos: tuple[str, ...],
    porta: int,
    *,
    somente_leitura: bool,
) -> None:
    """Abre a UI do Dagster nesta máquina, sem horários."""
    demand("dagster", "lastro web")
    settings = (
        read_settings(config)
        if workspace is None or config is not None or find_settings_file(None, Path.cwd()).exists()
        else None
    )
    origins = {_parse(address) for address in enderecos} | set(settings.enderecos_ui if settings else ())
    from lastro_pipelines.webserver import serve_workspace

    with _choose_workspace(workspace, settings, config) as chosen:
        serve_workspace(chosen, porta, origins, read_only=somente_leitura, announce=announce_ui)


@contextmanager
def _choose_workspace(workspace: Path | None, settings: Settings | None, config: Path | None) -> Iterator[Path]:
    """Give the file of code locations: the one that is named, else one of ours alone, and prepare Dagster's home.

    Raises:
        ConfigError: when nobody says where the records are, or it is no folder.
    """
    if workspace is not None:
        if not (named := os.environ.get("DAGSTER_HOME")):
            raise ConfigError(
                "lastro web -w: DAGSTER_HOME não está definida. Defina-a com a pasta em que está o dagster.yaml."
            )
        from lastro_pipelines.home import read_home

        os.environ["DAGSTER_HOME"] = str(read_home(named))
        os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
        yield workspace
        return
    assert settings is not None  # noqa: S101 - read where no file is named
    from lastro_pipelines.execution import prepare_ui
    from lastro_pipelines.webserver import own_workspace

    prepare_ui(settings, config)
    with own_workspace() as own:
        yield own


def _parse(value: str) -> str:
    try:
        return parse_origin(value)
    except Wrong as wrong:
        raise ConfigError(f"lastro web --endereco: {wrong}.") from None
