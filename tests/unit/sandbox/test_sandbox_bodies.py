"""What a body may be (UTF-8, whatever its kind, refused as a whole otherwise), and what a form of brackets says."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro_sandbox.forms import Node, parse_form, split_name
from lastro_sandbox.params import Params, explain_decimal, parse_centavos, parse_date
from tests.marks import examples
from tests.unit.sandbox.serving import Client, served

FORM = "application/x-www-form-urlencoded"
MULTIPART = 'multipart/form-data; boundary="x"'


@pytest.fixture(scope="module")
def observed() -> Iterator[Client]:
    with served(dialeto="observado") as client:
        yield client


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (FORM, b"descricao=Conta\xe7\xe3o"),
        (FORM, b"descricao=Conta%E7%E3o"),
        (FORM, b"descri%E7ao=x"),
        ("text/plain", b"descricao=\xff"),
        ("application/json", b'{"descricao": "Conta\xe7\xe3o"}'),
        ("application/json", b'{"descricao": "\\ud800"}'),
        ("application/json", b'{"\\ud800": "x"}'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="descricao"\r\n\r\nConta\xe7\xe3o\r\n--x--\r\n'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="descri\xe7ao"\r\n\r\nx\r\n--x--\r\n'),
        (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xe7.txt"\r\n\r\nx\r\n--x--\r\n'),
    ],
)  # fmt: skip
def test_a_body_that_is_not_utf_8_is_refused(observed: Client, kind: str, body: bytes) -> None:
    answer = observed.post("/v1/contas", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["corpo"])
    assert "UTF-8" in answer.json()["errors"]["corpo"][0]


@pytest.mark.parametrize("text", [b"%E7", b"\xe7"])
def test_parameters_that_are_not_utf_8_are_refused(observed: Client, text: bytes) -> None:
    with socket.create_connection(("127.0.0.1", observed.base_url.port or 0)) as plain:
        plain.sendall(b"GET /v1/lancamentos?access_token=sandbox&conta_id=101&busca=" + text + b" HTTP/1.1\r\n"
                      b"Host: x\r\nConnection: close\r\n\r\n")  # fmt: skip
        answer = plain.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"UTF-8" in answer or text == b"\xe7"  # what is no text at all does not pass the server before us


def test_utf_8_is_kept_in_every_kind_of_body(observed: Client) -> None:
    name = "Conta ção 🏦"
    for arguments in ({"data": {"descricao": name}}, {"json": {"descricao": name}},
                      {"files": {"descricao": (None, name)}}, {"content": f"descricao={name}".encode()}):  # fmt: skip
        assert observed.post("/v1/contas", **arguments).json()["descricao"] == name


@pytest.mark.parametrize(
    ("text", "says"),
    [("10.505", "duas casas"), ("12345678901234", "13 algarismos"), ("abc", "como 10.00"), ("1e2", "como 10.00")],
)
def test_an_amount_that_is_refused_says_why(text: str, says: str) -> None:
    assert says in explain_decimal(text)


def plain(node: Node) -> Any:
    """Turn a parsed node into texts, lists and dicts."""
    if node.elements or node.indexes:
        return [plain(element) for element in node.items()]
    return {name: plain(child) for name, child in node.fields.items()} if node.fields else node.text


def parse(*pairs: tuple[str, str]) -> Any:
    return plain(parse_form(pairs))


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


@pytest.mark.parametrize(("text", "kept"), [(" a\ufeff", "a"), ("\u3000", None), ("\x1f", "\x1f"), ("\x85", "\x85")])
def test_blank_is_what_the_description_calls_blank(text: str, kept: str | None) -> None:
    assert Params({"nome": text}).raw("nome") == kept
