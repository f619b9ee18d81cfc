"""What of a sheet a person sees: what is hidden, what is a formula, and whether a format shows what stands in a cell.

Does not belong here: the values (`lastro.entrada.workbook`), and what follows from one that nobody sees.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from lastro.entrada.archive import DAMAGED, find_sheets, find_workbook, follow_links, list_elements, open_parts
from lastro.entrada.door import hold_unread

_BUILT_IN: Final = {
    "0": "General", "2": "0.00", "4": "#,##0.00", "14": "dd/mm/yyyy", "22": "dd/mm/yyyy hh:mm", "39": "#,##0.00",
    "40": "#,##0.00", "43": "#,##0.00", "44": "#,##0.00", "49": "@",
}  # fmt: skip
"""Formats that a workbook names by number alone, as far as they show an amount or a day whole."""
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
        formulas: cells with one.
        formats: cell -> its format, of every cell that has another one than General.
    """

    hidden: bool = False
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    formulas: set[tuple[int, int]] = field(default_factory=set)
    formats: dict[tuple[int, int], str] = field(default_factory=dict)

    def is_formula(self, row: int, place: int) -> bool:
        """Tell whether a cell holds a formula; `place` is that of its column, from 0 on."""
        return (row, place + 1) in self.formulas

    def find_blind(self, row: int, columns: Mapping[str, Sequence[int]], cells: Sequence[Any]) -> str:
        """Say why a person does not see what stands in some cells of a row, pt-BR; "" where all of it can be seen.

        Args:
            row: from 1 on.
            columns: header -> the places of all columns below it, from 0 on.
            cells: values of the row.
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
        sheets = [(own, part) for own, part in find_sheets(archive) if own["name"] == name]
        if not sheets:
            return Display(hidden=True)
        links = follow_links(archive, find_workbook(archive))
        styles = next((target for _, kind, target in links if kind == "styles"), "")
        formats = _list_formats(archive.read(styles)) if styles else []
        own, part = sheets[0]
        sheet = archive.read(part)
    display = Display(own.get("state", "visible") != "visible")
    _read_sheet(display, sheet, formats)
    return display


def _list_formats(xml: bytes) -> list[str]:
    """List the number format of each style of a cell."""
    codes: dict[str, str] = {}
    formats: list[str] = []
    part = ""
    for kind, own in list_elements(xml):
        if kind in ("numFmts", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs"):
            part = kind
        elif (part, kind) == ("numFmts", "numFmt"):
            codes[own.get("numFmtId", "")] = own.get("formatCode", "")
        elif (part, kind) == ("cellXfs", "xf"):
            number = own.get("numFmtId", "0")
            formats.append(codes.get(number, _BUILT_IN.get(number, "")))
    return formats


def _read_sheet(display: Display, xml: bytes, formats: list[str]) -> None:
    row = column = 0
    height = "9"
    for kind, own in list_elements(xml):
        if kind == "col" and _is_hidden(own, "width"):
            display.columns.update(range(int(own["min"]), min(int(own["max"]), 16_384) + 1))
        elif kind == "sheetFormatPr" and own.get("zeroHeight") in _TRUE:
            height = "0"
        elif kind == "row":
            row, column = int(own.get("r", row + 1)), 0
            if _is_hidden({"ht": height, **own}, "ht"):
                display.rows.add(row)
        elif kind == "c":
            letters = own.get("r", "").rstrip("0123456789")
            column = count_letters(letters) if letters else column + 1
            style = int(own.get("s", 0))
            if (code := formats[style] if style < len(formats) else "General") != "General":
                display.formats[row, column] = code
        elif kind == "f":
            display.formulas.add((row, column))


def _is_hidden(own: Mapping[str, str], size: str) -> bool:
    return own.get("hidden") in _TRUE or float(own.get(size, 9)) < 1


def count_letters(letters: str) -> int:
    """Give the number of a column, from 1 on.

    >>> count_letters("A"), count_letters("AB")
    (1, 28)
    """
    count = 0
    for letter in letters.upper():
        count = 26 * count + ord(letter) - 64
    return count


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
