"""Writes whose rules are this sandbox's own choice, or that need its inside to be seen."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import urlencode

import pytest

from lastro_sandbox import golden_company
from lastro_sandbox.decisions import BODY_MAX
from tests.unit.sandbox.serving import ENTRY, FORM, Client, errors, served


@pytest.fixture
def golden() -> Iterator[Client]:
    with served() as client:
        yield client


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 400),
        ("text/xml", 400),
        ("application/x-www-form-urlencoded; charset=UTF-8", 200),
        ("", 200),
    ],
)
def test_body_types(golden: Client, content_type: str, status: int) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    answer = golden.request("POST", "/v1/lancamentos", content=urlencode(ENTRY).encode(), headers=headers)
    assert answer.status_code == status


def test_json_bodies_are_read_in_the_observed_dialect() -> None:
    sent = {**ENTRY, "valor": 7.25, "tags": [{"id": 1}], "pagamento_automatico": False}
    with served(dialeto="observado") as client:
        answer = client.post("/v1/lancamentos", json=sent)
    assert (answer.json()["valor"], answer.json()["tags"]) == ("7.25", [{"id": 1}])


@pytest.mark.parametrize("path", ["/v1/lancamentos.json", "/v1/lancamentos/", "/v1/lancamentos"])
def test_other_spellings_of_a_path(golden: Client, path: str) -> None:
    assert golden.form("POST", path, **ENTRY).status_code == 200


@pytest.mark.parametrize("false", ["false", "0", "False"])
def test_a_form_as_client_libraries_write_it(golden: Client, false: str) -> None:
    """Rows put together from columns, truth in three spellings, tags as plain ids."""
    items = "&".join(f"itens[][{name}]={value}" for name, values in (
        ("descricao", ("Caf%C3%A9+%26+cia", "Frete")), ("categoria_id", (11, 12)), ("valor", ("100.00", "20.50")),
    ) for value in values)  # fmt: skip
    charge = f"conta_id=101&cliente_id=501&data_vencimento=2026-04-30&tipo_cobranca=boleto&cobrar_juros={false}&{items}"
    made = golden.request("POST", "/v1/cobrancas", content=charge, headers=FORM).json()
    assert (made["valor"], made["cobrar_juros"]) == ("120.50", 0)
    rows = [golden.get(f"/v1/lancamentos/{id_}").json() for id_ in made["lancamento_ids"].split(",")]
    assert [(row["descricao"], row["categoria_id"], row["valor"]) for row in rows] == [
        ("Café & cia", 11, "100.00"), ("Frete", 12, "20.50"),
    ]  # fmt: skip
    tagged = golden.form("POST", "/v1/lancamentos", ("tags[]", "1"), ("tags[]", "2"), **ENTRY)
    assert tagged.json()["tags"] == [{"id": 1}, {"id": 2}]


def test_the_name_of_a_file_may_be_any_and_parameters_of_a_delete_stand_in_its_body(golden: Client) -> None:
    name = "nota fiscal ção.pdf"
    made = golden.post(
        "/v1/clientes/501/anexos", files={"file": (name, b"%PDF-1.4", "application/pdf")}, data={"filename": name}
    ).json()
    assert (made["filename"], made["content_type"], made["size"]) == (name, "application/pdf", 8)
    answer = golden.form("DELETE", "/v1/categorias/11", acao="migra_lancamentos", migracao_id="12")
    assert answer.json() is True
    assert golden.get("/v1/lancamentos/1001").json()["categoria_id"] == 12


def test_a_body_that_is_too_large_is_refused(golden: Client) -> None:
    answer = golden.request("POST", "/v1/lancamentos", content=b"a=" + b"x" * BODY_MAX, headers=FORM)
    assert answer.status_code == 413


def test_an_empty_date_unpays(golden: Client) -> None:
    answer = golden.form("PUT", "/v1/lancamentos/1001", data_pagamento="")
    assert answer.json()["data_pagamento"] is None


def test_an_entry_may_keep_a_reference_that_became_inactive(golden: Client) -> None:
    kept = golden.form("PUT", "/v1/lancamentos/1016", categoria_id="24", descricao="Campanha nova")
    assert kept.json()["descricao"] == "Campanha nova"
    assert errors(golden.form("PUT", "/v1/lancamentos/1015", categoria_id="24")) == ["categoria_id"]


def test_a_composite_is_paid_as_a_whole(golden: Client) -> None:
    pairs = [
        ("itens_adicionais[][id]", "1008"), ("itens_adicionais[][descricao]", "Escritório"),
        ("itens_adicionais[][categoria_id]", "23"), ("itens_adicionais[][valor]", "-300.00"),
        ("itens_excluir[][id]", "1009"),
    ]  # fmt: skip
    answer = golden.form(
        "PUT", "/v1/lancamentos/1007", *pairs, data_pagamento="2026-03-01", centro_custo_lucro_id="201"
    )
    assert [(item["id"], item["valor"]) for item in answer.json()["itens_adicionais"]] == [(1008, "-300.00")]
    item = golden.books.lancamentos[1008]
    assert (item.data_pagamento, item.centro_custo_lucro_id) == ("2026-03-01", 201)
    assert 1009 not in golden.books.lancamentos


def test_a_composite_without_items_left_is_simple(golden: Client) -> None:
    pairs = [("itens_excluir[][id]", "1008"), ("itens_excluir[][id]", "1009")]
    answer = golden.form("PUT", "/v1/lancamentos/1007", *pairs).json()
    assert (answer["lancamento_composto_id"], answer["itens_adicionais"]) == (None, [])


def test_the_observed_dialect_takes_items_by_id_alone() -> None:
    pairs = [("itens_adicionais[][id]", "1008"), ("itens_adicionais[][id]", "1009")]
    with served(golden_company("D"), dialeto="observado") as client:
        answer = client.form("PUT", "/v1/lancamentos/1007", *pairs, data_pagamento="2026-03-05")
        paid = {member.data_pagamento for member in client.books.composite(8001)}
    assert (answer.status_code, paid) == (200, {"2026-03-05"})


def test_propagation_moves_dates_by_period_and_reaches_items(golden: Client) -> None:
    item = [("itens_adicionais[][descricao]", "Multa"), ("itens_adicionais[][categoria_id]", "21"),
            ("itens_adicionais[][valor]", "-1.00")]  # fmt: skip
    made = golden.form("POST", "/v1/lancamentos", *item, **ENTRY, periodicidade="M1", total_repeticoes="3").json()
    part = made["itens_adicionais"][0]["id"]
    changed = [("itens_adicionais[][id]", str(part)), *item[:2], ("itens_adicionais[][valor]", "-2.00")]
    golden.form(
        "PUT", f"/v1/lancamentos/{made['id']}", *changed, data_vencimento="2026-03-31", propagar_alteracao="true"
    )
    series = golden.books.group(made["grupo_id"])
    assert [entry.data_vencimento for entry in series] == ["2026-03-31", "2026-04-30", "2026-05-31"]
    assert [golden.books.siblings(entry)[0].valor for entry in series] == [-200, -200, -200]


def test_a_transfer_leg_is_edited_as_a_transfer_and_deleted_whole(golden: Client) -> None:
    assert errors(golden.form("PUT", "/v1/lancamentos/1005", valor="-1.00")) == ["id"]
    assert golden.form("DELETE", "/v1/lancamentos/1006").json() is True
    assert {1005, 1006} & golden.books.lancamentos.keys() == set()


def test_deleting_a_category_lifts_its_children(golden: Client) -> None:
    answer = golden.request("DELETE", "/v1/categorias/20", params={"acao": "migra_lancamentos", "migracao_id": "21"})
    assert answer.json() is True
    assert golden.books.categorias[22].parent_id is None
    assert golden.books.lancamentos[1019].categoria_id == 21


def test_a_cancelled_charge_keeps_its_status_and_leaves_the_status_filter(golden: Client) -> None:
    listed = golden.request("GET", "/v1/cobrancas", params={"conta_id": "101",
                                                         "status": "pendente"})  # fmt: skip
    assert [charge["id"] for charge in listed.json()] == [9001]
    assert golden.request("GET", "/v1/cobrancas/9004").json()["status_descricao"] == "Pendente"


def test_indexes_stay_right_through_writes(golden: Client) -> None:
    for regime in ("caixa", "competencia"):
        golden.request("GET", "/v1/lancamentos", params={"conta_id": "101", "regime": regime})
    made = golden.form("POST", "/v1/lancamentos", **ENTRY, periodicidade="D7", total_repeticoes="5").json()["id"]
    golden.form("PUT", f"/v1/lancamentos/{made}", data_vencimento="2025-01-01", conta_id="102")
    golden.form("PUT", "/v1/lancamentos/1011", data_pagamento="2026-03-16")
    golden.form("DELETE", "/v1/lancamentos/1014")
    rows = golden.request("GET", "/v1/lancamentos", params={"conta_id": "101", "limit": "500"}).json()
    expected = sorted(
        (entry.data_pagamento or entry.data_vencimento, entry.id)
        for entry in golden.books.lancamentos.values()
        if entry.conta_id == 101 and entry.item_de is None
    )
    assert [row["id"] for row in rows] == [id_ for _, id_ in expected]


def test_what_is_due_today_is_not_overdue(golden: Client) -> None:
    for due, overdue in (("2026-03-15", True), ("2026-03-16", False), ("2026-03-17", False)):
        made = golden.form("POST", "/v1/lancamentos", **{**ENTRY, "data_vencimento": due}).json()["id"]
        query = {"conta_id": "101", "tipo": "RA"}
        found = [row["id"] for row in golden.request("GET", "/v1/lancamentos", params=query).json()]
        assert (made in found) == overdue


@pytest.mark.parametrize("items", [1, 2])
def test_the_balance_of_shape_t_is_that_of_the_amounts_listed(items: int) -> None:
    with served(golden_company("T"), dialeto="observado") as client:
        check_balances(client, items)


def check_balances(client: Client, items: int) -> None:
    query = {"conta_id": "101", "limit": "500"}

    def balance() -> int:
        return client.books.balance(client.books.contas[101])

    before = balance()
    pairs = [("itens_adicionais[][descricao]", "x"), ("itens_adicionais[][categoria_id]", "11"),
             ("itens_adicionais[][valor]", "10.00")]  # fmt: skip
    client.form("POST", "/v1/lancamentos", *pairs, **{**ENTRY, "valor": "100.00"}, data_pagamento="2026-03-16")
    assert balance() - before == 10000
    part = [("itens[][descricao]", "x"), ("itens[][categoria_id]", "11"), ("itens[][valor]", "5.00")]
    made = client.form("POST", "/v1/cobrancas", *part * items, conta_id="101", cliente_id="501",
                      data_vencimento="2026-03-17", tipo_cobranca="pix").json()  # fmt: skip
    for id_ in made["lancamento_ids"].split(","):
        client.books.change_entry(client.books.lancamentos[int(id_)], data_pagamento="2026-03-16")
    assert balance() - before == 10000 + 500 * items - 199
    rows = client.request("GET", "/v1/lancamentos", params=query).json()
    paid = sum(
        int(Decimal(row["valor"]) * 100)
        for row in rows
        if "2026-01-01" <= (row["data_pagamento"] or "") <= "2026-03-16"
    )
    assert balance() == 1_000_000 + paid
