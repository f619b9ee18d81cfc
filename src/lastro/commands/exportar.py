"""`lastro exportar`: what is published, copied into files."""

from __future__ import annotations

from pathlib import Path

import click

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.commands.target import refuse_folder
from lastro.settings import EXPORT_FORMATS
from lastro.terminal import output


@click.command()
@config_option
@company_option
@click.option(
    "--formato",
    type=click.Choice(EXPORT_FORMATS),
    default="parquet",
    show_default=True,
    help="Tipo de arquivo.",
)
@click.option(
    "--pasta",
    type=click.Path(path_type=Path, file_okay=False),
    help="Para onde; padrão: exportados, na pasta da empresa.",
)
@click.argument("tabelas", nargs=-1)
def exportar(
    config: Path | None, empresa_id: str | None, formato: str, pasta: Path | None, tabelas: tuple[str, ...]
) -> None:
    """Copia o que está publicado para arquivos: dados (o padrão), relatórios (R04) ou visões de mart (a_receber)."""
    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)
    from lastro.run.datasets import EXPORTS_FOLDER, export_tables

    if pasta is not None and pasta.resolve() != (settings.pasta(empresa) / EXPORTS_FOLDER).resolve():
        refuse_folder(settings, pasta)
    folder, names = export_tables(settings, empresa, tabelas, formato, pasta and pasta.absolute())
    output.print(f"Em {folder}:")
    for name in names:
        output.print(f"  {name}")
