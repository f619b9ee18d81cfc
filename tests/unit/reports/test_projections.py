"""Every sheet is printed from its tables: each figure of a table on the sheet once, and no other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import pytest

from lastro.catalogue import RunFacts, build_catalogue
from lastro.grid.sections import Section
from lastro.grid.workbook import tables_of
from lastro.settings import Cenario
from lastro.transform.position import Position
from tests.books import make_empresa
from tests.marks import thinned
from tests.oracle.companies import company
from tests.unit.quality.checked_books import Reports, load_company
from tests.unit.reports.compared_runs import golden_runs
from tests.unit.reports.projections import KEYS, Book, find_faults, mark_tables

pytestmark = pytest.mark.medio

UNTOLD: Final = frozenset(
    {
        # Of these no table has figures: what was read, what falls due, texts that are typed on the sheet alone.
        ("parametros_contas", "*"),
        ("parametros_certificado", "*"),
        ("parametros", "valor"),
        ("verificacoes", "esperado"),
        # The sheet lists the records of errors and alerts alone.
        ("achados_itens", "*"),
        ("verificacoes", "encontrado"),
        ("falhas", "esperado"),
        ("falhas", "encontrado"),
        # The sheet prints the change up to D beside the year, not the one of whole months that SQL has too.
        ("dre_acumulado", "variacao"),
        ("dre_acumulado", "var_pct"),
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


def print_marked(position: Position, before: Position | None = None) -> Sheets:
    """Print every report from marked tables: of another scenario, and held against an earlier run."""
    empresa = replace(make_empresa([], {}), cenarios=(Cenario("Calote", calote_pct=Decimal(30)),))
    with mark_tables():
        reports = list(build_catalogue(position, empresa, RunFacts()).reports)
        if before is not None:
            compared = Reports(position, before)
            reports = [one for one in reports if one.code not in COMPARED] + [compared[code] for code in COMPARED]
    sections: dict[str, list[Section]] = {}
    for report in reports:
        sections.setdefault(report.code, []).extend(report.sections)
    return Sheets(sections, Book.of(tables_of(reports)))


COMPARED: Final = ("R13", "R14")
"""Reports that print nothing without an earlier run."""


@pytest.fixture(scope="module")
def sheets() -> Sheets:
    return print_marked(*golden_runs())


def test_every_printed_figure_is_the_one_of_its_table(sheets: Sheets) -> None:
    assert {code: faults for code in sheets.sections if (faults := sheets.find_faults(code))} == {}


@pytest.mark.parametrize("seed", thinned(range(300, 304), default=()))
def test_every_printed_figure_of_a_random_company_is_the_one_of_its_table(seed: int) -> None:
    sheets = print_marked(load_company(company(seed)).position)
    assert {code: faults for code in sheets.sections if (faults := sheets.find_faults(code))} == {}


def test_the_key_of_a_table_names_each_row_once(sheets: Sheets) -> None:
    for name, key in KEYS.items():
        table = sheets.book.tables[name]
        rows = list(zip(*(table.data[column].cells() for column in key), strict=True))
        assert len(set(rows)) == len(rows) == len(table.rows), name
