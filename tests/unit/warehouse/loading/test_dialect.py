"""V37 by hand: what a reading shows of how the service speaks, and when that counts as changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest

from lastro.quality.queries import read_prelude
from lastro.transform.dialect import Dialect, compare_dialects, parse_dialect
from lastro.warehouse.file.check_room import read_received
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.dialect import (
    observe_dialect,
    read_dialect,
    read_dialect_days,
    record_dialect,
)

ASKED = ("contas", "tags")
ID, DUE = frozenset({"id crescente"}), frozenset({"vencimento decrescente"})


def land(warehouse: Warehouse, ids: Iterable[int], *, page: int = 20, conta: int = 101, day: int = 1) -> None:
    """Put entries where the loading notes what came in the pages of a listing."""
    warehouse.con.execute(
        "CREATE TEMP TABLE IF NOT EXISTS recebido_lancamentos (conta_listada BIGINT, pagina INTEGER, posicao INTEGER, "
        "id BIGINT, data_vencimento TIMESTAMP)"
    )
    for number, entry in enumerate(ids):
        warehouse.con.execute(
            "INSERT INTO recebido_lancamentos VALUES (?, ?, ?, ?, ?)",
            [conta, number // page + 1, number % page, entry, date(2026, 3, day)],
        )


def certify(warehouse: Warehouse, lista: str, count: int | None) -> None:
    warehouse.insert("ops.passadas", [{"execucao_id": 1, "lista": lista, "passada": 1, "contagem_antes": count}])


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path)


def test_a_reading_shows_counts_lists_order_and_page(warehouse: Warehouse) -> None:
    land(warehouse, range(1, 46), conta=101)
    land(warehouse, range(30, 40), conta=102)
    for lista, count in (("lancamentos", 45), ("cobrancas", None), ("tags", None)):
        certify(warehouse, lista, count)
    held = {"id crescente", "vencimento crescente", "vencimento decrescente"}  # one day falls both ways
    assert observe_dialect(warehouse.con, 1, ASKED) == Dialect(True, ("tags",), frozenset(held), 20)


def test_what_cannot_be_seen_is_not_said(warehouse: Warehouse) -> None:
    land(warehouse, range(49), page=500)
    certify(warehouse, "lancamentos", None)
    assert observe_dialect(warehouse.con, 1, ()) == Dialect(False, None, None, None)


def test_one_row_out_of_order_is_no_order(warehouse: Warehouse) -> None:
    land(warehouse, [*range(60, 0, -1), 200])
    assert observe_dialect(warehouse.con, 1, ASKED).ordem == frozenset(
        {"vencimento crescente", "vencimento decrescente"}
    )


@pytest.mark.parametrize(
    ("known", "seen", "changed"),
    [
        (Dialect(True, ("tags",), ID, 500), Dialect(True, ("tags",), ID, 500), ()),
        (Dialect(True, ("tags",), ID, 500), Dialect(None, None, None, None), ()),
        (Dialect(None, None, None, None), Dialect(True, ("tags",), ID, 500), ()),
        (Dialect(True, None, None, None), Dialect(False, None, None, None), ("contagem: era legível, agora ilegível",)),
        (Dialect(None, ("tags",), None, None), Dialect(None, (), None, None), ("listas: era tags, agora nenhuma",)),
        (
            Dialect(None, None, ID, None),
            Dialect(None, None, DUE, None),
            ("ordem: era id crescente, agora vencimento decrescente",),
        ),
        (
            Dialect(None, None, frozenset(), None),
            Dialect(None, None, ID, None),
            ("ordem: era nenhuma, agora id crescente",),
        ),
        (Dialect(None, None, None, 500), Dialect(None, None, None, 50), ("linhas por página: era 500, agora 50",)),
    ],
)
def test_only_what_is_known_on_both_sides_can_change(known: Dialect, seen: Dialect, changed: tuple[str, ...]) -> None:
    assert compare_dialects(known, seen)[1] == changed
    assert parse_dialect(json.loads(json.dumps(known.describe()))) == known


def publish(warehouse: Warehouse, number: int, seen: Dialect, situacao: str = "completa") -> str | None:
    day = date(2026, 3, number)
    run = {"execucao_id": number, "leitura_id": number, "situacao": situacao, "data_extracao": day}
    warehouse.insert("ops.execucoes", [run])
    record_dialect(warehouse, number, seen)
    return read_changes(warehouse, number)


def read_changes(warehouse: Warehouse, number: int) -> str | None:
    """What V37 is told of a reading."""
    told = read_received(warehouse, number, {"leitura": read_prelude()["leitura"]})["leitura"]
    return next((row[list(told.types).index("mudou")] for row in told.rows), None)


def test_a_change_is_told_once_and_a_run_that_failed_teaches_nothing(warehouse: Warehouse) -> None:
    before, after = Dialect(True, ("tags",), ID, 500), Dialect(True, ("tags",), ID, 100)
    told = ("linhas por página: era 500, agora 100",)
    assert publish(warehouse, 1, before) == ""
    assert publish(warehouse, 2, after, "falhou") == told[0]
    assert publish(warehouse, 3, after) == told[0]
    assert publish(warehouse, 4, after) == ""
    warehouse.insert("ops.execucoes", [{"execucao_id": 5, "leitura_id": 5}])
    assert read_changes(warehouse, 5) is None
    assert read_dialect(warehouse, 2) == before
    assert [(day.day, changed) for day, _, changed in read_dialect_days(warehouse.con)] == [(4, ()), (3, told), (1, ())]
