"""Open tables (Delta) for other engines: a one-way copy of what is published; DuckDB stays the truth.

A table per relation of `core` and `mart`, all companies in it, told apart by the column `empresa`. Each commit replaces
the rows of the companies that it names and of no other one; its metadata say which run of each.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import StorageError
from lastro.schema.tables import SCHEMA_VERSION
from lastro.settings import Empresa, Settings
from lastro.warehouse.faults import guard
from lastro.warehouse.publish import LINK_NAME

BIG: Final = ("core.linhas", "core.titulos", "mart.lancamentos")
"""Partitioned by company: replacing one touches no file of another."""
AFTER_PUBLICATION: Final = (
    *BIG,
    "core.categorias",
    "core.contas",
    "core.pessoas",
    "core.cobrancas",
    "mart.a_pagar",
    "mart.a_receber",
    "mart.dre",
    "mart.fluxo_diario",
    "mart.fluxo_mensal",
    "mart.inadimplencia",
    "mart.saldos_por_conta",
    "mart.verificacoes",
)
"""What each publication writes by itself; a commit for each company and table is the wrong shape for all others."""
BATCH: Final = 50
"""Companies in one commit."""
LOCAL_TIMES: Final = frozenset({"modified", "alterado_em"})
"""Instants that the service tells in its own hour; all others are UTC."""
PERSONAL: Final = frozenset(
    (table, column)
    for table, columns in {"core.pessoas": ("documento", "email", "telefone"), "core.cobrancas": ("email",)}.items()
    for column in columns
)
"""Contacts and whole documents of persons: NULL without `dados_pessoais`."""
_ATTEMPTS, _WAIT_SECONDS, _LOOK_BACK = 40, 0.05, 1_000


@dataclass
class Exported:
    """What an export did.

    Attributes:
        execucoes: company -> the run whose figures the tables hold now.
        tables: how many tables were written.
        rows: how many rows, all tables together.
        newer: companies of which some table already held a later run; that was left as it is.
    """

    execucoes: dict[str, int] = field(default_factory=dict)
    tables: int = 0
    rows: int = 0
    newer: set[str] = field(default_factory=set)


def export_tables(
    settings: Settings,
    empresas: Sequence[Empresa],
    destino: str,
    *,
    dados_pessoais: bool,
    relations: Collection[str] | None = None,
) -> Exported:
    """Replace the rows of companies in the tables of a folder or bucket by what each has published.

    Args:
        settings: all settings.
        empresas: the companies, each published.
        destino: folder, or `s3://bucket/path` whose keys the environment holds.
        dados_pessoais: also contacts and whole documents of persons.
        relations: which; None takes all of `core` and `mart`.

    Raises:
        StorageError: when a company has published nothing, or a table cannot be written or has other columns under the
            same version of the schema.
    """
    done = Exported()
    for first in range(0, len(empresas), BATCH):
        batch = empresas[first : first + BATCH]
        rows: dict[str, list[Any]] = {}
        execucoes: dict[str, int] = {}
        for empresa in batch:
            published = _find_published(settings.pasta(empresa))
            execucoes[empresa.id] = _read_number(published)
            for name, table in read_relations(
                published, empresa.id, settings.fuso, dados_pessoais=dados_pessoais, relations=relations
            ):
                rows.setdefault(name, []).append(table)
        for name, tables in rows.items():
            done.newer |= replace_rows(table_uri(destino, name), tables, execucoes, partitioned=name in BIG)
            done.rows += sum(table.num_rows for table in tables)
        done.execucoes |= execucoes
        done.tables = max(done.tables, len(rows))
    return done


def table_uri(destino: str, relation: str) -> str:
    """Name the place of a relation's table: `core.linhas` is `<destino>/core/linhas`."""
    return f"{destino}/{relation.replace('.', '/')}"


