"""A private file of an older lastro becomes one of this lastro: forward only, after a backup, all or nothing.

What follows from the schema alone (a table or a column that is missing, columns in another order, a wider type) is
derived by comparing the file with `TABLES`; anything else is a statement in `STEPS`. Published copies are finished
files and are never migrated. Does not belong here: connections and locks (`lastro.warehouse.file.store`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

import duckdb

from lastro.errors import StorageError
from lastro.schema.derivation import build_columns, build_ddl
from lastro.schema.tables import SCHEMA_VERSION, SCHEMAS, TABLES, TableDef
from lastro.secret_key import read_key, seal
from lastro.warehouse.file.blocks import sync
from lastro.warehouse.file.faults import transact

OLDEST: Final = 8
"""The schema of the oldest file that is migrated, that of 0.3.0; one from before it is refused."""
_READ_BEFORE_IT_WAS: Final = """contains(arquivo_id, '/') AND NOT EXISTS (FROM hist.mesa_mostrado AS shown
WHERE shown.arquivo_id = read.arquivo_id AND shown.execucao_id < read.execucao_id)"""
Step = str | Callable[[duckdb.DuckDBPyConnection, Path], None]
"""A statement, or what needs the folder of the file too."""


def _seal_accounts(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Seal the digests of bank accounts under the company's key, where it has none under one that is made now.

    Equal ones stay equal, and what is read from now on is sealed alike: who approved a payment saw the same account.
    """
    key = read_key(folder)
    for table in ("core.pessoas", "hist.pessoas", "hist.mesa_mostrado"):
        plain = f"{table} WHERE dados_bancarios <> ''"
        digests = [digest for (digest,) in con.execute(f"SELECT DISTINCT dados_bancarios FROM {plain}").fetchall()]
        con.execute(
            f"UPDATE {table} SET dados_bancarios = map_extract_value(map(?::VARCHAR[], ?::VARCHAR[]), dados_bancarios) "
            "WHERE dados_bancarios <> ''",
            [digests, [seal(key, digest) for digest in digests]],
        )


def _drop_views_of_mart(con: duckdb.DuckDBPyConnection, _: Path) -> None:
    """Drop the views of `mart` with the tables of `interno` behind them: reports are tables of `mart` now."""
    gone = con.execute(
        "SELECT 'VIEW main.' || view_name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal UNION ALL "
        "SELECT 'VIEW mart.' || view_name FROM duckdb_views() WHERE schema_name = 'mart' UNION ALL "
        "SELECT 'TABLE interno.' || table_name FROM duckdb_tables() WHERE schema_name = 'interno'"
    ).fetchall()
    for (what,) in gone:
        con.execute(f"DROP {what}")


STEPS: Mapping[int, tuple[Step, ...]] = {
    8: (
        # What was read of a file of a desk that no run had written by then, which somebody made up, has no id.
        *(
            f"UPDATE hist.{table} AS read SET arquivo_id = 'sem id: ' || arquivo_id "
            f"WHERE {rows} AND {_READ_BEFORE_IT_WAS}"
            for table, rows in (("anotacoes", "true"), ("arquivos_mesa", "situacao = 'lido'"))
        ),
        _seal_accounts,
        _drop_views_of_mart,
        # What runs of before were computed by is there as Parâmetros printed it.
        """INSERT INTO ops.calculo BY NAME
        SELECT execucao_id, max(valor_texto) FILTER (parametro = 'competencia_nula') AS competencia_nula,
          coalesce(bool_or(len(list_filter(regexp_extract_all(valor_texto, '= (\\w+)', 1), lambda x: x <> 'fora')) > 0)
            FILTER (parametro = 'dre_mapa'), false) AS mapa_classifica
        FROM ops.parametros GROUP BY execucao_id""",
        *(f"ALTER TABLE {schema}.cobrancas RENAME cliente_id TO pessoa_id" for schema in ("core", "hist")),
        "DROP TABLE IF EXISTS banco.conciliacao",  # mart.conciliadas has the same
    ),
}
"""Schema version of a file -> steps that bring it to the next one, before its columns are compared."""
_MARK = "ops.armazem"
_BEFORE: Final = "antes_da_migracao"


def find_version(con: duckdb.DuckDBPyConnection, stored: Mapping[str, Mapping[str, str]]) -> int | None:
    """Read the schema version of a file: None for a new one, 0 for one from before versions were written down."""
    if not any(name in TABLES for name in stored):
        return None
    if _MARK not in stored:
        return 0
    row = con.execute(f"SELECT max(versao) FROM {_MARK}").fetchall()[0][0]
    return 0 if row is None else int(row)


