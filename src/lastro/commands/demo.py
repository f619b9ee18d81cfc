"""`lastro demo`: see `lastro.commands.demonstration`, which is loaded only where the sandbox is installed."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import click

from lastro.commands.outcome_text import print_result
from lastro.commands.run import day_type, to_date
from lastro.errors import EXIT_CHECK_FAILED
from lastro.extras import demand, is_installed
from lastro.settings import DEFAULT_FUSO
from lastro.terminal import messages, output

DEMO_FOLDER: Final = "lastro-demo"
DEMO_VARIABLE: Final = "LASTRO_DEMO_TOKEN"
"""The name of the variable that the demonstration's settings name; nobody sets it afterwards."""
REHEARSE: Final = "Um serviço de ensaio que fica de pé: lastro sandbox --escrever ensaio.toml"


@click.command()
@click.option(
    "--pasta",
    type=click.Path(path_type=Path),
    default=Path(DEMO_FOLDER),
    show_default=True,
    help="Onde ficam os arquivos.",
)
@click.option("--semente", default=1, show_default=True, help="Qual empresa inventar.")
@click.option(
    "--lancamentos",
    default=5000,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    help="Quantos lançamentos inventar.",
)
@click.option("--hoje", type=day_type, help="O dia da empresa; padrão: o de hoje.")
def demo(pasta: Path, semente: int, lancamentos: int, hoje: datetime | None) -> None:
    """Mostra o caminho inteiro com uma empresa inventada: serviço, execução, indicadores, arquivos."""
    demand("sandbox", "lastro demo")
    from lastro.commands.demonstration import run_demo
    from lastro.progress import open_progress

    with open_progress(messages) as progress:
        settings_file, empresa, result = run_demo(
            pasta.absolute(),
            seed=semente,
            lancamentos=lancamentos,
            hoje=to_date(hoje) or datetime.now(ZoneInfo(DEFAULT_FUSO)).date(),
            progress=progress,
        )
    print_result(empresa.nome, result)
    print_way_on(settings_file.parent)
    sys.exit(EXIT_CHECK_FAILED if result.failed else 0)


def print_way_on(folder: Path) -> None:
    """Print the next steps: what to open and try, now that the service of the demonstration has ended."""
    output.print(f"\nE agora, em {folder}:")
    lines = [
        ("lastro abrir", "a planilha: comece por FAZER HOJE, na capa"),
        ("lastro sql", "o que dá para perguntar; por exemplo lastro sql dre"),
    ]
    if is_installed("dagster"):
        lines.append(("lastro dev", "a UI, só para olhar: o serviço da demonstração já acabou"))
    for command, what in lines:
        output.print(f"  {command:<13} {what}")
    output.print(f"{REHEARSE}\nA sua empresa: lastro iniciar")
