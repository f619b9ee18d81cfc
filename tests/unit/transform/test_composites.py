"""Composites in every shape: the same linhas and títulos, no amount twice (S1, S2, S7)."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.transform.composites import DIFERENCA, Composed
from tests.bare import build_linhas
from tests.builders import make_itens, make_lancamentos
from tests.marks import examples

PAID = {"data_vencimento": "2026-02-27", "data_pagamento": "2026-02-27", "data_competencia": "2026-02-01"}
HEAD = {**PAID, "id": 1007, "categoria_id": 22, "lancamento_composto_id": 8001, "centro_custo_lucro_id": 202}
ITEM_8: dict[str, Any] = {"id": 1008, "valor": "-250.00", "categoria_id": 23}
ITEM_9: dict[str, Any] = {"id": 1009, "valor": "150.00", "categoria_id": 22}
ITEM_7: dict[str, Any] = {"id": 1007, "valor": "-3000.00", "categoria_id": 22}
ROW_8 = {**HEAD, **ITEM_8}
ROW_9 = {**HEAD, **ITEM_9}
ROW_7 = {**HEAD, "valor": "-3000.00"}
SHAPES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "A nested": ([{**ROW_7, "qtde_itens": 2}], [{"de": 1007, **ITEM_8}, {"de": 1007, **ITEM_9}]),
    "A nested, group only in the items": (
        [{**ROW_7, "lancamento_composto_id": None, "qtde_itens": 2}],
        [{"de": 1007, **ITEM_8, "lancamento_composto_id": 8001}, {"de": 1007, **ITEM_9}],
    ),
    "A nested, no group at all": (
        [{**ROW_7, "lancamento_composto_id": None, "qtde_itens": 2}],
        [{"de": 1007, **ITEM_8}, {"de": 1007, **ITEM_9}],
    ),
    "B rows": ([ROW_7, ROW_8, ROW_9], []),
    "C rows and nested": (
        [{**ROW_7, "qtde_itens": 2}, ROW_8, ROW_9],
        [{"de": 1007, **ITEM_8}, {"de": 1007, **ITEM_9}],
    ),
    "D every row nests its siblings": (
        [{**row, "qtde_itens": 2} for row in (ROW_7, ROW_8, ROW_9)],
        [
            {"de": carrier, **item}
            for carrier in (1007, 1008, 1009)
            for item in (ITEM_7, ITEM_8, ITEM_9)
            if item["id"] != carrier
        ],
    ),
}
OTHER = {"id": 1, "valor": "50.00", "categoria_id": 11, "data_vencimento": "2026-03-01"}


def build(rows: list[dict[str, Any]], items: list[dict[str, Any]], **options: Any) -> Composed:
    lancamentos, itens = make_lancamentos(rows), make_itens(items)
    before = lancamentos.copy(deep=True), itens.copy(deep=True)
    composed = build_linhas(lancamentos, itens, **options)
    pd.testing.assert_frame_equal(lancamentos, before[0])
    pd.testing.assert_frame_equal(itens, before[1])
    return composed


def amounts(composed: Composed) -> dict[int, int]:
    return dict(zip(composed.linhas["linha_id"], composed.linhas["valor_centavos"], strict=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_linhas_and_one_titulo(shape: str) -> None:
    rows, items = SHAPES[shape]
    composed = build([OTHER, *rows], items)
    assert composed.evidence.mode == "parcela"
    assert (composed.evidence.n0, composed.evidence.n1) == (1, 0)
    assert amounts(composed) == {1: 5_000, 1007: -300_000, 1008: -25_000, 1009: 15_000}
    linhas = composed.linhas.set_index("linha_id")
    assert linhas["titulo_id"].to_dict() == {1: 1, 1007: 1007, 1008: 1007, 1009: 1007}
    assert linhas["categoria_id"].to_dict() == {1: 11, 1007: 22, 1008: 23, 1009: 22}
    assert linhas["conta_id"].eq(101).all()
    assert linhas["data_pagamento"].notna().to_dict() == {1: False, 1007: True, 1008: True, 1009: True}
    assert linhas["centro_custo_lucro_id"].fillna(0).to_dict() == {1: 0, 1007: 202, 1008: 202, 1009: 202}
    titulos = composed.titulos.set_index("titulo_id")
    assert titulos["valor_centavos"].to_dict() == {1: 5_000, 1007: -310_000}
    assert titulos["qtde_linhas"].to_dict() == {1: 1, 1007: 3}
    assert titulos["tipo"].to_dict() == {1: "R", 1007: "P"}
    assert titulos["categoria_id"].to_dict() == {1: 11, 1007: 22}
    assert titulos["categorias_distintas"].to_dict() == {1: 1, 1007: 2}
    assert titulos["bruto_centavos"].to_dict() == {1: 5_000, 1007: -325_000}
    assert titulos["deducoes_centavos"].to_dict() == {1: 0, 1007: 15_000}


TOTAL_ROWS = [{**HEAD, "valor": "-3100.00", "qtde_itens": 3}]
TOTAL_ITEMS = [{"de": 1007, **ITEM_7, "id": 1107}, {"de": 1007, **ITEM_8}, {"de": 1007, **ITEM_9}]


def test_a_parent_that_is_the_sum_of_its_items_is_no_linha() -> None:
    composed = build([OTHER, *TOTAL_ROWS], TOTAL_ITEMS)
    assert composed.evidence.mode == "total"
    assert (composed.evidence.n0, composed.evidence.n1) == (0, 1)
    assert amounts(composed) == {1: 5_000, 1107: -300_000, 1008: -25_000, 1009: 15_000}
    titulos = composed.titulos.set_index("titulo_id")
    assert titulos["valor_centavos"].to_dict() == {1: 5_000, 1007: -310_000}
    assert composed.carriers == {1007: 1007}
    assert composed.diferencas == ()


def test_what_the_items_leave_unexplained_is_a_linha_of_its_own() -> None:
    rows = [{**HEAD, "valor": "-3200.00", "qtde_itens": 3}]
    composed = build(rows, TOTAL_ITEMS, composto_valor_pai="total")
    assert amounts(composed) == {1007: -10_000, 1107: -300_000, 1008: -25_000, 1009: 15_000}
    linhas = composed.linhas.set_index("linha_id")
    assert linhas.loc[1007, "descricao"] == DIFERENCA
    assert linhas.loc[1007, "categoria_id"] == 22
    assert composed.titulos["valor_centavos"].tolist() == [-320_000]
    assert composed.diferencas == (1007,)
    assert composed.carriers == {}


def test_one_equal_item_proves_nothing() -> None:
    """A parent of -250 with one item of -250: either mode fits, so it is no evidence (S2.5)."""
    composed = build([{**HEAD, "valor": "-250.00", "qtde_itens": 1}], [{"de": 1007, **ITEM_8}])
    assert (composed.evidence.n0, composed.evidence.n1, composed.evidence.decided) == (0, 0, None)
    assert composed.evidence.mode == "parcela"
    assert composed.titulos["valor_centavos"].tolist() == [-50_000]


def test_mixed_evidence_is_parcela_and_a_setting_or_an_earlier_run_decides_before_the_data() -> None:
    odd = {**HEAD, "id": 2000, "lancamento_composto_id": 9000, "valor": "-1.00", "qtde_itens": 1}
    rows = [*TOTAL_ROWS, odd]
    items = [*TOTAL_ITEMS, {"de": 2000, "id": 2001, "valor": "-7.00"}]
    composed = build(rows, items)
    assert (composed.evidence.n0, composed.evidence.n1) == (1, 1)
    assert (composed.evidence.mode, composed.evidence.source) == ("parcela", "dados")
    stored = build(TOTAL_ROWS, TOTAL_ITEMS, modo_anterior="parcela")
    assert (stored.evidence.mode, stored.evidence.decided, stored.evidence.source) == (
        "parcela",
        "total",
        "execução anterior",
    )
    told = build(TOTAL_ROWS, TOTAL_ITEMS, composto_valor_pai="total", modo_anterior="parcela")
    assert (told.evidence.mode, told.evidence.source) == ("total", "parametro")


def test_parts_due_or_paid_on_other_days_or_accounts_are_titulos_of_their_own() -> None:
    rows = [
        {**ROW_7, "qtde_itens": 0},
        {**ROW_8, "data_pagamento": None},
        {**ROW_9, "conta_id": 102},
        {**ROW_9, "id": 1010, "data_vencimento": "2026-02-28"},
        {**ROW_9, "id": 1011},
    ]
    composed = build(rows, [])
    linhas = composed.linhas.set_index("linha_id")
    assert linhas["titulo_id"].to_dict() == {1007: 1007, 1008: 1008, 1009: 1009, 1010: 1010, 1011: 1007}


def test_parts_without_account_or_payment_still_belong_together() -> None:
    """Null is a value of the group's key, not a reason to fall out of it."""
    rows = [{**row, "conta_id": None, "data_pagamento": None} for row in (ROW_7, ROW_8, ROW_9)]
    composed = build(rows, [])
    assert composed.linhas["titulo_id"].tolist() == [1007, 1007, 1007]
    assert composed.titulos["qtde_linhas"].tolist() == [3]


