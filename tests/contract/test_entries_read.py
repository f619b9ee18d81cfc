"""Section 4.1, reading: fields, filters, regimes, views and paging of entries."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.contract.calls import DATE, DECIMAL, MOMENT, Api, count_of, refused

LINKS = (
    "grupo_id", "lancamento_transferencia_id", "categoria_id", "centro_custo_lucro_id", "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id", "conta_id", "forma_pagamento_id", "pessoa_id", "tipo_documento_id",
    "pedido_id", "lancamento_composto_id",
)  # fmt: skip
PERIODS = {"D7", "D15", "M1", "M2", "M3", "M6", "M12", "DS", "D1", None}


def every(api: Api, **query: Any) -> list[dict[str, Any]]:
    """Read a listing to its end by rows received."""
    found: list[dict[str, Any]] = []
    while page := api.get("/v1/lancamentos", limit=500, start=len(found), **query):
        found += page
        assert len(found) < 20000, "the listing does not end"
    return found


def ids(found: list[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in found]


def cash_date(row: dict[str, Any]) -> str:
    return row["data_pagamento"] or row["data_vencimento"]


def test_every_field_has_its_type(rows: list[dict[str, Any]]) -> None:
    assert rows
    for row in rows:
        assert isinstance(row["id"], int)
        for name in LINKS:
            assert row[name] is None or isinstance(row[name], int), name
        assert DECIMAL.fullmatch(row["valor"])
        assert DATE.fullmatch(row["data_vencimento"])
        for name in ("data_pagamento", "data_competencia"):
            assert row[name] is None or DATE.fullmatch(row[name]), name
        for name in ("descricao", "documento", "observacao"):
            assert isinstance(row[name], str), name
        assert isinstance(row["pagamento_automatico"], bool)
        assert row["periodicidade"] in PERIODS
        for name in ("numero_repeticao", "total_repeticoes"):
            assert row[name] is None or isinstance(row[name], int), name
        assert MOMENT.fullmatch(row["modified"])
        for name in ("anexos", "tags", "itens_adicionais"):
            assert all(isinstance(element["id"], int) for element in row[name]), name


def test_items_have_their_fields(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        for item in row["itens_adicionais"]:
            assert {"id", "descricao", "valor", "categoria_id", "lancamento_composto_id", "tags"} <= item.keys()
            assert DECIMAL.fullmatch(item["valor"])
            assert item["lancamento_composto_id"] == row["lancamento_composto_id"] is not None


def test_an_account_or_a_person_is_required(api: Api) -> None:
    assert refused(api.ask("GET", "/v1/lancamentos"))


def test_a_listing_holds_only_its_account(api: Api, contas: list[int]) -> None:
    for conta in contas:
        assert {row["conta_id"] for row in api.get("/v1/lancamentos", conta_id=conta, limit=500)} <= {conta}


def test_fifty_by_default_and_never_more_than_500(api: Api, contas: list[int]) -> None:
    for conta in contas:
        assert len(api.get("/v1/lancamentos", conta_id=conta)) <= 50
        too_many = api.ask("GET", "/v1/lancamentos", {"conta_id": conta, "limit": 5000})
        assert refused(too_many) or len(too_many.json()) <= 500


def test_pages_put_together_are_the_listing(api: Api, contas: list[int]) -> None:
    for conta in contas:
        whole = every(api, conta_id=conta)
        assert len(set(ids(whole))) == len(whole) == count_of(api.get("/v1/lancamentos", conta_id=conta,
                                                                       tipo_view="count"))  # fmt: skip
        start = len(whole) // 2
        assert ids(api.get("/v1/lancamentos", conta_id=conta, start=start, limit=7)) == ids(whole)[start : start + 7]
        assert api.get("/v1/lancamentos", conta_id=conta, start=len(whole), limit=500) == []


def test_the_get_of_an_entry_is_its_row(api: Api, rows: list[dict[str, Any]]) -> None:
    for row in [row for row in rows if row["lancamento_composto_id"] is None][:10]:
        assert api.get(f"/v1/lancamentos/{row['id']}") == row


def test_the_list_view_has_id_and_description(api: Api, contas: list[int]) -> None:
    full = api.get("/v1/lancamentos", conta_id=contas[0], limit=20)
    short = api.get("/v1/lancamentos", conta_id=contas[0], limit=20, tipo_view="list")
    assert [(row["id"], row["descricao"]) for row in short] == [(row["id"], row["descricao"]) for row in full]


def test_paging_is_repeatable(api: Api, contas: list[int]) -> None:
    asked = {"conta_id": contas[0], "limit": 100, "start": 20}
    assert ids(api.get("/v1/lancamentos", **asked)) == ids(api.get("/v1/lancamentos", **asked))


@pytest.mark.parametrize(
    "name",
    ["pessoa_id", "grupo_id", "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "tipo_documento_id",
     "documento"],
)  # fmt: skip
def test_a_filter_gives_exactly_what_matches(api: Api, contas: list[int], name: str) -> None:
    conta = contas[0]
    simple = [row for row in every(api, conta_id=conta) if row["lancamento_composto_id"] is None]
    seen = Counter(row[name] for row in simple if row[name])
    if not seen:
        pytest.skip(f"no entry with {name}")
    value = seen.most_common(1)[0][0]
    found = [row for row in every(api, conta_id=conta, **{name: value}) if row["lancamento_composto_id"] is None]
    assert sorted(ids(found)) == sorted(row["id"] for row in simple if row[name] == value)


def test_a_composite_is_found_by_its_group(api: Api, rows: list[dict[str, Any]]) -> None:
    composites = [row for row in rows if row["lancamento_composto_id"] is not None]
    if not composites:
        pytest.skip("no composite")
    row = composites[0]
    group = row["lancamento_composto_id"]
    found = every(api, conta_id=row["conta_id"], lancamento_composto_id=group)
    assert row["id"] in ids(found)
    assert {other["lancamento_composto_id"] for other in found} == {group}


def test_a_person_is_enough(api: Api, rows: list[dict[str, Any]]) -> None:
    people = [row["pessoa_id"] for row in rows if row["pessoa_id"]]
    if not people:
        pytest.skip("no entry names a person")
    found = every(api, pessoa_id=people[0])
    assert found
    assert {row["id"] for row in rows if row["pessoa_id"] == people[0]} <= set(ids(found))


def test_tags_any_and_all(api: Api, rows: list[dict[str, Any]]) -> None:
    tagged = [row for row in rows if len(row["tags"]) >= 2]
    if not tagged:
        pytest.skip("no entry with two tags")
    conta = tagged[0]["conta_id"]
    one, two = (tag["id"] for tag in tagged[0]["tags"][:2])
    whole = every(api, conta_id=conta)

    def with_tags(row: dict[str, Any]) -> set[int]:
        return {tag["id"] for tag in row["tags"]}

    assert ids(every(api, conta_id=conta, tag_id=str(one))) == [r["id"] for r in whole if one in with_tags(r)]
    assert ids(every(api, conta_id=conta, tag_id=f"{one}|{two}")) == [
        r["id"] for r in whole if with_tags(r) & {one, two}
    ]
    assert ids(every(api, conta_id=conta, tag_id=f"{one}&{two}")) == [
        r["id"] for r in whole if {one, two} <= with_tags(r)
    ]


def test_dates_filter_by_the_cash_regime_and_only_as_a_pair(api: Api, contas: list[int]) -> None:
    conta = contas[0]
    whole = every(api, conta_id=conta)
    days = sorted(cash_date(row) for row in whole)
    first, last = days[len(days) // 4], days[len(days) // 2]
    inside = [row["id"] for row in whole if first <= cash_date(row) <= last]
    assert sorted(ids(every(api, conta_id=conta, data_inicio=first, data_fim=last))) == sorted(inside)
    assert sorted(ids(every(api, conta_id=conta, regime="caixa", data_inicio=first, data_fim=last))) == sorted(inside)
    assert len(every(api, conta_id=conta, data_inicio=first)) == len(whole)
    assert len(every(api, conta_id=conta, data_fim=last)) == len(whole)


def test_dates_filter_by_competence(api: Api, contas: list[int]) -> None:
    conta = contas[0]
    dated = [row for row in every(api, conta_id=conta) if row["data_competencia"]]
    days = sorted(row["data_competencia"] for row in dated)
    first, last = days[len(days) // 4], days[len(days) // 2]
    found = every(api, conta_id=conta, regime="competencia", data_inicio=first, data_fim=last)
    assert {row["id"] for row in dated if first <= row["data_competencia"] <= last} <= set(ids(found))
    assert all(first <= row["data_competencia"] <= last for row in found if row["data_competencia"])


@pytest.mark.parametrize(
    ("tipo", "sign", "paid"),
    [("P", -1, None), ("R", 1, None), ("LP", -1, True), ("LR", 1, True), ("PA", -1, False), ("RA", 1, False)],
)
def test_types(api: Api, contas: list[int], tipo: str, sign: int, paid: bool | None) -> None:
    for conta in contas:
        for row in every(api, conta_id=conta, tipo=tipo):
            simple = row["lancamento_composto_id"] is None
            assert not simple or (row["valor"].startswith("-")) == (sign < 0), row["id"]
            assert paid is None or (row["data_pagamento"] is not None) == paid, row["id"]


def test_paid_types_are_complete(api: Api, contas: list[int]) -> None:
    conta = contas[0]
    whole = [row for row in every(api, conta_id=conta) if row["lancamento_composto_id"] is None]
    for tipo, negative in (("LP", True), ("LR", False)):
        expected = {
            row["id"]
            for row in whole
            if row["data_pagamento"] and row["valor"].startswith("-") == negative
            if row["lancamento_transferencia_id"] is None and row["valor"] not in ("0.00", "0.0")
        }
        assert expected <= set(ids(every(api, conta_id=conta, tipo=tipo)))


def test_dt_leaves_transfers_out_and_nothing_else(api: Api, contas: list[int]) -> None:
    for conta in contas:
        whole = every(api, conta_id=conta)
        expected = [row["id"] for row in whole if not row["lancamento_transferencia_id"]]
        assert ids(every(api, conta_id=conta, tipo="DT")) == expected


def test_search_finds_descriptions_and_names(api: Api, rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if len(row["descricao"]) > 5)
    asked = {"conta_id": row["conta_id"], "busca": row["descricao"]}
    assert row["id"] in ids(every(api, **asked))
    people = {person["id"]: person for person in api.get("/v1/clientes", considerar_inativos="true")}
    named = next((row for row in rows if row["pessoa_id"] in people), None)
    if named is not None:
        name = people[named["pessoa_id"]]["nome"]
        assert named["id"] in ids(every(api, conta_id=named["conta_id"], busca=name))


def test_views_and_filters_combine(api: Api, contas: list[int]) -> None:
    asked = {"conta_id": contas[0], "tipo": "LR"}
    assert count_of(api.get("/v1/lancamentos", tipo_view="count", **asked)) == len(every(api, **asked))
