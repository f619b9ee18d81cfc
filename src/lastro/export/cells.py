"""Rows and cells as the XML of a worksheet, written directly.

openpyxl owns the workbook; only what stands between `<sheetData>` and `</sheetData>` is written here, because three
rules of the workbook need it: a formula carries its computed result, money is stored as the exact decimal text (no
float on the way), and 200,000 rows of 35 columns take seconds. Does not belong here: positions (`layout`) and looks
(`xlsx`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from lastro.grid.cells import Kind
from lastro.grid.words import TURNS

MAX_TEXT: Final = 32_767
"""Most UTF-16 units that a cell holds."""
EPOCH: Final = date(1899, 12, 30)
"""Day 0 of Excel's dates."""
_DAY_ZERO: Final = EPOCH.toordinal()
FIRST_DATE: Final = date(1900, 3, 1)
"""Excel counts a 29/02/1900 that never was; dates before this one have no safe number."""
ROW: Final = "\0"
"""Stands in a cell for the number of its row: what is the same in many rows is written once."""
_SPECIAL = re.compile(f"[&<\x00-\x08\x0b-\x1f\x7f{TURNS}\ud800-\udfff\ufffe\uffff]|]]>|_x[0-9A-Fa-f]{{4}}_")
_FORBIDDEN = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f{TURNS}\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


def clean_text(text: str) -> str:
    r"""Make a text safe for a cell: no controls, turns of direction, lone surrogates, non-characters; 32,767 units.

    Line breaks and tabs stay; a text that is too long ends in "…".

    >>> clean_text("a\x00b\ud800c\uffffd\u202ee")
    'abcde'
    """
    text = _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(text) * 2 > MAX_TEXT:
        units = text.encode("utf-16-le")
        if len(units) // 2 > MAX_TEXT:
            text = units[: (MAX_TEXT - 1) * 2].decode("utf-16-le", "ignore") + "…"
    return text


def xml_text(text: str) -> str:
    """Clean and escape a text for element content; `_x0041_` would be read as "A", so its underscore is escaped."""
    if len(text) * 2 <= MAX_TEXT and not _SPECIAL.search(text):
        return text
    text = clean_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ESCAPED.sub("_x005F_", text)


def _write_style(style: int) -> str:
    """Write the attribute of a look; look 0 is the standard and needs none."""
    return f' s="{style}"' if style else ""


def _is_plain(text: str) -> bool:
    """Tell a text that is written as it is: nothing to escape or to clean, and no blanks that a reader would drop."""
    return (
        text.isprintable()
        and not ("<" in text or "&" in text or "]" in text or "_x" in text)
        and not ("  " in text or text.startswith(" ") or text.endswith(" "))
    )


def text_cell(reference: str, style: int, text: str) -> str:
    """Write a text as an inline string: whatever it begins with, it is never a formula or an error value."""
    kept = "" if " ".join(text.split()) == text else ' xml:space="preserve"'
    return f'<c r="{reference}"{_write_style(style)} t="inlineStr"><is><t{kept}>{xml_text(text)}</t></is></c>'


def number_cell(reference: str, style: int, number: Decimal | int) -> str:
    """Write a number with all its digits.

    Raises:
        ValueError: the Decimal is not finite.
    """
    if isinstance(number, Decimal):
        if not number.is_finite():
            raise ValueError("a cell holds a Decimal that is not a number")
        return f'<c r="{reference}" s="{style}"><v>{number:f}</v></c>'
    return f'<c r="{reference}" s="{style}"><v>{number}</v></c>'


def bare_cell(reference: str, value: object) -> str:
    """Write a number as one and anything else as a text, without a look."""
    if isinstance(value, Decimal | int):
        return number_cell(reference, 0, value)
    return text_cell(reference, 0, str(value))


def formula_cell(reference: str, style: int, formula: str, cached: Decimal | int | str) -> str:
    """Write a formula together with its result, so that readers which do not calculate see the figure."""
    body = xml_text(formula)
    if isinstance(cached, str):
        return f'<c r="{reference}" s="{style}" t="str"><f>{body}</f><v>{xml_text(cached)}</v></c>'
    return f'<c r="{reference}" s="{style}"><f>{body}</f><v>{cached:f}</v></c>'


def empty_cell(reference: str, style: int) -> str:
    """Write a cell that only has a look."""
    return f'<c r="{reference}"{_write_style(style)}/>'


