"""Names: the order people expect, and a text for every id (S11)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.folding import sort_key
from lastro.transform.labels import Labels, tell_apart
from lastro.transform.lookup import look_up


def test_names_are_sorted_without_accents_and_case() -> None:
    names = ["Zulmira", "épsilon", "Água", "ana", "Ábaco", "Épsilon 2", "Çelik", "celso", "ñandu", "Nanda"]
    assert sorted(names, key=sort_key) == [
        "Ábaco", "Água", "ana", "Çelik", "celso", "épsilon", "Épsilon 2", "Nanda", "ñandu", "Zulmira",
    ]  # fmt: skip


@given(st.text())
def test_the_order_does_not_depend_on_case_or_on_how_accents_are_stored(text: str) -> None:
    import unicodedata

    assert sort_key(unicodedata.normalize("NFD", text)) == sort_key(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("nothing", [None, pd.NA, pd.NaT, np.nan])
def test_no_id_has_a_name_too(nothing: object) -> None:
    labels = Labels()
    assert labels.conta(nothing) == "Sem conta"
    assert labels.categoria(nothing) == "Sem categoria"
    assert labels.categoria_caminho(nothing) == "Sem categoria"
    assert labels.pessoa(nothing) == "Sem pessoa"
    assert labels.centro(nothing) == "Sem centro"
    assert labels.forma(nothing) == "Sem forma"
    assert labels.tipo_documento(nothing) == "Sem tipo de documento"


def test_an_unknown_id_is_shown() -> None:
    labels = Labels(centros={31: "Loja", 32: ""})
    assert labels.centro(31) == "Loja"
    assert labels.centro(np.int64(31)) == "Loja"
    assert labels.centro(32) == "Centro #32"
    assert labels.centro(33) == "Centro #33"
    assert labels.categoria(7) == "Categoria #7 (não encontrada)"
    assert labels.pessoa(7) == "Pessoa #7 (não encontrada)"
    assert labels.conta(7) == "Conta #7"
    assert labels.forma(7) == "Forma #7"
    assert labels.tag(7) == "Tag #7"


def test_equal_names_are_told_apart_by_their_id() -> None:
    names = {7: "Ipê", 12: "IPE", 3: "Ipê Ltda", 9: "Água  Viva", 10: "agua viva "}
    assert tell_apart(names) == {
        7: "Ipê (#7)", 12: "IPE (#12)", 3: "Ipê Ltda", 9: "Água  Viva (#9)", 10: "agua viva (#10)",
    }  # fmt: skip


@given(st.dictionaries(st.integers(1, 999), st.sampled_from(["Ipê", "ipe", "Jatobá"])))
def test_no_two_names_told_apart_are_equal(names: dict[int, str]) -> None:
    told = tell_apart(names)
    assert len({sort_key(name) for name in told.values()}) == len(names)


def test_looking_up_keeps_types_also_when_nothing_is_found() -> None:
    keys = pd.Series(pd.array([3, None, 1], dtype="Int64"), index=[7, 8, 9])
    values = pd.Series(pd.array([10, 30], dtype="Int64"), index=[1, 3])
    found = look_up(keys, values)
    assert found.index.tolist() == [7, 8, 9]
    assert found.fillna(0).tolist() == [30, 0, 10]
    nothing = look_up(keys, values.iloc[:0])
    assert nothing.isna().all()
    assert str(nothing.dtype) == "Int64"
