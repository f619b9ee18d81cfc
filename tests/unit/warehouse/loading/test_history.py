# ruff: noqa: S608 - the names in the queries are those of this file
"""Versions of every run: any past run comes back exactly, only changes are stored, nothing is overwritten (S13)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from lastro.schema.tables import TABLES, VERSIONED
from lastro.transform.position import Core
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.history import (
    read_first_paid,
    read_forecast_core,
    record_history,
)
from lastro.warehouse.loading.runs import find_run_of_day, read_complete_runs
from tests.books import make_empresa
from tests.golden import dataset
from tests.histories import load_run
from tests.random_companies import evolve_company

Rows = dict[str, list[tuple[Any, ...]]]
"""Of each relation its rows, as `rows_of` gives them."""
RELATIONS = (*VERSIONED, "linha_tags")
FRAMES = (
    "linhas", "titulos", "contas", "extrato_saldos", "categorias", "pessoas", "cobrancas", "cobranca_titulos",
    "cobranca_desconhecidos",
)  # fmt: skip
A, B = date(2026, 2, 27), date(2026, 3, 16)
EMPRESA = make_empresa(dataset.CONTAS, dataset.PARAMETROS)


def rows_of(warehouse: Warehouse, relation: str) -> list[tuple[Any, ...]]:
    """Rows below their column names, in an order that nulls do not disturb."""
    cursor = warehouse.con.execute(f"SELECT * FROM {relation}")
    names = [column[0] for column in cursor.description]
    return [tuple(names), *sorted(cursor.fetchall(), key=repr)]


@pytest.fixture(scope="module")
def two_runs(one_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, and the run of 16/03 as run 2."""
    pasta = tmp_path_factory.mktemp("duas") / "empresa"
    shutil.copytree(one_run, pasta)
    with load_run(pasta, dataset.payloads(), EMPRESA, B, 2):
        pass
    return pasta


@pytest.fixture
def first(one_run: Path, tmp_path: Path) -> Iterator[Warehouse]:
    shutil.copytree(one_run, tmp_path / "empresa")
    with Warehouse(tmp_path / "empresa") as warehouse:
        yield warehouse


@pytest.fixture
def golden(two_runs: Path, tmp_path: Path) -> Iterator[Warehouse]:
    shutil.copytree(two_runs, tmp_path / "empresa")
    with Warehouse(tmp_path / "empresa") as warehouse:
        yield warehouse


@pytest.mark.longo
@pytest.mark.parametrize("seed", range(24))
def test_history_gives_every_run_of_a_random_company_back(seed: int, tmp_path: Path) -> None:
    runs = 3 + (seed > 3)
    seen: dict[int, Rows] = {}
    cores: dict[int, Core] = {}
    stored: dict[int, int] = {}
    for number, payload in enumerate(evolve_company(seed, runs), 1):
        empresa = make_empresa(payload["contas"], payload["parametros"])
        with load_run(tmp_path, payload, empresa, payload["data_base"], number) as (warehouse, _):
            seen[number], cores[number], stored[number] = _read_run(warehouse)
    with Warehouse(tmp_path) as warehouse:
        _assert_given_back(warehouse, seen, cores)
    _assert_only_changes_stored(seen, stored)


def test_history_gives_both_golden_runs_back(one_run: Path, golden: Warehouse, tmp_path: Path) -> None:
    shutil.copytree(one_run, tmp_path / "uma")
    with Warehouse(tmp_path / "uma") as alone:
        runs = {1: _read_run(alone), 2: _read_run(golden)}
    seen = {number: rows for number, (rows, _, _) in runs.items()}
    _assert_given_back(golden, seen, {number: core for number, (_, core, _) in runs.items()})
    _assert_only_changes_stored(seen, {number: stored for number, (_, _, stored) in runs.items()})


def _read_run(warehouse: Warehouse) -> tuple[Rows, Core, int]:
    """What the last run left in core, and how many versions of linhas are stored after it."""
    rows = {name: rows_of(warehouse, f"core.{name}") for name in RELATIONS}
    return rows, warehouse.read_core(), len(rows_of(warehouse, "hist.linhas")) - 1


