"""The read side over the golden company: expected ids and amounts are typed from its tables."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from lastro_sandbox import golden_company
from tests.unit.sandbox.serving import ids, served


@pytest.fixture(scope="module")
def golden() -> Iterator[httpx.Client]:
    with served() as client:
        yield client


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # By the date of the regime, then by id; without a competence an entry is in no range of it.
        ({}, [1011, 1002, 1001, 1003, 1005, 1017, 1007, 1013, 1014, 1004, 1010, 1012, 1015]),
        ({"regime": "competencia"}, [1011, 1002, 1001, 1003, 1007, 1005, 1017, 1004, 1010, 1013, 1012, 1014, 1015]),
        ({"conta_id": 102, "regime": "competencia", "data_inicio": "2026-01-01", "data_fim": "2026-12-31"},
         [1006, 1019]),
        ({"conta_id": "", "pessoa_id": 602}, [1019, 1010, 1016]),
        ({"tipo": "RA"}, [1011, 1012]),
        ({"tipo": "PA"}, [1004]),
        ({"tipo": "LR"}, [1001, 1014]),
        ({"tipo": "LP"}, [1002, 1003, 1005, 1017, 1007, 1010]),
        ({"tipo": "R"}, [1011, 1001, 1014, 1012, 1015]),
        ({"tipo": "P"}, [1002, 1003, 1005, 1017, 1007, 1004, 1010]),
        ({"lancamento_composto_id": 8001}, [1007]),
        ({"busca": "servico"}, [1001, 1012, 1015]),
        ({"busca": "beta"}, [1011, 1013, 1015]),
        ({"busca": "6000,00"}, [1014]),
        ({"pagina": 7, "limit": 2}, [1011, 1002]),
    ],
)  # fmt: skip
def test_filters(golden: httpx.Client, query: dict[str, str | int], expected: list[int]) -> None:
    assert ids(golden.get("/v1/lancamentos", params={"conta_id": 101, **query})) == expected


def test_a_plain_ampersand_in_tag_id_means_all(golden: httpx.Client) -> None:
    address = f"{golden.base_url}/v1/lancamentos?access_token=sandbox&conta_id=101&tag_id=1&2"
    assert ids(httpx.get(address)) == [1012]


@pytest.mark.parametrize(
    ("shape", "answer"), [("indice", {"0": 13}), ("lista", [13]), ("numero", 13), ("count", {"count": 13})]
)
def test_count_shapes(shape: str, answer: object) -> None:
    with served(forma_count=shape) as client:
        assert client.get("/v1/lancamentos", params={"conta_id": 101, "tipo_view": "count"}).json() == answer


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("A", {1007: ("-3000.00", [1008, 1009])}),
        ("B", {1007: ("-3000.00", []), 1008: ("-250.00", []), 1009: ("150.00", [])}),
        ("C", {1007: ("-3000.00", [1008, 1009]), 1008: ("-250.00", []), 1009: ("150.00", [])}),
        (
            "D",
            {1007: ("-3000.00", [1008, 1009]), 1008: ("-250.00", [1007, 1009]), 1009: ("150.00", [1007, 1008])},
        ),
        ("T", {1007: ("-3100.00", [1008, 1009, 1107])}),
    ],
)
def test_composite_shapes(shape: str, expected: dict[int, tuple[str, list[int]]]) -> None:
    with served(golden_company(shape)) as client:
        rows = client.get("/v1/lancamentos", params={"conta_id": 101, "lancamento_composto_id": 8001}).json()
    assert {row["id"]: (row["valor"], [item["id"] for item in row["itens_adicionais"]]) for row in rows} == expected
    assert all("centro_custo_lucro_id" not in item for row in rows for item in row["itens_adicionais"])


def test_previous_state_of_the_golden_company() -> None:
    before = golden_company(anterior=True).lancamentos
    after = golden_company().lancamentos
    assert sorted(set(before) - set(after)) == [1018]
    assert sorted(set(after) - set(before)) == [1013, 1014]
    assert (before[1010].valor, before[1010].data_pagamento) == (-11000, None)
    assert (before[1012].data_vencimento, before[1019].data_pagamento) == ("2026-03-10", None)
    assert sum(entry.valor for entry in after.values()) == 848000