def read_relations(
    published: Path, empresa_id: str, fuso: str, *, dados_pessoais: bool, relations: Collection[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Read relations of a published file as Arrow tables, with the company in front and instants in UTC.

    Yields:
        Name with schema, rows.
    """
    with guard(published), duckdb.connect(str(published), read_only=True) as con:
        con.execute("SET TimeZone = 'UTC'")
        columns = con.execute(
            "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE schema_name IN ('core', 'mart') AND NOT internal ORDER BY 1, column_index"
        ).fetchall()
        parts: dict[str, list[str]] = {}
        for name, column, type_ in columns:
            if relations is None or name in relations:
                hidden = not dados_pessoais and (name, column) in PERSONAL
                parts.setdefault(name, []).append(_select(column, type_, fuso, hidden=hidden))
        for name, selected in parts.items():
            query = f"SELECT {_quote(empresa_id)} AS empresa, {', '.join(selected)} FROM {name}"
            yield name, con.sql(query).to_arrow_table()


def _select(column: str, type_: str, fuso: str, *, hidden: bool) -> str:
    """Write how a column is read: Delta has no time without a zone (all readers know), no wider integer, no JSON."""
    name = '"' + column.replace('"', '""') + '"'
    if hidden:
        return f"CAST(NULL AS {type_}) AS {name}"
    if type_ == "TIMESTAMP":
        return f"{name} AT TIME ZONE {_quote(fuso if column in LOCAL_TIMES else 'UTC')} AS {name}"
    plain = {"HUGEINT": "DECIMAL(38, 0)", "JSON": "VARCHAR"}.get(type_)
    return f"CAST({name} AS {plain}) AS {name}" if plain else name


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def replace_rows(uri: str, tables: Sequence[Any], execucoes: Mapping[str, int], *, partitioned: bool) -> set[str]:
    """Replace the rows of companies in one table by one commit, however many others write at the same time.

    Args:
        uri: the table's place.
        tables: Arrow tables with a column `empresa`.
        execucoes: the companies that are replaced, and the run that each one's rows are of.
        partitioned: whether a new table is partitioned by company.

    Returns:
        The companies that the table holds of a later run already; their rows stay.

    Raises:
        StorageError: when the table cannot be written, has other columns under the same version of the schema, or a row
            is of a company that `execucoes` does not name.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from deltalake import CommitProperties, write_deltalake
    from deltalake.exceptions import CommitFailedError, DeltaError

    rows = pa.concat_tables(tables)
    foreign = set(rows["empresa"].unique().to_pylist()) - set(execucoes)
    if foreign:
        raise StorageError(
            f"{uri}: rows of {', '.join(sorted(foreign))} in the copy of {', '.join(execucoes)}: refused."
        )
    newer: set[str] = set()
    for attempt in range(_ATTEMPTS):
        try:
            table = _open(uri, rows.schema, partitioned=partitioned)
            known = _read_runs(table)
            newer = {empresa for empresa, number in execucoes.items() if known.get(empresa, 0) > number}
            ours = {empresa: number for empresa, number in execucoes.items() if empresa not in newer}
            if not ours:
                return newer
            write_deltalake(
                table,
                rows.filter(pc.is_in(rows["empresa"], pa.array(list(ours)))) if newer else rows,
                mode="overwrite",
                predicate=f"empresa IN ({', '.join(map(_quote, ours))})",
                schema_mode=_choose_schema_mode(uri, table, rows.schema),
                commit_properties=CommitProperties(custom_metadata=_describe(ours)),
            )
        except CommitFailedError:
            # Somebody else was faster: what the table holds now is looked at anew.
            time.sleep(_WAIT_SECONDS * random.uniform(0.5, 1.5) * min(attempt + 1, 10))  # noqa: S311 - no secret
        except (DeltaError, OSError) as error:
            raise StorageError(
                f"{uri}: the table cannot be written ({_tell(error)}). Mend it, then run again."
            ) from None
        else:
            return newer
    raise StorageError(f"{uri}: others write to this table without end. Run again when fewer do.")


def find_version(uri: str, empresa_id: str, execucao: int) -> int:
    """Find the version of a table that brought a company's run, for `DeltaTable(uri, version=...)`.

    Raises:
        StorageError: when no commit that is still there names that run.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        history = DeltaTable(uri).history()
    except (DeltaError, OSError) as error:
        raise StorageError(f"{uri}: the table cannot be read ({_tell(error)}).") from None
    for commit in history:
        if _parse_runs(commit).get(empresa_id) == execucao:
            return int(commit["version"])
    raise StorageError(f"{uri}: no commit of company {empresa_id} says run {execucao}.")


def _open(uri: str, schema: Any, *, partitioned: bool) -> Any:
    """Open a table; make it first where there is none, also when another process does so at the same time."""
    from deltalake import CommitProperties, DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        return DeltaTable(uri)
    except TableNotFoundError:
        if "://" not in uri:
            Path(uri).mkdir(parents=True, exist_ok=True)
        return DeltaTable.create(
            uri,
            schema,
            mode="ignore",
            partition_by=["empresa"] if partitioned else None,
            commit_properties=CommitProperties(custom_metadata={"esquema": str(SCHEMA_VERSION)}),
        )


def _choose_schema_mode(uri: str, table: Any, wanted: Any) -> str | None:
    """Let columns change only with a later version of our schema.

    Raises:
        StorageError: when they differ and the version does not.
    """
    import pyarrow as pa

    there = {item.name: item.type for item in pa.schema(table.schema().to_arrow())}
    if set(there) == set(wanted.names):
        return None
    written = max((int(commit.get("esquema", 0)) for commit in table.history(_LOOK_BACK)), default=0)
    if written < SCHEMA_VERSION:
        return "merge"
    other = sorted(set(there) ^ set(wanted.names))
    raise StorageError(
        f"{uri}: other columns ({', '.join(other[:10])}) under version {written} of the schema, and ours is "
        f"{SCHEMA_VERSION}. Write with the lastro that wrote it, or to another folder."
    )


def _describe(execucoes: Mapping[str, int]) -> dict[str, str]:
    """Write the metadata of a commit: companies and their runs, in the same order."""
    return {
        "empresa": ",".join(execucoes),
        "execucao": ",".join(map(str, execucoes.values())),
        "esquema": str(SCHEMA_VERSION),
    }


def _parse_runs(commit: Mapping[str, Any]) -> dict[str, int]:
    """Read from a commit which run of which company it brought; nothing from what others committed."""
    companies, runs = str(commit.get("empresa") or ""), str(commit.get("execucao") or "")
    pairs = zip(companies.split(","), runs.split(","), strict=False)
    return {empresa: int(run) for empresa, run in pairs if empresa and run.isdecimal()}


def _read_runs(table: Any) -> dict[str, int]:
    """Read which run of each company a table holds, by its last commits."""
    found: dict[str, int] = {}
    for commit in table.history(_LOOK_BACK):
        for empresa, run in _parse_runs(commit).items():
            found.setdefault(empresa, run)
    return found


def _find_published(pasta: Path) -> Path:
    try:
        return (pasta / LINK_NAME).resolve(strict=True)
    except OSError:
        raise StorageError(f"{pasta / LINK_NAME}: nothing is published there yet. Run `lastro run` first.") from None


def _read_number(published: Path) -> int:
    return int(published.stem.removeprefix("lastro-"))


def _tell(error: BaseException) -> str:
    """Say why, in one line without the key that a bucket was opened with, which its answers repeat."""
    text = " ".join(re.sub(r"(?s)<AWSAccessKeyId>.*?</AWSAccessKeyId>", "", str(error)).split())
    return text[:300] or type(error).__name__
