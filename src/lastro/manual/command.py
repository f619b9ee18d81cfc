"""The command `lastro manual`: prints a page of the rule book, or the part that a number names."""

from __future__ import annotations

import click

from lastro.manual import describe_topics, list_pages, read_page, read_topic
from lastro.quality.queries import read_queries


@click.command()
@click.argument("tema", required=False)
def manual(tema: str | None) -> None:
    """Print the rule book: without TEMA its pages, else a page (regras), a number (S7, V12), a table (mart.dre).

    Of a check that is SQL the query follows.
    """
    if tema is not None:
        click.echo(read_topic(tema), nl=False)
        query = read_queries().get(tema.strip().upper())
        if query is not None:
            click.echo(f"\n```sql\n{query.texto}```")
        return
    for name in list_pages():
        title = read_page(name).splitlines()[0].removeprefix("# ")
        click.echo(f"{name:<14}{title}")
    click.echo(f"\n{describe_topics()}")
