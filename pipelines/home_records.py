"""Dagster's old records from a terminal: what the sensor `limpeza` lets go (`retention`), and what it would."""

import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from lastro.files import copy_at_rest
from lastro.operation.records import CONFIG, read_config
from lastro.settings import Settings

from .execution import open_records, prepare_home, readable, records_kept
from .home import find_home
from .names import Names
from .retention import measure_records, plan_records, remove_records

if TYPE_CHECKING:
    from lastro.operation.retention import Removal


def prune_home(settings: Settings, now: datetime) -> "tuple[Removal, ...]":
    """Let old records go as the sensor does, where Dagster has a home."""
    home, own = find_home(settings, os.environ)
    if own and not (home / CONFIG).is_file():
        return ()
    with open_records(prepare_home(settings, os.environ), settings) as instance:
        return remove_records(instance, plan_records(instance, Names(settings.local), settings, now))


def plan_home(settings: Settings, now: datetime) -> "tuple[tuple[Removal, ...], str]":
    """List what `prune_home` would let go, and change nothing: files of records are looked at in a copy.

    Where Dagster opens its records, it makes whatever file or table it misses.

    Returns:
        What would go, and why that cannot be told yet; empty where it can.
    """
    home, _ = find_home(settings, os.environ)
    file = home / "history" / "runs.db"
    try:
        stored = {key: value for key, value in read_config(home).items() if key in ("storage", "run_storage")}
    except ValueError as error:
        return (), f"{error}"
    if not stored and not file.is_file():
        return (), ""
    databases = set(stored.get("storage") or ()) & {"postgres", "mysql"}
    if stored and not databases:
        return (), f"{home / CONFIG} nomeia um guardador próprio"
    for kind in databases:
        stored = {"storage": {kind: {**stored["storage"][kind], "should_autocreate_tables": False}}}
    from sqlalchemy.exc import NoSuchTableError, ProgrammingError

    from lastro.operation.retention import RECORDS, Removal

    with tempfile.TemporaryDirectory(prefix="lastro-") as folder:
        (Path(folder) / CONFIG).touch()
        copies = Path(folder) / "history"
        copies.mkdir()
        if not stored and not copy_at_rest([file, file.with_name("runs.db-wal")], copies):
            return (), f"o Dagster está escrevendo {file}"
        with records_kept(home), readable(home):
            try:
                with dg.DagsterInstance.local_temp(folder, stored) as instance:
                    run_ids = plan_records(instance, Names(settings.local), settings, now)
            except (NoSuchTableError, ProgrammingError):
                return (), f"o banco que {home / CONFIG} nomeia ainda não tem as tabelas do Dagster"
    sizes = (
        measure_records(home / "storage" / run_id, [file.with_name("runs") / f"{run_id}.db"]) for run_id in run_ids
    )
    return tuple(Removal(RECORDS, "dagster", *told) for told in zip(run_ids, sizes, strict=True)), ""
