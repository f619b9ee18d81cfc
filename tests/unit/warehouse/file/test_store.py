"""The private file and the lock of a company: one writer, all or nothing, exact money in and out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from lastro.calendar import BusinessCalendar
from lastro.errors import StorageError, WarehouseBusy
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table
from lastro.money import to_decimal
from lastro.settings import Parametros
from lastro.transform.composites import CompositeEvidence
from lastro.transform.core import LIMIT_CENTAVOS
from lastro.warehouse.file.faults import DamagedWarehouse, translate
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.report_tables import write_report_table
from lastro.warehouse.file.store import Warehouse, list_days
from lastro.warehouse.loading.runs import write_parameters
from tests.books import load_books, make_empresa
from tests.golden import dataset
from tests.marks import thinned

D = date(2026, 3, 16)

HOLDER = """
import os, sys
from pathlib import Path
from lastro.warehouse.file.lock import CompanyLock
CompanyLock(Path(sys.argv[1])).acquire(f"pid {os.getpid()}, since 2026-03-16 09:05:00 UTC")
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with Warehouse(tmp_path_factory.mktemp("store") / "acme") as opened:
        yield opened


def test_a_second_process_is_told_who_holds_the_company_and_a_killed_one_gives_it_back(tmp_path: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        pid = int(holder.stdout.readline())
        with pytest.raises(WarehouseBusy, match=f"pid {pid}, since 2026-03-16 09:05:00 UTC") as caught:
            CompanyLock(tmp_path).acquire("pid 1")
        assert caught.value.exit_code == 5
        assert caught.value.retryable
        os.kill(pid, signal.SIGKILL)
    lock = CompanyLock(tmp_path)
    for _ in range(600):
        try:
            lock.acquire("pid 2")
            break
        except WarehouseBusy:
            time.sleep(0.1)
    with pytest.raises(WarehouseBusy, match="pid 2"):
        CompanyLock(tmp_path).acquire("pid 3")
    lock.release()
    lock.release()
    again = CompanyLock(tmp_path)
    again.acquire("pid 4")
    again.release()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "acme").write_text("a file", encoding="utf-8")
    for attempt in (lambda: CompanyLock(tmp_path / "acme").acquire("x"), lambda: Warehouse(tmp_path / "acme")):
        with pytest.raises(StorageError, match="acme") as caught:
            attempt()
        assert caught.value.exit_code == 5


def test_a_private_file_open_elsewhere_is_told(tmp_path: Path) -> None:
    Warehouse(tmp_path).close()
    code = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    program = [sys.executable, "-c", code, str(tmp_path / "privado" / "lastro.duckdb")]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:  # noqa: S603 - ours
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(WarehouseBusy, match=r"lastro\.duckdb"):
            Warehouse(tmp_path)
        other.kill()


