"""The runs in a company's file: log, finished stages and parameters.

Does not belong here: what a run does (`lastro.run`), what it came to (`outcomes`), the tables of records (`store`,
`conformer`, `history`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from lastro.schema.run_kinds import ENDED_WELL, IS_COMPLETE, Etapa, Modo, Situacao
from lastro.settings import Parametros, setting_rows, typed_settings
from lastro.transform.composites import CompositeEvidence
from lastro.warehouse.file.store import Warehouse

INTERROMPIDA = "interrompida"
"""`erro` of a run whose process ended, by a signal or without a word."""
ABERTURAS: Final = "aberturas"
"""Name in `ops.parametros` of what the openings of a run rest on (`describe_openings`)."""
RUN_OF_DAY: Final = f"SELECT max(execucao_id) FROM ops.execucoes WHERE {IS_COMPLETE} AND data_extracao = ?"
"""The last complete run extracted on a day: it gives that day back exactly (S3)."""
_RUN_COLUMNS = (
    f"execucao_id, coalesce(tipo_execucao, '{Modo.COMPLETA}'), situacao, data_extracao, data_base, "
    "coalesce(reconstituida, false), iniciada_em, coalesce(leitura_id, execucao_id), base_id, nota, "
    "dagster_run_id, host"
)
PROVEN: Final = (
    "coalesce(leitura_id, execucao_id) = execucao_id AND execucao_id IN (SELECT execucao_id FROM ops.etapas WHERE "
    f"etapa = '{Etapa.LEITURA}')"
)
"""SQL over `ops.execucoes`: it has read the service, and nothing is missing."""


@dataclass(frozen=True)
class Run:
    """A row of `ops.execucoes`.

    Attributes:
        execucao_id: its number.
        tipo: its kind, a `Modo`.
        situacao: its state, a `Situacao`.
        data_extracao: local date of its reading.
        data_base: D.
        reconstituida: D lies before the reading and no stored run gives that day back.
        iniciada_em: naive UTC.
        leitura_id: the run whose reading it shows: its own number, or that of the run a recálculo computes again.
        base_id: for a reading by a hot run, the complete run that it refreshes.
        nota: what a recálculo, or a further report of a reading, says of itself on stamp and Parâmetros.
        dagster_run_id: id of the Dagster run that began it; None without Dagster.
        host: for a reading, the service that it read; None for one of an older lastro.
    """

    execucao_id: int
    tipo: str
    situacao: str
    data_extracao: date
    data_base: date
    reconstituida: bool
    iniciada_em: datetime
    leitura_id: int
    base_id: int | None
    nota: str | None
    dagster_run_id: str | None
    host: str | None

    @property
    def is_hot(self) -> bool:
        """Whether it refreshed the reading of a complete run (`base_id`)."""
        return self.tipo == Modo.QUENTE


@dataclass(frozen=True)
class StoredRun:
    """A complete run that history can give back, and its reading."""

    execucao_id: int
    data_extracao: date
    data_base: date
    leitura_id: int


def read_run(warehouse: Warehouse, execucao_id: int) -> Run | None:
    """Read a run, or None."""
    return _read_one(warehouse, "execucao_id = ?", [execucao_id])


def find_failed_reading(warehouse: Warehouse, leitura_id: int) -> Run | None:
    """Find the last run after a reading that tried to read the service and failed."""
    return _read_one(
        warehouse,
        "execucao_id > ? AND coalesce(leitura_id, execucao_id) = execucao_id AND situacao IN (?, ?) "
        f"AND NOT ({PROVEN}) ORDER BY execucao_id DESC LIMIT 1",
        [leitura_id, Situacao.FALHOU, Situacao.PARCIAL],
    )


def find_waiting_reading(warehouse: Warehouse, after: int) -> Run | None:
    """Find the newest proven reading, if it waits for a report: an older one would undo what the newer one recorded.

    Args:
        after: the reading that is published; 0 for none.

    Returns:
        The run; None where that reading is published, or stands in `retro/`.
    """
    return _read_one(
        warehouse,
        f"execucao_id = (SELECT max(execucao_id) FROM ops.execucoes WHERE {PROVEN}) AND execucao_id > ? "
        "AND execucao_id NOT IN "
        "(SELECT coalesce(leitura_id, execucao_id) FROM ops.execucoes WHERE list_contains(?, situacao))",
        [after, ENDED_WELL],
    )


def find_reading_of_dagster(warehouse: Warehouse, dagster_run_id: str) -> Run | None:
    """Find the proven reading that a Dagster run has made."""
    return _read_one(warehouse, f"{PROVEN} AND dagster_run_id = ?", [dagster_run_id])


def _read_one(warehouse: Warehouse, where: str, parameters: Sequence[object]) -> Run | None:
    rows = warehouse.query(f"SELECT {_RUN_COLUMNS} FROM ops.execucoes WHERE {where}", parameters)
    return Run(*rows[0]) if rows else None


def open_run(warehouse: Warehouse, row: Mapping[str, Any], *, after: int = 0) -> int:
    """Open a run: the next number and a row; the reading is its own unless the row says otherwise.

    Args:
        row: columns of `ops.execucoes` without number and state.
        after: the highest number that was given elsewhere.

    Returns:
        The number.
    """
    with warehouse.transaction():
        execucao_id = max(find_highest_number(warehouse), after) + 1
        own = {"execucao_id": execucao_id, "situacao": Situacao.EM_ANDAMENTO, "leitura_id": execucao_id}
        warehouse.insert("ops.execucoes", [{**own, **row}])
    return execucao_id


def find_highest_number(warehouse: Warehouse) -> int:
    """Find the highest number of a run in the file; 0 for none."""
    return int(warehouse.ask_one("SELECT coalesce(max(execucao_id), 0) FROM ops.execucoes"))


def close_run(warehouse: Warehouse, execucao_id: int, situacao: Situacao, moment: datetime) -> None:
    """Set the state of a run that ends without an error, or take that back."""
    _update(
        warehouse,
        "situacao = ?, terminada_em = ?, erro = NULL WHERE execucao_id = ?",
        [situacao, moment, execucao_id],
    )


def fail_run(warehouse: Warehouse, execucao_id: int, situacao: Situacao, erro: str, moment: datetime) -> None:
    """Write down why a run under way did not complete."""
    _update(
        warehouse,
        "situacao = ?, erro = ?, terminada_em = ? WHERE execucao_id = ? AND situacao = ?",
        [situacao, erro, moment, execucao_id, Situacao.EM_ANDAMENTO],
    )


def take_reading(warehouse: Warehouse, execucao_id: int, row: Mapping[str, Any]) -> None:
    """Begin the first report of a reading, which is the run of its number; whose Dagster run it is stays said.

    Args:
        execucao_id: the reading, in state LIDA.
        row: `data_base`, `reconstituida` and `dagster_run_id` of the report.
    """
    _update(
        warehouse,
        "situacao = ?, terminada_em = NULL, data_base = ?, reconstituida = ?, dagster_run_id = "
        "coalesce(dagster_run_id, ?) WHERE execucao_id = ?",
        [Situacao.EM_ANDAMENTO, row["data_base"], row["reconstituida"], row["dagster_run_id"], execucao_id],
    )


def interrupt_runs(warehouse: Warehouse, moment: datetime) -> None:
    """Mark the runs under way: nobody executes them any more."""
    _update(
        warehouse,
        "situacao = ?, erro = ?, terminada_em = ? WHERE situacao = ?",
        [Situacao.FALHOU, INTERROMPIDA, moment, Situacao.EM_ANDAMENTO],
    )


def disown_unpublished(warehouse: Warehouse, publicada: int, lost: Collection[int], moment: datetime) -> None:
    """Mark as failed the runs whose process died before the published link pointed at them; they may go on.

    Args:
        publicada: the run that the link points at.
        lost: the runs of a past day that stand nowhere.
        moment: naive UTC.
    """
    _update(
        warehouse,
        "situacao = ?, erro = ?, terminada_em = ? WHERE list_contains(?, execucao_id) OR situacao = ? AND "
        "execucao_id > ? AND execucao_id IN (SELECT execucao_id FROM ops.etapas WHERE etapa = ?)",
        [Situacao.FALHOU, INTERROMPIDA, moment, list(lost), Situacao.COMPLETA, publicada, Etapa.PLANILHAS],
    )


def add_requests(warehouse: Warehouse, execucao_id: int, requests: int) -> None:
    """Count requests that a run sent to the service."""
    _update(warehouse, "requisicoes = coalesce(requisicoes, 0) + ? WHERE execucao_id = ?", [requests, execucao_id])


def note_clock(warehouse: Warehouse, execucao_id: int, seconds: int) -> None:
    """Keep by how many seconds our clock was ahead of the service's (V36); of several the least."""
    _update(
        warehouse,
        "desvio_relogio = ? WHERE execucao_id = ? AND abs(coalesce(desvio_relogio, 9e15)) > ?",
        [seconds, execucao_id, abs(seconds)],
    )


