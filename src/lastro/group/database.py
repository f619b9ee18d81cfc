"""The group's database: what all companies published, in one file, with the column `empresa` first in every table.

For SQL over all companies. Attaching their files does not do: DuckDB looks a macro's tables up in the caller's catalog,
so one company's macro would read another's books. Here the macros take the company first. The file
is rebuilt company by company, each replaced whole in one transaction, and published as a company's is: a finished copy
behind a link.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import duckdb

from lastro.schema.derivation import quote
from lastro.warehouse.file.blocks import STORAGE_VERSION
from lastro.warehouse.file.faults import guard, transact
from lastro.warehouse.file.macros import create_group_macros
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.copies import publish, read_published

SCHEMAS: Final = ("core", "mart", "ops")
"""What of each company is taken: its current tables, its reports, its runs. History and pages stay with the company."""
KEY: Final = "empresa"
_STATE: Final = "grupo.empresas"
_COLUMNS: Final = """SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = ? AND NOT internal AND schema_name IN (SELECT unnest(?))
ORDER BY schema_name, table_name, column_index"""
_COMMENTS: Final = """SELECT 'TABLE', schema_name, table_name, NULL, comment FROM duckdb_tables()
WHERE database_name = $1 AND comment IS NOT NULL AND list_contains($2, schema_name)
UNION ALL SELECT 'TABLE', schema_name, view_name, NULL, comment FROM duckdb_views()
WHERE database_name = $1 AND comment IS NOT NULL AND list_contains($2, schema_name)
UNION ALL SELECT 'COLUMN', schema_name, table_name, column_name, comment FROM duckdb_columns()
WHERE database_name = $1 AND comment IS NOT NULL AND list_contains($2, schema_name)"""
Shape = dict[str, dict[str, str]]


class GroupFile:
    """The writer's file of the group; a context manager."""

    def __init__(self, pasta: Path) -> None:
        self.pasta = pasta
        path = pasta / PRIVATE_FOLDER / LINK_NAME
        with guard(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.con = duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE_VERSION})
            self.con.execute("CREATE SCHEMA IF NOT EXISTS grupo")
            self.con.execute(
                f"CREATE TABLE IF NOT EXISTS {_STATE} (empresa VARCHAR, nome VARCHAR, publicado VARCHAR, "
                "execucao_id BIGINT, data_base DATE)"
            )

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Close it."""
        self.con.close()

    def read_known(self) -> dict[str, str]:
        """Read which copy of each company is in the file: id -> name of the copy."""
        return dict(self.con.execute(f"SELECT empresa, publicado FROM {_STATE}").fetchall())

    def drop(self, empresas: Iterable[str]) -> None:
        """Take companies out."""
        for empresa in empresas:
            with transact(self.con):
                self._delete(empresa)

    def replace(self, empresa: str, nome: str, published: Path) -> None:
        """Replace the rows of a company by those of its published file.

        Args:
            published: the link to its copy; the copy that it points at is the one read.

        Raises:
            StorageError: when the copy cannot be read.
        """
        copy = published.resolve()
        with guard(copy):
            self.con.execute(f"ATTACH {quote(str(copy))} AS origem (READ_ONLY)")
            try:
                with transact(self.con):
                    self._delete(empresa)
                    self._take_over(empresa)
                    self.con.execute(
                        f"INSERT INTO {_STATE} SELECT ?, ?, ?, execucao_id, data_base FROM origem.ops.execucoes "
                        "WHERE situacao = 'completa' ORDER BY execucao_id DESC LIMIT 1",
                        [empresa, nome, copy.name],
                    )
            finally:
                self.con.execute("DETACH origem")

    def publish(self, mode: int) -> Path:
        """Publish a copy behind the link, with the macros of this version, and return the link."""
        if 'core."linhas"' in self._read_own_shape():
            create_group_macros(self.con)
        return publish(self, (read_published(self.pasta) or 0) + 1, mode=mode)

    def _delete(self, empresa: str) -> None:
        if not self.con.execute(f"SELECT 1 FROM {_STATE} WHERE empresa = ?", [empresa]).fetchall():
            return
        for name in self._read_own_shape():
            self.con.execute(f"DELETE FROM {name} WHERE {KEY} = ?", [empresa])
        self.con.execute(f"DELETE FROM {_STATE} WHERE empresa = ?", [empresa])

    def _take_over(self, empresa: str) -> None:
        own = self._read_own_shape()
        made = set()
        for name, columns in self._read_shape("origem").items():
            present = own.get(name)
            if present is None:
                listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
                schema = name.partition(".")[0]
                self.con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                self.con.execute(f"CREATE TABLE {name} ({KEY} VARCHAR, {listed})")
                made.add(name)
            else:
                self._widen(name, present, columns)
            rest = [column for column in columns if column != KEY]
            self.con.execute(
                f"INSERT INTO {name} BY NAME SELECT {quote(empresa)} AS {KEY}, "
                + ", ".join(f'"{column}"' for column in rest)
                + f" FROM origem.{name}"
            )
        if made:
            self._comment(made)

    def _comment(self, made: Collection[str]) -> None:
        """Say of new tables what the company's own say of themselves."""
        for what, schema, table, column, comment in self.con.execute(_COMMENTS, ["origem", list(SCHEMAS)]).fetchall():
            name = f'{schema}."{table}"'
            if name in made and column != KEY:
                spot = name if column is None else f'{name}."{column}"'
                self.con.execute(f"COMMENT ON {what} {spot} IS {quote(comment)}")

    def _widen(self, name: str, present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
        """Let a table hold what a company of another version of lastro has: more columns, or another type."""
        for column, kind in wanted.items():
            if column not in present:
                self.con.execute(f'ALTER TABLE {name} ADD COLUMN "{column}" {kind}')
            elif present[column] != kind:
                self.con.execute(f'ALTER TABLE {name} ALTER COLUMN "{column}" TYPE {kind}')

    def _read_own_shape(self) -> Shape:
        return self._read_shape(self.con.execute("SELECT current_database()").fetchall()[0][0])

    def _read_shape(self, database: str) -> Shape:
        shape: Shape = {}
        for schema, table, column, kind in self.con.execute(_COLUMNS, [database, list(SCHEMAS)]).fetchall():
            if column != KEY:
                shape.setdefault(f'{schema}."{table}"', {})[column] = kind
        return shape
