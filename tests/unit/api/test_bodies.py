"""Bodies keep what they say: no number through a float, nothing that the loader would change."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.api.bodies import MAX_VALUES, decode_body, expand_gzip, parse_body, read_body
from lastro.api.redaction import BodyMask

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("literal", "kept"),
    [
        ("12.50", "12.50"),
        ("-0.10", "-0.10"),
        ("1e2", "1e2"),
        ("1E+400", "1E+400"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("9223372036854775808", "9223372036854775808"),
        ("12345678901234567890123.45", "12345678901234567890123.45"),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_a_number_that_a_float_or_64_bits_would_change_becomes_the_text_of_its_literal(literal: str, kept: str) -> None:
    received = '[{"id": 1, "valor": ' + literal + "}]"
    body = parse_body(received)
    assert body.value == [{"id": 1, "valor": kept}]
    assert json.loads(body.line) == [{"id": 1, "valor": kept}]
    assert body.original == received


@pytest.mark.parametrize("literal", ["0.0", "-0.0", "1.50", "2e0"])
def test_a_fraction_is_found_wherever_it_stands(literal: str) -> None:
    for received, value in (
        (literal, literal),
        (f"[1, {literal}]", [1, literal]),
        (f'[{{"itens": [{{"valor": {literal}}}]}}]', [{"itens": [{"valor": literal}]}]),
    ):
        assert parse_body(received).value == value
        assert parse_body(received).original == received


def test_of_two_equal_keys_the_last_counts_whoever_reads() -> None:
    assert parse_body('[{"id": 1, "id": 2}]').value == [{"id": 2}]
    assert parse_body('[{"id": 1, "id": 2, "valor": 0.50}]').value == [{"id": 2, "valor": "0.50"}]


def test_a_harmless_body_stays_as_it_came_but_for_its_line_breaks() -> None:
    body = parse_body('[\r\n  {"id": 9223372036854775807,\n "valor": "12.50"}\n]')
    assert body.line == b'[    {"id": 9223372036854775807,  "valor": "12.50"} ]'
    assert body.original is None


@pytest.mark.parametrize(
    ("received", "value"),
    [
        ('["a\\ud800b"]', ["a\ufffdb"]),
        ('["a\\u0000b"]', ["ab"]),
        ('["a\tb\nc"]', ["a\tb\nc"]),
        ('[{"\\udc00": 1}]', [{"\ufffd": 1}]),
    ],
)
def test_texts_that_no_reader_accepts_are_mended(received: str, value: list[object]) -> None:
    body = parse_body(received)
    assert body.value == value
    assert json.loads(body.line) == value
    assert b"\n" not in body.line
    body.line.decode("utf-8")
    assert body.original is not None


@pytest.mark.parametrize("received", ["", " ", "<html/>", '[{"id": 1}, {"id"', "[1] [2]", "[" * 200_000, "[1,]", "'a'"])
def test_what_is_not_json_is_unreadable(received: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_body(received)


@given(JSON_VALUES)
def test_whatever_json_says_is_said_again(value: object) -> None:
    for ascii_only in (True, False):
        body = parse_body(json.dumps(value, ensure_ascii=ascii_only))
        assert json.loads(body.line) == body.value
        if "\x00" not in str(value) and "\\x00" not in repr(value):
            assert body.value == value


def test_a_body_as_received_reads_as_its_decoded_text_does() -> None:
    nobody = BodyMask("um-segredo-comprido")
    for content, guessed in (
        ('[{"id": 1, "nome": "João €"}]'.encode(), 0),
        ('\ufeff[{"id": 1, "nome": "João"}]'.encode(), 0),
        ('[{"id": 1, "valor": 0.10, "nome": "João"}]'.encode(), 0),
        (b'[{"id": 12345678901234567890, "nome": "a\\u0000b"}]', 0),
        (b'["' + "João ".encode() + "São".encode("latin-1") + b'"]', 1),
    ):
        text, _ = decode_body(content, None)
        assert read_body(content, None, nobody) == (parse_body(text), guessed)
    assert read_body('["ação"]'.encode("utf-16"), "utf-16", nobody)[0].value == ["ação"]


@pytest.mark.parametrize("token", ["um-segredo-comprido", "tk9"])
def test_a_token_in_a_body_is_masked_before_anything_keeps_it(token: str) -> None:
    body, _ = read_body(f'[{{"id": 1, "{token}": "é"}}]'.encode(), None, BodyMask(token))
    assert (body.line, body.value) == ('[{"id": 1, "***": "é"}]'.encode(), [{"id": 1, "***": "é"}])


def test_decodes_what_services_really_send() -> None:
    assert decode_body("ação".encode(), None) == ("ação", 0)
    assert decode_body("ação".encode("latin-1"), None) == ("ação", 2)
    assert decode_body("ação".encode("utf-16"), "utf-16") == ("ação", 0)
    assert decode_body(b"a\x81", "no-such-charset") == ("a\x81", 1)
    # A byte that is no UTF-8 spoils its own character only: one Latin-1 name among others.
    body = "João ".encode() + "São".encode("latin-1") + " Conceição €".encode()
    assert decode_body(body, None) == decode_body(body, "utf-8") == ("João São Conceição €", 1)


def test_halves_of_characters_are_counted_and_whole_ones_are_not() -> None:
    assert parse_body('["\\ud83d\\ude00", {"\\ud83d": "a\\ude00"}]').halves == 2
    whole = parse_body('["\\ud83d\\ude00"]')
    assert (whole.value, whole.original, whole.halves) == (["😀"], None, 0)


@pytest.mark.parametrize("depth", [201, 990, 100_000])
def test_deep_nesting_is_told_and_never_a_recursion_error(depth: int) -> None:
    with pytest.raises(ValueError, match="aninhado demais"):
        parse_body("[" * depth + "1.5" + "]" * depth)
    assert parse_body("[" * 199 + "1.5" + "]" * 199).original is not None


def test_a_body_of_brackets_is_refused_before_it_becomes_objects() -> None:
    with pytest.raises(ValueError, match="mais valores"):
        parse_body("[" + "{}," * (MAX_VALUES // 2) + "{}]")


def test_expansion_is_bounded_whole_and_single() -> None:
    bomb = gzip.compress(b" " * 5_000_000)
    assert len(bomb) < 10_000
    with pytest.raises(ValueError, match="mais de 1 MB"):
        expand_gzip([bomb], 2**20)
    assert expand_gzip([bomb[:9], bomb[9:]], 5_000_000) == b" " * 5_000_000
    for odd in (bomb[:-9], bomb + bomb, b"no gzip"):
        with pytest.raises(ValueError, match="comprimido"):
            expand_gzip([odd], 6_000_000)
