"""The commands: each calls one library function and prints what it returns; the only prints of the library."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from zoneinfo import ZoneInfo

import click

from lastro.access import find_notices, keep_private
from lastro.delta import delta
from lastro.errors import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, EXIT_ORDER, EXIT_TERMINATED, LastroError
from lastro.extras import choose_runner, demand, is_installed
from lastro.grid.words import format_date
from lastro.manual.command import manual
from lastro.outcome import Outcome, print_outcomes, print_result
from lastro.settings import DEFAULT_FUSO, Settings, load_settings, read_tokens
from lastro.terminal import messages, output

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy
    from lastro.run.order import RunOrder

DEMO_FOLDER = "lastro-demo"
UI_PORT = 3000
SANDBOX = "sandbox"

_config = click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file; default: lastro.toml here."
)
_day = click.DateTime(formats=["%Y-%m-%d"])
_held_run = partial(click.option, type=int, metavar="N")


class _Commands(click.Group):
    """Turns our errors into their message and exit code: no traceback for what a user can cause."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), SANDBOX])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the sandbox only where it is asked for: it brings a web server, and is an extra."""
        return super().get_command(ctx, cmd_name) or (_load_sandbox() if cmd_name == SANDBOX else None)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with keep_private():
                return super().invoke(ctx)
        except LastroError as error:
            _fail(error)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)


def _fail(error: LastroError) -> NoReturn:
    messages.print(f"lastro: {error}", style="red", markup=False)
    sys.exit(error.exit_code)


@click.group(cls=_Commands)
@click.version_option(package_name="lastro")
def main() -> None:
    """Complete, exact and traceable reports over a company's financial API."""


def _print_notices(settings: Settings, ids: Collection[str] = ()) -> None:
    for notice in find_notices(settings, [empresa for empresa in settings.empresas if empresa.id in ids]):
        messages.print(f"lastro: {notice}", style="yellow", markup=False)


def _to_date(value: datetime | None) -> date | None:
    if value is not None and not 1900 <= value.year <= 2199:
        raise click.BadParameter(f"{value:%Y-%m-%d} is not a day between 1900 and 2199.")
    return value.date() if value else None


@main.command()
@_config
@click.option("--empresa", "empresa_id", help="Run only this company; default: all of the settings.")
@click.option("--data-base", type=_day, help="As-of date D; default: the date of the extraction.")
@click.option(
    "--data-extracao", type=_day, help="Date of the extraction, for rehearsals against a service whose clock was set."
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
    "--sem-dagster", is_flag=True, help="Run without Dagster, as where it is not installed: its UI knows nothing of it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
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
    sem_dagster: bool,
    as_json: bool,
    **aceitar: int | None,
) -> None:
    """Run the daily job now: read, load, report, write and publish."""
    settings = load_settings(config, os.environ, Path.cwd())
    from lastro.run.order import Modo, RunOrder

    order = RunOrder(_to_date(data_base), _to_date(data_extracao), Modo(modo), **aceitar)
    ids = [empresa_id] if empresa_id else settings.ids
    if order.accepts and len(ids) > 1:
        raise click.UsageError("a held run is one company's: add --empresa.")
    _print_notices(settings, ids)
    recorded = is_installed("dagster") and not sem_dagster
    outcomes: list[Outcome] = []
    with note_signals() as received:
        # A signal that comes between two companies has nobody else to tell.
        with contextlib.suppress(KeyboardInterrupt):
            for number, each in enumerate(ids, 1):
                if len(ids) > 1:
                    messages.print(f"{each} ({number} de {len(ids)})", markup=False)
                outcomes.append(run_one(settings, each, order, policy, received, recorded=recorded))
                if received():
                    break
        code = min((outcome.code for outcome in outcomes), key=EXIT_ORDER.index, default=EXIT_INTERRUPTED)
        if received():
            code = EXIT_TERMINATED if signal.SIGTERM in received() else EXIT_INTERRUPTED
            messages.print("lastro: interrupted; nothing further is run.", style="red", markup=False)
    if as_json:
        click.echo(
            json.dumps({"execucoes": [outcome.describe() for outcome in outcomes]}, ensure_ascii=False, indent=2)
        )
    else:
        for outcome in outcomes:
            if outcome.result is not None:
                print_result(outcome.nome, outcome.result)
        print_outcomes(outcomes)
    sys.exit(code)


