"""Money between text, integer centavos and Decimal: exact, and the only place that rounds (half up, S14)."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

MONEY_PATTERN = r"^[+-]?([0-9]{1,16}|[0-9]{0,16}\.[0-9]{1,2}0{0,30})$"
"""A money text: sign or none, digits, at most two decimals with a point, zeros behind them, within DECIMAL(18,2)."""
_MONEY = re.compile(MONEY_PATTERN)
_CENTAVO = Decimal("0.01")


def parse_centavos(text: str) -> int:
    """Parse a money text into signed centavos.

    Raises:
        ValueError: when the text is not money (exponent, comma, a third decimal but 0, out of DECIMAL(18,2), blanks).

    >>> parse_centavos("-10.5"), parse_centavos("+3"), parse_centavos("-.90"), parse_centavos("40.0000")
    (-1050, 300, -90, 4000)
    """
    if not _MONEY.fullmatch(text):
        raise ValueError("not a money text: optional sign, digits, at most two decimals with a point")
    return int(Decimal(text).scaleb(2))


def to_decimal(centavos: int) -> Decimal:
    """Turn signed centavos into a Decimal with two places.

    >>> to_decimal(-1)
    Decimal('-0.01')
    """
    return _CENTAVO * int(centavos)


def decimal_or_none(centavos: int | None) -> Decimal | None:
    """Turn signed centavos into a Decimal with two places; None stays None."""
    return None if centavos is None else to_decimal(centavos)


def to_centavos(value: Decimal) -> int:
    """Turn an amount of at most two places into signed centavos.

    >>> to_centavos(Decimal("-10.5"))
    -1050
    """
    return int(value.scaleb(2))


def round_half_up(value: Decimal, places: int = 2) -> Decimal:
    """Round half away from zero, the only rounding of computed amounts (S14).

    >>> round_half_up(Decimal("-0.005")), round_half_up(Decimal("52.75"), 1)
    (Decimal('-0.01'), Decimal('52.8'))
    """
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def divide_half_up(numerator: int, denominator: int) -> int:
    """Divide two integers and round the quotient half away from zero (S14); exact, without floats.

    Raises:
        ZeroDivisionError: when the denominator is 0.

    >>> divide_half_up(5, 2), divide_half_up(-5, 2), divide_half_up(4, 3)
    (3, -3, 1)
    """
    quotient, rest = divmod(abs(numerator), abs(denominator))
    quotient += 2 * rest >= abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def ratio_pct(numerator: int, denominator: int) -> Decimal | None:
    """Express a ratio in percent, rounded to two decimals of a percent; None when the base is not positive (S14).

    Whose base is negative by nature, as what is to be paid, turns both signs.

    >>> ratio_pct(340000, 690000), ratio_pct(-340000, -690000)
    (Decimal('49.28'), None)
    """
    if denominator <= 0:
        return None
    return Decimal(divide_half_up(numerator * 10_000, denominator)).scaleb(-2)


def write_centavos(centavos: int) -> str:
    """Write signed centavos as the exact text of the amount, as a file has it.

    >>> write_centavos(-123405), write_centavos(7)
    ('-1234.05', '0.07')
    """
    reais, rest = divmod(abs(centavos), 100)
    return f"{'-' if centavos < 0 else ''}{reais}.{rest:02d}"


def format_amount(value: Decimal) -> str:
    """Write an amount as Brazilians read it, without the currency.

    >>> format_amount(Decimal("-1234.5"))
    '-1.234,50'
    """
    text = f"{abs(value):,.2f}".translate(str.maketrans(",.", ".,"))
    return f"{'-' if value < 0 else ''}{text}"


def format_brl(value: Decimal) -> str:
    """Write an amount as Brazilians read it.

    >>> format_brl(Decimal("-1234.5"))
    '-R$ 1.234,50'
    """
    return f"{'-' if value < 0 else ''}R$ {format_amount(abs(value))}"


def format_reais(centavos: int) -> str:
    """Write centavos as whole reais, as a headline has them.

    >>> format_reais(-4_159_050), format_reais(49)
    ('−41.591', '0')
    """
    reais = divide_half_up(abs(centavos), 100)
    return f"{'−' if centavos < 0 and reais else ''}{reais:,}".replace(",", ".")


def format_centavos(centavos: int) -> str:
    """Write centavos as `format_amount` writes an amount."""
    return format_amount(to_decimal(centavos))


def format_centavos_brl(centavos: int) -> str:
    """Write centavos as `format_brl` writes an amount."""
    return format_brl(to_decimal(centavos))
