"""`lastro limpar`: let go what `[retencao]` keeps no longer, or show what would go."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lastro.clock import utc_now
from lastro.commands.estado import write_size
from lastro.commands.invocation import config_option, read_settings
from lastro.grid.words import count_text, format_date
from lastro.terminal import output, print_table

if TYPE_CHECKING:
    from lastro.operation.retention import Candidate


@click.command()
@config_option
@click.option("--simular", is_flag=True, help="Só mostra o que sairia, e o que fica, até quando e por quê.")
@click.option("--json", "as_json", is_flag=True, help="Imprime como JSON.")
def limpar(config: Path | None, *, simular: bool, as_json: bool) -> None:
    """Apaga o que já não se guarda ([retencao]): páginas, planilhas, sobras."""
    settings = read_settings(config)
    from lastro.operation.retention import plan_removals, remove

    now = utc_now()
    plan = plan_removals(settings, now)
    gone = plan.going if simular else remove(settings, plan.going, now)
    if as_json:
        told: dict[str, object] = {"simulado": simular, "itens": [item.describe() for item in gone]}
        told |= {"fica": [item.describe() for item in plan.kept], "avisos": plan.warnings} if simular else {}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    print_removals(gone, simulated=simular)
    if not (gone or simular):
        why = "espera o fim de uma execução, ou mudou agora" if plan.going else "ainda se guarda ([retencao])"
        output.print(f"  O que há {why}: lastro limpar --simular diz o que fica, até quando e por quê.")
    for warning in plan.warnings:
        output.print(f"  {warning}", style="yellow")
    if simular:
        print_kept(plan.kept)


def print_kept(kept: Sequence[Candidate]) -> None:
    """Print why things stay and until when: a line per kind, company and reason, however many they are."""
    groups: dict[tuple[str, str, str], list[Candidate]] = defaultdict(list)
    for item in kept:
        groups[item.empresa, item.o_que, item.porque].append(item)
    if not groups:
        return
    rows = [("Fica", "De quem", "Por quê", "Itens", "Até", "Por exemplo")]
    for (empresa, what, why), own in sorted(groups.items()):
        days = sorted({item.ate for item in own if item.ate is not None})
        until = " a ".join(dict.fromkeys(format_date(day) for day in (days[0], days[-1]))) if days else "–"
        rows.append((what, empresa, why, str(len(own)), until, Path(own[-1].caminho).name))
    output.print()
    print_table(rows, right=(3,))


def print_removals(gone: Sequence[Candidate], *, simulated: bool) -> None:
    """Print a line per kind and company, and the sum."""
    sums: dict[tuple[str, str], list[int]] = {}
    for item in gone:
        count = sums.setdefault((item.o_que, item.empresa), [0, 0])
        count[0] += 1
        count[1] += item.bytes
    if sums:
        rows = [
            (what, empresa, str(count), write_size(size)) for (what, empresa), (count, size) in sorted(sums.items())
        ]
        print_table([("O quê", "De quem", "Itens", "Tamanho"), *rows], right=(2, 3))
    single = len(gone) == 1
    verb = ("sairia" if single else "sairiam") if simulated else ("saiu" if single else "saíram")
    size = write_size(sum(item.bytes for item in gone))
    output.print(f"\n  {count_text(len(gone), 'item', 'itens')} {verb}, {size}.")
