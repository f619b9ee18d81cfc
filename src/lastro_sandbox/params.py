"""Reads typed parameters out of text, collecting every mistake before refusing.

A ``Params`` wraps one flat mapping name -> text. Each reader returns the typed value, or None when the parameter is
absent, empty or wrong; ``check`` raises one 422 that names all wrong fields at once. An empty text is an unset
parameter, as an empty field of a form is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from lastro_sandbox.errors import Refused

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"([+-]?)([0-9]{1,13})(?:\.([0-9]+))?")
_TRUE = frozenset({"true", "1", "t", "sim"})
_FALSE = frozenset({"false", "0", "f", "nao", "não"})

FIRST_YEAR, LAST_YEAR = 1900, 2999  # what lies outside is a slip of the pen, and no arithmetic overflows inside
REQUIRED = "não pode ficar em branco"


def parse_date(text: str) -> str | None:
    """Return the ISO date that ``text`` spells exactly as ``YYYY-MM-DD``, between 1900 and 2999, or None."""
    if not _DATE.fullmatch(text):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day.isoformat() if FIRST_YEAR <= day.year <= LAST_YEAR else None


def parse_centavos(text: str) -> int | None:
    """Return the centavos of a decimal text with at most two significant decimals, or None.

    >>> parse_centavos("-10.5"), parse_centavos("10.000"), parse_centavos("10.005"), parse_centavos("1e2")
    (-1050, 1000, None, None)
    """
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return None
    sign, reais, decimals = match.groups()
    decimals = (decimals or "").rstrip("0")
    if len(decimals) > 2:
        return None
    centavos = int(reais) * 100 + int(decimals.ljust(2, "0"))
    return -centavos if sign == "-" else centavos


def explain_decimal(text: str) -> str:
    """Say what is wrong with a decimal text that ``parse_centavos`` does not read.

    >>> explain_decimal("10.505")
    'deve ter no máximo duas casas decimais'
    """
    if re.fullmatch(r"[+-]?[0-9]{14,}(\.[0-9]*)?", text):
        return "deve ter no máximo 13 algarismos antes do ponto"
    if re.fullmatch(r"[+-]?[0-9]+\.[0-9]{3,}", text):
        return "deve ter no máximo duas casas decimais"
    return "deve ser um decimal como 10.00"


BLANKS: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What counts as blank: that of the patterns of the description (ECMAScript's), not Python's, which knows more."""


class Params:
    """Typed readers over one mapping of texts; mistakes are collected in ``errors``."""

    def __init__(self, values: Mapping[str, str], *, prefix: str = "", errors: dict[str, list[str]] | None = None):
        self._values = values
        self._prefix = prefix
        self.errors: dict[str, list[str]] = {} if errors is None else errors

    def fresh(self) -> Params:
        """Return the same parameters without the mistakes noted so far."""
        return Params(self._values, prefix=self._prefix)

    def has(self, name: str) -> bool:
        """Tell whether the parameter was sent at all, even empty."""
        return name in self._values

    def raw(self, name: str) -> str | None:
        """Return the text without surrounding blanks, None when absent or blank."""
        value = self._values.get(name)
        if value is None:
            return None
        return value.strip(BLANKS) or None

    def typed(self, name: str) -> str | None:
        """Return the text of a parameter that is not free text; the word ``null`` means unset, as programs send it."""
        value = self.raw(name)
        return None if value == "null" else value

    def fail(self, name: str, text: str) -> None:
        """Note a mistake of one field."""
        self.errors.setdefault(self._prefix + name, []).append(text)

    def require(self, *names: str) -> None:
        """Note a mistake for each of these parameters that is absent or blank."""
        for name in names:
            if self.typed(name) is None:
                self.fail(name, REQUIRED)

    def text(self, name: str, *, maximum: int = 4000) -> str | None:
        """Return a text of at most ``maximum`` characters."""
        value = self.raw(name)
        if value is not None and len(value) > maximum:
            self.fail(name, f"deve ter no máximo {maximum} caracteres")
            return None
        return value

    def integer(self, name: str, *, minimum: int = 0, maximum: int = 2**53 - 1) -> int | None:
        """Return an integer within bounds."""
        value = self.typed(name)
        if value is None:
            return None
        if not _INTEGER.fullmatch(value):
            self.fail(name, "deve ser um número inteiro")
            return None
        number = int(value)
        if number < minimum:
            self.fail(name, f"deve ser maior ou igual a {minimum}")
            return None
        if number > maximum:
            self.fail(name, f"deve ser menor ou igual a {maximum}")
            return None
        return number

    def link(self, name: str) -> int | None:
        """Return a reference id; 0 means no link, as an empty text does."""
        return self.integer(name) or None

    def date(self, name: str) -> str | None:
        """Return an ISO date."""
        value = self.typed(name)
        if value is None:
            return None
        parsed = parse_date(value)
        if parsed is None:
            self.fail(name, "deve ser uma data no formato AAAA-MM-DD")
        return parsed

    def centavos(self, name: str) -> int | None:
        """Return a decimal amount as signed centavos."""
        value = self.typed(name)
        if value is None:
            return None
        parsed = parse_centavos(value)
        if parsed is None:
            self.fail(name, explain_decimal(value))
        return parsed

    def boolean(self, name: str) -> bool | None:
        """Return true or false; ``1`` and ``0`` are accepted too."""
        value = self.typed(name)
        if value is None:
            return None
        lowered = value.lower()
        if lowered in _TRUE:
            return True
        if lowered in _FALSE:
            return False
        self.fail(name, "deve ser true ou false")
        return None

    def one_of(self, name: str, options: Sequence[str]) -> str | None:
        """Return one of ``options``, and None for any other text: an unknown view is no mistake."""
        value = self.typed(name)
        return value if value in options else None

    def choice(self, name: str, options: Sequence[str]) -> str | None:
        """Return one of ``options``; any other text is a mistake."""
        value = self.typed(name)
        if value is None:
            return None
        if value not in options:
            self.fail(name, f"deve ser um destes: {', '.join(options)}")
            return None
        return value

    def check(self) -> None:
        """Refuse the request when any mistake was noted.

        Raises:
            Refused: 422 with every mistake.
        """
        if self.errors:
            raise Refused(422, self.errors)
