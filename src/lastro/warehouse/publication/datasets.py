"""The flat tables of `dados`, and any view of `mart`: read for a workbook, or copied to files (manual: Dados).

Does not belong here: their statements (`lastro.warehouse.file.dataset_views`), what the workbook says of them and where
files go (`lastro.run.datasets`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd

from lastro.errors import LastroError, StorageError, join_keys
from lastro.grid.cells import INSTANTS, TEXTS, Kind
from lastro.grid.sections import SHEET_ROWS, SheetRows
from lastro.grid.storage import PLACES, StoredColumn, store_series
from lastro.grid.tables import Column, Table
from lastro.schema.derivation import quote
from lastro.warehouse.file.dataset_views import DATASETS, Dataset
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.csv_text import CSV, CsvText
from lastro.warehouse.publication.published_file import open_published

BLOCK: Final = 20_000
"""Rows of a table that are in memory at a time."""
PREFIX: Final = "tbl_"
_OPTIONS: Final = {"parquet": "FORMAT parquet, COMPRESSION zstd", "json": "FORMAT json, ARRAY true"}
"""What a file is written as, CSV apart -> the options of COPY."""
_KINDS: Final = {
    "VARCHAR": Kind.TEXT,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "BOOLEAN": Kind.BOOLEAN,
    "DECIMAL(18,2)": Kind.MONEY,
    "DECIMAL(24,2)": Kind.PERCENT,
}
_STORED: Final = {
    **{kind: f"({{}}::DECIMAL(28, {places}) * {10**places})::BIGINT" for kind, places in PLACES.items()},
    **dict.fromkeys(INSTANTS, "{}::TIMESTAMP"),
    Kind.INTEGER: "{}::BIGINT",
}
"""Kind -> how SQL hands a column over as it is stored (`lastro.grid.storage`), exactly; the others are as they are."""


@dataclass(frozen=True)
class LoadedTable:
    """A table of `dados`, or one year or month of it, as it stands computed in the file.

    Attributes:
        dataset: what it is.
        name: of its sheet.
        columns: in order.
        length: how many rows it has.
        read: reads them, in order, `BLOCK` rows at a time.
        sql: selects them.
        fits: a sheet has room for them.
    """

    dataset: Dataset
    name: str
    columns: tuple[Column, ...]
    length: int
    read: Callable[[], Iterator[Table]]
    sql: str = ""
    fits: bool = True


class DatasetReader:
    """The tables of `dados`, from the private file of a run, or a published one.

    Args:
        dados_pessoais: with contacts and documents of persons.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, *, dados_pessoais: bool = True) -> None:
        self._con = con
        self._personal = dados_pessoais

    def load(self, dataset: Dataset) -> tuple[str, int]:
        """Compute a table once and demand that its key is one.

        Returns:
            The name of a temporary table, and its rows.

        Raises:
            LastroError: when two rows share a key; nothing is written then.
        """
        name, key = f"temp.{PREFIX}{dataset.name}", ", ".join(dataset.key)
        left_out = f"EXCLUDE ({', '.join(dataset.personal)})" if dataset.personal and not self._personal else ""
        read = f"SELECT * {left_out} FROM dados.{dataset.name}"
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {PREFIX}{dataset.name} AS {read}")
        total, distinct = self._con.execute(f"SELECT count(*), count(DISTINCT ({key})) FROM {name}").fetchall()[0]
        if total != distinct:
            twice = self._con.execute(
                f"SELECT concat_ws('/', {key}) FROM {name} GROUP BY {key} HAVING count(*) > 1 ORDER BY 1"
            ).fetchall()
            raise LastroError(
                f"{PREFIX}{dataset.name}: {key} está em mais de uma linha: {join_keys(row[0] for row in twice)}. "
                "Nada foi escrito; relate isto."
            )
        return name, int(total)

    def tables(self, rows: SheetRows = SHEET_ROWS) -> Iterator[LoadedTable]:
        """Compute every table, checked; a long one in parts by year, a year too long for a sheet by month.

        A table without days, and a month, that is too long for one, fits none (`LoadedTable.fits`). Their rows can be
        read as long as the connection is open.
        """
        for dataset in DATASETS:
            name, length = self.load(dataset)
            described = self._con.execute(f"DESCRIBE {name}").fetchall()
            columns = tuple(Column(name, find_kind(kind), key=name) for name, kind, *_ in described)
            if length <= rows.usual or not dataset.day:
                read = partial(read_blocks, self._con, f"{PREFIX}{dataset.name}", columns, length)
                fits = length <= rows.most
                yield LoadedTable(dataset, f"{PREFIX}{dataset.name}", columns, length, read, f"FROM {name}", fits)
            else:
                yield from self._split(dataset, columns, rows.most)

    def _split(self, dataset: Dataset, columns: tuple[Column, ...], most: int) -> Iterator[LoadedTable]:
        """Split a table by year, and a year of more rows than `most` by month; what has no day stands last."""
        whole, year, month = f"temp.{PREFIX}{dataset.name}", *(_write_part(dataset, form) for form in ("%Y", "%Y_%m"))
        counted = self._con.execute(f"SELECT {year}, {month}, count(*) FROM {whole} GROUP BY ALL ORDER BY ALL")
        for name, months in groupby(counted.fetchall(), itemgetter(0)):
            own = [*months]
            length = sum(rows for *_, rows in own)
            parts = [(year, name, length)] if length <= most else [(month, each, rows) for _, each, rows in own]
            for part, label, rows in parts:
                sql, table = f"FROM {whole} WHERE {part} = {quote(label)}", f"{PREFIX}{dataset.name}_{label}"
                read = partial(self._read_part, table, sql, columns, rows)
                yield LoadedTable(dataset, table, columns, rows, read, sql, rows <= most)

    def copy_table(self, table: LoadedTable, path: Path) -> None:
        """Copy a table, or a part of one, into a Parquet file whose folder is there."""
        copy_query(self._con, table.sql, path.with_suffix(""), "parquet")

    def copy(self, folder: Path, formato: str) -> list[Path]:
        """Copy every table, checked, into a file each; the folder is there."""
        written = []
        for dataset in DATASETS:
            name, _ = self.load(dataset)
            written.append(copy_query(self._con, f"FROM {name}", folder / f"{PREFIX}{dataset.name}", formato))
            self._con.execute(f"DROP TABLE {name}")
        return written

    def _read_part(self, name: str, sql: str, columns: Sequence[Column], length: int) -> Iterator[Table]:
        """Read the rows of a part: copied first, for they stand anywhere and each block would look for them."""
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        yield from read_blocks(self._con, name, columns, length)
        self._con.execute(f"DROP TABLE {name}")


