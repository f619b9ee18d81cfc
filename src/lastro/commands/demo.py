"""`lastro demo`: the whole path on a made-up company: sandbox, settings, run."""

from __future__ import annotations

import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

import click

from lastro.calendar import add_months, month_start
from lastro.commands.outcome_text import print_result
from lastro.commands.run import day_type, to_date
from lastro.errors import EXIT_CHECK_FAILED, StorageError
from lastro.extras import demand, is_installed
from lastro.files import describe_denial
from lastro.money import write_centavos
from lastro.run.order import RunOrder, RunResult
from lastro.settings import DEFAULT_FUSO, FILE_NAME, Empresa, Settings, load_settings
from lastro.terminal import messages, output

if TYPE_CHECKING:
    from lastro.extract.passes import Progress
    from lastro_sandbox import Books, Life

DEMO_FOLDER: Final = "lastro-demo"
DEMO_VARIABLE: Final = "LASTRO_DEMO_TOKEN"
"""The name of the variable that the demonstration's settings name; nobody sets it afterwards."""
_TOKEN: Final = "token-de-demonstracao"  # noqa: S105 - opens nothing but the demo's own sandbox
REHEARSE: Final = "Um serviço de ensaio que fica de pé: lastro sandbox --escrever ensaio.toml"


@click.command()
@click.option(
    "--pasta",
    type=click.Path(path_type=Path),
    default=Path(DEMO_FOLDER),
    show_default=True,
    help="Onde ficam os arquivos.",
)
@click.option("--semente", default=1, show_default=True, help="Qual empresa inventar.")
@click.option(
    "--lancamentos",
    default=5000,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    help="Quantos lançamentos inventar.",
)
@click.option("--hoje", type=day_type, help="O dia da empresa; padrão: o de hoje.")
def demo(pasta: Path, semente: int, lancamentos: int, hoje: datetime | None) -> None:
    """Mostra o caminho inteiro com uma empresa inventada: serviço, execução, indicadores, arquivos."""
    demand("sandbox", "lastro demo")
    from lastro.progress import open_progress

    with open_progress(messages) as progress:
        settings_file, empresa, result = run_demo(
            pasta.absolute(),
            seed=semente,
            lancamentos=lancamentos,
            hoje=to_date(hoje) or datetime.now(ZoneInfo(DEFAULT_FUSO)).date(),
            progress=progress,
        )
    print_result(empresa.nome, result)
    print_way_on(settings_file.parent)
    sys.exit(EXIT_CHECK_FAILED if result.failed else 0)


def print_way_on(folder: Path) -> None:
    """Print the next steps: what to open and try, now that the service of the demonstration has ended."""
    output.print(f"\nE agora, em {folder}:")
    lines = [
        ("lastro abrir", "a planilha: comece por FAZER HOJE, na capa"),
        ("lastro sql", "o que dá para perguntar; por exemplo lastro sql dre"),
    ]
    if is_installed("dagster"):
        lines.append(("lastro dev", "a UI, só para olhar: o serviço da demonstração já acabou"))
    for command, what in lines:
        output.print(f"  {command:<13} {what}")
    output.print(f"{REHEARSE}\nA sua empresa: lastro iniciar")


def run_demo(
    folder: Path, *, seed: int, lancamentos: int, hoje: date, progress: Progress
) -> tuple[Path, Empresa, RunResult]:
    """Serve a made-up company on an ephemeral port, run the daily job on it and leave its files.

    Args:
        folder: where settings and data go; each (seed, size, day) has its own, so that demos never mix.
        lancamentos: how many entries it has, besides those of its life (`lastro_sandbox.life`).
        hoje: today of the service and date of the extraction.

    Returns:
        The settings file, the company and what the run left.

    Raises:
        StorageError: when the folder cannot be written.
        LastroError: what stopped the run.
    """
    from lastro.run.stages import run_company
    from lastro_sandbox import add_life, create_app, describe_settings, make_company, serve

    home = folder / f"{hoje:%Y-%m-%d}-{seed}-{lancamentos}"
    books = make_company(seed=seed, lancamentos=lancamentos, hoje=hoje)
    life = add_life(books)
    with serve(create_app(books, token=_TOKEN)) as service:
        settings_file = home / FILE_NAME
        try:
            home.mkdir(parents=True, exist_ok=True)
            text = describe_settings(books, service.base_url, DEMO_VARIABLE, life)
            settings_file.write_text(text, encoding="utf-8")
        except PermissionError as error:
            raise StorageError(f"{describe_denial(error)} Ou escolha outra pasta com --pasta.") from None
        except OSError as error:
            raise StorageError(f"{home}: {error.strerror}. Libere espaço ou escolha outra pasta com --pasta.") from None
        env = {DEMO_VARIABLE: _TOKEN}
        settings = load_settings(settings_file, env, home)
        empresa = settings.empresas[0]
        leave_typed(settings, empresa, books, life, hoje)
        order = RunOrder(data_extracao=hoje, fechamento=add_months(month_start(hoje), -1))
        result = run_company(settings, empresa, order, env=env, progress=progress)
    return settings_file, empresa, result


def leave_typed(settings: Settings, empresa: Empresa, books: Books, life: Life, hoje: date) -> None:
    """Leave what people of the company typed and downloaded where it is read: balances, budget, statements, a promise.

    Raises:
        StorageError: when a folder cannot be written.
    """
    from lastro.desk.demonstration import leave_promise
    from lastro.entrada.orcamento import BUDGET_CSV
    from lastro.entrada.saldos import TypedBalance, append_balances
    from lastro_sandbox.bank_statements import make_bank_files

    folder = settings.entrada(empresa)
    balances = [
        TypedBalance(conta, day, Decimal(centavos).scaleb(-2))
        for conta, read in life.saldos.items()
        for day, centavos in read
    ]
    try:
        if not (folder / "saldos.csv").exists():
            append_balances(folder, balances, "extrato")
            (folder / BUDGET_CSV).write_text(write_budget(life, hoje.year), encoding="utf-8")
        (folder / "extratos").mkdir(exist_ok=True)
        for name, content in make_bank_files(books, life.folha_esquecida).items():
            (folder / "extratos" / name).write_bytes(content)
        leave_promise(settings, empresa, life.devedor, hoje)
    except PermissionError as error:
        raise StorageError(f"{describe_denial(error)} Ou escolha outra pasta com --pasta.") from None
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}. Libere espaço ou escolha outra pasta com --pasta.") from None


def write_budget(life: Life, year: int) -> str:
    """Write the budget as a person types it: a category a line, a month a column, expenses without sign."""
    rows = [["categoria_id", *(f"{year}-{month:02d}" for month in range(1, 13))]]
    rows += [
        [str(key), *(write_centavos(abs(centavos)).replace(".", ",") for centavos in months)]
        for key, months in life.orcamento.items()
    ]
    return "\n".join(";".join(row) for row in rows) + "\n"