def _assert_given_back(warehouse: Warehouse, seen: Mapping[int, Rows], cores: Mapping[int, Core]) -> None:
    for number, relations in seen.items():
        for name, rows in relations.items():
            assert rows_of(warehouse, f"hist.{name}_em({number})") == rows, (number, name)
        core = warehouse.read_core(number)
        _assert_same_frames(core, cores[number])
        assert core.rotulos == cores[number].rotulos
        assert core.composto_modo == cores[number].composto_modo
    for stranger in (0, max(seen) + 1):
        with pytest.raises(duckdb.InvalidInputException, match="nenhuma leitura completa tem esse número"):
            rows_of(warehouse, f"hist.linhas_em({stranger})")


def _assert_same_frames(read: Core, held: Core) -> None:
    for name in FRAMES:
        one, other = getattr(read, name), getattr(held, name)
        if not one.equals(other):  # a tenth of the time of what tells the difference
            pd.testing.assert_frame_equal(one, other)


def _assert_only_changes_stored(seen: Mapping[int, Rows], stored: Mapping[int, int]) -> None:
    """A version per linha that the run before does not hold with equal columns and tags."""
    for number in range(2, max(seen) + 1):
        before, now = (_with_tags(seen[run]) for run in (number - 1, number))
        assert stored[number] - stored[number - 1] == len(now - before)


def _with_tags(relations: Rows) -> set[tuple[Any, ...]]:
    tags: dict[Any, list[int]] = {}
    for origem, linha_id, tag in relations["linha_tags"][1:]:
        tags.setdefault((origem, linha_id), []).append(tag)
    names = relations["linhas"][0]
    assert names[-1] == "execucao_id"
    return {(*row[:-1], *sorted(tags.get(row[:2], ()))) for row in relations["linhas"][1:]}


def test_an_undone_payment_and_a_field_set_to_null_are_changes(first: Warehouse) -> None:
    for number, change in enumerate(
        ("data_pagamento = NULL", "categoria_id = NULL", "valor = valor", "categoria_id = 21"), 2
    ):
        first.con.execute(f"UPDATE core.linhas SET {change} WHERE linha_id = 1003")
        with first.transaction():
            record_history(first, number)
    assert first.query(
        "SELECT data_pagamento, categoria_id, valido_de, valido_ate, execucao_id FROM hist.linhas "
        "WHERE linha_id = 1003 ORDER BY valido_de"
    ) == [
        (date(2026, 2, 5), 21, 1, 2, 1),
        (None, 21, 2, 3, 2),
        (None, None, 3, 5, 3),
        (None, 21, 5, None, 5),
    ]


def test_every_column_of_every_table_is_compared(first: Warehouse) -> None:
    """A row per column: each is null in its column, then has a value there, then is null again: three versions."""
    other = {
        "VARCHAR": "'outro'", "BIGINT": "77", "INTEGER": "77", "DATE": "DATE '2031-01-01'", "BOOLEAN": "true",
        "TIMESTAMP": "TIMESTAMP '2031-01-01 10:00:00'", "DECIMAL(18,2)": "77.01", "DECIMAL(9,4)": "77.0001",
        "BIGINT[]": "[7, 9]",
    }  # fmt: skip
    held: dict[int, Rows] = {}
    for run in (2, 3, 4):
        for table in VERSIONED:
            definition = TABLES[f"core.{table}"]
            names = [name for name in definition.columns if name != "execucao_id"]
            rows = []
            for changed in names:
                # Another column tells the rows apart: text or numbers by the position of the changed one.
                mark = names[-1] if changed == names[0] else names[0]
                values = {mark: _mark(definition.column(mark).type, names.index(changed))}
                values[changed] = other[definition.column(changed).type] if run == 3 else "NULL"
                values["execucao_id"] = str(run)
                rows.append("SELECT " + ", ".join(values.get(name, "NULL") for name in definition.columns))
            first.con.execute(f"DELETE FROM core.{table}")
            first.con.execute(f"INSERT INTO core.{table} " + " UNION ALL ".join(rows))
        first.con.execute("DELETE FROM core.linha_tags")
        with first.transaction():
            _record(first, run)
        held[run] = {table: rows_of(first, f"core.{table}") for table in VERSIONED}
    for table in VERSIONED:
        columns = [name for name in TABLES[f"core.{table}"].columns if name != "execucao_id"]
        assert first.query(f"SELECT count(*), count(valido_ate) FROM hist.{table} WHERE valido_de > 1") == [
            (3 * len(columns), 2 * len(columns))
        ], table
        for run, tables in held.items():
            assert rows_of(first, f"hist.{table}_em({run})") == tables[table], (table, run)


