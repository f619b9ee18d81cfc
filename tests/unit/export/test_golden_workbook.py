"""The golden company's workbook as another reader has it: its sheets, links, colours and pages (manual: Planilha).

A page is of A4 at 60 % or more, with a header that belongs to what stands below it; every colour can be read: 4.5:1 and
more between type and ground, negative numbers included (WCAG 2.1, 1.4.3).
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.cell import column_index_from_string, get_column_letter

from lastro.export.looks import RED
from lastro.export.xlsx import render_workbook
from lastro.grid.verdict import Trust
from lastro.grid.workbook import Sheet, Stamp, Workbook
from tests.golden.dataset import FORMAS_COMPOSTO
from tests.marks import thinned
from tests.paper import areas_of, count_pages
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import golden_catalogue

NOT_PRINTED = {
    "Comparativos",  # no year before
    "Mudanças",  # nothing to hold a first run against
    "Pagar títulos",
    "Receber títulos",
    "Recorrentes",
    "Qualidade",
    "Lançamentos",
}


@cache
def book_of(forma: str) -> Any:
    """The workbook of the golden company, in a shape of the composite."""
    return render(golden_catalogue(forma).sheets)


def render(sheets: Sequence[Sheet], stamp: Stamp = STAMP) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = render_workbook(Workbook("gerencial", stamp, tuple(sheets)), Path(folder) / "w.xlsx")
        return openpyxl.load_workbook(io.BytesIO(path.read_bytes()))


@pytest.fixture(scope="module")
def whole_book() -> Any:
    return book_of("A")


@pytest.fixture(scope="module")
def golden(whole_book: Any) -> dict[str, Any]:
    """The sheets in sight."""
    return {sheet.title: sheet for sheet in whole_book.worksheets if sheet.sheet_state == "visible"}


def pixels(sheet: Any, first: int, last: int) -> int:
    """Width of some columns by Excel's own formula, for a font whose digits are 7 pixels wide."""
    total = 0
    for number in range(first, last + 1):
        dimension = sheet.column_dimensions.get(get_column_letter(number))
        width = 9.0 if dimension is None or dimension.width is None else dimension.width
        if dimension is None or not dimension.hidden:
            total += int((256 * width + int(128 / 7)) / 256 * 7)
    return total


def labels_of(sheet: Any) -> int:
    titles = sheet.print_title_cols
    return column_index_from_string(titles.split(":")[1].strip("$")) if titles else 0


def test_no_page_is_printed_below_60_percent_nor_wider_than_the_paper(golden: dict[str, Any]) -> None:
    for name, sheet in golden.items():
        margins = sheet.page_margins
        room = 297 / 25.4 - margins.left - margins.right
        assert 60 <= sheet.page_setup.scale <= 100, name
        if count_pages(sheet):  # whatever font whoever prints has: the columns fit, and one page stays one
            assert sheet.sheet_properties.pageSetUpPr.fitToPage, name
            single = len(areas_of(sheet)) == 1 and not sheet.row_breaks.brk
            assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, int(single)), name
        for first, _, last, _ in areas_of(sheet):
            repeated = min(labels_of(sheet), first - 1)
            printed = pixels(sheet, 1, repeated) + pixels(sheet, first, last)
            assert printed / 96 * sheet.page_setup.scale / 100 <= room, name


def test_details_are_not_printed_and_say_so(golden: dict[str, Any]) -> None:
    """Their area is one folded row: no page at all, or with a program that prints it one that says so."""
    assert set(golden) >= NOT_PRINTED
    for name in NOT_PRINTED:
        sheet = golden[name]
        ((_, first, _, last),) = areas_of(sheet)
        assert first == last > max(row for row in range(1, sheet.max_row + 1) if any(c.value for c in sheet[row]))
        assert sheet.row_dimensions[last].hidden
        assert all(cell.value is None for cell in sheet[last])
        assert sheet.print_title_rows == "$1:$3"
        assert count_pages(sheet) == 0
        hints = [cell.value for cell in sheet[3] if cell.value]
        assert any(hint.startswith("Não impresso") for hint in hints), name


VISIBLE = (
    "Resumo", "Fazer", "Indicadores", "Saldos", "Previsão", "Fluxo diário", "Fluxo mensal", "DRE", "Comparativos",
    "Ponte", "Pagar", "Pagar títulos", "Inadimplência", "Receber títulos", "Cobranças", "Mudanças", "Recorrentes",
    "Qualidade", "Lançamentos",
)  # fmt: skip
HIDDEN = ("Pessoas", "Previsto x realizado", "Verificações", "Parâmetros", "Gráficos")


def test_the_workbook_has_the_nineteen_sheets_in_their_order_and_the_hidden_ones_behind(whole_book: Any) -> None:
    assert [sheet.title for sheet in whole_book.worksheets] == [*VISIBLE, *HIDDEN]
    assert tuple(sheet.title for sheet in whole_book.worksheets if sheet.sheet_state == "hidden") == HIDDEN
    for sheet in whole_book.worksheets:
        title, stamp, back = (sheet.cell(row, 1).value for row in (1, 2, 3))
        assert title == title.upper(), sheet.title
        assert "Data-base 16/03/2026" in stamp, sheet.title
        if sheet.title not in {"Resumo", "Gráficos"}:
            assert (back, sheet.cell(3, 1).hyperlink.location) == ("« Resumo", "'Resumo'!A1"), sheet.title


