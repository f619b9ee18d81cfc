"""`lastro limpar`: let go what `[retencao]` keeps no longer, or show what would go."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lastro.clock import utc_now
from lastro.commands.options import config_option, read_settings
from lastro.commands.state import write_size
from lastro.extras import prune_records
from lastro.grid.words import count_text
from lastro.terminal import output, print_table

if TYPE_CHECKING:
    from lastro.operation.retention import Removal


@click.command()
@config_option
@click.option("--simular", is_flag=True, help="Only show what would go.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def limpar(config: Path | None, *, simular: bool, as_json: bool) -> None:
    """Let go what is kept no longer ([retencao]): pages, workbooks, leftovers, Dagster's records."""
    settings = read_settings(config)
    from lastro.operation.retention import plan_removals, remove

    now = utc_now()
    planned = plan_removals(settings, now)
    gone = planned if simular else remove(settings, planned)
    gone = (*gone, *prune_records(settings, now, simulate=simular))
    if as_json:
        click.echo(json.dumps({"simulado": simular, "itens": [asdict(one) for one in gone]}, ensure_ascii=False))
        return
    print_removals(gone, simulated=simular)


def print_removals(gone: Sequence[Removal], *, simulated: bool) -> None:
    """Print a line per kind and company, and the sum."""
    sums: dict[tuple[str, str], list[int]] = {}
    for one in gone:
        count = sums.setdefault((one.o_que, one.empresa), [0, 0])
        count[0] += 1
        count[1] += one.bytes
    if sums:
        rows = [
            (what, empresa, str(count), write_size(size)) for (what, empresa), (count, size) in sorted(sums.items())
        ]
        print_table([("O quê", "De quem", "Itens", "Tamanho"), *rows], right=(2, 3))
    single = len(gone) == 1
    verb = ("sairia" if single else "sairiam") if simulated else ("saiu" if single else "saíram")
    size = write_size(sum(one.bytes for one in gone))
    output.print(f"\n  {count_text(len(gone), 'item', 'itens')} {verb}, {size}.", markup=False)
