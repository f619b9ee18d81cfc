"""Sections 3 and 4.1, writing: entries, composites, repetitions, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from tests.contract import calls
from tests.contract.calls import Api, refused

pytestmark = pytest.mark.escrita
item = partial(calls.item, "itens_adicionais")


@pytest.fixture
def base(conta: int, categoria: int) -> dict[str, Any]:
    """The required fields of an entry."""
    return {
        "descricao": "Serviço de conformidade",
        "conta_id": conta,
        "categoria_id": categoria,
        "valor": "-10.50",
        "data_vencimento": "2026-05-31",
    }


def group(api: Api, conta: int, entry: dict[str, Any]) -> list[dict[str, Any]]:
    """All entries of a repetition in order."""
    found = api.get("/v1/lancamentos", conta_id=conta, grupo_id=entry["grupo_id"], limit=500)
    return sorted(found, key=lambda row: row["numero_repeticao"])


def test_the_required_fields_make_an_open_entry(api: Api, base: dict[str, Any]) -> None:
    made = api.post("/v1/lancamentos", **base)
    assert isinstance(made["id"], int)
    assert made["descricao"] == base["descricao"]
    assert (made["conta_id"], made["categoria_id"]) == (base["conta_id"], base["categoria_id"])
    assert Decimal(made["valor"]) == Decimal("-10.50")
    assert made["data_vencimento"] == "2026-05-31"
    assert made["data_pagamento"] is None
    assert made["pagamento_automatico"] is False
    assert made["documento"] == ""
    assert made["itens_adicionais"] == []
    assert made["tags"] == []
    assert isinstance(made["tipo_lancamento_id"], int)
    read = api.get(f"/v1/lancamentos/{made['id']}")
    assert {name: read[name] for name in read if name in made} == {name: made[name] for name in read if name in made}


@pytest.mark.parametrize("name", ["descricao", "conta_id", "categoria_id", "valor", "data_vencimento"])
def test_each_required_field_is_required(api: Api, base: dict[str, Any], name: str) -> None:
    assert refused(api.send("POST", "/v1/lancamentos", **{key: value for key, value in base.items() if key != name}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("valor", "dez"), ("data_vencimento", "31/05/2026"), ("data_vencimento", "2026-02-30"), ("conta_id", "999999999"),
     ("categoria_id", "999999999"), ("periodicidade", "X9"), ("pessoa_id", "999999999")],
)  # fmt: skip
def test_a_wrong_value_is_refused(api: Api, base: dict[str, Any], name: str, value: str) -> None:
    assert refused(api.send("POST", "/v1/lancamentos", **{**base, name: value}))


def test_every_optional_field_comes_back(api: Api, base: dict[str, Any], fornecedor: int) -> None:
    sent = {
        "data_pagamento": "2026-02-03",
        "data_competencia": "2026-01-15",
        "centro_custo_lucro_id": 31,
        "forma_pagamento_id": 32,
        "tipo_documento_id": 33,
        "tipo_custo_nivel_producao_id": 34,
        "tipo_custo_apropriacao_produto_id": 35,
        "pessoa_id": fornecedor,
        "documento": "NF 123/4",
        "observacao": "duas\nlinhas & sinais = ção",
    }
    made = api.post("/v1/lancamentos", ("tags[][id]", 5), ("tags[][id]", 7), **base, **sent)
    assert {name: made[name] for name in sent} == sent
    assert made["tags"] == [{"id": 5}, {"id": 7}]
    assert api.get(f"/v1/lancamentos/{made['id']}")["data_pagamento"] == "2026-02-03"


def test_revenue_is_positive(api: Api, base: dict[str, Any], cliente: int) -> None:
    made = api.post("/v1/lancamentos", **{**base, "valor": "99.90", "pessoa_id": cliente})
    assert Decimal(made["valor"]) == Decimal("99.90")
    found = api.get("/v1/lancamentos", conta_id=base["conta_id"], tipo="R", limit=500)
    assert made["id"] in [row["id"] for row in found]


def test_paying_and_editing(api: Api, base: dict[str, Any]) -> None:
    made = api.post("/v1/lancamentos", **base)
    paid = api.put(f"/v1/lancamentos/{made['id']}", data_pagamento="2026-05-30")
    assert paid["data_pagamento"] == "2026-05-30"
    assert isinstance(paid["tipo_lancamento_id"], int)
    changed = api.put(f"/v1/lancamentos/{made['id']}", descricao="Outra", valor="-11.00", data_vencimento="2026-06-01")
    assert (changed["descricao"], Decimal(changed["valor"])) == ("Outra", Decimal(-11))
    assert changed["data_vencimento"] == "2026-06-01"
    assert changed["data_pagamento"] == "2026-05-30"
    assert api.get(f"/v1/lancamentos/{made['id']}")["descricao"] == "Outra"


def test_a_deleted_entry_is_gone(api: Api, base: dict[str, Any]) -> None:
    made = api.post("/v1/lancamentos", **base)
    assert api.delete(f"/v1/lancamentos/{made['id']}") is True
    assert refused(api.ask("GET", f"/v1/lancamentos/{made['id']}"))
    found = api.get("/v1/lancamentos", conta_id=base["conta_id"], limit=500)
    assert made["id"] not in [row["id"] for row in found]


def test_a_composite_keeps_its_items_in_order(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = api.post(
        "/v1/lancamentos",
        *item("Primeiro", categoria, "-1.00", centro_custo_lucro_id=41),
        ("itens_adicionais[][tags][][id]", 1),
        ("itens_adicionais[][tags][][id]", 2),
        *item("Segundo", categoria, "-2.00"),
        *item("Terceiro", categoria, "-3.00"),
        ("itens_adicionais[][tags][][id]", 3),
        **base,
    )
    assert isinstance(made["lancamento_composto_id"], int)
    items = made["itens_adicionais"]
    assert [(part["descricao"], Decimal(part["valor"])) for part in items] == [
        ("Primeiro", Decimal(-1)),
        ("Segundo", -2),
        ("Terceiro", -3),
    ]
    assert [part["tags"] for part in items] == [[{"id": 1}, {"id": 2}], [], [{"id": 3}]]
    assert {part["lancamento_composto_id"] for part in items} == {made["lancamento_composto_id"]}
    assert {part["categoria_id"] for part in items} == {categoria}
    read = api.get(f"/v1/lancamentos/{made['id']}")
    assert {part["id"] for part in read["itens_adicionais"]} == {part["id"] for part in items}


@pytest.mark.parametrize("name", ["descricao", "categoria_id", "valor"])
def test_an_item_needs_its_fields(api: Api, base: dict[str, Any], categoria: int, name: str) -> None:
    pairs = [pair for pair in item("Item", categoria, "-1.00") if pair[0] != f"itens_adicionais[][{name}]"]
    assert refused(api.send("POST", "/v1/lancamentos", *pairs, **base))


def composite(api: Api, base: dict[str, Any], categoria: int) -> dict[str, Any]:
    return api.post("/v1/lancamentos", *item("Um", categoria, "-1.00"), *item("Dois", categoria, "-2.00"), **base)


def test_an_edit_of_a_composite_names_all_items(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = composite(api, base, categoria)
    one, two = made["itens_adicionais"]
    path = f"/v1/lancamentos/{made['id']}"
    assert refused(api.send("PUT", path, *item("Só um", categoria, "-1.00", id=one["id"])))
    edited = api.put(
        path,
        *item("Um mudado", categoria, "-1.50", id=one["id"]),
        *item("Dois", categoria, "-2.00", id=two["id"]),
        descricao="Composto mudado",
    )
    assert edited["descricao"] == "Composto mudado"
    assert [(part["id"], part["descricao"], Decimal(part["valor"])) for part in edited["itens_adicionais"]] == [
        (one["id"], "Um mudado", Decimal("-1.5")),
        (two["id"], "Dois", -2),
    ]


def test_items_are_deleted_through_itens_excluir(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = composite(api, base, categoria)
    one, two = made["itens_adicionais"]
    edited = api.put(
        f"/v1/lancamentos/{made['id']}",
        *item("Um", categoria, "-1.00", id=one["id"]),
        ("itens_excluir[][id]", two["id"]),
    )
    assert [part["id"] for part in edited["itens_adicionais"]] == [one["id"]]


def test_an_item_of_an_edit_needs_its_id(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = composite(api, base, categoria)
    pairs = [*item("Um", categoria, "-1.00"), *item("Dois", categoria, "-2.00")]
    assert refused(api.send("PUT", f"/v1/lancamentos/{made['id']}", *pairs))


def test_deleting_a_composite_removes_it(api: Api, base: dict[str, Any], categoria: int) -> None:
    made = composite(api, base, categoria)
    assert api.delete(f"/v1/lancamentos/{made['id']}") is True
    assert refused(api.ask("GET", f"/v1/lancamentos/{made['id']}"))


@pytest.mark.parametrize(
    ("period", "dates"),
    [
        ("D7", ["2026-05-31", "2026-06-07", "2026-06-14"]),
        ("D15", ["2026-05-31", "2026-06-15", "2026-06-30"]),
        ("M1", ["2026-05-31", "2026-06-30", "2026-07-31"]),
        ("M2", ["2026-05-31", "2026-07-31", "2026-09-30"]),
        ("M3", ["2026-05-31", "2026-08-31", "2026-11-30"]),
        ("M6", ["2026-05-31", "2026-11-30", "2027-05-31"]),
        ("M12", ["2026-05-31", "2027-05-31", "2028-05-31"]),
    ],
)
def test_repetitions(api: Api, base: dict[str, Any], conta: int, period: str, dates: list[str]) -> None:
    made = api.post("/v1/lancamentos", **base, periodicidade=period, total_repeticoes=3)
    assert (made["periodicidade"], made["total_repeticoes"], made["numero_repeticao"]) == (period, 3, 1)
    rows = group(api, conta, made)
    assert [row["numero_repeticao"] for row in rows] == [1, 2, 3]
    assert {row["grupo_id"] for row in rows} == {made["grupo_id"]}
    assert [row["data_vencimento"] for row in rows] == dates


def test_only_the_first_repetition_is_paid(api: Api, base: dict[str, Any], conta: int) -> None:
    made = api.post(
        "/v1/lancamentos", **base, periodicidade="M1", total_repeticoes=3, data_pagamento="2026-05-31",
        data_competencia="2026-05-01",
    )  # fmt: skip
    rows = group(api, conta, made)
    assert [row["data_pagamento"] for row in rows] == ["2026-05-31", None, None]


def test_an_endless_series_is_generated_ahead(api: Api, base: dict[str, Any], conta: int) -> None:
    made = api.post("/v1/lancamentos", **base, periodicidade="M1", infinito=True)
    assert made["total_repeticoes"] in (None, 0)
    assert len(group(api, conta, made)) > 1


def test_a_total_and_an_endless_series_exclude_each_other(api: Api, base: dict[str, Any]) -> None:
    answer = api.send("POST", "/v1/lancamentos", **base, periodicidade="M1", infinito=True, total_repeticoes=3)
    assert refused(answer)


def test_propagation_reaches_the_following_instalments_only(api: Api, base: dict[str, Any], conta: int) -> None:
    made = api.post("/v1/lancamentos", **base, periodicidade="M1", total_repeticoes=4)
    second = group(api, conta, made)[1]
    api.put(f"/v1/lancamentos/{second['id']}", valor="-20.00", propagar_alteracao=True)
    assert [Decimal(row["valor"]) for row in group(api, conta, made)] == [Decimal("-10.5"), -20, -20, -20]
    api.put(f"/v1/lancamentos/{second['id']}", descricao="Só esta")
    texts = [row["descricao"] for row in group(api, conta, made)]
    assert texts == [base["descricao"], "Só esta", base["descricao"], base["descricao"]]


def test_an_automatic_entry_due_in_the_past_is_settled(api: Api, base: dict[str, Any]) -> None:
    made = api.post("/v1/lancamentos", **{**base, "data_vencimento": "2020-01-10"}, pagamento_automatico=True)
    assert made["pagamento_automatico"] is True
    assert api.get(f"/v1/lancamentos/{made['id']}")["data_pagamento"] is not None


@pytest.mark.parametrize(
    ("path", "field", "fields"),
    [
        ("categorias", "categoria_id", {"descricao": "Inativa"}),
        ("clientes", "pessoa_id", {"nome": "Cliente inativo"}),
        ("fornecedores", "pessoa_id", {"nome": "Fornecedor inativo"}),
    ],
)
def test_what_is_inactive_can_not_be_used(
    api: Api, base: dict[str, Any], path: str, field: str, fields: dict[str, str]
) -> None:
    made = api.post(f"/v1/{path}", **fields)
    inactive = api.put(f"/v1/{path}/{made['id']}", **fields, ativo=False)
    assert inactive["ativo"] is False
    assert refused(api.send("POST", "/v1/lancamentos", **{**base, field: made["id"]}))
    active = api.put(f"/v1/{path}/{made['id']}", **fields, ativo=True)
    assert active["ativo"] is True
    assert api.send("POST", "/v1/lancamentos", **{**base, field: made["id"]}).is_success


def test_an_account_without_entries_moves_only_by_transfers(api: Api, base: dict[str, Any], conta: int) -> None:
    closed = api.post("/v1/contas", descricao="Só transferências", permite_lancamento=False)
    assert refused(api.send("POST", "/v1/lancamentos", **{**base, "conta_id": closed["id"]}))
    legs = api.post(
        "/v1/transferencias", descricao="Aplicação", valor="10.00", data="2026-01-05", conta_origem_id=conta,
        conta_destino_id=closed["id"],
    )  # fmt: skip
    assert {leg["conta_id"] for leg in legs} == {conta, closed["id"]}


def test_the_example_field_tipo_lancamento_id_is_accepted(api: Api, base: dict[str, Any]) -> None:
    assert Decimal(api.post("/v1/lancamentos", **base, tipo_lancamento_id=1)["valor"]) == Decimal("-10.5")
