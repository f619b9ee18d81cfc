"""The command line: gathers the commands, and turns what they raise into a message and an exit code."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any, Final, NoReturn

import click

from lastro.commands.abrir import abrir
from lastro.commands.delta import delta
from lastro.commands.demo import demo
from lastro.commands.dev import dev
from lastro.commands.diff import diff
from lastro.commands.doctor import doctor
from lastro.commands.estado import estado
from lastro.commands.exportar import exportar
from lastro.commands.grupo import grupo
from lastro.commands.iniciar import iniciar
from lastro.commands.limpar import limpar
from lastro.commands.mapa import mapa
from lastro.commands.orcamento import orcamento
from lastro.commands.portuguese import Mistake, PortugueseContext
from lastro.commands.run import run
from lastro.commands.saldos import saldos
from lastro.commands.sandbox import SANDBOX, load_sandbox
from lastro.commands.sql import sql
from lastro.commands.web import web
from lastro.errors import EXIT_INTERRUPTED, LastroError
from lastro.files import describe_denial
from lastro.garbage import collect_seldom
from lastro.manual.command import manual
from lastro.run.access import keep_private
from lastro.terminal import messages, speak_anywhere

GROUPS: Final = {
    "Começar": ("demo", "iniciar", "doctor", "mapa", SANDBOX),
    "Todo dia": ("run", "abrir", "saldos", "orcamento", "estado", "dev"),
    "Ler": ("sql", "exportar", "diff", "grupo", "manual"),
    "Manter": ("limpar", "web", "delta"),
}
"""The commands in the order in which somebody needs them."""


class _Commands(click.Group):
    """Turns our errors into their message and exit code: no traceback for what a user can cause."""

    context_class = PortugueseContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), SANDBOX])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the first sentence of each command whole, by what it is for; click would cut it and sort by name."""
        for heading, names in GROUPS.items():
            commands = {name: command for name in names if (command := self.get_command(ctx, name)) is not None}
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, command.get_short_help_str(limit=200)) for name, command in commands.items()]
                )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the sandbox only where it is asked for: it brings a web server, and is an extra."""
        command = super().get_command(ctx, cmd_name) or (load_sandbox() if cmd_name == SANDBOX else None)
        if command is not None:
            command.context_class = PortugueseContext
        return command

    def main(self, *given: Any, **options: Any) -> Any:
        speak_anywhere()
        return super().main(*given, **options)

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*given, **options)
        except click.UsageError as error:
            raise _tell(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        collect_seldom()
        try:
            with keep_private():
                return super().invoke(ctx)
        except LastroError as error:
            _fail(error)
        except PermissionError as error:
            _fail(describe_denial(error))
        except click.UsageError as error:
            raise _tell(error) from None
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)


def _tell(error: click.UsageError) -> click.UsageError:
    # Who types `lastro` alone is shown the help.
    return error if isinstance(error, click.exceptions.NoArgsIsHelpError) else Mistake(error)


def _fail(error: LastroError) -> NoReturn:
    messages.print(f"lastro: {error}", style="red")
    sys.exit(error.exit_code)


def _print_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's
    if not wanted or context.resilient_parsing:
        return
    from lastro.schema.tables import SCHEMA_VERSION

    click.echo(f"lastro {version('lastro')} · esquema {SCHEMA_VERSION} · duckdb {version('duckdb')}")
    context.exit()


@click.group(cls=_Commands)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Versões.")
def main() -> None:
    """Comece por «lastro demo» para ver, ou por «lastro iniciar» com a sua empresa.

    Relatórios completos, exatos e rastreáveis a partir da API financeira de uma empresa. O passeio inteiro:
    lastro manual comecar.
    """


for _command in (
    demo, dev, web, run, iniciar, abrir, estado, doctor, limpar, mapa, saldos, orcamento, sql, exportar, diff, delta,
    manual, grupo,
):  # fmt: skip
    main.add_command(_command)