def run_one(
    settings: Settings,
    empresa_id: str,
    order: RunOrder,
    policy: RetryPolicy | None,
    received: Callable[[], frozenset[int]] = frozenset,
    *,
    recorded: bool = True,
) -> Outcome:
    """Run one company and say what became of it; its errors are its own and stop no other.

    Args:
        settings: all settings.
        empresa_id: the company.
        order: what is asked.
        policy: how patient its client is; None takes the usual patience.
        received: which signals came meanwhile.
        recorded: run it through Dagster, so that it stands in the UI.
    """
    began = time.monotonic()
    nome, result, error = empresa_id, None, None
    try:
        from lastro.progress import open_progress
        from lastro.run.order import Modo

        empresa = settings.empresa(empresa_id)
        nome = empresa.nome
        if order.modo is not Modo.RECALCULO:
            # Before anything is written; a recálculo asks the service nothing.
            read_tokens(settings, [empresa], os.environ)
        with open_progress(messages) as progress:
            result = choose_runner(recorded=recorded)(
                settings, empresa, order, env=os.environ, progress=progress, policy=policy
            )
        code = EXIT_CHECK_FAILED if result.failed else 0
    except LastroError as caught:
        error, code = caught, caught.exit_code
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception as defect:  # noqa: BLE001 - the border of one company: no defect ends the others
        # The other companies are none the worse for it. What it says may be anybody's data: only its frames are told.
        if recorded:
            where = "see the run in `lastro dev` and report it."
        else:
            where = f"report it:\n{''.join(traceback.format_tb(defect.__traceback__))}"
        error = LastroError(f"a defect of lastro ({type(defect).__name__}); {where}")
        code = error.exit_code
    if result is None and received():
        # Whatever it ended with is what a signal leaves: a statement that was cut off, a run without its last step.
        error, code = None, EXIT_INTERRUPTED
    if error is not None:
        messages.print(f"lastro: {empresa_id}: {error}", style="red", markup=False)
    return Outcome(empresa_id, nome, time.monotonic() - began, code, result, error)


@contextlib.contextmanager
def note_signals() -> Iterator[Callable[[], frozenset[int]]]:
    """Hear Ctrl+C and SIGTERM, and remember that they came: Dagster swallows those that meet its own work."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    heard: set[int] = set()

    def received() -> frozenset[int]:
        with contextlib.suppress(BlockingIOError):
            heard.update(number for number in os.read(reader, 64) if number in (signal.SIGINT, signal.SIGTERM))
        return frozenset(heard)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # SIGINT too: a script in the background has it ignored, and Dagster would copy that to SIGTERM.
    previous = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


@main.command()
@_config
@click.option(
    "--porta",
    default=UI_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port of the UI on 127.0.0.1; 0 takes a free one.",
)
@click.option("--somente-leitura", is_flag=True, help="The UI only shows: nothing can be started, stopped or deleted.")
def dev(config: Path | None, porta: int, *, somente_leitura: bool) -> None:
    """Open the Dagster UI on this machine, with the schedules running."""
    demand("dagster", "lastro dev")
    settings = load_settings(config, os.environ, Path.cwd())
    from pipelines.execution import prepare_home
    from pipelines.services import serve_ui

    _print_notices(settings, settings.ids)
    for mistake in (mistake for mistakes in settings.invalidas.values() for mistake in mistakes):
        messages.print(f"lastro: {mistake}", style="yellow", markup=False)
    prepare_home(settings)
    if config is not None:
        os.environ["LASTRO_CONFIG"] = str(config.absolute())

    def announce(address: str) -> None:
        output.print(f"Dagster: {address}  (Ctrl+C ends it)", markup=False)

    serve_ui(settings, porta, read_only=somente_leitura, announce=announce)


@main.command()
@_config
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; gRPC has no login.")
@click.option("--porta", required=True, type=click.IntRange(1, 65535), help="Port to listen on.")
def codigo(config: Path | None, host: str, porta: int) -> None:
    """Serve this machine's companies to a Dagster of several machines (setting `local`)."""
    demand("dagster", "lastro codigo")
    settings = load_settings(config, os.environ, Path.cwd())
    from pipelines.code_server import serve_code

    _print_notices(settings, settings.ids)
    if config is not None:
        os.environ["LASTRO_CONFIG"] = str(config.absolute())
    serve_code(settings, host, porta)


