"""The checks that are SQL: their heads, what a run of one makes of its rows, and damages that each must see."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.workbook import tables_of
from lastro.quality.queries import join_selects, parse_query, read_findings, read_prelude, read_queries
from lastro.quality.runner import run_query
from tests.unit.quality.checked_books import (
    Books,
    check_rule,
    with_linhas,
)

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
    return run_query(query, Answers(*answers))  # type: ignore[arg-type]


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


def test_a_stanza_that_says_less_is_refused() -> None:
    with pytest.raises(ValueError, match="V99: no stanza"):
        parse_query(HEAD + "\n-- Iguais: prova.titulos = posicao.titulos por titulo_id: valor\n")


def test_a_check_stands_on_records_on_one_side_and_on_reports_on_the_other() -> None:
    for name, text in read_prelude().items():
        assert not re.findall(r"\b(mart|rel)\.", text), f"prova.{name} must not use what the reports made"
        assert text.startswith("-- "), name
    for query in QUERIES:
        used = set(re.findall(r"\b(core|ops|raw|hist|rel)\.\w+", " ".join(query.selects)))
        assert not used, f"{query.id}: records come by way of prova, so that a past day has its own"
        outer = any("prova." in select for select in query.selects)
        assert outer or "Só relações internas" in query.fatos, query.id
        assert len(query.texto.splitlines()) <= 220
        assert max(map(len, query.texto.splitlines())) <= 120, query.id


def test_one_question_joins_what_is_published() -> None:
    query = read_queries()["V05"]
    assert join_selects(query, (), tudo=True) is None
    differing = join_selects(query, {"ponte", "ponte_resumo"}, tudo=False) or ""
    assert differing.count("IS DISTINCT FROM encontrado") == len(query.selects) - 1
    assert "posicao." not in (join_selects(read_queries()["V42"], {"lancamentos"}, tudo=False) or "posicao.")
    assert "IS DISTINCT FROM encontrado" not in (
        join_selects(query, {"ponte", "ponte_resumo"}, tudo=True) or "IS DISTINCT FROM encontrado"
    )


@pytest.mark.medio
def test_a_report_that_is_shown_again_replaces_the_one_before(books: Books) -> None:
    tables = tables_of(books.reports.values())
    books.room.show(tables)
    question = "SELECT count(*) AS linhas FROM mart.ponte"
    assert books.room.ask(question) == books.room.ask(question)
    books.room.show(replace(table, rows=()) if table.name == "ponte" else table for table in tables)
    assert books.room.ask(question) == (["linhas"], [(0,)])
    books.room.show(())
    assert books.room.ask(question) is None


@pytest.mark.medio
def test_a_closed_month_that_changed_is_told_in_reais(books: Books) -> None:
    january, ten = date(2026, 1, 1), Decimal(10)
    months = [
        (january, "Competência", ten, Decimal("1244.50"), Decimal("1234.50"), Decimal("1234.50"), 1),
        (january, "Caixa", ten, Decimal("9.99"), Decimal("-0.01"), Decimal("-0.01"), 1),
    ]
    entries = [(january, "Caixa", "VALOR", number, "", None, None, None) for number in (1001, 1002)]
    rows: dict[str, list[tuple[Any, ...]]] = {"mudancas_meses": months, "mudancas_meses_linhas": entries}
    books.room.show(
        replace(table, rows=tuple(rows[table.name])) if table.name in rows else table
        for table in tables_of(books.reports.values())
    )
    found = run_query(read_queries()["V32"], books.room)
    assert found.resumo == "1 mês fechado alterado por 2 linhas: competência R$ 1.234,50; caixa -R$ 0,01"
    assert found.chaves == (
        "2026-01 · Competência", "2026-01 · Caixa", "2026-01 · lançamento 1001", "2026-01 · lançamento 1002",
    )  # fmt: skip


@pytest.mark.medio
def test_a_name_that_nobody_lists_and_a_pair_that_is_none_are_told(books: Books) -> None:
    linhas = books.core.linhas
    linhas = linhas.assign(
        categoria_id=linhas["categoria_id"].where(linhas["linha_id"] != 1001, 999),
        valor_centavos=linhas["valor_centavos"].where(linhas["linha_id"] != 1006, 79999),
    )
    damaged = with_linhas(books, linhas)
    assert check_rule(damaged, "V20").chaves == ("categoria 999",)
    found = check_rule(damaged, "V16")
    assert (found.chaves, found.encontrado) == (("linha 1005", "linha 1006"), "valores não opostos")


def test_no_query_needs_a_newer_client_than_the_file() -> None:
    """The published file opens in DuckDB from 1.4 on, which knows CASE and has no function `if`."""
    texts = {**{query.id: query.texto for query in [*read_queries().values(), *read_findings().values()]}}
    assert not [name for name, text in {**texts, **read_prelude()}.items() if re.search(r"(?<![\w.])if\(", text)]
