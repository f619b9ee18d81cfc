# ruff: noqa: S608 - the names in the queries are those of this file
"""What several runs make of records that vanish: two witnesses, last known values kept, nothing overwritten (S13)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lastro.transform.deletions import classify_absences, plan_confirmations
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.history import (
    read_known_records,
    read_pending_absences,
    record_absences,
    record_history,
)
from tests.books import make_empresa
from tests.golden import dataset
from tests.histories import load_run

EMPRESA = make_empresa(dataset.CONTAS, dataset.PARAMETROS)
ROWS = (1001, 1002, 1003, 1004, 1005, 1006, 1007, 1010, 1011, 1012, 1015, 1016, 1017, 1018, 1019)
"""Ids that the listing of 27/02 holds in shape A: 1008 and 1009 are items only."""


@pytest.fixture
def warehouse(one_run: Path, tmp_path: Path) -> Iterator[Warehouse]:
    shutil.copytree(one_run, tmp_path / "empresa")
    with Warehouse(tmp_path / "empresa") as opened:
        yield opened


def run(
    warehouse: Warehouse, number: int, listed: set[int], answers: dict[int, str] | None = None
) -> list[tuple[Any, ...]]:
    """One complete run as the caller's code makes it: plan, ask, load what lives, record; returns its absences."""
    answers = answers or {}
    known = read_known_records(warehouse, "lancamentos", number)
    pending = read_pending_absences(warehouse, "lancamentos", number)
    plan = plan_confirmations(known, pending, listed, read_accounts={101, 102}, budget=len(answers))
    alive = {registro for registro in plan.to_ask if answers.get(registro) == "vivo"}
    details = known[known["registro_id"].isin(alive)]
    outcomes = classify_absences(plan, answers, known, pending, details, inactive_accounts=())
    held = ", ".join(map(str, sorted(listed | alive))) or "0"
    with warehouse.transaction() as con:
        con.execute(
            "CREATE OR REPLACE TABLE core.linhas AS SELECT * REPLACE (? AS execucao_id) FROM hist.linhas_em(1) "
            f"WHERE (CASE WHEN origem = 'item' THEN titulo_id ELSE linha_id END) IN ({held})",
            [number],
        )
        con.execute("CREATE OR REPLACE TABLE core.titulos AS SELECT * FROM hist.titulos_em(1) WHERE titulo_id IN "
                    "(SELECT titulo_id FROM core.linhas)")  # fmt: skip
        record_history(warehouse, number)
        record_absences(warehouse, number, "lancamentos", outcomes)
    return warehouse.query(
        "SELECT registro_id, estado FROM hist.ausencias WHERE execucao_id = ? ORDER BY registro_id", [number]
    )


def test_the_records_of_a_run_are_those_of_its_listing(warehouse: Warehouse) -> None:
    known = read_known_records(warehouse, "lancamentos", 2)
    assert tuple(known["registro_id"]) == ROWS
    values = known.set_index("registro_id")["valor_centavos"]
    # The carrier stands for its nested items: -3000 - 250 + 150.
    assert values[1007] == -310000
    assert values[1012] == 100000
    assert known.set_index("registro_id")["conta_id"][1016] == 102
    charges = read_known_records(warehouse, "cobrancas", 2)
    assert tuple(charges["registro_id"]) == (9001, 9002, 9003, 9004)
    assert read_pending_absences(warehouse, "lancamentos", 2).empty


def test_a_carrier_that_is_no_linha_is_a_record_all_the_same(tmp_path: Path) -> None:
    with load_run(tmp_path, dataset.payloads("T", anterior=True), EMPRESA, date(2026, 2, 27), 1) as (warehouse, _):
        known = read_known_records(warehouse, "lancamentos", 2).set_index("registro_id")
    assert tuple(known.index) == ROWS
    assert known["valor_centavos"][1007] == -310000