@pytest.mark.parametrize(
    "contents", [b"text that is no database" * 400, b"", b"\0" * 4096 + b"DUCK"], ids=["text", "empty", "zeros"]
)
def test_a_file_that_is_no_database_is_told(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "privado" / "lastro.duckdb"
    path.parent.mkdir(parents=True)
    path.write_bytes(contents)
    with pytest.raises(DamagedWarehouse, match="danificado"):
        Warehouse(tmp_path)


def test_a_mistake_of_our_own_sql_is_not_called_a_full_disk() -> None:
    error = duckdb.CatalogException("Catalog Error: Table with name x does not exist")
    assert translate(error, Path("x")) is error


def test_a_transaction_is_all_or_nothing(warehouse: Warehouse) -> None:
    row = {"execucao_id": 1, "kpi": "a", "indicador": "A", "valor": Decimal("1.25"), "unidade": "M"}
    with pytest.raises(ValueError, match=r"ops\.kpis has no columns"), warehouse.transaction():
        warehouse.insert("ops.kpis", [row, {"nada": 1}])
    assert warehouse.query("SELECT count(*) FROM ops.kpis") == [(0,)]
    with warehouse.transaction():
        warehouse.insert("ops.kpis", [row])
    assert warehouse.query("SELECT valor FROM ops.kpis") == [(Decimal("1.2500"),)]


def test_frames_go_in_and_come_back_unchanged(warehouse: Warehouse) -> None:
    frame = pd.DataFrame(
        {
            "conta_id": pd.array([102, 101], dtype="int64"),
            "dia": pd.Series([pd.Timestamp("2026-01-31"), pd.Timestamp("2199-12-31")]).astype("datetime64[us]"),
            "valor_centavos": pd.array([-1, 999_999_999_999_999_999], dtype="int64"),
            "origem": ["arquivo", "config"],
            "papel": ["âncora", "conferência"],
        }
    )
    before = frame.copy(deep=True)
    with warehouse.transaction():
        warehouse.replace("core.extrato_saldos", frame)
    pd.testing.assert_frame_equal(frame, before)
    assert warehouse.query("SELECT valor FROM core.extrato_saldos ORDER BY valor") == [
        (Decimal("-0.01"),),
        (Decimal("9999999999999999.99"),),
    ]
    back = warehouse.read("core.extrato_saldos")
    assert back["conta_id"].tolist() == [101, 102]
    assert back["valor_centavos"].tolist() == [999_999_999_999_999_999, -1]
    assert {name: str(back[name].dtype) for name in back} == {
        "conta_id": "int64",
        "dia": "datetime64[us]",
        "valor_centavos": "int64",
        "origem": "object",
        "papel": "object",
    }
    comment = warehouse.query(
        "SELECT comment FROM duckdb_columns() WHERE table_name = 'extrato_saldos' AND schema_name = 'core' "
        "AND column_name = 'valor'"
    )
    assert comment[0][0]


def test_a_process_that_dies_in_a_transaction_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from lastro.warehouse.file.store import Warehouse\n"
        "w = Warehouse(Path(sys.argv[1]))\n"
        "with w.transaction():\n    w.insert('ops.parametros', [{'execucao_id': 1, 'parametro': 'a'}])\n"
        "w.con.execute('BEGIN TRANSACTION')\n"
        "w.insert('ops.parametros', [{'execucao_id': 2, 'parametro': 'b'}])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=False)  # noqa: S603
    with Warehouse(tmp_path) as warehouse:
        assert warehouse.query("SELECT execucao_id FROM ops.parametros") == [(1,)]


def test_totals_may_be_larger_than_any_one_amount(warehouse: Warehouse) -> None:
    """The largest sum of a list that is not refused (`LIMIT_CENTAVOS`), and what many of them add up to."""
    total = to_decimal(99 * LIMIT_CENTAVOS)
    table = Table("r98", (Column("Valor", Kind.MONEY),), ((total,),), "R98: teste")
    with warehouse.transaction():
        write_report_table(warehouse, table)
        warehouse.insert(
            "ops.kpis", [{"execucao_id": 98, "kpi": "k", "indicador": "K", "valor": total, "unidade": "M"}]
        )
    assert warehouse.query("SELECT valor FROM mart.r98") == [(total,)]
    assert warehouse.query("SELECT valor FROM ops.kpis WHERE execucao_id = 98") == [(total,)]


def test_the_parameters_of_a_run_are_stored_once(warehouse: Warehouse) -> None:
    evidence = CompositeEvidence(3, 1, "parcela", "parcela", "dados")
    for _ in range(2):
        with warehouse.transaction():
            write_parameters(warehouse, 5, {"data_base": "2026-03-16"}, Parametros(), evidence)
    rows = dict(warehouse.query("SELECT parametro, valor_texto FROM ops.parametros WHERE execucao_id = 5"))
    assert rows["data_base"] == "2026-03-16"
    assert (rows["composto_modo"], rows["composto_n0"], rows["composto_n1"]) == ("parcela", "3", "1")
    assert rows["venc_regra"] == "corrido"
    assert warehouse.query("SELECT count(*) FROM ops.parametros WHERE execucao_id = 5") == [(len(rows),)]


def test_the_calendar_reaches_a_year_beyond_the_data(warehouse: Warehouse) -> None:
    linhas = pd.DataFrame(
        {
            "data_vencimento": pd.to_datetime(["2026-03-14"]).astype("datetime64[us]"),
            "data_pagamento": pd.DatetimeIndex([pd.NaT]).astype("datetime64[us]"),
        }
    )
    cobrancas = pd.DataFrame({"data_vencimento": pd.to_datetime([]).astype("datetime64[us]")})
    with warehouse.transaction():
        warehouse.replace("core.calendario", list_days(linhas, cobrancas, BusinessCalendar()))
    assert warehouse.query("SELECT min(dia), max(dia) FROM core.calendario") == [(date(2026, 3, 14), date(2027, 3, 15))]
    assert warehouse.query(
        "SELECT dia_util, feriado, proximo_dia_util, dia_util_anterior, ano_iso, semana_iso FROM core.calendario "
        "WHERE dia IN ('2026-03-14', '2026-06-04') ORDER BY dia"
    ) == [
        (False, None, date(2026, 3, 16), date(2026, 3, 13), 2026, 11),
        (False, "Corpus Christi", date(2026, 6, 5), date(2026, 6, 3), 2026, 23),
    ]


def test_one_large_id_among_thousands_of_small_ones_is_kept_of_tags_and_of_parents(tmp_path: Path) -> None:
    """DuckDB chooses the type of a column of Python's numbers by a thousand of them, and meets the large one later."""
    payloads = dataset.payloads()
    tags = [1] * 5_000
    tags[7] = 3_000_000_000
    payloads["lancamentos"] = [
        {**payloads["lancamentos"][0], "id": 10_000 + number, "tags": [{"id": tag}]} for number, tag in enumerate(tags)
    ]
    payloads["cobrancas"] = []
    leaf = payloads["categorias"][0]["categorias_filhas"][0]
    below = {number: 3_000_000_000 if number == 14_007 else 112 for number in range(12_000, 17_000)}
    payloads["categorias"] += [
        {**leaf, "id": above, "parent_id": None, "categorias_filhas": children}
        for above, children in (
            (parent, [{**leaf, "id": number, "parent_id": parent} for number, to in below.items() if to == parent])
            for parent in (3_000_000_000, 112)
        )
    ]
    empresa = make_empresa(dataset.CONTAS, dataset.PARAMETROS)
    warehouse, *_ = load_books(tmp_path, payloads, empresa, data_base=D, data_extracao=D)
    with warehouse:
        found = warehouse.query("SELECT tag_id, count(*), min(linha_id) FROM core.linha_tags GROUP BY ALL ORDER BY 1")
        below_it = warehouse.query("SELECT categoria_id FROM core.categorias WHERE ancestrais = [3000000000]")
    assert found == [(1, 4_999, 10_000), (3_000_000_000, 1, 10_007)]
    assert below_it == [(14_007,)]


@pytest.mark.parametrize("wide", thinned(["10.2345", "0.0033", "12345.6789"], default=["12345.6789"]))
def test_one_wide_percentage_among_thousands_of_narrow_ones_is_kept_whole(tmp_path: Path, wide: str) -> None:
    """Neither rounded to what most have nor refused."""
    payloads = dataset.payloads()
    charge = payloads["cobrancas"][0]
    payloads["cobrancas"] += [
        {**charge, "id": 20_000 + number, "percentual_multa": wide if number == 7 else "2"} for number in range(5_000)
    ]
    empresa = make_empresa(dataset.CONTAS, dataset.PARAMETROS)
    warehouse, *_ = load_books(tmp_path, payloads, empresa, data_base=D, data_extracao=D)
    with warehouse:
        found = warehouse.query("SELECT percentual_multa FROM core.cobrancas WHERE cobranca_id = 20007")
    assert found == [(Decimal(wide),)]
