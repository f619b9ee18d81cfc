"""Reading of JSON values and rounding (S1, S14). Nothing here knows the reports."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

ZERO = Decimal("0.00")
CENT = Decimal("0.01")
TENTH = Decimal("0.1")

_MONEY = re.compile(r"^[+-]?\d+(\.\d+)?$")


def parse_money(value: Any) -> Decimal:
    """Read an amount with two places; text, int or Decimal, never float (S1, S14)."""
    if isinstance(value, (bool, float)):
        message = f"an amount must be text, not {type(value).__name__}"
        raise TypeError(message)
    text = str(value).strip()
    if not _MONEY.match(text):
        message = f"not an amount: {text!r}"
        raise ValueError(message)
    amount = Decimal(text)
    if amount != amount.quantize(CENT):
        message = f"more than two places: {text!r}"
        raise ValueError(message)
    return amount.quantize(CENT)


def parse_optional_money(value: Any) -> Decimal | None:
    """Read an amount that may be absent."""
    return None if value is None or value == "" else parse_money(value)


def parse_day(value: Any) -> date | None:
    """Read a date; null and the empty string are no date."""
    if value is None or value == "":
        return None
    return value if isinstance(value, date) else date.fromisoformat(str(value)[:10])


def parse_reference(value: Any) -> int | None:
    """Read a reference id; 0 and "" mean no link (S1)."""
    if value is None or value == "" or isinstance(value, bool):
        return None
    number = int(value)
    return number or None


def total(values: Iterable[Decimal]) -> Decimal:
    """Add amounts; a sum over nothing is 0.00 (S14)."""
    return sum(values, ZERO)


def round_money(value: Decimal) -> Decimal:
    """Round half up to cents; only computed amounts need it (S14)."""
    return value.quantize(CENT, rounding=ROUND_HALF_UP)


def percent(part: Decimal, whole: Decimal) -> Decimal | None:
    """Ratio in percent with two decimals, None if the base is not positive (S14)."""
    if whole <= 0:
        return None
    return (Decimal(part) * 100 / Decimal(whole)).quantize(CENT, rounding=ROUND_HALF_UP)


def growth(now: Decimal, before: Decimal) -> Decimal | None:
    """`now / before - 1` in percent with two decimals, None if `before` is 0 or of the other sign (R17)."""
    if before == 0 or now * before < 0:
        return None
    return (Decimal(now) * 100 / Decimal(before) - 100).quantize(CENT, rounding=ROUND_HALF_UP)


SMALLEST_BASE = Decimal("100.00")


def compared(now: Decimal, then: Decimal, sense: str, revenue: Decimal) -> Decimal | str:
    """Var. % of R04: percent of |base|, or "n/s", "virou", "> 999 %", "< -999 %".

    Args:
        now: A.
        then: B.
        sense: "ganho" (revenue, result), "custo" (expense) or "mista".
        revenue: B's Receitas.
    """
    if (sense == "ganho" and then <= 0) or (sense == "custo" and then >= 0) or then == 0:
        return "n/s"
    if abs(then) < max(SMALLEST_BASE, revenue / 100):
        return "n/s"
    if now * then < 0:
        return "virou"
    change = percent(now - then, abs(then)) or ZERO
    if abs(change) > Decimal("999.99"):
        return "> 999 %" if change > 0 else "< -999 %"
    return change


def one_decimal(part: Decimal | int, whole: Decimal | int, factor: int = 1) -> Decimal | None:
    """`part / whole * factor` with one decimal, half up, None if the base is not positive (S14)."""
    if whole <= 0:
        return None
    return (Decimal(part) * factor / Decimal(whole)).quantize(TENTH, rounding=ROUND_HALF_UP)


def fold(text: str) -> str:
    """Lower case without accents: the sort key of names (S11) and the base of slugs (S12)."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
