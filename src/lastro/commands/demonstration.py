"""`lastro demo`: the whole path on a made-up company: sandbox, settings, run."""

from __future__ import annotations

import os
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from lastro.commands.demo import DEMO_VARIABLE
from lastro.desk.desks import COBRANCA
from lastro.desk.memory import DeskMemory
from lastro.desk.sheets import make_column, make_sheet, make_table
from lastro.entrada.saldos import TypedBalance, append_balances
from lastro.errors import StorageError
from lastro.export.xlsx import render_workbook
from lastro.extract.passes import Progress
from lastro.extras import is_installed
from lastro.grid.cells import Kind
from lastro.grid.workbook import Stamp, Workbook
from lastro.operation.recorder import choose_runner
from lastro.run.names import REPORTS_FOLDER
from lastro.run.order import RunOrder, RunResult
from lastro.settings import FILE_NAME, Empresa, Settings, load_settings
from lastro_sandbox import Life, add_life, create_app, describe_settings, make_company, serve

CUSTOMER, PROMISED = "Condomínio Edifício Aroeira", Decimal("1500.00")
"""Who promises, and how much; `life.devedor` is its id."""
_TYPED: Final = (
    ("Cliente", Kind.TEXT), ("Resultado", Kind.TEXT), ("Promessa", Kind.DATE), ("Valor prometido", Kind.MONEY),
    ("Anotação", Kind.TEXT), ("pessoa_id", Kind.INTEGER),
)  # fmt: skip
TOKEN = "token-de-demonstracao"  # noqa: S105 - opens nothing but the demo's own sandbox


def run_demo(
    folder: Path, *, seed: int, lancamentos: int, hoje: date, progress: Progress | None = None
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
        leave_typed(settings, empresa, life, hoje)
        result = run_company(settings, empresa, RunOrder(data_extracao=hoje), env=env, progress=progress)
    return settings_file, empresa, result


def leave_typed(settings: Settings, empresa: Empresa, life: Life, hoje: date) -> None:
    """Leave what people of the company typed: statements of its accounts, and a promise in a saved `cobranca`.

    Raises:
        StorageError: when a folder cannot be written.
    """
    folder = settings.pasta(empresa) / REPORTS_FOLDER
    saved = datetime.combine(hoje - timedelta(days=1), time(17, 30), ZoneInfo(settings.fuso)).timestamp()
    balances = [
        TypedBalance(conta, day, Decimal(centavos).scaleb(-2))
        for conta, read in life.saldos.items()
        for day, centavos in read
    ]
    columns = [make_column(name, kind) for name, kind in _TYPED]
    said = (CUSTOMER, "Prometeu", hoje + timedelta(days=3), PROMISED, "Paga com o rateio", life.devedor)
    fila = make_sheet("Fila", (make_table("tbl_fila", tuple(columns), (said,), "Fila", "pessoa_id"),))
    # A copy of a workbook of the desk bears its id, by which the first run already knows whose it is.
    memory = DeskMemory(COBRANCA, f"{empresa.id}/{COBRANCA.name}/0/{hoje.isoformat()}")
    stamp = Stamp(empresa.nome, hoje, datetime.combine(hoje, time(6)), "", 0, 0, 0)
    book = Workbook(COBRANCA.name, stamp, (fila, memory.build()), personal=True)
    path = folder / "cobranca anotada.xlsx"
    try:
        if not (settings.entrada(empresa) / "saldos.csv").exists():
            append_balances(settings.entrada(empresa), balances, "extrato")
        folder.mkdir(parents=True, exist_ok=True)
        render_workbook(book, path)
        os.utime(path, (saved, saved))
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}. Libere espaço ou escolha outra pasta com --pasta.") from None
