"""The checks that are SQL: their heads, what a run of one makes of its rows, and damages that each must see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.model import Report, Table
from lastro.quality.queries import join_selects, parse_query, read_prelude, read_queries
from lastro.quality.runner import run_query
from tests.unit.quality.checked_books import Books

QUERIES = tuple(read_queries().values())
HEAD = """-- V99 · Uma regra
-- Severidade: erro
-- Relatório: R07
-- Julga: o que os relatórios mostram
-- Sem comparações: nada
--   a ver
-- Por que importa: a
-- O que fazer: b
"""


class Answers:
    """What SELECTs answer, in order."""

    def __init__(self, *answers: tuple[list[str], list[tuple[Any, ...]]] | None) -> None:
        self._answers = iter(answers)

    def ask(self, _: str) -> tuple[list[str], list[tuple[Any, ...]]] | None:
        return next(self._answers)


def _run(*answers: tuple[list[str], list[tuple[Any, ...]]] | None) -> Any:
    query = parse_query(HEAD + "\nSELECT 1" + ";\nSELECT 1" * (len(answers) - 1))
    return run_query(query, Answers(*answers), {})  # type: ignore[arg-type]


NAMES = ["chave", "esperado", "encontrado"]


def test_rows_that_differ_are_the_keys_and_the_first_is_the_headline() -> None:
    rows = [("a", 1, 1), ("b", Decimal("1.00"), Decimal("1.01")), ("c", None, 3)]
    found = _run((NAMES, rows))
    assert (found.situacao, found.registros, found.chaves) == ("falhou", 2, ("b", "c"))
    assert _run((NAMES, [("total", Decimal(9), Decimal(9)), *rows])).diferenca == Decimal("0.01")
    assert "3 comparações" in found.detalhe


def test_a_row_may_stand_for_many_comparisons() -> None:
    found = _run(([*NAMES, "comparacoes"], [("linhas", 2, 2, 500), ("total", 7, 7, 0)]))
    assert (found.situacao, found.esperado, found.detalhe) == ("ok", 7, "500 comparações")


def test_a_headline_that_differs_fails_by_itself() -> None:
    found = _run((NAMES, [("total", 1, 2)]))
    assert (found.situacao, found.chaves) == ("falhou", ("total",))


def test_where_nothing_is_compared_it_does_not_apply() -> None:
    assert (_run(None).situacao, _run(None).detalhe) == ("não se aplica", "nada a ver")
    assert _run((NAMES, []), None).situacao == "não se aplica"


def test_a_select_may_tell_what_a_person_reads() -> None:
    names = ["detalhe", "resumo", "situacao", "severidade"]
    found = _run((NAMES, [("a", 1, 2)]), (names, [("dois", "um", None, "alerta")]))
    assert (found.situacao, found.severidade, found.resumo) == ("falhou", "alerta", "um")
    assert found.detalhe.startswith("dois; 1 comparação")


@pytest.mark.parametrize("wrong", [HEAD.replace("V99", "99"), HEAD.replace("-- O que fazer: b\n", ""), HEAD + "-- x\n",
                                   HEAD + "-- Outra: coisa\n"])  # fmt: skip
def test_a_head_that_says_less_or_more_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"head|no "):
        parse_query(wrong + "\nSELECT 1")


def test_a_check_stands_on_records_on_one_side_and_on_reports_on_the_other() -> None:
    for name, text in read_prelude().items():
        assert not re.findall(r"\b(mart|rel)\.", text), f"prova.{name} must not use what the reports made"
        assert text.startswith("-- "), name
    for query in QUERIES:
        used = set(re.findall(r"\b(core|ops|raw|hist|rel)\.\w+", " ".join(query.selects)))
        assert not used, f"{query.id}: records come by way of prova, so that a past day has its own"
        outer = any("prova." in select for select in query.selects)
        assert outer or "Só relações internas" in query.fatos, query.id
        assert len(query.texto.splitlines()) <= 200


def test_one_question_joins_what_is_published() -> None:
    query = read_queries()["V05"]
    assert join_selects(query, (), tudo=True) is None
    differing = join_selects(query, {"ponte"}, tudo=False) or ""
    assert differing.count("IS DISTINCT FROM encontrado") == len(query.selects) - 1
    assert "IS DISTINCT FROM encontrado" not in (
        join_selects(query, {"ponte"}, tudo=True) or "IS DISTINCT FROM encontrado"
    )


def _centavo(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]] | None:
    for number, row in enumerate(rows):
        for place, value in enumerate(row):
            if isinstance(value, Decimal) and value:
                return [*rows[:number], (*row[:place], value + Decimal("0.01"), *row[place + 1 :]), *rows[number + 1 :]]
    return None


def _gone(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [*rows[: len(rows) // 2], *rows[len(rows) // 2 + 1 :]]


def _twice(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [*rows[: len(rows) // 2], *rows[len(rows) // 2 :][:1], *rows[len(rows) // 2 :]]


OWN = {"V05": ("ponte",)}
"""Check -> the tables of `mart` whose every damage it must see by itself, without any sheet."""


def _damaged(books: Books, name: str, damage: Callable[[list[tuple[Any, ...]]], Any]) -> Iterator[Table]:
    for report in books.reports.values():
        for table in report.tables:
            rows = damage(list(table.rows)) if table.name == name else list(table.rows)
            if rows is not None:
                yield replace(table, rows=tuple(rows)) if table.name == name else table


def _holds(query: str, books: Books, tables: Iterable[Table]) -> bool:
    books.proof.show(tables)
    return not run_query(read_queries()[query], books.proof, {}).failed


@pytest.mark.medio
@pytest.mark.parametrize("damage", [_centavo, _gone, _twice])
@pytest.mark.parametrize(("query", "name"), [(query, name) for query, names in OWN.items() for name in names])
def test_a_damaged_table_is_seen(books: Books, query: str, name: str, damage: Callable[..., Any]) -> None:
    assert _holds(query, books, _damaged(books, name, list))
    assert not _holds(query, books, _damaged(books, name, damage))


def test_every_check_says_which_tables_are_its_own() -> None:
    assert [*OWN] == [*read_queries()]


def _tables(reports: Iterable[Report]) -> list[Table]:
    return [table for report in reports for table in report.tables]


@pytest.mark.medio
def test_a_report_that_is_shown_again_replaces_the_one_before(books: Books) -> None:
    tables = _tables(books.reports.values())
    books.proof.show(tables)
    question = "SELECT count(*) AS linhas FROM mart.ponte"
    assert books.proof.ask(question) == books.proof.ask(question)
    books.proof.show(replace(table, rows=()) if table.name == "ponte" else table for table in tables)
    assert books.proof.ask(question) == (["linhas"], [(0,)])
    books.proof.show(())
    assert books.proof.ask(question) is None
