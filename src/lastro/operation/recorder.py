"""The way to Dagster where it is installed: what its home lacks for lastro."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.operation.records import is_limited

if TYPE_CHECKING:
    from lastro.settings import Settings


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
