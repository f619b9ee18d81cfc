"""The command `lastro manual`: prints a page of the rule book, or the part that a topic names."""

from __future__ import annotations

import shutil
import sys

import click

from lastro.errors import ConfigError
from lastro.manual import describe_topics, list_pages, read_title
from lastro.manual.search import find_topic
from lastro.quality.queries import ROOMS, read_findings, read_queries


@click.command()
@click.argument("tema", required=False, nargs=-1)
def manual(tema: tuple[str, ...]) -> None:
    """Mostra o manual: sem TEMA as páginas; ou uma página (regras), um número (S7), uma tabela, um comando, palavras.

    Comece por «lastro manual comecar». De uma verificação ou achado que é SQL, segue a consulta.
    """
    if not tema:
        pages = list_pages()
        width = max(map(len, pages)) + 2
        print_paged("".join(f"{name:<{width}}{read_title(name)}\n" for name in pages) + f"\n{describe_topics()}\n")
        return
    asked = " ".join(tema)
    own = _describe_command(asked)
    try:
        text = own + find_topic(asked)
    except ConfigError:
        if not own:
            raise
        text = own
    query = {**read_queries(*ROOMS), **read_findings(*ROOMS)}.get(asked.strip().upper())
    print_paged(text if query is None else f"{text}\n```sql\n{query.texto}```\n")


def _describe_command(asked: str) -> str:
    """Say what a command of that name does; empty where there is none."""
    root = click.get_current_context().find_root()
    found = root.command.get_command(root, asked.strip().lower()) if isinstance(root.command, click.Group) else None
    if found is None:
        return ""
    return f"lastro {found.name}: {found.get_short_help_str(limit=200)} Opções: lastro {found.name} --help\n\n"


def print_paged(text: str) -> None:
    """Print a text; on a terminal that it does not fit, page by page."""
    if sys.stdout.isatty() and len(text.splitlines()) >= shutil.get_terminal_size().lines:
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
