"""What a company's file knows of its runs: the statements about `ops` stand here.

A stage leaves its results in the file and takes those of other stages from it, so that it means the same whoever calls
it: in one process after the others, in a process of its own, or again after a crash. Does not belong here: what a run
does (`lastro.run`), and the tables of records (`store`, `conform`, `history`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.settings import Parametros, setting_rows
from lastro.transform.composite_details import COLUMNS as COMPOSTOS_COLUMNS
from lastro.transform.composites import CompositeEvidence
from lastro.warehouse.store import Warehouse

COMPLETA, QUENTE, RECALCULO = "completa", "quente", "recálculo"
"""Kinds of run (`tipo_execucao`)."""
EM_ANDAMENTO, PARCIAL, FALHOU = "em andamento", "parcial", "falhou"
"""States (`situacao`) of a run that published nothing yet, or nothing; one that did is COMPLETA."""
INTERROMPIDA = "interrompida"
"""`erro` of a run whose process ended, by a signal or without a word."""
EXCLUSOES, ALTERACOES = "exclusoes", "alteracoes"
"""Why a run was held (`ops.retencoes`)."""
_COMPLETE = f"situacao = '{COMPLETA}' AND coalesce(tipo_execucao, '{COMPLETA}') = '{COMPLETA}'"
_CONFLICTS = {"conta_id": "object", "motivo": "object"}
_RUN_COLUMNS = (
    "execucao_id, coalesce(tipo_execucao, 'completa'), situacao, data_extracao, data_base, "
    "coalesce(reconstituida, false), iniciada_em, coalesce(leitura_id, execucao_id), base_id, nota"
)


@dataclass(frozen=True)
class Run:
    """A row of `ops.execucoes`.

    Attributes:
        execucao_id: its number.
        tipo: COMPLETA, QUENTE or RECALCULO.
        situacao: EM_ANDAMENTO, COMPLETA, PARCIAL or FALHOU.
        data_extracao: local date of its reading.
        data_base: D.
        reconstituida: D lies before the reading and no stored run gives that day back.
        iniciada_em: naive UTC.
        leitura_id: the run whose reading it shows: its own number, or that of the run a RECALCULO computes again.
        base_id: for a reading by a QUENTE run, the complete run that it refreshes.
        nota: what a RECALCULO says of itself on stamp and cover.
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


@dataclass(frozen=True)
class StoredRun:
    """A complete run that history can give back."""

    execucao_id: int
    data_extracao: date
    data_base: date


@dataclass(frozen=True)
class LoadEvidence:
    """What the loading noticed and the checks judge later; kept in `ops.evidencias`.

    Attributes:
        composto: how `composto_valor_pai` was decided (V14).
        diferencas: títulos that needed a "Diferença de composto" (V14).
        compostos: `transform.composite_details.compare_composites` (V15).
        conflitos_saldo_inicial: conta_id (null: an entry without account), motivo (V21).
    """

    composto: CompositeEvidence
    diferencas: tuple[int, ...]
    compostos: pd.DataFrame
    conflitos_saldo_inicial: pd.DataFrame


def read_run(warehouse: Warehouse, execucao_id: int) -> Run | None:
    """Read a run, or None."""
    return _read_one(warehouse, "execucao_id = ?", [execucao_id])


def find_run_of_dagster(warehouse: Warehouse, dagster_run_id: str) -> Run | None:
    """Find the last run that a Dagster run, or a re-execution of it, began."""
    return _read_one(warehouse, "dagster_run_id = ? ORDER BY execucao_id DESC LIMIT 1", [dagster_run_id])


def find_failed_reading(warehouse: Warehouse, execucao_id: int) -> Run | None:
    """Find the last run after another that tried to read the service and failed."""
    return _read_one(
        warehouse,
        "execucao_id > ? AND tipo_execucao <> ? AND situacao IN (?, ?) ORDER BY execucao_id DESC LIMIT 1",
        [execucao_id, RECALCULO, FALHOU, PARCIAL],
    )


def _read_one(warehouse: Warehouse, where: str, parameters: Sequence[object]) -> Run | None:
    rows = warehouse.query(f"SELECT {_RUN_COLUMNS} FROM ops.execucoes WHERE {where}", parameters)
    return Run(*rows[0]) if rows else None


