"""Dagster's home below the data folder: the `dagster.yaml` that lastro writes, and what an older one lacks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

HOME_FOLDER = "dagster"
INSTANCE_SETTINGS = """\
# Written by lastro; yours to extend. Telemetry stays off, runs of one company never overlap.
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 2
    tag_concurrency_limits:
      - key: "dagster/partition"
        value:
          applyLimitPerUniqueValue: true
        limit: 1
run_monitoring:
  enabled: true
  max_runtime_seconds: 7200
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 2
      failure: 30
      success: 90
"""
_OPEN = ("max_concurrent_runs", "max_runtime_seconds", "limit", "skipped", "failure", "success", "purge_after_days")
"""Keys whose value is a matter of taste: that they stand there is enough."""


def find_missing(home: Path) -> list[str]:
    """List what a `dagster.yaml` lacks of what this version of lastro writes; empty where there is none yet.

    Raises:
        ValueError: when it cannot be read.
    """
    path = home / "dagster.yaml"
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {type(error).__name__}") from None
    return list(_compare(yaml.safe_load(INSTANCE_SETTINGS), found if isinstance(found, dict) else {}, ""))


def _compare(wanted: Mapping[str, Any], found: Mapping[str, Any], where: str) -> Iterator[str]:
    for key, value in wanted.items():
        spot = f"{where}{key}"
        if key not in found:
            yield spot
        elif isinstance(value, dict):
            if isinstance(found[key], dict):
                yield from _compare(value, found[key], f"{spot}.")
            elif key not in _OPEN:
                yield spot
        elif key not in _OPEN and found[key] != value:
            yield spot