def count_requests(warehouse: Warehouse, execucao_id: int) -> int:
    """Read how many requests a run sent."""
    return int(
        warehouse.ask_one(
            "SELECT coalesce(max(requisicoes), 0) FROM ops.execucoes WHERE execucao_id = ?", [execucao_id]
        )
    )


def _update(warehouse: Warehouse, what: str, parameters: Sequence[object]) -> None:
    with warehouse.transaction() as con:
        con.execute(f"UPDATE ops.execucoes SET {what}", list(parameters))


def mark_stage(warehouse: Warehouse, execucao_id: int, etapa: Etapa, moment: datetime) -> None:
    """Write down that a stage ended, the reading as proven; everything it leaves is in the files by then."""
    with warehouse.transaction() as con:
        if etapa is Etapa.LEITURA:
            proven = [Situacao.LIDA, moment, execucao_id]
            con.execute("UPDATE ops.execucoes SET situacao = ?, terminada_em = ? WHERE execucao_id = ?", proven)
        con.execute("DELETE FROM ops.etapas WHERE execucao_id = ? AND etapa = ?", [execucao_id, etapa])
        warehouse.insert("ops.etapas", [{"execucao_id": execucao_id, "etapa": etapa, "terminada_em": moment}])


def read_complete_runs(warehouse: Warehouse) -> tuple[StoredRun, ...]:
    """Read the complete runs that history holds, oldest first; no others are ever among them (S13)."""
    rows = warehouse.query(
        "SELECT execucao_id, data_extracao, coalesce(data_base, data_extracao), coalesce(leitura_id, execucao_id) "
        f"FROM ops.execucoes WHERE {IS_COMPLETE} AND data_extracao IS NOT NULL ORDER BY execucao_id"
    )
    return tuple(StoredRun(*row) for row in rows)