def open_run(warehouse: Warehouse, row: Mapping[str, Any]) -> int:
    """Open a run: the next number and a row; the reading is its own unless the row says otherwise.

    Args:
        warehouse: the private file.
        row: columns of `ops.execucoes` without number and state.

    Returns:
        The number.
    """
    with warehouse.transaction():
        number = int(warehouse.query("SELECT coalesce(max(execucao_id), 0) + 1 FROM ops.execucoes")[0][0])
        own = {"execucao_id": number, "situacao": EM_ANDAMENTO, "leitura_id": number}
        warehouse.insert("ops.execucoes", [{**own, **row}])
    return number


def reopen_run(warehouse: Warehouse, execucao_id: int) -> None:
    """Let a run that failed go on."""
    _update(
        warehouse, "situacao = ?, erro = NULL, terminada_em = NULL WHERE execucao_id = ?", [EM_ANDAMENTO, execucao_id]
    )


def close_run(warehouse: Warehouse, execucao_id: int, situacao: str, moment: datetime) -> None:
    """Set the state of a run that ends without an error, or take that back."""
    _update(
        warehouse,
        "situacao = ?, terminada_em = ?, erro = NULL WHERE execucao_id = ?",
        [situacao, moment, execucao_id],
    )


def fail_run(warehouse: Warehouse, execucao_id: int, situacao: str, erro: str, moment: datetime) -> None:
    """Write down why a run under way did not complete."""
    _update(
        warehouse,
        "situacao = ?, erro = ?, terminada_em = ? WHERE execucao_id = ? AND situacao = ?",
        [situacao, erro, moment, execucao_id, EM_ANDAMENTO],
    )


def interrupt_runs(warehouse: Warehouse, moment: datetime, dagster_run_id: str | None) -> None:
    """Mark the runs under way that nobody executes any more; those of the Dagster run that asks may go on."""
    _update(
        warehouse,
        "situacao = ?, erro = ?, terminada_em = ? WHERE situacao = ? AND dagster_run_id IS DISTINCT FROM "
        "coalesce(?, '')",
        [FALHOU, INTERROMPIDA, moment, EM_ANDAMENTO, dagster_run_id],
    )


def add_requests(warehouse: Warehouse, execucao_id: int, requests: int) -> None:
    """Count requests that a run sent to the service."""
    _update(warehouse, "requisicoes = coalesce(requisicoes, 0) + ? WHERE execucao_id = ?", [requests, execucao_id])


def count_requests(warehouse: Warehouse, execucao_id: int) -> int:
    """Read how many requests a run sent."""
    return int(
        warehouse.query("SELECT coalesce(max(requisicoes), 0) FROM ops.execucoes WHERE execucao_id = ?", [execucao_id])[
            0
        ][0]
    )


def _update(warehouse: Warehouse, what: str, parameters: Sequence[object]) -> None:
    with warehouse.transaction() as con:
        con.execute(f"UPDATE ops.execucoes SET {what}", list(parameters))


def mark_stage(warehouse: Warehouse, execucao_id: int, etapa: str, moment: datetime) -> None:
    """Write down that a stage of a run ended; everything it leaves is in the files by then."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.etapas WHERE execucao_id = ? AND etapa = ?", [execucao_id, etapa])
        warehouse.insert("ops.etapas", [{"execucao_id": execucao_id, "etapa": etapa, "terminada_em": moment}])


def is_stage_done(warehouse: Warehouse, execucao_id: int, etapa: str) -> bool:
    """Tell whether a stage of a run ended."""
    return bool(
        warehouse.query("SELECT count(*) FROM ops.etapas WHERE execucao_id = ? AND etapa = ?", [execucao_id, etapa])[0][
            0
        ]
    )


def find_later_load(warehouse: Warehouse, execucao_id: int) -> int | None:
    """Find the last run after another that replaced the core tables."""
    value = warehouse.query("SELECT max(execucao_id) FROM ops.parametros WHERE execucao_id > ?", [execucao_id])[0][0]
    return None if value is None else int(value)


def read_complete_runs(warehouse: Warehouse) -> tuple[StoredRun, ...]:
    """Read the complete runs that history holds, oldest first; no others are ever among them (S13)."""
    rows = warehouse.query(
        f"SELECT execucao_id, data_extracao, coalesce(data_base, data_extracao) FROM ops.execucoes WHERE {_COMPLETE} "
        "AND data_extracao IS NOT NULL ORDER BY execucao_id"
    )
    return tuple(StoredRun(*row) for row in rows)


def find_run_of_day(warehouse: Warehouse, day: date) -> int | None:
    """Find the last complete run extracted on a day: it gives that day back exactly (S3)."""
    runs = [run.execucao_id for run in read_complete_runs(warehouse) if run.data_extracao == day]
    return max(runs, default=None)


def write_passes(warehouse: Warehouse, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append certificates of a reading (S13)."""
    with warehouse.transaction():
        warehouse.insert("ops.passadas", rows)


