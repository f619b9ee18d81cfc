"""The form that people fill in with a budget: written once, and never read from here (`lastro.entrada.orcamento`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter

from lastro.entrada.orcamento import COLUMNS, SHEET
from lastro.export.cells import clean_text

_WIDTHS: Final = {"A": 13, "B": 52, "C": 10, "D": 13}
_SUM: Final = Font(italic=True, color="808080")
_HEAD: Final = PatternFill("solid", fgColor="D9E1F2")


@dataclass(frozen=True)
class FormRow:
    """A row of the form.

    Attributes:
        categoria_id: the category; `caminho` is its path, `nivel` its depth in the tree.
        versao: empty for the original.
        valores: month -> what is budgeted, as it is typed: expenses without a sign.
    """

    categoria_id: int
    caminho: str
    nivel: int
    versao: str = ""
    valores: Mapping[date, Decimal] = field(default_factory=dict)


def write_form(path: Path, rows: Sequence[FormRow], months: Sequence[date]) -> None:
    """Write the form: the tree from its roots down, then revised rows; a parent without an amount sums up its tree.

    Raises:
        OSError: when it cannot be written.
    """
    book = Workbook()
    sheet: Any = book.active
    sheet.title = SHEET
    for at, name in enumerate((*COLUMNS, *(f"{month:%Y-%m}" for month in months)), 1):
        head = sheet.cell(1, at, name)
        head.font, head.fill, head.number_format = Font(bold=True), _HEAD, "@"
    for line, row in enumerate(rows, 2):
        below = 0 if row.versao else next(
            (more for more, other in enumerate(rows[line - 1 :]) if other.versao or other.nivel <= row.nivel),
            len(rows) - line + 1,
        )  # fmt: skip
        sheet.cell(line, 1, row.categoria_id)
        for at, text in ((2, clean_text(row.caminho)), (3, row.versao)):
            cell = sheet.cell(line, at, text)
            cell.data_type = "s"  # a name that begins with "=" is one all the same
        for at, month in enumerate(months, len(COLUMNS) + 1):
            cell = sheet.cell(line, at, row.valores.get(month))
            cell.number_format = "#,##0.00"
            if month not in row.valores and below:
                letter = get_column_letter(at)
                cell.value, cell.font = f"=SUBTOTAL(9,{letter}{line + 1}:{letter}{line + below})", _SUM
    for letter in (get_column_letter(at) for at in range(1, len(COLUMNS) + len(months) + 1)):
        sheet.column_dimensions[letter].width = _WIDTHS.get(letter, 13)
    sheet.freeze_panes = sheet.cell(2, len(COLUMNS) + 1)
    book.save(path)
