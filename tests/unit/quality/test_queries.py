"""The checks that are SQL: their heads, what a run of one makes of its rows, and damages that each must see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from importlib import resources
from typing import Any

import duckdb
import pytest

from lastro.grid.workbook import tables_of
from lastro.quality.queries import ROOMS, About, join_selects, parse_query, read_findings, read_prelude, read_queries
from lastro.quality.runner import open_room, run_query
from tests.damages import judge_damaged
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


class Room:
    """A room with a few rows; it has no report."""

    def __init__(self, tables: str) -> None:
        self._con = duckdb.connect()
        self._con.execute(tables)

    def ask(self, question: str) -> tuple[list[str], list[tuple[Any, ...]]] | None:
        if "mart." in question:
            return None
        answer = self._con.execute(question)
        return [column[0] for column in answer.description or ()], answer.fetchall()

    def ask_each(self, values: Iterable[str]) -> list[Any]:
        answers = [self.ask(f"SELECT {value}") for value in values]
        return [answer[1][0][0] for answer in answers if answer is not None]


def _run(text: str, tables: str = "") -> Any:
    return run_query(parse_query(HEAD + "\n" + text), Room(tables))  # type: ignore[arg-type]


ROWS = "SELECT * FROM (VALUES ('a', 1, 1), ('b', 1.00, 1.01), ('c', NULL, 3)) t(chave, esperado, encontrado)"


def test_rows_that_differ_are_the_keys_and_the_first_is_the_headline() -> None:
    found = _run(ROWS)
    assert (found.situacao, found.registros, found.chaves) == ("falhou", 2, ("b", "c"))
    assert _run("SELECT 'total' AS chave, 9.00 AS esperado, 9.00 AS encontrado;\n" + ROWS).diferenca == Decimal("0.01")
    assert "3 comparações" in found.detalhe


def test_a_row_may_stand_for_many_comparisons() -> None:
    found = _run("""SELECT 'linhas' AS chave, 2 AS esperado, 2 AS encontrado, 500 AS comparacoes
UNION ALL SELECT 'total', 7, 7, 0""")
    assert (found.situacao, found.esperado, found.detalhe) == ("ok", 7, "500 comparações")


def test_a_headline_that_differs_fails_by_itself() -> None:
    found = _run("SELECT 'total' AS chave, 1 AS esperado, 2 AS encontrado")
    assert (found.situacao, found.chaves) == ("falhou", ("total",))


def test_where_nothing_is_compared_it_does_not_apply() -> None:
    found = _run("SELECT 1 FROM mart.nada")
    assert (found.situacao, found.detalhe) == ("não se aplica", "nada a ver")
    assert _run(ROWS + " WHERE false;\nSELECT 1 FROM mart.nada").situacao == "não se aplica"


def test_a_select_may_tell_what_a_person_reads() -> None:
    found = _run("""SELECT 'a' AS chave, 1 AS esperado, 2 AS encontrado;
