"""`lastro demo`: the whole path on a made-up company: sandbox, settings, run."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from lastro.calendar import add_months, month_start
from lastro.commands.demo import DEMO_VARIABLE
from lastro.entrada.orcamento import BUDGET_CSV
from lastro.entrada.saldos import TypedBalance, append_balances
from lastro.errors import StorageError
from lastro.extract.passes import Progress
from lastro.extras import is_installed, is_there
from lastro.money import write_centavos
from lastro.operation.recorder import choose_runner
from lastro.run.order import RunOrder, RunResult
from lastro.settings import FILE_NAME, Empresa, Settings, load_settings
from lastro_sandbox import Books, Life, add_life, create_app, describe_settings, make_company, serve
from lastro_sandbox.bank_statements import make_bank_files

TOKEN = "token-de-demonstracao"  # noqa: S105 - opens nothing but the demo's own sandbox


def run_demo(
    folder: Path, *, seed: int, lancamentos: int, hoje: date, progress: Progress
) -> tuple[Path, Empresa, RunResult]:
    """Serve a made-up company on an ephemeral port, run the daily job on it and leave its files.

    Args:
        folder: where settings and data go; each (seed, size, day) has its own, so that demos never mix.
        seed: seed of the company.
        lancamentos: how many entries it has, besides those of its life (`lastro_sandbox.life`).
        hoje: today of the service and date of the extraction.
        progress: who watches the reading.

    Returns:
        The settings file, the company and what the run left.

    Raises:
        StorageError: when the folder cannot be written.
        LastroError: what stopped the run.
    """
    run_company = choose_runner(recorded=is_installed("dagster"))
    home = folder / f"{hoje:%Y-%m-%d}-{seed}-{lancamentos}"
    books = make_company(seed=seed, lancamentos=lancamentos, hoje=hoje)
    life = add_life(books)
    with serve(create_app(books, token=TOKEN)) as service:
        settings_file = home / FILE_NAME
        try:
            home.mkdir(parents=True, exist_ok=True)
            text = describe_settings(books, service.base_url, DEMO_VARIABLE, life)
            settings_file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StorageError(f"{home}: {error.strerror}. Libere espaço ou escolha outra pasta com --pasta.") from None
        env = {DEMO_VARIABLE: TOKEN}
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
        if is_there("bank"):
            (folder / "extratos").mkdir(exist_ok=True)
            for name, content in make_bank_files(books, life.folha_esquecida).items():
                (folder / "extratos" / name).write_bytes(content)
        if is_there("desk"):
            from lastro.desk.demonstration import leave_promise

            leave_promise(settings, empresa, life.devedor, hoje)
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
