"""`lastro grupo`: one workbook of all companies, from what each has published."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lastro.commands.invocation import config_option, print_notices, read_settings
from lastro.errors import EXIT_CHECK_FAILED
from lastro.grid.words import format_date
from lastro.terminal import output


@click.command()
@config_option
def grupo(config: Path | None) -> None:
    """Escreve uma planilha com todas as empresas lado a lado e somadas, do que cada uma publicou."""
    settings = read_settings(config)
    from lastro.group.job import run_group

    print_notices(settings)
    result = run_group(settings)
    output.print(f"\n{settings.grupo.nome} · data-base {format_date(result.data_base)}\n")
    for book in result.books:
        output.print(f"  {book.nome:<42} execução {book.execucao_id} · {book.trust.scope}")
    output.print(f"\n  Planilha: {result.workbook}")
    if result.consultas is not None:
        output.print(f"  Consultas: {result.consultas}")
    for arquivo, why in result.recusadas:
        output.print(f"    grupo/{arquivo}: {why}")
    sys.exit(EXIT_CHECK_FAILED if result.unreliable else 0)
