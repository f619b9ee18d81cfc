"""Dagster's home: the `dagster.yaml` that lastro writes, when it leaves one alone, and what an older one lacks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.settings import Settings

from . import PACKAGE

HOME_FOLDER: Final = "dagster"
INSTANCE_SETTINGS: Final = """\
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
_OPEN: Final = (
    "max_concurrent_runs",
    "max_runtime_seconds",
    "limit",
    "skipped",
    "failure",
    "success",
    "purge_after_days",
)
"""Keys whose value is a matter of taste: that they stand there is enough."""
FILES_SETTINGS: Final = f"""\
event_log_storage:
  module: {PACKAGE}.records
  class: OneFileEventLog
  config:
    base_dir:
      env: DAGSTER_HOME
"""
"""Records in files of this machine."""
_WRITTEN: Final = "# Written by lastro; yours to extend.\n"
_MARK: Final = "# sha256 "
_FIRST_WRITTEN: Final = frozenset({"ecc59a05"})
"""Beginnings of the digests of what older versions wrote without a mark."""
STORAGE_KEYS: Final = ("storage", "event_log_storage", "run_storage", "schedule_storage")


def write_dagster_yaml(home: Path, text: str, settings: Settings) -> None:
    """Write `dagster.yaml` where there is none, or one of ours that nobody changed and that says something else.

    Args:
        home: Dagster's home.
        text: what it says of everything but the records.
        settings: they say where the records are.

    Raises:
        ConfigError: when somebody's own file keeps the records elsewhere than the settings say.
        OSError: when it cannot be written.
    """
    config = home / "dagster.yaml"
    wanted = render_dagster_yaml(text, settings)
    try:
        found = config.read_text(encoding="utf-8")
    except FileNotFoundError:
        found = ""
    if found and not _is_ours(found):
        _demand_same_records(config, found, wanted, settings)
        return
    marked = f"{_MARK}{_digest(wanted)}\n{wanted}"
    if found != marked:
        fresh = config.with_suffix(".novo")
        fresh.write_text(marked, encoding="utf-8")
        fresh.replace(config)


def render_dagster_yaml(text: str, settings: Settings) -> str:
    """Write what `dagster.yaml` says: where the records are, and what becomes of a run where it is not this machine's.

    Args:
        text: what it says of everything else.
        settings: the settings.

    Raises:
        ConfigError: when an extra that they need is not installed.
    """
    if settings.kubernetes is not None:
        demand("kubernetes", "[kubernetes] in the settings")
        from .kubernetes import describe_instance

        text = _WRITTEN + _dump(describe_instance(yaml.safe_load(text), settings, settings.kubernetes))
    return text + _describe_records(settings)


def _dump(document: dict[str, Any]) -> str:
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def _describe_records(settings: Settings) -> str:
    if settings.postgres is None:
        return FILES_SETTINGS
    demand("postgres", "[postgres] in the settings")
    from .postgres import describe_storage

    return _dump({"storage": describe_storage(settings.postgres)})


def _is_ours(found: str) -> bool:
    """Tell whether a file is as lastro wrote it."""
    head, _, rest = found.partition("\n")
    if head.startswith(_MARK):
        return head == _MARK + _digest(rest)
    return _digest(found)[:8] in _FIRST_WRITTEN


def _demand_same_records(config: Path, found: str, wanted: str, settings: Settings) -> None:
    """Refuse a file of somebody's own that contradicts the settings; without `[postgres]` it may say anything else."""
    try:
        theirs = _read_records(found)
    except yaml.YAMLError:
        raise ConfigError(
            f"{config}: Dagster cannot read it. Mend it, or move it away: the next run writes a new one."
        ) from None
    ours = _read_records(wanted)
    kept_by_us = "PooledPostgresStorage" in str(theirs.get("storage"))
    events = "event_log_storage"
    if settings.postgres is None and "OneFileEventLog" in str(theirs.get(events)) and theirs[events] != ours[events]:
        # Written for the repository and read by an installed wheel, or the other way round.
        raise ConfigError(
            f"{config}: it is yours, and names a keeper of events that is not there. Take this in the place of its "
            f"{events}:\n" + yaml.safe_dump(ours).rstrip()
        )
    if theirs != ours if settings.postgres is not None else kept_by_us:
        where = settings.postgres.nome if settings.postgres is not None else "files of this machine"
        place = ", ".join(key for key in STORAGE_KEYS if key in theirs) or "default"
        raise ConfigError(
            f"{config}: it is yours, and does not keep the records where {settings.origem} says ({where}). Move it "
            f"away (the next command writes a new one), or take this in the place of its {place}:\n"
            + yaml.safe_dump(ours).rstrip()
        )


def _read_records(text: str) -> dict[str, Any]:
    document = yaml.safe_load(text)
    return {key: document[key] for key in STORAGE_KEYS if key in document} if isinstance(document, dict) else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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