def test_an_entry_is_deleted_after_two_absences_with_its_last_values_kept(warehouse: Warehouse) -> None:
    listed = set(ROWS) - {1018}
    assert run(warehouse, 2, listed) == [(1018, "desaparecido")]
    assert tuple(read_pending_absences(warehouse, "lancamentos", 3)["registro_id"]) == (1018,)
    assert run(warehouse, 3, listed) == [(1018, "excluido")]
    assert read_pending_absences(warehouse, "lancamentos", 4).empty
    assert run(warehouse, 4, listed) == []
    rows = warehouse.query("SELECT estado, valor, conta_id, valores FROM hist.ausencias ORDER BY execucao_id")
    assert [row[:3] for row in rows] == [
        ("desaparecido", Decimal("-450.00"), 101),
        ("excluido", Decimal("-450.00"), 101),
    ]
    for row in rows:
        (last,) = json.loads(row[3])
        assert (last["linha_id"], last["data_vencimento"], last["categoria_id"]) == (1018, "2026-03-20", 24)


def test_a_direct_answer_decides_at_once(warehouse: Warehouse) -> None:
    listed = set(ROWS) - {1018, 1007}
    assert run(warehouse, 2, listed, {1018: "ausente", 1007: "vivo"}) == [(1007, "vivo"), (1018, "excluido")]
    assert warehouse.query("SELECT count(*) FROM core.linhas WHERE titulo_id = 1007") == [(3,)]
    assert 1007 in set(read_known_records(warehouse, "lancamentos", 3)["registro_id"])


def test_a_living_entry_that_the_listing_never_shows_is_never_deleted(warehouse: Warehouse) -> None:
    listed = set(ROWS) - {1012}
    for number in range(2, 6):
        assert run(warehouse, number, listed, {1012: "vivo"}) == [(1012, "vivo")]
    assert warehouse.query("SELECT count(*), count(valido_ate) FROM hist.linhas WHERE linha_id = 1012") == [(1, 0)]


def test_an_unclear_answer_waits_for_the_next_run(warehouse: Warehouse) -> None:
    listed = set(ROWS) - {1012}
    assert run(warehouse, 2, listed, {1012: "indefinido"}) == [(1012, "desaparecido")]
    assert run(warehouse, 3, set(ROWS)) == [(1012, "reapareceu")]
    assert run(warehouse, 4, listed) == [(1012, "desaparecido")]
    # Both absences are kept: nothing is overwritten.
    assert warehouse.query("SELECT execucao_id, estado FROM hist.ausencias ORDER BY execucao_id") == [
        (2, "desaparecido"),
        (3, "reapareceu"),
        (4, "desaparecido"),
    ]


def test_the_items_of_a_vanished_carrier_are_among_its_last_values(warehouse: Warehouse) -> None:
    run(warehouse, 2, set(ROWS) - {1007})
    ((text,),) = warehouse.query("SELECT valores FROM hist.ausencias")
    assert [(part["linha_id"], part["origem"]) for part in json.loads(text)] == [
        (1007, "lancamento"),
        (1008, "item"),
        (1009, "item"),
    ]


def test_a_run_that_is_loaded_again_is_no_second_witness(warehouse: Warehouse) -> None:
    listed = set(ROWS) - {1018}
    assert run(warehouse, 2, listed) == [(1018, "desaparecido")]
    before = warehouse.query("SELECT * FROM hist.ausencias")
    assert run(warehouse, 2, listed) == [(1018, "desaparecido")]
    assert warehouse.query("SELECT * FROM hist.ausencias") == before
    assert run(warehouse, 3, listed) == [(1018, "excluido")]


def test_no_absence_leaves_no_row(warehouse: Warehouse) -> None:
    assert run(warehouse, 2, set(ROWS)) == []


def test_before_the_first_run_nothing_is_known(tmp_path: Path) -> None:
    with Warehouse(tmp_path / "nova") as new:
        for lista in ("lancamentos", "cobrancas"):
            assert read_known_records(new, lista, 1).empty
            assert read_pending_absences(new, lista, 1).empty
