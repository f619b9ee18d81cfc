"""The category tree: paths, DRE groups by the nearest mapped ancestor, cut cycles; natureza (S5, S11, R06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.transform.categories import build_categorias, find_natureza
from tests.builders import make_categorias
from tests.marks import examples


def make(*rows: tuple[Any, ...]) -> pd.DataFrame:
    """(id, descricao, tipo, parent[, ativo])"""
    names = ("id", "descricao", "tipo_categoria_id", "parent_id", "ativo")
    return make_categorias(dict(zip(names, row, strict=False)) for row in rows)


TREE = (
    (10, "Receitas", 2, None),
    (11, "Serviços", 2, 10),
    (20, "Despesas", 1, None),
    (21, "Aluguel", 1, 20),
    (24, "Marketing", 1, 20, False),
    (25, "Redes", 1, 24),
    (30, "Empréstimos", 0, None),
    (40, "", None, None),
)


def build(referenced: tuple[int, ...] = (), dre: Mapping[int, str] | None = None) -> pd.DataFrame:
    frame, cut = build_categorias(make(*TREE), referenced, dre or {})
    assert cut == ()
    return frame.set_index("categoria_id")


def test_depth_path_and_ancestors() -> None:
    frame = build()
    assert frame["nivel"].to_dict() == {10: 0, 11: 1, 20: 0, 21: 1, 24: 1, 25: 2, 30: 0, 40: 0}
    assert frame.loc[25, "caminho"] == "Despesas > Marketing (inativa) > Redes"
    assert frame.loc[25, "ancestrais"] == [20, 24]
    assert frame.loc[10, "ancestrais"] == []
    assert frame["tem_filhas"].to_dict() == {
        10: True, 11: False, 20: True, 21: False, 24: True, 25: False, 30: False, 40: False,
    }  # fmt: skip
    assert frame.loc[24, "descricao"] == "Marketing (inativa)"
    assert frame.loc[40, "descricao"] == "Categoria #40"


def test_unmapped_categories_follow_their_kind() -> None:
    frame = build()
    assert frame["dre_grupo"].to_dict() == {
        10: "receita_bruta", 11: "receita_bruta", **dict.fromkeys((20, 21, 24, 25, 30, 40), "nao_classificadas"),
    }  # fmt: skip
    assert not frame["dre_mapeada"].any()
    assert not frame["fora_resultado"].any()


def test_the_nearest_mapped_ancestor_wins() -> None:
    frame = build(dre={20: "comerciais", 24: "pessoal", 30: "fora"})
    assert frame["dre_grupo"].to_dict() == {
        10: "receita_bruta", 11: "receita_bruta", 20: "comerciais", 21: "comerciais", 24: "pessoal", 25: "pessoal",
        30: "fora", 40: "nao_classificadas",
    }  # fmt: skip
    assert frame["fora_resultado"].to_dict() == {key: key == 30 for key in frame.index}
    pd.testing.assert_frame_equal(build(dre={20: "comerciais", 24: "pessoal", 30: "divida"}), frame)  # (S17)
    assert frame["dre_mapeada"].to_dict() == {
        10: False, 11: False, 20: True, 21: True, 24: True, 25: True, 30: True, 40: False,
    }  # fmt: skip


def test_a_child_may_be_brought_back_into_the_result() -> None:
    frame = build(dre={20: "fora", 24: "comerciais"})
    assert frame["fora_resultado"].to_dict() == {
        10: False, 11: False, 20: True, 21: True, 24: False, 25: False, 30: False, 40: False,
    }  # fmt: skip


def test_ids_that_nobody_lists_get_a_placeholder() -> None:
    frame = build((99, 11, 98), {98: "fora"})
    assert frame.index.tolist() == [10, 11, 20, 21, 24, 25, 30, 40, 98, 99]
    assert frame.loc[99, "caminho"] == "Categoria #99 (não encontrada)"
    assert frame["conhecida"].tolist() == [True] * 8 + [False, False]
    assert frame.loc[98, "fora_resultado"]
    assert frame.loc[99, "dre_grupo"] == "outras"


def test_a_cycle_is_cut_at_its_lowest_id_and_told() -> None:
    frame, cut = build_categorias(
        make((3, "c", 1, 1), (1, "a", 1, 2), (2, "b", 1, 3), (4, "d", 1, 3), (5, "e", 1, 5)), (), {}
    )
    assert cut == (1, 5)
    assert dict(zip(frame["categoria_id"], frame["caminho"], strict=True)) == {
        1: "a", 3: "a > c", 2: "a > c > b", 4: "a > c > d", 5: "e",
    }  # fmt: skip


def test_a_tree_deeper_than_64_levels_begins_anew_at_the_root_and_is_told() -> None:
    """A flat chain of 2,000 parents: 64 levels each, and a chain of 64 stays whole."""
    frame, cut = build_categorias(make(*((n, f"c{n}", 1, n - 1 or None) for n in range(1, 2001))), (), {})
    assert cut == tuple(range(65, 2001, 64))
    assert frame["nivel"].max() == 63
    assert build_categorias(make(*((n, f"c{n}", 1, n - 1 or None) for n in range(1, 65))), (), {})[1] == ()


def test_a_parent_that_is_not_listed_is_none() -> None:
    frame, _ = build_categorias(make((1, "a", 1, 77)), (), {})
    assert frame["nivel"].tolist() == [0]
    assert frame["parent_id"].isna().all()


def test_no_categories_at_all() -> None:
    frame, cut = build_categorias(make(), (), {})
    assert len(frame) == 0
    assert cut == ()


@examples(20)
@given(st.dictionaries(st.integers(1, 12), st.integers(1, 14), max_size=12))
def test_any_tangle_of_parents_becomes_a_forest(parents: dict[int, int]) -> None:
    frame, cut = build_categorias(make(*((child, f"c{child}", 1, parent) for child, parent in parents.items())), (), {})
    found = frame.set_index("categoria_id")
    for child, row in zip(found.index.tolist(), found.to_dict("records"), strict=True):
        above = row["ancestrais"]
        assert len(set(above)) == len(above) == row["nivel"]
        assert child not in above
        if above:
            assert above[-1] == row["parent_id"] == parents[child]
            assert found.loc[above[-1], "ancestrais"] == above[:-1]
        else:
            assert child in cut or parents[child] not in parents


@pytest.mark.parametrize(
    ("categoria", "centavos", "by_category"),
    [
        (11, 100, "R"),
        (11, -100, "R"),  # a refund in a revenue category lowers Entradas
        (21, -100, "D"),
        (21, 100, "D"),  # a reimbursement in an expense category lowers Saídas
        (30, 100, "R"),
        (30, -100, "D"),
        (30, 0, "R"),
        (40, -1, "D"),
        (99, 5, "R"),
        (None, -5, "D"),
        (None, 0, "R"),
    ],
)
def test_natureza(categoria: int | None, centavos: int, by_category: str) -> None:
    categorias = build((99,)).reset_index()
    linhas = pd.DataFrame(
        {"categoria_id": pd.array([categoria], dtype="Int64"), "valor_centavos": pd.array([centavos], dtype="int64")}
    )
    assert find_natureza(linhas, categorias).tolist() == [by_category]