def read_stored_columns(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Read which tables a file has: name with schema -> column -> type, in order."""
    rows = con.execute(
        "SELECT c.schema_name || '.' || c.table_name, c.column_name, c.data_type FROM duckdb_columns() c "
        "JOIN duckdb_tables() t USING (database_name, schema_name, table_name) WHERE NOT t.internal "
        "AND NOT t.temporary AND database_name = current_database() ORDER BY 1, c.column_index"
    ).fetchall()
    stored: dict[str, dict[str, str]] = {}
    for table, column, type_ in rows:
        stored.setdefault(table, {})[column] = type_
    return stored


def needs_migration(
    con: duckdb.DuckDBPyConnection,
    path: Path,
    stored: Mapping[str, Mapping[str, str]],
    *,
    tables: Mapping[str, TableDef] = TABLES,
    schema_version: int = SCHEMA_VERSION,
) -> int | None:
    """Compare an open file, and what `read_stored_columns` read of it, with the schema.

    Returns:
        The schema version of a file that must be migrated; None if the file is current or new.

    Raises:
        StorageError: when a newer lastro wrote the file: this one would lose what it does not know; or one so old that
            nobody runs it.
    """
    old = find_version(con, stored)
    if old is None:
        return None
    if old < OLDEST:
        raise StorageError(
            f"{path}: escrito por um lastro antigo demais (esquema {old}; este migra do {OLDEST} em diante). Guarde a "
            f"pasta {path.parents[1]} em outro lugar e rode o job inteiro: tudo é lido de novo, e o histórico "
            "recomeça; nada foi tocado."
        )
    unknown = sorted(
        f"{name}.{column}"
        for name, table in tables.items()
        for column in set(stored.get(name, ())) - set(table.columns)
    )
    if old > schema_version or (old == schema_version and unknown):
        more = f", com {', '.join(unknown[:10])}" if unknown else ""
        raise StorageError(
            f"{path}: escrito por um lastro mais novo (esquema {old}{more}; este conhece o {schema_version}). "
            "Atualize o lastro e rode de novo; nada foi tocado."
        )
    same = all(stored.get(name) == _types(table) for name, table in tables.items())
    return None if same and old == schema_version else old


def create_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create the tables of a new file, in one transaction, so that a file either has every table or none."""
    with transact(con):
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for table in TABLES.values():
            con.execute(build_ddl(table))
        if not con.execute(f"SELECT count(*) FROM {_MARK}").fetchall()[0][0]:
            con.execute(f"INSERT INTO {_MARK} VALUES (?, ?)", [SCHEMA_VERSION, version("lastro")])


def back_up(path: Path, old: int) -> Path:
    """Copy a closed private file beside itself, whole or not at all, before it is migrated.

    A backup of the same version is replaced: the file that is migrated now holds everything that one did.

    Raises:
        OSError: when the copy cannot be written; then the file is as it was.
    """
    target = path.with_name(f"{path.stem}-v{old}.bak{path.suffix}")
    building = target.with_name(f".{target.name}.novo")
    try:
        shutil.copyfile(path, building)
        sync(building)
        os.replace(building, target)
    finally:
        building.unlink(missing_ok=True)
    return target


def migrate(
    con: duckdb.DuckDBPyConnection,
    old: int,
    folder: Path,
    *,
    tables: Mapping[str, TableDef] = TABLES,
    steps: Mapping[int, tuple[Step, ...]] = STEPS,
    schema_version: int = SCHEMA_VERSION,
) -> None:
    """Bring an open file to the schema in one transaction: missing tables, steps, missing columns (null), version.

    Columns are put in the order of the schema, because rows are inserted by position. A column that the schema does
    not have any more and that no step took care of stays only in the backup.

    Args:
        con: the private file, backed up.
        old: its schema version.
        folder: where it is, and the company's key.
        tables: the schema to reach; tests pass their own, as they do the next two.
        steps: what cannot be derived from it.

    Raises:
        duckdb.Error, StorageError: when a step fails; then the file is as it was.
    """
    with transact(con):
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        there = read_stored_columns(con)
        missing = [table for name, table in tables.items() if name not in there]
        for table in missing:
            con.execute(build_ddl(table))
        for old_version in range(old, schema_version):
            for step in steps.get(old_version, ()):
                if isinstance(step, str):
                    con.execute(step)
                else:
                    step(con, folder)
        after = read_stored_columns(con)
        for name, table in tables.items():
            present = after[name]
            if present != _types(table):
                columns = ", ".join(
                    f'{_source(column, present)}::{type_} AS "{column}"' for column, type_ in _types(table).items()
                )
                con.execute(f"CREATE TEMP TABLE {_BEFORE} AS SELECT {columns} FROM {name}")
                con.execute(f"CREATE OR REPLACE TABLE {name} ({build_columns(table)})")
                con.execute(f"INSERT INTO {name} FROM {_BEFORE}")
                con.execute(f"DROP TABLE {_BEFORE}")
        con.execute(f"DELETE FROM {_MARK}")
        con.execute(f"INSERT INTO {_MARK} VALUES (?, ?)", [schema_version, version("lastro")])


def _types(table: TableDef) -> dict[str, str]:
    return {column.name: column.type for column in table.definitions}


def _source(column: str, present: Mapping[str, str]) -> str:
    return f'"{column}"' if column in present else "NULL"