def test_an_equal_id_in_another_composite_is_a_different_thing() -> None:
    rows = [
        {**HEAD, "valor": "-10.00", "qtde_itens": 1},
        {**HEAD, "id": 2000, "lancamento_composto_id": 9000, "valor": "-20.00", "qtde_itens": 1},
        {"id": 3000, "valor": "-30.00"},
    ]
    items = [{"de": 1007, "id": 3000, "valor": "-1.00"}, {"de": 2000, "id": 3000, "valor": "-2.00"}]
    composed = build(rows, items)
    found = composed.linhas.groupby(["origem", "linha_id"])["valor_centavos"].apply(list).to_dict()
    assert found == {
        ("lancamento", 1007): [-1_000],
        ("lancamento", 2000): [-2_000],
        ("lancamento", 3000): [-3_000],
        ("item", 3000): [-100, -200],
    }


def test_an_item_inherits_what_it_has_no_key_for_and_never_tags() -> None:
    rows = [{**HEAD, "valor": "-10.00", "pessoa_id": 601, "forma_pagamento_id": 301, "tags": [1], "qtde_itens": 2}]
    items = [
        {"de": 1007, "id": 5, "valor": "-1.00", "pessoa_id": None, "forma_pagamento_id": 303, "tags": [9]},
        {"de": 1007, "id": 6, "valor": "-2.00"},
    ]
    linhas = build(rows, items).linhas.set_index("linha_id")
    assert linhas["pessoa_id"].isna().to_dict() == {5: True, 6: False, 1007: False}
    assert linhas["forma_pagamento_id"].to_dict() == {5: 303, 6: 301, 1007: 301}
    assert linhas["centro_custo_lucro_id"].to_dict() == {5: 202, 6: 202, 1007: 202}
    assert linhas["tags"].to_dict() == {5: [9], 6: [], 1007: [1]}
    assert linhas["origem"].to_dict() == {5: "item", 6: "item", 1007: "lancamento"}


