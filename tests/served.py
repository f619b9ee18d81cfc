"""A sandbox company served on an ephemeral port, its settings file and a run of it without Dagster."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import duckdb

from lastro.extract.passes import Progress
from lastro.run.order import RunOrder, RunResult
from lastro.run.session import RunSession
from lastro.run.stages import run_stages
from lastro.settings import Settings, load_settings
from lastro_sandbox import Books, create_app, describe_settings, golden_company, serve
from tests.golden import expected

TOKEN = "sandbox"  # noqa: S105 - the sandbox's own
TOKEN_VARIABLE = "SANDBOX_TOKEN"  # noqa: S105 - the name of a variable
GOLDEN_PARAMETERS = 'dre_mapa = { 30 = "fora" }'


def write_settings(folder: Path, books: Books, base_url: str, parametros: str = "") -> Settings:
    """Write the settings file of a served company, with a table of parameters, and load it."""
    text = describe_settings(books, base_url, TOKEN_VARIABLE)
    if parametros:
        text += f"\n[empresa.parametros]\n{parametros}\n"
    path = folder / "lastro.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, {}, folder)


def write_golden(folder: Path, base_url: str) -> Settings:
    """Write the settings of the served golden company."""
    return write_settings(folder, golden_company(), base_url, GOLDEN_PARAMETERS)


def copy_golden(first_run: Path, folder: Path, base_url: str) -> Settings:
    """Give a test its own copy of the golden company after its first run, on a service of its own."""
    shutil.copytree(first_run / "dados", folder / "dados", symlinks=True)
    return write_golden(folder, base_url)


def clock_at(day: date) -> Callable[[], datetime]:
    """Return a clock that stands at 06:05 in São Paulo on a day."""
    return lambda: datetime.combine(day, time(9, 5), tzinfo=UTC)


def open_session(settings: Settings, day: date, *, order: RunOrder | None = None, **options: Any) -> RunSession:
    """Make the session of a run of the first company on a day, without Dagster."""
    return RunSession(settings, settings.empresas[0], lambda: TOKEN, order, clock=clock_at(day), **options)


SESSION_OPTIONS = ("attachment_budget", "progress", "policy", "dagster_run_id", "transport")


def run_served(settings: Settings, day: date, **asked: Any) -> RunResult:
    """Run the first company on a day without Dagster: all stages, or those after the reading for a recálculo."""
    options = {name: asked.pop(name) for name in SESSION_OPTIONS if name in asked}
    order = RunOrder(**asked)
    with open_session(settings, day, order=order, **options) as session:
        return run_stages(session)


def say(settings: Settings) -> str:
    """What `lastro estado` says of the run numbers, in one line."""
    from click.testing import CliRunner

    from lastro.cli import main

    result = CliRunner().invoke(main, ["estado", "--config", settings.origem], env={TOKEN_VARIABLE: TOKEN})
    return " ".join(result.output.split())


class Listener(Progress):
    """Hears what a terminal would show."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def tell(self, text: str) -> None:
        self.heard.append(text)


def run_golden(folder: Path) -> RunResult:
    """Run the golden company for the first time."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        return run_served(write_golden(folder, service.base_url), expected.D)


def folder_of(settings: Settings) -> Path:
    """The data folder of the first company."""
    return settings.pasta(settings.empresas[0])


def remove_simple(books: Books, count: int) -> None:
    """Delete the first so many entries that are no leg of a transfer and no part of a composite."""
    simple = [
        entry
        for entry in books.lancamentos.values()
        if entry.lancamento_transferencia_id is None and entry.lancamento_composto_id is None
    ]
    for entry in simple[:count]:
        books.remove_entry(entry)


def ask(published: RunResult | Settings | Path, sql: str) -> list[tuple[Any, ...]]:
    """Ask the file that a run or the first company of some settings has published, or the file itself."""
    if isinstance(published, Settings):
        published = folder_of(published) / "lastro.duckdb"
    file = published if isinstance(published, Path) else published.warehouse
    with closing(duckdb.connect(str(file), read_only=True)) as con:
        return con.execute(sql).fetchall()
