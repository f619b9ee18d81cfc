"""`lastro delta`: the published tables of all companies as Delta tables, for Spark, Trino, Power BI and others."""

from __future__ import annotations

from pathlib import Path

import click

from lastro.commands.options import config_option, read_settings
from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.settings.outside import parse_destino
from lastro.settings.parse import Wrong
from lastro.terminal import messages, output


@click.command()
@click.argument("destino", required=False)
@config_option
@click.option("--empresa", "empresa_id", help="Só esta empresa; padrão: todas as que publicaram.")
@click.option("--dados-pessoais", is_flag=True, help="Também contatos e documentos inteiros de pessoas.")
def delta(destino: str | None, config: Path | None, empresa_id: str | None, *, dados_pessoais: bool) -> None:
    """Escreve as tabelas publicadas em DESTINO (uma pasta ou s3://balde/caminho; padrão: [delta] da configuração)."""
    demand("delta", "lastro delta")
    settings = read_settings(config)
    from lastro.warehouse.file.store import LINK_NAME
    from lastro.warehouse.publication.delta import export_delta

    where, personal = _choose(destino, settings.delta.destino if settings.delta else None), dados_pessoais
    personal = personal or (settings.delta is not None and destino is None and settings.delta.dados_pessoais)
    chosen = [settings.empresa(empresa_id)] if empresa_id else list(settings.empresas)
    silent = [one for one in chosen if not empresa_id and not (settings.pasta(one) / LINK_NAME).exists()]
    for one in silent:
        messages.print(f"lastro: {one.id}: nada publicado ainda; fica de fora.", style="yellow", markup=False)
    done = export_delta(settings, [one for one in chosen if one not in silent], where, dados_pessoais=personal)
    runs = ", ".join(f"{empresa} {execucao}" for empresa, execucao in done.execucoes.items())
    output.print(f"{where}: {len(done.tables)} tabelas; execução de cada empresa: {runs}", markup=False)
    if done.newer:
        kept = ", ".join(sorted(done.newer))
        messages.print(f"lastro: {kept}: as tabelas já tinham uma execução mais nova; ficou.", markup=False)


def _choose(given: str | None, configured: str | None) -> str:
    try:
        if given is None:
            if configured is None:
                raise ConfigError("lastro delta: falta onde escrever; dê uma pasta ou s3://…, ou [delta] destino.")
            return configured
        return parse_destino(given) if "://" in given else str(Path(parse_destino(given)).absolute())
    except Wrong as wrong:
        raise ConfigError(f"lastro delta {given}: {wrong}.") from None
