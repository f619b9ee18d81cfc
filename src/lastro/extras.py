"""What only some installations have: Dagster with its UI, the sandbox, and what writes PDF."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lastro.errors import ConfigError

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.operation.retention import Removal
    from lastro.run.order import RunResult
    from lastro.settings import Settings

MODULES: Final = {
    "dagster": ("dagster", "dagster_webserver", "uvicorn", "websockets"),
    "delta": ("deltalake", "pyarrow"),
    "kubernetes": ("dagster_k8s", "kubernetes"),
    "pdf": ("reportlab",),
    "postgres": ("dagster_postgres", "psycopg2"),
    "sandbox": ("multipart", "starlette", "uvicorn"),
}
"""The modules that an extra of `pyproject.toml` brings."""


def is_installed(extra: str) -> bool:
    """Tell whether all modules of an extra are there."""
    return all(find_spec(module) is not None for module in MODULES[extra])


def demand(extra: str, what: str) -> None:
    """Refuse what cannot be done without an extra.

    Raises:
        ConfigError: naming the extra and how to install it.
    """
    if not is_installed(extra):
        raise ConfigError(f"{what} needs an extra: pip install 'lastro[{extra}]'.")


def load_pipelines(module: str) -> Any:
    """Import a module of the code location: of `lastro.pipelines` where a wheel brought it, else of `pipelines`.

    No process ever imports both, for to Dagster they would be two code locations: where it has loaded the repository's
    beside an installed wheel (`workspace.yaml`), that one stays.
    """
    return import_module(name_pipelines(module))


def name_pipelines(module: str) -> str:
    """Name a module of the code location as `load_pipelines` imports it."""
    repository = hasattr(sys.modules.get("pipelines"), "PACKAGE") or find_spec("lastro.pipelines") is None
    return f"{'pipelines' if repository else 'lastro.pipelines'}.{module}"


def choose_runner(*, recorded: bool) -> Callable[..., RunResult]:
    """Choose who runs a company, both asked alike: Dagster, which keeps records of it, or this process alone."""
    if recorded:
        recording: Callable[..., RunResult] = load_pipelines("execution").run_company
        return recording
    from lastro.run.whole import run_company

    return run_company


def prune_records(settings: Settings, now: datetime, *, simulate: bool) -> tuple[Removal, ...]:
    """Let Dagster's old records go, or list them; nothing where Dagster is not installed."""
    if not is_installed("dagster"):
        return ()
    gone: tuple[Removal, ...] = load_pipelines("retention").prune_home(settings, now, simulate=simulate)
    return gone


def find_missing_settings(home: Path) -> list[str]:
    """List what an existing `dagster.yaml` lacks of what this version writes.

    Raises:
        ValueError: when it cannot be read.
    """
    if not is_installed("dagster"):
        return []
    missing: list[str] = load_pipelines("home").find_missing(home)
    return missing
