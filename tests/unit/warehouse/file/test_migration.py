"""A file of an older lastro is backed up and migrated on open; one of a newer lastro is refused (S13)."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from lastro.errors import StorageError
from lastro.schema.dictionary import ColumnDef
from lastro.schema.tables import SCHEMA_VERSION, TABLES, TableDef
from lastro.secret_key import read_key, seal
from lastro.warehouse.file.faults import DamagedWarehouse
from lastro.warehouse.file.migration import OLDEST, migrate, needs_migration, read_stored_columns
from lastro.warehouse.file.store import Warehouse

KPI = {"execucao_id": 3, "kpi": "saldo", "indicador": "Saldo", "valor": Decimal("12.3400"), "unidade": "M"}


OLDER = f"""UPDATE ops.armazem SET versao = {OLDEST};
ALTER TABLE core.cobrancas RENAME pessoa_id TO cliente_id;
ALTER TABLE hist.cobrancas RENAME pessoa_id TO cliente_id"""  # noqa: S608 - a number of ours


def make_file(folder: Path, *statements: str) -> Path:
    """Leave a private file of this lastro with one KPI, then make it older by hand."""
    with Warehouse(folder) as warehouse:
        with warehouse.transaction():
            warehouse.insert("ops.kpis", [KPI])
        path = warehouse.path
    with closing(duckdb.connect(str(path))) as con:
        for statement in statements:
            con.execute(statement)
    return path


def contents(path: Path) -> bytes:
    return path.read_bytes()


def backups(path: Path) -> list[str]:
    return sorted(found.name for found in path.parent.iterdir() if ".bak" in found.name or ".novo" in found.name)


def test_a_new_file_and_a_current_one_are_not_migrated(tmp_path: Path) -> None:
    path = make_file(tmp_path)
    with Warehouse(tmp_path) as again:
        assert again.query("SELECT versao FROM ops.armazem") == [(SCHEMA_VERSION,)]
        assert read_stored_columns(again.con) == {
            name: {column: table.column(column).type for column in table.columns} for name, table in TABLES.items()
        }
    assert backups(path) == []


def test_an_older_file_is_backed_up_and_completed(tmp_path: Path) -> None:
    path = make_file(
        tmp_path,
        OLDER,
        "DROP TABLE hist.ausencias",
        "ALTER TABLE ops.kpis DROP COLUMN indicador",
        "ALTER TABLE hist.linhas DROP COLUMN documento",
        "INSERT INTO hist.linhas (origem, linha_id, valor, valido_de) VALUES ('lancamento', 7, -10.05, 1)",
    )
    older = contents(path)
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query("SELECT * FROM ops.armazem")[0][0] == SCHEMA_VERSION
        assert warehouse.query("SELECT count(*) FROM hist.ausencias") == [(0,)]
        # Null where the older file had no such column; and rows are inserted by position, so the order counts.
        assert warehouse.query("SELECT * FROM ops.kpis") == [(3, "saldo", None, Decimal("12.3400"), "M", None)]
        assert warehouse.query("SELECT linha_id, documento, valor FROM hist.linhas") == [(7, None, Decimal("-10.05"))]
        with warehouse.transaction():
            warehouse.insert("ops.kpis", [KPI])
        assert warehouse.query("SELECT indicador, valor FROM ops.kpis WHERE indicador IS NOT NULL") == [
            ("Saldo", Decimal("12.3400"))
        ]
    assert backups(path) == ["lastro-v8.bak.duckdb"]
    assert contents(path.with_name("lastro-v8.bak.duckdb")) == older
    Warehouse(tmp_path).close()
    assert contents(path.with_name("lastro-v8.bak.duckdb")) == older


def test_what_a_killed_run_left_in_the_log_is_in_the_backup(tmp_path: Path) -> None:
    path = make_file(tmp_path)
    log = path.with_name(path.name + ".wal")
    con = duckdb.connect(str(path))
    con.execute(OLDER)
    con.execute("UPDATE ops.kpis SET unidade = 'P'")
    held, log_held = contents(path), contents(log)
    con.close()
    path.write_bytes(held)
    log.write_bytes(log_held)
    Warehouse(tmp_path).close()
    with closing(duckdb.connect(str(path.with_name("lastro-v8.bak.duckdb")), read_only=True)) as backup:
        assert backup.execute("SELECT unidade FROM ops.kpis").fetchall() == [("P",)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ops.armazem SET versao = versao + 1",
        "ALTER TABLE ops.kpis ADD COLUMN novidade INTEGER",
    ],
    ids=["version", "column"],
)
def test_a_file_of_a_newer_lastro_is_refused_untouched(tmp_path: Path, statement: str) -> None:
    path = make_file(tmp_path, statement)
    before = contents(path)
    with pytest.raises(StorageError, match="Atualize o lastro") as caught:
        Warehouse(tmp_path)
    assert not isinstance(caught.value, DamagedWarehouse)  # or the run would put the published copy in its place
    assert caught.value.exit_code == 5
    assert contents(path) == before
    assert backups(path) == []


@pytest.mark.parametrize("statement", ["DROP TABLE ops.armazem", "UPDATE ops.armazem SET versao = 7"])
def test_a_file_that_is_too_old_is_refused_untouched_with_what_to_do(tmp_path: Path, statement: str) -> None:
    path = make_file(tmp_path, statement)
    before = contents(path)
    with pytest.raises(StorageError, match=rf"antigo demais.*Guarde a pasta {tmp_path} em outro lugar") as caught:
        Warehouse(tmp_path)
    assert not isinstance(caught.value, DamagedWarehouse)
    assert (contents(path), backups(path)) == (before, [])


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = make_file(
        tmp_path,
        OLDER,
        "ALTER TABLE ops.kpis ALTER COLUMN execucao_id TYPE VARCHAR",
        "UPDATE ops.kpis SET execucao_id = 'três'",
    )
    for _ in range(2):
        with pytest.raises(StorageError, match=r"não pôde ser migrado.*lastro-v8\.bak\.duckdb"):
            Warehouse(tmp_path)
        with closing(duckdb.connect(str(path), read_only=True)) as con:
            assert con.execute("SELECT execucao_id FROM ops.kpis").fetchall() == [("três",)]
            assert con.execute("SELECT versao FROM ops.armazem").fetchall() == [(OLDEST,)]
    assert backups(path) == ["lastro-v8.bak.duckdb"]


def test_steps_say_what_columns_alone_do_not(tmp_path: Path) -> None:
    """A renamed column keeps its values only because a step says that it is the same one."""
    path = make_file(tmp_path)
    kpis = TABLES["ops.kpis"]
    renamed = TableDef(
        "ops.kpis",
        kpis.comment,
        kpis.key,
        ("execucao_id", "kpi", "rotulo_novo", "valor", "unidade"),
        {**kpis.overrides, "rotulo_novo": ColumnDef("rotulo_novo", "TEXT", "R00", "nome")},
    )
    tables = {**TABLES, "ops.kpis": renamed}
    steps = {SCHEMA_VERSION: ("ALTER TABLE ops.kpis RENAME COLUMN indicador TO rotulo_novo",)}
    later = SCHEMA_VERSION + 1
    with closing(duckdb.connect(str(path))) as con:
        assert (
            needs_migration(con, path, read_stored_columns(con), tables=tables, schema_version=later) == SCHEMA_VERSION
        )
        migrate(con, SCHEMA_VERSION, tmp_path, tables=tables, steps=steps, schema_version=later)
        assert con.execute("SELECT rotulo_novo FROM ops.kpis").fetchall() == [("Saldo",)]
        assert needs_migration(con, path, read_stored_columns(con), tables=tables, schema_version=later) is None


def test_what_was_read_of_a_desks_file_before_any_run_wrote_it_has_no_id(tmp_path: Path) -> None:
    def note(execucao_id: int, arquivo_id: str) -> str:
        values = f"({execucao_id}, 0, 'pagamentos', 'pagar', 7, '{arquivo_id}')"
        return f"INSERT INTO hist.anotacoes (execucao_id, ordem, mesa, tipo, chave, arquivo_id) VALUES {values}"  # noqa: S608

    shown = "INSERT INTO hist.mesa_mostrado (arquivo_id, tipo, chave, rotulo, execucao_id) VALUES "
    make_file(
        tmp_path, OLDER, f"{shown} ('um/pagamentos/2/2026-03-17', 'pagar', 7, 'Delta', 2)",
        note(2, "um/pagamentos/2/2026-03-17"), note(3, "um/pagamentos/2/2026-03-17"), note(3, "sem id: a.xlsx"),
        note(3, "um/pagamentos/9/2026-03-17"),
        "INSERT INTO hist.arquivos_mesa (sha256, arquivo, situacao, execucao_id, arquivo_id) VALUES "
        "('a', 'a', 'lido', 3, 'um/pagamentos/9/2026-03-17'), ('b', 'b', 'escrito', 2, 'um/pagamentos/2/2026-03-17')",
    )  # fmt: skip
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query("SELECT execucao_id, arquivo_id FROM hist.anotacoes ORDER BY ALL") == [
            (2, "sem id: um/pagamentos/2/2026-03-17"),
            (3, "sem id: a.xlsx"),
            (3, "sem id: um/pagamentos/9/2026-03-17"),
            (3, "um/pagamentos/2/2026-03-17"),
        ]
        assert warehouse.query("SELECT arquivo_id FROM hist.arquivos_mesa ORDER BY sha256") == [
            ("sem id: um/pagamentos/9/2026-03-17",),
            ("um/pagamentos/2/2026-03-17",),
        ]


DIGESTS = ("0a1b2c3d4e5f6a7b", "ffffffffffffffff")
"""Of two bank accounts, as 0.3.0 kept them."""


def bank_accounts(*more: str) -> tuple[str, ...]:
    """The statements that leave a file of 0.3.0 with payees: of the first, the same account was seen and versioned."""
    one, two = DIGESTS
    people = "(pessoa_id, dados_bancarios{}) VALUES (1, '{}'{}), (2, '{}'{}), (3, ''{}), (4, NULL{})"
    shown = "(arquivo_id, tipo, chave, rotulo, execucao_id, dados_bancarios) VALUES ('a', 'pagar', 7, 'Delta', 2, '{}')"
    run = (", valido_de", one, ", 1", two, ", 1", ", 1", ", 1")
    return (
        OLDER,
        "INSERT INTO core.pessoas " + people.format("", one, "", two, "", "", ""),
        "INSERT INTO hist.pessoas " + people.format(*run),
        "INSERT INTO hist.mesa_mostrado " + shown.format(one),
        *more,
    )


def read_accounts(con: duckdb.DuckDBPyConnection) -> list[list[str | None]]:
    tables = ("core.pessoas", "hist.pessoas", "hist.mesa_mostrado")
    return [
        [account for (account,) in con.execute(f"SELECT dados_bancarios FROM {table} ORDER BY ALL").fetchall()]  # noqa: S608
        for table in tables
    ]


def test_bank_accounts_are_sealed_once_and_stay_comparable(tmp_path: Path) -> None:
    path = make_file(tmp_path, *bank_accounts())
    for _ in range(2):
        with Warehouse(tmp_path) as warehouse:
            found = read_accounts(warehouse.con)
        key = read_key(path.parent)
        sealed = sorted(seal(key, digest) for digest in DIGESTS)
        assert found == [["", *sealed, None], ["", *sealed, None], [seal(key, DIGESTS[0])]]
    assert not [digest for digest in DIGESTS if digest.encode() in contents(path)]  # nor in a block that is free


def test_a_migration_that_fails_seals_nothing_and_the_next_one_does(tmp_path: Path) -> None:
    more = ("ALTER TABLE ops.kpis ALTER COLUMN execucao_id TYPE VARCHAR", "UPDATE ops.kpis SET execucao_id = 'três'")
    path = make_file(tmp_path, *bank_accounts(*more))
    with pytest.raises(StorageError, match="não pôde ser migrado"):
        Warehouse(tmp_path)
    key = read_key(path.parent)
    with closing(duckdb.connect(str(path))) as con:
        assert read_accounts(con)[2] == [DIGESTS[0]]
        con.execute("UPDATE ops.kpis SET execucao_id = '3'")
    with Warehouse(tmp_path) as warehouse:
        assert read_accounts(warehouse.con)[2] == [seal(key, DIGESTS[0])]


def test_a_key_that_cannot_be_read_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = make_file(tmp_path, *bank_accounts())
    (path.parent / "chave").mkdir()
    with pytest.raises(StorageError, match="chave"):
        Warehouse(tmp_path)
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        assert read_accounts(con)[2] == [DIGESTS[0]]
        assert con.execute("SELECT versao FROM ops.armazem").fetchall() == [(OLDEST,)]


def test_a_file_cut_short_is_damaged_even_where_it_still_opens(tmp_path: Path) -> None:
    path = make_file(
        tmp_path, "CREATE TABLE mart.grande AS SELECT range AS n, md5(range::VARCHAR) AS t FROM range(60000)"
    )
    size = path.stat().st_size
    for part in (size * 3 // 4, size // 2, 20_000, 5000):
        with path.open("r+b") as file:
            file.truncate(part)
        with pytest.raises(DamagedWarehouse, match=r"cortado|danificado"):
            Warehouse(tmp_path)
