"""The commands: each calls one library function and prints what it returns; the only prints of the library."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

import click

from lastro.access import keep_private
from lastro.commands.delta import delta
from lastro.commands.diff import diff
from lastro.commands.doctor import doctor
from lastro.commands.options import config_option, print_notices, read_only_option, read_settings, ui_port_option
from lastro.commands.retention import limpar
from lastro.commands.run import day_type, run, to_date
from lastro.commands.sql import sql
from lastro.commands.state import estado
from lastro.commands.web import web
from lastro.errors import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, ConfigError, LastroError
from lastro.extras import demand, is_installed
from lastro.garbage import OF_A_COMMAND, collect_seldom
from lastro.grid.words import format_date
from lastro.manual.command import manual
from lastro.outcome import print_result
from lastro.settings import DEFAULT_FUSO, EXPORT_FORMATS
from lastro.terminal import messages, output

DEMO_FOLDER = "lastro-demo"
SANDBOX = "sandbox"


class _Commands(click.Group):
    """Turns our errors into their message and exit code: no traceback for what a user can cause."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), SANDBOX])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the first sentence of each command whole; click would cut it at the end of the line."""
        names = self.list_commands(ctx)
        found = {name: command for name in names if (command := self.get_command(ctx, name)) is not None}
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=200)) for name, command in found.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the sandbox only where it is asked for: it brings a web server, and is an extra."""
        return super().get_command(ctx, cmd_name) or (_load_sandbox() if cmd_name == SANDBOX else None)

    def invoke(self, ctx: click.Context) -> Any:
        collect_seldom(OF_A_COMMAND)
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


def _print_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's
    if not wanted or context.resilient_parsing:
        return
    from lastro.schema.tables import SCHEMA_VERSION

    click.echo(f"lastro {version('lastro')} · esquema {SCHEMA_VERSION} · duckdb {version('duckdb')}")
    context.exit()


def enter() -> None:
    """Run a command line and end at once: the program that an installation puts on the path.

    To take down what Dagster and pandas have loaded, object by object, costs Python most of a second that nobody needs:
    the system gets all of it back anyway. What may matter comes first, as at the end of the children of
    `multiprocessing`: threads are awaited, what is registered for the end is done, streams are flushed.
    """
    try:
        main()
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:  # Python says so at its own end, with a code that is none of success
            raise end from None
        os._exit(end.code or 0)


@click.group(cls=_Commands)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Versions.")
def main() -> None:
    """Complete, exact and traceable reports over a company's financial API."""


@main.command()
@config_option
@ui_port_option
@read_only_option
def dev(config: Path | None, porta: int, *, somente_leitura: bool) -> None:
    """Open the Dagster UI on this machine, with the schedules running."""
    demand("dagster", "lastro dev")
    settings = read_settings(config)
    if settings.kubernetes is not None:
        raise ConfigError(
            f"{settings.origem}: kubernetes: here runs become pods, which this machine cannot start. Use the web "
            "server of the cluster (lastro manual maquinas), or leave [kubernetes] out."
        )
    print_notices(settings, settings.ids)
    for mistake in (mistake for mistakes in settings.invalidas.values() for mistake in mistakes):
        messages.print(f"lastro: {mistake}", style="yellow", markup=False)
    from lastro.pipelines.execution import prepare_home
    from lastro.pipelines.services import serve_ui

    prepare_home(settings, os.environ)
    if config is not None:
        os.environ["LASTRO_CONFIG"] = str(config.absolute())

    def announce(address: str) -> None:
        output.print(f"Dagster: {address}  (Ctrl+C ends it)", markup=False)

    serve_ui(settings, porta, read_only=somente_leitura, announce=announce)


