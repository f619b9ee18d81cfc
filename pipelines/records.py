"""Where Dagster keeps the events of runs on one machine: one SQLite file, its connections kept open.

Dagster's own keeper writes each event of an asset into two files and opens and closes a file for each statement: of a
small run that was the larger part of the time, and twice the room. Named in `dagster.yaml` (`home`).
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as db
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._core.storage.event_log.polling_event_watcher import SqlPollingEventWatcher
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable
from dagster._core.storage.sql import create_engine
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS

LOCK_NAME = ".criacao"


class OneFileEventLog(ConsolidatedSqliteEventLogStorage):
    """Dagster's event log in one file, for any number of processes of one machine."""

    @cached_property
    def _engine(self) -> db.Engine:
        engine = create_engine(self._conn_string, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})

        @db.event.listens_for(engine, "connect")
        def relax(connection: Any, _record: Any) -> None:
            # Whole after any crash of a process; a machine that loses power may lose the last events, no more.
            connection.execute("PRAGMA synchronous=NORMAL")

        return engine

    @cached_property
    def _watcher(self) -> SqlPollingEventWatcher:
        return SqlPollingEventWatcher(self)

    def _init_db(self) -> None:
        """Make the file; of two processes that find none one makes it."""
        folder = Path(self._base_dir)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK_NAME).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            super()._init_db()  # type: ignore[no-untyped-call] # Dagster declares no types there

    def has_table(self, table_name: str) -> bool:
        """Tell whether a table is there; asked some hundred times a run, and no table ever goes."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @cached_property
    def _tables(self) -> set[str]:
        return set()

    @contextmanager
    def _connect(self) -> Iterator[db.Connection]:
        with self._engine.connect() as connection, connection.begin():
            yield connection

    def _store_runless_asset_check_evaluation(self, event: Any, event_id: int | None) -> None:
        """Keep what a check says without a run; the one before gives way, for the table has room for one alone."""
        told = event.dagster_event.asset_check_evaluation_data
        table = AssetCheckExecutionsTable.c
        with self.index_connection() as connection:  # type: ignore[no-untyped-call] # Dagster declares none there
            connection.execute(
                AssetCheckExecutionsTable.delete().where(
                    table.asset_key == told.asset_key.to_string(),
                    table.check_name == told.check_name,
                    table.run_id == event.run_id,
                    table.partition == told.partition,
                )
            )
        super()._store_runless_asset_check_evaluation(event, event_id)

    def store_event(self, event: Any) -> None:
        """Keep an event; what an output tells of its asset stands in the asset's own event, and once is enough."""
        told = event.dagster_event
        if told is not None and told.is_successful_output:
            data = told.event_specific_data._replace(metadata={})
            event = event._replace(dagster_event=told._replace(event_specific_data=data))
        super().store_event(event)

    def watch(self, run_id: str, cursor: str | None, callback: Any) -> None:
        """Tell a callback of new events; by asking, for a log written ahead changes another file."""
        self._watcher.watch_run(run_id, cursor, callback)

    def end_watch(self, run_id: str, handler: Any) -> None:
        """Tell it no more."""
        self._watcher.unwatch_run(run_id, handler)

    def dispose(self) -> None:
        """Close the connections and end the watching."""
        if "_watcher" in self.__dict__:
            self._watcher.close()
        self._engine.dispose()
