"""How cells look, as values: number formats, colours, borders (manual: Planilha).

Belongs here: the decision which look a cell has. Does not belong here: how a look becomes a style of the file
(`lastro.export.skeleton`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from lastro.grid.cells import INSTANTS, TEXTS, Kind
from lastro.grid.sections import Mark, Row, Style
from lastro.grid.tables import Alert, Column
from lastro.grid.verdict import CONFIAVEL, NAO_CONFIAVEL
from lastro.grid.workbook import Family, Stamp

# No colour in the formats: plain red cannot be read well (4.0:1), and Excel and LibreOffice number the others unlike.
MONEY_FORMAT: Final = '"R$" #,##0.00;-"R$" #,##0.00;"–"'
DENSE_FORMAT: Final = '#,##0.00;-#,##0.00;"–"'
MONTH_FORMAT: Final = "[$-416]mmm/yy"

FORMATS: Final[Mapping[Kind, str]] = {
    Kind.TEXT: "@",
    Kind.LINK: "@",
    Kind.INTEGER: "#,##0",
    Kind.DATE: "dd/mm/yyyy",
    Kind.MONTH: MONTH_FORMAT,
    Kind.TIMESTAMP: "dd/mm/yyyy hh:mm",
    Kind.MONEY: MONEY_FORMAT,
    Kind.PERCENT: "0.0%",
    Kind.NUMBER: "#,##0.0",
    Kind.DECIMAL: "#,##0.00##",
}
_ID_FORMAT = "0"

BLUE, GREEN, PURPLE, ORANGE, GREY, DARK = "0D47A1", "1B5E20", "6A1B9A", "EF6C00", "9E9E9E", "424242"
RED, AMBER = "B71C1C", "8A4B00"
RED_FILL, AMBER_FILL = "FFCDD2", "FFE0B2"
GREY_TEXT = "595959"
TABS: Final[Mapping[Family, str]] = {
    Family.COVER: BLUE,
    Family.CASH: GREEN,
    Family.RESULT: PURPLE,
    Family.OPEN: ORANGE,
    Family.HISTORY: GREY,
    Family.RECORDS: DARK,
}
HEADER_FILL, BAND_FILL = "1F3A5F", "33597F"
SITUATIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    # the glyph keeps the meaning on a black-and-white print; the text of the cell stays the bare word
    "OK": ("✔", GREEN, "E8F5E9"),
    "Atenção": ("▲", AMBER, "FFF3E0"),
    "Crítico": ("✖", RED, "FFEBEE"),
}


Line = tuple[Literal["thin", "medium"], str]
"""Thickness and colour of a border."""


@dataclass(frozen=True)
class Look:
    """How a cell looks; equal looks share one style of the workbook."""

    number_format: str = "General"
    align: str | None = None
    indent: int = 0
    bold: bool = False
    italic: bool = False
    underline: bool = False
    colour: str | None = "212121"
    fill: str | None = None
    top: Line | None = None
    bottom: Line | None = ("thin", "E0E0E0")
    left: Line | None = None
    right: Line | None = None
    vertical: str | None = "center"
    wrap: bool = False
    size: int = 10


def with_kind(look: Look, column: Column, *, first: bool) -> Look:
    """Return the look of a cell whose kind is not its column's; `column` carries the cell's kind.

    Figures in a text column stay left like their neighbours, text in a column of figures stays right; in the first
    column text is a label ("Total") and stands left.
    """
    label = first and column.kind in TEXTS
    align = "left" if label or look.align == "left" else "right"
    return replace(look, number_format=number_format_of(column), align=align)


def number_format_of(column: Column) -> str:
    """Return the number format of a column (en-US codes; separators follow the reader's Excel)."""
    if column.kind is Kind.MONEY:
        text = DENSE_FORMAT if column.dense else MONEY_FORMAT
        if column.alert is Alert.SALDO:
            text = text.replace(";-", ';"✖ "-', 1)
        return text.rsplit(";", 1)[0] if column.show_zero else text
    if column.kind is Kind.INTEGER and is_id(column.key):
        return _ID_FORMAT
    return FORMATS[column.kind]


def zero_dash(number_format: str) -> str:
    """Return a number format that prints zero as "–".

    >>> zero_dash("0.0%")
    '0.0%;-0.0%;"–"'
    """
    return f'{number_format};-{number_format};"–"'


def is_id(key: str) -> bool:
    """Say whether an integer column names things rather than counts them: printed without thousand separators.

    >>> is_id("id"), is_id("titulo"), is_id("conta_id"), is_id("qtde")
    (True, True, True, False)
    """
    words = key.split("_")
    return "id" in words or "ids" in words or words[0] in {"titulo", "lancamento", "execucao", "numero"}


def trust_flag(stamp: Stamp) -> tuple[str, str, str]:
    """Return the text of the trust flag with its strong and its pale colour."""
    colour, fill = {NAO_CONFIAVEL: (RED, RED_FILL), CONFIAVEL: (GREEN, "C8E6C9")}.get(
        stamp.trust.word, (AMBER, AMBER_FILL)
    )
    return f"[{stamp.confianca}]", colour, fill


def look_of(column: Column, row: Row, *, first: bool) -> Look:
    """Choose the look of the cells of a column in rows of one style, level and marks."""
    kind = column.kind
    look = Look(
        number_format=number_format_of(column),
        align="left" if kind in TEXTS else "center" if kind in INSTANTS else "right",
        # one step away from the figures of the column before; the first column shows the outline
        indent=(min(row.level, 15) if first else 1) if kind in TEXTS else 0,
        wrap=False,
    )
    if row.style is Style.SECTION:
        look = replace(look, bold=True, fill="DCE6F1")
    elif row.style is Style.SUBTOTAL:
        look = replace(look, bold=True, fill="F1F5F9", top=("thin", "90A4AE"))
    elif row.style is Style.TOTAL:
        look = replace(look, bold=True, fill="E3EAF2", top=("medium", HEADER_FILL), bottom=("thin", HEADER_FILL))
    elif row.style is Style.MEMO:
        look = replace(look, italic=True, colour=GREY_TEXT)
    if Mark.NON_BUSINESS_DAY in row.marks:
        look = replace(look, fill="EEEEEE", colour=GREY_TEXT)
    if Mark.PROVISIONAL in row.marks:
        look = replace(look, italic=True)
    if Mark.LATE_90 in row.marks:
        look = replace(look, colour=RED)
    if Mark.TODAY in row.marks:
        look = replace(look, bold=True, top=("medium", BLUE), bottom=("medium", BLUE))
    return look


_CHANGES: Final[Mapping[Kind, str]] = {
    Kind.MONEY: '"R$" #,##0.00',
    Kind.PERCENT: '0.0" p.p."',
    Kind.NUMBER: "#,##0.0",
    Kind.INTEGER: "#,##0",
}


def tone_look(look: Look, kind: Kind, tone: str) -> Look:
    """Return the look of a change: an arrow says where it goes, the colour whether that is good news.

    >>> tone_look(Look(), Kind.PERCENT, "ruim").number_format
    '"▲ "0.0" p.p.";"▼ "-0.0" p.p."'
    """
    colour = {"bom": GREEN, "ruim": RED}.get(tone, GREY_TEXT)
    if kind is Kind.TEXT:
        return replace(look, colour=colour, align="center", bold=True)
    plain = _CHANGES[kind]
    return replace(look, number_format=f'"▲ "{plain};"▼ "-{plain}', colour=colour, align="right")


def lighten(colour: str) -> str:
    """Return a colour mixed half and half with white.

    >>> lighten("2E7D32")
    '96BE98'
    """
    return "".join(f"{(int(colour[place : place + 2], 16) + 255) // 2:02X}" for place in (0, 2, 4))
