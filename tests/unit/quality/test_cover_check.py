"""V41: the cover is judged when it is made; where it is wrong, the verdict, Qualidade and the cover itself say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from lastro import catalogue
from lastro.catalogue import Catalogue, build_catalogue
from lastro.grid.tables import Table
from lastro.grid.workbook import Report, tables_of
from lastro.quality.queries import read_queries
from lastro.quality.runner import run_query
from lastro.reports import r00_cover
from lastro.reports.view import Judged, View
from tests.books import make_empresa
from tests.findings import find_all
from tests.unit.quality.checked_books import Books, check_rule
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import plain_value

Rows = list[tuple[Any, ...]]
NIL = Decimal("0.00")
RENT: tuple[Any, ...] = (
    "Aluguel",
    "Aluguel",
    date(2026, 3, 5),
    11,
    None,
    Decimal("1500.00"),
    "vencido",
    None,
    1004,
    None,
)
TASKS: Rows = [("F5", "Decidir", *RENT)]
LINES: Rows = [(1, "F5", "Decidir", 1, NIL, Decimal("1500.00"), Decimal("1500.00"))]
"""What the golden company asks for today: what is overdue of 1004."""


def _exchange(books: Books, name: str, rows: Rows) -> list[Table]:
    tables = tables_of(books.reports.values())
    return [replace(table, rows=rows) if table.name == name else table for table in tables]


@cache
def _nothing_to_tidy_up() -> Table:
    return replace(find_all(make_position([])).itens, rows=())


def _fails(books: Books, tables: list[Table]) -> tuple[str, ...]:
    books.room.show([*tables, _nothing_to_tidy_up()])
    return run_query(read_queries()["V41"], books.room).chaves


def test_the_cover_of_the_golden_company_is_right(books: Books) -> None:
    assert _fails(books, _exchange(books, "fazer", TASKS)) == ()
    found = check_rule(books, "V41")
    assert (found.situacao, found.esperado, found.encontrado) == ("ok", Decimal("15980.00"), Decimal("15980.00"))


def _line(**changed: Any) -> Rows:
    names = ("ordem", "regra", "frase", "qtde", "a_receber", "a_pagar", "valor")
    return [tuple({**dict(zip(names, LINES[0], strict=True)), **changed}.values())]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        (_line(ordem=2), "Fazer hoje · F5 · ordem"),
        (_line(qtde=2), "Fazer hoje · F5 · qtde"),
        (_line(a_receber=Decimal("1500.00"), a_pagar=NIL), "Fazer hoje · F5 · a pagar"),
        (_line(valor=Decimal("1499.99")), "Fazer hoje · F5"),
        ([], "Fazer hoje · F5"),
        ([*LINES, (2, "F2", "Emitir", 1, Decimal("900.00"), NIL, Decimal("900.00"))], "Fazer hoje · F2"),
        ([*LINES, (2, "F3", "Conferir", 1, NIL, Decimal("499.99"), Decimal("499.99"))], "Fazer hoje · F3 · mínimo"),
    ],
)
def test_a_wrong_line_is_seen(books: Books, rows: Rows, key: str) -> None:
    assert key in _fails(books, _exchange(books, "fazer_hoje", rows))


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([], "Fazer · F5 · a pagar"),
        ([("F5", "Decidir", *RENT[:5], Decimal("1499.99"), *RENT[6:])], "Fazer · F5 · a pagar"),
        ([*TASKS, ("F3", "Conferir", *RENT)], "Fazer · título 1004 · vezes"),
        (
            [*TASKS, ("F2", "Emitir cobrança", *RENT[:4], Decimal("900.00"), None, *RENT[6:8], 1015, None)],
            "Fazer · F2 · linhas",
        ),
    ],
)
def test_a_wrong_row_is_seen(books: Books, rows: Rows, key: str) -> None:
    assert key in _fails(books, _exchange(books, "fazer", rows))


def test_more_may_be_decided_than_what_is_overdue(books: Books) -> None:
    """F5 asks also for payments to come that no projection covers."""
    more = ("F5", "Decidir", *RENT[:5], Decimal("9999.00"), *RENT[6:8], 1016, None)
    failed = _fails(books, _exchange(books, "fazer", [*TASKS, more]))
    assert not [key for key in failed if key.startswith("Fazer · ")]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda rows: [(*row[:2], date(2026, 3, 15), row[3]) for row in rows], "Tendência · a_pagar_30"),
        (lambda rows: [(row[0], 2, *row[2:]) for row in rows], "Tendência · 2026-03-16 · ordem"),
        (lambda rows: rows[1:], "Tendência · saldo_ontem"),
        (lambda rows: [*rows, ("outro", 1, date(2026, 3, 16), Decimal(1))], "Tendência · outro"),
    ],
)
def test_a_trend_that_ends_otherwise_is_seen(books: Books, change: Callable[[Rows], Rows], key: str) -> None:
    (table,) = (table for table in tables_of(books.reports.values()) if table.name == "kpis_tendencia")
    assert key in _fails(books, _exchange(books, table.name, change([*table.rows])))


@pytest.mark.parametrize(
    ("kpi", "shown"),
    [
        ("atrasado_a_pagar", "0.00"),
        ("atrasado_a_pagar", "-1500.01"),
        ("atrasado_a_receber", "-0.01"),
        ("atrasado_a_receber", "3400.01"),
        ("atrasado_a_receber", None),
    ],
)
def test_arrears_that_differ_from_the_records_are_seen(books: Books, kpi: str, shown: str | None) -> None:
    """1004 is late, undecided and not moved (1500.00); of receivables 3400.00 are late (R09)."""
    (table,) = (table for table in tables_of(books.reports.values()) if table.name == "resumo")
    name, amount = table.place("kpi"), table.place("valor")
    value = None if shown is None else Decimal(shown)
    rows = [(*row[:amount], value, *row[amount + 1 :]) if row[name] == kpi else row for row in table.rows]
    assert f"Resumo · {kpi}" in _fails(books, _exchange(books, "resumo", rows))


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
