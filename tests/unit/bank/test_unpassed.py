"""Money of charges that the bank announced and did not pass on: what a statement proves, and what it does not (F8)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.bank.evidence import find_unpassed
from lastro.catalogue import build_catalogue
from lastro.desk.queue import build_queue
from lastro.reports.facts import BankFacts, Facts
from lastro.reports.view import View
from lastro.settings import Parametros
from tests.bank import find_bank, make_statement
from tests.books import make_empresa
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import records

KEYS = {101: ["1/101"]}


def _charge(number: int, valor: str, announced: str | None, status: str = "Cliente pagou", **more: Any) -> Any:
    return {
        "id": number, "conta_id": 101, "valor": valor, "valor_pago": valor, "valor_taxa": "-1.00",
        "lancamento_ids": str(number), "status_descricao": status, "data_vencimento": "2026-03-02",
        "data_a_transferir": announced, **more,
    }  # fmt: skip


def _find(charges: list[Any], *lines: tuple[int, int], until: int = 6, paid: bool = True) -> list[tuple[Any, ...]]:
    """Find what is to be claimed on 16/03/2026 of a statement of 02/03 to a day; lines are day of March, centavos."""
    entries = [
        {
            "id": charge["id"], "conta_id": 101, "categoria_id": 11, "pessoa_id": 501, "valor": charge["valor"],
            "data_vencimento": "2026-03-02", "data_competencia": "2026-03-02",
            "data_pagamento": "2026-03-02" if paid else None,
        }
        for charge in charges
    ]  # fmt: skip
    position = make_position(entries, cobrancas=charges)
    told = [(date(2026, 3, day), valor, f"CREDITO COBRANCA {valor}") for day, valor in lines]
    file = make_statement("a.ofx", 101, told, inicio=date(2026, 3, 2), fim=date(2026, 3, until))
    found = find_unpassed(position, find_bank(position, [file], keys=KEYS).conciliacao)
    return [(each.dia.day, each.liquido, each.cobrancas) for each in found]


TWO = [_charge(1, "100.00", "2026-03-03"), _charge(2, "50.00", "2026-03-03")]


@pytest.mark.parametrize("paid", [True, False])
def test_what_was_announced_for_a_covered_day_and_is_not_there_is_claimed(paid: bool) -> None:
    assert _find(TWO, (4, 777), paid=paid) == [(3, 14_800, (1, 2))]  # 99.00 and 49.00
    assert _find([_charge(1, "100.00", "2026-03-03", "Transferindo")], (4, 777), paid=paid) == [(3, 9_900, (1,))]
    assert _find([*TWO, _charge(3, "9.00", "2026-03-05")], paid=paid) == [(3, 14_800, (1, 2)), (5, 800, (3,))]


def test_what_came_and_went_back_is_neither_claimed_nor_settled() -> None:
    """A charge of 100.00 came net on 03/03 and was taken back gross on 12/03; the bank kept its fee of 1.00."""
    charge = _charge(1, "100.00", "2026-03-03")
    told = [(3, 9_900, "CREDITO COBRANCA"), (12, -10_000, "ESTORNO COBRANCA")]
    file = make_statement("a.ofx", 101, [(date(2026, 3, day), valor, text) for day, valor, text in told],
                          inicio=date(2026, 3, 2), fim=date(2026, 3, 13), saldo=-100,
                          saldo_em=date(2026, 3, 13))  # fmt: skip
    entry = {"id": 1, "conta_id": 101, "categoria_id": 11, "pessoa_id": 501, "valor": "100.00",
             "data_vencimento": "2026-03-02", "data_competencia": "2026-03-02"}  # fmt: skip
    position = make_position([entry], cobrancas=[charge], parametros=Parametros(fazer_minimo=Decimal(0)))
    found = find_bank(position, [file], keys=KEYS)
    account = found.conciliacao.contas[101]
    assert [(pair.passo, pair.diferenca) for pair in account.casados.pares] == [("devolvida", 0), ("devolvida", -100)]
    assert (found.repasses, found.sugestoes, found.devolvidos) == ((), {}, {1: "devolvido em 12/03"})
    # From the book's zero to the bank's -1.00 there is the fee, and nothing unexplained.
    assert (account.livro, account.banco, account.diferencas, account.abertura) == (0, -100, -100, 0)
    made = build_catalogue(View(position, make_empresa([], {}), Facts(banco=BankFacts(devolvidos=found.devolvidos))))
    assert [check.id for check in made.errors] == []
    tasks = next(table for report in made.reports for table in report.tables if table.name == "fazer")
    assert [row["Regra"] for row in records(tasks) if row["Título"] == 1] == ["F1"]  # not F4
    queues = [build_queue(position, back) for back in ((), (1,))]
    asked = [(queue.titulos[0].a_receber, queue.etapas[queue.titulos[0].etapa]) for queue in queues]
    assert asked == [(False, "Dar baixa"), (True, "2º aviso")]  # 14 days late
    debtor = next(table for report in made.reports for table in report.tables if table.name == "inadimplencia")
    assert [row["Etapa da régua"] for row in records(debtor)] == ["2º aviso"]


@pytest.mark.parametrize("paid", [True, False])
def test_what_came_is_not(paid: bool) -> None:
    assert _find(TWO, (3, 14_800), paid=paid) == []
    assert _find(TWO, (6, 15_000), paid=paid) == []  # gross: the bank takes its fee elsewhere
    assert _find(TWO, (3, 9_900), (4, 4_900), paid=paid) == []
    assert _find(TWO, (3, 9_900), paid=paid) == [(3, 4_900, (2,))]
    # One of the day's was passed on already, in one sum with the other.
    passed = [TWO[0], _charge(2, "50.00", "2026-03-03", "Transferido", data_transferido="2026-03-03")]
    assert _find(passed, (3, 14_800), paid=paid) == []


def test_what_no_statement_covers_or_nobody_announced_is_not() -> None:
    assert _find([_charge(1, "100.00", "2026-03-07")]) == []  # a Saturday: it comes on the 9th
    assert _find([_charge(1, "100.00", "2026-03-07")], until=9) == [(7, 9_900, (1,))]
    assert _find([_charge(1, "100.00", "2026-03-09")]) == []
    assert _find([_charge(1, "100.00", None)]) == []
    assert _find([_charge(1, "100.00", "2026-03-03", "Pendente", valor_pago=None)]) == []
    assert _find([_charge(1, "100.00", "2026-03-03", "Transferido", data_transferido="2026-03-03")]) == []
    assert _find([_charge(1, "100.00", "2026-03-03", "Cancelado")]) == []
    assert _find([_charge(1, "100.00", "2026-03-03", conta_id=102)]) == []