def test_opening_balances_are_no_linhas() -> None:
    rows = [
        {"id": 1000, "valor": "10000.00", "data_pagamento": "2026-01-01"},
        {"id": 1001, "valor": "7.00", "categoria_id": 77, "data_pagamento": "2026-01-01"},
        OTHER,
    ]
    composed = build(rows, [], saldo_inicial_lancamentos=(1000,), saldo_inicial_categorias=(77,))
    assert amounts(composed) == {1: 5_000}
    assert composed.saldos_iniciais["lancamento_id"].tolist() == [1000, 1001]


def test_nothing_at_all_is_a_company_too() -> None:
    composed = build([], [])
    assert len(composed.linhas) == len(composed.titulos) == 0
    assert composed.evidence.mode == "parcela"


SMALL = st.integers(-500, 500)


def reais(value: int) -> str:
    return f"{'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02d}"


@examples(15)
@given(
    st.lists(st.tuples(SMALL, st.lists(SMALL, max_size=4)), min_size=1, max_size=6),
    st.sampled_from(["A", "B", "C", "D"]),
    st.randoms(use_true_random=False),
)
def test_cents_are_conserved_in_every_shape_and_order(
    composites: list[tuple[int, list[int]]], shape: str, rng: Any
) -> None:
    """In mode `parcela` every component counts once, whatever the list repeats and in whatever order."""
    rows: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    expected: dict[int, int] = {}
    for number, (parent, parts) in enumerate(composites, 1):
        ids = [100 * number + place for place in range(len(parts) + 1)]
        values = dict(zip(ids, [parent, *parts], strict=True))
        expected |= values
        group = {"lancamento_composto_id": 7000 + number} if parts else {}
        for place, (id_, value) in enumerate(values.items()):
            carries = shape == "D" or place == 0
            nested = [other for other in ids if other != id_] if carries and shape in "ACD" else []
            if place == 0 or shape != "A":
                rows.append({"id": id_, "valor": reais(value), "qtde_itens": len(nested), **group})
                items += [{"de": id_, "id": other, "valor": reais(values[other])} for other in nested]
    rng.shuffle(rows)
    composed = build(rows, items, composto_valor_pai="parcela")
    assert amounts(composed) == expected
    assert composed.linhas["linha_id"].is_monotonic_increasing
    assert composed.titulos["valor_centavos"].sum() == sum(expected.values())
    assert composed.titulos["qtde_linhas"].sum() == len(expected)
