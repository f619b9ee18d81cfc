"""What only some installations have: Dagster with its UI, the sandbox, and what writes PDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

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


VERSIONS: Final = ((1, 12), (1, 14))
"""Of Dagster: the first version that has what we use of it, and the first that nobody has tried; as in the metadata."""


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
    if extra == "dagster":
        demand_dagster(version("dagster"))


def demand_dagster(found: str) -> None:
    """Refuse a Dagster that lastro was not made for.

    Args:
        found: its version.

    Raises:
        ConfigError: naming those that do, and the way without it.
    """
    first, after = VERSIONS
    number = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    if not first <= number < after:
        wanted = f">={first[0]}.{first[1]},<{after[0]}.{after[1]}"
        raise ConfigError(
            f"dagster {found}: this lastro works with {wanted}. pip install 'dagster{wanted}' "
            f"'dagster-webserver{wanted}'; lastro run --sem-dagster does without."
        )


def choose_runner(*, recorded: bool) -> Callable[..., RunResult]:
    """Choose who runs a company, both asked alike: Dagster, which keeps records of it, or this process alone."""
    if recorded:
        demand("dagster", "lastro run")
        from lastro.pipelines.execution import run_company as recording

        return recording
    from lastro.run.whole import run_company

    return run_company


def prune_records(settings: Settings, now: datetime, *, simulate: bool) -> tuple[Removal, ...]:
    """Let Dagster's old records go, or list them; nothing where Dagster is not installed."""
    if not is_installed("dagster"):
        return ()
    from lastro.pipelines.retention import prune_home

    return prune_home(settings, now, simulate=simulate)


def find_missing_settings(settings: Settings, env: Mapping[str, str]) -> tuple[Path, bool, list[str]]:
    """List what the `dagster.yaml` of Dagster's home lacks of what this version writes.

    Returns:
        The home, whether it is lastro's own and nobody else's, and what is missing.

    Raises:
        ValueError: when it cannot be read.
    """
    from lastro.pipelines.home import find_home, find_missing

    home, own = find_home(settings, env)
    return home, own, find_missing(home, own=own)
