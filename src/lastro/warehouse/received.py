"""What the warehouse reads in the landed pages, beside what the proof counted in them (V34, V35)."""

from __future__ import annotations

from typing import Final

import duckdb
import pandas as pd

_OWN_ID: Final = """CASE WHEN regexp_full_match(payload->>'id', '0*[1-9][0-9]{0,18}')
  THEN try_cast(payload->>'id' AS BIGINT) END"""
"""SQL of a record's id; rows that were confirmed one by one stand in no listing's address, but tell their account."""


def read_loaded_ids(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Count what the warehouse reads in the pages of a complete reading (V34).

    Returns:
        Grain listing: lista, conta_id (None where there is none), lidos: distinct ids, and rows without a readable one.
    """
    return con.execute(
        f"""SELECT lista, coalesce(conta_listada, conta) AS conta_id,
          count(DISTINCT id) + count(*) FILTER (id IS NULL) AS lidos FROM (
          SELECT 'lancamentos' AS lista, try_cast(regexp_extract(origem, '[?&]conta_id=([0-9]+)', 1) AS BIGINT) AS
            conta_listada, {_OWN_ID} AS id, try_cast(payload->>'conta_id' AS BIGINT) AS conta FROM raw.lancamentos
          UNION ALL SELECT 'cobrancas', NULL, {_OWN_ID}, NULL FROM raw.cobrancas)
        GROUP BY ALL ORDER BY ALL"""
    ).df()


def read_rejected_records(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """List the entries, items and charges that could not be read: lista, id (or where it stood) (V35)."""
    return con.execute(
        """SELECT lista, coalesce(payload->>'id', 'página ' || pagina || ', posição ' || posicao) AS id
        FROM raw.rejeitados WHERE lista IN ('lancamentos', 'itens_adicionais', 'cobrancas') ORDER BY ALL"""
    ).df()


def count_received(con: duckdb.DuckDBPyConnection) -> int:
    """Count the entries and charges received (V35)."""
    rows = con.execute(
        "SELECT (SELECT count(*) FROM raw.lancamentos) + (SELECT count(*) FROM raw.cobrancas)"
    ).fetchall()
    return int(rows[0][0])
