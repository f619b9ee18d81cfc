"""`lastro doctor`: what is wrong with an installation, or soon will be, and the cure of each."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from lastro.clock import utc_now
from lastro.commands.options import config_option, read_settings
from lastro.errors import EXIT_STALE
from lastro.grid.words import count_text
from lastro.terminal import output

MARKS = {"ok": "✓", "aviso": "!", "erro": "✗"}


@click.command()
@config_option
@click.option("--sem-rede", is_flag=True, help="Ask no service.")
@click.option("--testar-avisos", is_flag=True, help="Also send a message, a rehearsal, to whom [avisos] names.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def doctor(config: Path | None, *, sem_rede: bool, testar_avisos: bool, as_json: bool) -> None:
    """Look for what is wrong, and say the cure; exit code 0, or 7 when something has to be mended."""
    settings = read_settings(config)
    from lastro.operation.doctor import ERRO, OK, examine

    found = []
    for finding in examine(settings, os.environ, utc_now(), ask=not sem_rede, send=testar_avisos):
        found.append(finding)
        if not as_json:
            who = f"{finding.empresa}: " if finding.empresa else ""
            style = {"erro": "red", "aviso": "yellow"}.get(finding.nivel)
            line = f"  {MARKS[finding.nivel]} {who}{finding.o_que}: {finding.achado}"
            output.print(line, style=style, markup=False)
            if finding.cura:
                output.print(f"      → {finding.cura}", markup=False)
    wrong = sum(one.nivel == ERRO for one in found)
    if as_json:
        click.echo(json.dumps({"achados": [one.describe() for one in found]}, ensure_ascii=False, indent=2))
    else:
        notices = sum(one.nivel not in (ERRO, OK) for one in found)
        errors = count_text(wrong, "erro", "erros")
        output.print(f"\n  {errors}, {count_text(notices, 'aviso', 'avisos')}.", markup=False)
    sys.exit(EXIT_STALE if wrong else 0)
