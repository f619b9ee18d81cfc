"""How the service of a loaded reading speaks, seen in its pages and certificates, and what was known of it (V37)."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from lastro.transform.dialect import LEAST_ROWS, Dialect, compare_dialects, parse_dialect
from lastro.warehouse.file.faults import guard
from lastro.warehouse.file.store import LINK_NAME, Warehouse

RULE: Final = "V37"
_ROWS: Final = """SELECT conta_listada AS listagem, pagina, posicao, id, data_vencimento AS vencimento
  FROM recebido_lancamentos WHERE conta_listada IS NOT NULL"""
_HOLDS: Final = ", ".join(
    f"coalesce(bool_and({column} {comparison} antes_{column}), false)"
    for column in ("id", "vencimento")
    for comparison in (">=", "<=")
)
_ORDER: Final = f"""SELECT count(*), {_HOLDS} FROM (
  SELECT *, lag(id) OVER w AS antes_id, lag(vencimento) OVER w AS antes_vencimento FROM ({_ROWS})
  WINDOW w AS (PARTITION BY listagem ORDER BY pagina, posicao))"""
_ORDERS: Final = ("id crescente", "id decrescente", "vencimento crescente", "vencimento decrescente")
_CAP: Final = f"""SELECT max(linhas) FROM (SELECT listagem, pagina, count(*) AS linhas,
  max(pagina) OVER (PARTITION BY listagem) AS ultima FROM ({_ROWS}) GROUP BY listagem, pagina) WHERE pagina < ultima"""
_COUNTS: Final = """SELECT bool_or(contagem_antes IS NOT NULL) FROM ops.passadas
  WHERE execucao_id = ? AND lista IN ('lancamentos', 'cobrancas')"""
_LISTS: Final = "SELECT DISTINCT lista FROM ops.passadas WHERE execucao_id = ? ORDER BY lista"


def observe_dialect(con: duckdb.DuckDBPyConnection, execucao_id: int, probed: Collection[str]) -> Dialect:
    """See how the service spoke in a complete reading that is being loaded.

    Args:
        con: the private file, with what `lastro.warehouse.loading.conformer` received.
        probed: lists beyond the document that were asked for; empty where none was.
    """
    rows, *held = con.execute(_ORDER).fetchall()[0]
    lists = {lista for (lista,) in con.execute(_LISTS, [execucao_id]).fetchall()}
    return Dialect(
        con.execute(_COUNTS, [execucao_id]).fetchall()[0][0],
        tuple(sorted(lists & set(probed))) if probed else None,
        frozenset(name for name, holds in zip(_ORDERS, held, strict=True) if holds) if rows >= LEAST_ROWS else None,
        con.execute(_CAP).fetchall()[0][0],
    )


def record_dialect(warehouse: Warehouse, execucao_id: int, seen: Dialect) -> None:
    """Store the dialect known after this reading, and its changes; call it in the transaction of the loading."""
    before = read_dialect(warehouse, execucao_id)
    known, changed = (seen, ()) if before is None else compare_dialects(before, seen)
    text = json.dumps(known.describe() | {"mudou": list(changed)}, ensure_ascii=False)
    warehouse.con.execute("DELETE FROM ops.evidencias WHERE execucao_id = ? AND verificacao = ?", [execucao_id, RULE])
    warehouse.insert("ops.evidencias", [{"execucao_id": execucao_id, "verificacao": RULE, "evidencia": text}])


def read_dialect(warehouse: Warehouse, before: int) -> Dialect | None:
    """Read what was known of the service before a run: by the last complete one that was published."""
    rows = warehouse.query(
        "SELECT v.evidencia FROM ops.evidencias v WHERE v.verificacao = ? AND v.execucao_id IN (SELECT "
        "coalesce(leitura_id, execucao_id) FROM ops.execucoes WHERE situacao = 'completa') AND v.execucao_id < ? "
        "ORDER BY v.execucao_id DESC LIMIT 1",
        [RULE, before],
    )
    return parse_dialect(json.loads(rows[0][0])) if rows else None


def read_dialect_days(con: duckdb.DuckDBPyConnection) -> list[tuple[date, Dialect, tuple[str, ...]]]:
    """List, newest first, what every published complete reading knew and found changed, with its day."""
    rows = con.execute(
        "SELECT e.data_extracao, v.evidencia FROM ops.evidencias v JOIN ops.execucoes e USING (execucao_id) "
        "WHERE v.verificacao = ? AND execucao_id IN (SELECT coalesce(leitura_id, execucao_id) FROM ops.execucoes "
        "WHERE situacao = 'completa') ORDER BY execucao_id DESC",
        [RULE],
    ).fetchall()
    readings = []
    for day, text in rows:
        row = json.loads(text)
        readings.append((day, parse_dialect(row), tuple(row["mudou"])))
    return readings


def read_published_dialect(pasta: Path) -> list[tuple[date, Dialect, tuple[str, ...]]]:
    """Read the same of a company's published copy; empty when nothing is published.

    Raises:
        StorageError: when the file cannot be read.
    """
    published = pasta / LINK_NAME
    if not published.exists():
        return []
    with guard(published), duckdb.connect(str(published), read_only=True, config={"threads": 1}) as con:
        return read_dialect_days(con)
