"""Money: what is a money text, exact centavos, and the one rounding (half up, S14)."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.money import (
    MONEY_PATTERN,
    divide_half_up,
    format_brl,
    parse_centavos,
    ratio_pct,
    round_half_up,
    to_decimal,
)

LARGEST = 10**18 - 1
"""DECIMAL(18,2) holds sixteen digits before the point and two after it."""


@pytest.mark.parametrize(
    ("text", "centavos"),
    [
        ("0", 0),
        ("-0.00", 0),
        ("10.0", 1_000),
        ("10.00", 1_000),
        ("-10.5", -1_050),
        ("+3", 300),
        ("0.01", 1),
        ("-0.01", -1),
        ("00012.34", 1_234),
        ("9999999999999999.99", LARGEST),
        ("-9999999999999999.99", -LARGEST),
    ],
)
def test_a_money_text_is_read_exactly(text: str, centavos: int) -> None:
    assert parse_centavos(text) == centavos


@pytest.mark.parametrize(
    "text",
    [
        # Beside those that the pattern's property below draws.
        "",
        " 1",
        "1 ",
        "1\n",
        "1e2",
        "1.",
        "1.005",
        "Infinity",
        "inf",
        "R$ 1.00",
        "0x10",
        "1_000",
        "10000000000000000.00",
        "10000000000000000",
        "١٢",
        "１",
        "−1",
        "true",
        "null",
    ],
)
def test_what_is_no_money_text_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="not a money text") as caught:
        parse_centavos(text)
    assert len(text.strip()) < 3 or text not in str(caught.value)


@given(st.integers(-LARGEST, LARGEST))
def test_centavos_survive_the_way_through_text_and_decimal(centavos: int) -> None:
    value = to_decimal(centavos)
    assert value.as_tuple().exponent == -2
    assert value * 100 == centavos
    assert parse_centavos(f"{value:f}") == centavos


@given(st.text(alphabet="0123456789+-.,eE naN", max_size=8))
def test_the_pattern_and_the_parser_accept_the_same_texts(text: str) -> None:
    """The pattern is also what DuckDB checks by (issue 4, point 6): both must mean the same."""
    if re.fullmatch(MONEY_PATTERN, text) and not text.endswith("\n"):
        assert parse_centavos(text) == Fraction(text) * 100
    else:
        with pytest.raises(ValueError, match="not a money text"):
            parse_centavos(text)


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("0.005", 2, "0.01"),
        ("-0.005", 2, "-0.01"),
        ("2.675", 2, "2.68"),
        ("1.005", 2, "1.01"),
        ("0.135", 2, "0.14"),
        ("52.75", 1, "52.8"),
        ("2.5", 0, "3"),
        ("-2.5", 0, "-3"),
    ],
)
def test_rounding_is_half_away_from_zero_and_never_to_even(value: str, places: int, rounded: str) -> None:
    found = round_half_up(Decimal(value), places)
    assert str(found) == rounded


@given(st.integers(-(10**30), 10**30), st.integers(-(10**12), 10**12).filter(bool))
def test_division_is_the_exact_quotient_rounded_half_away_from_zero(numerator: int, denominator: int) -> None:
    exact = Fraction(numerator, denominator)
    found = divide_half_up(numerator, denominator)
    assert abs(found - exact) <= Fraction(1, 2)
    if abs(found - exact) == Fraction(1, 2):
        assert abs(found) > abs(exact)


def test_division_by_zero_is_an_error_and_a_ratio_over_zero_is_blank() -> None:
    with pytest.raises(ZeroDivisionError):
        divide_half_up(1, 0)
    assert ratio_pct(1, 0) is None


@pytest.mark.parametrize(
    ("numerator", "denominator", "percent"),
    [
        (340_000, 690_000, "49.28"),
        (240_000, 840_000, "28.57"),
        (0, 690_000, "0.00"),
        (1, 3, "33.33"),
        (2, 3, "66.67"),
        (1, 20_000, "0.01"),
        (-1, 20_000, "-0.01"),
        (1, 20_001, "0.00"),
        (-1, 20_001, "0.00"),
        (5, 0, "None"),
        (5, -4, "None"),
        (-5, -4, "None"),
    ],
)
def test_a_ratio_is_rounded_to_two_decimals_of_a_percent_and_needs_a_positive_base(
    numerator: int, denominator: int, percent: str
) -> None:
    assert str(ratio_pct(numerator, denominator)) == percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0.00", "R$ 0,00"),
        ("-0.01", "-R$ 0,01"),
        ("1234.5", "R$ 1.234,50"),
        ("-1234567.89", "-R$ 1.234.567,89"),
        ("9999999999999999.99", "R$ 9.999.999.999.999.999,99"),
    ],
)
def test_an_amount_is_written_as_brazilians_read_it(value: str, text: str) -> None:
    assert format_brl(Decimal(value)) == text
