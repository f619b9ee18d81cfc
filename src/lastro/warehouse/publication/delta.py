"""Open tables (Delta) for other engines: a one-way copy of what is published; DuckDB stays the truth.

A table per relation of `core` and `mart`, all companies in it, told apart by the column `empresa`. deltalake writes
them; what it is given are the rows of companies as DuckDB streams them. Each commit replaces the rows of the companies
that it names and of no other one, and keeps which run they are of, as a transaction of Delta's (`_name_run`).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import StorageError
from lastro.schema.derivation import quote
from lastro.schema.tables import SCHEMA_VERSION
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.published_file import find_published

BIG: Final = ("core.linhas", "core.titulos", "mart.lancamentos")
"""Partitioned by company: replacing one touches no file of another."""
BATCH: Final = 50
"""Companies in one commit."""
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
_ESQUEMA: Final = "lastro:esquema"
"""Transaction whose version is that of the schema by which a table has its columns; no company is called so."""
_ATTEMPTS, _WAIT_SECONDS, _ROWS = 40, 0.05, 100_000

Rows = Callable[[Collection[str]], Any]
"""Gives the rows of companies as a stream of Arrow with a column `empresa`; asked anew at each attempt."""


@dataclass
class Exported:
    """What an export did.

    Attributes:
        execucoes: company -> the run whose figures the tables hold now.
        tables: the tables that were written.
        newer: companies of which some table already held a later run; that was left as it is.
    """

    execucoes: dict[str, int] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    newer: set[str] = field(default_factory=set)


class Published:
    """The published file of a company, open to be asked for its relations."""

    def __init__(self, empresa_id: str, path: Path, fuso: str, *, dados_pessoais: bool) -> None:
        """Open a file; it is to be closed.

        Args:
            empresa_id: the company.
            path: the file.
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
        settings: all settings.
        empresas: the companies, each published.
        destino: folder, or `s3://bucket/path` whose keys the environment holds.
        dados_pessoais: also contacts and whole documents of persons.

    Raises:
        StorageError: when a company has published nothing, or a table cannot be written or has other columns under the
            same version of the schema.
    """
    done = Exported()
    for first in range(0, len(empresas), BATCH):
        with ExitStack() as stack:
            books = {
                empresa.id: stack.enter_context(_open(settings, empresa, dados_pessoais=dados_pessoais))
                for empresa in empresas[first : first + BATCH]
            }
            for name in sorted({name for book in books.values() for name in book.relations}):
                execucoes = {empresa: book.execucao for empresa, book in books.items() if name in book.relations}
                rows = partial(_stream_all, books, name)
                done.newer |= replace_rows(table_uri(destino, name), rows, execucoes, partitioned=name in BIG)
                done.tables.add(name)
            done.execucoes |= {empresa: book.execucao for empresa, book in books.items()}
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


def _stream_all(books: Mapping[str, Published], relation: str, empresas: Collection[str]) -> Any:
    """Read a relation of several companies as one stream, one after the other.

    Raises:
        StorageError: when one was published with other columns than another one, by another version of lastro.
    """
    import pyarrow as pa

    streams = {empresa: books[empresa].stream(relation) for empresa in empresas}
    first, *others = streams
    for empresa in others:
        if streams[empresa].schema != streams[first].schema:
            raise StorageError(
                f"{relation}: as colunas de {empresa} e {first} diferem: outras versões do lastro as publicaram. "
                "Rode as duas de novo, e depois isto."
            )
    return pa.RecordBatchReader.from_batches(
        streams[first].schema, (batch for stream in streams.values() for batch in stream)
    )


def replace_rows(uri: str, rows: Rows, execucoes: Mapping[str, int], *, partitioned: bool) -> set[str]:
    """Replace the rows of companies in one table by one commit, however many others write at the same time.

    Args:
        uri: the table's place; it is made where there is none.
        rows: gives the rows of companies.
        execucoes: the companies that are replaced, and the run that each one's rows are of.
        partitioned: whether a new table is partitioned by company.

    Returns:
        The companies that the table holds of a later run already; their rows stay.

    Raises:
        StorageError: when the table cannot be written, has other columns under the same version of the schema, or a row
            is of a company that is not replaced.
    """
    from deltalake import CommitProperties, Transaction, write_deltalake
    from deltalake.exceptions import CommitFailedError

    for attempt in range(_ATTEMPTS):
        try:
            table = _find(uri)
            newer = {empresa for empresa, run in execucoes.items() if _read_kept(table, _name_run(empresa)) > run}
            ours = {empresa: run for empresa, run in execucoes.items() if empresa not in newer}
            if not ours:
                return newer
            grown = _read_kept(table, _ESQUEMA) < SCHEMA_VERSION
            kept = {_name_run(empresa): run for empresa, run in ours.items()}
            kept |= {_ESQUEMA: SCHEMA_VERSION} if grown else {}
            write_deltalake(
                uri if table is None else table,
                rows(tuple(ours)),
                mode="overwrite",
                predicate=f"empresa IN ({', '.join(map(quote, ours))})",
                partition_by=["empresa"] if partitioned else None,
                schema_mode="merge" if grown and table is not None else None,
                commit_properties=CommitProperties(
                    custom_metadata={"empresa": ",".join(ours), "execucao": ",".join(map(str, ours.values()))},
                    app_transactions=[Transaction(name, version) for name, version in kept.items()],
                ),
            )
        except CommitFailedError:
            # Somebody else was faster: what the table holds now is looked at anew.
            time.sleep(_WAIT_SECONDS * random.uniform(0.5, 1.5) * min(attempt + 1, 10))  # noqa: S311 - no secret
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - deltalake raises its own, the system's and nameless ones
            raise StorageError(
                f"{uri}: não dá para escrever a tabela ({_tell(error)}). Corrija e rode de novo."
            ) from None
        else:
            return newer
    raise StorageError(f"{uri}: outros escrevem nesta tabela sem parar. Rode de novo quando houver menos.")


def _find(uri: str) -> Any:
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        return DeltaTable(uri)
    except TableNotFoundError:
        return None


def _name_run(empresa_id: str) -> str:
    """Name the transaction whose version is the run of a company that a table holds."""
    return f"lastro/{empresa_id}"


def _read_kept(table: Any, name: str) -> int:
    return 0 if table is None else table.transaction_version(name) or 0


def _tell(error: BaseException) -> str:
    """Say why, in one line without the rows or the key of a bucket that deltalake's answers repeat."""
    text = re.sub(r"(?s)<AWSAccessKeyId>.*?</AWSAccessKeyId>|Preview of invalid data.*", "", str(error))
    return " ".join(text.split())[:300] or type(error).__name__
