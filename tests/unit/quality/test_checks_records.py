"""V09 to V16 and V19 to V21, rule by rule, on evidence made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.verdict import Verification
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.r14_changes import SPEC as R14
from lastro.reports.r16_entries import build_r16
from lastro.transform.composites import CompositeEvidence
from lastro.transform.position import Position
from lastro.warehouse.file.check_room import Relation
from tests.damages import judge_damaged
from tests.golden import dataset
from tests.unit.quality.checked_books import (
    COMPONENTES,
    COMPOSTOS,
    CONFLITOS,
    PASS_TYPES,
    Books,
    check_received,
    check_rule,
    decision,
    load_company,
    take_overdue,
    take_reading,
    with_statements,
)
from tests.unit.reports.positions import make_position, position_of
from tests.views import check_reports, view_of

PA_1004 = ("PA", 101, 1004, Decimal("-1500.00"), None)
RA_1011 = ("RA", 101, 1011, Decimal("2400.00"), None)
RA_1012 = ("RA", 101, 1012, Decimal("1000.00"), None)


def _check_overdue(position: Position, rows: list[Any]) -> Verification:
    """Check V09 with what the two filters showed alone."""
    received = {"vencidos": take_overdue(rows), "leitura": take_reading()}
    return run_query(read_queries()["V09"], open_room(position, received))


def test_v09_is_a_warning_when_the_service_counts_today_as_overdue() -> None:
    payloads = dataset.payloads("A")
    for row in payloads["lancamentos"]:
        if row["id"] == 1016:
            row["data_vencimento"] = "2026-03-16"
    position = position_of(payloads)
    rows = [PA_1004, RA_1011, RA_1012, ("PA", 102, 1016, -900, None)]
    assert not _check_overdue(position, rows[:3]).failed
    result = _check_overdue(position, rows)
    assert (result.situacao, result.severidade) == ("falhou", "alerta")
    assert "vence hoje" in result.detalhe
    # Together with another difference it is an error.
    result = _check_overdue(position, rows[:2] + rows[3:])
    assert (result.situacao, result.severidade, result.registros) == ("falhou", "erro", 2)


@pytest.mark.parametrize("shown", [(1007,), (1007, 1008, 1009), (1007, 1008), (1009,)])
def test_v09_takes_a_composite_by_any_of_its_rows(shown: tuple[int, ...]) -> None:
    """A service may filter the linhas of one sign: the título counts, on the side of its own sign (S16)."""
    payloads = dataset.payloads("B")
    values = {1007: -3000, 1008: -250, 1009: 150}
    for row in payloads["lancamentos"]:
        if row["id"] in values:
            row["data_pagamento"] = None
    position = position_of(payloads)
    parts = [("PA" if values[key] < 0 else "RA", 101, key, values[key], None) for key in shown]
    result = _check_overdue(position, [PA_1004, RA_1011, RA_1012, *parts])
    assert result.chaves == ()
    assert result.encontrado == Decimal("-1200.00")  # 1900.00 - 3100.00
    without = _check_overdue(position, [PA_1004, RA_1011, RA_1012])
    assert without.chaves == ("conta 101 · PA · título 1007",)


def _check_charges(rule: str, change: Callable[[dict[int, dict[str, Any]]], object]) -> Verification:
    payloads = dataset.payloads("A")
    change({row["id"]: row for row in payloads["cobrancas"]})
    return check_reports(rule, position_of(payloads))


def test_v11_names_unknown_entries_of_live_charges() -> None:
    def change(rows):
        rows[9001]["lancamento_ids"] = "1012, 4242"
        rows[9004]["lancamento_ids"] = "4343"  # cancelled

    result = _check_charges("V11", change)
    assert result.chaves == ("cobrança 9001 · lançamento 4242",)
    assert result.severidade == "alerta"


def test_v13_also_tells_a_paid_entry_with_a_pending_charge() -> None:
    def change(rows):
        rows[9002].update(status_descricao="Pendente")

    result = _check_charges("V13", change)
    assert result.chaves == ("cobrança 9002",)
    assert result.resumo == "1 lançamento pago com cobrança pendente (R$ 5.000,00)"


def test_v13_waits_for_what_the_bank_announced_until_the_day_is_over() -> None:
    result = _check_charges("V13", lambda rows: rows[9003].update(data_a_transferir="2026-03-16"))
    assert (result.situacao, result.chaves, result.registros) == ("informação", ("cobrança 9003",), 1)
    assert result.resumo == (
        "1 cobrança paga a caminho do banco, com lançamento em aberto até o repasse anunciado (R$ 2.400,00)"
    )


def test_v13_fails_for_what_is_due_was_not_announced_or_was_transferred() -> None:
    """Three charges, of an entry each: the day before today, no day, and done."""
    payloads = dataset.payloads("A")
    paid = next(row for row in payloads["cobrancas"] if row["id"] == 9003)
    payloads["cobrancas"] = [
        {**paid, "id": 9003, "data_a_transferir": "2026-03-15"},
        {**paid, "id": 9013, "data_a_transferir": None, "lancamento_ids": "1012"},
        {**paid, "id": 9023, "status_descricao": "Transferido", "data_transferido": "2026-03-16",
         "lancamento_ids": "1015"},
    ]  # fmt: skip
    result = check_reports("V13", position_of(payloads))
    assert (result.situacao, result.registros) == ("falhou", 3)
    assert result.chaves == ("cobrança 9003", "cobrança 9013", "cobrança 9023")
    # 2400.00 of 1011, 1000.00 of 1012 and 3500.00 of 1015.
    assert result.resumo == "3 cobranças pagas com lançamento em aberto (R$ 6.900,00)"


def test_v13_counts_a_titulo_of_two_charges_once() -> None:
    def change(rows):
        for number in (9001, 9002):
            rows[number].update(lancamento_ids="1011", status_descricao="Transferido", data_a_transferir=None)

    result = _check_charges("V13", change)
    assert result.chaves == ("cobrança 9001", "cobrança 9002")
    # 9003 waits for the bank with the same entry: of what fails nothing is told of it.
    assert result.resumo == "2 cobranças pagas com lançamento em aberto (R$ 2.400,00)"


def test_v13_informs_of_nothing_where_something_differs(books: Books) -> None:
    row = ("cobrancas:status=pendente", None, 1, 9, 0, 0, 9, "provada")
    result = check_rule(books, "V13", recebido={"passadas": Relation(PASS_TYPES, [row])})
    assert (result.situacao, result.chaves, result.resumo) == ("falhou", ("status pendente",), "")


@pytest.mark.parametrize(
    ("evidence", "diferencas", "state", "severity"),
    [
        (CompositeEvidence(1, 0, "parcela", "parcela", "dados"), (), "ok", "erro"),
        (CompositeEvidence(0, 0, None, "parcela", "dados"), (), "ok", "erro"),
        (CompositeEvidence(0, 3, "total", "total", "dados"), (), "ok", "erro"),
        (CompositeEvidence(0, 3, "total", "parcela", "execução anterior"), (), "falhou", "erro"),
        (CompositeEvidence(0, 3, "total", "parcela", "parametro"), (), "ok", "erro"),
        (CompositeEvidence(95, 5, "parcela", "parcela", "dados"), (), "falhou", "alerta"),
        (CompositeEvidence(94, 6, "parcela", "parcela", "dados"), (), "falhou", "erro"),
        (CompositeEvidence(0, 3, "total", "total", "dados"), (7001,), "falhou", "erro"),
        (CompositeEvidence(95, 5, "parcela", "parcela", "dados"), (7001,), "falhou", "erro"),
        (CompositeEvidence(95, 5, "parcela", "total", "execução anterior"), (), "falhou", "erro"),
    ],
)
def test_v14_weighs_the_evidence(evidence: CompositeEvidence, diferencas, state: str, severity: str) -> None:
    result = check_received("V14", compostos=Relation(COMPOSTOS, [decision(evidence, diferencas)]))
    assert (result.situacao, result.severidade) == (state, severity)
    assert result.detalhe.startswith(f"modo {evidence.mode} ({evidence.source}), n0={evidence.n0}, n1={evidence.n1}; ")


def test_v14_prints_the_mode_in_force_and_names_what_differs() -> None:
    held = CompositeEvidence(0, 3, "total", "parcela", "execução anterior")
    result = check_received("V14", compostos=Relation(COMPOSTOS, [decision(held)]))
    assert (result.esperado, result.encontrado, result.chaves) == ("total", "parcela", ("modo decidido pelos dados",))
    told = CompositeEvidence(0, 3, "total", "parcela", "parametro")  # a person decided otherwise than the data
    result = check_received("V14", compostos=Relation(COMPOSTOS, [decision(told)]))
    assert (result.situacao, result.esperado, result.encontrado) == ("ok", "parcela", "parcela")
    both = CompositeEvidence(9, 1, "parcela", "parcela", "dados")
    result = check_received("V14", compostos=Relation(COMPOSTOS, [decision(both, (7, 8))]))
    assert result.chaves == ("título 7", "título 8", "n0=9 · n1=1")
    assert check_received("V14").situacao == "não se aplica"


CENT = Decimal("0.01")
SAME = (1007, 1007, Decimal(-3000), Decimal(-3000), True)


@pytest.mark.parametrize(
    ("row", "keys", "difference"),
    [
        ((1007, 1008, Decimal(-250), Decimal(-250), True), (), None),
        ((1007, 1008, Decimal(-250), Decimal(-250) - CENT, True), ("lançamento 1007 · item 1008",), CENT),
        ((1007, 1009, None, Decimal(150), True), ("lançamento 1007 · item 1009",), None),
        ((1007, 1009, Decimal(150), None, True), ("lançamento 1007 · item 1009",), None),
        # A detail that nests nothing says nothing of the siblings.
        ((1007, 1009, Decimal(150), None, False), (), None),
    ],
)
def test_v15_compares_components_with_the_detail(
    row: tuple[Any, ...], keys: tuple[str, ...], difference: Decimal | None
) -> None:
    result = check_received("V15", componentes=Relation(COMPONENTES, [SAME, row]))
    assert (result.chaves, result.diferenca) == (keys, difference)


def test_v14_and_v15_see_what_stands_twice() -> None:
    held = decision(CompositeEvidence(1, 0, "parcela", "parcela", "dados"))
    assert check_received("V14", compostos=Relation(COMPOSTOS, [held, held])).chaves == ("decisões",)
    twice = check_received("V15", componentes=Relation(COMPONENTES, [SAME, SAME]))
    assert twice.chaves == ("lançamento 1007 · item 1007 · vezes",)


def test_v15_does_not_apply_where_no_composite_was_read() -> None:
    for known in ({}, {"componentes": Relation(COMPONENTES, [])}):
        assert check_received("V15", **known).situacao == "não se aplica"


def test_v15_sees_a_listing_that_leaves_items_out() -> None:
    payloads = dataset.payloads("A")
    full = next(row for row in payloads["lancamentos"] if row["id"] == 1007)
    payloads["detalhes"] = [dict(full)]
    full["itens_adicionais"] = full["itens_adicionais"][:1]
    books = load_company(payloads)
    assert check_rule(books, "V15").chaves == ("lançamento 1007 · item 1009",)
    # The detail wins, so the figures are right all the same (S2.8).
    assert check_rule(books, "V10").situacao == "ok"
    assert check_rule(books, "V01").esperado == Decimal("15980.00")


TOLD = "1 saldo difere do extrato"
NOW = "conta 101 em 28/02/2026: o livro tem"
SAVINGS = "conta 102 em 16/03/2026: o livro tem R$ 1,00 a menos"


@pytest.mark.parametrize(
    ("saldos", "keys", "told"),
    [
        ([(101, "2026-02-28", "7900.00"), (102, "2026-03-16", "2200.00")], (), ""),
        (
            [(101, "2026-02-28", "7900.01")],
            ("conta 101 · 2026-02-28",),
            f"{TOLD} ({NOW} R$ 0,01 a menos); nasceu até 28/02/2026",
        ),
        (
            [(101, "2026-01-31", "8500.00"), (101, "2026-02-28", "7900.02")],
            ("conta 101 · 2026-02-28",),
            f"{TOLD} ({NOW} R$ 0,02 a menos); nasceu entre 31/01/2026 e 28/02/2026",
        ),
        (  # what two balances of a day disagree on is of that day
            [(101, "2026-02-28", "7900.00"), (101, "2026-02-28", "7900.02")],
            ("conta 101 · 2026-02-28",),
            f"{TOLD} ({NOW} R$ 0,02 a menos); nasceu em 28/02/2026",
        ),
        (  # one difference in two statements is one
            [(101, "2026-01-31", "8500.02"), (101, "2026-02-28", "7900.02")],
            ("conta 101 · 2026-01-31", "conta 101 · 2026-02-28"),
            f"2 saldos diferem do extrato ({NOW} R$ 0,02 a menos); nasceu até 31/01/2026",
        ),
        (  # births of both signs, 0.07 and -0.05, are no sum: 0.02 is what differs now; each account has its own
            [(101, "2026-01-31", "8499.93"), (101, "2026-02-28", "7899.98"), (102, "2026-03-16", "2201.00")],
            ("conta 101 · 2026-01-31", "conta 101 · 2026-02-28", "conta 102 · 2026-03-16"),
            f"3 saldos diferem do extrato ({SAVINGS}, {NOW} R$ 0,02 a mais); nasceu até 31/01/2026",
        ),
        (  # what was mended since differs no more
            [(101, "2026-01-31", "8500.02"), (101, "2026-02-28", "7900.00")],
            ("conta 101 · 2026-01-31",),
            TOLD + " (o mais novo, não); nasceu até 31/01/2026",
        ),
        ([(102, "2026-01-31", "0.00")], ("conta 102 · 2026-01-31",), TOLD),  # before its control: undefined, not 0
    ],
)
def test_v19_holds_statement_balances(
    books: Books, saldos: list[tuple[int, str, str]], keys: tuple[str, ...], told: str
) -> None:
    result = check_rule(with_statements(books, saldos), "V19")
    assert result.chaves == keys
    assert result.situacao == ("falhou" if keys else "ok")
    assert result.severidade == "alerta"
    assert result.resumo == told


def test_v19_says_when_a_forgotten_settlement_is_what_is_missing() -> None:
    payloads = dataset.payloads("A")
    rows = {row["id"]: row for row in payloads["lancamentos"]}
    series = {"grupo_id": 77, "periodicidade": "M1"}
    # The rent of 05/02 was paid by the bank and not here; a later one of its series is settled.
    rows[1004] |= {"data_vencimento": "2026-02-05", "data_pagamento": None, **series}
    rows[1003] |= {"data_vencimento": "2026-02-10", **series}
    conta = next(conta for conta in payloads["contas"] if str(conta["conta_id"]) == "101")
    conta["saldos_conferidos"] = [{"data": "2026-02-28", "valor": "6400.00"}]  # 7900.00 less 1500.00
    assert check_reports("V19", position_of(payloads)).resumo == (
        f"{TOLD} ({NOW} R$ 1.500,00 a mais); R$ 1.500,00 é o valor da provável baixa esquecida «Lançamento 1004»; "
        "nasceu até 28/02/2026"
    )
    # A fee of 35.90 since then is another difference: 13780.00 less both.
    conta["saldos_conferidos"].append({"data": "2026-03-16", "valor": "12244.10"})
    assert check_reports("V19", position_of(payloads)).resumo == (
        "2 saldos diferem do extrato (conta 101 em 16/03/2026: o livro tem R$ 1.535,90 a mais); R$ 1.500,00 é o valor "
        "da provável baixa esquecida «Lançamento 1004»; nasceu até 28/02/2026"
    )


def test_v19_leaves_statements_after_the_day_for_later(books: Books) -> None:
    assert check_rule(with_statements(books, [(101, "2026-03-17", "1.00")]), "V19").situacao == "não se aplica"


def test_v20_names_an_account_that_was_seen_and_not_read(books: Books) -> None:
    types = {"conta_id": "BIGINT", "origem": "VARCHAR", "situacao": "VARCHAR"}
    rows = [(103, "lançamentos", "lida"), (105, "HTTP 422 (cobranças)", "HTTP 422 (cobranças)")]
    result = check_rule(books, "V20", recebido={**books.recebido, "contas_vistas": Relation(types, rows)})
    assert (result.situacao, result.severidade, result.chaves) == ("falhou", "alerta", ("conta 105",))
    assert "conta 105: esperado lida, encontrado HTTP 422 (cobranças)" in result.detalhe


def test_v21_names_accounts_with_two_opening_balances() -> None:
    payloads = dataset.payloads("A", saldo_inicial=True)
    payloads["contas"][0]["valor_saldo_inicial"] = "9999.99"
    result = check_rule(load_company(payloads), "V21")
    assert result.chaves == ("conta 101",)
    assert result.severidade == "erro"


def test_v21_names_what_conflicts_and_holds_where_nothing_does() -> None:
    rows = [(102, "b", [4, 5]), (102, "a", [4]), (None, "c", [6])]
    result = check_received("V21", conflitos=Relation(CONFLITOS, rows))
    assert (result.chaves, result.encontrado) == (("sem conta", "conta 102"), "c")
    assert check_received("V21", conflitos=Relation(CONFLITOS, [])).situacao == "ok"
    assert check_received("V21").situacao == "não se aplica"


def test_keys_are_capped_and_counted(books: Books) -> None:
    position = replace(books.position, linhas=books.position.linhas.assign(classe="Entradas"))
    result = check_reports("V42", books.position, build_r16(view_of(position)))
    assert len(result.chaves) == 10
    assert result.registros > 10


ENTRY = {"id": 1, "valor": "-100.00", "data_vencimento": "2026-01-05", "data_competencia": "2026-01-05"}
LATER = {**ENTRY, "id": 2}


def test_a_damaged_closed_month_is_seen() -> None:
    before = make_position([ENTRY, LATER], data_base=date(2026, 2, 27))

    def check(position: Position) -> bool:
        return check_reports("V32", position, R14.build(view_of(position, before=before))).failed

    assert not check(before)
    for now in ([ENTRY, {**LATER, "valor": "-100.01"}], [ENTRY], [ENTRY, LATER, {**LATER, "id": 3}]):
        assert check(make_position(now, data_base=date(2026, 3, 16))), now


def test_what_differs_of_a_row_is_told_by_field_and_no_text_of_people_is(books: Books) -> None:
    check_rule(books, "V06")
    damage = "UPDATE mart.a_pagar SET descricao = 'Folha de Maria', situacao = 'A vencer' WHERE titulo_id = 1004"
    found = judge_damaged(read_queries()["V06"], books.room, damage)
    assert found.chaves == ("Pagar · título 1004",)
    assert found.esperado == "situacao Vencido · descricao dos registros"
    assert found.encontrado == "situacao A vencer · descricao outra"
    assert "Maria" not in found.detalhe
