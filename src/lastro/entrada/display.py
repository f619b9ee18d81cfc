"""What of a sheet a person sees: what is hidden, what is a formula, and whether a format shows what stands in a cell.

Does not belong here: the values (`lastro.entrada.workbook`), and what follows from one that nobody sees.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final
from xml.etree.ElementTree import Element

from lastro.entrada.archive import (
    DAMAGED,
    MAX_UNPACKED,
    find_sheets,
    find_workbook,
    follow_links,
    open_parts,
    read_elements,
    read_place,
)
from lastro.entrada.door import hold_unread

_BUILT_IN: Final = {
    "0": "General", "2": "0.00", "4": "#,##0.00", "9": "0%", "10": "0.00%", "14": "dd/mm/yyyy",
    "22": "dd/mm/yyyy hh:mm", "39": "#,##0.00", "40": "#,##0.00", "43": "#,##0.00", "44": "#,##0.00", "49": "@",
}  # fmt: skip
"""Formats that a workbook names by number alone, as far as they show an amount or a day whole, or percentages."""
_TRUE: Final = frozenset({"1", "true"})
_TOKEN: Final = re.compile(r'"([^"]*)"|\\(.)|_.|\*(.)|\[([^\]]*)\]|(.)', re.DOTALL)
_PLAIN: Final = re.compile(r"[R$€\s()+–-]*")
"""What may stand beside a figure and makes no other one of it."""
_BRACKETS: Final = re.compile(
    r"\$(?P<sign>[^-]*)(?:-[0-9a-fA-F,]*)?|black|blue|cyan|green|magenta|red|yellow|color ?\d+"
)
_FIGURE: Final = re.compile(r"\|?(?:[#0?]+(?:,[#0?]+)*)?\.[#0?]{2,}\|?")
_DAY: Final = re.compile(r"(?=.*d)(?=.*m)(?=.*yy)[dmyhs:/., |-]+")


@dataclass
class Display:
    """How a sheet is shown; rows and columns from 1 on.

    Attributes:
        hidden: the whole sheet is.
        rows, columns: those that are.
        formulas: cell -> what is computed there, without "=".
        formats: cell -> its format, of every cell that has another one than General.
        merged: the first cell of each merged area.
    """

    hidden: bool = False
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    formulas: dict[tuple[int, int], str] = field(default_factory=dict)
    formats: dict[tuple[int, int], str] = field(default_factory=dict)
    merged: set[tuple[int, int]] = field(default_factory=set)

    def is_formula(self, row: int, place: int) -> bool:
        """Tell whether a cell holds a formula; `place` is that of its column, from 0 on."""
        return (row, place + 1) in self.formulas

    def find_blind(self, row: int, columns: Mapping[str, Sequence[int]], cells: Sequence[Any]) -> str:
        """Say why a person does not see what stands in some cells of a row, pt-BR; "" where all of it can be seen.

        Args:
            row: from 1 on.
            columns: header -> the places of all columns below it, from 0 on.
        """
        if self.hidden or row in self.rows:
            return "folha oculta: mostre-a e salve" if self.hidden else "linha oculta por filtro: mostre-a e salve"
        doubts = (self._find_doubt(row, places, cells) for places in columns.values())
        named = zip(columns, doubts, strict=True)
        return next((doubt.format(f"«{header.capitalize()}»") for header, doubt in named if doubt), "")

    def _find_doubt(self, row: int, places: Sequence[int], cells: Sequence[Any]) -> str:
        """Say why the one cell below a header, or one of several, is not seen as it is."""
        if not places:
            return "falta a coluna {}"
        hidden = any(place + 1 in self.columns for place in places)
        if len(places) > 1 and (hidden or len({str(cells[place]) for place in places}) > 1):
            return "duas colunas {}: deixe só a do lastro e salve"
        if hidden:
            return "coluna {} oculta: mostre-a e salve"
        if any(self.is_formula(row, place) for place in places):
            return "{} é uma fórmula: devolva o valor e salve"
        if all(_shows(cells[place], self.formats.get((row, place + 1), "General")) for place in places):
            return ""
        return "o formato de {} mostra outra coisa: devolva-o e salve"


def read_display(content: bytes, name: str) -> Display:
    """Read how a sheet of a workbook is shown that was read already.

    Raises:
        NotRead: when a part of it is damaged.
    """
    with hold_unread(DAMAGED), open_parts(io.BytesIO(content)) as archive:
        part, hidden = find_sheets(archive).get(name, ("", True))
        display = Display(hidden)
        _read_sheet(display, archive, part, _list_formats(archive))
    return display


def _list_formats(archive: zipfile.ZipFile) -> list[str]:
    """List the number format of each style of a cell."""
    links = follow_links(archive, find_workbook(archive))
    styles = next((target for _, kind, target in links if kind == "styles"), "")
    codes, formats = dict(_BUILT_IN), list[str]()
    for kind, own in read_elements(archive, styles, "numFmt", "cellXfs", most=MAX_UNPACKED):
        if kind == "numFmt":
            codes[own.get("numFmtId", "")] = own.get("formatCode", "")
        else:
            formats += [codes.get(style.get("numFmtId", "0"), "") for style in own]
    return formats


def _read_sheet(display: Display, archive: zipfile.ZipFile, part: str, formats: Sequence[str]) -> None:
    row, height, shared = 0, "9", dict[str, str]()
    kinds = ("sheetFormatPr", "col", "row", "mergeCell")
    for kind, own in read_elements(archive, part, *kinds, most=MAX_UNPACKED):
        if kind == "col" and _is_hidden(own, "width", "9"):
            display.columns.update(range(int(own.get("min", 1)), min(int(own.get("max", 1)), 16_384) + 1))
        elif kind == "sheetFormatPr" and own.get("zeroHeight") in _TRUE:
            height = "0"
        elif kind == "mergeCell" and (first := read_place(own.get("ref", "").partition(":")[0])):
            display.merged.add(first)
        elif kind == "row":
            row = int(own.get("r", row + 1))
            display.rows.update([row] if _is_hidden(own, "ht", height) else ())
            _read_row(display, row, own.iterfind("{*}c"), formats, shared)


def _read_row(
    display: Display, row: int, cells: Iterator[Element], formats: Sequence[str], shared: dict[str, str]
) -> None:
    """Note what of a row is shown otherwise than as a plain value; `shared` are formulas that other cells repeat."""
    column = 0
    for cell in cells:
        _, column = read_place(cell.get("r", "")) or (row, column + 1)
        style = int(cell.get("s", 0))
        if (code := formats[style] if style < len(formats) else "General") != "General":
            display.formats[row, column] = code
        if (formula := cell.find("{*}f")) is not None:
            text, number = formula.text or "", formula.get("si", "")
            display.formulas[row, column] = text or shared.get(number, "")
            shared.setdefault(number, text)


def _is_hidden(own: Element, size: str, usual: str) -> bool:
    return own.get("hidden") in _TRUE or float(own.get(size, usual)) < 1


def _shows(value: object, code: str) -> bool:
    """Tell whether a format shows a value as it is."""
    if value is None or isinstance(value, str):
        return shows_text(code)
    return shows_day(code) if isinstance(value, date) else shows_amount(code, negative=str(value).startswith("-"))


def shows_amount(code: str, *, negative: bool = False) -> bool:
    """Tell whether a number format shows an amount as it is: all of its figures, two places, and no other figure.

    >>> shows_amount('"R$" #,##0.00'), shows_amount("[$R$-416] #,##0.00;[RED]-#,##0.00"), shows_amount("0,.00")
    (True, True, False)
    >>> shows_amount('"60,00"'), shows_amount('0"."00'), shows_amount("#,##0"), shows_amount("[$6.000-416]")
    (False, False, False, False)
    """
    sections = _split(code)
    section = sections[1] if negative and len(sections) > 1 and sections[1] else sections[0]
    return code in ("General", "@") or bool(_FIGURE.fullmatch(_strip(section)))


def shows_day(code: str) -> bool:
    """Tell whether a number format shows a day as it is.

    >>> shows_day("dd/mm/yyyy;@"), shows_day('d" de "mmmm" de "yyyy'), shows_day('"20/12/2026"'), shows_day("mm/yyyy")
    (True, True, False, False)
    """
    return bool(_DAY.fullmatch(_strip(re.sub(r'" ?de ?"', " ", _split(code)[0].casefold()))))


def shows_text(code: str) -> bool:
    """Tell whether a number format shows a text as it is.

    >>> shows_text("@"), shows_text("0.00"), shows_text(';;;"Papelaria"'), shows_text(";;;")
    (True, True, False, False)
    """
    sections = _split(code)
    own = sections[3] if len(sections) > 3 else next((one for one in sections if "@" in one), "@")
    return _strip(own).strip("|") == "@"


def _split(code: str) -> list[str]:
    """Split a format into its sections: for amounts above, below and of zero, and for texts."""
    sections = [""]
    for token in _TOKEN.finditer(code):
        if token[0] == ";":
            sections.append("")
        else:
            sections[-1] += token[0]
    return sections


def _strip(section: str) -> str:
    """Leave of a section its placeholders, and | for what stands beside them and changes nothing; ! for all else."""
    parts = []
    for token in _TOKEN.finditer(section):
        quoted, escaped, filling, bracket, plain = token.groups()
        if bracket is not None:
            known = _BRACKETS.fullmatch(bracket.casefold())
            parts.append("" if known and _PLAIN.fullmatch((known["sign"] or "").upper()) else "!")
        elif (text := quoted if quoted is not None else escaped or filling) is not None:
            parts.append("|" if _PLAIN.fullmatch(text) else "!")
        elif plain is not None:
            parts.append("|" if _PLAIN.fullmatch(plain) and plain != "R" else plain)
    return re.sub(r"\|+", "|", "".join(parts))
