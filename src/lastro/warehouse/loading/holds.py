"""Why a run was held and what it showed then, and whose books a file holds, by which another service is found out.

Kept in `ops`: whoever accepts what was held does so in a later run.
Does not belong here: what a reading and its loading leave otherwise (`reading_log`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from lastro.schema.run_kinds import IS_COMPLETE, Modo
from lastro.warehouse.file.store import Warehouse

EXCLUSOES, ALTERACOES, ORIGEM = "exclusoes", "alteracoes", "origem"
"""Why a run was held (`ops.retencoes`)."""


def write_held(warehouse: Warehouse, execucao_id: int, motivo: str, held: Mapping[str, Collection[int]]) -> None:
    """Keep what a held run showed: list -> ids that it would remove (EXCLUSOES) or change (ALTERACOES)."""
    with warehouse.transaction() as con:
        con.execute("DELETE FROM ops.retencoes WHERE execucao_id = ? AND motivo = ?", [execucao_id, motivo])
        warehouse.append(
            "ops.retencoes",
            pd.DataFrame(
                [
                    (execucao_id, motivo, lista, registro_id)
                    for lista, ids in held.items()
                    for registro_id in sorted(ids)
                ],
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
    return sorted(int(execucao_id) for (execucao_id,) in rows)


def find_unanswered_hold(warehouse: Warehouse) -> int | None:
    """Find the last complete run that was held for something, if none was published since."""
    held = warehouse.ask_one(
        f"SELECT max(execucao_id) FROM ops.execucoes WHERE tipo_execucao = '{Modo.COMPLETA}' AND execucao_id IN "
        "(SELECT execucao_id FROM ops.retencoes) AND execucao_id > coalesce((SELECT max(execucao_id) FROM "
        f"ops.execucoes WHERE {IS_COMPLETE}), 0)"
    )
    return None if held is None else int(held)


@dataclass(frozen=True)
class Identity:
    """Whose books a file holds (`ops.identidade`).

    Attributes:
        host: of the service, with its port.
        contas: the accounts of the last loaded reading.
        execucao_id: that reading.
        contas_novas: those of them that the reading before did not have.
    """

    host: str
    contas: frozenset[int]
    execucao_id: int
    contas_novas: tuple[int, ...]


def read_identity(warehouse: Warehouse) -> Identity | None:
    """Read whose books these are; None for a file of schema 1, and for a new one, until its next reading."""
    rows = warehouse.query("SELECT host, contas, execucao_id, contas_novas FROM ops.identidade")
    if not rows:
        return None
    host, contas, execucao_id, new = rows[0]
    return Identity(host, frozenset(contas or ()), execucao_id, tuple(new or ()))


def write_identity(warehouse: Warehouse, empresa: str, host: str, contas: Collection[int], execucao_id: int) -> None:
    """Remember whose books these are, and which accounts are new; call it in the transaction of a loading."""
    before = read_identity(warehouse)
    # Loaded again, a reading has the same new accounts as before.
    new = set() if before is None else set(contas) - before.contas
    if before is not None and before.execucao_id == execucao_id:
        new |= set(before.contas_novas)
    warehouse.con.execute("DELETE FROM ops.identidade")
    row = {"empresa": empresa, "host": host, "execucao_id": execucao_id}
    warehouse.insert("ops.identidade", [{**row, "contas": sorted(contas), "contas_novas": sorted(new)}])
