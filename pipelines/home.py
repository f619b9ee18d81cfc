"""Dagster's home: the `dagster.yaml` that lastro writes from its settings, and when it leaves one alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.errors import ConfigError
from lastro.extras import demand
from lastro.settings import Settings

FILES_SETTINGS: Final = """\
event_log_storage:
  module: pipelines.records
  class: OneFileEventLog
  config:
    base_dir:
      env: DAGSTER_HOME
"""
"""Records in files of this machine."""
_WRITTEN = "# Written by lastro; yours to extend.\n"
_MARK = "# sha256 "
_FIRST_WRITTEN: Final = frozenset({"ecc59a05"})
"""Beginnings of the digests of what older versions wrote without a mark."""
STORAGE_KEYS = ("storage", "event_log_storage", "run_storage", "schedule_storage")


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
    from pipelines.postgres import describe_storage

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
    kept_by_us = "pipelines.postgres" in str(theirs.get("storage"))
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
