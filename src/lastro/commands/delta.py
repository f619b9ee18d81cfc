"""`lastro delta`: the published tables of all companies as Delta tables, for Spark, Trino, Power BI and others."""

from __future__ import annotations

import re
from pathlib import Path

import click

from lastro.commands.invocation import config_option, read_settings
from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.files import demand_passage
from lastro.terminal import messages, output

_S3 = re.compile(r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]+)*/?$")


@click.command()
@click.argument("destino")
@config_option
@click.option("--empresa", "empresa_id", help="Só esta empresa; padrão: todas as que publicaram.")
@click.option("--dados-pessoais", is_flag=True, help="Também contatos e documentos inteiros de pessoas.")
def delta(destino: str, config: Path | None, empresa_id: str | None, *, dados_pessoais: bool) -> None:
    """Escreve as tabelas publicadas em DESTINO (uma pasta ou s3://balde/caminho)."""
    demand("delta", "lastro delta")
    settings = read_settings(config)
    from lastro.warehouse.file.store import LINK_NAME
    from lastro.warehouse.publication.delta import export_delta

    where = _read_destino(destino)
    chosen = [settings.empresa(empresa_id)] if empresa_id else list(settings.empresas)
    for empresa in chosen:
        demand_passage(settings.pasta(empresa))
    silent = [empresa for empresa in chosen if not empresa_id and not (settings.pasta(empresa) / LINK_NAME).exists()]
    for empresa in silent:
        messages.print(f"lastro: {empresa.id}: nada publicado ainda; fica de fora.", style="yellow")
    done = export_delta(
        settings, [empresa for empresa in chosen if empresa not in silent], where, dados_pessoais=dados_pessoais
    )
    runs = ", ".join(f"{empresa} {execucao}" for empresa, execucao in done.execucoes.items())
    output.print(f"{where}: {len(done.tables)} tabelas; execução de cada empresa: {runs}")


def _read_destino(given: str) -> str:
    """Read where tables go: a folder, or a bucket with a path in it; never a key or a password."""
    if "://" not in given:
        return str(Path(given).absolute())
    if not _S3.fullmatch(given):
        raise ConfigError("lastro delta: escreva uma pasta ou s3://balde/caminho; as chaves vêm do ambiente.")
    return given.rstrip("/")
