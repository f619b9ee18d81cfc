"""What the warehouse finds in landed pages: the ids of lists that come whole, and those that came twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.listings import find_repeated, read_whole_lists

FIRST = "/v1/lancamentos?conta_id=101&limit=500&start=0"
SECOND = "/v1/lancamentos?conta_id=101&limit=500&start=500"
WINDOW = "/v1/lancamentos?conta_id=101&data_inicio=2026-03-01&data_fim=2026-03-31&limit=500&start=0"


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with Warehouse(tmp_path) as opened:
        yield opened


def keep(warehouse: Warehouse, lista: str, *records: tuple[str, str]) -> None:
    for place, (origem, payload) in enumerate(records):
        warehouse.insert(f"raw.{lista}", [{"origem": origem, "pagina": 1, "posicao": place, "payload": payload}])


def test_an_id_of_two_pages_of_one_listing_is_found_and_of_two_listings_is_not(warehouse: Warehouse) -> None:
    keep(
        warehouse,
        "lancamentos",
        (FIRST, '{"id": 1, "valor": "1.00"}'),
        (SECOND, '{"id": 1, "valor": "2.00"}'),
        (FIRST, '{"id": 2, "valor": "1.00"}'),
        (WINDOW, '{"id": 2, "valor": "2.00"}'),
        ("/v1/lancamentos/2", '{"id": 2, "valor": "3.00"}'),
        (FIRST, '{"id": 3, "valor": "1.00", "tags": []}'),
        (SECOND, '{"tags": [], "valor": "1.00", "id": 3}'),
        (FIRST, '{"id": null}'),
        (FIRST, '{"id": null, "x": 1}'),
    )
    keep(warehouse, "clientes", *[("/v1/clientes", f'{{"id": 9, "nome": "{name}"}}') for name in "ab"])
    assert find_repeated(warehouse.con) == [("lancamentos", 1), ("clientes", 9)]


def test_categories_are_known_however_deep_they_stand(warehouse: Warehouse) -> None:
    tree = '{"id": 1, "categorias_filhas": [{"id": 2, "categorias_filhas": [{"id": 3}]}, {"id": null}]}'
    keep(warehouse, "categorias", ("/v1/categorias", tree), ("/v1/categorias", '{"id": 4}'))
    keep(warehouse, "fornecedores", ("/v1/fornecedores", '{"id": 7}'), ("/v1/fornecedores", '"odd"'))
    known = read_whole_lists(warehouse.con)
    assert {name: sorted(ids) for name, ids in known.items()} == {
        "categorias": [1, 2, 3, 4],
        "clientes": [],
        "fornecedores": [7],
        "classificacoes": [],
        "contas": [],
    }
