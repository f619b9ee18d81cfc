"""The flat tables of `dados`, and any view of `mart`: read for a workbook, or copied to files (manual: Dados).

One catalogue (`dataset_tables`) feeds the workbook, Parquet, CSV and JSON. Does not belong here: how a workbook is
written (`lastro.export.flat`), and where files go (`lastro.run.datasets`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Final

import duckdb

from lastro.errors import LastroError, StorageError, join_keys
from lastro.grid.cells import Kind
from lastro.grid.flat import CLEAN, ROW_NUMBER, FlatColumn, FlatContent, FlatTable, Surveyor
from lastro.schema.columns import COLUMNS
from lastro.schema.derive import quote, versions_at
from lastro.schema.tables import VERSIONED
from lastro.warehouse.csv_text import CSV, CsvText
from lastro.warehouse.dataset_tables import DATASETS, Dataset
from lastro.warehouse.faults import guard
from lastro.warehouse.publish import LINK_NAME, read_published

MAX_ROWS: Final = 200_000
"""More rows of a table are split by year: Excel slows down long before its last row."""
PREFIX: Final = "tbl_"
_OPTIONS: Final = {"parquet": "FORMAT parquet, COMPRESSION zstd", "json": "FORMAT json, ARRAY true"}
"""What a file is written as, CSV apart -> the options of COPY."""
_CHUNK: Final = 1_000
_KINDS: Final = {
    "VARCHAR": Kind.TEXT,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "BOOLEAN": Kind.BOOLEAN,
    "DECIMAL(18,2)": Kind.MONEY,
}


class DatasetReader:
    """The tables of `dados` as of one day, from an open warehouse.

    Args:
        con: the private file of a run, or a published one.
        data_base: D.
        exata: number of the stored run that gives a past D back exactly (S3); None where the current tables do.
        dados_pessoais: with contacts and documents of persons.
    """

    def __init__(
        self, con: duckdb.DuckDBPyConnection, data_base: date, exata: int | None = None, *, dados_pessoais: bool = True
    ) -> None:
        self._con = con
        self._names = {name: f"core.{name}" if exata is None else f"({versions_at(name, exata)})" for name in VERSIONED}
        self._names["D"] = f"DATE '{data_base.isoformat()}'"
        self._personal = dados_pessoais

    def sql(self, dataset: Dataset) -> str:
        """Write the statement of a table."""
        text = dataset.sql
        for name, source in self._names.items():
            text = text.replace("{" + name + "}", source)
        if dataset.personal and not self._personal:
            text = f"SELECT * EXCLUDE ({', '.join(dataset.personal)}) FROM ({text})"
        return text

    def load(self, dataset: Dataset) -> tuple[str, int]:
        """Compute a table once and demand that its key is one.

        Returns:
            The name of a temporary table, and its rows.

        Raises:
            LastroError: when two rows share a key; nothing is written then.
        """
        name, key = f"temp.{PREFIX}{dataset.name}", ", ".join(dataset.key)
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {PREFIX}{dataset.name} AS {self.sql(dataset)}")
        total, distinct = self._con.execute(f"SELECT count(*), count(DISTINCT ({key})) FROM {name}").fetchall()[0]
        if total != distinct:
            twice = self._con.execute(
                f"SELECT concat_ws('/', {key}) FROM {name} GROUP BY {key} HAVING count(*) > 1 ORDER BY 1"
            ).fetchall()
            raise LastroError(
                f"{PREFIX}{dataset.name}: {key} is in more than one row: {join_keys(row[0] for row in twice)}. "
                "Nothing was written; report it."
            )
        return name, int(total)

    def tables(self, most: int = MAX_ROWS) -> Iterator[FlatTable]:
        """Read every table, checked; one with more rows than `most` as one table a year, where it has a year.

        The rows of a table are there until the next one is asked for.
        """
        for dataset in DATASETS:
            name, length = self.load(dataset)
            columns = self._describe(dataset, name)
            # What the whole has is asked once: a year has hardly less, and asking each reads the whole each time.
            survey = cache(partial(survey_columns, self._con, f"FROM {name}", columns))
            if length <= most or not dataset.year:
                yield self._table(dataset, columns, survey, f"FROM {name}", length)
            else:
                years = self._con.execute(
                    f"SELECT {dataset.year} AS ano, count(*) FROM {name} GROUP BY ALL ORDER BY 1"
                ).fetchall()
                for year, rows in years:
                    part = f"FROM {name} WHERE {dataset.year} = {year}"
                    yield self._table(dataset, columns, survey, part, rows, f"_{year}")
            self._con.execute(f"DROP TABLE {name}")

    def copy(self, folder: Path, formatos: Sequence[str]) -> list[Path]:
        """Copy every table, checked, into files of some formats; the folder is there."""
        written = []
        for dataset in DATASETS:
            name, _ = self.load(dataset)
            written += copy_query(self._con, f"FROM {name}", folder / f"{PREFIX}{dataset.name}", formatos)
            self._con.execute(f"DROP TABLE {name}")
        return written

    def _describe(self, dataset: Dataset, name: str) -> tuple[FlatColumn, ...]:
        described = self._con.execute(f"DESCRIBE {name}").fetchall()
        return tuple(FlatColumn(name, find_kind(kind), _explain(dataset, name)) for name, kind, *_ in described)

    def _table(
        self,
        dataset: Dataset,
        columns: tuple[FlatColumn, ...],
        survey: Surveyor,
        sql: str,
        length: int,
        suffix: str = "",
    ) -> FlatTable:
        name, rows = f"{PREFIX}{dataset.name}{suffix}", partial(evaluate_rows, self._con, sql)
        return FlatTable(name, dataset.comment, dataset.key, columns, rows, survey, length, dataset.joins)


def evaluate_rows(
    con: duckdb.DuckDBPyConnection, sql: str, expression: str, clean: Callable[[str], str]
) -> Iterator[bytes]:
    """Evaluate an expression over each row of a FROM clause, in its order (`lastro.grid.flat.RowMaker`)."""
    con.create_function(CLEAN, clean, ["VARCHAR"], "VARCHAR")
    try:
        # As bytes: a text would be decoded, joined and encoded again.
        number = f"(row_number() OVER () + 1)::VARCHAR AS {ROW_NUMBER}"
        con.execute(f"SELECT encode({expression}) FROM (SELECT {number}, * {sql})")
        while rows := con.fetchmany(_CHUNK):
            yield b"".join([text for (text,) in rows])
    finally:
        con.remove_function(CLEAN)


def survey_columns(
    con: duckdb.DuckDBPyConnection, sql: str, columns: Sequence[FlatColumn], odd: Sequence[str]
) -> list[FlatContent]:
    """Find what the columns of a FROM clause have (`lastro.grid.flat.Surveyor`)."""
    texts, others = [], []
    for place, (column, condition) in enumerate(zip(columns, odd, strict=True)):
        if column.kind is Kind.TEXT:
            # Most come again, so each different one is looked at once.
            texts.append(
                f"SELECT {place}, bool_or({column.sql} IS NULL), bool_or({column.sql} = ''), bool_or({condition}) "
                f"FROM (SELECT DISTINCT {column.sql} {sql})"
            )
        else:
            others.append(f"row({place}, count(*) > count({column.sql}), false, bool_or({condition}))")
    answers = con.execute(" UNION ALL ".join(texts)).fetchall() if texts else []
    answers += con.execute(f"SELECT {', '.join(others)} {sql}").fetchall()[0] if others else ()
    return [FlatContent(*map(bool, content)) for _, *content in sorted(answers)]


def find_kind(sql_type: str) -> Kind:
    """Say what the cells of an SQL type are: what is no money, date, time or flag and has digits is a number.

    >>> find_kind("DECIMAL(18,2)").name, find_kind("BIGINT").name, find_kind("DECIMAL(9,4)").name
    ('MONEY', 'INTEGER', 'NUMBER')
    """
    if sql_type in _KINDS:
        return _KINDS[sql_type]
    if sql_type.startswith("DECIMAL"):
        return Kind.NUMBER
    return Kind.INTEGER if sql_type.endswith("INT") or sql_type == "INTEGER" else Kind.TEXT


def _explain(dataset: Dataset, column: str) -> str:
    known = COLUMNS.get(column)
    return dataset.meanings.get(column) or (known.comment if known is not None else "")


def copy_query(con: duckdb.DuckDBPyConnection, sql: str, stem: Path, formatos: Sequence[str]) -> list[Path]:
    """Copy the result of a statement into one file per format, beside each other."""
    written = []
    for formato in formatos:
        if formato in CSV:
            path = stem.with_name(stem.name + CSV[formato].ending)
            _copy_csv(con, sql, path, CSV[formato])
        else:
            path = stem.with_name(f"{stem.name}.{formato}")
            con.execute(f"COPY ({sql}) TO {quote(str(path))} ({_OPTIONS[formato]})")
        written.append(path)
    return written


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


def export_published(
    pasta: Path, views: Sequence[str], folder: Path, formatos: Sequence[str], *, dados: bool, dados_pessoais: bool
) -> list[Path]:
    """Copy tables of `dados` and views of `mart` from the published file of a company.

    Args:
        pasta: the company's folder.
        views: views of `mart`; those that are not there are refused.
        folder: an empty folder.
        formatos: of `lastro.settings.EXPORT_FORMATS`.
        dados: the tables of `dados` too.
        dados_pessoais: with contacts and documents of persons.

    Raises:
        StorageError: when nothing is published there, or by another version, or the folder cannot be written.
    """
    published, number = pasta / LINK_NAME, read_published(pasta)
    if number is None or not published.exists():
        raise StorageError(f"{published}: nothing is published there yet. Run `lastro run` first.")
    with guard(published), duckdb.connect(str(published), read_only=True) as con:
        try:
            written = []
            if dados:
                written += _open_reader(con, number, dados_pessoais=dados_pessoais).copy(folder, formatos)
            for view in views:
                written += copy_query(con, f"FROM mart.{view}", folder / view, formatos)
        except (duckdb.CatalogException, duckdb.BinderException):
            raise StorageError(
                f"{published}: published by another version of lastro. Run `lastro run` again."
            ) from None
        except duckdb.IOException:
            raise StorageError(f"{folder}: cannot be written. Free disk space or give another --pasta.") from None
    return written


def list_published_views(pasta: Path) -> tuple[date, tuple[str, ...]]:
    """Read the data-base of what is published and the names of its views.

    Raises:
        StorageError: when nothing is published there.
    """
    published, number = pasta / LINK_NAME, read_published(pasta)
    if number is None or not published.exists():
        raise StorageError(f"{published}: nothing is published there yet. Run `lastro run` first.")
    with guard(published), duckdb.connect(str(published), read_only=True) as con:
        day = con.execute("SELECT data_base FROM ops.execucoes WHERE execucao_id = ?", [number]).fetchall()[0][0]
        views = con.execute(
            "SELECT view_name FROM duckdb_views() WHERE schema_name = 'mart' AND NOT internal ORDER BY 1"
        ).fetchall()
    return day, tuple(name for (name,) in views)


def _open_reader(con: duckdb.DuckDBPyConnection, number: int, *, dados_pessoais: bool) -> DatasetReader:
    day, extracted = con.execute(
        "SELECT data_base, data_extracao FROM ops.execucoes WHERE execucao_id = ?", [number]
    ).fetchall()[0]
    exact = None
    if day != extracted:
        # As `find_run_of_day`: the last complete run extracted on D gives it back (S3).
        exact = con.execute(
            "SELECT max(execucao_id) FROM ops.execucoes WHERE situacao = 'completa' AND data_extracao = ? "
            "AND coalesce(tipo_execucao, 'completa') = 'completa'",
            [day],
        ).fetchall()[0][0]
    return DatasetReader(con, day, exact, dados_pessoais=dados_pessoais)
