"""A sandbox company served on an ephemeral port, its settings file and a run of it without Dagster."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from lastro.runs import CompanyRun, RunOrder, RunResult
from lastro.settings import Settings, load_settings
from lastro_sandbox import Books, describe_settings

TOKEN = "sandbox"  # noqa: S105 - the sandbox's own
TOKEN_VARIABLE = "SANDBOX_TOKEN"  # noqa: S105 - the name of a variable


def write_settings(folder: Path, books: Books, base_url: str, parametros: str = "") -> Settings:
    """Write the settings file of a served company, with a table of parameters, and load it."""
    text = describe_settings(books, base_url, TOKEN_VARIABLE)
    if parametros:
        text += f"\n[empresa.parametros]\n{parametros}\n"
    path = folder / "lastro.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, {}, folder)


def clock_at(day: date) -> Callable[[], datetime]:
    """Return a clock that stands at 06:05 in São Paulo on a day."""
    return lambda: datetime.combine(day, time(9, 5), tzinfo=UTC)


def run_served(settings: Settings, day: date, **order: Any) -> RunResult:
    """Run the first company of the settings on a day, all stages, without Dagster."""
    with CompanyRun(settings, settings.empresas[0], TOKEN, RunOrder(**order), agora=clock_at(day)) as run:
        return run.run_all()
