"""Where Dagster keeps runs and their events on one machine: SQLite files, their connections kept open.

Dagster's own keeper writes each event of an asset into two files, opens and closes a file for each statement, and asks
for the columns of a table before each: of a small run that was the larger part of the time, and ten times the room.
Named in `dagster.yaml` (`home`).
"""

import fcntl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import sqlalchemy as db
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._core.storage.event_log.polling_event_watcher import SqlPollingEventWatcher
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, AssetKeyTable
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sql import create_engine
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from sqlalchemy.dialects import sqlite

from .packing import pack_parameters, unpack_row

LOCK_NAME: Final = ".criacao"
PARTITION_SECONDS: Final = 1.0
"""For so long a partition that was there is there: each of the forty outputs of a step asks."""


class OneFileEventLog(ConsolidatedSqliteEventLogStorage):
    """Dagster's event log in one file, for any number of processes of one machine."""

    @cached_property
    def _engine(self) -> db.Engine:
        engine = create_engine(self._conn_string, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})

        @db.event.listens_for(engine, "connect")
        def relax(connection: Any, _record: Any) -> None:
            # Whole after any crash of a process; a machine that loses power may lose the last events, no more.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.row_factory = unpack_row

        @db.event.listens_for(engine, "before_cursor_execute", retval=True)
        def shrink(
            _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: Any
        ) -> tuple[str, Any]:
            return statement, pack_parameters(parameters)

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

    def _has_asset_key_col_on_connection(self, conn: db.Connection, column_name: str) -> bool:
        """Tell whether a column is there; asked for each event of an asset."""
        if column_name not in self._columns and super()._has_asset_key_col_on_connection(conn, column_name):
            self._columns.add(column_name)
        return column_name in self._columns

    @cached_property
    def _columns(self) -> set[str]:
        return set()

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Tell whether a company is a partition."""
        key = (partitions_def_name, partition_key)
        if time.monotonic() - self._partitions.get(key, float("-inf")) > PARTITION_SECONDS:
            self._partitions.pop(key, None)
            if super().has_dynamic_partition(partitions_def_name, partition_key):
                self._partitions[key] = time.monotonic()
        return key in self._partitions

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Let a partition go."""
        super().delete_dynamic_partition(partitions_def_name, partition_key)
        self._partitions.pop((partitions_def_name, partition_key), None)

    @cached_property
    def _partitions(self) -> dict[tuple[str, str], float]:
        return {}

    @contextmanager
    def _connect(self) -> Iterator[db.Connection]:
        under_way: db.Connection | None = getattr(self._local, "connection", None)
        if under_way is not None:
            yield under_way
            return
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @cached_property
    def _local(self) -> threading.local:
        return threading.local()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Make one transaction of what this thread writes meanwhile."""
        before = getattr(self._local, "connection", None)
        with self._connect() as connection:
            self._local.connection = connection
            try:
                yield
            finally:
                self._local.connection = before

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
        with self._at_once():
            super().store_event(event)

    def store_event_batch(self, events: Sequence[Any]) -> None:
        """Keep several events, all or none: what a run intends to make."""
        with self._at_once():
            super().store_event_batch(events)

    def _store_asset_event(self, conn: db.Connection, event: Any, event_id: int) -> None:
        """Keep what is the latest of an asset, in one statement whether it was known or not."""
        values = self._get_asset_entry_values(
            event, event_id, self._has_asset_key_col_on_connection(conn, "last_materialization_timestamp")
        )
        if values:
            known = sqlite.insert(AssetKeyTable).values(asset_key=event.dagster_event.asset_key.to_string(), **values)
            conn.execute(known.on_conflict_do_update(index_elements=["asset_key"], set_=values))

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


class OneFileRuns(SqliteRunStorage):
    """Dagster's own file of runs, for one process, its connections kept open.

    Dagster opens and closes it sixty times a run; whoever closes it last carries its log over into it each time.
    """

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "OneFileRuns":
        """Open the file that Dagster's own class would."""
        return cls.from_local(inst_data=inst_data, **config_value)

    @cached_property
    def _engine(self) -> db.Engine:
        return create_engine(self._conn_string, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})

    @contextmanager
    def connect(self) -> Iterator[db.Connection]:
        """Give a connection, and make one transaction of what it does."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Close the connections."""
        self._engine.dispose()
