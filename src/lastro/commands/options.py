"""Options and first lines that commands share."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import click

from lastro.access import find_notices
from lastro.settings import Settings, load_settings
from lastro.terminal import messages

config_option = click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file; default: lastro.toml here."
)
ui_port_option = click.option(
    "--porta",
    default=3000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port of the UI on 127.0.0.1; 0 takes a free one.",
)
read_only_option = click.option(
    "--somente-leitura", is_flag=True, help="The UI only shows: nothing can be started, stopped or deleted."
)


def read_settings(config: Path | None) -> Settings:
    """Load the settings of a command.

    Raises:
        ConfigError: naming every mistake.
    """
    return load_settings(config, os.environ, Path.cwd())


def print_notices(settings: Settings, ids: Collection[str] = ()) -> None:
    """Tell which doors stand open."""
    for notice in find_notices(settings, [empresa for empresa in settings.empresas if empresa.id in ids]):
        messages.print(f"lastro: {notice}", style="yellow", markup=False)
