"""Rows 23 to 32 of what such services were seen to do: in the dialect observado, no trace of them in documento."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from lastro_sandbox import Books, golden_company
from tests.unit.sandbox.serving import ENTRY, errors, ids, served

CHARGE = {
    "conta_id": "101", "cliente_id": "501", "data_vencimento": "2026-03-30", "tipo_cobranca": "pix",
    "itens[][descricao]": "x", "itens[][categoria_id]": "11", "itens[][valor]": "5.00",
}  # fmt: skip
CREATED = [
    ("/v1/lancamentos", ENTRY),
    ("/v1/cobrancas", CHARGE),
    ("/v1/transferencias", {"descricao": "t", "valor": "5.00", "data": "2026-03-16", "conta_origem_id": "101",
                            "conta_destino_id": "102"}),
    ("/v1/categorias", {"descricao": "Nova"}),
    ("/v1/clientes", {"nome": "Novo"}),
    ("/v1/fornecedores", {"nome": "Novo"}),
    ("/v1/classificacoes", {"nome": "Nova", "tipo_classificacao_id": "1"}),
    ("/v1/contas", {"descricao": "Nova"}),
]  # fmt: skip


class Both:
    """The golden company served in both dialects."""

    def __init__(self, documento: httpx.Client, observado: httpx.Client, books: Books) -> None:
        self.documento, self.observado, self.books = documento, observado, books


@pytest.fixture
def both() -> Iterator[Both]:
    with served() as documento, served(golden_company("D"), dialeto="observado") as observado:
        yield Both(documento, observado, observado.books)


@pytest.mark.parametrize(("path", "form"), CREATED)
def test_creating_answers_201(both: Both, path: str, form: dict[str, str]) -> None:
    assert both.observado.post(path, data=form).status_code == 201
    assert both.documento.post(path, data=form).status_code == 200


def test_competence_left_out_is_the_due_date(both: Both) -> None:
    made = both.observado.post("/v1/lancamentos", data={**ENTRY, "periodicidade": "M1", "total_repeticoes": "2"}).json()
    assert made["data_competencia"] == "2026-03-20"
    assert [e.data_competencia for e in both.books.group(made["grupo_id"])] == ["2026-03-20", "2026-04-20"]
    typed = both.observado.post("/v1/lancamentos", data={**ENTRY, "data_competencia": "2026-01-02"}).json()
    assert typed["data_competencia"] == "2026-01-02"
    charge = both.observado.post("/v1/cobrancas", data=CHARGE).json()
    rows = [both.observado.get(f"/v1/lancamentos/{id_}").json() for id_ in charge["lancamento_ids"].split(",")]
    assert {row["data_competencia"] for row in rows} == {"2026-03-30"}
    kept = both.observado.put(f"/v1/lancamentos/{made['id']}", data={"data_competencia": ""})
    assert kept.json()["data_competencia"] is None
    assert both.documento.post("/v1/lancamentos", data=ENTRY).json()["data_competencia"] is None


LISTS = ("bancos", "estados", "cidades", "tipos_custo_nivel_producao", "tipos_custo_apropriacao_produto", "contas/101",
         "contas", "centros_custo_lucro", "formas_pagamento", "tags")  # fmt: skip


def test_more_lists(both: Both) -> None:
    for path in LISTS:
        answer = both.observado.get(f"/v1/{path}")
        assert (answer.status_code, bool(answer.json())) == (200, True), path
        assert both.documento.get(f"/v1/{path}").status_code in (404, 405), path


def test_an_account_shows_the_entry_of_its_opening_balance(both: Both) -> None:
    account = both.observado.get("/v1/contas/101").json()
    assert [(row["id"], row["valor"], row["data_pagamento"]) for row in account["lancamentos"]] == [
        (0, "10000.0", "2026-01-01")
    ]
    with served(golden_company("D", saldo_inicial=True), dialeto="observado") as listed:
        found = listed.get("/v1/contas/101").json()
    assert [row["id"] for row in found["lancamentos"]] == [1000]
    assert both.observado.get("/v1/contas/999").status_code == 404


@pytest.mark.parametrize(
    ("tipo", "expected"),
    [
        ("R|LR|RA", [1011, 1001, 1009, 1014, 1012, 1015]),
        ("PA|RA", [1011, 1004, 1012]),
        ("LP|DT", [1002, 1003, 1017, 1007, 1008, 1010]),
        ("DT|P", [1002, 1003, 1017, 1007, 1008, 1004, 1010]),
    ],
)
def test_types_joined(both: Both, tipo: str, expected: list[int]) -> None:
    query = {"conta_id": "101", "tipo": tipo}
    assert ids(both.observado.get("/v1/lancamentos", params=query)) == expected
    assert errors(both.documento.get("/v1/lancamentos", params=query)) == ["tipo"]
    assert errors(both.observado.get("/v1/lancamentos", params={**query, "tipo": "R|X"})) == ["tipo"]


def test_cost_centres_as_a_flat_list_and_detail_of_entries(both: Both) -> None:
    both.books.centros[202].parent_id = 201
    flat = both.observado.get("/v1/centros_custo_lucro", params={"tipo_view": "children"}).json()
    assert [(centre["id"], centre["parent_id"], centre["centros_custo_lucro_filhos"]) for centre in flat] == [
        (202, 201, [])
    ]
    query = {"conta_id": "101"}
    plain = both.observado.get("/v1/lancamentos", params=query).json()
    assert both.observado.get("/v1/lancamentos", params={**query, "tipo_view": "detail"}).json() == plain


def test_items_without_id_are_new(both: Both) -> None:
    items = {"itens_adicionais[0][id]": "1008", "itens_adicionais[1][id]": "1009",
             "itens_adicionais[2][descricao]": "Novo",
             "itens_adicionais[2][categoria_id]": "21", "itens_adicionais[2][valor]": "-5.00"}  # fmt: skip
    answer = both.observado.put("/v1/lancamentos/1007", data=items)
    assert [item["descricao"] for item in answer.json()["itens_adicionais"]][-1] == "Novo"
    assert len(both.books.composite(8001)) == 4
    made = both.observado.put(
        "/v1/lancamentos/1001", data={k.replace("2]", "0]"): v for k, v in items.items() if "[2]" in k}
    )
    assert made.json()["lancamento_composto_id"] is not None
    assert [item["valor"] for item in made.json()["itens_adicionais"]] == ["-5.00"]
    assert errors(both.documento.put("/v1/lancamentos/1007", data=items)) == [
        f"itens_adicionais[{n}].{name}"
        for n, names in enumerate((("categoria_id", "descricao", "valor"),) * 2)
        for name in names
    ] + ["itens_adicionais[2].id"]


def test_a_document_in_use_is_refused(both: Both) -> None:
    taken = {"nome": "Outro", "documento": "11.222.333/0001-81"}
    for path in ("/v1/clientes", "/v1/fornecedores"):
        assert errors(both.observado.post(path, data=taken)) == ["documento"]
        assert both.documento.post(path, data=taken).status_code == 200
    assert both.observado.put("/v1/clientes/501", data={**taken, "nome": "Azul"}).status_code == 200
    assert errors(both.observado.put("/v1/clientes/502", data=taken)) == ["documento"]
    assert both.observado.post("/v1/clientes", data={"nome": "Sem documento"}).status_code == 201


def test_only_leaves_take_entries(both: Both) -> None:
    root = {**ENTRY, "categoria_id": "10"}
    assert errors(both.observado.post("/v1/lancamentos", data=root)) == ["categoria_id"]
    assert both.documento.post("/v1/lancamentos", data=root).status_code == 200
    charge = {**CHARGE, "itens[][categoria_id]": "10"}
    assert errors(both.observado.post("/v1/cobrancas", data=charge)) == ["itens[0].categoria_id"]
    kept = both.observado.put("/v1/lancamentos/1019", data={"categoria_id": "20", "descricao": "Como estava"})
    assert kept.status_code == 200  # what an entry already points at stays


def test_list_parameters_in_the_body_of_a_get(both: Both) -> None:
    body = {"conta_id": "101", "limit": "2"}
    for sent in ({"data": body}, {"json": {"conta_id": 101, "limit": 2}}):
        answer = both.observado.request("GET", "/v1/lancamentos", **sent)
        assert ids(answer) == [1011, 1002]
    assert errors(both.documento.request("GET", "/v1/lancamentos", data=body)) == ["conta_id"]


def test_status_says_in_words_where_an_entry_stands(both: Both) -> None:
    rows = both.observado.get("/v1/lancamentos", params={"conta_id": "101"}).json()
    status = {row["id"]: row["status"] for row in rows}
    assert [status[id_] for id_ in (1011, 1002, 1001, 1004)] == ["A receber", "Pago", "Recebido", "A pagar"]
    assert {row["id"] for row in rows if row["cobranca_ativa"]} == {1001, 1011, 1012}  # 1015's charge is cancelled
    both.observado.delete("/v1/cobrancas/9001")
    assert both.observado.get("/v1/lancamentos/1012").json()["cobranca_ativa"] is False
    assert not {"status", "cobranca_ativa"} & both.documento.get("/v1/lancamentos/1012").json().keys()
