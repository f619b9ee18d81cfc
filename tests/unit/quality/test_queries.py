"""The checks that are SQL: their heads, what a run of one makes of its rows, and damages that each must see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.tables import Table
from lastro.grid.workbook import Report, tables_of
from lastro.quality.queries import join_selects, parse_query, read_findings, read_prelude, read_queries
from lastro.quality.runner import run_query
from tests.golden import dataset
from tests.unit.quality.checked_books import (
    Books,
    add_centavo,
    check_rule,
    double_row,
    drop_row,
    list_asked,
    load_company,
    move_centavo,
    with_linhas,
)
from tests.views import run_on

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


OWN = {
    "V01": {"saldos_por_conta": "saldo_em_d", "saldos_por_conta_total": "menor_saldo_projetado"},
    "V02": {
        "fluxo_diario_contas": "saldo_final",
        "fluxo_mensal_total": "total",
        "fluxo_por_conta_total": "saldo_final",
    },
    "V03": {"fluxo_diario": "saidas_realizadas"},
    "V04": {
        "fluxo_por_conta": "saidas",
        "fluxo_diario_memo": "valor",
        "fluxo_mensal_memo": "valor",
    },
    "V05": {"ponte": "valor", "ponte_resumo": "valor"},
    "V06": {
        "a_pagar": "valor",
        "a_receber": "valor_atualizado",
        "a_pagar_faixas": "valor",
        "a_receber_a_vencer": "valor",
        "a_receber_pessoas": "total",
        "pessoas": "recebido_365_dias",
        "pessoas_formas": "valor_pago",
        "pessoas_habitos": "a_receber",
        "inadimplencia": "em_aberto",
        "inadimplencia_indices": "numerador",
        "inadimplencia_safra": "ainda_em_aberto",
        "previsto_realizado_vencimento": "pago_depois",
        "recorrentes": "valor_em_aberto",
        "a_pagar_faixas_total": "valor",
        "a_receber_faixas_total": "valor",
    },
    "V07": {"dre": "valor"},
    "V08": {
        "dre": "em_aberto",
        "dre_acumulado": "acumulado_no_ano",
        "dre_centros": "valor",
        "dre_tags_total": "resultado",
        "dre_tags": "resultado",
        "dre_sem_grupo": "valor",
    },
    "V12": {
        "cobrancas_por_status": "valor",
        "cobrancas_por_status_total": "valor",
        "cobrancas_funil_meses_total": "valor",
        "cobrancas_funil": "valor",
        "cobrancas_funil_meses": "valor",
        "cobrancas_em_transito": "liquido",
        "cobrancas_detalhe": "liquido",
        "cobrancas_divergencias": "valor",
        "cobrancas_pendentes_vencidas": "valor",
    },
    "V17": {"mudancas_ponte": "valor", "mudancas_tipos": "impacto_no_aberto"},
    "V18": {
        "previsto_realizado": "realizado",
        "previsto_realizado_desvios": "valor",
        "previsto_realizado_maiores": "diferenca",
    },
    "V41": {"resumo": "valor", "fazer_hoje": "valor", "kpis_tendencia": "valor"},
    "V42": {"lancamentos": "valor"},
}
"""Check -> the tables of `mart`, with one of their columns, whose every damage it must see without a sheet."""
OTHERWISE = {
    "V09", "V10", "V11", "V13", "V14", "V15", "V16", "V19", "V20", "V21", "V22", "V23", "V27", "V30", "V32", "V34",
    "V35", "V36", "V37", "V38", "V39", "V43", "V44",
}  # fmt: skip
"""Checks whose damages are of records, or of two reports at once: each has tests of its own."""


def _damage(books: Books, name: str, column: str, damage: Callable[..., list[tuple[Any, ...]]]) -> list[Table]:
    tables = _tables(books.reports.values())
    return [
        replace(table, rows=tuple(damage(list(table.rows), table.place(column)))) if table.name == name else table
        for table in tables
    ]


def _holds(query: str, books: Books, tables: Iterable[Table], name: str = "") -> bool:
    books.proof.show(tables)
    return not run_on(query, books.proof, name).failed


DAMAGES = [(query, name, column) for query, tables in OWN.items() for name, column in tables.items()]


@pytest.mark.medio
@pytest.mark.parametrize("query", OWN)
def test_tables_as_they_are_hold(books: Books, query: str) -> None:
    assert _holds(query, books, _tables(books.reports.values()))


@pytest.mark.medio
@pytest.mark.parametrize(("query", "name", "column"), DAMAGES)
def test_a_damaged_table_is_seen(books: Books, query: str, name: str, column: str) -> None:
    rows = next(table.rows for table in _tables(books.reports.values()) if table.name == name)
    for damage in (add_centavo, drop_row, double_row, *([move_centavo] if len(rows) > 1 else [])):
        assert not _holds(query, books, _damage(books, name, column, damage), name), damage


@pytest.mark.medio
@pytest.mark.parametrize("damage", [add_centavo, drop_row, double_row])
def test_a_damaged_node_of_the_cash_flow_is_seen(books: Books, damage: Callable[..., list[tuple[Any, ...]]]) -> None:
    """Of the rows of R04 that are no tree V07 says nothing."""
    [table] = [table for table in _tables(books.reports.values()) if table.name == "fluxo_mensal"]
    rows = [*table.rows]
    nodes = [row for row in rows if row[table.place("linha")] == "saidas" and row[table.place("nivel")]]
    damaged = [*(row for row in rows if row not in nodes), *damage(nodes, table.place("valor"))]
    tables = [replace(one, rows=tuple(damaged)) if one is table else one for one in _tables(books.reports.values())]
    assert not _holds("V07", books, tables, "fluxo_mensal")


@pytest.mark.medio
@pytest.mark.parametrize("damage", [add_centavo, drop_row, double_row])
def test_a_damaged_difference_of_an_unknown_entry_is_seen(damage: Callable[..., list[tuple[Any, ...]]]) -> None:
    payloads = dataset.payloads("A")
    next(row for row in payloads["cobrancas"] if row["id"] == 9001)["lancamento_ids"] = "1012, 4242"
    books = load_company(payloads)
    tables = _tables(books.reports[code] for code in list_asked("V12"))
    books.proof.show(tables)
    assert run_query(read_queries()["V11"], books.proof).chaves == ("cobrança 9001 · lançamento 4242",)
    assert "Divergências · M4 · cobrança 9001" not in run_query(read_queries()["V12"], books.proof).chaves
    own = next(table for table in tables if table.name == "cobrancas_divergencias")
    rows = [row for row in own.rows if row[0] == "M4"]
    damaged = replace(own, rows=tuple(damage(rows, own.place("valor"))))
    books.proof.show(damaged if table is own else table for table in tables)
    assert "Divergências · M4 · cobrança 9001" in run_query(read_queries()["V12"], books.proof).chaves


def test_every_check_says_which_tables_are_its_own() -> None:
    assert sorted({*OWN, *OTHERWISE}) == [*read_queries()]


def _tables(reports: Iterable[Report]) -> list[Table]:
    return tables_of(reports)


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


@pytest.mark.medio
def test_a_closed_month_that_changed_is_told_in_reais(books: Books) -> None:
    january, ten = date(2026, 1, 1), Decimal(10)
    months = [
        (january, "Competência", ten, Decimal("1244.50"), Decimal("1234.50"), Decimal("1234.50"), 1),
        (january, "Caixa", ten, Decimal("9.99"), Decimal("-0.01"), Decimal("-0.01"), 1),
    ]
    entries = [(january, "Caixa", "VALOR", number, "", None, None, None) for number in (1001, 1002)]
    rows: dict[str, list[tuple[Any, ...]]] = {"mudancas_meses": months, "mudancas_meses_linhas": entries}
    books.proof.show(
        replace(table, rows=tuple(rows[table.name])) if table.name in rows else table
        for table in _tables(books.reports.values())
    )
    found = run_query(read_queries()["V32"], books.proof)
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