def read_passes(warehouse: Warehouse, execucao_id: int) -> pd.DataFrame:
    """Read the certificates of a reading, columns as `ops.passadas`."""
    return warehouse.read("ops.passadas", "execucao_id = ?", [execucao_id])


def read_certificate(warehouse: Warehouse, execucao_id: int) -> list[tuple[Any, ...]]:
    """Read the certificates of a reading as Parâmetros prints them: columns of `reports.parametros.CERTIFICATE`."""
    return warehouse.query(
        "SELECT lista, conta_id, passada, contagem_antes, paginas, linhas_recebidas, ids_distintos, repetidas, "
        "rejeitadas, contagem_depois, veredito, prova, motivo FROM ops.passadas WHERE execucao_id = ? "
        "ORDER BY lista, conta_id, passada",
        [execucao_id],
    )


def find_unproved(warehouse: Warehouse, execucao_id: int, needed: Collection[str]) -> list[str]:
    """Name the listings of a reading that are not proved complete, and the needed ones that are not there (S13)."""
    unproved = warehouse.query(
        "SELECT lista, conta_id FROM ops.passadas WHERE execucao_id = ? AND NOT starts_with(lista, 'cobrancas:') "
        "GROUP BY ALL HAVING NOT bool_or(veredito = 'provada') ORDER BY ALL",
        [execucao_id],
    )
    read = {
        row[0]
        for row in warehouse.query("SELECT DISTINCT lista FROM ops.passadas WHERE execucao_id = ?", [execucao_id])
    }
    names = [lista if conta is None else f"{lista} of account {conta}" for lista, conta in unproved]
    return [*names, *(lista for lista in needed if lista not in read)]


def read_proved_accounts(warehouse: Warehouse, execucao_id: int) -> list[int]:
    """List the accounts whose listing of entries a reading proved."""
    rows = warehouse.query(
        "SELECT DISTINCT conta_id FROM ops.passadas WHERE execucao_id = ? AND lista = 'lancamentos' AND veredito = "
        "'provada' AND conta_id IS NOT NULL ORDER BY conta_id",
        [execucao_id],
    )
    return [int(conta) for (conta,) in rows]


COUNT_ACCOUNTS = (
    "SELECT count(*) FILTER (WHERE provada), count(*) FROM (SELECT conta_id, bool_or(veredito = 'provada') AS provada "
    "FROM ops.passadas WHERE execucao_id = ? AND lista IN ('lancamentos', 'lancamentos:janela') GROUP BY conta_id)"
)
"""Accounts that a reading proved, and accounts it read; also on a published file (`warehouse.group`)."""


def count_accounts(warehouse: Warehouse, execucao_id: int) -> tuple[int, int]:
    """Count the accounts that a reading, complete or hot, proved, and those it read."""
    proved, total = warehouse.query(COUNT_ACCOUNTS, [execucao_id])[0]
    return int(proved), int(total)


def write_answers(warehouse: Warehouse, execucao_id: int, answers: Mapping[int, str]) -> None:
    """Keep what the service answered about entries asked for one by one (S13)."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.respostas WHERE execucao_id = ?", [execucao_id])
        warehouse.insert(
            "ops.respostas",
            [
                {"execucao_id": execucao_id, "registro_id": number, "resposta": answer}
                for number, answer in sorted(answers.items())
            ],
        )


def read_answers(warehouse: Warehouse, execucao_id: int) -> dict[int, str]:
    """Read id -> `vivo`, `ausente` or `indefinido`, as `write_answers` kept them."""
    return dict(warehouse.query("SELECT registro_id, resposta FROM ops.respostas WHERE execucao_id = ?", [execucao_id]))


LIDA = "lida"
"""`ops.contas_vistas.situacao` of an account that was read; anything else is what the service answered instead."""


def write_seen_accounts(warehouse: Warehouse, execucao_id: int, seen: Mapping[int, tuple[str, str]]) -> None:
    """Keep the accounts that a reading found without being told of them: conta_id -> (where, LIDA or the refusal)."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.contas_vistas WHERE execucao_id = ?", [execucao_id])
        warehouse.insert(
            "ops.contas_vistas",
            [
                {"execucao_id": execucao_id, "conta_id": conta, "origem": where, "situacao": state}
                for conta, (where, state) in sorted(seen.items())
            ],
        )


