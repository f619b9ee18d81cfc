"""The click command ``lastro sandbox``: builds the books, says where the service answers, and serves until stopped.

What it says is Portuguese, as all that lastro says to those who use it.
"""

from __future__ import annotations

import re
import shlex
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import click
from click.core import ParameterSource

from lastro_sandbox.app import create_app
from lastro_sandbox.bank_statements import make_bank_files
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
from lastro_sandbox.settings_file import describe_companies, name_variable, write_settings
from lastro_sandbox.store import StateBusy, StateError, Store
from lastro_sandbox.tenants import Tenant

SECRET_LEAST = 8
IDLE = {
    "empresa_exemplo": ("semente", "lancamentos", "hoje"),
    "dados": ("semente", "lancamentos", "empresa_exemplo", "saldo_inicial_lancamento"),
    "inventar": ("semente", "token", "empresa_exemplo", "dados"),
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
            other = decides.replace("_", "-")
            raise click.UsageError(f"{options} nada faria junto de --{other}, que já decide isso: tire da linha")


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
    given = _given(*(option.strip("-").replace("-", "_") for option in OPTIONS.values()))
    asked = {
        field: getattr(origin, field) for field, option in OPTIONS.items() if option[2:].replace("-", "_") in given
    }
    wrong = [OPTIONS[name] for name in asked] if store.origin is None else store.origin.find_contradictions(**asked)
    if wrong:
        raise click.UsageError(
            f"{store.path.name} guarda livros feitos sem {', '.join(wrong)} como pedido agora, e é ele que decide: "
            "tire isso da linha, ou dê outro arquivo"
        )
    return Tenant(books, token, estado=store, recomeco=store.origin.build if store.origin else None)


@click.command("sandbox")
@click.option(
    "--porta",
    default=8200,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Porta do serviço; 0 toma uma livre.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Endereço em que escuta.")
@click.option("--token", default="sandbox", show_default=True, help="O token que é aceito.")
@click.option("--semente", default=1, show_default=True, help="Qual empresa inventar.")
@click.option("--lancamentos", default=5000, show_default=True, type=click.IntRange(0), help="Quantos lançamentos.")
@click.option(
    "--hoje", type=click.DateTime(["%Y-%m-%d", "%d/%m/%Y"]), help="O dia da empresa; padrão: o desta máquina."
)
@click.option("--empresa-exemplo", type=click.Choice(EXAMPLES), help="Serve a empresa de ouro no lugar.")
@click.option("--forma-composto", type=click.Choice(COMPOSITE_SHAPES),
              help="Como se mostram lançamentos compostos; padrão: A, no dialeto observado D.")  # fmt: skip
@click.option("--saldo-inicial-lancamento", is_flag=True, help="Lista também os saldos iniciais como lançamentos.")
@click.option("--dialeto", type=click.Choice(DIALECTS), default="documento", show_default=True,
              help="O que o documento diz, ou o que se viu tais serviços fazerem.")  # fmt: skip
@click.option("--forma-count", type=click.Choice(COUNT_SHAPES), help="Forma de tipo_view=count.")
@click.option("--falha", "falhas", multiple=True, metavar="TIPO[:CHAVE=VALOR,...]",
              help="Uma falha a provocar, como 500:p=0.1 ou 429:k=3,retry_after=2; pode repetir.")  # fmt: skip
@click.option(
    "--janela", "janelas", multiple=True, metavar="N/Ss", help="Um limite de pedidos, como 100/60s; pode repetir."
)
@click.option("--semente-falhas", default=1, show_default=True, help="Semente das falhas.")
@click.option(
    "--controle", is_flag=True, help="Acrescenta os controles /_sandbox (relógio, falhas, diário) para esta máquina."
)
@click.option("--segredo-controle", metavar="SEGREDO", envvar="LASTRO_SANDBOX_SEGREDO",
              help="Acrescenta os controles para quem mandar este segredo (8 caracteres ou mais).")  # fmt: skip
@click.option("--mostrar", is_flag=True, help="Imprime cada pedido como foi respondido, sem o token.")
@click.option("--estado", type=click.Path(path_type=Path, dir_okay=False),
              help="Arquivo que guarda os livros entre uma vez e outra; quando existe, é ele que decide.")  # fmt: skip
@click.option("--dados", type=click.Path(path_type=Path, file_okay=False),
              help="Pasta com as listas JSON que você exportou do serviço: serve esses livros.")  # fmt: skip
@click.option("--inventar", multiple=True, metavar="NOME:TOKEN:SEMENTE",
              help="Uma empresa inventada com token próprio; pode repetir, todas numa porta.")  # fmt: skip
@click.option("--escrever", type=click.Path(path_type=Path, dir_okay=False), metavar="lastro.toml",
              help="Escreve uma configuração do lastro que aponta para cá.")  # fmt: skip
@click.option("--extratos", type=click.Path(path_type=Path, file_okay=False), metavar="PASTA",
              help="Escreve também os extratos OFX das contas, como o banco os daria.")  # fmt: skip
@click.option("--latencia", default=0.0, type=click.FloatRange(0), help="Segundos que cada resposta demora a mais.")
def sandbox(
    *,
    porta: int,
    host: str,
    token: str,
    semente: int,
    lancamentos: int,
    hoje: datetime | None,
    empresa_exemplo: str | None,
    forma_composto: CompositeShape | None,
    saldo_inicial_lancamento: bool,
    dialeto: Dialect,
    forma_count: str | None,
    falhas: tuple[str, ...],
    janelas: tuple[str, ...],
    semente_falhas: int,
    controle: bool,
    segredo_controle: str | None,
    mostrar: bool,
    estado: Path | None,
    dados: Path | None,
    inventar: tuple[str, ...],
    escrever: Path | None,
    extratos: Path | None,
    latencia: float,
) -> None:
    """Serve o serviço financeiro documentado com uma empresa inventada, para ensaiar."""
    origin = Origin(
        seed=semente,
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
        raise click.UsageError(f"--segredo-controle precisa de pelo menos {SECRET_LEAST} caracteres")
    with ExitStack() as stack:
        try:
            tenants = _open_tenants(stack, origin, estado, token, inventar)
            app = create_app(
                empresas=tenants,
                dialeto=dialeto,
                forma_count=forma_count,
                falhas=falhas,
                janelas=janelas,
                semente=semente_falhas,
                controle=controle,
                segredo=segredo_controle,
                latencia=latencia,
                gravar=False,
                mostrar=(lambda noted: click.echo(describe_request(noted))) if mostrar else None,
            )
            sock = stack.enter_context(open_socket(host, porta))
        except (StateBusy, ExportError) as error:
            raise click.UsageError(str(error)) from None
        except (StateError, ValueError) as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            raise click.ClickException(
                f"não dá para escutar em {host}:{porta}: {error.strerror}; tente --porta 0"
            ) from None
        address = describe_address(sock)
        settings = describe_companies(tenants, address)
        if escrever is not None:
            _write_settings(escrever, settings)
        if extratos is not None:
            _write_statements(extratos, tenants)
        controls = controle or segredo_controle is not None
        run_until_stopped(
            app, sock, lambda: _print_start(tenants, address, settings, dialeto=dialeto, controls=controls)
        )


def _write_statements(folder: Path, tenants: list[Tenant]) -> None:
    """Write the bank's files of every company, each into a folder of its own where there are several."""
    for tenant in tenants:
        own = folder / tenant.nome if tenant.nome else folder
        try:
            own.mkdir(parents=True, exist_ok=True)
            for name, content in make_bank_files(tenant.books).items():
                (own / name).write_bytes(content)
        except OSError as error:
            raise click.ClickException(f"{own}: {error.strerror}") from None


def _open_tenants(
    stack: ExitStack, origin: Origin, estado: Path | None, token: str, inventar: tuple[str, ...]
) -> list[Tenant]:
    """Open the company of the other options, or those of ``--inventar``, each with a state file of its own.

    Raises:
        click.UsageError: an ``--inventar`` that can't be read.
    """

    def open_one(one: Origin, token: str) -> Tenant:
        path = estado
        if path is not None and one.nome is not None:
            path = path.with_name(f"{path.stem}-{one.nome}{path.suffix}")
        store = None if path is None else stack.enter_context(closing(Store(path)))
        tenant = _open_tenant(store, one, token)
        tenant.nome = one.nome or ""
        return tenant

    if not inventar:
        return [open_one(origin, token)]
    tenants = []
    for text in inventar:
        match = re.fullmatch(r"([A-Za-z0-9_-]{1,40}):([^:\s]+):([0-9]{1,9})", text)
        if match is None:
            raise click.UsageError(
                "--inventar se escreve NOME:TOKEN:SEMENTE: um nome de letras e dígitos, um token, um número inteiro"
            )
        tenants.append(open_one(replace(origin, nome=match[1], seed=int(match[3])), match[2]))
    return tenants


def _write_settings(path: Path, settings: str) -> None:
    try:
        write_settings(path, settings)
    except FileExistsError:
        raise click.UsageError(f"{path.name} já existe e fica como está: dê outro arquivo") from None
    except OSError as error:
        raise click.ClickException(f"não dá para escrever {path.name}: {error.strerror}") from None


def _print_start(tenants: list[Tenant], base_url: str, settings: str, *, dialeto: str, controls: bool) -> None:
    """Print what a user needs: where it answers, the tokens, and settings to paste."""
    for tenant in tenants:
        books = tenant.books
        click.echo(f"{books.nome}: {len(books.lancamentos)} lançamentos, hoje = {books.hoje}, dialeto {dialeto}")
        unseen = [person.id for person in books.pessoas.values() if not (person.cliente or person.fornecedor)]
        if unseen:
            few = ", ".join(map(str, unseen[:10])) + (" …" if len(unseen) > 10 else "")
            click.echo(f"pessoas que nenhuma lista serve, sem cliente nem fornecedor = true: {few}")
    click.echo(f"base_url  {base_url}")
    for tenant in tenants:
        click.echo(f"token     {tenant.token}{f'  ({tenant.nome})' if tenant.nome else ''}")
    click.echo("")
    for tenant in tenants:
        click.echo(f"export {name_variable(tenant, tenants)}={shlex.quote(tenant.token)}")
    click.echo(f"\n# lastro.toml\n{settings}")
    if controls:
        click.echo(f"controles {base_url}/_sandbox/estado  /avancar?dias=N  /falhas  /requisicoes  /reiniciar")
    click.echo(f"interface {base_url}/_sandbox\nCtrl+C encerra.")
