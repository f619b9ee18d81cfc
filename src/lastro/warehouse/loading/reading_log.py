"""What a reading and its loading leave for later stages: certificates, answers, accounts seen, evidence, odd records.

Kept in `ops` and not in memory, so that a stage says the same in another process or when it is run again.
Does not belong here: why a run was held, and whose books a file holds (`holds`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from lastro.errors import join_keys
from lastro.transform.composites import CompositeEvidence
from lastro.warehouse.file.store import Warehouse


@dataclass(frozen=True)
class LoadEvidence:
    """What the loading noticed and the checks judge later.

    Attributes:
        composto: how `composto_valor_pai` was decided (V14).
        diferencas: títulos that needed a "Diferença de composto" (V14).
        compostos: `transform.composites.compare_composites` (V15).
        conflitos_saldo_inicial: conta_id (null: an entry without account), motivo, lancamentos (V21).
    """

    composto: CompositeEvidence
    diferencas: tuple[int, ...]
    compostos: pd.DataFrame
    conflitos_saldo_inicial: pd.DataFrame


def write_passes(warehouse: Warehouse, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append certificates of a reading (S13)."""
    with warehouse.transaction():
        warehouse.insert("ops.passadas", rows)


def count_records(warehouse: Warehouse, execucao_id: int) -> int:
    """Count the records of the service that a reading received, each time it did."""
    return int(
        warehouse.ask_one(
            "SELECT coalesce(sum(linhas_recebidas), 0) FROM ops.passadas WHERE execucao_id = ?", [execucao_id]
        )
    )


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
        "SELECT lista, conta_id FROM ops.passadas WHERE execucao_id = ? "
        "AND NOT starts_with(lista, 'cobrancas:status=') "
        "GROUP BY ALL HAVING NOT bool_or(veredito = 'provada') ORDER BY ALL",
        [execucao_id],
    )
    read = {
        row[0]
        for row in warehouse.query("SELECT DISTINCT lista FROM ops.passadas WHERE execucao_id = ?", [execucao_id])
    }
    names = [lista if conta is None else f"{lista} da conta {conta}" for lista, conta in unproved]
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
"""Accounts that a reading proved, and accounts it read; also on a published file (`lastro.group.company_books`)."""


def count_accounts(warehouse: Warehouse, execucao_id: int, contas: Sequence[int] = ()) -> tuple[int, int]:
    """Count the accounts that a reading, complete or hot, proved, and those it read; of some of them, or of all."""
    where, among = (" WHERE list_contains(?, conta_id)", [[*contas]]) if contas else ("", [])
    proved, total = warehouse.query(COUNT_ACCOUNTS + where, [execucao_id, *among])[0]
    return int(proved), int(total)


def write_answers(warehouse: Warehouse, execucao_id: int, answers: Mapping[int, str]) -> None:
    """Keep what the service answered about entries asked for one by one (S13)."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.respostas WHERE execucao_id = ?", [execucao_id])
        warehouse.insert(
            "ops.respostas",
            [
                {"execucao_id": execucao_id, "registro_id": registro_id, "resposta": answer}
                for registro_id, answer in sorted(answers.items())
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
    """List the accounts of the last loaded and the last recorded run, which are two where a past day was given back.

    An entry may have moved to one that is not configured.
    """
    known = "SELECT conta_id FROM core.contas UNION SELECT conta_id FROM hist.contas WHERE valido_ate IS NULL"
    return [int(conta) for (conta,) in warehouse.query(f"FROM ({known}) WHERE conta_id IS NOT NULL ORDER BY ALL")]


def read_known_ids(warehouse: Warehouse) -> dict[int, set[int]]:
    """Return the entry ids per account of the last loaded run, which save rounds while entries change."""
    rows = warehouse.query(
        "SELECT conta_listada, list(try_cast(payload->>'id' AS BIGINT)) FROM raw.lancamentos "
        "WHERE conta_listada IS NOT NULL GROUP BY 1"
    )
    return {int(conta): {lancamento_id for lancamento_id in ids if lancamento_id is not None} for conta, ids in rows}


def count_linhas_between(warehouse: Warehouse, first: date, last: date) -> int:
    """Count the linhas of the last loaded run that were paid, or else fall due, between two days."""
    return int(
        warehouse.ask_one(
            "SELECT count(*) FROM core.linhas WHERE coalesce(data_pagamento, data_vencimento) BETWEEN ? AND ?",
            [first, last],
        )
    )


def write_evidence(warehouse: Warehouse, execucao_id: int, evidence: LoadEvidence) -> None:
    """Keep what a loading noticed; call it in the transaction of the loading."""
    for name in ("compostos", "compostos_detalhes", "saldos_iniciais_conflitos"):
        warehouse.con.execute(f"DELETE FROM ops.{name} WHERE execucao_id = ?", [execucao_id])
    composto = evidence.composto
    decision = {
        "execucao_id": execucao_id,
        "n0": composto.n0,
        "n1": composto.n1,
        "decidido": composto.decided,
        "modo": composto.mode,
        "fonte": composto.source,
        "diferencas": list(evidence.diferencas),
    }
    warehouse.insert("ops.compostos", [decision])
    warehouse.append("ops.compostos_detalhes", evidence.compostos.assign(execucao_id=execucao_id))
    warehouse.insert(
        "ops.saldos_iniciais_conflitos",
        [
            {
                "execucao_id": execucao_id,
                "conta_id": None if pd.isna(row["conta_id"]) else int(row["conta_id"]),
                "motivo": row["motivo"],
                "lancamentos": row["lancamentos"],
            }
            for row in evidence.conflitos_saldo_inicial.to_dict("records")
        ],
    )


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


def write_reading_notes(
    warehouse: Warehouse, execucao_id: int, leitura_id: int, repeated: Iterable[tuple[str, int]]
) -> None:
    """Note the characters of a reading that are a guess, and the ids that a listing had twice, differently (Q35)."""
    warehouse.con.execute(
        "INSERT INTO ops.esquema SELECT ?, lista, 'texto', 'caracteres fora de UTF-8, supostos', sum(reparados) "
        "FROM ops.passadas WHERE execucao_id = ? AND reparados > 0 AND veredito = 'provada' GROUP BY lista",
        [execucao_id, leitura_id],
    )
    by_list: dict[str, list[int]] = {}
    for lista, registro_id in repeated:
        by_list.setdefault(lista, []).append(registro_id)
    warehouse.insert(
        "ops.esquema",
        [
            {
                "execucao_id": execucao_id,
                "lista": lista,
                "campo": "id",
                "situacao": f"repetido com outro conteúdo, vale o último legível: {join_keys(ids)}",
                "registros": len(ids),
            }
            for lista, ids in by_list.items()
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
    return int(warehouse.ask_one("SELECT count(*) FROM raw.rejeitados"))
