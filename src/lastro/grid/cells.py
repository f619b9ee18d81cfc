"""What a cell of a report can hold.

Cells hold plain values by kind: MONEY is a Decimal with two places (signed), PERCENT a Decimal in percent (49.28 means
49.28 %), NUMBER a Decimal with one place, DECIMAL one with four, INTEGER an int, DATE and MONTH a `datetime.date` (a
month is its first day), TIMESTAMP a naive local `datetime`, BOOLEAN a bool (printed Sim or Não), TEXT a str, LINK a
`Link`. None is an empty cell; UNDEFINED prints "—" (S7: a balance before the control of the account begins).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, Literal

from lastro.money import to_decimal


class Kind(StrEnum):
    """What a column holds, as the writer formats it and SQL types it."""

    TEXT = "T"
    INTEGER = "I"
    DATE = "D"
    MONEY = "M"
    PERCENT = "P"
    NUMBER = "N"
    DECIMAL = "exato"
    LINK = "L"
    MONTH = "mes"
    TIMESTAMP = "hora"
    BOOLEAN = "B"


TEXTS: Final = frozenset({Kind.TEXT, Kind.LINK})
DAYS: Final = frozenset({Kind.DATE, Kind.MONTH})
INSTANTS: Final = DAYS | {Kind.TIMESTAMP}


@dataclass(frozen=True)
class Undefined:
    """Stands for a figure that does not exist; SQL and checks see null.

    Attributes:
        text: what is printed: "—", or in a word why there is none ("n/s").
    """

    text: str = "—"


UNDEFINED: Final = Undefined()


@dataclass(frozen=True)
class Link:
    """A text that leads somewhere.

    Attributes:
        text: what is printed; an id is a number here too.
        url: an address outside the workbook (a charge's `link_publico`), or None.
        sheet: a sheet of the same workbook, or None.
        key: with `sheet`, the key of a row there (`Row.key`, `row_key`); None leads to the top of the sheet.
    """

    text: str | int
    url: str | None = None
    sheet: str | None = None
    key: str | None = None


def link_sheet(sheet: str, key: str | None = None) -> Link:
    """Make the link that says where it leads: to a sheet of the same workbook, or to a row there (`Link.key`)."""
    return Link(f"{sheet} »", sheet=sheet, key=key)


def row_key(column: str, value: int) -> str:
    """Return the key under which a link finds the row whose column has a value (`Section.anchors`).

    >>> row_key("titulo_id", 1011)
    'titulo_id=1011'
    """
    return f"{column}={value}"


@dataclass(frozen=True)
class Formula:
    """A live formula with the result the pipeline computed (manual: Planilha); SQL and text see only the result.

    Attributes:
        text: the formula in en-US without "=". `{section:column}` stands for the data rows (no totals) of a column
            (by its key) of any section of the workbook, `{section:column@row}` for the cell of the row with that key,
            `{section:$}` for all its amounts, totals too, `{capa:valor_1}` for a figure of the cover; the writer puts
            the addresses in.
        cached: the exact result in the unit of the column's kind (percent, not a fraction), written beside the
            formula so that nobody needs to calculate to read it.
    """

    text: str
    cached: Decimal | int | str


YES_NO: Final = {True: "Sim", False: "Não"}
"""What a BOOLEAN prints."""
Value = str | int | Decimal | date | datetime | Link | Formula | Undefined | None


@dataclass(frozen=True)
class Cell:
    """A value whose kind differs from its column's (the column `Valor` of R00).

    Attributes:
        value: what is printed.
        kind: how.
        tone: of a change from one report to the next, whether it is good or bad news; "" for what is no change. A
            change of percents is printed in points ("p.p.").
    """

    value: Value
    kind: Kind
    tone: Literal["", "bom", "ruim", "neutro", "atenção"] = ""


def inner_value(cell: Value | Cell) -> Value:
    """Return what a cell prints, whatever its kind."""
    return cell.value if isinstance(cell, Cell) else cell


def sum_money(cells: Iterable[Value | Cell]) -> Decimal:
    """Add up the amounts among some cells; texts, days and what nobody knows count nothing."""
    return sum((value for value in map(inner_value, cells) if isinstance(value, Decimal)), start=Decimal("0.00"))


def decimal_or_undefined(centavos: int | None) -> Decimal | Undefined:
    """Turn signed centavos into a Decimal with two places; None becomes UNDEFINED (S7)."""
    return UNDEFINED if centavos is None else to_decimal(centavos)
