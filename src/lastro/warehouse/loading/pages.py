"""Landed pages become rows of DuckDB, one per element, as they were received."""

from __future__ import annotations

from pathlib import Path

import duckdb

from lastro.schema.derivation import quote

USUAL_LINE_BYTES, MAX_LINE_BYTES = 4 * 1024 * 1024, 256 * 1024 * 1024
"""Bytes of a landed page: DuckDB makes its buffers by them, so only a longer page than usual gets the larger."""
_COLUMNS = "extraido_em, origem, pagina, posicao, payload, conta_listada"


def load_pages(con: duckdb.DuckDBPyConnection, files: list[Path], table: str) -> None:
    """Create a temporary table with one row per landed element, in the order received.

    Columns: extraido_em, origem, pagina, posicao, payload (JSON), conta_listada (the account in whose listing it
    stood, or NULL).
    """
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} (extraido_em TIMESTAMP, origem VARCHAR, pagina INTEGER, "
        "posicao INTEGER, payload JSON, conta_listada BIGINT)"
    )
    insert_pages(con, files, f"{table} ({_COLUMNS})")


def insert_pages(con: duckdb.DuckDBPyConnection, files: list[Path], into: str, before: str = "") -> None:
    """Insert what was landed, one row per element, with the columns that stand before those of the page."""
    if not files:
        return
    names = "[" + ", ".join(quote(str(path)) for path in files) + "]"
    for most in (USUAL_LINE_BYTES, MAX_LINE_BYTES):
        try:
            con.execute(
                f"""INSERT INTO {into} SELECT {before}extraido_em, origem, no, unnest(range(len(rows)))::INTEGER,
                  coalesce(unnest(rows), 'null'::JSON), conta_listada
                FROM read_json({names}, format = 'newline_delimited', maximum_object_size = {most},
                  columns = {{no: 'INTEGER', origem: 'VARCHAR', extraido_em: 'TIMESTAMP', conta_listada: 'BIGINT',
                    rows: 'JSON[]'}})"""
            )
        except duckdb.InvalidInputException as error:
            if most == MAX_LINE_BYTES or "maximum_object_size" not in str(error):
                raise
        else:
            return
