"""What the warehouse reads in the landed pages (Q35, S13.1)."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

import duckdb

from lastro.schema.tables import LISTAS
from lastro.transform.deletions import WHOLE_LISTS
from lastro.warehouse.loading.conformer import MAX_TREE, RECEIVED

_OWN_ID: Final = """CASE WHEN regexp_full_match(payload->>'id', '0*[1-9][0-9]{0,18}')
  THEN try_cast(payload->>'id' AS BIGINT) END"""
"""SQL of a record's id; rows that were confirmed one by one stand in no listing, but tell their account."""


def read_whole_lists(con: duckdb.DuckDBPyConnection) -> dict[str, frozenset[int]]:
    """Read the ids of the loaded lists that come whole; the next reading of each is compared with them (S13.1).

    Of the categories, which may come nested, these are all that the last loading knew from their list.
    """
    ids = {}
    for lista in WHOLE_LISTS:
        source = f"SELECT {_OWN_ID} AS id FROM raw.{lista}"
        if lista == "categorias":
            source = f"""WITH RECURSIVE arvore AS (SELECT payload, 0 AS fundo FROM raw.categorias UNION ALL
              SELECT unnest(json_extract(payload, '$.categorias_filhas[*]')), fundo + 1 FROM arvore
              WHERE fundo < {MAX_TREE} AND json_type(payload, '$.categorias_filhas') = 'ARRAY')
            SELECT {_OWN_ID} AS id FROM arvore"""
        rows = con.execute(f"SELECT DISTINCT id FROM ({source}) WHERE id IS NOT NULL").fetchall()
        ids[lista] = frozenset(int(record_id) for (record_id,) in rows)
    return ids


_LISTING: Final = "regexp_replace(origem, '[?&](start|limit)=[0-9]+', '', 'g')"
"""SQL of what tells a listing from others of its list: the address without the page."""


def read_listed_ids(con: duckdb.DuckDBPyConnection, lista: str) -> set[int]:
    """Return the ids that the listing being loaded holds, rejected records included."""
    ids = con.execute(f"SELECT id FROM recebido_{lista} WHERE id IS NOT NULL").fetchnumpy()["id"]
    return set(ids.tolist())


def find_repeated(con: duckdb.DuckDBPyConnection, received: Collection[str] = ()) -> list[tuple[str, int]]:
    """Find the ids that one listing brought more than once, with different content: lista, id; in order (Q35).

    The order of fields is no content. The pages that a hot run lays over those of a complete one are listings of their
    own, and so is what was read one by one.

    Args:
        received: lists that are being loaded, whose ids were read already (`conform.RECEIVED`).
    """
    repeated = []
    for lista in LISTAS:
        ids = f"SELECT try_cast(payload->>'id' AS BIGINT) AS id FROM raw.{lista}"
        if lista in received:
            ids = f"SELECT id FROM recebido_{lista}"
        # What is no id is left out here: a condition on it would have every record parsed once more.
        rows = con.execute(f"SELECT id FROM ({ids}) GROUP BY id HAVING count(*) > 1").fetchall()
        twice = [record_id for (record_id,) in rows if record_id is not None and record_id > 0]
        if not twice:
            continue
        rows = con.execute(
            f"""SELECT id, list(DISTINCT payload::VARCHAR) FROM (
              SELECT {_OWN_ID} AS id, origem, payload FROM raw.{lista})
            WHERE id IN (SELECT unnest(?::BIGINT[]))
            GROUP BY id, {_LISTING} HAVING count(DISTINCT payload::VARCHAR) > 1""",
            [twice],
        ).fetchall()
        different = {
            record_id for record_id, texts in rows if any(json.loads(text) != json.loads(texts[0]) for text in texts)
        }
        repeated += [(lista, int(record_id)) for record_id in sorted(different)]
    return repeated


def drop_received(con: duckdb.DuckDBPyConnection) -> None:
    """Forget what came where: a loading that has ended has no use for it."""
    for lista in RECEIVED:
        con.execute(f"DROP TABLE IF EXISTS temp.recebido_{lista}")