@main.command()
@config_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; gRPC has no login.")
@click.option("--porta", default=4201, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option(
    "--mostrar", is_flag=True, help="Only print the dagster.yaml that web server and daemon need beside this one."
)
def codigo(config: Path | None, host: str, porta: int, *, mostrar: bool) -> None:
    """Serve companies to a Dagster of several machines (setting `local`) or of pods (`[kubernetes]`)."""
    demand("dagster", "lastro codigo")
    settings = read_settings(config)
    from lastro.pipelines import code_server

    if mostrar:
        click.echo(code_server.show_instance(settings), nl=False)
        return
    print_notices(settings, settings.ids)
    if config is not None:
        os.environ["LASTRO_CONFIG"] = str(config.absolute())
    code_server.serve_code(settings, host, porta)


@main.command()
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=Path(DEMO_FOLDER), show_default=True)
@click.option("--seed", default=1, show_default=True, help="Seed of the made-up company.")
@click.option(
    "--lancamentos", default=5000, show_default=True, type=click.IntRange(0, 1_000_000), help="Entries to invent."
)
@click.option("--hoje", type=day_type, help="Today of the sandbox; default: today.")
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
            hoje=to_date(hoje) or datetime.now(ZoneInfo(DEFAULT_FUSO)).date(),
            progress=progress,
        )
    print_result(empresa.nome, result)
    if is_installed("dagster"):
        output.print(f"\nUI: lastro dev --config {settings_file}", markup=False)
    output.print("Serviço de ensaio: lastro sandbox --help", markup=False)
    sys.exit(EXIT_CHECK_FAILED if result.failed else 0)


@main.command()
@config_option
def grupo(config: Path | None) -> None:
    """Write one workbook of all companies side by side and summed, from what each has published."""
    settings = read_settings(config)
    from lastro.group import run_group

    print_notices(settings)
    result = run_group(settings)
    output.print(f"\n{settings.grupo.nome} · data-base {format_date(result.data_base)}\n", markup=False)
    for book in result.books:
        state = "NÃO CONFIÁVEL" if book.empresa_id in result.unreliable else "CONFIÁVEL"
        output.print(f"  {book.nome:<42} execução {book.execucao_id} · {state}", markup=False)
    output.print(f"\n  Planilha: {result.workbook}", markup=False)
    sys.exit(EXIT_CHECK_FAILED if result.unreliable else 0)


@main.command()
@config_option
@click.argument("empresa_id", metavar="[EMPRESA]", required=False)
@click.option("--so-novas", is_flag=True, help="Leave out categories without amount in the last 12 months.")
def mapa(config: Path | None, empresa_id: str | None, *, so_novas: bool) -> None:
    """Propose lines for dre_mapa by the names of the categories, as TOML to check and paste."""
    settings = read_settings(config)
    empresa = settings.empresa(empresa_id) if empresa_id else settings.empresas[0]
    from lastro.map_command import run_map

    click.echo(run_map(settings, empresa, so_novas=so_novas), nl=False)


@main.command()
@config_option
@click.option("--empresa", "empresa_id", help="Company whose published figures to copy; default: the first.")
@click.option(
    "--formato",
    type=click.Choice(EXPORT_FORMATS),
    default="parquet",
    show_default=True,
    help="Kind of file.",
)
@click.option(
    "--pasta", type=click.Path(path_type=Path, file_okay=False), help="Where to; default: exportados of the company."
)
@click.argument("tabelas", nargs=-1)
def exportar(
    config: Path | None, empresa_id: str | None, formato: str, pasta: Path | None, tabelas: tuple[str, ...]
) -> None:
    """Copy what is published into files: dados (the default), reports (R04) or views of mart (a_receber)."""
    settings = read_settings(config)
    empresa = settings.empresa(empresa_id) if empresa_id else settings.empresas[0]
    from lastro.run.datasets import export_tables

    folder, names = export_tables(settings, empresa, tabelas, formato, pasta and pasta.absolute())
    for name in names:
        output.print(str(folder / name), markup=False, soft_wrap=True)


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


for _command in (manual, run, estado, doctor, limpar, sql, delta, diff, web):
    main.add_command(_command)
