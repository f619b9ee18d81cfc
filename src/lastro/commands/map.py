"""`lastro mapa`: see `lastro.commands.category_map`, which is loaded when it is asked for."""

from __future__ import annotations

from pathlib import Path

import click

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.terminal import messages


@click.command()
@config_option
@company_option
@click.option("--so-novas", is_flag=True, help="Sem as categorias que não tiveram valor nos últimos 12 meses.")
@click.option("--escrever", is_flag=True, help="Acrescenta as linhas à configuração, e não muda mais nada nela.")
@click.argument("antiga", required=False, metavar="")
def mapa(config: Path | None, empresa_id: str | None, antiga: str | None, *, so_novas: bool, escrever: bool) -> None:
    """Propõe linhas para dre_mapa pelos nomes das categorias, para conferir e colar, ou escrever."""
    if antiga is not None:
        raise click.UsageError(f"a empresa agora se dá com --empresa {antiga}.")
    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)

    from lastro.commands.category_map import propose, write_into

    proposal = propose(settings, empresa, so_novas=so_novas)
    path = Path(settings.origem)
    if escrever:
        count = write_into(path, empresa, proposal)
        told = f"{count} linhas acrescentadas a {path}. Confira-as." if count else f"{path}: não há o que acrescentar."
    else:
        click.echo(proposal.render(), nl=False)
        told = f"cole em [empresa.parametros.dre_mapa] de {empresa.id}, em {path}, ou repita com --escrever."
    messages.print(f"lastro: {told} Depois: lastro run --empresa {empresa.id} --modo recalculo")
