"""The four things of Dagster that stand under a private name, and what to do when one of them is gone.

Everything else here is what `import dagster as dg`, the keys of `dagster.yaml` and the commands of its documentation
offer; a test counts these. Each was there from 1.12 to 1.13. When Dagster moves one, its release notes or a search for
the class name in its source say where to; a `dagster.yaml` that was written before is then mended by hand, or moved
away, and the next command writes a new one. `keep_engines` and `list_event_files` stand here too: their names
are public, yet no page has them.
"""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import dagster as dg

EVENTS: Final = ("dagster._core.storage.event_log", "ConsolidatedSqliteEventLogStorage")
"""Module and class of the keeper of events in one file, named so in Dagster's documentation of `dagster.yaml`. A file a
run, the default, takes half as much room again and more time. Gone: leave `event_log_storage` out of `dagster.yaml`."""
OUTPUT: Final = ("dagster._core.storage.noop_compute_log_manager", "NoOpComputeLogManager")
"""The same of the keeper of printed output that keeps none: the terminal and the journal have it. Gone: leave
`compute_logs` out; each step then starts processes to copy what it prints into files."""


def open_workspace(instance: dg.DagsterInstance, workspace: Path, *, read_only: bool) -> Any:
    """Open what Dagster's web application is made from; a context manager.

    Dagster's own command for its web server listens by itself, without the guard. Gone: `dagster_webserver.cli` shows
    how that command makes it.

    Args:
        instance: the records.
        workspace: the file that names the code locations.
        read_only: whether the UI only shows.
    """
    from dagster._core.workspace import context, load_target
    from dagster_webserver.version import __version__

    target = load_target.WorkspaceFileTarget(paths=[str(workspace)])
    return context.WorkspaceProcessContext(instance, target, version=__version__, read_only=read_only)


DOORS: Final = {EVENTS[1]: ("index_connection", "run_connection"), "SqliteRunStorage": ("connect",)}
"""Class of a keeper of records in one SQLite file, and the methods by which all of it opens that file."""


def keep_engines(instance: dg.DagsterInstance) -> None:
    """Let each keeper of records in a file stay with its first engine of SQLAlchemy, and with what that has compiled.

    By itself it makes an engine for each thing that it writes or asks, some hundred a run, and each begins by compiling
    its statement and by asking what the file is. Connections are opened and closed as before. A keeper of another form
    (PostgreSQL has one engine) is left alone. Gone: without this call a run takes more CPU, and nothing else changes.

    Args:
        instance: the records, as this process opened them.
    """
    for name in ("event_log_storage", "run_storage"):
        keeper = getattr(instance, name, None)
        doors = DOORS.get(type(keeper).__name__, ())
        if doors and all(hasattr(keeper, door) for door in doors):
            _keep_engine(keeper, doors)


def _keep_engine(keeper: Any, doors: tuple[str, ...]) -> None:
    with getattr(keeper, doors[0])() as con:
        engine = con.engine

    @contextlib.contextmanager
    def connect(*_run: str | None) -> Iterator[Any]:
        with engine.begin() as con:
            yield con

    for door in doors:
        setattr(keeper, door, connect)


CHECK_RESULTS: Final = "asset_check_executions"
"""Dagster's table of the results of checks; of 1.13.27 its comment says that its index is not what was meant."""


def forget_runless_results(instance: dg.DagsterInstance, keys: Iterable[dg.AssetCheckKey], partition: str) -> None:
    """Let the results of checks go that a sensor told for a partition before it tells them again.

    Of those that no run has told Dagster's index takes one a check and partition, and the next one fails the tick of
    the sensor that tells it. What runs have told stays. Gone: without this call a second publication of a terminal's is
    told no more, or, once that index is mended, the earlier results stay too.

    Args:
        instance: the records.
        keys: the checks.
        partition: the partition.
    """
    door = getattr(instance.event_log_storage, "index_connection", None)
    if door is None:
        return
    from sqlalchemy import text

    forget = text(
        f"DELETE FROM {CHECK_RESULTS} WHERE asset_key = :asset AND check_name = :name AND partition = :partition "  # noqa: S608 - a constant
        "AND run_id = ''"
    )
    with door() as con:
        for key in keys:
            con.execute(forget, {"asset": key.asset_key.to_string(), "name": key.name, "partition": partition})


def list_event_files(instance: dg.DagsterInstance, run_id: str) -> list[Path]:
    """List the files with the events of one run and of no other, as Dagster keeps them where nothing is configured.

    `delete_run` empties such a file and leaves it, half a megabyte a run. Gone: without this function they stay.

    Args:
        instance: the records.
        run_id: the run.
    """
    place = getattr(getattr(instance, "event_log_storage", None), "path_for_shard", None)
    path = Path(place(run_id)) if place is not None else None
    if path is None or path.name != f"{run_id}.db":
        return []
    return [each for end in ("", "-wal", "-shm") if (each := path.with_name(path.name + end)).is_file()]