def read_seen_accounts(warehouse: Warehouse, execucao_id: int) -> list[tuple[int, str, str]]:
    """Read conta_id, where it was seen and what became of it, by account."""
    rows = warehouse.query(
        "SELECT conta_id, origem, situacao FROM ops.contas_vistas WHERE execucao_id = ? ORDER BY conta_id",
        [execucao_id],
    )
    return [(int(conta), str(where), str(state)) for conta, where, state in rows]


def read_known_accounts(warehouse: Warehouse) -> list[int]:
    """List the accounts of the last loaded run: an entry may have moved to one that is not configured."""
    return [
        int(conta)
        for (conta,) in warehouse.query("SELECT conta_id FROM core.contas WHERE conta_id IS NOT NULL ORDER BY ALL")
    ]


def read_known_ids(warehouse: Warehouse) -> dict[int, set[int]]:
    """Return the entry ids per account of the last loaded run, which save rounds while entries change."""
    rows = warehouse.query(
        "SELECT try_cast(regexp_extract(origem, '[?&]conta_id=([0-9]+)', 1) AS BIGINT) AS conta_id, "
        "list(try_cast(payload->>'id' AS BIGINT)) FROM raw.lancamentos GROUP BY 1 HAVING conta_id IS NOT NULL"
    )
    return {int(conta): {number for number in ids if number is not None} for conta, ids in rows}


def read_listed_ids(warehouse: Warehouse, lista: str) -> set[int]:
    """Return the ids that the loaded listing holds, rejected records included."""
    rows = warehouse.query(f"SELECT DISTINCT try_cast(payload->>'id' AS BIGINT) FROM raw.{lista}")
    return {int(number) for (number,) in rows if number is not None}


def write_evidence(warehouse: Warehouse, execucao_id: int, evidence: LoadEvidence) -> None:
    """Keep what a loading noticed; call it in the transaction of the loading."""
    rows = {
        "V14": asdict(evidence.composto) | {"diferencas": list(evidence.diferencas)},
        "V15": _as_rows(evidence.compostos[list(COMPOSTOS_COLUMNS)]),
        "V21": _as_rows(evidence.conflitos_saldo_inicial[list(_CONFLICTS)]),
    }
    warehouse.con.execute("DELETE FROM ops.evidencias WHERE execucao_id = ?", [execucao_id])
    warehouse.insert(
        "ops.evidencias",
        [
            {"execucao_id": execucao_id, "verificacao": rule, "evidencia": json.dumps(found, ensure_ascii=False)}
            for rule, found in rows.items()
        ],
    )


def read_evidence(warehouse: Warehouse, execucao_id: int) -> LoadEvidence | None:
    """Read what a loading noticed; None when the run has loaded nothing."""
    rows = dict(
        warehouse.query("SELECT verificacao, evidencia FROM ops.evidencias WHERE execucao_id = ?", [execucao_id])
    )
    if not rows:
        return None
    found = {rule: json.loads(text) for rule, text in rows.items()}
    differences = tuple(found["V14"].pop("diferencas"))
    return LoadEvidence(
        CompositeEvidence(**found["V14"]),
        differences,
        _as_frame(found["V15"], COMPOSTOS_COLUMNS),
        _as_frame(found["V21"], _CONFLICTS),
    )


def _as_rows(frame: pd.DataFrame) -> list[list[Any]]:
    """Write a small frame as JSON can hold it: Python's integers, exact whatever their size, and null."""
    return [
        [None if pd.isna(value) else value.item() if hasattr(value, "item") else value for value in row]
        for row in frame.itertuples(index=False)
    ]


def _as_frame(rows: Sequence[Sequence[Any]], types: Mapping[str, str]) -> pd.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    return pd.DataFrame(
        {name: pd.Series(list(values), dtype=kind) for (name, kind), values in zip(types.items(), columns, strict=True)}
    )


