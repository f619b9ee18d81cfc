"""Form bodies in bracket notation: exact, in order, whatever a client does with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro_sandbox.forms import Node, parse_form, split_name
from lastro_sandbox.params import Params, parse_centavos, parse_date
from tests.marks import examples


def plain(node: Node) -> Any:
    """Turn a parsed node into texts, lists and dicts."""
    if node.elements or node.indexes:
        return [plain(element) for element in node.items()]
    return {name: plain(child) for name, child in node.fields.items()} if node.fields else node.text


def parse(*pairs: tuple[str, str]) -> Any:
    return plain(parse_form(pairs))


def test_elements_begin_when_a_name_comes_again() -> None:
    found = parse(
        ("itens_adicionais[][descricao]", "a"),
        ("itens_adicionais[][tags][][id]", "1"),
        ("itens_adicionais[][tags][][id]", "2"),
        ("itens_adicionais[][valor]", "1"),
        ("itens_adicionais[][descricao]", "b"),
        ("itens_adicionais[][valor]", "2"),
        ("itens_adicionais[][tags][][id]", "3"),
        ("itens_adicionais[][descricao]", "c"),
    )
    assert found == {
        "itens_adicionais": [
            {"descricao": "a", "tags": [{"id": "1"}, {"id": "2"}], "valor": "1"},
            {"descricao": "b", "valor": "2", "tags": [{"id": "3"}]},
            {"descricao": "c"},
        ]
    }


def test_an_optional_field_of_a_later_element_stays_there() -> None:
    found = parse(("a[][x]", "1"), ("a[][x]", "2"), ("a[][y]", "only of the second"))
    assert found == {"a": [{"x": "1"}, {"x": "2", "y": "only of the second"}]}


def test_columns_are_put_together_to_rows() -> None:
    found = parse(("v", "0"), ("a[][x]", "1"), ("a[][x]", "2"), ("a[][y]", "3"), ("a[][y]", "4"), ("w", "9"))
    assert found == {"v": "0", "a": [{"x": "1", "y": "3"}, {"x": "2", "y": "4"}], "w": "9"}


def test_numbered_elements_come_in_order_of_appearance() -> None:
    assert parse(("a[0][x]", "1"), ("a[1][x]", "2"), ("a[0][y]", "3")) == {"a": [{"x": "1", "y": "3"}, {"x": "2"}]}
    assert parse(("t[0][id]", "5"), ("t[1][id]", "6")) == {"t": [{"id": "5"}, {"id": "6"}]}


@pytest.mark.parametrize("name", ["", "[]", "a[", "a]", "a[]b", "a[[]]", "a" + "[]" * 50])
def test_odd_names_are_no_structure(name: str) -> None:
    assert split_name(name) is None


@examples(20)
@given(st.lists(st.tuples(st.text("ab[]01", max_size=8), st.text(max_size=3)), max_size=12))
def test_no_body_breaks_the_parser(pairs: list[tuple[str, str]]) -> None:
    assert isinstance(parse_form(pairs), Node)


rows = st.lists(
    st.fixed_dictionaries(
        {"descricao": st.text(max_size=3), "valor": st.text(max_size=3)}, optional={"n": st.just("1")}
    ),
    min_size=1,
    max_size=5,
)


@given(rows)
def test_rows_come_back_as_they_were_sent(sent: list[dict[str, str]]) -> None:
    order = ("descricao", "valor", "n")  # an optional field in front would belong to the element before
    pairs = [(f"itens[][{name}]", row[name]) for row in sent for name in order if name in row]
    assert parse(*pairs) == {"itens": sent}


@pytest.mark.parametrize(
    ("text", "centavos"),
    [("10", 1000), ("-10.5", -1050), ("0.01", 1), ("10.00", 1000), ("10.5000", 1050), ("1.005", None), ("1e2", None),
     ("1,00", None), ("", None), ("NaN", None), ("٣", None), ("9" * 14, None)],
)  # fmt: skip
def test_amounts(text: str, centavos: int | None) -> None:
    assert parse_centavos(text) == centavos


@pytest.mark.parametrize("text", ["2026-02-30", "2026-2-3", "20260203", "26-02-03", "3000-01-01", "0001-01-01", "hoje"])
def test_what_is_no_date(text: str) -> None:
    assert parse_date(text) is None


def test_the_word_null_is_unset_except_in_free_text() -> None:
    params = Params({"total_repeticoes": "null", "observacao": "null"})
    assert (params.integer("total_repeticoes"), params.text("observacao")) == (None, "null")
