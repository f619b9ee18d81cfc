"""Reference lists, lists that may not exist, single records and attachments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from lastro.errors import ApiRejected, ApiUnavailable, ConfigError
from lastro.extract.lists import Probe, probe_contas, probe_lists, read_reference
from lastro.extract.plan import Composto, Noticed, choose_composites
from lastro.extract.records import read_details
from lastro.extract.source import Source
from tests.unit.extract.fake_service import (
    FakeService,
    landed_pages,
    make_company,
    open_client,
)


def landed_rows(folder: Path, name: str) -> list[object]:
    return [row for page in landed_pages(folder, name) for row in page["rows"]]


def test_a_reference_list_is_one_answer_with_inactive_records(tmp_path: Path) -> None:
    rows = [{"id": 1, "descricao": "Receitas"}, {"id": 2}, {"id": 2}, "odd"]
    service = FakeService(lists={"/v1/categorias": rows, "/v1/clientes": []})
    with open_client(service) as client:
        passada = read_reference(Source(client, tmp_path), "categorias")
        empty = read_reference(Source(client, tmp_path), "clientes")
    assert service.log[0][1]["considerar_inativos"] == "true"
    assert (passada.linhas_recebidas, passada.ids_distintos, passada.repetidas, passada.rejeitadas) == (4, 2, 1, 1)
    assert (passada.veredito, passada.prova, passada.requisicoes) == ("provada", "resposta única", 1)
    assert landed_rows(tmp_path, "categorias") == rows
    assert (empty.veredito, empty.linhas_recebidas) == ("provada", 0)
    page = landed_pages(tmp_path, "categorias")[0]
    assert page["origem"] == "/v1/categorias?considerar_inativos=true"
    assert page["extraido_em"].endswith("Z")
    assert page["no"] == 1


def test_classifications_that_people_name_and_the_listing_lacks_are_looked_up(tmp_path: Path) -> None:
    service = FakeService(
        lists={
            "/v1/clientes": [{"id": 1, "classificacao_cliente_id": 7, "classificacao_fornecedor_id": 0}, "odd"],
            "/v1/fornecedores": [
                {"id": 2, "classificacao_fornecedor_id": 9},
                {"id": 3, "classificacao_fornecedor_id": 8},
            ],
            "/v1/classificacoes": [{"id": 7, "nome": "Varejo"}],
            "/v1/classificacoes/9": {"id": 9, "nome": "Transporte"},
        }
    )
    with open_client(service) as client:
        for name in ("clientes", "fornecedores"):
            read_reference(Source(client, tmp_path), name)
        passada = read_reference(Source(client, tmp_path), "classificacoes")
    assert landed_rows(tmp_path, "classificacoes") == [{"id": 7, "nome": "Varejo"}, {"id": 9, "nome": "Transporte"}]
    assert (passada.paginas, passada.ids_distintos) == (2, 2)


def test_an_error_with_status_200_is_no_classification(tmp_path: Path) -> None:
    service = FakeService(
        lists={
            "/v1/clientes": [{"id": 1, "classificacao_cliente_id": 8}, {"id": 2, "classificacao_cliente_id": 9}],
            "/v1/classificacoes": [],
            "/v1/classificacoes/8": {"errors": {"base": ["tente de novo"]}},
            "/v1/classificacoes/9": {"id": 9, "nome": "Transporte"},
        }
    )
    told: list[str] = []

    def stumble(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        told.append(request.url.path)
        once = request.url.path.endswith("/9") and told.count(request.url.path) == 1
        return service.answer({"errors": {"base": ["tente de novo"]}}) if once else None

    service.before_request = stumble
    with open_client(service) as client:
        read_reference(Source(client, tmp_path), "clientes")
        read_reference(Source(client, tmp_path), "classificacoes")
    assert landed_rows(tmp_path, "classificacoes") == [{"id": 9, "nome": "Transporte"}]
    assert (told.count("/v1/classificacoes/8"), told.count("/v1/classificacoes/9")) == (3, 2)


def test_a_reference_list_that_is_refused_or_no_list_is_an_error(tmp_path: Path) -> None:
    with open_client(FakeService()) as client, pytest.raises(ApiRejected, match="/v1/categorias"):
        read_reference(Source(client, tmp_path), "categorias")
    service = FakeService(lists={"/v1/categorias": {"data": []}})
    with open_client(service) as client, pytest.raises(ApiUnavailable, match="um objeto com as chaves data no lugar"):
        read_reference(Source(client, tmp_path), "categorias")
    with open_client(service) as client, pytest.raises(ConfigError, match="bancos"):
        read_reference(Source(client, tmp_path), "bancos")


def probe(service: FakeService, folder: Path) -> tuple[Probe, dict[str, Probe]]:
    with open_client(service) as client:
        contas = probe_contas(Source(client, folder))
        return contas, probe_lists(Source(client, folder), contas)


def test_probes_say_what_exists_and_take_any_refusal_as_absence(tmp_path: Path) -> None:
    service = FakeService(
        lists={"/v1/contas": [{"id": 101}, {"id": 102}], "/v1/tags": [], "/v1/formas_pagamento": {"not": "a list"}}
    )
    statuses = {"/v1/centros_custo_lucro": 403, "/v1/tipos_documento_fiscal": 405}

    def refuse(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        status = statuses.get(request.url.path)
        return service.answer({}, status) if status else None

    service.before_request = refuse
    (tmp_path / "tipos_documento.jsonl.gz").write_bytes(b"of an earlier run")
    contas, lists = probe(service, tmp_path)
    assert (contas.exists, contas.ids) == (True, (101, 102))
    assert {name: probe.exists for name, probe in lists.items()} == {
        "centros_custo_lucro": False,
        "formas_pagamento": False,
        "tags": True,
        "tipos_documento": False,
    }
    assert lists["centros_custo_lucro"].reason == "HTTP 403"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contas.jsonl.gz", "tags.jsonl.gz"]


def test_no_list_is_probed_after_the_first_without_an_answer(tmp_path: Path) -> None:
    service = FakeService(lists={"/v1/contas": [{"id": 101}]})

    def fail(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        return service.answer({}, 503) if request.url.path == "/v1/formas_pagamento" else None

    service.before_request = fail
    (tmp_path / "tags.jsonl.gz").write_bytes(b"of an earlier run")
    contas, lists = probe(service, tmp_path)
    assert [path for path, _ in service.log] == [
        "/v1/contas",
        "/v1/centros_custo_lucro",
        "/v1/formas_pagamento",
        "/v1/formas_pagamento",
    ]
    assert (contas.answered, lists["centros_custo_lucro"].answered) == (True, True)
    assert lists["tags"].reason == "não perguntada: formas_pagamento ficou sem resposta"
    assert not any(probe.exists for probe in lists.values())
    assert [path.name for path in tmp_path.iterdir()] == ["contas.jsonl.gz"]


def test_no_name_is_probed_where_the_accounts_got_no_answer(tmp_path: Path) -> None:
    service = FakeService()
    service.before_request = lambda service, _request: service.answer({}, 503)
    _, lists = probe(service, tmp_path)
    assert {path for path, _ in service.log} == {"/v1/contas"}
    assert not any(probe.exists for probe in lists.values())


def test_details_tell_living_from_absent_from_neither(tmp_path: Path) -> None:
    service = make_company(1, {101: 3})
    alive = min(service.entries)
    odd = {"/v1/lancamentos/7": {}, "/v1/lancamentos/8": {"id": 9}, "/v1/lancamentos/9": []}

    def answer(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        value = odd.get(request.url.path)
        return None if value is None else service.answer(value)

    service.before_request = answer
    with open_client(service) as client:
        found = read_details(Source(client, tmp_path), [alive, 5, 7, 8, 9, alive])
    assert found == {alive: "vivo", 5: "ausente", 7: "indefinido", 8: "indefinido", 9: "indefinido"}
    assert landed_rows(tmp_path, "detalhes") == [service.entries[alive]]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_service_that_does_not_answer_proves_no_deletion(tmp_path: Path, status: int) -> None:
    service = make_company(1, {101: 3})
    service.before_request = lambda s, _r: s.answer({}, status)
    with open_client(service) as client, pytest.raises(ApiUnavailable):
        read_details(Source(client, tmp_path), [1])
    assert not (tmp_path / "detalhes.jsonl.gz").exists()


def test_composites_are_noticed_in_every_shape_of_the_listing() -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "lancamento_composto_id": 8, "itens_adicionais": [{"id": 2}, {"id": 3}], "modified": "2026-03-02"},
        {"id": 2, "lancamento_composto_id": 8, "modified": "2026-03-09"},
        {"id": 5, "itens_adicionais": [{"id": 6, "lancamento_composto_id": 9}]},
        {"id": 7, "itens_adicionais": [{"id": 70}, "odd"]},
        {"id": 10, "lancamento_composto_id": 11, "itens_adicionais": []},
        {"id": 12, "lancamento_composto_id": 0, "itens_adicionais": None},
        {"id": 13, "conta_id": "101", "lancamento_transferencia_id": 14},
    ]
    noticed = Noticed("2026-03-16")
    for row in rows:
        noticed.note(row, row["id"])
    assert noticed.list_compostos() == [
        Composto(-7, 7, 2, ""),
        Composto(8, 1, 3, "2026-03-09"),
        Composto(9, 5, 2, ""),
        Composto(11, 10, 1, ""),
    ]
    assert (noticed.contas, noticed.pairs) == ({101}, {13: 14})
    assert choose_composites(noticed.list_compostos()) == (10, 1, 5, 7)
    assert choose_composites(Composto(n, n, 1, "") for n in range(9)) == (0, 1, 2, 3, 4)


def test_landed_pages_stay_one_json_line_each_whatever_the_body(tmp_path: Path) -> None:
    body = '[\r\n {"id": 1, "valor": 12.50, "descricao": "a\\ud800\\u0000b"}\n]'
    service = FakeService()
    service.before_request = lambda _s, _r: httpx.Response(200, text=body)
    with open_client(service) as client:
        read_reference(Source(client, tmp_path), "categorias")
    page = landed_pages(tmp_path, "categorias")[0]
    assert page["rows"] == [{"id": 1, "valor": "12.50", "descricao": "a\ufffdb"}]
    assert page["recebido"] == body
    assert json.loads(json.dumps(page)) == page