def _record(warehouse: Warehouse, number: int) -> None:
    """Record what core holds as that of a complete run that the file knows of."""
    warehouse.insert("ops.execucoes", [{"execucao_id": number, "tipo_execucao": "completa", "situacao": "completa"}])
    record_history(warehouse, number)


def _mark(type_: str, position: int) -> str:
    return {
        "VARCHAR": f"'marca {position}'",
        "DATE": f"DATE '2020-01-01' + {position}",
        "TIMESTAMP": f"TIMESTAMP '2020-01-01' + INTERVAL {position} DAY",
        # Only one row of a table is marked by its last column.
        "BOOLEAN": "true",
    }.get(type_, str(1000 + position))


def test_recording_a_run_twice_leaves_one_record(golden: Warehouse) -> None:
    once = {name: rows_of(golden, f"hist.{name}") for name in VERSIONED}
    with golden.transaction():
        record_history(golden, 2)
    assert {name: rows_of(golden, f"hist.{name}") for name in VERSIONED} == once


def test_a_repeated_run_replaces_only_its_own_record(golden: Warehouse) -> None:
    # The second attempt of run 2 finds the company as run 1 did: nothing changed after all.
    golden.con.execute("CREATE OR REPLACE TABLE core.linhas AS SELECT * FROM hist.linhas_em(1)")
    golden.con.execute("CREATE OR REPLACE TABLE core.linha_tags AS SELECT * FROM hist.linha_tags_em(1)")
    with golden.transaction():
        record_history(golden, 2)
    assert golden.query("SELECT count(*), count(valido_ate), max(valido_de) FROM hist.linhas") == [(17, 0, 1)]


def test_a_run_that_fails_leaves_no_trace(first: Warehouse) -> None:
    def die() -> None:
        with first.transaction():
            first.con.execute("UPDATE core.linhas SET valor = 0")
            record_history(first, 2)
            raise RuntimeError("the process dies here")

    with pytest.raises(RuntimeError, match="dies"):
        die()
    assert first.query("SELECT count(*), count(valido_ate) FROM hist.linhas") == [(17, 0)]
    assert rows_of(first, "hist.linhas_em(1)") == rows_of(first, "core.linhas")


def test_a_run_that_was_recorded_and_failed_later_does_no_harm(golden: Warehouse) -> None:
    golden.con.execute("UPDATE ops.execucoes SET situacao = 'falhou' WHERE execucao_id = 2")
    assert [run.execucao_id for run in read_complete_runs(golden)] == [1]
    assert find_run_of_day(golden, B) is None
    golden.con.execute("UPDATE core.linhas SET execucao_id = 3")
    with golden.transaction():
        _record(golden, 3)
    # Equal to what run 2 recorded: nothing new to store, and run 3 is whole.
    assert golden.query("SELECT count(*) FROM hist.linhas WHERE valido_de = 3") == [(0,)]
    assert rows_of(golden, "hist.linhas_em(3)") == rows_of(golden, "core.linhas")


def test_a_run_is_never_recorded_below_a_later_one(golden: Warehouse) -> None:
    with pytest.raises(ValueError, match="history only grows"):
        record_history(golden, 1)


def test_a_past_day_is_found_by_its_last_complete_run(golden: Warehouse) -> None:
    golden.insert(
        "ops.execucoes",
        [
            {"execucao_id": 3, "situacao": "completa", "tipo_execucao": "quente", "data_extracao": B},
            {"execucao_id": 4, "situacao": "parcial", "data_extracao": B},
            {"execucao_id": 5, "situacao": "completa", "tipo_execucao": "completa", "data_extracao": B},
            {"execucao_id": 6, "situacao": "em andamento", "data_extracao": B},
        ],
    )
    assert find_run_of_day(golden, A) == 1
    assert find_run_of_day(golden, B) == 5
    assert find_run_of_day(golden, date(2026, 3, 1)) is None
    assert [run.execucao_id for run in read_complete_runs(golden)] == [1, 2, 5]


