"""Rows and cells as the XML of a worksheet, written directly.

openpyxl owns the workbook; only what stands between `<sheetData>` and `</sheetData>` is written here, because three
rules of the workbook need it: a formula carries its computed result, money is stored as the exact decimal text (no
float on the way), and 200,000 rows of 35 columns take seconds. Does not belong here: positions (`layout`) and looks
(`xlsx`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from lastro.grid.cells import YES_NO, Value
from lastro.grid.words import TURNS
from lastro.money import write_centavos

MAX_TEXT: Final = 32_767
"""Most UTF-16 units that a cell holds."""
EPOCH: Final = date(1899, 12, 30)
"""Day 0 of Excel's dates."""
_DAY_ZERO: Final = EPOCH.toordinal()
FIRST_DATE: Final = date(1900, 3, 1)
"""Excel counts a 29/02/1900 that never was; dates before this one have no safe number."""
_MAX_KNOWN: Final = 5_000
"""Texts of one column that are kept written: more would be a column of unique ones."""
SPECIAL = re.compile(f"[&<\x00-\x08\x0b-\x1f\x7f{TURNS}\ud800-\udfff\ufffe\uffff]|]]>|_x[0-9A-Fa-f]{{4}}_")
_FORBIDDEN = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f{TURNS}\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

CellWriter = Callable[[int, Value], str]
"""Writes a cell of one column: (row number, value) -> what stands between that number in it and in the next cell."""


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
    if len(text) * 2 <= MAX_TEXT and not SPECIAL.search(text):
        return text
    text = clean_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ESCAPED.sub("_x005F_", text)


def _write_style(style: int) -> str:
    """Write the number of a look; that of the book's standard need not be said."""
    return f' s="{style}"' if style else ""


def _text_body(style: int, text: str) -> str:
    """Write a text from its look to the end of its cell; blanks that a reader would drop are marked."""
    kept = "" if " ".join(text.split()) == text else ' xml:space="preserve"'
    return f'{_write_style(style)} t="inlineStr"><is><t{kept}>{xml_text(text)}</t></is></c>'


def text_cell(reference: str, style: int, text: str) -> str:
    """Write a text as an inline string: whatever it begins with, it is never a formula or an error value."""
    return f'<c r="{reference}"{_text_body(style, text)}'


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


def money_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a MONEY column; `other` gets what is neither a Decimal nor empty."""
    begin, end, empty = f'" s="{style}"><v>', f"</v></c>{after}", f'" s="{style}"/>{after}'

    def write(row: int, value: Value) -> str:
        if type(value) is Decimal and value.is_finite():
            return f"{begin}{value:f}{end}"
        return empty if value is None else other(row, value)

    return write


def centavos_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a stored MONEY column, whose amounts come as signed centavos; see `money_writer`."""
    begin, end, empty = f'" s="{style}"><v>', f"</v></c>{after}", f'" s="{style}"/>{after}'

    def write(row: int, value: Value) -> str:
        if type(value) is int:
            return f"{begin}{write_centavos(value)}{end}"
        return empty if value is None else other(row, value)

    return write


def integer_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of an INTEGER column; `other` gets what is neither an int nor empty."""
    begin, end, empty = f'" s="{style}"><v>', f"</v></c>{after}", f'" s="{style}"/>{after}'

    def write(row: int, value: Value) -> str:
        if type(value) is int:
            return f"{begin}{value}{end}"
        return empty if value is None else other(row, value)

    return write


def date_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a DATE or MONTH column; `other` gets what is neither a date nor empty."""
    begin, end, empty = f'" s="{style}"><v>', f"</v></c>{after}", f'" s="{style}"/>{after}'

    def write(row: int, value: Value) -> str:
        if type(value) is date and value >= FIRST_DATE:
            return f"{begin}{value.toordinal() - _DAY_ZERO}{end}"
        return empty if value is None else other(row, value)

    return write


def timestamp_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a TIMESTAMP column; `other` gets what is neither a datetime nor empty."""
    begin, end, empty = f'" s="{style}"><v>', f"</v></c>{after}", f'" s="{style}"/>{after}'

    def write(row: int, value: Value) -> str:
        if type(value) is datetime and value.year > FIRST_DATE.year:
            return f"{begin}{_timestamp_number(value)}{end}"
        return empty if value is None else other(row, value)

    return write


def text_writer(style: int, long_style: int, limit: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a TEXT column, yes and no included: `long_style` for texts over `limit` characters."""
    empty = f'"{_write_style(style)}/>{after}'
    # Most texts are labels that come again: each is written once.
    known: dict[Value, str] = {None: empty, "": empty}
    for answer, word in YES_NO.items():
        known[answer] = f'"{_text_body(style, word)}{after}'

    def write(row: int, value: Value) -> str:
        piece = known.get(value) if value is None or type(value) is str or type(value) is bool else None
        if piece is None:
            if type(value) is not str:
                return other(row, value)
            own = style if len(value) <= limit else long_style
            piece = f'"{_text_body(own, value)}{after}'
            if len(known) < _MAX_KNOWN:
                known[value] = piece
        return piece

    return write


def flag_writer(style: int, after: str, other: CellWriter) -> CellWriter:
    """Return the writer of a BOOLEAN column whose cells hold true or false, not a word for them."""
    own = _write_style(style)
    known = {answer: f'"{own} t="b"><v>{int(answer)}</v></c>{after}' for answer in YES_NO}

    def write(row: int, value: Value) -> str:
        if type(value) is bool:
            return known[value]
        return f'"{own}/>{after}' if value is None else other(row, value)

    return write
