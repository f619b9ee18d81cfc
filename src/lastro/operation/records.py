"""What the `dagster.yaml` of Dagster's home lacks for lastro; whatever else it says is not lastro's affair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from lastro.settings import Settings

CONFIG: Final = "dagster.yaml"
_PLACES: Final = (("concurrency", "runs"), ("run_queue",), ("run_coordinator", "config"))
"""Where limits by tag stand; the older form, which Dagster refuses beside the newer one, is in either of two places."""


def look_for_limit(settings: Settings, env: Mapping[str, str]) -> tuple[Path, bool]:
    """Find Dagster's home, and tell whether its `dagster.yaml` lets runs of one company wait for each other.

    Raises:
        ConfigError: when the environment names no home that Dagster takes.
        ValueError: when it cannot be read.
    """
    from lastro_pipelines.home import find_home

    home, own = find_home(settings, env)
    # Ours is given a `dagster.yaml` where it has none yet.
    return home, (own and not (home / CONFIG).is_file()) or is_limited(home)


def is_limited(home: Path) -> bool:
    """Tell whether the `dagster.yaml` of a home has the limit; one that is missing has none.

    Raises:
        ValueError: when it cannot be read.
    """
    import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

    path = home / CONFIG
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {type(error).__name__}") from None
    return any(_limits_runs(entry) for place in _PLACES for entry in _look_up(document, *place))


def _look_up(document: Any, *path: str) -> Sequence[Any]:
    for name in (*path, "tag_concurrency_limits"):
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, list) else ()


def _limits_runs(entry: Any) -> bool:
    """Tell whether a limit is one run a company."""
    from lastro_pipelines.names import PARTITION_TAG, TAG_UMA_POR_VEZ

    # By the partition, as lastro wrote it until 0.2, is as good.
    if not isinstance(entry, dict) or entry.get("key") not in (TAG_UMA_POR_VEZ, PARTITION_TAG):
        return False
    value = entry.get("value")
    return isinstance(value, dict) and value.get("applyLimitPerUniqueValue") is True and entry.get("limit") == 1
