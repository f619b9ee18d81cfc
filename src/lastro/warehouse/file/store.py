"""The writer's private file: one writer per company, transactions, tables in and out."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import duckdb
import numpy as np
import pandas as pd

from lastro.calendar import BusinessCalendar, iter_days
from lastro.errors import StorageError, WarehouseBusy
from lastro.schema.derivation import (
    build_comments,
    cast_to_frame,
    quote,
    versions_at,
)
from lastro.schema.frames import list_stored_columns, shape
from lastro.schema.tables import SCHEMA_VERSION, TABLES
from lastro.transform.core import build_labels
from lastro.transform.labels import Labels
from lastro.transform.position import CORE_FRAMES, Core
from lastro.transform.transfers import pair_transfers
from lastro.warehouse.file.blocks import (
    MEMORY,
    ROW_GROUP,
    SMALL,
    STORAGE_VERSION,
    give_back,
    limit_memory,
    limit_threads,
    write_fitting,
)
from lastro.warehouse.file.faults import DamagedWarehouse, guard, storage_error, transact, translate
from lastro.warehouse.file.migration import back_up, create_tables, migrate, needs_migration, read_stored_columns
from lastro.warehouse.file.pandas_types import turn_into_objects
from lastro.warehouse.file.rows import fill_from_frame, insert_rows

PRIVATE_FOLDER = "privado"
LINK_NAME = "lastro.duckdb"
_SMALL_MEMORY = "64MB"
"""A limit that makes DuckDB let its cached blocks go; statements run under `MEMORY`."""
_MADE_OF: Final = """SELECT 1 FROM duckdb_views() WHERE database_name = current_database() AND schema_name = 'interno'
AND view_name = '{}' AND contains(sql, '{}')"""
_MUCH_MEMORY, _ROOM_TO_COMMIT = 256 * 2**20, 16 * 2**20


class Warehouse:
    """The private file of one company, open for writing.

    Use it as a context manager. `transaction()` groups writes: all or nothing.
    """

    def __init__(self, pasta: Path) -> None:
        self.pasta = pasta
        self.path = pasta / PRIVATE_FOLDER / LINK_NAME
        self.con = _open_file(self.path)

    def __enter__(self) -> Self:
        """Return the warehouse."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; committed data are in it."""
        self.con.close()

    def make_room(self, records: int) -> None:
        """Write a new file with larger blocks if many records are about to be loaded; it begins with small ones."""
        if write_fitting(self.con, self.path, records):
            self.con = _connect(self.path)

    def trim(self) -> None:
        """Return freed memory to the system."""
        limit_memory(self.con)
        give_back()

    def release_memory(self) -> None:
        """Make DuckDB give up its buffers; without it DuckDB keeps most of the machine's memory.

        Uncommitted rows and temporary tables, dropped ones too, are written to disk: ask `holds_much` before.
        """
        with contextlib.suppress(duckdb.OutOfMemoryException):
            limit_memory(self.con, _SMALL_MEMORY)
        self.trim()

    def _leave_little_room(self) -> None:
        """Limit DuckDB to little more than it holds, until `release_memory`: a commit fills the limit with copies."""
        self.trim()
        room = max(self._held() + _ROOM_TO_COMMIT, _MUCH_MEMORY) // 10**6
        limit_memory(self.con, f"{min(room, int(MEMORY.removesuffix('MB')))}MB")

    def holds_much(self) -> bool:
        """Tell whether DuckDB holds more than 200,000 entries take to load, so that writing it aside pays."""
        return self._held() > _MUCH_MEMORY

    def _held(self) -> int:
        return int(self.ask_one("SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()"))

    @contextlib.contextmanager
    def transaction(self, *, large: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """Group writes; on any error nothing of them stays.

        Args:
            large: whether many rows are written: the commit gets by with little memory, and all is released after it.

        Raises:
            StorageError: when the disk is full or the file is damaged.
        """
        with guard(self.path), transact(self.con):
            yield self.con
            if large:
                self._leave_little_room()
        if large:
            self.release_memory()

    def replace(self, name: str, frame: pd.DataFrame) -> None:
        """Replace a table by a frame, with its comments; money comes in as centavos."""
        table = TABLES[name]
        fill_from_frame(self.con, f"CREATE OR REPLACE TABLE {name} AS", frame, table.definitions)
        self.comment(build_comments(table))

    def comment(self, wanted: Mapping[str, str]) -> None:
        """Comment on tables, views and columns: what `COMMENT ON` names -> the text."""
        # In one go: the way of a statement to DuckDB is an eighth of what a comment costs.
        self.con.execute(write_comments(wanted))

    def make_once(self, name: str, script: str) -> bool:
        """Run a script unless the file has what it makes: the view `interno.<name>` says of which text that is.

        Args:
            name: of what it makes.
            script: statements that make views, macros and comments, and depend on nothing but this text.

        Returns:
            Whether it was run.
        """
        said = sha256(f"{SCHEMA_VERSION} {script}".encode()).hexdigest()
        if self.query(_MADE_OF.format(name, said)):
            return False
        self.con.execute(f"{script};\nCREATE OR REPLACE VIEW interno.{name} AS SELECT '{said}' AS texto")
        return True

    def append(self, name: str, frame: pd.DataFrame) -> None:
        """Append a frame to a table; money comes in as centavos."""
        fill_from_frame(self.con, f"INSERT INTO {name}", frame, TABLES[name].definitions)

    def insert(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert a few rows given by column name; a missing column is null."""
        table = TABLES[name]
        values: list[tuple[Any, ...]] = []
        for row in rows:
            unknown = set(row) - set(table.columns)
            if unknown:
                raise ValueError(f"{name} has no columns {sorted(unknown)}")
            values.append(tuple(row.get(column) for column in table.columns))
        insert_rows(self.con, name, values)

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return its rows; DECIMAL comes as Decimal.

        Raises:
            DamagedWarehouse: when a block of the file cannot be read.
        """
        with guard(self.path):
            return self.con.execute(sql, list(parameters)).fetchall()

    def ask_one(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        """Run a query that gives one row of one column and return its value, as `query` does."""
        ((value,),) = self.query(sql, parameters)
        return value

    def read(
        self,
        name: str,
        where: str = "true",
        parameters: Sequence[object] = (),
        *,
        source: str | None = None,
        texts: dict[object, object] | None = None,
    ) -> pd.DataFrame:
        """Read a table into a frame of its declared shape, ordered by its key.

        Args:
            name: a frame of `lastro.schema.frames.STORED`.
            where: SQL condition.
            parameters: values of its question marks.
            source: another relation with that frame's columns, such as the versions of a recorded run.
            texts: every text read before with the same one, so that equal texts are one object.
        """
        columns = list_stored_columns(name)
        selected = ", ".join(cast_to_frame(column) for column in columns)
        order = ", ".join(f'"{column}"' for column in TABLES[name].key)
        with guard(self.path):
            frame = self.con.execute(
                f"SELECT {selected} FROM {source or name} WHERE {where} ORDER BY {order}", list(parameters)
            ).df()
        return shape(name, turn_into_objects(frame, columns, {} if texts is None else texts))

    def read_core(self, execucao_id: int | None = None, wanted: str = "true") -> Core:
        """Read the core tables as the transforms left them: the current run's, or those of a recorded run.

        Args:
            execucao_id: number of the recorded run; None is the current one.
            wanted: SQL condition of the linhas and títulos that are read; of other tables all rows are.
        """

        def relation(name: str) -> str:
            if execucao_id is None:
                return LINHAS_WITH_TAGS if name == "linhas" else f"core.{name}"
            return f"({versions_at(name, int(execucao_id), tags=name == 'linhas')})"

        texts: dict[object, object] = {}  # a título repeats what its linhas say

        def read(name: str) -> pd.DataFrame:
            where = wanted if name in ("linhas", "titulos") else "true"
            return self.read(f"core.{name}", where, source=relation(name), texts=texts)

        frames = {}
        for name in CORE_FRAMES:
            frames[name] = read(name)
            if name == "linhas":
                self.trim()
        nomes: dict[str, dict[int, str]] = {}
        for dimension, key, label in self.query(f"SELECT dimensao, id, rotulo FROM {relation('formas')}"):
            nomes.setdefault(dimension, {})[key] = label
        stored = dict(
            self.query(
                "SELECT parametro, valor_texto FROM ops.parametros WHERE execucao_id = coalesce(?, (SELECT "
                "max(execucao_id) FROM ops.parametros)) AND parametro LIKE 'composto_%'",
                [execucao_id],
            )
        )
        return Core(
            **frames,
            rotulos=build_labels(frames["contas"], frames["categorias"], frames["pessoas"], nomes),
            composto_modo=stored.get("composto_modo", "parcela"),
            composto_n0=int(stored.get("composto_n0", 0)),
            composto_n1=int(stored.get("composto_n1", 0)),
        )

    def write_core(self, core: Core, execucao_id: int, calendario: BusinessCalendar) -> None:
        """Replace the core tables by those of one run; call it inside `transaction()`."""
        for name, frame in core.frames.items():
            numbered = "execucao_id" in TABLES[f"core.{name}"].columns
            self.replace(f"core.{name}", frame.assign(execucao_id=execucao_id) if numbered else frame)
        self.replace("core.linha_tags", list_tags(core.linhas))
        self.replace("core.transferencias", pair_transfers(core.linhas))
        self.replace("core.formas", pd.DataFrame(list_labels(core.rotulos), columns=["dimensao", "id", "rotulo"]))
        self.replace("core.calendario", list_days(core.linhas, core.cobrancas, calendario))


def write_comments(wanted: Mapping[str, str]) -> str:
    """Write the statements that comment: what `COMMENT ON` names -> the text."""
    return "; ".join(f"COMMENT ON {target} IS {quote(text)}" for target, text in wanted.items())


def list_labels(labels: Labels) -> list[tuple[str, int, str]]:
    """List the names of forms, centres, tags and document types as `core.formas` keeps them: dimension, id, text."""
    return [
        (dimension, key, text)
        for dimension in ("formas", "centros", "tags", "tipos_documento")
        for key, text in sorted(getattr(labels, dimension).items())
    ]


def list_days(linhas: pd.DataFrame, cobrancas: pd.DataFrame, calendario: BusinessCalendar) -> pd.DataFrame:
    """List the days from the first of the data to a year beyond the last, as `core.calendario` has them."""
    days = pd.concat(
        [linhas["data_vencimento"], linhas["data_pagamento"], cobrancas["data_vencimento"]], ignore_index=True
    ).dropna()
    if days.empty:
        first = last = date(2000, 1, 1)
    else:
        first, last = days.min().date(), days.max().date() + timedelta(days=366)
    # One typo of a date (1900, 2199) must not cost minutes: three centuries are 110,000 cheap rows.
    return describe_days(iter_days(first, last), calendario)


def describe_days(days: Iterable[date], calendario: BusinessCalendar) -> pd.DataFrame:
    """Say of days what `core.calendario` says."""
    rows = []
    for day in days:
        iso = day.isocalendar()
        rows.append(
            (
                day,
                calendario.is_business_day(day),
                calendario.holiday_name(day),
                calendario.next_business_day(day),
                calendario.previous_business_day(day),
                iso.year,
                iso.week,
            )
        )
    frame = pd.DataFrame(rows, columns=list(TABLES["core.calendario"].columns))
    for name in ("dia", "proximo_dia_util", "dia_util_anterior"):
        frame[name] = frame[name].astype("datetime64[us]")
    return frame


def list_tags(linhas: pd.DataFrame) -> pd.DataFrame:
    """List the tags of linhas, each once, as `core.linha_tags` keeps them: origem, linha_id, tag_id."""
    tags = linhas["tags"].to_numpy()
    counts = np.fromiter(map(len, tags), "int64", len(tags))
    places = np.repeat(np.arange(len(tags)), counts)
    # As numbers: of objects DuckDB chooses the type by a thousand, and a larger id would end the statement.
    ids = np.fromiter(itertools.chain.from_iterable(tags[counts > 0]), "int64", len(places))
    once = ~pd.DataFrame({"place": places, "tag_id": ids}).duplicated().to_numpy()
    tagged: pd.DataFrame = linhas[["origem", "linha_id"]].iloc[places[once]]
    return tagged.assign(tag_id=ids[once])


LINHAS_WITH_TAGS: Final = (
    "(SELECT * FROM core.linhas LEFT JOIN (SELECT origem, linha_id, list(tag_id ORDER BY tag_id) AS tags "
    "FROM core.linha_tags GROUP BY ALL) USING (origem, linha_id))"
)
"""The relation of linhas with the ids of their tags, ascending; null for none."""


def _open_file(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the file; migrate one of an older lastro after a backup, refuse one of a newer lastro."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(path.parent, error) from None
    con = _connect(path)
    try:
        with guard(path):
            stored = read_stored_columns(con)
            old = needs_migration(con, path, stored)
            if old is not None:
                # A copy of an open file is worth nothing: write everything down, close, copy, open again.
                con.execute("CHECKPOINT")
                con.close()
                backup = back_up(path, old)
                con = _connect(path)
                _migrate_file(con, path, old, backup)
            elif not TABLES.keys() & stored.keys():
                create_tables(con)
            # What a step took out of a file is still in its free blocks: it is written anew.
            if write_fitting(con, path, anew=old is not None):
                con = _connect(path)
            limit_threads(con)
    except BaseException:
        con.close()
        raise
    return con


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    with guard(path):
        # Right after a log is replayed, blocks may be reserved that are not in the file yet.
        replayed = path.with_name(path.name + ".wal").exists()
        # Attached, because only ATTACH takes the size of row groups; temporary files stand beside the file as ever.
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "temp_directory": f"{path}.tmp",
            "default_block_size": SMALL,
        }
        con = duckdb.connect(config=config)
        try:
            options = f"STORAGE_VERSION '{STORAGE_VERSION}', ROW_GROUP_SIZE {ROW_GROUP}"
            con.execute(f"ATTACH {quote(str(path))} AS lastro ({options})")
            con.execute("USE lastro")
            con.execute("SET TimeZone = 'UTC'")
            if not replayed:
                _demand_whole(con, path)
        except BaseException:
            con.close()
            raise
    return con


def _migrate_file(con: duckdb.DuckDBPyConnection, path: Path, old: int, backup: Path) -> None:
    try:
        migrate(con, old, path.parent)
    except duckdb.Error as error:
        told = translate(error, path)
        if isinstance(told, StorageError | WarehouseBusy):
            raise told from None
        raise StorageError(
            f"{path}: um arquivo do esquema {old} não pôde ser migrado ({type(error).__name__}). Ele está "
            f"como estava; há uma cópia em {backup.name}. Relate isto, e siga com o lastro que o escreveu."
        ) from None


def _demand_whole(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file that is shorter than it says itself; DuckDB opens it and fails only where a block is missing."""
    # Free blocks at the end need not be in the file, so only used ones count; three headers come before them.
    blocks, block_size = con.execute(
        "SELECT used_blocks, block_size FROM pragma_database_size() WHERE database_name = current_database()"
    ).fetchall()[0]
    if path.stat().st_size < 3 * 4096 + blocks * block_size:
        raise DamagedWarehouse(
            f"{path}: o arquivo está cortado. Tire-o do lugar; a próxima execução o refaz da cópia publicada "
            "e do serviço."
        )
