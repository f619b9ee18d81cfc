"""Landed pages become rows: the account of a listing is read from the page, of an older page from its address (S13)."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lastro.warehouse.loading.pages import load_pages

LISTED = "/v1/lancamentos?conta_id=101&limit=500&start=0"
OVERDUE = "/v1/lancamentos?tipo=PA&conta_id=102&limit=500&start=0"
BY_ID = "/v1/lancamentos/7"
CHARGES = "/v1/cobrancas?limit=500&start=0"


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


def test_a_page_of_an_older_lastro_gives_the_rows_that_it_gives_today(tmp_path: Path) -> None:
    old = load(land(tmp_path, {"origem": LISTED}, {"origem": OVERDUE}, {"origem": BY_ID}, {"origem": CHARGES}))
    new = load(
        land(
            tmp_path,
            {"origem": LISTED, "conta_listada": 101},
            {"origem": OVERDUE, "conta_listada": 102},
            {"origem": BY_ID},
            {"origem": CHARGES},
        )
    )
    assert old == new == [(1, 0, "1", 101), (2, 0, "2", 102), (3, 0, "3", None), (4, 0, "4", None)]


def test_the_page_is_believed_before_its_address(tmp_path: Path) -> None:
    """Whatever an address comes to look like, the account is what the reading wrote."""
    assert load(land(tmp_path, {"origem": "/v1/lancamentos?conta_id=9", "conta_listada": 101}))[0][3] == 101


@pytest.mark.parametrize(
    "address", ["/v1/x?conta_id=", "/v1/x?conta_id=a1", f"/v1/x?conta_id={10**30}", "/v1/x?outra_conta_id=5"]
)
def test_an_address_without_a_readable_account_has_none(tmp_path: Path, address: str) -> None:
    assert load(land(tmp_path, {"origem": address}))[0][3] is None