def _write_part(dataset: Dataset, form: str) -> str:
    """Write the SQL of the part of a table to which a row belongs."""
    return f"coalesce(strftime({dataset.day}, '{form}'), 'sem_data')"


def read_blocks(
    con: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Column], length: int, block: int = BLOCK
) -> Iterator[Table]:
    """Read the rows of a temporary table, in its order, by column: amounts as centavos, never through a float."""
    stored = [_STORED.get(column.kind, "{}").format(f'"{column.key}"') + f' AS "{column.key}"' for column in columns]
    for first in range(0, length, block):
        rows = f"FROM temp.{name} WHERE rowid >= {first} AND rowid < {first + block}"
        read = con.execute(f"SELECT {', '.join(stored)} {rows}").fetchnumpy()
        yield Table.of(name, [(column, _store(column.kind, read[column.key])) for column in columns], "")


def _store(kind: Kind, values: Any) -> StoredColumn:
    """Keep what DuckDB hands over as it is; an array of texts is masked where one is missing."""
    if kind in TEXTS:
        texts = np.array(np.ma.getdata(values), dtype=object)
        texts[np.ma.getmaskarray(values)] = None
        return store_series(kind, pd.Series(texts, dtype=object))
    if kind in INSTANTS:
        return StoredColumn(kind, np.ma.filled(values, np.datetime64("NaT")))
    return StoredColumn(kind, np.ma.asarray(values))


