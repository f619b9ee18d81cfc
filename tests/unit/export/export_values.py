"""Small report values that the export tests share."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl

from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.verdict import Trust
from lastro.grid.workbook import Sheet, Stamp, Workbook

D = date(2026, 3, 16)
STAMP = Stamp("Acme Ltda", D, datetime(2026, 3, 16, 6, 5), "BRT", 2, 2, 2, trust=Trust(alertas=1))  # noqa: DTZ001


def section(
    *columns: Column, rows: tuple[tuple[Value | Cell, ...], ...] = (), name: str = "lancamentos", **more: Any
) -> Section:
    """A section whose rows are plain tuples."""
    return replace(Section(name, columns, tuple(Row(cells) for cells in rows)), **more)


def make_sheet(*sections: Section, name: str = "Lançamentos") -> Sheet:
    """A sheet with its name as title."""
    return Sheet(name, name, sections)


def book(*sheets: Sheet, **more: Any) -> Workbook:
    """A workbook of 16/03/2026."""
    return replace(Workbook("gerencial", STAMP, sheets), **more)


def one_column(kind: Kind, *values: Value | Cell, header: str = "Campo", **column: Any) -> Sheet:
    """A sheet of one column."""
    return make_sheet(section(replace(Column(header, kind), **column), rows=tuple((value,) for value in values)))


def reopened(workbook: Workbook, folder: Path, *, values: bool = False) -> dict[str, Any]:
    """Write a workbook and read it back: its sheets by name, untyped since every part of a sheet may be None."""
    path = render_workbook(workbook, folder / "w.xlsx")
    loaded = openpyxl.load_workbook(path, data_only=values)
    return {sheet.title: sheet for sheet in loaded.worksheets}
