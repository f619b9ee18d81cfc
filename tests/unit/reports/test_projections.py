"""Every sheet is printed from its tables: damage to a table shows on the sheet, and damage to a sheet shows here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from lastro.catalogue import RunFacts, build_catalogue
from lastro.grid.cells import Cell, plain_value
from lastro.grid.model import Section, Style
from lastro.settings import Cenario
from tests.books import make_empresa
from tests.marks import thinned
from tests.oracle.companies import company
from tests.unit.quality.checked_books import Books, Reports, load_company, load_earlier, load_golden
from tests.unit.reports.projections import KEYS, SUMS, Book, Printed, find_faults, mark_tables

pytestmark = pytest.mark.medio

UNTOLD: Final = frozenset(
    {
        # Of these no table has figures: what was read, what falls due, texts that are typed on the sheet alone.
        ("parametros_contas", "*"),
        ("parametros_certificado", "*"),
        ("parametros", "valor"),
        ("verificacoes", "esperado"),
        ("verificacoes", "encontrado"),
        # The balance that every scenario is held against is printed once.
        ("fluxo_mensal_cenarios", "saldo_contratual"),
    }
)
OF_TOTALS: Final = frozenset(
    {
        # People of several rows count once, and a mean of all is no sum of means.
        ("a_pagar_a_vencer", "pct_do_total"),
        ("a_pagar_a_vencer", "pessoas"),
        ("a_receber_a_vencer", "pct_do_total"),
        ("a_receber_a_vencer", "pessoas"),
        ("cobrancas_tempos", "*"),
        ("pessoas_habitos", "*"),
    }
)


@dataclass(frozen=True)
class Sheets:
    """Sections by code of their report, and the marked tables that they are printed from."""

    sections: dict[str, list[Section]]
    book: Book

    def find_faults(self, code: str, damaged: Section | None = None) -> list[str]:
        """Find what is wrong with a report, one of its sections damaged."""
        whole = self.sections[code]
        if damaged is not None:
            whole = [damaged if one.name == damaged.name else one for one in whole]
        return find_faults(whole, self.book, untold=UNTOLD, of_totals=OF_TOTALS)


def print_marked(books: Books) -> Sheets:
    """Print every report from marked tables: of another scenario, by cost centre, and held against an earlier run."""
    parametros = replace(books.position.parametros, fluxo_por_centro=True)
    empresa = replace(make_empresa([], {}), cenarios=(Cenario("Calote", calote_pct=Decimal(30)),))
    position = replace(books.position, parametros=parametros)
    with mark_tables():
        reports = list(build_catalogue(position, empresa, RunFacts()).reports)
        if books.before is not None:
            compared = Reports(books.position, books.before)
            reports = [one for one in reports if one.code not in COMPARED] + [compared[code] for code in COMPARED]
    sections: dict[str, list[Section]] = {}
    for report in reports:
        sections.setdefault(report.code, []).extend(report.sections)
    return Sheets(sections, Book.of([table for report in reports for table in report.tables]))


COMPARED: Final = ("R13", "R14")
"""Reports that print nothing without an earlier run."""


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Sheets:
    before = load_earlier(tmp_path_factory.mktemp("anterior"))
    return print_marked(load_golden(tmp_path_factory.mktemp("ouro"), "A", before))


def test_every_printed_figure_is_the_one_of_its_table(sheets: Sheets) -> None:
    assert {code: faults for code in sheets.sections if (faults := sheets.find_faults(code))} == {}


@pytest.mark.parametrize("seed", thinned(range(300, 304), default=(300,)))
def test_every_printed_figure_of_a_random_company_is_the_one_of_its_table(tmp_path: Path, seed: int) -> None:
    sheets = print_marked(load_company(tmp_path, company(seed)))
    assert {code: faults for code in sheets.sections if (faults := sheets.find_faults(code))} == {}


def test_the_key_of_a_table_names_each_row_once(sheets: Sheets) -> None:
    for name, key in KEYS.items():
        table = sheets.book.tables[name]
        rows = list(zip(*(table.data[column].cells() for column in key), strict=True))
        assert len(set(rows)) == len(rows) == len(table.rows), name


def _list_figures(section: Section) -> list[tuple[int, int]]:
    """Row and column of each figure that can be traced."""
    return [
        (number, place)
        for number, place in Printed(section).figures
        for key in (section.columns[place].key,)
        if not key.endswith("_id")
        and not UNTOLD & {(section.name, key), (section.name, "*")}
        and not (section.rows[number].style is Style.TOTAL and OF_TOTALS & {(section.name, key), (section.name, "*")})
        and key not in KEYS.get(section.name, ())
    ]


def _with_cells(section: Section, changed: dict[tuple[int, int], Any]) -> Section:
    rows = [list(row.cells) for row in section.rows]
    for (number, place), cell in changed.items():
        rows[number][place] = cell
    return replace(section, rows=[replace(row, cells=tuple(own)) for row, own in zip(section.rows, rows, strict=True)])


def _damage(section: Section, book: Book) -> Iterator[tuple[str, Section]]:
    """Damage a section in each way that a projection can be wrong."""
    figures, rows = _list_figures(section), list(section.rows)
    lines: dict[Any, set[int]] = {}
    for number, place in figures:
        lines.setdefault(plain_value(rows[number].cells[place]), set()).add(number)
    # A sum of one figure is that figure: what is printed twice is still there when a row of it goes.
    traced = {number for value, (number, *others) in lines.items() if value in book.traces and not others}
    for number in sorted(traced):
        if rows[number].style not in SUMS:
            yield f"row {number} dropped", replace(section, rows=rows[:number] + rows[number + 1 :])
            yield f"row {number} twice", replace(section, rows=rows[: number + 1] + rows[number:])
    for number, place in figures:
        cell = rows[number].cells[place]
        value = cell.value if isinstance(cell, Cell) else cell
        if isinstance(value, Decimal | int):
            yield f"{number}, {place} off", _with_cells(section, {(number, place): value + Decimal("0.01")})
    for (number, place), (other, beside) in pairwise(figures):
        if number == other and rows[number].cells[place] != rows[number].cells[beside]:
            exchanged = {(line, place): row.cells[beside] for line, row in enumerate(rows)}
            exchanged |= {(line, beside): row.cells[place] for line, row in enumerate(rows)}
            yield f"columns {place} and {beside} exchanged", _with_cells(section, exchanged)
    for place in sorted({place for _, place in figures}):
        column = [number for number, own in figures if own == place and rows[number].style not in SUMS]
        for number, other in pairwise(column):
            if rows[number].cells[place] == rows[other].cells[place]:
                continue
            cells = {(number, place): rows[other].cells[place], (other, place): rows[number].cells[place]}
            yield f"rows {number} and {other} exchanged in {place}", _with_cells(section, cells)


def test_a_damaged_sheet_is_found_out(sheets: Sheets) -> None:
    unseen = []
    damaged = 0
    for code, sections in sheets.sections.items():
        for section in sections:
            for what, changed in thin_out(_damage(section, sheets.book)):
                damaged += 1
                if not sheets.find_faults(code, changed):
                    unseen.append(f"{section.name}: {what}")
    # Of the balances that every scenario is held against the sheet prints one row: which one is no matter.
    assert [one for one in unseen if one != "fluxo_mensal_cenarios: row 0 dropped"] == []
    assert damaged > len(sheets.sections)


def thin_out(found: Iterator[tuple[str, Section]]) -> list[tuple[str, Section]]:
    """Keep some of many."""
    every = list(found)
    return every[:: max(1, len(every) // MOST)]


MOST: Final = 8
