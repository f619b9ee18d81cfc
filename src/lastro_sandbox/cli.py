"""The click command ``lastro sandbox``: builds the books, says where the service answers, and serves until stopped."""

from __future__ import annotations

from contextlib import ExitStack, closing
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
from lastro_sandbox.ledger import Books
from lastro_sandbox.origin import EXAMPLES, OPTIONS, Origin
from lastro_sandbox.server import describe_address, open_socket, run_until_stopped
from lastro_sandbox.store import StateBusy, StateError, Store
from lastro_sandbox.tenants import Tenant


def describe_settings(books: Books, base_url: str, token_env: str = "SANDBOX_TOKEN") -> str:  # noqa: S107 - a name
    """Write a settings file (TOML) that points at this sandbox."""
    lines = [
        'dir = "dados"',
        'fuso = "America/Sao_Paulo"',
        "",
        "[[empresa]]",
        f'id = "{books.empresa_id}"',
        f'nome = "{books.nome}"',
        f'base_url = "{base_url}"',
        f'token_env = "{token_env}"',
        "limites = []",
    ]
    for account in books.describe_accounts():
        lines += [
            "",
            "[[empresa.conta]]",
            f"conta_id = {account['conta_id']}",
            f'descricao = "{_escape(account["descricao"])}"',
            f'valor_saldo_inicial = "{account["valor_saldo_inicial"]}"',
        ]
        if account["data_saldo_inicial"] is not None:
            lines.append(f"data_saldo_inicial = {account['data_saldo_inicial']}")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 32 else c for c in text)


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


def _refuse_idle_options(origin: Origin) -> None:
    """Refuse options that would do nothing.

    Raises:
        click.UsageError: an option was named that the others leave without effect.
    """
    idle = _given("seed", "lancamentos", "hoje") if origin.empresa_exemplo else []
    if idle:
        options = ", ".join(OPTIONS[name] for name in idle)
        raise click.UsageError(f"{options} would do nothing with --empresa-exemplo, whose books stand: leave it out")


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
@click.option("--controle", is_flag=True, help="Add the /_sandbox controls (clock, faults) for this machine.")
@click.option("--estado", type=click.Path(path_type=Path, dir_okay=False),
              help="File that keeps the books between starts; once it exists, it decides what is in them.")  # fmt: skip
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
    estado: Path | None,
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
    )
    _refuse_idle_options(origin)
    with ExitStack() as stack:
        try:
            store = None if estado is None else stack.enter_context(closing(Store(estado)))
            tenant = _open_tenant(store, origin, token)
            app = create_app(
                empresas=[tenant],
                dialeto=dialeto,
                forma_count=forma_count,
                falhas=falhas,
                janelas=janelas,
                semente=semente,
                controle=controle,
                latencia=latencia,
                gravar=False,
            )
            sock = stack.enter_context(open_socket(host, port))
        except StateBusy as error:
            raise click.UsageError(str(error)) from None
        except (StateError, ValueError) as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            raise click.ClickException(f"can't listen on {host}:{port}: {error.strerror}; try --port 0") from None
        address = describe_address(sock)
        run_until_stopped(
            app, sock, lambda: _print_start(tenant.books, address, token=token, dialeto=dialeto, controle=controle)
        )


def _print_start(books: Books, base_url: str, *, token: str, dialeto: str, controle: bool) -> None:
    """Print what a user needs: where it answers, the token, and settings to paste."""
    click.echo(f"{books.nome}: {len(books.lancamentos)} lançamentos, hoje = {books.hoje}, dialeto {dialeto}")
    click.echo(f"base_url  {base_url}")
    click.echo(f"token     {token}")
    click.echo("\n# lastro.toml (and: export SANDBOX_TOKEN=<token>)")
    click.echo(describe_settings(books, base_url))
    if controle:
        click.echo(f"controls  {base_url}/_sandbox/estado  /avancar?dias=N  /falhas")
    click.echo(f"interface {base_url}/_sandbox\nCtrl+C ends it.")
