"""The way to Dagster where it is installed: who runs a company, and the records that Dagster keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.extras import demand, is_installed
from lastro.operation.records import is_limited

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


def prune_records(settings: Settings, now: datetime) -> tuple[Removal, ...]:
    """Let Dagster's old records go; nothing where Dagster is not installed."""
    if not is_installed("dagster"):
        return ()
    from lastro.pipelines.home_records import prune_home

    return prune_home(settings, now)


def foresee_records(settings: Settings, now: datetime) -> tuple[tuple[Removal, ...], str]:
    """List what `prune_records` would let go, and change nothing.

    Returns:
        What would go, and why that cannot be told yet, a sentence; empty where it can.
    """
    if not is_installed("dagster"):
        return (), ""
    from lastro.pipelines.home_records import plan_home

    going, why = plan_home(settings, now)
    return going, f"dos registros do Dagster ainda não dá para dizer: {why}" if why else ""


def find_missing_settings(settings: Settings, env: Mapping[str, str]) -> tuple[Path, list[str], str]:
    """List what the `dagster.yaml` of Dagster's home lacks for lastro; whatever else it says is not lastro's affair.

    Returns:
        The home, what is missing, and what to do about it.

    Raises:
        ConfigError: when the environment names no home that Dagster takes.
        ValueError: when it cannot be read.
    """
    from lastro.pipelines.home import find_home
    from lastro.pipelines.names import PARTITION_TAG, TAG_UMA_POR_VEZ

    home, own = find_home(settings, env)
    # By the partition, as lastro wrote it until 0.2, is as good.
    limited = is_limited(home, (TAG_UMA_POR_VEZ, PARTITION_TAG), own=own)
    missing = [] if limited else [f"tag_concurrency_limits: {TAG_UMA_POR_VEZ}"]
    return home, missing, "acrescente o que lastro dev --mostrar imprime"