def find_kind(sql_type: str) -> Kind:
    """Return the kind of cell of an SQL type; decimals that are no money keep all their places.

    >>> find_kind("DECIMAL(18,2)").name, find_kind("BIGINT").name, find_kind("DECIMAL(9,4)").name
    ('MONEY', 'INTEGER', 'DECIMAL')
    """
    if sql_type in _KINDS:
        return _KINDS[sql_type]
    if sql_type.startswith("DECIMAL"):
        return Kind.DECIMAL
    return Kind.INTEGER if sql_type.endswith("INT") or sql_type == "INTEGER" else Kind.TEXT


def copy_query(con: duckdb.DuckDBPyConnection, sql: str, stem: Path, formato: str) -> Path:
    """Copy the result of a statement into a file named after its format."""
    if formato in CSV:
        path = stem.with_name(stem.name + CSV[formato].ending)
        _copy_csv(con, sql, path, CSV[formato])
        return path
    path = stem.with_name(f"{stem.name}.{formato}")
    con.execute(f"COPY ({sql}) TO {quote(str(path))} ({_OPTIONS[formato]})")
    return path


def _copy_csv(con: duckdb.DuckDBPyConnection, sql: str, path: Path, csv: CsvText) -> None:
    options = f"FORMAT csv, HEADER true, DELIMITER {quote(csv.delimiter)}"
    con.execute(f"COPY (SELECT {csv.cells} FROM ({sql})) TO {quote(str(path))} ({options})")
    if not csv.mark:
        return
    # DuckDB writes no byte order mark.
    plain = path.with_name(f".{path.name}")
    with guard(path):
        path.rename(plain)
        with plain.open("rb") as source, path.open("wb") as target:
            target.write(csv.mark.encode())
            shutil.copyfileobj(source, target)
        plain.unlink()


def write_csv(columns: str, rows: Sequence[Sequence[object]], order: str, path: Path) -> Path:
    """Write rows of our own as Excel in Brazil opens them (`CSV`).

    Args:
        columns: names and types, as SQL declares them.
        rows: as many values each.
        order: by what they stand.

    Raises:
        StorageError: it cannot be written.
    """
    with guard(path), duckdb.connect() as con:
        con.execute(f"CREATE TABLE linhas({columns})")
        if rows:
            con.executemany(f"INSERT INTO linhas VALUES ({', '.join('?' * len(rows[0]))})", rows)
        return copy_query(con, f"FROM linhas ORDER BY {order}", path.with_suffix(""), "csv-excel").rename(path)


def export_published(
    pasta: Path, views: Sequence[str], folder: Path, formato: str, *, dados: bool, dados_pessoais: bool
) -> list[Path]:
    """Copy tables of `dados` and of `mart` from the published file of a company.

    Args:
        views: tables of `mart`; those that are not there are refused.
        folder: an empty folder.
        formato: of `lastro.settings.EXPORT_FORMATS`.
        dados: the tables of `dados` too.
        dados_pessoais: with contacts and documents of persons.

    Raises:
        StorageError: when nothing is published there, or by another version, or the folder cannot be written.
    """
    with open_published(pasta / LINK_NAME) as con:
        try:
            written = []
            if dados:
                written += DatasetReader(con, dados_pessoais=dados_pessoais).copy(folder, formato)
            for view in views:
                written.append(copy_query(con, f"FROM mart.{view}", folder / view, formato))
        except duckdb.IOException:
            raise StorageError(f"{folder}: não dá para escrever. Libere espaço ou dê outra --pasta.") from None
    return written


def list_published_views(pasta: Path) -> tuple[date, dict[str, str]]:
    """Read the data-base of what is published, and its views: name -> comment.

    Raises:
        StorageError: when nothing is published there.
    """
    with open_published(pasta / LINK_NAME) as con:
        day = con.execute("SELECT data_base FROM ops.relatorio").fetchall()[0][0]
        views = con.execute(
            "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'mart' ORDER BY 1"
        ).fetchall()
    return day, dict(views)