def find_run_of_day(warehouse: Warehouse, day: date) -> int | None:
    """Find the last complete run extracted on a day (`RUN_OF_DAY`); None when there is none."""
    execucao_id: int | None = warehouse.ask_one(RUN_OF_DAY, [day])
    return execucao_id


def write_parameters(
    warehouse: Warehouse,
    execucao_id: int,
    facts: Mapping[str, str],
    parametros: Parametros,
    evidence: CompositeEvidence,
) -> None:
    """Store what a run was computed with: its facts, every parameter, the composite mode and its evidence.

    Only evidence is stored as a decision of the run: a company without composites has decided nothing (S2.6).
    """
    rows = {
        **facts,
        "composto_modo": evidence.mode,
        "composto_n0": str(evidence.n0),
        "composto_n1": str(evidence.n1),
        **{name: text for name, text, _ in setting_rows(parametros)},
    }
    warehouse.con.execute("DELETE FROM ops.parametros WHERE execucao_id = ?", [execucao_id])
    warehouse.insert(
        "ops.parametros",
        [{"execucao_id": execucao_id, "parametro": name, "valor_texto": text} for name, text in rows.items()],
    )
    warehouse.con.execute("DELETE FROM ops.calculo WHERE execucao_id = ?", [execucao_id])
    warehouse.insert("ops.calculo", [{"execucao_id": execucao_id, **typed_settings(parametros)}])
    decided = evidence.mode if evidence.n0 + evidence.n1 else None
    warehouse.con.execute("UPDATE ops.execucoes SET composto_modo = ? WHERE execucao_id = ?", [decided, execucao_id])


def read_previous_mode(warehouse: Warehouse, execucao_id: int) -> str | None:
    """Read the composite mode that the last published run before another decided; None without any."""
    rows = warehouse.query(
        "SELECT composto_modo FROM ops.execucoes WHERE situacao = ? AND composto_modo IS NOT NULL AND execucao_id < ? "
        "ORDER BY execucao_id DESC LIMIT 1",
        [Situacao.COMPLETA, execucao_id],
    )
    return rows[0][0] if rows else None


def count_rows(warehouse: Warehouse, tables: Iterable[str]) -> dict[str, int]:
    """Count the rows of core tables, by name without schema."""
    return {name: int(warehouse.ask_one(f"SELECT count(*) FROM core.{name}")) for name in tables}
