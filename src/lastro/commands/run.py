"""`lastro run`: every company of the settings, or one; one after the other, or several at a time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lastro.clock import utc_now
from lastro.commands.one import note_signals, run_one
from lastro.commands.options import config_option, print_notices, read_settings
from lastro.errors import EXIT_INTERRUPTED, EXIT_ORDER, EXIT_TERMINATED, LastroError
from lastro.extras import is_installed
from lastro.garbage import letting_go
from lastro.outcome import Outcome, print_outcomes, print_result, write_line
from lastro.settings import Settings
from lastro.terminal import messages

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy
    from lastro.run.order import RunOrder

MOST_AT_ONCE = 32
day_type = click.DateTime(formats=["%Y-%m-%d"])
_held_run = partial(click.option, type=int, metavar="N")


def to_date(value: datetime | None) -> date | None:
    """Turn an option's day into a date.

    Raises:
        click.BadParameter: for a day that is none of ours.
    """
    if value is not None and not 1900 <= value.year <= 2199:
        raise click.BadParameter(f"{value:%Y-%m-%d} is not a day between 1900 and 2199.")
    return value.date() if value else None


@click.command()
@config_option
@click.option("--empresa", "empresa_id", help="Run only this company; default: all of the settings.")
@click.option(
    "--data-base",
    type=day_type,
    help="As-of date D; default: the date of the extraction. A day before the published one goes to retro/.",
)
@click.option(
    "--publicar-passado", is_flag=True, help="With --data-base: publish that past day in the place of a later one."
)
@click.option(
    "--data-extracao",
    type=day_type,
    help="Date of the extraction, for rehearsals against a service whose clock was set.",
)
@click.option(
    "--modo",
    type=click.Choice(["completa", "quente", "recalculo"]),
    default="completa",
    show_default=True,
    help="completa reads everything; quente only what is around today; recalculo nothing: it computes the last "
    "published reading again.",
)
@_held_run("--aceitar-exclusoes", help="Let go what run N, held for deletions, said would go.")
@_held_run("--aceitar-alteracoes", help="Let change what run N, held for changes, said would change.")
@_held_run("--aceitar-origem", help="Take the service that run N, held for its origin, showed for the company's.")
@click.option(
    "--paralelo",
    default=1,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, MOST_AT_ONCE),
    help="Run N companies at a time, each in a process of its own.",
)
@click.option(
    "--sem-dagster", is_flag=True, help="Run without Dagster, as where it is not installed: its UI knows nothing of it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcomes as JSON, each as its company ends.")
@click.pass_obj
def run(
    policy: RetryPolicy | None,
    /,
    *,
    config: Path | None,
    empresa_id: str | None,
    data_base: datetime | None,
    data_extracao: datetime | None,
    modo: str,
    publicar_passado: bool,
    paralelo: int,
    sem_dagster: bool,
    as_json: bool,
    **aceitar: int | None,
) -> None:
    """Run the daily job now: read, load, report, write and publish."""
    settings = read_settings(config)
    from lastro.run.order import Modo, RunOrder

    if publicar_passado and data_base is None:
        raise click.UsageError("--publicar-passado says nothing without --data-base.")
    order = RunOrder(
        to_date(data_base), to_date(data_extracao), Modo(modo), **aceitar, publicar_passado=publicar_passado
    )
    ids = (empresa_id,) if empresa_id else settings.ids
    if order.accepts and len(ids) > 1:
        raise click.UsageError("a held run is one company's: add --empresa.")
    print_notices(settings, ids)
    recorded = is_installed("dagster") and not sem_dagster
    outcomes: list[Mapping[str, Any]] = []
    apart = paralelo > 1 and len(ids) > 1
    with note_signals(interrupt=not apart) as received, _printing(len(ids), as_json=as_json) as tell:
        # A signal that comes between two companies has nobody else to tell.
        with contextlib.suppress(KeyboardInterrupt):
            if apart:
                ended = _run_apart(config, ids, order, received, recorded=recorded, most=paralelo)
            else:
                ended = _run_in_turn(settings, ids, order, policy, received, recorded=recorded)
            outcomes.extend(tell_each(ended, tell))  # what a signal cuts off keeps what was told before
        code = min((outcome["codigo"] for outcome in outcomes), key=EXIT_ORDER.index, default=EXIT_INTERRUPTED)
        stopped = received()
        if stopped:
            code = EXIT_TERMINATED if signal.SIGTERM in stopped else EXIT_INTERRUPTED
            messages.print("lastro: interrupted; nothing further is run.", style="red", markup=False)
    if not as_json:
        print_outcomes(outcomes)
    if not stopped:
        finish(settings)
    sys.exit(code)


def tell_each(ended: Iterable[Outcome], tell: Callable[[Outcome], None]) -> Iterator[Mapping[str, Any]]:
    """Tell what became of each company as it ends, and yield its description.

    A result holds every row of a company's reports: it is let go before the next company runs.
    """
    for outcome in ended:
        tell(outcome)
        described = outcome.describe()
        del outcome
        yield described


def _run_apart(
    config: Path | None,
    ids: tuple[str, ...],
    order: RunOrder,
    received: Callable[[], frozenset[int]],
    *,
    recorded: bool,
    most: int,
) -> Iterator[Outcome]:
    """Run so many companies at a time, each in a process of its own."""
    from lastro.commands.child import work
    from lastro.operation.batch import run_children

    yield from run_children(
        partial(work, environ=dict(os.environ), folder=str(Path.cwd())),
        config,
        ids,
        order,
        recorded=recorded,
        most=most,
        received=received,
        needed=(work.__module__, "lastro.run.needed", *(["lastro.pipelines.execution", "dagster"] if recorded else [])),
    )


def _run_in_turn(
    settings: Settings,
    ids: tuple[str, ...],
    order: RunOrder,
    policy: RetryPolicy | None,
    received: Callable[[], frozenset[int]],
    *,
    recorded: bool,
) -> Iterator[Outcome]:
    """Run companies one after the other in this process."""
    with letting_go() as let_go:
        for number, each in enumerate(ids, 1):
            if number > 1:
                let_go()
            if len(ids) > 1:
                messages.print(f"{each} ({number} de {len(ids)})", markup=False)
            yield run_one(settings, each, order, policy, received, recorded=recorded)
            if received():
                return


@contextlib.contextmanager
def _printing(companies: int, *, as_json: bool) -> Iterator[Callable[[Outcome], None]]:
    """Give what tells of each company as it ends: JSON that is whole at the end, or a line of many, or all of one."""
    told = 0

    def write_json(outcome: Outcome) -> None:
        nonlocal told
        text = json.dumps(outcome.describe(), ensure_ascii=False, indent=2)
        click.echo(("," if told else "") + "\n" + text, nl=False)
        told += 1

    def write_text(outcome: Outcome) -> None:
        nonlocal told
        told += 1
        if outcome.result is not None and companies == 1:
            print_result(outcome.nome, outcome.result)
        elif companies > 1:
            messages.print(f"[{told} de {companies}] {write_line(outcome.describe())}", markup=False)

    if as_json:
        click.echo('{"execucoes": [', nl=False)
        try:
            yield write_json
        finally:
            click.echo("\n]}")
    else:
        yield write_text


def finish(settings: Settings) -> None:
    """Do what follows a batch: the group's database, who is told, what goes; none of it changes the exit code."""
    if not settings.dir.is_dir():
        return
    if len(settings.empresas) > 1:
        from lastro.operation.group_update import update_group

        with _told():
            update_group(settings)
    if settings.avisos.email is not None or settings.avisos.webhook is not None:
        from lastro.notify.record import tell

        with _told():
            for line in tell(settings, os.environ, utc_now()):
                messages.print(f"lastro: avisado por {line}", markup=False)
    from lastro.operation.retention import prune

    with _told():
        prune(settings, utc_now())


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell what went wrong beside the runs, and go on."""
    try:
        yield
    except LastroError as error:
        messages.print(f"lastro: {error}", style="red", markup=False)