def write_held(warehouse: Warehouse, execucao_id: int, motivo: str, held: Mapping[str, Collection[int]]) -> None:
    """Keep what a held run showed: list -> ids that it would remove (EXCLUSOES) or change (ALTERACOES)."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.retencoes WHERE execucao_id = ? AND motivo = ?", [execucao_id, motivo])
        warehouse.append(
            "ops.retencoes",
            pd.DataFrame(
                [(execucao_id, motivo, lista, number) for lista, ids in held.items() for number in sorted(ids)],
                columns=["execucao_id", "motivo", "lista", "registro_id"],
            ),
        )


def read_held(warehouse: Warehouse, execucao_id: int, motivo: str) -> dict[str, frozenset[int]]:
    """Read what a held run showed: list -> ids; empty when it was not held for that."""
    rows = warehouse.query(
        "SELECT lista, list(registro_id) FROM ops.retencoes WHERE execucao_id = ? AND motivo = ? GROUP BY lista",
        [execucao_id, motivo],
    )
    return {str(lista): frozenset(ids) for lista, ids in rows}


def list_held(warehouse: Warehouse, motivo: str) -> list[int]:
    """List the runs that were held for a reason, the last ten."""
    rows = warehouse.query(
        "SELECT DISTINCT execucao_id FROM ops.retencoes WHERE motivo = ? ORDER BY execucao_id DESC LIMIT 10", [motivo]
    )
    return sorted(int(number) for (number,) in rows)


def write_identity(warehouse: Warehouse, empresa: str, host: str, contas: Sequence[int], execucao_id: int) -> None:
    """Remember whose books these are; call it in the transaction of a loading."""
    warehouse.con.execute("DELETE FROM ops.identidade")
    warehouse.insert(
        "ops.identidade", [{"empresa": empresa, "host": host, "contas": list(contas), "execucao_id": execucao_id}]
    )


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
    decided = evidence.mode if evidence.n0 + evidence.n1 else None
    warehouse.con.execute("UPDATE ops.execucoes SET composto_modo = ? WHERE execucao_id = ?", [decided, execucao_id])


def read_previous_mode(warehouse: Warehouse, execucao_id: int) -> str | None:
    """Read the composite mode that the last published run before another decided; None without any."""
    rows = warehouse.query(
        "SELECT composto_modo FROM ops.execucoes WHERE situacao = ? AND composto_modo IS NOT NULL AND execucao_id < ? "
        "ORDER BY execucao_id DESC LIMIT 1",
        [COMPLETA, execucao_id],
    )
    return rows[0][0] if rows else None


def write_cut_cycles(warehouse: Warehouse, execucao_id: int, categorias: Iterable[int]) -> None:
    """Note the categories at which a cycle of the tree was cut (S11)."""
    warehouse.insert(
        "ops.esquema",
        [
            {
                "execucao_id": execucao_id,
                "lista": "categorias",
                "campo": "parent_id",
                "situacao": f"ciclo cortado na categoria {categoria}",
                "registros": 1,
            }
            for categoria in categorias
        ],
    )


def read_schema_notes(warehouse: Warehouse, execucao_id: int) -> list[tuple[Any, ...]]:
    """Read lista, campo, situacao, registros of new and missing fields."""
    return warehouse.query(
        "SELECT lista, campo, situacao, registros FROM ops.esquema WHERE execucao_id = ? ORDER BY ALL", [execucao_id]
    )


def read_rejected(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Read lista, origem, pagina, posicao, motivo of the records that could not be read."""
    return warehouse.query("SELECT lista, origem, pagina, posicao, motivo FROM raw.rejeitados ORDER BY ALL")


def count_rejected(warehouse: Warehouse) -> int:
    """Count the records that could not be read."""
    return int(warehouse.query("SELECT count(*) FROM raw.rejeitados")[0][0])


def count_rows(warehouse: Warehouse, tables: Iterable[str]) -> dict[str, int]:
    """Count the rows of core tables, by name without schema."""
    return {name: int(warehouse.query(f"SELECT count(*) FROM core.{name}")[0][0]) for name in tables}


def write_outcomes(
    warehouse: Warehouse,
    execucao_id: int,
    verifications: Iterable[Mapping[str, Any]],
    kpis: Iterable[Mapping[str, Any]],
) -> None:
    """Replace the checks and indicators of a run; call it in the transaction of its reports."""
    for name, rows in (("ops.verificacoes", verifications), ("ops.kpis", kpis)):
        warehouse.con.execute(f"DELETE FROM {name} WHERE execucao_id = ?", [execucao_id])
        warehouse.insert(name, [{"execucao_id": execucao_id, **row} for row in rows])


def read_previous_kpis(warehouse: Warehouse, execucao_id: int, day: date) -> dict[str, Decimal] | None:
    """Read the indicators of the report before a run: before it in D, not in time of writing; None without one."""
    rows = warehouse.query(
        f"SELECT kpi, valor FROM ops.kpis WHERE execucao_id = (SELECT execucao_id FROM ops.execucoes WHERE {_COMPLETE} "
        "AND execucao_id < ? AND data_base <= ? ORDER BY data_base DESC, execucao_id DESC LIMIT 1)",
        [execucao_id, day],
    )
    return {kpi: value for kpi, value in rows if value is not None} if rows else None
