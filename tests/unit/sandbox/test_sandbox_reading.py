"""The read side over the golden company: expected ids and amounts are typed from its tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import httpx
import pytest

from lastro_sandbox import create_app, golden_company, make_company, serve


@pytest.fixture(scope="module")
def golden() -> Iterator[httpx.Client]:
    with (
        serve(create_app(golden_company())) as running,
        httpx.Client(base_url=running.base_url, params={"access_token": "sandbox"}) as client,
    ):
        yield client


def ids(response: httpx.Response) -> list[int]:
    assert response.status_code == 200, response.text
    return [row["id"] for row in response.json()]


def test_list_is_ordered_by_the_regimes_date_then_id(golden: httpx.Client) -> None:
    by_cash = ids(golden.get("/v1/lancamentos", params={"conta_id": 101}))
    assert by_cash == [1011, 1002, 1001, 1003, 1005, 1017, 1007, 1013, 1014, 1004, 1010, 1012, 1015]
    by_accrual = ids(golden.get("/v1/lancamentos", params={"conta_id": 101, "regime": "competencia"}))
    assert by_accrual == [1011, 1002, 1001, 1003, 1007, 1005, 1017, 1004, 1010, 1013, 1012, 1014, 1015]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"tipo": "RA"}, [1011, 1012]),
        ({"tipo": "PA"}, [1004]),
        ({"tipo": "LR"}, [1001, 1014]),
        ({"tipo": "LP"}, [1002, 1003, 1005, 1017, 1007, 1010]),
        ({"tipo": "R"}, [1011, 1001, 1014, 1012, 1015]),
        ({"tipo": "P"}, [1002, 1003, 1005, 1017, 1007, 1004, 1010]),
        ({"tag_id": "1|2"}, [1012, 1015]),
        ({"tag_id": "1&2"}, [1012]),
        ({"grupo_id": 7001}, [1002, 1003, 1004]),
        ({"lancamento_composto_id": 8001}, [1007]),
        ({"centro_custo_lucro_id": 202}, [1007]),
        ({"data_inicio": "2026-02-03", "data_fim": "2026-02-10"}, [1001, 1003, 1005]),
        ({"data_inicio": "2026-02-28"}, [1011, 1002, 1001, 1003, 1005, 1017, 1007, 1013, 1014, 1004, 1010, 1012, 1015]),
        ({"busca": "servico"}, [1001, 1012, 1015]),
        ({"busca": "beta"}, [1011, 1013, 1015]),
        ({"busca": "6000,00"}, [1014]),
        ({"start": 2, "limit": 3}, [1001, 1003, 1005]),
        ({"start": 13}, []),
        ({"pagina": 7, "limit": 2}, [1011, 1002]),
    ],
)
def test_filters(golden: httpx.Client, query: dict[str, str | int], expected: list[int]) -> None:
    assert ids(golden.get("/v1/lancamentos", params={"conta_id": 101, **query})) == expected


def test_a_plain_ampersand_in_tag_id_means_all(golden: httpx.Client) -> None:
    address = f"{golden.base_url}/v1/lancamentos?access_token=sandbox&conta_id=101&tag_id=1&2"
    assert ids(httpx.get(address)) == [1012]


def test_pessoa_replaces_conta(golden: httpx.Client) -> None:
    assert ids(golden.get("/v1/lancamentos", params={"pessoa_id": 602})) == [1019, 1010, 1016]
    refused = golden.get("/v1/lancamentos")
    assert refused.status_code == 422
    assert list(refused.json()["errors"]) == ["conta_id"]


def test_null_competence_is_in_no_competence_range(golden: httpx.Client) -> None:
    query: dict[str, str | int] = {
        "conta_id": 102,
        "regime": "competencia",
        "data_inicio": "2026-01-01",
        "data_fim": "2026-12-31",
    }
    assert ids(golden.get("/v1/lancamentos", params=query)) == [1006, 1019]


@pytest.mark.parametrize(
    ("shape", "answer"), [("indice", {"0": 13}), ("lista", [13]), ("numero", 13), ("count", {"count": 13})]
)
def test_count_shapes(shape: str, answer: object) -> None:
    with serve(create_app(golden_company(), forma_count=shape)) as running:
        got = httpx.get(
            f"{running.base_url}/v1/lancamentos",
            params={"access_token": "sandbox", "conta_id": 101, "tipo_view": "count"},
        )
    assert got.json() == answer


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
    with serve(create_app(golden_company(shape))) as running:
        rows = httpx.get(
            f"{running.base_url}/v1/lancamentos",
            params={"access_token": "sandbox", "conta_id": 101, "lancamento_composto_id": 8001},
        ).json()
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


@pytest.mark.parametrize("path", ["/v1/contas", "/v1/centros_custo_lucro", "/v1/formas_pagamento", "/v1/tags"])
def test_undocumented_lists_exist_only_in_the_observed_dialect(path: str) -> None:
    for dialect, statuses in (("documento", {404, 405}), ("observado", {200})):
        with serve(create_app(golden_company(), dialeto=dialect)) as running:
            assert httpx.get(running.base_url + path, params={"access_token": "sandbox"}).status_code in statuses


@pytest.mark.parametrize("query", [{}, {"access_token": ""}, {"access_token": "outro"}])
def test_token_is_required(golden: httpx.Client, query: dict[str, str]) -> None:
    assert httpx.get(f"{golden.base_url}/v1/categorias", params=query).status_code == 401


def test_requests_are_recorded_without_the_token() -> None:
    token = "-".join(("segredo", "9"))
    with serve(create_app(golden_company(), token=token)) as running:
        httpx.get(f"{running.base_url}/v1/clientes", params={"term": "azul", "access_token": token})
    assert running.requests == [("GET", "/v1/clientes", (("term", "azul"),))]


def test_same_seed_same_company() -> None:
    first, second, other = (make_company(seed, 700, date(2026, 3, 16)) for seed in (4, 4, 5))
    assert first.lancamentos == second.lancamentos
    assert first.cobrancas == second.cobrancas
    assert first.lancamentos != other.lancamentos
