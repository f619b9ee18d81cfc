"""The forms of a sheet, and the values that its cells accept.

Belongs here: the forms of sheets and the properties of a column that a person types into. Does not belong here: what a
form looks like (`lastro.export.forms`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lastro.grid.cells import Formula


class Form(StrEnum):
    """What a sheet is for: it decides what stands above its tables and how they look.

    REPORT is read and printed: title, trust flag, stamp, a header in row 4. DATA is taken by pivots and Power Query: a
    header in row 1, and nothing but rows below it. DESK is typed into: title, stamp and a notice above the header in
    row 4. MEMORY is for the program alone: no header, and hidden so that only a program shows it again.
    """

    REPORT = "relatório"
    DATA = "dados"
    DESK = "mesa"
    MEMORY = "memória"


@dataclass(frozen=True)
class Highlight:
    """A colour that a cell takes while a condition holds.

    Attributes:
        condition: a formula in en-US without "=", `{cell}` in the place of the cell.
        colour: of the text, RGB.
        fill: behind it, RGB.
        bold: whether the text is.
    """

    condition: str
    colour: str
    fill: str
    bold: bool = True


@dataclass(frozen=True)
class Input:
    """What a person may type into the cells of a column, those of its rows and of rows added below.

    A day must be one from a day on where there is one, an amount be positive unless signed, a text may be taken from a
    list; a list warns, the others refuse.

    Attributes:
        name: of what is typed, as it is stored.
        choices: where the list stands whose items are offered, as a reference; "" for none.
        since: DATE only: the first day that is taken, as a formula; "" for any day.
        highlights: colours by condition; the first one that holds counts.
        signed: MONEY only: an amount may be zero or below.
    """

    name: str
    choices: str
    since: str
    highlights: tuple[Highlight, ...]
    signed: bool


@dataclass(frozen=True)
class Setup:
    """What a sheet is for, and what it has beside its tables.

    Attributes:
        form: what it is for.
        lines: texts above its tables, each with whether it is a heading; DATA and DESK only.
        counters: DESK only: key of a column -> formula and number format of what stands above its header.
        colour: of the tab, RGB; when not given, that of the report's family.
    """

    form: Form = Form.REPORT
    lines: tuple[tuple[str, bool], ...] = ()
    counters: Mapping[str, tuple[Formula, str]] = field(default_factory=dict)
    colour: str = ""


REPORT_SETUP: Final = Setup()
"""That of a report."""
