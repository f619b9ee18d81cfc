"""Flags, settings and first lines that commands share: what a command is asked for, the same wherever it stands."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from lastro.errors import ConfigError
from lastro.files import demand_passage
from lastro.run.access import find_notices
from lastro.settings import Empresa, Settings, load_settings
from lastro.terminal import messages, output

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Arquivo de configuração; padrão: o lastro.toml desta pasta, ou da mais próxima acima.",
)
company_option = click.option("--empresa", "empresa_id", help="A empresa; padrão: a única da configuração.")
ui_port_option = click.option(
    "--porta",
    default=3000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Porta em 127.0.0.1; 0 toma uma livre.",
)
read_only_option = click.option(
    "--somente-leitura", is_flag=True, help="A UI só mostra: nada se inicia, para ou apaga."
)


def read_settings(config: Path | None) -> Settings:
    """Load the settings of a command.

    Raises:
        ConfigError: naming every mistake.
        StorageError: when the data folder is somebody else's, and may not be entered.
    """
    settings = load_settings(config, os.environ, Path.cwd())
    if config is None and Path(settings.origem).is_absolute() and Path(settings.origem).parent != Path.cwd():
        messages.print(f"lastro: segundo {settings.origem}")
    demand_passage(settings.dir)
    return settings


def choose_company(settings: Settings, empresa_id: str | None, also: str = "") -> Empresa:
    """Choose the company that a command is about: the one asked for, else the only one.

    Args:
        empresa_id: what `--empresa` says.
        also: what else would make it clear, as the end of a sentence.

    Raises:
        ConfigError: when there are several and none is asked for, or no such company.
        StorageError: when its folder is somebody else's, and may not be entered.
    """
    if empresa_id is None and len(settings.ids) > 1:
        known = ", ".join(settings.ids)
        raise ConfigError(f"{settings.origem}: há várias empresas; acrescente --empresa (uma de {known}){also}.")
    empresa = settings.empresa(empresa_id or settings.ids[0])
    demand_passage(settings.pasta(empresa))
    return empresa


def print_notices(settings: Settings, ids: Collection[str] = ()) -> None:
    """Tell which doors stand open."""
    for notice in find_notices(settings, [empresa for empresa in settings.empresas if empresa.id in ids]):
        messages.print(f"lastro: {notice}", style="yellow")


def print_told(ways: Iterable[str]) -> None:
    """Tell by which ways somebody was told."""
    for way in ways:
        messages.print(f"lastro: avisado por {way}")


def announce_ui(address: str) -> None:
    """Tell where the UI answers."""
    output.print(f"Dagster: {address}  (Ctrl+C encerra)")
