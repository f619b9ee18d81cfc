"""Amounts and days as people type them: the golden table of S18, and that nothing is ever guessed."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.entrada.typed_values import (
    LIMIT,
    NotUnderstood,
    find_distrust,
    have_three_places,
    parse_amount,
    parse_day,
    parse_typed_id,
    read_number,
    write_number,
)

GOLDEN = {
    "1500": "1500.00", "1500,00": "1500.00", "1.500,00": "1500.00", "1,500.00": "1500.00",
    "-1.234.567,89": "-1234567.89", "1.234.567": "1234567.00", "R$ 10,5": "10.50", "- 120.00": "-120.00",
    "120,00 D": "-120.00", "12,345.6": "12345.60",
}  # fmt: skip
MORE = {
    "2.000,00": "2000.00", "R$\u00a02.000,00": "2000.00", "r$2000": "2000.00", "1,234,567": "1234567.00",
    "120,00C": "120.00", "120,00-": "-120.00", "R$ -3": "-3.00", "\N{MINUS SIGN}5": "-5.00", "+7,1": "7.10",
    " 12.34 ": "12.34", "0": "0.00", "-0": "0.00", ",50": "0.50",
    ".90": "0.90", "-.5": "-0.50", "+1.5": "1.50", "R$ -,90": "-0.90", "4000.0000": "4000.00", "4000,00000": "4000.00",
    "-35.90000": "-35.90", "1.234,5000": "1234.50", "1,234.500": "1234.50", "1.5000": "1.50",
    "9.999.999.999,99": "9999999999.99",
}  # fmt: skip
INVALID = (
    "1,500", "(120,00)", "1.50.0", "12.345.6", "1.234,567", "1,234.567", "1234,567", "1234.567,00", "1 500,00",
    "1.500.", "33.3333", "1.234,5678", ".",
    "-5-", "-5 D", "--5", "1e5", "NaN", "Infinity", "R$", "mil", "٢", "10.000.000.000,00", "1" * 26, "",
)  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), {**GOLDEN, **MORE}.items())
def test_an_amount_is_read_as_it_is_meant(text: str, wanted: str) -> None:
    assert str(parse_amount(text)) == wanted


@pytest.mark.parametrize("text", ["1.500", "R$ 2.000", "0.500", "-1.500", "1234.567", "4000.000", ".900"])
def test_one_point_before_three_digits_is_told_to_be_ambiguous(text: str) -> None:
    with pytest.raises(NotUnderstood, match="ambíguo"):
        parse_amount(text)


@pytest.mark.parametrize("text", INVALID)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_amount(text)


@given(st.integers(min_value=-int(LIMIT * 100), max_value=int(LIMIT * 100)))
def test_every_way_to_write_an_amount_says_the_same(centavos: int) -> None:
    amount = Decimal(centavos).scaleb(-2)
    english = f"{abs(amount):,.2f}"
    brazilian = english.translate(str.maketrans(",.", ".,"))
    sign, behind = ("-", "D") if amount < 0 else ("", "C")
    for text in (
        str(amount),
        f"{sign}{brazilian}",
        f"{sign}R$ {brazilian}",
        f"{sign}{english}",
        f"{brazilian} {behind}",
    ):
        assert parse_amount(text) == amount, text


@given(st.text(alphabet="0123456789.,-+CDR$ e", max_size=14))
def test_nothing_becomes_another_number(text: str) -> None:
    """What is understood has the digits that were typed: all of them reais, or those behind the last mark places."""
    try:
        amount = parse_amount(text)
    except NotUnderstood:
        return
    typed = Decimal("".join(each for each in text if each.isdecimal()))
    behind = sum(each.isdecimal() for each in re.split("[.,]", text)[-1])
    assert abs(amount) in (typed, typed.scaleb(-behind))
    assert behind != 3 or abs(amount) == typed or len(re.findall("[.,]", text)) > 1


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (["4000.000", "-1500.000", "-35.900", "250.500"], ["4000.00", "-1500.00", "-35.90", "250.50"]),
        (["1,500", "0,900", "12,345"], ["1.50", "0.90", None]),  # a third place that is not 0 is none of ours
        (["1.500", ".900"], ["1.50", "0.90"]),
        (["1.500", "2.000"], [None, None]),  # reais without centavos are typed so
        (["4000.000", "1.500", "7"], [None, None, "7.00"]),
        (["4000.000", "1,500"], [None, None]),
        (["4000.000", "abc"], [None, None]),
    ],
)
def test_three_places_are_places_where_every_amount_of_the_file_has_them(
    texts: list[str], read: list[str | None]
) -> None:
    three = have_three_places(texts)
    for text, wanted in zip(texts, read, strict=True):
        if wanted is None:
            with pytest.raises(NotUnderstood):
                parse_amount(text, three=three)
        else:
            assert str(parse_amount(text, three=three)) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (2000, "2000.00"),
        (1500.1, "1500.10"),
        (0.1 + 0.2, "0.30"),
        (Decimal(-7), "-7.00"),
        (9999999999.99, "9999999999.99"),
    ],
)
def test_a_number_of_a_cell_is_taken_as_stored(value: float, wanted: str) -> None:
    assert str(read_number(value)) == wanted


@pytest.mark.parametrize("value", [33.333, 1e10, 1e40, -1e300, float("inf"), float("nan"), 10**30])
def test_a_number_that_is_no_amount_is_refused(value: float) -> None:
    with pytest.raises(NotUnderstood):
        read_number(value)
    assert write_number(value)


SAVED = date(2026, 3, 16)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-03-20", date(2026, 3, 20)),
        ("20/03/2026", date(2026, 3, 20)),
        ("20/03/26", date(2026, 3, 20)),
        ("5/4", date(2026, 4, 5)),
        ("15/01", date(2026, 1, 15)),  # 60 days back
        ("14/01", date(2027, 1, 14)),  # 61: the next one
        ("31/12", date(2026, 12, 31)),
    ],
)
def test_a_day_is_read(text: str, wanted: date) -> None:
    assert parse_day(text, SAVED) == wanted


def test_a_day_without_a_year_needs_the_day_of_saving() -> None:
    assert parse_day("05/01", date(2026, 12, 20)) == date(2027, 1, 5)
    assert parse_day("28/12", date(2027, 1, 5)) == date(2026, 12, 28)
    with pytest.raises(NotUnderstood):
        parse_day("05/01")


@pytest.mark.parametrize(
    "text",
    ["24", "sexta", "31/02/2026", "29/02", "20260316", "2026-W12-1", "3/16/2026", "20/03/026", "²/3", "2026-3-1", ""],
)
def test_nothing_else_is_a_day(text: str) -> None:
    with pytest.raises(NotUnderstood, match="a data"):
        parse_day(text, SAVED)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("31/10/0206", False), ("0206-10-31", False), ("1926-10-31", False), ("31/12/1989", False),
        ("01/01/1990", True), ("26/11/2026", True), ("27/11/2026", False), ("2027-11-26", False), ("31/10/62", False),
        ("9999-12-31", False),
    ],
)  # fmt: skip
def test_a_day_that_nobody_can_mean_is_told(text: str, read: bool) -> None:
    if read:
        assert parse_day(text, until=date(2026, 11, 26))
    else:
        with pytest.raises(
            NotUnderstood, match=r"a data: \d\d/\d\d/\d{4} está fora do que vale aqui, de 01/01/1990 a 26/11/2026"
        ):
            parse_day(text, until=date(2026, 11, 26))


@pytest.mark.parametrize(
    ("days", "amounts", "delimiter", "told"),
    [
        (["09/12/2026", "11/26/2026"], [], ";", "11/26/2026 põe o mês antes do dia"),
        (["9/12/26", " 1/31/26 "], [], ";", "1/31/26 põe o mês"),
        (["09/12/2026", "31/10/2026"], ["9.999,00"], ",", ""),
        (["09/12/2026"], ["9999.00", "x"], ",", "com vírgula entre as colunas e ponto nos valores"),
        (["09/12/2026"], ["1,234.5 C"], ",", "com vírgula"),
        (["09/12/2026"], ["9999.00"], ";", ""),
        (["13/13/2026", "99/99/2026", "11/26", "2026-11-26", "11/26/2026 x"], ["9999", "1.234.567"], ",", ""),
    ],
)  # fmt: skip
def test_one_day_of_a_file_says_how_all_are_written(
    days: list[str], amounts: list[str], delimiter: str, told: str
) -> None:
    distrust = find_distrust(days, amounts, delimiter)
    assert told in distrust
    assert bool(told) == bool(distrust)
    assert parse_day("2026-12-09", distrust=distrust) == date(2026, 12, 9)
    if told:
        with pytest.raises(NotUnderstood, match="use AAAA-MM-DD"):
            parse_day("09/12/2026", distrust=distrust)


@given(st.dates(date(2020, 1, 1), date(2035, 12, 31)), st.integers(-60, 300))
def test_a_day_near_the_day_of_saving_is_found_again(saved: date, ahead: int) -> None:
    """Up to 60 days back, and ahead as long as last year's is further away."""
    day = saved + timedelta(days=ahead)
    assert parse_day(f"{day:%d/%m}", saved) == day or f"{day:%d/%m}" == "29/02"


@pytest.mark.parametrize("digits", [19, 5_000, 1_100_000])
def test_no_number_is_too_long_to_be_refused(digits: int) -> None:
    """Neither `int` (4,300 digits) nor `Decimal` (a million) is asked for what nobody can mean."""
    for text in ("9" * digits, f"{'9' * digits},00", f"-{'9' * digits}.5"):
        with pytest.raises(NotUnderstood, match=r"passa de|escreva como"):
            parse_amount(text)
    assert parse_typed_id("9" * digits) is None


def test_an_id_has_eighteen_digits_at_most() -> None:
    assert [parse_typed_id(text) for text in ("9" * 18, "007", "", " 7", "7.0", "²", "٧", "-7")] == [
        10**18 - 1, 7, None, None, None, None, None, None,
    ]  # fmt: skip


def test_a_whole_number_of_a_cell_may_be_longer_than_any_float() -> None:
    assert write_number(7 * 10**400) == "7" + "0" * 400
    with pytest.raises(NotUnderstood, match="passa de"):
        read_number(10**400)
