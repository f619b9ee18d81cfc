"""Landed pages become rows: the account of a listing is read from the page (S13)."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from lastro.warehouse.loading.pages import load_pages


def land(folder: Path, *heads: dict[str, Any]) -> Path:
    """Write a file of pages, one record each, whose id is the number of the page."""
    path = folder / "x.jsonl.gz"
    lines = (
        json.dumps({"no": number, "extraido_em": "2026-03-16T09:05:00.123Z", **head, "rows": [{"id": number}]})
        for number, head in enumerate(heads, 1)
    )
    path.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))
    return path


def load(path: Path) -> list[tuple[Any, ...]]:
    with closing(duckdb.connect()) as con:
        load_pages(con, [path], "pagina_x")
        return con.execute(
            "SELECT pagina, posicao, payload->>'id', conta_listada FROM pagina_x ORDER BY ALL"
        ).fetchall()


def test_the_account_is_what_the_page_says_whatever_its_address(tmp_path: Path) -> None:
    listed = {"origem": "/v1/lancamentos?conta_id=9", "conta_listada": 101}
    assert load(land(tmp_path, listed, {"origem": "/v1/lancamentos/7"})) == [(1, 0, "1", 101), (2, 0, "2", None)]
