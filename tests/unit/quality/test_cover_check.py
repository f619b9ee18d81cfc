"""V41: the cover is judged when it is made; where it is wrong, the verdict, Qualidade and the cover itself say so."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lastro import catalogue
from lastro.catalogue import Catalogue, build_catalogue
from lastro.grid.workbook import Report, tables_of
from lastro.quality.queries import read_queries
from lastro.reports import r00_cover
from lastro.reports.view import Judged, View
from tests.books import make_empresa
from tests.unit.quality.checked_books import Books, check_rule
from tests.unit.reports.readers import plain_value


def test_the_cover_of_the_golden_company_is_right(books: Books) -> None:
    found = check_rule(books, "V41")
    assert (found.situacao, found.esperado, found.encontrado) == ("ok", Decimal("15980.00"), Decimal("15980.00"))


def _damage_cover(view: Judged) -> Report:
    """Build the cover, in SQL with a centavo too much in the first indicator."""
    report = r00_cover.build_r00(view)
    first, *rest = report.tables
    row, *rows = first.rows
    place = first.place("valor")
    found = row[place]
    assert isinstance(found, Decimal)
    row = (*row[:place], found + Decimal("0.01"), *row[place + 1 :])
    return replace(report, tables=(replace(first, rows=(row, *rows)), *rest))


@pytest.fixture(scope="module")
def made(books: Books) -> Catalogue:
    """The golden company's reports, the cover damaged."""
    spec = replace(r00_cover.SPEC, builder=_damage_cover)
    specs = tuple(spec if one is r00_cover.SPEC else one for one in catalogue.EVERY_REPORT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "EVERY_REPORT", specs)
        return build_catalogue(View(books.position, make_empresa([], {})), books.recebido)


def _read(made: Catalogue, name: str) -> dict[Any, tuple[Any, ...]]:
    (table,) = (table for table in tables_of(made.reports) if table.name == name)
    return {row[0]: row for row in table.rows}


def test_a_wrong_cover_says_so_itself(made: Catalogue) -> None:
    failed = {one.id: one for one in made.verifications}["V41"]
    assert (failed.severidade, failed.failed) == ("erro", True)
    assert {"Resumo · saldo_ontem", "Tendência · saldo_ontem"} <= set(failed.chaves)
    assert failed in made.errors
    assert "Falhou" in _read(made, "verificacoes")["V41"]
    counted = {kpi.slug: kpi.valor for kpi in made.kpis}["verificacoes_com_falha"]
    assert counted == len(made.errors) + len(made.warnings)
    shown = _read(made, "resumo")["verificacoes_com_falha"]
    assert made.kpis[-1].number in shown
    cover = made.reports[0].cover
    assert cover is not None
    said = [str(plain_value(row.cells[0])) for part in cover.parts for row in part.section.rows]
    assert any(text.startswith("Erro: ") for text in said)


def test_every_check_is_listed_once_in_order(made: Catalogue) -> None:
    assert [one.id for one in made.verifications] == [*read_queries()]
    assert [str(name)[:3] for name in _read(made, "verificacoes")] == [*read_queries()]