def date_number(day: date) -> str | None:
    """Return the number Excel stores for a date or a timestamp; None when it has none (before 01/03/1900).

    >>> date_number(date(2026, 3, 16)), date_number(datetime(2026, 3, 16, 12, 0)), date_number(date(1899, 1, 1))
    ('46097', '46097.500000000', None)
    """
    if isinstance(day, datetime):
        if day.date() < FIRST_DATE:
            return None
        return _timestamp_number(day)
    return str(day.toordinal() - _DAY_ZERO) if day >= FIRST_DATE else None


def _timestamp_number(moment: datetime) -> str:
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    # Rounded up: a reader that cuts the fraction must not show the second before.
    return f"{moment.toordinal() - _DAY_ZERO}.{-(-seconds * 10**9 // 86_400):09d}"


Plain = Callable[[Any], str | None]
"""Returns the text of a value that is plain for the column's kind, None for any other value."""
OtherWriter = Callable[[int, object], str]
"""Writes the cell of a value that is not plain: (row number, value) -> cell, with `ROW` in the place of the number."""


class CellWriter:
    """Writes the cells of one column in rows of one look, with `ROW` in the place of the row's number.

    Args:
        style: number of the look of plain and missing values.
        kind: of the plain values.
        plain: returns their texts; it is not called for missing values.
        other: writes all other values.
    """

    def __init__(self, letter: str, style: int, kind: Kind, plain: Plain, other: OtherWriter) -> None:
        begin = f'<c r="{letter}{ROW}"{_write_style(style)}'
        self._empty = begin + "/>"
        self._begin, self._end = begin + "><v>", "</v></c>"
        if kind is Kind.TEXT:
            self._begin, self._end = begin + ' t="inlineStr"><is><t>', "</t></is></c>"
        elif kind is Kind.BOOLEAN:
            self._begin = begin + ' t="b"><v>'
        self._plain = plain
        self._other = other

    def write(self, row: int, value: object) -> str:
        """Write the cell of a row."""
        if value is None:
            return self._empty
        text = self._plain(value)
        return self._other(row, value) if text is None else f"{self._begin}{text}{self._end}"

    def write_all(self, values: Iterable[object]) -> list[bytes]:
        """Write the cells of plain or missing values, and of others that lead nowhere."""
        begin, end, plain = self._begin, self._end, self._plain
        written = [
            f"{begin}{text}{end}" if value is not None and (text := plain(value)) is not None else self.write(0, value)
            for value in values
        ]
        return [cell.encode() for cell in written]


def plain_nothing(value: object) -> str | None:  # noqa: ARG001 - as the others
    """Return None for every value: the column has no plain ones."""
    return None


def plain_text(limit: int) -> Plain:
    """Return a `Plain` for the texts of up to `limit` characters that need neither escaping nor cleaning."""

    def plain(value: object) -> str | None:
        return value if type(value) is str and 0 < len(value) <= limit and _is_plain(value) else None

    return plain


def long_text(letter: str, style: int, limit: int, other: OtherWriter) -> OtherWriter:
    """Return a writer that gives texts of more than `limit` characters the look `style`; `other` writes the rest."""

    def write(row: int, value: object) -> str:
        if type(value) is str and len(value) > limit:
            return text_cell(f"{letter}{ROW}", style, value)
        return other(row, value)

    return write


def _plain_money(value: object) -> str | None:
    return f"{value:f}" if type(value) is Decimal and value.is_finite() else None


def _plain_integer(value: object) -> str | None:
    return str(value) if type(value) is int else None


def _plain_date(value: object) -> str | None:
    return date_number(value) if type(value) is date else None


def _plain_timestamp(value: object) -> str | None:
    return date_number(value) if type(value) is datetime else None


def _plain_flag(value: object) -> str | None:
    return str(int(value)) if type(value) is bool else None


PLAIN: Final[Mapping[Kind, Plain]] = {
    Kind.MONEY: _plain_money,
    Kind.INTEGER: _plain_integer,
    Kind.DATE: _plain_date,
    Kind.MONTH: _plain_date,
    Kind.TIMESTAMP: _plain_timestamp,
    Kind.BOOLEAN: _plain_flag,
}
"""Test for the plain values of a kind; texts have `plain_text`, other kinds none."""
