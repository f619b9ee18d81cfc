"""`lastro abrir`: the newest workbook of a company, opened where there is a screen, else named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.errors import ConfigError
from lastro.terminal import messages


@click.command()
@config_option
@company_option
@click.option("--imprimir", is_flag=True, help="Só imprime o caminho.")
def abrir(config: Path | None, empresa_id: str | None, *, imprimir: bool) -> None:
    """Abre a planilha mais nova; sem tela, imprime onde ela está."""
    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)
    from lastro.run.names import REPORTS_FOLDER

    path = find_newest(settings.pasta(empresa) / REPORTS_FOLDER)
    if path is None:
        raise ConfigError(f"{empresa.id}: ainda não há planilha em {settings.pasta(empresa)}. Rode lastro run.")
    opener = None if imprimir else find_opener(sys.platform, os.environ)
    click.echo(str(path))
    if opener is not None:
        done = subprocess.run([opener, path], check=False, capture_output=True)  # noqa: S603 - the system's own
        if done.returncode:
            messages.print(f"lastro: {opener} não abriu a planilha; abra-a por aí.", style="yellow")


def find_newest(folder: Path) -> Path | None:
    """Find the workbook of the latest day and, of that day, of the latest rerun; None where there is none."""
    from lastro.run.names import GERENCIAL, parse_name

    try:
        listed = sorted(folder.iterdir())
    except FileNotFoundError:
        return None
    files = [
        (named.day, named.revision, path)
        for path in listed
        if path.match(f"{GERENCIAL}_*.xlsx") and (named := parse_name(path.name)) and named.kind == GERENCIAL
    ]
    return max(files, default=("", 0, None))[2]


def find_opener(platform: str, environ: Mapping[str, str]) -> str | None:
    """Find the program that opens a file by its kind; None without a screen or such a program."""
    if platform == "darwin":
        return shutil.which("open")
    if environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        return shutil.which("xdg-open")
    return None
