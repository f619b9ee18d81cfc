"""`lastro run`: every company of the settings, or one; one after the other, or several at a time."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lastro.calendar import local_day
from lastro.clock import utc_now
from lastro.commands.company_run import run_apart, run_one, show_nothing
from lastro.commands.invocation import config_option, print_notices, print_told, read_settings
from lastro.commands.outcome_text import print_outcomes, print_result, write_line
from lastro.errors import EXIT_INTERRUPTED, EXIT_ORDER, EXIT_TERMINATED, LastroError
from lastro.run.ending import note_signals
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro.terminal import messages

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy
    from lastro.commands.company_run import Show

MOST_AT_ONCE = 32
day_type = click.DateTime(formats=["%Y-%m-%d", "%d/%m/%Y"])
_held_run = partial(click.option, type=int, metavar="N")


def to_date(value: datetime | None) -> date | None:
    """Turn an option's day into a date.

    Raises:
        click.BadParameter: for a day that is none of ours.
    """
    if value is not None and not 1900 <= value.year <= 2199:
        raise click.BadParameter(f"{value:%Y-%m-%d} não é um dia entre 1900 e 2199.")
    return value.date() if value else None


def _tell_useless(_context: click.Context, _option: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click's
    """Say of an option of 0.3 that it does nothing; 0.5 takes it away."""
    if given:
        messages.print("lastro: --sem-dagster não faz mais nada, pois lastro run já roda sem o Dagster: tire-o.")


@click.command()
@config_option
@click.option("--empresa", "empresa_id", help="Só esta empresa; padrão: todas da configuração.")
@click.option(
    "--data-base",
    type=day_type,
    help="Data-base D; padrão: a data da extração. Um dia anterior ao publicado vai para retro/.",
)
@click.option(
    "--publicar-passado", is_flag=True, help="Com --data-base: publica esse dia passado no lugar de um posterior."
)
@click.option(
    "--fechamento",
    type=click.DateTime(formats=["%Y-%m"]),
    metavar="AAAA-MM",
    help="Escreve também o fechamento desse mês, que já acabou; uma edição que existe nunca é trocada (S25).",
)
@click.option(
    "--data-extracao",
    type=day_type,
    help="Data da extração, para ensaios contra um serviço de relógio acertado.",
)
@click.option(
    "--modo",
    type=click.Choice([modo.asked for modo in Modo]),
    default=Modo.COMPLETA.asked,
    show_default=True,
    help="completa lê tudo; quente só o que está em volta de hoje; recalculo não lê nada: calcula de novo a última "
    "leitura publicada.",
)
@click.option(
    "--so-relatorios",
    is_flag=True,
    help="Não lê nada: faz o relatório da última leitura provada que espera por um, porque falhou ou ficou retido.",
)
@_held_run(
    "--aceitar-exclusoes",
    help="Deixa sair o que a execução N, retida por exclusões, mostrou que sairia. Com --so-relatorios, como os dois "
    "seguintes: sem ler de novo.",
)
@_held_run("--aceitar-alteracoes", help="Deixa mudar o que a execução N, retida por alterações, mostrou que mudaria.")
@_held_run("--aceitar-origem", help="Aceita como da empresa o serviço que a execução N, retida pela origem, mostrou.")
@click.option(
    "--paralelo",
    default=1,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, MOST_AT_ONCE),
    help="Roda N empresas por vez, cada uma num processo.",
)
@click.option("--sem-dagster", is_flag=True, hidden=True, expose_value=False, callback=_tell_useless)
@click.option(
    "--json",
    "--json-linhas",
    "as_json",
    is_flag=True,
    help="Imprime um JSON por linha, inteiro quando cada empresa termina; --json-linhas é o mesmo, até a 0.5.",
)
@click.pass_obj
def run(
    policy: RetryPolicy | None,
    /,
    *,
    config: Path | None,
    empresa_id: str | None,
    data_base: datetime | None,
    data_extracao: datetime | None,
    fechamento: datetime | None,
    modo: str,
    so_relatorios: bool,
    publicar_passado: bool,
    paralelo: int,
    as_json: bool,
    **aceitar: int | None,
) -> None:
    """Roda o job do dia agora: lê, e faz o relatório do que leu."""
    settings = read_settings(config)
    from lastro.run.order import RunOrder

    if publicar_passado and data_base is None:
        raise click.UsageError("--publicar-passado não diz nada sem --data-base.")
    if so_relatorios and modo != Modo.COMPLETA.asked:
        raise click.UsageError("--so-relatorios é da leitura que espera, qualquer que seja: tire --modo.")
    order = RunOrder(
        to_date(data_base),
        to_date(data_extracao),
        Modo.parse(modo),
        **aceitar,
        publicar_passado=publicar_passado,
        fechamento=to_date(fechamento),
        so_relatorios=so_relatorios,
    )
    # A day that no run can take is refused before a company is looked at; the run asks again of its own reading.
    order.demand_days(order.data_extracao or local_day(utc_now(), settings.fuso))
    ids = (empresa_id,) if empresa_id else settings.ids
    if order.accepts and len(ids) > 1:
        raise click.UsageError("uma execução retida é de uma empresa: acrescente --empresa.")
    print_notices(settings, ids)
    outcomes: list[Mapping[str, Any]] = []
    apart = paralelo > 1 and len(ids) > 1
    tell, show = _choose_printers(len(ids), as_json=as_json)
    with note_signals(interrupt=not apart) as received:
        # A signal that comes between two companies has nobody else to tell.
        with contextlib.suppress(KeyboardInterrupt):
            if apart:
                from lastro.operation.batch import run_children

                ended = run_children(partial(run_apart, config, order), ids, most=paralelo, received=received)
            else:
                alone = partial(run_one, settings, order=order, policy=policy, received=received, show=show)
                ended = _run_in_turn(alone, ids, received)
            for outcome in ended:
                outcomes.append(outcome)  # what a signal cuts off keeps what was told before
                tell(outcome)
        code = min((outcome["codigo"] for outcome in outcomes), key=EXIT_ORDER.index, default=EXIT_INTERRUPTED)
        stopped = received()
        if stopped:
            code = EXIT_TERMINATED if signal.SIGTERM in stopped else EXIT_INTERRUPTED
            messages.print("lastro: interrompido; nada mais é rodado.", style="red")
    if not as_json:
        print_outcomes(outcomes)
    if not stopped:
        finish(settings)
    sys.exit(code)


def _run_in_turn(
    run_company: Callable[[str], Mapping[str, Any]], ids: tuple[str, ...], received: Callable[[], frozenset[int]]
) -> Iterator[Mapping[str, Any]]:
    """Run companies one after the other in this process."""
    for place, each in enumerate(ids, 1):
        if len(ids) > 1:
            messages.print(f"{each} ({place} de {len(ids)})")
        yield run_company(each)
        if received():
            return


def _choose_printers(companies: int, *, as_json: bool) -> tuple[Callable[[Mapping[str, Any]], None], Show]:
    """Choose what tells of a company as it ends, a line of it, and what shows all that the only one left."""
    told = itertools.count(1)

    def write(described: Mapping[str, Any]) -> None:
        if companies > 1:
            messages.print(f"[{next(told)} de {companies}] {write_line(described)}")

    if as_json:
        return _print_json_line, show_nothing
    return write, print_result if companies == 1 else show_nothing


def _print_json_line(described: Mapping[str, Any]) -> None:
    """Print a company as one line, flushed, with the moment: what was told stands, however the command ends."""
    told = {"em": utc_now().isoformat(timespec="seconds"), **described}
    click.echo(json.dumps(told, ensure_ascii=False))


def finish(settings: Settings) -> None:
    """Finish a batch: group database, messages, deletions; none of them changes the exit code."""
    if not settings.dir.is_dir():
        return
    if len(settings.empresas) > 1:
        from lastro.group.update import update_group

        with _told():
            update_group(settings)
    if settings.avisos.tells_anybody:
        from lastro.operation.notice_log import tell

        with _told():
            print_told(tell(settings, os.environ, utc_now()))
    from lastro.commands.estado import write_size
    from lastro.grid.words import count_text
    from lastro.operation.retention import prune

    with _told():
        gone = prune(settings, utc_now())
        if gone:
            size = write_size(sum(item.bytes for item in gone))
            messages.print(f"retenção: {count_text(len(gone), 'item saiu', 'itens saíram')}, {size}.")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell what went wrong beside the runs, and go on."""
    try:
        yield
    except LastroError as error:
        messages.print(f"lastro: {error}", style="red")