@main.command()
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=Path(DEMO_FOLDER), show_default=True)
@click.option("--seed", default=1, show_default=True, help="Seed of the made-up company.")
@click.option(
    "--lancamentos", default=5000, show_default=True, type=click.IntRange(0, 1_000_000), help="How many entries it has."
)
@click.option("--hoje", type=_day, help="Today of the sandbox; default: today.")
def demo(folder: Path, seed: int, lancamentos: int, hoje: datetime | None) -> None:
    """Show the whole path on a made-up company: sandbox, run, KPIs, checks and files."""
    demand("sandbox", "lastro demo")
    from lastro.demo import run_demo
    from lastro.progress import open_progress

    with open_progress(messages) as progress:
        settings_file, empresa, result = run_demo(
            folder.absolute(),
            seed=seed,
            lancamentos=lancamentos,
            hoje=_to_date(hoje) or datetime.now(ZoneInfo(DEFAULT_FUSO)).date(),
            progress=progress,
        )
    print_result(empresa.nome, result)
    if is_installed("dagster"):
        output.print(f"\nUI: lastro dev --config {settings_file}", markup=False)
    output.print("Serviço de ensaio: lastro sandbox --help", markup=False)
    sys.exit(EXIT_CHECK_FAILED if result.failed else 0)


@main.command()
@_config
def grupo(config: Path | None) -> None:
    """Write one workbook of all companies side by side and summed, from what each has published."""
    settings = load_settings(config, os.environ, Path.cwd())
    from lastro.group import run_group

    _print_notices(settings)
    result = run_group(settings)
    output.print(f"\n{settings.grupo.nome} · data-base {format_date(result.data_base)}\n", markup=False)
    for book in result.books:
        state = "NÃO CONFIÁVEL" if book.empresa_id in result.unreliable else "CONFIÁVEL"
        output.print(f"  {book.nome:<42} execução {book.execucao_id} · {state}", markup=False)
    output.print(f"\n  Planilha: {result.workbook}", markup=False)
    sys.exit(EXIT_CHECK_FAILED if result.unreliable else 0)


@main.command()
@_config
@click.option("--empresa", "empresa_id", help="Company whose warehouse to describe; default: the first.")
def dicionario(config: Path | None, empresa_id: str | None) -> None:
    """Print the data dictionary of the published warehouse as Markdown."""
    settings = load_settings(config, os.environ, Path.cwd())
    empresa = settings.empresa(empresa_id) if empresa_id else settings.empresas[0]
    from lastro.warehouse.dictionary import render_dictionary
    from lastro.warehouse.publish import LINK_NAME

    click.echo(render_dictionary(settings.pasta(empresa) / LINK_NAME), nl=False)


def _load_sandbox() -> click.Command:
    if not is_installed("sandbox"):
        return _refuse_sandbox
    from lastro_sandbox.cli import sandbox

    return sandbox


@click.command(SANDBOX, context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("options", nargs=-1)
def _refuse_sandbox(options: tuple[str, ...]) -> None:  # noqa: ARG001 - whatever is asked of it
    """Serve made-up books by the service's contract (needs lastro[sandbox])."""
    demand("sandbox", "lastro sandbox")


main.add_command(delta)
main.add_command(manual)
