"""Formulas in the rows of a table that people type into, each beside the value that it comes to now.

Numbers and days alone are compared, and no format is used: locales and wildcards change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.export.cells import date_number
from lastro.export.forms import HEADER_ROWS
from lastro.export.layout import column_letter
from lastro.grid.cells import Cell, Formula, Value, inner_value
from lastro.grid.forms import Form
from lastro.grid.sections import Section

_OWN: Final = re.compile(r"\[(\w+)\]")


def write_serial(day: date) -> int:
    """Write a day as cells hold it."""
    return int(date_number(day) or 0)


def enliven(
    section: Section, formulas: Iterable[Mapping[str, str]], first: int = HEADER_ROWS[Form.DESK] + 1
) -> Section:
    """Put formulas into the rows of a table, each beside the value that stands there.

    Args:
        formulas: of each row key of a column -> formula, `[key]` for another cell of the row.
        first: the number of its first row.
    """
    places = {column.key: place for place, column in enumerate(section.columns)}
    letters = {key: column_letter(place + 1) for key, place in places.items()}
    rows = []
    for at, (row, texts) in enumerate(zip(section.rows, formulas, strict=True), first):
        cells = list(row.cells)
        here = {key: f"${letter}{at}" for key, letter in letters.items()}
        for key, text in texts.items():
            cells[places[key]] = _beside(_OWN.sub(lambda found: here[found[1]], text), cells[places[key]])  # noqa: B023
        rows.append(replace(row, cells=tuple(cells)))
    return replace(section, rows=rows)


def _beside(text: str, cell: Value | Cell) -> Formula:
    value = inner_value(cell)
    if isinstance(value, date):
        return Formula(text, write_serial(value))
    return Formula(text, value if isinstance(value, Decimal | int | str) else "")


def say_covered(balance: str, limite: str = "", least: str = "") -> str:
    """Write the formula of `Credit.cover`.

    Args:
        balance: the balance.
        limite: what the bank lends; "" where it lends nothing.
        least: what a balance above zero must be at least; "" where that is nothing.
    """
    left = f"({balance}+{limite})" if limite else balance
    cents = f"ROUND(-{left}*100,0)"
    short = f'"falta "&{_group(f"INT({cents}/100)")}&","&RIGHT("0"&MOD({cents},100),2)'
    covered = f'IF({balance}<{least},"Sim, abaixo do mínimo","Sim")' if least else '"Sim"'
    if limite:
        used = f"ROUND(-{balance}*100,0)"
        covered = f'IF({used}>0,"Sim, usa "&{_group(f"INT(({used}+99)/100)")}&" do limite",{covered})'
    return f"IF(ROUND({left},2)<0,{short},{covered})"


def _group(whole: str) -> str:
    """Write the formula of a whole number below 1,000,000,000 as Brazilians read it."""
    thousands = f'RIGHT("00"&MOD({whole},1000),3)'
    return (
        f'IF({whole}<1000,{whole},IF({whole}<1000000,INT({whole}/1000)&"."&{thousands},'
        f'INT({whole}/1000000)&"."&RIGHT("00"&MOD(INT({whole}/1000),1000),3)&"."&{thousands}))'
    )