def test_no_link_leads_to_a_hidden_sheet(whole_book: Any) -> None:
    for sheet in whole_book.worksheets:
        for link in sheet._hyperlinks:
            assert not (link.location or "").startswith(tuple(f"'{name}'" for name in HIDDEN)), (sheet.title, link.ref)


def test_the_golden_workbook_prints_on_20_pages_at_most(golden: dict[str, Any]) -> None:
    pages = {name: count_pages(sheet) for name, sheet in golden.items()}
    assert pages["Resumo"] == 1
    assert sum(pages.values()) <= 20, pages


def test_a_frozen_header_is_that_of_the_only_table(golden: dict[str, Any]) -> None:
    """Row 4 is frozen and repeated where nothing below has another header; else the title rows are."""
    for name, sheet in ((name, sheet) for name, sheet in golden.items() if name != "Resumo"):  # which is no table
        headers = [
            row
            for row in range(5, sheet.max_row + 1)
            if sheet.cell(row, 1).fill.start_color.rgb == "001F3A5F" and sheet.cell(row, 1).value
        ]
        frozen = int("".join(filter(str.isdigit, sheet.freeze_panes))) - 1
        repeated = int(sheet.print_title_rows.split("$")[-1])
        others = [
            row
            for row in headers
            if [cell.value for cell in sheet[row][1:] if cell.value]
            != [cell.value for cell in sheet[4][1 : len([c for c in sheet[row] if c.value])]]
        ]
        assert frozen == (3 if others else 4), name
        assert repeated == (3 if name in NOT_PRINTED else 2 if others else 4), name


def test_the_trust_flag_is_seen_on_every_sheet_and_page(golden: dict[str, Any]) -> None:
    for name, sheet in golden.items():
        (flag,) = [cell for cell in sheet[1] if str(cell.value).startswith("[")]
        assert flag.value == "[CONFIÁVEL · 0 erros · 1 alerta]", name
        assert flag.column > 1
        dimension = sheet.column_dimensions[flag.column_letter]
        assert not dimension.hidden, name
        assert not dimension.outlineLevel, name
        if name not in NOT_PRINTED:
            first, _, last, _ = areas_of(sheet)[0]
            assert first == 1, name  # title, stamp and notes begin in the first column: they are cut elsewhere
            assert flag.column <= last, name
        assert sheet.oddFooter.right.text == flag.value, name


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_the_known_one() -> None:
    assert round(contrast("FF0000", "FFFFFF"), 1) == 4.0
    assert round(contrast("000000", "FFFFFF")) == 21


def colours_of(cell: Any) -> set[tuple[str, str]]:
    fill = cell.fill.start_color.rgb[2:] if cell.fill.fill_type == "solid" else "FFFFFF"
    assert "[" not in cell.number_format.replace("[$-416]", ""), "a format that names a colour"
    found = {(cell.font.color.rgb[2:], fill)} if cell.font.color is not None else set()
    # Negative amounts are red by a rule, whatever the fill of their row.
    return found | {(RED, fill)} if isinstance(cell.value, int | float) and cell.value < 0 else found


def test_every_colour_can_be_read(whole_book: Any) -> None:
    """The stamp is the same on every sheet; what makes it untrustworthy has colours of its own."""
    first = golden_catalogue().sheets[0]
    assert first.cover is not None
    shown = [replace(first, cover=replace(first.cover, check=None))]  # whose formula needs the sheets that it adds
    wrong, careful = (render(shown, replace(STAMP, trust=trust)) for trust in (Trust(erros=2), Trust(rejeitados=1)))
    pairs: dict[tuple[str, str], str] = {}
    for sheet in (*whole_book.worksheets, *wrong.worksheets, *careful.worksheets):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    for pair in colours_of(cell):
                        pairs.setdefault(pair, f"{sheet.title}!{cell.coordinate}")
        for area in sheet.conditional_formatting:
            for rule in area.rules:
                ground = rule.dxf.fill.bgColor.rgb[2:] if rule.dxf.fill else "FFFFFF"
                pairs[rule.dxf.font.color.rgb[2:], ground] = f"{sheet.title} {area.sqref}"
    assert len(pairs) > 10
    assert {where: pair for pair, where in pairs.items() if contrast(*pair) < 4.5} == {}


def header_of(sheet: Any, name: str) -> int:
    return next(cell.column for cell in sheet[4] if cell.value == name)


@pytest.mark.parametrize("forma", thinned(FORMAS_COMPOSTO, default="A"))
def test_every_open_titulo_leads_to_its_own_row(forma: str) -> None:
    """As a reader that is not ours finds it: a row of a detail leads to the row of its título in Lançamentos."""
    sheets = {sheet.title: sheet for sheet in book_of(forma).worksheets}
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
