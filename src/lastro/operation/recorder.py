"""The way to Dagster where it is installed: who runs a company, and the records that Dagster keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.extras import demand, is_installed

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.operation.retention import Removal
    from lastro.run.order import RunResult
    from lastro.settings import Settings


def choose_runner(*, recorded: bool) -> Callable[..., RunResult]:
    """Choose who runs a company, both asked alike: Dagster, which keeps records of it, or this process alone."""
    if recorded:
        demand("dagster", "lastro run")
        from lastro.pipelines.execution import run_recorded

        return run_recorded
    from lastro.run.process import run_company

    return run_company


def prune_records(settings: Settings, now: datetime, *, simulate: bool) -> tuple[Removal, ...]:
    """Let Dagster's old records go, or list them; nothing where Dagster is not installed."""
    if not is_installed("dagster"):
        return ()
    from lastro.pipelines.retention import prune_home

    return prune_home(settings, now, simulate=simulate)


def find_missing_settings(settings: Settings, env: Mapping[str, str]) -> tuple[Path, bool, list[str]]:
    """List the settings of this version that the `dagster.yaml` of Dagster's home lacks.

    Returns:
        The home, whether it is lastro's own and nobody else's, and what is missing.

    Raises:
        ValueError: when it cannot be read.
    """
    from lastro.pipelines.home import find_home, find_missing

    home, own = find_home(settings, env)
    return home, own, find_missing(home, own=own)
