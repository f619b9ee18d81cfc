"""The views of the prelude that rest on what was received: what a run is told is what the published file says."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pandas as pd
import pytest

from lastro.quality.queries import read_prelude
from lastro.transform.composites import CompositeEvidence
from lastro.warehouse.file.check_room import CheckRoom, list_received, read_received, store_prelude
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.reading_log import LoadEvidence, write_evidence
from tests.books import load_books, make_empresa
from tests.entries import CONTA, D, entry

if TYPE_CHECKING:
    from lastro.transform.position import Position

NUMBER = 7


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """A run of one entry, with what its reading and its loading noted; and the note of a run before."""
    payloads = {"lancamentos": [entry(1, 101, "10.00", "2026-02-01", "2026-02-01")], "categorias": []}
    empresa = make_empresa([CONTA], {})
    loaded, _, _ = load_books(
        tmp_path_factory.mktemp("livros"), payloads, empresa, data_base=D, data_extracao=D, execucao_id=NUMBER
    )
    with loaded as con:
        con.con.execute("UPDATE ops.execucoes SET leitura_id = ?, desvio_relogio = -5", [NUMBER])
        rows = [
            {"execucao_id": number, "lista": "lancamentos", "conta_id": 101, "passada": 1, "ids_distintos": number,
             "rejeitadas": 0, "veredito": "provada"} for number in (6, NUMBER)
        ]  # fmt: skip
        con.insert("ops.passadas", rows)
        components = pd.DataFrame(
            {"composto": [-1], "lancamento_id": [1], "linha_id": [2], "valor_lista_centavos": [1001],
             "valor_detalhe_centavos": pd.array([None], dtype="Int64"), "detalhe_com_itens": [True]}
        )  # fmt: skip
        conflicts = pd.DataFrame([(None, "sem conta", [3])], columns=["conta_id", "motivo", "lancamentos"])
        composto = CompositeEvidence(1, 2, "total", "parcela", "dados")
        for number, ids in ((6, ()), (NUMBER, (8, 9)), (NUMBER, (8,))):  # loaded again, what was noted is replaced
            write_evidence(con, number, LoadEvidence(composto, ids, components, conflicts))
        yield con


def _store(warehouse: Warehouse, exact: int | None) -> dict[str, list[tuple[object, ...]]]:
    report = {"execucao_id": NUMBER, "empresa": "ouro", "data_base": D, "data_extracao": D}
    with warehouse.transaction():
        store_prelude(warehouse, report, read_prelude(), exact)
    return {name: warehouse.query(f"FROM prova.{name}") for name in list_received(read_prelude())}


def test_the_file_says_what_the_run_was_told(warehouse: Warehouse) -> None:
    told = read_received(warehouse, NUMBER, read_prelude())
    assert {name: list(relation.rows) for name, relation in told.items()} == _store(warehouse, None)
    assert told["passadas"].rows == [("lancamentos", 101, 1, None, None, NUMBER, 0, "provada")]
    assert told["leitura"].rows == [(NUMBER, True, -5, 1, None)]
    assert told["lidos"].rows == [("lancamentos", 101, 1)]
    assert told["rejeitados"].rows == []
    assert told["compostos"].rows == [(1, 2, "total", "parcela", "dados", [8])]
    assert [[str(value) for value in row] for row in told["componentes"].rows] == [["1", "2", "10.01", "None", "True"]]
    assert told["conflitos"].rows == [(None, "sem conta", [3])]


def test_of_a_past_day_given_back_nothing_was_received(warehouse: Warehouse) -> None:
    assert set(map(len, _store(warehouse, NUMBER).values())) == {0}
    assert len(_store(warehouse, None)["passadas"]) == 1


def test_what_nobody_received_is_absent(warehouse: Warehouse) -> None:
    told = read_received(warehouse, NUMBER, read_prelude())
    questions = {name: f"FROM prova.{name}" for name in told}
    nobody = cast("Position", SimpleNamespace(data_base=D, data_extracao=D))  # a question is of its days at most
    empty = CheckRoom(nobody, read_prelude(), {})
    assert [empty.ask(question) for question in questions.values()] == [None] * len(questions)
    given = CheckRoom(nobody, read_prelude(), told)
    for name, question in questions.items():
        assert given.ask(question) == (list(told[name].types), list(told[name].rows))
