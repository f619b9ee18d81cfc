"""The click command ``lastro sandbox``: builds the books, says where the service answers, and serves until stopped."""

from __future__ import annotations

import re
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import click
from click.core import ParameterSource

from lastro_sandbox.app import create_app
from lastro_sandbox.decisions import (
    COMPOSITE_SHAPES,
    COUNT_SHAPES,
    DEFAULT_COMPOSITE_SHAPE,
    DIALECTS,
    CompositeShape,
    Dialect,
)
from lastro_sandbox.exported import ExportError
from lastro_sandbox.journal import describe_request
from lastro_sandbox.ledger import Books
from lastro_sandbox.origin import EXAMPLES, OPTIONS, Origin
from lastro_sandbox.server import describe_address, open_socket, run_until_stopped
from lastro_sandbox.settings_file import describe_companies, write_settings
from lastro_sandbox.store import StateBusy, StateError, Store
from lastro_sandbox.tenants import Tenant

SECRET_LEAST = 8
IDLE = {
    "empresa_exemplo": ("seed", "lancamentos", "hoje"),
    "dados": ("seed", "lancamentos", "empresa_exemplo", "saldo_inicial_lancamento"),
    "empresas": ("seed", "token", "empresa_exemplo", "dados"),
}
"""Option -> the options that would do nothing beside it."""


def build_books(
    *,
    seed: int = 1,
    lancamentos: int = 5000,
    hoje: date | None = None,
    empresa_exemplo: str | None = None,
    forma_composto: CompositeShape = "A",
    saldo_inicial_lancamento: bool = False,
) -> Books:
    """Build the books that the command's options ask for."""
    return Origin(
        seed, lancamentos, hoje.isoformat() if hoje else None, empresa_exemplo, forma_composto, saldo_inicial_lancamento
    ).build()


def _given(*names: str) -> list[str]:
    """Return those of the options that the user named, by parameter."""
    context = click.get_current_context()
    given = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    return [name for name in names if context.get_parameter_source(name) in given]


def _refuse_idle_options() -> None:
    """Refuse options that would do nothing beside others.

    Raises:
        click.UsageError: an option was named that another leaves without effect.
    """
    for decides, idle in IDLE.items():
        names = _given(decides) and _given(*idle)
        if names:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            other = "empresa" if decides == "empresas" else decides.replace("_", "-")
            raise click.UsageError(f"{options} would do nothing with --{other}, which decides that: leave it out")


def _open_tenant(store: Store | None, origin: Origin, token: str) -> Tenant:
    """Read the books of a state file, or make new ones and keep them there.

    Raises:
        click.UsageError: the file's books were made with other options than those named now.
    """
    books = None if store is None else store.load()
    if store is None or books is None:
        books = origin.build()
        if store is not None:
            store.save_all(books, origin)
        return Tenant(books, token, estado=store, recomeco=origin.build)
    asked = {name: getattr(origin, name) for name in _given(*OPTIONS)}
    wrong = [OPTIONS[name] for name in asked] if store.origin is None else store.origin.find_contradictions(**asked)
    if wrong:
        raise click.UsageError(
            f"{store.path.name} holds books made without {', '.join(wrong)} as given now, and decides: "
            "leave that out, or name another file"
        )
    return Tenant(books, token, estado=store, recomeco=store.origin.build if store.origin else None)


