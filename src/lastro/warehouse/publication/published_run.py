"""What a company's published copy says of the run that it shows; read-only, so that no run is blocked."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from lastro.errors import StorageError
from lastro.grid.verdict import ALERTA, CLOSED_MONTHS, ERRO, FALHOU, Lack, Trust, Verification
from lastro.schema.derivation import quote
from lastro.schema.run_kinds import IS_COMPLETE
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME

_T = TypeVar("_T")
CopyReader = duckdb.DuckDBPyConnection
"""What reads published copies; it holds none of them open between two questions."""
_SHOWN: Final = "publicada"
RUN_SHOWN = (
    "SELECT e.execucao_id, e.data_base, l.iniciada_em, coalesce(e.reconstituida, false), "
    "coalesce(e.tipo_execucao, 'completa'), l.execucao_id FROM ops.execucoes e JOIN ops.execucoes l "
    "ON l.execucao_id = coalesce(e.leitura_id, e.execucao_id) WHERE e.situacao = 'completa' "
    "ORDER BY e.execucao_id DESC LIMIT 1"
)
"""Number, D, start of its reading (naive UTC), whether D is a rebuilt day, kind and number of its reading."""
_TRUST: Final = f"""SELECT
  (SELECT count(*) FROM ops.verificacoes
    WHERE execucao_id = $1 AND situacao = '{FALHOU}' AND severidade = '{ERRO}'),
  (SELECT count(*) FROM ops.verificacoes
    WHERE execucao_id = $1 AND situacao = '{FALHOU}' AND severidade = '{ALERTA}'),
  (SELECT count(*) FROM raw.rejeitados)"""
"""How far a run can be trusted, as its stamp says it, but for what it lacks."""
UNREAD_FILES, CHANGED_PAYMENTS = "Q31", "Q42"
"""The findings that name files of people that were not read, and payments that changed."""
_LAST_COMPLETE = (
    f"SELECT execucao_id, iniciada_em, data_extracao FROM ops.execucoes WHERE {IS_COMPLETE} "
    "ORDER BY execucao_id DESC LIMIT 1"
)
"""By its number: a clock that was ahead once wrote a later start than any run after it."""
_NEEDED = f"""SELECT least(
  (SELECT max(coalesce(leitura_id, execucao_id)) FROM ops.execucoes WHERE {IS_COMPLETE}),
  l.execucao_id, coalesce(l.base_id, l.execucao_id))
FROM ops.execucoes e JOIN ops.execucoes l ON l.execucao_id = coalesce(e.leitura_id, e.execucao_id)
WHERE e.situacao = 'completa' ORDER BY e.execucao_id DESC LIMIT 1"""
_COST = (
    "SELECT iniciada_em, terminada_em, requisicoes, data_base < data_extracao FROM ops.execucoes WHERE execucao_id = ?"
)
_OUTCOMES = (
    "SELECT verificacao, descricao, severidade, situacao, esperado, encontrado, diferenca, registros, chaves, detalhe "
    "FROM ops.verificacoes WHERE execucao_id = ? ORDER BY verificacao"
)
_LISTS_READ = """SELECT lista, sum(ids_distintos) FILTER (WHERE veredito = 'provada')::BIGINT, sum(paginas)::BIGINT,
  round(epoch(max(terminada_em) - min(iniciada_em)), 1)