def test_a_charge_is_first_paid_on_the_day_a_run_saw_it(golden: Warehouse) -> None:
    golden.con.execute("UPDATE hist.cobrancas SET paga = false WHERE cobranca_id = 9003")
    with golden.transaction():
        record_history(golden, 2)
    seen = read_first_paid(golden, 3)
    assert [tuple(row) for row in seen.itertuples(index=False)] == [
        (9002, pd.Timestamp(A)),
        (9003, pd.Timestamp(B)),
    ]
    assert seen.dtypes.astype(str).to_dict() == {"cobranca_id": "int64", "data": "datetime64[us]"}


def test_a_forecast_core_holds_what_r13_reads(golden: Warehouse) -> None:
    core = read_forecast_core(golden, 1, date(2026, 3, 1))
    # By hand: open on 27/02 and due from 01/03 to 16/03; 1014 was paid since, but run 1 did not know it.
    assert sorted(core.linhas["linha_id"]) == [1004, 1010, 1012, 1019]
    assert sorted(core.titulos["titulo_id"]) == sorted(core.linhas["linha_id"])
    # Since 20/02 also the composite and the refund, which D has as paid.
    later = read_forecast_core(golden, 1, date(2026, 2, 20))
    assert sorted(later.linhas["linha_id"]) == [1004, 1007, 1008, 1009, 1010, 1012, 1017, 1019]
    whole = golden.read_core(1)
    for name in ("linhas", "titulos"):
        part, every = getattr(later, name), getattr(whole, name)
        key = "linha_id" if name == "linhas" else "titulo_id"
        pd.testing.assert_frame_equal(
            part, every[every[key].isin(part[key])][part.columns].reset_index(drop=True), check_dtype=False
        )


CHANGES = {
    "nothing": "SELECT 1",
    "amount and text": "UPDATE core.linhas SET valor = 1.23, descricao = 'ação, Ômega' WHERE linha_id = 1003",
    "and back": """UPDATE core.linhas l SET valor = h.valor, descricao = h.descricao
        FROM hist.linhas h WHERE h.linha_id = 1003 AND h.valido_de = 1 AND l.linha_id = 1003""",
    "rows gone": """DELETE FROM core.linhas WHERE linha_id IN (1001, 1019);
        DELETE FROM core.titulos WHERE titulo_id = 1001""",
    "new row between others": """INSERT INTO core.linhas
        SELECT * REPLACE (1 AS linha_id, 'anterior' AS descricao) FROM core.linhas WHERE linha_id = 1003""",
    "row becomes an item": "UPDATE core.linhas SET origem = 'item' WHERE linha_id = 1004",
    "tags, charges, their links and names": """DELETE FROM core.linha_tags;
        INSERT INTO core.linha_tags VALUES ('lancamento', 1003, 9);
        UPDATE core.cobrancas SET status = 'Cancelado', percentual_multa = NULL; DELETE FROM core.cobranca_titulos;
        UPDATE core.pessoas SET nome = nome || ' SA'""",
    "every row": "UPDATE core.linhas SET observacao = 'x'; UPDATE core.titulos SET observacao = NULL",
    "a key twice": """INSERT INTO core.linhas
        SELECT * REPLACE (titulo_id + 900000 AS titulo_id) FROM core.linhas WHERE linha_id = 1003""",
    "and once": "DELETE FROM core.linhas WHERE titulo_id > 900000",
    "no row left": "DELETE FROM core.linhas; DELETE FROM core.titulos; DELETE FROM core.cobrancas",
}
"""What happens from one run to the next, one after the other."""


def test_an_earlier_run_is_read_as_it_was(first: Warehouse) -> None:
    cores = {"as loaded": first.read_core()}
    for number, (change, statements) in enumerate(CHANGES.items(), 2):
        first.con.execute(statements)
        with first.transaction():
            record_history(first, number)
        cores[change] = first.read_core()
    for number, (change, core) in enumerate(cores.items(), 1):
        try:
            _assert_same_frames(first.read_core(number), core)
        except AssertionError as error:
            raise AssertionError(f"run {number}: {change}") from error


def test_history_tables_have_the_columns_of_core() -> None:
    for name in VERSIONED:
        core = [column for column in TABLES[f"core.{name}"].columns if column != "execucao_id"]
        extra = ["tags"] if name == "linhas" else []
        assert list(TABLES[f"hist.{name}"].columns) == [*core, *extra, "valido_de", "valido_ate", "execucao_id"]
