"""Dagster's events in the file of one machine: packed, one transaction each, and to whoever reads them as they were."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import DagsterEvent, StepMaterializationData
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.runs import SqliteRunStorage
from dagster._serdes import serialize_value

from pipelines import packing
from pipelines.packing import pack, pack_parameters, unpack
from pipelines.records import PARTITION_SECONDS, OneFileEventLog, OneFileRuns

RUN = "3b3092a6-5408-4c22-9163-76a39e4966ee"
EVENT = '{"__class__": "EventLogEntry", "user_message": "ação, R$ 1.234,56"}'


@pytest.fixture
def log(tmp_path: Path) -> Iterator[OneFileEventLog]:
    log = OneFileEventLog(str(tmp_path))
    yield log
    log.dispose()


def materialise(name: str, moment: float, rows: int) -> EventLogEntry:
    """An event that says that a table was written."""
    told = dg.AssetMaterialization(dg.AssetKey(["core", name]), partition="acme", metadata={"linhas": rows})
    event = DagsterEvent(
        event_type_value="ASSET_MATERIALIZATION",
        job_name="diario",
        step_key="core",
        event_specific_data=StepMaterializationData(told),
    )
    return EventLogEntry(None, 10, "", RUN, moment, step_key="core", job_name="diario", dagster_event=event)


def read_stored(folder: Path, sql: str) -> list[tuple[object, ...]]:
    """Ask the file itself, as nobody else does."""
    with closing(sqlite3.connect(folder / "event_log.db")) as con:
        return con.execute(sql).fetchall()


def test_what_is_packed_comes_back_and_nothing_else_is_packed() -> None:
    packed = pack(EVENT)
    assert isinstance(packed, bytes)
    assert len(packed) < len(EVENT)
    assert unpack(packed) == EVENT
    assert [pack(value) for value in ("acme", 3, None, '{"__class__": "AssetKey"}')] == [
        "acme", 3, None, '{"__class__": "AssetKey"}',
    ]  # fmt: skip
    assert [unpack(value) for value in (EVENT, 3, None)] == [EVENT, 3, None]
    assert pack_parameters((1, EVENT)) == (1, packed)
    assert pack_parameters([(1, EVENT), (2, "x")]) == [(1, packed), (2, "x")]
    assert pack_parameters(()) == ()
    assert pack_parameters({}) == {}


def test_bytes_that_were_damaged_are_no_event() -> None:
    packed = pack(EVENT)
    for harmed in (packed[:-3], packed[:10] + b"\0\0" + packed[12:], zlib.compress(EVENT.encode())[:-4]):
        with pytest.raises(zlib.error):
            unpack(harmed)


def test_the_dictionary_is_the_one_that_files_were_written_with() -> None:
    """Another one would leave every event of the last thirty days unreadable."""
    text = Path(packing.__file__).with_suffix(".txt").read_bytes()
    assert hashlib.sha256(text).hexdigest()[:16] == "1c212de6d8f654af"


def test_events_lie_packed_and_are_read_as_they_were(log: OneFileEventLog, tmp_path: Path) -> None:
    event = materialise("linhas", 1_000.0, 7)
    log.store_event(event)
    assert [each.dagster_event for each in log.get_logs_for_run(RUN)] == [event.dagster_event]
    ((stored,),) = read_stored(tmp_path, "SELECT event FROM event_logs")
    ((latest,),) = read_stored(tmp_path, "SELECT last_materialization FROM asset_keys")
    assert isinstance(stored, bytes)
    assert isinstance(latest, bytes)
    assert len(stored) < len(serialize_value(event)) / 4


def test_events_of_before_are_read_beside_them(log: OneFileEventLog, tmp_path: Path) -> None:
    older, newer = materialise("linhas", 1_000.0, 7), materialise("linhas", 2_000.0, 8)
    log.store_event(older)
    with closing(sqlite3.connect(tmp_path / "event_log.db")) as con:
        con.execute("UPDATE event_logs SET event = ?", [serialize_value(older)])
        con.commit()
    log.store_event(newer)
    assert [each.timestamp for each in log.get_logs_for_run(RUN)] == [1_000.0, 2_000.0]


def test_the_latest_of_an_asset_gives_way_to_the_next(log: OneFileEventLog) -> None:
    key = dg.AssetKey(["core", "linhas"])
    for moment, rows in ((1_000.0, 7), (2_000.0, 8)):
        log.store_event(materialise("linhas", moment, rows))
    (record,) = log.get_asset_records([key])
    shown = record.asset_entry.last_materialization
    assert shown is not None
    assert shown.asset_materialization is not None
    assert shown.asset_materialization.metadata["linhas"].value == 8


def test_a_batch_is_kept_whole_or_not_at_all(log: OneFileEventLog, tmp_path: Path) -> None:
    events = [materialise(name, 1_000.0, 1) for name in ("linhas", "titulos")]
    log.store_event_batch(events)
    assert read_stored(tmp_path, "SELECT count(*) FROM event_logs") == [(2,)]
    with pytest.raises(AttributeError):
        log.store_event_batch([materialise("linhas", 2_000.0, 1), None])
    assert read_stored(tmp_path, "SELECT count(*) FROM event_logs") == [(2,)]
    log.store_event(materialise("linhas", 3_000.0, 1))
    assert read_stored(tmp_path, "SELECT count(*) FROM event_logs") == [(3,)]


def test_a_company_that_came_or_went_is_known_at_once(log: OneFileEventLog) -> None:
    assert not log.has_dynamic_partition("empresa", "acme")
    log.add_dynamic_partitions("empresa", ["acme"])
    assert log.has_dynamic_partition("empresa", "acme")
    assert log.has_dynamic_partition("empresa", "acme")
    log.delete_dynamic_partition("empresa", "acme")
    assert not log.has_dynamic_partition("empresa", "acme")


def test_a_company_that_another_process_let_go_is_gone_a_second_later(log: OneFileEventLog, tmp_path: Path) -> None:
    log.add_dynamic_partitions("empresa", ["acme"])
    assert log.has_dynamic_partition("empresa", "acme")
    with closing(sqlite3.connect(tmp_path / "event_log.db")) as con:
        con.execute("DELETE FROM dynamic_partitions")
        con.commit()
    time.sleep(PARTITION_SECONDS)
    assert not log.has_dynamic_partition("empresa", "acme")


def test_the_runs_of_a_process_are_where_dagster_looks_for_them(tmp_path: Path) -> None:
    """Its connection stays open, and others of the same file see what it writes, and it what they do."""
    ours = OneFileRuns.from_config_value(None, {"base_dir": str(tmp_path)})
    theirs = SqliteRunStorage.from_local(str(tmp_path))
    for writer, reader, value in ((ours, theirs, "1"), (theirs, ours, "2"), (ours, theirs, "3")):
        writer.set_cursor_values({"dia": value})
        assert reader.get_cursor_values({"dia"}) == {"dia": value}
    held = []
    for _ in range(6):
        with ours.connect() as connection:
            held.append(connection.connection.dbapi_connection)
    assert len(set(map(id, held))) < 3
    ours.dispose()
