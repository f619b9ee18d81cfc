"""A file of every schema that is migrated, as its lastro left it, opens in this one with everything that it held."""

from __future__ import annotations

import json
import lzma
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb

from lastro.desk.storage import read_copies, read_shown
from lastro.schema.tables import SCHEMA_VERSION, TABLES
from lastro.warehouse.file.migration import OLDEST, read_stored_columns
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.reading_log import read_known_ids

STORED = Path(__file__).parents[2] / "stored"


def unpack(folder: Path, version: int) -> Path:
    """Lay down a file of an earlier schema: the golden history of 27/02, 16/03, a hot run, and two past days."""
    target = folder / "privado" / "lastro.duckdb"
    target.parent.mkdir()
    target.write_bytes(lzma.decompress((STORED / f"lastro-v{version}.duckdb.xz").read_bytes()))
    return target


def test_there_is_a_file_of_every_schema_that_is_migrated() -> None:
    assert sorted(path.name for path in STORED.glob("*.duckdb.xz")) == [
        f"lastro-v{version}.duckdb.xz" for version in range(OLDEST, SCHEMA_VERSION)
    ]


def test_a_file_of_schema_4_tells_the_account_of_each_listing_by_its_address(tmp_path: Path) -> None:
    path = unpack(tmp_path, 4)
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        assert con.execute("SELECT versao FROM ops.armazem").fetchall() == [(4,)]
        counted = con.execute(
            "SELECT count(*), sum((payload->>'valor')::DECIMAL(18,2)) FROM raw.lancamentos"
        ).fetchall()
    with Warehouse(tmp_path) as warehouse:
        assert counted == warehouse.query(
            "SELECT count(*), sum((payload->>'valor')::DECIMAL(18,2)) FROM raw.lancamentos"
        )
        listed = "SELECT conta_listada, origem, count(*) FROM raw.{} GROUP BY ALL ORDER BY ALL"
        assert warehouse.query(listed.format("lancamentos")) == [
            (101, "/v1/lancamentos?conta_id=101&limit=500&start=0", 13),
            (102, "/v1/lancamentos?conta_id=102&limit=500&start=0", 3),
        ]
        assert {account for account, _, _ in warehouse.query(listed.format("cobrancas"))} == {None}
        assert {account: len(ids) for account, ids in read_known_ids(warehouse).items()} == {101: 13, 102: 3}
        # A table that is made anew keeps the compression of whole records.
        made = "SELECT sql FROM duckdb_tables() WHERE schema_name = 'raw' AND table_name = 'lancamentos'"
        assert "USING COMPRESSION" in warehouse.query(made)[0][0]
        last = "SELECT column_name FROM duckdb_columns() WHERE schema_name = 'raw' AND table_name = 'lancamentos'"
        assert [name for (name,) in warehouse.query(last)] == list(TABLES["raw.lancamentos"].columns)


def test_a_file_of_schema_5_loses_the_tables_that_stood_beside_the_views(tmp_path: Path) -> None:
    path = unpack(tmp_path, 5)
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        assert con.execute("SELECT versao FROM ops.armazem").fetchall() == [(5,)]
        before = con.execute("SELECT count(*), sum(valor) FROM hist.linhas").fetchall()
        assert con.execute("SELECT count(*) FROM rel.resumo").fetchall() != [(0,)]
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query("SELECT count(*), sum(valor) FROM hist.linhas") == before
        left = "SELECT count(*) FROM duckdb_columns() WHERE schema_name IN ('mart', 'rel', 'interno')"
        assert warehouse.query(left) == [(0,)]
        assert warehouse.query("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'rel'") == [(0,)]
        assert warehouse.query("SELECT count(*) FROM ops.etapas WHERE etapa = 'mart'") == [(0,)]


def test_a_file_of_schema_6_knows_at_which_desk_its_notes_were_typed(tmp_path: Path) -> None:
    path = unpack(tmp_path, 6)
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        typed = con.execute("SELECT tipo, chave, promessa, valor_prometido, anotacao FROM hist.anotacoes").fetchall()
        files = con.execute("SELECT * FROM hist.arquivos_cobranca ORDER BY ALL").fetchall()
    assert typed == [("titulo", 1011, date(2026, 3, 18), Decimal("1000.00"), "paga na quarta")]
    with Warehouse(tmp_path) as warehouse:
        ((desk, tipo, chave, valores),) = warehouse.query("SELECT mesa, tipo, chave, valores FROM hist.anotacoes")
        assert (desk, tipo, chave) == ("cobranca", "titulo", 1011)
        held = {name: text for name, text in json.loads(valores).items() if text}
        assert held == {"promessa": "2026-03-18", "valor_prometido": "1000.00", "anotacao": "paga na quarta"}
        assert [row[:4] for row in warehouse.query("SELECT * FROM hist.arquivos_mesa ORDER BY ALL")] == files
        assert "hist.arquivos_cobranca" not in read_stored_columns(warehouse.con)


def test_a_file_of_schema_7_keeps_what_was_typed_and_knows_of_no_file_what_it_showed(tmp_path: Path) -> None:
    """So an approval in one of its files is for nothing that is known."""
    path = unpack(tmp_path, 7)
    noted = "SELECT mesa, chave, valores, antes, arquivo_id FROM hist.anotacoes ORDER BY ALL"
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        before = con.execute(noted).fetchall()
        files = con.execute(
            "SELECT sha256, arquivo, situacao, execucao_id FROM hist.arquivos_mesa ORDER BY 1"
        ).fetchall()
    assert [(row[1], json.loads(row[2])["aprovado_por"]) for row in before] == [(1004, "Ana")]
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query(noted) == before
        kept = warehouse.query("SELECT sha256, arquivo, situacao, execucao_id FROM hist.arquivos_mesa ORDER BY 1")
        assert kept == files
        assert read_shown(warehouse, ["ouro/pagamentos/2/2026-03-16"]) == {}
        assert read_copies(warehouse, "ouro/pagamentos/2/2026-03-16") == {}
        assert warehouse.query("SELECT DISTINCT dados_bancarios FROM hist.pessoas") == [(None,)]


def test_what_was_read_of_attachments_stays_readable(tmp_path: Path) -> None:
    """No lastro writes that table any more (DEC60); one that has rows keeps them through the migration."""
    path = unpack(tmp_path, 4)
    with closing(duckdb.connect(str(path))) as con:
        con.execute("INSERT INTO hist.anexos (anexo_id, filename, situacao) VALUES (7, 'nota.pdf', 'lido')")
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query("SELECT anexo_id, filename FROM hist.anexos") == [(7, "nota.pdf")]
    with Warehouse(tmp_path / "new") as warehouse:
        assert "hist.anexos" not in read_stored_columns(warehouse.con)