FROM ops.passadas WHERE execucao_id = ? AND NOT starts_with(lista, 'cobrancas:status=')
GROUP BY lista ORDER BY min(iniciada_em)"""
_TOLD = """SELECT 'core', 'core.' || table_name FROM duckdb_tables()
WHERE database_name = $arquivo AND schema_name = 'core'
UNION ALL SELECT regexp_extract(comment, '^(R[0-9]{2}|PAR)\\b'), 'mart.' || table_name FROM duckdb_tables()
WHERE database_name = $arquivo AND schema_name = 'mart' AND regexp_matches(comment, '^(R[0-9]{2}|PAR)\\b')
ORDER BY ALL"""
"""Of what each table is: of the core, or of the report whose code its comment begins with."""
_CLOSINGS = """SELECT f.mes, f.edicao, count(v.chave) FROM ops.fechamentos f
LEFT JOIN ops.fechamento_valores v USING (mes, edicao) WHERE f.execucao_id = ? GROUP BY ALL ORDER BY ALL"""
_FAILED = (
    f"SELECT verificacao, descricao, detalhe FROM ops.verificacoes WHERE execucao_id = ? AND situacao = '{FALHOU}' "
    f"AND (severidade = '{ERRO}' OR verificacao IN ('{CLOSED_MONTHS}', '{UNREAD_FILES}', '{CHANGED_PAYMENTS}')) "
    "ORDER BY verificacao"
)


_HAS_DESK = "SELECT 1 FROM duckdb_tables() WHERE (database_name, schema_name, table_name) = (?, 'mart', 'decisoes')"
_WAITING = (
    "SELECT count(*), coalesce(-sum(valor), 0) FROM mart.decisoes WHERE estado = 'aguarda aprovação' "
    "AND NOT coalesce(starts_with(motivo, 'mudou depois'), false)"
)
"""What changed after its approval is told by itself (Q42)."""


@dataclass(frozen=True)
class PublishedRun:
    """The run that everybody sees.

    Attributes:
        execucao_id: its number.
        tipo: its kind.
        data_base: D.
        trust: how far its figures can be trusted.
        completa_em: start of the last complete reading that was published, naive UTC; None before any.
        segundos: how long it took.
        requisicoes: requests that it sent.
        leitura_id: the reading that it reports: itself, or an earlier run.
        leitura_em: when that began, naive UTC.
        leitura_requisicoes: requests that that sent.
        falhas: failed checks of severity erro: number -> rule and detail.
        mes_fechado: what V32 says of closed months that are others now; None when it holds.
        nao_lidos: what Q31 says of files of people that were not read; None when all were.
        mudados: what Q42 says of payments that changed after their approval; None when none did.
        aguardam: how many decided payments wait for a first approval at the desk, and their sum.
        passado: whether D lies before the day of the reading: somebody published the past.
        completa_id: number of that last complete reading.
        lida_no_dia: the day on which it read the service, as it was told or as its clock said.
        linhas: rows of `core.linhas`: what its figures are made of.
    """

    execucao_id: int
    tipo: str
    data_base: date
    trust: Trust
    completa_em: datetime | None
    segundos: int
    requisicoes: int
    leitura_id: int
    leitura_em: datetime
    leitura_requisicoes: int
    falhas: dict[str, str]
    mes_fechado: str | None = None
    nao_lidos: str | None = None
    mudados: str | None = None
    aguardam: tuple[int, Decimal] = (0, Decimal(0))
    passado: bool = False
    completa_id: int | None = None
    lida_no_dia: date | None = None
    linhas: int = 0


@contextlib.contextmanager
def open_reader() -> Iterator[CopyReader]:
    """Open what reads the copies of many companies one after the other: opening it takes longer than reading one."""
    with duckdb.connect(config={"threads": 1}) as reader:
        yield reader


def read_published_run(pasta: Path, reader: CopyReader | None) -> PublishedRun | None:
    """Read which run a company has published; None when nothing is published.

    Args:
        reader: what reads it; None opens one.

    Raises:
        StorageError: when the file cannot be read, or another version of lastro published it.
    """
    return _ask(pasta, _read, reader)


def _ask(pasta: Path, read: Callable[[CopyReader], _T], reader: CopyReader | None = None) -> _T | None:
    """Ask the published file; None when there is none."""
    published = pasta / LINK_NAME
    if not published.exists():
        return None
    with contextlib.ExitStack() as stack, guard(published):
        con = reader or stack.enter_context(open_reader())
        con.execute(f"ATTACH {quote(str(published))} AS {_SHOWN} (READ_ONLY)")
        try:
            con.execute(f"USE {_SHOWN}")
            return read(con)
        except (duckdb.CatalogException, duckdb.BinderException):
            raise StorageError(f"{published}: publicado por outra versão do lastro. Rode de novo.") from None
        finally:
            con.execute(f"USE memory; DETACH {_SHOWN}")


def _read(con: duckdb.DuckDBPyConnection) -> PublishedRun | None:
    shown = con.execute(RUN_SHOWN).fetchall()
    if not shown:
        return None
    execucao_id, day, read_at, _, kind, reading = shown[0]
    last, complete, read_day = (con.execute(_LAST_COMPLETE).fetchall() or [(None, None, None)])[0]
    ((began, ended, requests, past),) = con.execute(_COST, [execucao_id]).fetchall()
    ((_, _, asked, _),) = con.execute(_COST, [reading]).fetchall()
    ((rows,),) = con.execute("SELECT count(*) FROM core.linhas").fetchall()
    failed = {
        rule: f"{what}: {detail}" if detail else what
        for rule, what, detail in con.execute(_FAILED, [execucao_id]).fetchall()
    }
    return PublishedRun(
        execucao_id=execucao_id,
        tipo=kind,
        data_base=day,
        trust=read_trust(con, execucao_id),
        completa_em=complete,
        completa_id=last,
        lida_no_dia=read_day,
        segundos=round((ended - began).total_seconds()) if began and ended else 0,
        requisicoes=requests or 0,
        leitura_id=reading,
        leitura_em=read_at,
        leitura_requisicoes=asked or 0,
        mes_fechado=failed.pop(CLOSED_MONTHS, None),
        nao_lidos=failed.pop(UNREAD_FILES, None),
        mudados=failed.pop(CHANGED_PAYMENTS, None),
        falhas=failed,
        aguardam=_count_waiting(con),
        passado=bool(past),
        linhas=rows,
    )


def read_trust(con: CopyReader, execucao_id: int) -> Trust:
    """Read how far a published run can be trusted."""
    ((errors, warnings, rejected),) = con.execute(_TRUST, [execucao_id]).fetchall()
    said = con.execute("SELECT kpi, valor FROM ops.kpis WHERE execucao_id = ?", [execucao_id]).fetchall()
    return Trust(errors, warnings, rejected, Lack.of_company(dict(said)))


def _count_waiting(con: CopyReader) -> tuple[int, Decimal]:
    """Count what waits for an approval at the payments desk, and add it up; nothing where there is no desk."""
    if not con.execute(_HAS_DESK, [_SHOWN]).fetchall():
        return 0, Decimal(0)
    return tuple(con.execute(_WAITING).fetchall()[0])


def read_needed_pages(pasta: Path, reader: CopyReader) -> int:
    """Find the oldest run that a recálculo or the next hot run still reads pages of.

    Args:
        reader: what reads it.

    Returns:
        The lowest number of the last complete run, the reading that is shown, and the complete run below a hot one.

    Raises:
        StorageError: when nothing is published, the file cannot be read, or another version of lastro published it.
    """
    rows = _ask(pasta, lambda con: con.execute(_NEEDED).fetchall(), reader)
    if not rows or rows[0][0] is None:
        raise StorageError(f"{pasta / LINK_NAME}: publicado por outra versão do lastro. Rode de novo.")
    return int(rows[0][0])


def read_first_run(pasta: Path, reader: CopyReader) -> datetime | None:
    """Read when the first run began that a published copy knows of, naive UTC; None when nothing is published.

    Raises:
        StorageError: when the file cannot be read, or another version of lastro published it.
    """
    rows = _ask(pasta, lambda con: con.execute("SELECT min(iniciada_em) FROM ops.execucoes").fetchall(), reader)
    return rows[0][0] if rows else None


@dataclass(frozen=True)
class ToldRun:
    """The published run as Dagster is told of it where another process has run it.

    Attributes:
        execucao_id: its number.
        leitura_id: the reading that it reports.
        tipo: its kind.
        data_base: D.
        trust: how far its figures can be trusted.
        listas: list -> records, pages and seconds of its proved reading.
        tabelas: table of `core` -> rows.
        relatorios: code of a report -> rows of its tables.
        verificacoes: every outcome, V and Q.
        fechamentos: month and edition of each closing that it wrote, and how many values that says.
    """

    execucao_id: int
    leitura_id: int
    tipo: str
    data_base: date
    trust: Trust
    listas: dict[str, tuple[int, int, float]]
    tabelas: dict[str, int]
    relatorios: dict[str, int]
    verificacoes: tuple[Verification, ...]
    fechamentos: tuple[tuple[date, int, int], ...]


def read_told_run(pasta: Path) -> ToldRun | None:
    """Read what there is to tell of the published run; None when nothing is published.

    Raises:
        StorageError: when the file cannot be read, or another version of lastro published it.
    """
    return _ask(pasta, _read_told)


def _read_told(con: CopyReader) -> ToldRun | None:
    shown = con.execute(RUN_SHOWN).fetchall()
    if not shown:
        return None
    execucao_id, day, _, _, kind, reading = shown[0]
    lists = con.execute(_LISTS_READ, [reading]).fetchall()
    outcomes = [
        (*row, tuple(keys or ()), detail or "")
        for *row, keys, detail in con.execute(_OUTCOMES, [execucao_id]).fetchall()
    ]
    parts = con.execute(_TOLD, {"arquivo": _SHOWN}).fetchall()
    counts = con.execute(
        " UNION ALL ".join(f"SELECT {quote(of)}, {quote(table)}, count(*) FROM {table}" for of, table in parts)
    ).fetchall()
    reports = Counter[str]()
    for of, _, rows in counts:
        reports[of] += rows
    return ToldRun(
        execucao_id,
        reading,
        kind,
        day,
        read_trust(con, execucao_id),
        {name: (rows, pages, seconds) for name, rows, pages, seconds in lists},
        {table.removeprefix("core."): rows for of, table, rows in counts if of == "core"},
        {code: rows for code, rows in reports.items() if code != "core"},
        tuple(Verification(*row) for row in outcomes),
        tuple(con.execute(_CLOSINGS, [execucao_id]).fetchall()),
    )


@dataclass(frozen=True)
class Provenance:
    """Where a published file comes from.

    Attributes:
        esquema: version of its schema.
        host: service of the last loaded reading; None where the file does not say.
    """

    esquema: int
    host: str | None


def read_provenance(pasta: Path) -> Provenance | None:
    """Read where a company's published copy comes from; None when nothing is published.

    Raises:
        StorageError: when the file cannot be read, or another version of lastro published it.
    """
    return _ask(pasta, _read_provenance)


def _read_provenance(con: duckdb.DuckDBPyConnection) -> Provenance:
    ((version, host),) = con.execute(
        "SELECT (SELECT max(versao) FROM ops.armazem), (SELECT max(host) FROM ops.identidade)"
    ).fetchall()
    return Provenance(int(version or 0), host)