SELECT 'dois' AS detalhe, 'um' AS resumo, NULL AS situacao, 'alerta' AS severidade""")
    assert (found.situacao, found.severidade, found.resumo) == ("falhou", "alerta", "um")
    assert found.detalhe.startswith("dois; 1 comparação")


TABLES = """
CREATE TABLE a (k INTEGER, d INTEGER, valor DECIMAL(18,2), qtde INTEGER);
CREATE TABLE b AS FROM a;
INSERT INTO a VALUES (1, 1, 2.00, 1), (1, 2, 3.00, 1), (NULL, 1, 4.00, 1);
INSERT INTO b VALUES (1, 1, 5.00, 2), (NULL, 1, 4.00, 1);
"""


@pytest.mark.parametrize(
    ("stanza", "change", "keys", "comparisons"),
    [
        # Of two rows with a key the sums are compared; a key of one side alone stands beside zero.
        ("Somam: a = b por k como coalesce('k ' || k, 'sem k'): valor, qtde, vezes", "", (), 6),
        ("Somam: a = b por k como coalesce('k ' || k, 'sem k'): valor, qtde, vezes",
         "INSERT INTO b VALUES (NULL, 1, 0, 0)", ("sem k · vezes",), 6),
        ("Somam: a = b por k como coalesce('k ' || k, 'sem k'): valor, qtde",
         "INSERT INTO b VALUES (7, 1, 0, 3)", ("k 7 · qtde",), 6),
        ("Somam: a = b por k como coalesce('k ' || k, 'sem k'): valor, qtde",
         "DELETE FROM b WHERE k = 1", ("k 1", "k 1 · qtde"), 4),
        ("Somam: a >= b por k como coalesce('k ' || k, 'sem k'): valor, qtde", "DELETE FROM b WHERE k = 1", (), 2),
        # What is undefined is no zero, and what is not there is either.
        ("Somam: a = b onde k = 1 por k como 'k': qtde", "UPDATE b SET qtde = NULL; DELETE FROM a WHERE k IS NULL",
         ("k · qtde",), 1),
        ("Somam: a = b por k como coalesce('k ' || k, 'sem k'): valor", "INSERT INTO b VALUES (7, 1, NULL, 3)", (), 3),
        ("Somam: a onde d = 1 = b por k como coalesce('k ' || k, 'sem k'): 2 * qtde = qtde AS 'dobro'",
         "", ("sem k · dobro",), 2),
        ("Fecham: a onde k = 1 como 'd ' || d: d + 1 = valor AS '', 1 = qtde AS 'um'",
         "UPDATE a SET qtde = 2 WHERE d = 2", ("d 2 · um",), 4),
        ("Seguem: a por coalesce(k, 0) em d como 'd ' || d: antes.valor + 1 = valor AS 'valor'", "", (), 1),
        ("Seguem: a em valor como 'd ' || d: antes.valor + 1 = valor AS ''", "UPDATE a SET valor = 9 WHERE d = 2",
         ("d 1", "d 2"), 2),
        ("Uma vez: a por k, d como 'linhas'", "", (), 1),
        ("Uma vez: a por k, d como 'linhas'", "INSERT INTO a FROM a LIMIT 1", ("linhas",), 1),
        # Each of two keys on each of two days would be four rows, none of them twice.
        ("Uma vez: a por k em d como 'linhas'", "", ("linhas",), 1),
        ("Uma vez: a por k em d como 'linhas'", "INSERT INTO a VALUES (NULL, 2, 0, 0)", (), 1),
        ("Uma vez: a por k em d como 'linhas'", "INSERT INTO a VALUES (NULL, 1, 0, 0)", ("linhas",), 1),
        ("Uma vez: a por k como 'linhas'", "DELETE FROM a", (), 0),
    ],
)  # fmt: skip
def test_a_stanza_compares_by_its_form(stanza: str, change: str, keys: tuple[str, ...], comparisons: int) -> None:
    found = _run(f"-- {stanza}\n", TABLES + change)
    assert found.chaves == keys
    if comparisons:
        assert found.detalhe.startswith(f"{comparisons} comparaç")
    else:
        assert found.situacao == "não se aplica"


def test_what_most_heads_say_need_not_be_said() -> None:
    said = "-- Julga: o que os relatórios mostram\n"
    assert parse_query(HEAD.replace(said, "") + "\nSELECT 1").about is About.FIGURES
    assert {query.report for query in read_findings().values()} == {"R15"}
    assert {query.report for query in read_findings(*ROOMS).values()} == {"R15", "R20"}


def test_stanzas_up_to_an_empty_line_share_what_is_named_before_them() -> None:
    query = parse_query(
        f"{HEAD}\nWITH x AS (FROM a WHERE k = 1)\n-- Uma vez: x por d como 'x'\n-- Somam: x = b onde k = 1 por k como"
        " 'k':\n--   valor\nSELECT 'x' AS chave, 1 AS esperado, 1 AS encontrado;\n\n-- Uma vez: b por k como 'b'\n"
    )
    assert ["WITH x" in select for select in query.selects] == [True, True, False, False]
    assert run_query(query, Room(TABLES)).situacao == "ok"  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [HEAD.replace("V99", "99"), HEAD.replace("-- O que fazer: b\n", ""), HEAD + "-- x\n",
                                   HEAD + "-- Outra: coisa\n"])  # fmt: skip
def test_a_head_that_says_less_or_more_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"head|no "):
        parse_query(wrong + "\nSELECT 1")


@pytest.mark.parametrize(
    "stanza",
    [
        "Iguais: prova.titulos = posicao.titulos por titulo_id: valor",
        "Somam: a por k como 'k': valor",
        "Seguem: a como 'k': valor",
        "Uma vez: a como 'k'",
    ],
)
def test_a_stanza_that_says_less_is_refused(stanza: str) -> None:
    with pytest.raises(ValueError, match="V99: no stanza"):
        parse_query(f"{HEAD}\n-- {stanza}\n")


def test_a_check_stands_on_records_on_one_side_and_on_reports_on_the_other() -> None:
    for name, text in read_prelude().items():
        assert not re.findall(r"\b(mart|rel)\.", text), f"prova.{name} must not use what the reports made"
        assert text.startswith("-- "), name
    for query in QUERIES:
        used = set(re.findall(r"\b(core|ops|raw|hist|rel)\.\w+", " ".join(query.selects)))
        assert not used, f"{query.id}: records come by way of prova, so that a past day has its own"
        outer = any("prova." in select for select in query.selects)
        assert outer or "Só relações internas" in query.fatos, query.id
    for file in resources.files("lastro.quality").joinpath("checks").iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 220
        assert max(map(len, lines)) <= 120, file.name


def test_one_question_joins_what_is_published() -> None:
    query = read_queries()["V05"]
    assert join_selects(query, (), tudo=True) is None
    differing = join_selects(query, {"ponte", "ponte_resumo"}, tudo=False) or ""
    assert differing.count("IS DISTINCT FROM encontrado") == len(query.selects) - 1
    assert "IS DISTINCT FROM encontrado" not in (
        join_selects(query, {"ponte", "ponte_resumo"}, tudo=True) or "IS DISTINCT FROM encontrado"
    )


def test_a_report_that_is_shown_again_replaces_the_one_before(books: Books) -> None:
    tables = tables_of(books.reports.values())
    books.room.show(tables)
    question = "SELECT count(*) AS linhas FROM mart.ponte"
    assert books.room.ask(question) == books.room.ask(question)
    books.room.show(replace(table, rows=()) if table.name == "ponte" else table for table in tables)
    assert books.room.ask(question) == (["linhas"], [(0,)])
    books.room.show(())
    assert books.room.ask(question) is None


def test_a_closed_month_that_changed_is_told_in_reais(books: Books) -> None:
    changed = """INSERT INTO mart.mudancas_meses VALUES
        (DATE '2026-01-01', 'Competência', 10, 1244.50, 1234.50, 1234.50, 1),
        (DATE '2026-01-01', 'Caixa', 10, 9.99, -0.01, -0.01, 1);
        INSERT INTO mart.mudancas_meses_linhas BY NAME
        SELECT DATE '2026-01-01' AS mes, 'Caixa' AS regime, unnest([1001, 1002]) AS linha_id"""
    books.room.show(tables_of(books.reports.values()))
    run_query(read_queries()["V32"], books.room)
    found = judge_damaged(read_queries()["V32"], books.room, changed)
    assert found.resumo == "1 mês fechado alterado por 2 linhas: competência R$ 1.234,50; caixa -R$ 0,01"
    assert found.chaves == (
        "2026-01 · Competência", "2026-01 · Caixa", "2026-01 · lançamento 1001", "2026-01 · lançamento 1002",
    )  # fmt: skip


def test_what_is_wrong_with_a_pair_is_told(books: Books) -> None:
    damage = "UPDATE core.linhas SET valor = 799.99 WHERE linha_id = 1006"
    assert judge_damaged(read_queries()["V16"], open_room(books.position), damage).encontrado == "valores não opostos"


def test_no_query_needs_a_newer_client_than_the_file() -> None:
    """The published file opens in DuckDB from 1.4 on, which knows CASE and has no function `if`."""
    texts = {**{query.id: query.texto for query in [*read_queries().values(), *read_findings().values()]}}
    assert not [name for name, text in {**texts, **read_prelude()}.items() if re.search(r"(?<![\w.])if\(", text)]
