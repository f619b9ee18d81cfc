"""Open tables (Delta) for other engines: a one-way copy of what is published; DuckDB stays the truth.

A table per relation of `core` and `mart`, all companies in it, told apart by the column `empresa`. deltalake writes
them; what it is given are the rows of a company as DuckDB streams them. Each commit replaces the rows of one company,
and its metadata say which run they are of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import StorageError
from lastro.schema.derivation import quote
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.published_file import find_published

LOCAL_TIMES: Final = frozenset({"modified"})
"""Instants that the service tells in its own hour; all others are UTC."""
PERSONAL: Final = frozenset(
    (table, column)
    for table, columns in {
        "core.pessoas": ("documento", "email", "telefone", "dados_bancarios"),
        "core.cobrancas": ("email",),
    }.items()
    for column in columns
)
"""Contacts and whole documents of persons: NULL without `dados_pessoais`."""
_ROWS: Final = 100_000


@dataclass
class Exported:
    """What an export did.

    Attributes:
        execucoes: company -> the run whose figures the tables hold now.
        tables: the tables that were written.
    """

    execucoes: dict[str, int] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)


class Published:
    """The published file of a company, open to be asked for its relations."""

    def __init__(self, empresa_id: str, path: Path, fuso: str, *, dados_pessoais: bool) -> None:
        """Open a file; it is to be closed.

        Args:
            fuso: in which the service tells its instants.
            dados_pessoais: also contacts and whole documents of persons.
        """
        self.execucao = int(path.stem.removeprefix("lastro-"))
        self._con = duckdb.connect(str(path), read_only=True)
        self._con.execute("SET TimeZone = 'UTC'")
        columns = self._con.execute(
            "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE schema_name IN ('core', 'mart') AND NOT internal ORDER BY 1, column_index"
        ).fetchall()
        selected: dict[str, list[str]] = {}
        for name, column, type_ in columns:
            value = f'"{column}"'
            if not dados_pessoais and (name, column) in PERSONAL:
                value = f"CAST(NULL AS {type_})"
            elif type_ == "TIMESTAMP":  # the oldest readers of Delta know none without a zone
                value += f" AT TIME ZONE {quote(fuso if column in LOCAL_TIMES else 'UTC')}"
            selected.setdefault(name, [f"{quote(empresa_id)} AS empresa"]).append(f'{value} AS "{column}"')
        self._queries = {name: f"SELECT {', '.join(values)} FROM {name}" for name, values in selected.items()}
        self.relations = tuple(self._queries)

    def stream(self, relation: str) -> Any:
        """Read a relation as a stream of Arrow, with the company in front and instants in UTC."""
        return self._con.cursor().sql(self._queries[relation]).to_arrow_reader(_ROWS)

    def close(self) -> None:
        """Close the file."""
        self._con.close()


def export_delta(
    settings: Settings,
    empresas: Sequence[Empresa],
    destino: str,
    *,
    dados_pessoais: bool,
) -> Exported:
    """Replace the rows of companies in the tables of a folder or bucket by what each has published.

    Args:
        empresas: the companies, each published.
        destino: folder, or `s3://bucket/path` whose keys the environment holds.
        dados_pessoais: also contacts and whole documents of persons.

    Raises:
        StorageError: when a company has published nothing, or a table cannot be written.
    """
    done = Exported()
    for empresa in empresas:
        with _open(settings, empresa, dados_pessoais=dados_pessoais) as book:
            for name in book.relations:
                replace_rows(table_uri(destino, name), book.stream(name), empresa.id, book.execucao)
                done.tables.add(name)
            done.execucoes[empresa.id] = book.execucao
    return done


def table_uri(destino: str, relation: str) -> str:
    """Name the place of a relation's table: `core.linhas` is `<destino>/core/linhas`."""
    return f"{destino}/{relation.replace('.', '/')}"


@contextmanager
def _open(settings: Settings, empresa: Empresa, *, dados_pessoais: bool) -> Iterator[Published]:
    link = settings.pasta(empresa) / LINK_NAME
    path = find_published(link)
    with guard(path), closing(Published(empresa.id, path, settings.fuso, dados_pessoais=dados_pessoais)) as book:
        yield book


def replace_rows(uri: str, rows: Any, empresa_id: str, execucao: int) -> None:
    """Replace the rows of a company in one table by one commit; columns that are new to the table are added to it.

    Args:
        uri: the table's place; it is made where there is none, partitioned by company.
        rows: the company's, as Arrow with a column `empresa`.
        execucao: the run that they are of.

    Raises:
        StorageError: when the table cannot be written, somebody else changed it meanwhile, or a row is of another
            company.
    """
    from deltalake import CommitProperties, DeltaTable, write_deltalake
    from deltalake.exceptions import CommitFailedError

    try:
        write_deltalake(
            uri,
            rows,
            mode="overwrite",
            predicate=f"empresa = {quote(empresa_id)}",
            partition_by=None if DeltaTable.is_deltatable(uri) else ["empresa"],
            schema_mode="merge",
            commit_properties=CommitProperties(custom_metadata={"empresa": empresa_id, "execucao": str(execucao)}),
        )
    except CommitFailedError as error:
        raise StorageError(
            f"{uri}: outro processo escreve nesta tabela ({_tell(error)}). Rode de novo, um por vez."
        ) from None
    except Exception as error:  # noqa: BLE001 - deltalake raises its own, the system's and nameless ones
        raise StorageError(f"{uri}: não dá para escrever a tabela ({_tell(error)}). Corrija e rode de novo.") from None


def _tell(error: BaseException) -> str:
    """Say why, in one line without the rows or the key of a bucket that deltalake's answers repeat."""
    text = re.sub(r"(?s)<AWSAccessKeyId>.*?</AWSAccessKeyId>|Preview of invalid data.*", "", str(error))
    return " ".join(text.split())[:300] or type(error).__name__
