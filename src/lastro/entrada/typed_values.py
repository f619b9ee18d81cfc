"""Amounts and days as people type them (S18): read exactly, or told to be none; never guessed and never rounded."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.money import round_half_up

LIMIT: Final = Decimal("9999999999.99")
"""Amounts beyond it, on either side, are not understood."""
MOST_DIGITS: Final = 18
"""Most digits of an id: no real one has more, and `int` refuses 4,300."""
FIRST_DAY: Final = date(1990, 1, 1)
"""No day of a file is earlier; one of the year 206 or 1926 is a slip."""
MONTHS, DAYS = 12, 31
"""What the numbers of a slashed day can be at most."""
DAYS_BACK: Final = 60
"""A day without a year lies at most so many days before it was saved."""
_AMOUNT: Final = re.compile(
    r"(?P<sign>[+-]?) ?(?:R\$)? ?(?P<inner>[+-]?) ?(?P<digits>[0-9.,]{1,60}) ?(?P<tail>[-CD]?)", re.IGNORECASE
)
_PLAIN: Final = re.compile(r"(?P<whole>[0-9]+)|(?P<left>[0-9]*)[.,](?P<places>[0-9]{1,2}|[0-9]{4,})")
_GROUPED: Final = re.compile(
    r"(?P<left>[0-9]{1,3}(?P<mark>[.,])[0-9]{3}(?:(?P=mark)[0-9]{3})*)(?!(?P=mark))[.,](?P<places>[0-9]+)"
    r"|(?P<whole>[0-9]{1,3}(?:(?:\.[0-9]{3}){2,}|(?:,[0-9]{3}){2,}))"
)
_THREE: Final = re.compile(r"(?P<left>[0-9]*)[.,](?P<places>[0-9]{3})")
_ONE_POINT: Final = re.compile(r"[0-9]*\.[0-9]{3}")
_HOW: Final = "o valor: escreva como 1500,00"
_BEYOND: Final = "o valor: passa de 9.999.999.999,99"
_POINTED: Final = re.compile(r"\.[0-9]{1,2}0*[^0-9.,]*$")
"""Ends an amount whose decimal mark is a point."""
_ISO: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DAY: Final = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}|[0-9]{2}))?")


class NotUnderstood(ValueError):
    """A text that is no amount, or no day; the text says why, pt-BR, after "não entendi"."""


class Ambiguous(NotUnderstood):
    """A text that could be two amounts."""


def parse_typed_id(text: str) -> int | None:
    """Read the id of a record: plain digits, 18 at most; None for anything else.

    >>> parse_typed_id("101"), parse_typed_id("1" * 5_000), parse_typed_id("²"), parse_typed_id("-1")
    (101, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def read_typed_id(value: object) -> int | None:
    """Read the id of a record in a cell, whichever program saved it; None where it is none.

    >>> read_typed_id(501.0), read_typed_id(" 501 "), read_typed_id(501.5), read_typed_id(True)
    (501, 501, None, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else None
    return parse_typed_id(str(value).strip())


def parse_amount(text: str, *, three: bool = False) -> Decimal:
    """Read an amount: signed, exact to two places, within ±9,999,999,999.99 (S18).

    Args:
        text: as typed.
        three: three digits behind the one mark are places, as the file's amounts prove (`have_three_places`).

    Raises:
        Ambiguous: when it could be two: one point before three digits is read both ways.
        NotUnderstood: when it is none.

    >>> [str(parse_amount(text)) for text in ("1500", "1.500,00", "1,500.00", "R$ 10,5", "120,00 D", "1.234.567")]
    ['1500.00', '1500.00', '1500.00', '10.50', '-120.00', '1234567.00']
    >>> [str(parse_amount(text)) for text in ("4000.0000", ".90", "-.5")], str(parse_amount("-35.900", three=True))
    (['4000.00', '0.90', '-0.50'], '-35.90')
    """
    return _hold(parse_places(text, three=three))


def parse_places(text: str, *, three: bool) -> Decimal:
    """Read an amount with all its decimal places; like `parse_amount`, but without its upper bound.

    >>> str(parse_places("3333,333333", three=False))
    '3333.333333'
    """
    sign, digits = _part(text)
    if _ONE_POINT.fullmatch(digits) and not three:
        raise Ambiguous(f"o valor: {digits} é ambíguo (ponto de milhar ou de centavos?); escreva como 1500,00")
    shape = _PLAIN.fullmatch(digits) or _GROUPED.fullmatch(digits) or (_THREE.fullmatch(digits) if three else None)
    if shape is None:
        raise NotUnderstood(_HOW)
    found = shape.groupdict()
    whole = re.sub(r"[.,]", "", found.get("whole") or found["left"] or "0")
    return Decimal(f"{sign}{whole}.{found['places'] or '0'}")


def have_three_places(texts: Iterable[str]) -> bool:
    """Tell whether the amounts of a file have three places: each three digits behind its one mark, which is the same.

    One of them must prove it, being no number of thousands: `4000.000`, `0.900`, `.900`. People who leave the centavos
    out type `1.500` and `2.000`, so that alone says nothing.

    >>> have_three_places(["4000.000", "-35.900"]), have_three_places(["1.500", "2.000"])
    (True, False)
    """
    marks, proven = set(), False
    for text in texts:
        try:
            digits = _part(text)[1]
        except NotUnderstood:
            return False
        found = _THREE.fullmatch(digits)
        if found is None:
            return False
        left = found["left"]
        marks.add(digits[len(left)])
        proven |= not 1 <= len(left) <= 3 or left.startswith("0")
    return proven and len(marks) == 1


def _part(text: str) -> tuple[str, str]:
    """Part an amount into its sign, "-" or none, and its digits with their marks."""
    match = _AMOUNT.fullmatch(" ".join(text.split()).replace("\N{MINUS SIGN}", "-"))
    if match is None:
        raise NotUnderstood(_HOW)
    signs = [match[name].upper() for name in ("sign", "inner", "tail") if match[name]]
    if len(signs) > 1:
        raise NotUnderstood("o valor: tem dois sinais")
    return "-" if signs in (["-"], ["D"]) else "", match["digits"]


def read_number(value: float | Decimal) -> Decimal:
    """Read the number of a cell as an amount: taken as stored, by the 15 digits that a spreadsheet shows.

    Raises:
        NotUnderstood: when it has more than two places, is not finite, or lies beyond the bound.

    >>> str(read_number(0.1 + 0.2)), str(read_number(2000))
    ('0.30', '2000.00')
    """
    return _hold(read_places(value))


def read_places(value: float | Decimal) -> Decimal:
    """Read the number of a cell with all its places; otherwise as `read_number`, whose bound it does not hold."""
    number = Decimal(write_number(value))
    if not number.is_finite():
        raise NotUnderstood("o valor: não é um número")
    return number


def round_amount(number: Decimal) -> Decimal:
    """Round a number half up to the centavo, where more places are no mistake: what a formula divided (S14).

    >>> str(round_amount(Decimal("3333.335"))), str(round_amount(Decimal("-0.004")))
    ('3333.34', '0.00')
    """
    if abs(number) > LIMIT:
        raise NotUnderstood(_BEYOND)
    rounded = round_half_up(number)
    return rounded or abs(rounded)


def write_number(value: float | Decimal) -> str:
    """Write the number of a cell as a spreadsheet shows it: 15 digits, no exponent, no zeros behind.

    >>> write_number(7.0), write_number(0.1 + 0.2), write_number(float("inf")), write_number(-1e20)
    ('7', '0.3', 'Infinity', '-100000000000000000000')
    """
    # By way of Decimal: of an int of more than 308 digits there is no float.
    number = value if isinstance(value, Decimal) else Decimal(format(Decimal(value), ".15g"))
    return f"{number.normalize():f}" if number else "0"


def _hold(amount: Decimal) -> Decimal:
    if abs(amount) > LIMIT:
        raise NotUnderstood(_BEYOND)
    exact = amount.quantize(Decimal("0.01"))
    if exact != amount:
        raise NotUnderstood("o valor: tem mais de duas casas")
    return exact or abs(exact)


def parse_day(text: str, saved: date | None = None, *, until: date = date.max, distrust: str = "") -> date:
    """Read a day: AAAA-MM-DD, DD/MM/AAAA, DD/MM/AA (20AA), and DD/MM where the day of saving is known (S18).

    Args:
        text: as typed.
        saved: when it was saved; a day without a year is the one nearest to it, at most 60 days back.
        until: the last day that it may be; the first one is in 1990 (`hold_day`).
        distrust: why no slashed day of its file counts (`find_distrust`); empty where they do.

    Raises:
        NotUnderstood: when it is none.

    >>> parse_day("05/03/26"), parse_day("05/01", date(2026, 12, 20))
    (datetime.date(2026, 3, 5), datetime.date(2027, 1, 5))
    """
    stripped = text.strip()
    iso, typed = _ISO.fullmatch(stripped), _DAY.fullmatch(stripped)
    days: list[date] = []
    if typed and distrust:
        raise NotUnderstood(f"a data: {distrust}; use AAAA-MM-DD")
    if iso:
        days = _make_days([int(iso[1])], int(iso[2]), int(iso[3]))
    elif typed and typed[3]:
        days = _make_days([int(typed[3]) + (2000 if len(typed[3]) == 2 else 0)], int(typed[2]), int(typed[1]))
    elif typed and saved is not None:
        near = _make_days(range(saved.year - 1, saved.year + 2), int(typed[2]), int(typed[1]))
        days = sorted((day for day in near if (saved - day).days <= DAYS_BACK), key=lambda day: abs((day - saved).days))
    if not days:
        raise NotUnderstood("a data: escreva como 16/03/2026")
    return hold_day(days[0], until)


def hold_day(day: date, until: date) -> date:
    """Hold a day within what it may be: from 1990 on, and at most `until`.

    Raises:
        NotUnderstood: when it lies outside: a year that somebody mistyped.
    """
    if not FIRST_DAY <= day <= until:
        end = "em diante" if until == date.max else f"a {_show_day(until)}"
        raise NotUnderstood(f"a data: {_show_day(day)} está fora do que vale aqui, de {_show_day(FIRST_DAY)} {end}")
    return day


def _show_day(day: date) -> str:
    return f"{day:%d/%m}/{day.year:04}"


def find_distrust(days: Iterable[str], amounts: Iterable[str] = (), delimiter: str = "") -> str:
    """Find why no slashed day of a file counts: its program writes the month first, or may well do so.

    Args:
        days: the file's days as typed.
        amounts: its amounts as typed, of delimited text.
        delimiter: what delimits them.

    Returns:
        The reason, pt-BR, without "use AAAA-MM-DD"; empty where slashed days count.

    >>> find_distrust(["09/12/2026", "10/31/2026"])
    'nenhuma com barras vale neste arquivo, porque 10/31/2026 põe o mês antes do dia'
    """
    for text in days:
        found = _DAY.fullmatch(text.strip())
        if found and found[3] and int(found[1]) <= MONTHS < int(found[2]) <= DAYS:
            return f"nenhuma com barras vale neste arquivo, porque {text.strip()} põe o mês antes do dia"
    if delimiter == "," and any(_POINTED.search(text) for text in amounts):
        return "com vírgula entre as colunas e ponto nos valores, barras podem pôr o mês antes do dia"
    return ""


def _make_days(years: range | list[int], month: int, day: int) -> list[date]:
    made = []
    for year in years:
        try:
            made.append(date(year, month, day))
        except ValueError:
            continue
    return made
