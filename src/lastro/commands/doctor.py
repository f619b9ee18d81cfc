"""`lastro doctor`: what is wrong with an installation, or soon will be, and the cure of each."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from lastro.clock import utc_now
from lastro.commands.invocation import config_option, read_settings
from lastro.errors import EXIT_STALE, StorageError
from lastro.grid.words import count_text
from lastro.settings import Settings
from lastro.terminal import output

MARKS = {"ok": "✓", "aviso": "!", "erro": "✗"}


@click.command()
@config_option
@click.option("--sem-rede", is_flag=True, help="Não pergunta nada a nenhum serviço.")
@click.option("--testar-avisos", is_flag=True, help="Também manda um aviso de ensaio a quem [avisos] nomeia.")
@click.option("--json", "as_json", is_flag=True, help="Imprime como JSON.")
def doctor(config: Path | None, *, sem_rede: bool, testar_avisos: bool, as_json: bool) -> None:
    """Procura o que está errado e diz a cura; código 0, ou 7 quando há o que corrigir."""
    sys.exit(print_diagnoses(read_settings(config), ask=not sem_rede, send=testar_avisos, as_json=as_json))


def print_diagnoses(
    settings: Settings, *, ask: bool = True, send: bool = False, as_json: bool = False, awaited: str = ""
) -> int:
    """Look at everything, print each finding with its cure as it comes, and return the exit code.

    What is `awaited`, for it is the next step of who has just begun, is no error yet; the code says that it is missing.
    """
    from lastro.operation.doctor import ACCESS, AVISO, ERRO, OK, examine

    diagnoses, missing = [], False
    for found in examine(settings, os.environ, utc_now(), ask=ask, send=send):
        waits = found.o_que == awaited and found.nivel == ERRO
        diagnosis, missing = replace(found, nivel=AVISO) if waits else found, missing or waits
        diagnoses.append(diagnosis)
        if not as_json:
            who = f"{diagnosis.empresa}: " if diagnosis.empresa else ""
            style = {"erro": "red", "aviso": "yellow"}.get(diagnosis.nivel)
            line = f"  {MARKS[diagnosis.nivel]} {who}{diagnosis.o_que}: {diagnosis.achado}"
            output.print(line, style=style)
            if diagnosis.cura:
                output.print(f"      → {diagnosis.cura}")
    wrong = sum(diagnosis.nivel == ERRO for diagnosis in diagnoses)
    if as_json:
        click.echo(
            json.dumps({"achados": [diagnosis.describe() for diagnosis in diagnoses]}, ensure_ascii=False, indent=2)
        )
    else:
        notices = sum(diagnosis.nivel not in (ERRO, OK) for diagnosis in diagnoses)
        errors = count_text(wrong, "erro", "erros")
        output.print(f"\n  {errors}, {count_text(notices, 'aviso', 'avisos')}.")
    if any(diagnosis.o_que == ACCESS for diagnosis in diagnoses):
        return StorageError.exit_code
    return EXIT_STALE if wrong or missing else 0
