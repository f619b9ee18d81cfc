"""A row of a detail leads to the row of its own título in Lançamentos, as a reader that is not ours finds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind, Link, row_key
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.workbook import Workbook
from tests.golden.dataset import FORMAS_COMPOSTO
from tests.marks import thinned
from tests.unit.export.export_values import STAMP, book, make_sheet, reopened
from tests.unit.reports.positions import golden_catalogue


def header_of(sheet: Any, name: str) -> int:
    return next(cell.column for cell in sheet[4] if cell.value == name)


@pytest.mark.medio
@pytest.mark.parametrize("forma", thinned(FORMAS_COMPOSTO, default="A"))
def test_every_open_titulo_leads_to_its_own_row(tmp_path: Path, forma: str) -> None:
    catalogue = golden_catalogue(forma)
    path = render_workbook(Workbook("gerencial", STAMP, catalogue.sheets), tmp_path / "w.xlsx")
    sheets = {sheet.title: sheet for sheet in openpyxl.load_workbook(path).worksheets}
    target = sheets["Lançamentos"]
    titulo, linha = header_of(target, "Título"), header_of(target, "Id")
    for name, rows in (("Pagar títulos", {1004, 1016}), ("Receber títulos", {1011, 1012, 1015})):
        sheet = sheets[name]
        own = header_of(sheet, "Título")
        found = set()
        for (cell,) in sheet.iter_rows(min_row=5, min_col=own, max_col=own):
            if cell.hyperlink is None:
                continue
            place = str(cell.hyperlink.location).split("!")[1].strip("A")
            assert target.cell(int(place), titulo).value == cell.value
            rows_of = [row for row in target.iter_rows(min_row=5) if row[titulo - 1].value == cell.value]
            linhas = [row[linha - 1].value for row in rows_of]
            if cell.value in linhas:  # the carrier of a composite is the first choice
                assert target.cell(int(place), linha).value == cell.value
            found.add(cell.value)
        assert found == rows


def test_a_link_finds_the_preferred_row_of_an_id(tmp_path: Path) -> None:
    columns = (Column("Título", Kind.INTEGER, key="titulo_id"), Column("Id", Kind.INTEGER, key="linha_id"))
    listed_rows = (Row((7, 3)), Row((7, 7)), Row((8, 9)), Row((8, 5)))
    listed = Section("lancamentos", columns, listed_rows, anchors=(("titulo_id", "linha_id"),))
    links = (Link(7, sheet="L", key=row_key("titulo_id", 7)), Link(8, sheet="L", key=row_key("titulo_id", 8)))
    index = Section("a", (Column("Lançamento", Kind.INTEGER),), tuple(Row((link,)) for link in links))
    sheet = reopened(book(make_sheet(index, name="A"), make_sheet(listed, name="L")), tmp_path)["A"]
    assert [(cell.value, cell.hyperlink.location) for (cell,) in sheet["A5:A6"]] == [(7, "'L'!A6"), (8, "'L'!A7")]
