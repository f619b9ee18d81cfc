"""Versions of everything a run read (S13): what is true of any past run, and nothing is ever overwritten.

A version is a row of a core table with the run since which it holds (`valido_de`), the run since which it no longer
does (`valido_ate`, null while it holds) and the run that recorded it (`execucao_id`). Only changed rows are stored; a
payment undone and a field set to null are changes like any other. Belongs here: writing versions and absences, and
reading past runs. Does not belong here: what an absence means (`lastro.transform.deletions`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib import resources

import pandas as pd

from lastro.schema.derive import build_comments
from lastro.schema.tables import TABLES, VERSIONED
from lastro.transform.position import Core
from lastro.warehouse.store import Warehouse

_VERSION_COLUMNS = ("valido_de", "valido_ate", "execucao_id")
_COMPLETE = "situacao = 'completa' AND coalesce(tipo_execucao, 'completa') = 'completa'"
_WITH_TAGS = """(SELECT l.*, coalesce(t.tags, []::BIGINT[]) AS tags FROM core.linhas l LEFT JOIN
  (SELECT origem, linha_id, list(tag_id ORDER BY tag_id) AS tags FROM core.linha_tags GROUP BY origem, linha_id) t
  USING (origem, linha_id))"""


@dataclass(frozen=True)
class StoredRun:
    """A complete run that history can give back."""

    execucao_id: int
    data_extracao: date
    data_base: date


def record_history(warehouse: Warehouse, execucao_id: int) -> None:
    """Record what changed in the core tables as versions of a run; call it in the transaction of `write_core`.

    Calling it again for the same run replaces what that run recorded, so that a repeated run leaves one record.

    Args:
        warehouse: its core tables hold the run.
        execucao_id: number of the run, above that of every recorded run.

    Raises:
        ValueError: when a later run is recorded: its versions would be lost.
    """
    create_history_macros(warehouse)
    later = _last_recorded(warehouse)
    if later is not None and later > execucao_id:
        raise ValueError(f"run {execucao_id} cannot be recorded after run {later}: history only grows")
    for name in VERSIONED:
        _forget_run(warehouse, name, execucao_id)
        _record_table(warehouse, name, execucao_id)


def create_history_macros(warehouse: Warehouse) -> None:
    """Create or replace the macros `hist.<table>_em(execucao)` and the comments of the tables of `hist`."""
    script = resources.files("lastro.warehouse").joinpath("history.sql").read_text(encoding="utf-8")
    warehouse.con.execute(script)
    for table in TABLES.values():
        if table.name.startswith("hist."):
            for statement in build_comments(table):
                warehouse.con.execute(statement)


def _last_recorded(warehouse: Warehouse) -> int | None:
    latest = " UNION ALL ".join(
        f"SELECT greatest(max(valido_de), max(valido_ate)) AS n FROM hist.{name}" for name in VERSIONED
    )
    value = warehouse.query(f"SELECT max(n) FROM ({latest})")[0][0]
    return None if value is None else int(value)


def _forget_run(warehouse: Warehouse, name: str, execucao_id: int) -> None:
    """Take back what an earlier attempt of the same run recorded."""
    warehouse.con.execute(f"DELETE FROM hist.{name} WHERE valido_de = ?", [execucao_id])
    warehouse.con.execute(f"UPDATE hist.{name} SET valido_ate = NULL WHERE valido_ate = ?", [execucao_id])


def _record_table(warehouse: Warehouse, name: str, execucao_id: int) -> None:
    """Close the versions that no longer hold and add those that are new, each with one pass over both tables."""
    history = f"hist.{name}"
    columns = [column for column in TABLES[history].columns if column not in _VERSION_COLUMNS]
    source = _WITH_TAGS if name == "linhas" else f"core.{name}"
    # Every column counts, null equals null: an anti-join on all of them needs no key and survives equal keys.
    same = " AND ".join(f'n."{column}" IS NOT DISTINCT FROM h."{column}"' for column in columns)
    listed = ", ".join(f'n."{column}"' for column in columns)
    warehouse.con.execute(
        f"UPDATE {history} SET valido_ate = ? WHERE rowid IN (SELECT h.rowid FROM {history} h ANTI JOIN {source} n "
        f"ON {same} WHERE h.valido_ate IS NULL)",
        [execucao_id],
    )
    warehouse.con.execute(
        f"INSERT INTO {history} SELECT {listed}, ?, NULL, ? FROM {source} n ANTI JOIN "
        f"(SELECT * FROM {history} WHERE valido_ate IS NULL) h ON {same}",
        [execucao_id, execucao_id],
    )


def read_complete_runs(warehouse: Warehouse) -> tuple[StoredRun, ...]:
    """Read the complete runs that history holds, oldest first; quente and parcial runs are never among them (S13)."""
    rows = warehouse.query(
        f"SELECT execucao_id, data_extracao, coalesce(data_base, data_extracao) FROM ops.execucoes WHERE {_COMPLETE} "
        "AND data_extracao IS NOT NULL ORDER BY execucao_id"
    )
    return tuple(StoredRun(*row) for row in rows)


def find_run_of_day(warehouse: Warehouse, day: date) -> int | None:
    """Find the last complete run extracted on a day: it gives that day back exactly (S3)."""
    runs = [run.execucao_id for run in read_complete_runs(warehouse) if run.data_extracao == day]
    return max(runs, default=None)


def find_previous_run(warehouse: Warehouse, execucao_id: int) -> StoredRun | None:
    """Find run A of R14: the last complete run before a given one."""
    runs = [run for run in read_complete_runs(warehouse) if run.execucao_id < execucao_id]
    return runs[-1] if runs else None


def read_core_at(warehouse: Warehouse, execucao_id: int) -> Core:
    """Read the core tables exactly as a recorded run left them.

    Args:
        warehouse: the private file.
        execucao_id: number of the run.

    Returns:
        The same value that `Warehouse.read_core` gave during that run.
    """
    return warehouse.read_core(execucao_id)


def read_first_paid(warehouse: Warehouse) -> pd.DataFrame:
    """Read when each charge was first seen paid: the payment date of last resort (S12).

    Returns:
        cobranca_id (int64), data (datetime64): extraction date of the first stored run with rank >= 3; by id.
    """
    frame = warehouse.con.execute(
        "SELECT c.cobranca_id, e.data_extracao::TIMESTAMP AS data FROM (SELECT cobranca_id, min(valido_de) AS "
        "execucao_id FROM hist.cobrancas WHERE paga GROUP BY cobranca_id) c JOIN ops.execucoes e USING (execucao_id) "
        "WHERE e.data_extracao IS NOT NULL ORDER BY c.cobranca_id"
    ).df()
    return frame.astype({"cobranca_id": "int64", "data": "datetime64[us]"})