@click.command("sandbox")
@click.option(
    "--port",
    default=8200,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--token", default="sandbox", show_default=True, help="The access token that is accepted.")
@click.option("--seed", default=1, show_default=True, help="Which company to invent.")
@click.option("--lancamentos", default=5000, show_default=True, type=click.IntRange(0), help="How many entries.")
@click.option("--hoje", type=click.DateTime(["%Y-%m-%d"]), help="The company's day (default: the machine's date).")
@click.option("--empresa-exemplo", type=click.Choice(EXAMPLES), help="Serve the golden company instead.")
@click.option("--forma-composto", type=click.Choice(COMPOSITE_SHAPES),
              help="How composite entries are shown (default: A, in the dialect observado D).")  # fmt: skip
@click.option("--saldo-inicial-lancamento", is_flag=True, help="List opening balances as entries too.")
@click.option("--dialeto", type=click.Choice(DIALECTS), default="documento", show_default=True,
              help="What the document says, or what such services were seen to do.")  # fmt: skip
@click.option("--forma-count", type=click.Choice(COUNT_SHAPES), help="Shape of tipo_view=count.")
@click.option("--falha", "falhas", multiple=True, metavar="TIPO[:CHAVE=VALOR,...]",
              help="A fault to inject, for instance 500:p=0.1 or 429:k=3,retry_after=2; repeatable.")  # fmt: skip
@click.option("--janela", "janelas", multiple=True, metavar="N/Ss", help="A rate window, e.g. 100/60s; repeatable.")
@click.option("--semente", default=1, show_default=True, help="Seed of the faults.")
@click.option("--controle", is_flag=True, help="Add the /_sandbox controls (clock, faults, journal) for this machine.")
@click.option("--segredo-controle", metavar="SEGREDO", envvar="LASTRO_SANDBOX_SEGREDO",
              help="Add the controls for callers anywhere who send this secret (8 characters or more).")  # fmt: skip
@click.option("--mostrar", is_flag=True, help="Print each request as it was answered, without the token.")
@click.option("--estado", type=click.Path(path_type=Path, dir_okay=False),
              help="File that keeps the books between starts; once it exists, it decides what is in them.")  # fmt: skip
@click.option("--dados", type=click.Path(path_type=Path, file_okay=False),
              help="Folder of JSON lists that you exported from the service: serve these books.")  # fmt: skip
@click.option("--empresa", "empresas", multiple=True, metavar="NOME:TOKEN:SEED",
              help="An invented company with a token of its own; repeatable, all on one port.")  # fmt: skip
@click.option("--escrever", type=click.Path(path_type=Path, dir_okay=False), metavar="lastro.toml",
              help="Write a settings file for lastro that points here.")  # fmt: skip
@click.option("--latencia", default=0.0, type=click.FloatRange(0), help="Seconds that every answer takes longer.")
def sandbox(
    *,
    port: int,
    host: str,
    token: str,
    seed: int,
    lancamentos: int,
    hoje: datetime | None,
    empresa_exemplo: str | None,
    forma_composto: CompositeShape | None,
    saldo_inicial_lancamento: bool,
    dialeto: Dialect,
    forma_count: str | None,
    falhas: tuple[str, ...],
    janelas: tuple[str, ...],
    semente: int,
    controle: bool,
    segredo_controle: str | None,
    mostrar: bool,
    estado: Path | None,
    dados: Path | None,
    empresas: tuple[str, ...],
    escrever: Path | None,
    latencia: float,
) -> None:
    """Serve the documented financial service with an invented company, to rehearse on."""
    origin = Origin(
        seed=seed,
        lancamentos=lancamentos,
        hoje=(hoje.date() if hoje else date.today()).isoformat(),  # noqa: DTZ011 - the user's own date is meant
        empresa_exemplo=empresa_exemplo,
        forma_composto=forma_composto or DEFAULT_COMPOSITE_SHAPE[dialeto],
        saldo_inicial_lancamento=saldo_inicial_lancamento,
        dialeto=dialeto,
        dados=None if dados is None else str(dados.resolve()),
    )
    _refuse_idle_options()
    if segredo_controle is not None and len(segredo_controle) < SECRET_LEAST:
        raise click.UsageError(f"--segredo-controle needs at least {SECRET_LEAST} characters")
    with ExitStack() as stack:
        try:
            tenants = _open_tenants(stack, origin, estado, token, empresas)
            app = create_app(
                empresas=tenants,
                dialeto=dialeto,
                forma_count=forma_count,
                falhas=falhas,
                janelas=janelas,
                semente=semente,
                controle=controle,
                segredo=segredo_controle,
                latencia=latencia,
                gravar=False,
                mostrar=(lambda noted: click.echo(describe_request(noted))) if mostrar else None,
            )
            sock = stack.enter_context(open_socket(host, port))
        except (StateBusy, ExportError) as error:
            raise click.UsageError(str(error)) from None
        except (StateError, ValueError) as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            raise click.ClickException(f"can't listen on {host}:{port}: {error.strerror}; try --port 0") from None
        address = describe_address(sock)
        settings = describe_companies(tenants, address)
        if escrever is not None:
            _write_settings(escrever, settings)
        controls = controle or segredo_controle is not None
        run_until_stopped(
            app, sock, lambda: _print_start(tenants, address, settings, dialeto=dialeto, controls=controls)
        )


def _open_tenants(
    stack: ExitStack, origin: Origin, estado: Path | None, token: str, empresas: tuple[str, ...]
) -> list[Tenant]:
    """Open the company of the other options, or those of ``--empresa``, each with a state file of its own.

    Raises:
        click.UsageError: an ``--empresa`` that can't be read.
    """

    def open_one(one: Origin, token: str) -> Tenant:
        path = estado
        if path is not None and one.nome is not None:
            path = path.with_name(f"{path.stem}-{one.nome}{path.suffix}")
        store = None if path is None else stack.enter_context(closing(Store(path)))
        tenant = _open_tenant(store, one, token)
        tenant.nome = one.nome or ""
        return tenant

    if not empresas:
        return [open_one(origin, token)]
    tenants = []
    for text in empresas:
        match = re.fullmatch(r"([A-Za-z0-9_-]{1,40}):([^:\s]+):([0-9]{1,9})", text)
        if match is None:
            raise click.UsageError("--empresa is written NOME:TOKEN:SEED, a name of letters and digits, a whole number")
        tenants.append(open_one(replace(origin, nome=match[1], seed=int(match[3])), match[2]))
    return tenants


def _write_settings(path: Path, settings: str) -> None:
    try:
        write_settings(path, settings)
    except FileExistsError:
        raise click.UsageError(f"{path.name} is there already and stays as it is: name another file") from None
    except OSError as error:
        raise click.ClickException(f"can't write {path.name}: {error.strerror}") from None


def _print_start(tenants: list[Tenant], base_url: str, settings: str, *, dialeto: str, controls: bool) -> None:
    """Print what a user needs: where it answers, the tokens, and settings to paste."""
    for tenant in tenants:
        books = tenant.books
        click.echo(f"{books.nome}: {len(books.lancamentos)} lançamentos, hoje = {books.hoje}, dialeto {dialeto}")
    click.echo(f"base_url  {base_url}")
    for tenant in tenants:
        click.echo(f"token     {tenant.token}{f'  ({tenant.nome})' if tenant.nome else ''}")
    click.echo("\n# lastro.toml (and: export SANDBOX_TOKEN=<token>)")
    click.echo(settings)
    if controls:
        click.echo(f"controls  {base_url}/_sandbox/estado  /avancar?dias=N  /falhas  /requisicoes  /reiniciar")
    click.echo(f"interface {base_url}/_sandbox\nCtrl+C ends it.")
