"""`lastro estado`: one table of all companies, for a person, a program, or a timer that tells people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lastro.calendar import local_time
from lastro.clock import utc_now
from lastro.commands.invocation import config_option, print_told, read_settings
from lastro.errors import EXIT_STALE, ConfigError, StorageError
from lastro.grid.words import count_text, format_date, format_moment, write_age
from lastro.operation.scheduler import Scheduler, read_scheduler
from lastro.terminal import messages, output, print_table

if TYPE_CHECKING:
    from lastro.operation.state import CompanyState
    from lastro.settings import Settings
    from lastro.warehouse.publication.published_run import PublishedRun

HEADER = (
    "Empresa", "Situação", "Leitura completa", "Idade", "Data-base", "Veredito", "Próxima", "Pedidos", "Segundos",
    "Tamanho", "O que fazer",
)  # fmt: skip
_RIGHT = (3, 7, 8, 9)


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Imprime como JSON; momentos em UTC.")
@click.option(
    "--prometheus",
    is_flag=True,
    help="Imprime métricas no texto do Prometheus; código 0 também quando alguma não está em dia.",
)
@click.option(
    "--alertar",
    is_flag=True,
    help="Também avisa quem [avisos] nomeia, cada causa uma vez por dia; para um temporizador do sistema.",
)
def estado(config: Path | None, *, as_json: bool, prometheus: bool, alertar: bool) -> None:
    """Mostra como está cada empresa; código 0 quando todas estão em dia, senão 7."""
    if as_json and prometheus:
        raise click.UsageError("--json e --prometheus dizem o mesmo de dois modos: escolha um.")
    settings = read_settings(config)
    if alertar and not settings.avisos.tells_anybody:
        raise ConfigError(
            f"{settings.origem}: avisos: ninguém a avisar; acrescente [avisos.email] ou [avisos.webhook]."
        )
    from lastro.operation.causes import find_cure
    from lastro.operation.state import read_states

    now = utc_now()
    states, scheduler = read_states(settings, now), read_scheduler(settings.dir)
    cures = {state.empresa: find_cure(state, settings.avisos, now) for state in states}
    if prometheus:
        from lastro.operation.metrics import render_metrics

        click.echo(render_metrics(states, scheduler, now), nl=False)
    elif as_json:
        click.echo(json.dumps(describe_operation(states, cures, scheduler, now), ensure_ascii=False, indent=2))
    else:
        print_states(settings, states, cures, scheduler, now)
    if alertar:
        from lastro.operation.notice_log import tell

        print_told(tell(settings, os.environ, now, states=states))
    closed = [state for state in states if state.fechada]
    for state in closed:
        messages.print(f"lastro: {' '.join(state.erros)}", style="red")
    if prometheus:
        return  # what a company stands at is a value, and no failure of who collects it
    if closed:
        sys.exit(StorageError.exit_code)
    sys.exit(0 if all(state.is_fresh for state in states) else EXIT_STALE)


def describe_operation(
    states: Sequence[CompanyState], cures: Mapping[str, str], scheduler: Scheduler | None, now: datetime
) -> dict[str, object]:
    """Describe the companies and the scheduler for JSON."""
    return {
        "em": now.isoformat(timespec="seconds"),
        "agendador": None
        if scheduler is None
        else {
            "vivo": scheduler.is_alive(now),
            "vivo_em": scheduler.vivo_em.isoformat(timespec="seconds"),
            "proxima": None if scheduler.proxima is None else scheduler.proxima.isoformat(timespec="seconds"),
        },
        "empresas": [state.describe() | {"o_que_fazer": cures[state.empresa]} for state in states],
    }


def print_states(
    settings: Settings,
    states: Sequence[CompanyState],
    cures: Mapping[str, str],
    scheduler: Scheduler | None,
    now: datetime,
) -> None:
    """Print the table, and below it what is not about one company."""
    alive = scheduler is not None and scheduler.is_alive(now)
    tick = "–"
    if alive and scheduler is not None and scheduler.proxima is not None:
        tick = f"{local_time(scheduler.proxima, settings.fuso):%d/%m %H:%M}"
    print_table(
        [HEADER, *(_write_row(state, cures[state.empresa], tick, settings.fuso) for state in states)], right=_RIGHT
    )
    fresh = sum(state.is_fresh for state in states)
    companies = count_text(len(states), "empresa", "empresas")
    hours = settings.avisos.horas_sem_execucao
    output.print(f"\n  {fresh} de {companies} em dia: leitura completa publicada nas últimas {hours} horas.")
    for state in states:
        for line in _tell_numbers(state, settings.fuso, now):
            output.print(f"  {state.empresa}: {line}")
        if state.historia is not None:
            when = format_moment(state.historia.desde, settings.fuso)
            output.print(f"  {state.empresa}: histórico {state.historia.o_que} em {when}.", style="yellow")
        for said in state.recados:
            output.print(f"  {state.empresa}: {said}", style="yellow")
    if scheduler is None:
        output.print("  Agendador: o do Dagster nunca rodou aqui.")
    elif not alive:
        since = format_moment(scheduler.vivo_em, settings.fuso)
        output.print(f"  Agendador: parado desde {since}; veja lastro doctor.")


def _tell_numbers(state: CompanyState, fuso: str, now: datetime) -> Iterator[str]:
    """Say which number is a reading's and which its report's, and how old the reading is."""

    def name(number: int, since: datetime) -> str:
        return f"execução {number}, de {format_moment(since, fuso)}, há {write_age(now - since)}"

    shown, waiting = state.publicada, state.leitura
    if shown is not None and shown.leitura_id != shown.execucao_id:
        read = name(shown.leitura_id, shown.leitura_em.replace(tzinfo=UTC))
        yield f"o publicado é a execução {shown.execucao_id}, da leitura da {read}."
    if state.falha is not None and state.falha.execucao_id is not None:
        yield f"a execução {state.falha.execucao_id} não publicou ({state.falha.classe})."
    if state.interrompida is not None:
        yield f"a execução {state.interrompida.execucao_id} não publicou (interrompida)."
    if waiting is not None:
        read = name(waiting.execucao_id, waiting.desde)
        yield f"leitura provada, sem relatório: {read}; lastro run --empresa {state.empresa} --so-relatorios."


def _write_row(state: CompanyState, cure: str, tick: str, fuso: str) -> tuple[str, ...]:
    shown = state.publicada
    situation = state.situacao
    if state.andamento is not None:
        situation += ", rodando"
    return (
        state.empresa,
        situation,
        "–" if state.completa_em is None else format_moment(state.completa_em, fuso),
        "–" if state.idade is None else write_age(state.idade),
        "–" if shown is None else format_date(shown.data_base) + (", passada" if shown.passado else ""),
        "–" if shown is None else shown.trust.scope,
        tick,
        "–" if shown is None else _write_requests(shown),
        "–" if shown is None else str(shown.segundos),
        write_size(state.bytes),
        cure or "–",
    )


def _write_requests(shown: PublishedRun) -> str:
    """Write what a run asked of the service; of a report alone what its reading did, and which that is."""
    if shown.leitura_id == shown.execucao_id:
        return str(shown.requisicoes)
    return f"{shown.leitura_requisicoes} (na {shown.leitura_id})"


def write_size(size: int) -> str:
    """Write a size in megabytes, as people read it.

    >>> write_size(9_040_000), write_size(1_234_000_000)
    ('9,0 MB', '1.234,0 MB')
    """
    return f"{size / 1_000_000:,.1f} MB".translate(str.maketrans(",.", ".,"))
