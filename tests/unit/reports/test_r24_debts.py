"""R24: debts by hand, on Friday 30/10/2026; V45 and plain Python add them up again, from records and entries."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.workbook import Report
from lastro.quality.findings import note_answers
from lastro.quality.runner import open_room
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.reports.r24_debts import SPEC
from lastro.settings import Parametros
from lastro.transform.position import Position
from tests.bare import lay_out_noticed, list_noticed
from tests.damages import list_unseen
from tests.marks import thinned
from tests.troubled import FACTORING, LOAN, MAPS, PLAN, make_company, take_position
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import section, table
from tests.views import run_on, view_of

DAY = date(2026, 10, 30)
SALES, LOANS, REFIS, DRAWS, PAYROLL, INTEREST = range(1, 7)
NAMES = ("Vendas", "Empréstimos bancários", "REFIS", "Retirada dos sócios", "Salários", "Juros pagos")
TREE: list[dict[str, Any]] = [
    {"id": number, "descricao": name, "parent_id": None, "ativo": True, "tipo_categoria_id": 2 if number == 1 else 1}
    for number, name in enumerate(NAMES, 1)
]
BANK, STATE = 501, 502


def entry(number: int, valor: str, due: str, categoria_id: int, pessoa_id: int = BANK, **more: Any) -> dict[str, Any]:
    base = {"id": number, "valor": valor, "conta_id": 101, "data_vencimento": due, "data_competencia": due}
    return {**base, "categoria_id": categoria_id, "pessoa_id": pessoa_id, **more}


def books(*entries: dict[str, Any], **parametros: Any) -> Position:
    return make_position(entries, categorias=TREE, data_base=DAY, parametros=Parametros(**parametros))


def judge(position: Position, report: Report, **answers: Any) -> bool:
    noticed = list_noticed(position, movidos=answers.get("movidos", ())) + note_answers(answers.get("respostas", {}))
    return not run_on("V45", open_room(position, lay_out_noticed(noticed), [report]), "").failed


def build(position: Position, movidos: tuple[int, ...] = (), **answers: Any) -> Report:
    """The report, judged."""
    bank = BankFacts(movidos=dict.fromkeys(movidos, "o banco pagou em 10/10"))
    report = SPEC.build(view_of(position, mesas=DeskFacts(**answers), banco=bank))
    assert judge(position, report, movidos=movidos, **answers)
    return report


def rows(report: Report, name: str, *keys: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table(report, name).data[key].cells() for key in keys), strict=True))


ENTRIES = (
    *(
        entry(n, "-1000.00", due, LOANS, grupo_id=9, numero_repeticao=n, total_repeticoes=30)
        for n, due in enumerate(("2026-09-15", "2026-10-31", "2026-11-15", "2026-12-15", "2028-10-15"), 1)
    ),
    *(
        entry(20 + n, "-300.00", due, REFIS, STATE, grupo_id=8, numero_repeticao=n, total_repeticoes=60)
        for n, due in enumerate(("2026-08-31", "2026-09-30", "2026-11-30"), 1)
    ),
    entry(30, "-5000.00", "2026-11-05", DRAWS),
    entry(31, "-2000.00", "2026-11-05", PAYROLL),
    entry(32, "8000.00", "2026-11-10", SALES),
    entry(33, "50000.00", "2026-11-10", LOANS),  # what is borrowed is no receipt, and nothing to pay
    entry(34, "700.00", "2026-10-20", SALES),
)


def test_each_debt_with_what_is_late_what_comes_next_and_what_of_the_receipts_it_takes() -> None:
    report = build(books(*ENTRIES))
    keys = ("divida", "atrasado", "atrasadas", "proximo_vencimento", "proxima_parcela", "mes_seguinte", "valor", "qtde")
    money = Decimal
    # 31/10 is a Saturday and Monday the 2nd a holiday: that instalment leaves on 03/11, in the month after D's.
    assert rows(report, "dividas", *keys) == [
        ("Empréstimos bancários", money("-1000.00"), 1, date(2026, 10, 31), money("-1000.00"), money("-2000.00"),
         money("-5000.00"), 5),
        ("REFIS", money("-600.00"), 2, date(2026, 11, 30), money("-300.00"), money("-300.00"), money("-900.00"), 3),
    ]  # fmt: skip
    months = rows(report, "dividas_meses", "mes", "valor", "qtde", "resta", "entradas_previstas", "pct_das_entradas")
    assert len(months) == 24
    assert months[:3] == [
        (date(2026, 10, 1), money(0), 0, money("-4300.00"), None, None),
        # 2,300 of 8,000: the late 700 and what is borrowed are in no month, the sale alone is a receipt.
        (date(2026, 11, 1), money("-2300.00"), 3, money("-2000.00"), money("8000.00"), money("28.75")),
        (date(2026, 12, 1), money("-1000.00"), 1, money("-1000.00"), None, None),
    ]
    assert months[-1] == (date(2028, 9, 1), money(0), 0, money("-1000.00"), None, None)  # the last one comes after
    printed = [row.cells[0] for row in section(report, "dividas_meses").rows[:-1]]
    assert printed == [date(2026, 10, 1), date(2026, 11, 1), date(2026, 12, 1)]  # nothing leaves after
    notes = section(report, "dividas").notes
    assert notes[0] == (
        "Em nov/26 saem R$ 2.300,00 de dívidas: 28,75 % das entradas já lançadas para o mês (R$ 8.000,00)."
    )
    total = section(report, "dividas").rows[-1].cells
    assert total[2:4] == (money("-1600.00"), 3)


def test_interest_of_the_books_is_owed_and_a_deduction_from_the_payroll_is_no_debt() -> None:
    parts = {"lancamento_composto_id": 70}
    entries = (
        entry(40, "-900.00", "2026-11-10", LOANS, **parts),
        entry(41, "-100.00", "2026-11-10", INTEREST, **parts),
        entry(50, "-3000.00", "2026-11-05", PAYROLL, 503, lancamento_composto_id=80),
        entry(51, "400.00", "2026-11-05", LOANS, 503, lancamento_composto_id=80),
    )
    assert rows(build(books(*entries)), "dividas", "valor", "qtde") == [(Decimal("-1000.00"), 1)]


def test_what_the_map_calls_a_debt_is_one_and_what_it_puts_into_the_result_is_none() -> None:
    entries = (entry(1, "-10.00", "2026-11-10", DRAWS), entry(2, "-20.00", "2026-11-10", LOANS))
    for mapa, owed in (
        ({}, [LOANS]),
        ({LOANS: "fora", DRAWS: "fora"}, [LOANS]),
        ({DRAWS: "divida"}, [LOANS, DRAWS]),
        ({LOANS: "financeiro"}, []),
    ):
        assert [row[0] for row in rows(build(books(*entries, dre_mapa=mapa)), "dividas", "categoria_id")] == owed


def test_an_instalment_with_a_day_of_payment_after_the_data_base_is_owed() -> None:
    """One that is scheduled, and one that was paid since, when a past day is looked at."""
    group = {"grupo_id": 7, "total_repeticoes": 10, "descricao": "Parcelamento ICMS"}
    scheduled = entry(1, "-100.00", "2026-11-12", PAYROLL, STATE, data_pagamento="2026-11-12", **group)
    assert rows(build(books(scheduled)), "dividas", "divida", "valor") == [("Salários", Decimal("-100.00"))]


def test_what_takes_more_than_all_receipts_of_a_month_has_a_share_all_the_same() -> None:
    """9,999,999,999.00 of 0.01 is 99,999,999,990,000 %: a loan that somebody mistyped stops no run."""
    report = build(books(entry(1, "-9999999999.00", "2026-11-12", LOANS), entry(2, "0.01", "2026-11-10", SALES)))
    (share,) = (row[0] for row in rows(report, "dividas_meses", "pct_das_entradas") if row[0] is not None)
    assert share == Decimal(99999999990000)


def test_what_the_bank_or_the_desk_says_paid_is_owed_no_more() -> None:
    position = books(*ENTRIES)
    report = build(position, movidos=(1,), respostas={21: "pago", 22: "em parcelamento"})
    assert rows(report, "dividas", "atrasado", "valor") == [
        (Decimal("0.00"), Decimal("-4000.00")), (Decimal("0.00"), Decimal("-300.00")),
    ]  # fmt: skip
    assert not judge(position, report)


def test_a_row_that_is_gone_or_there_twice_and_a_centavo_are_seen() -> None:
    position = books(*ENTRIES)
    room = open_room(position, lay_out_noticed(list_noticed(position)), [build(position)])
    for name in ("dividas", "dividas_meses"):
        assert list_unseen("V45", room, f"mart.{name}", "valor") == []


def test_a_company_without_debts_has_no_such_sections() -> None:
    report = build(books(entry(30, "-5000.00", "2026-11-05", DRAWS)))
    assert (report.sections, [len(one.rows) for one in report.tables]) == ((), [0, 0])


@pytest.mark.parametrize("seed", thinned(range(8), (0, 3)))
def test_companies_in_trouble_owe_what_plain_python_adds_up(seed: int) -> None:
    """From the entries alone: unpaid, of a debt by map or name, or repeating and called a plan."""
    company = make_company(seed)
    mapa = MAPS[seed % len(MAPS)]
    position = take_position(company, company.today, Parametros(dre_mapa=mapa))
    debts = {LOAN, FACTORING} - {key for key in mapa if mapa[key] == "financeiro"}
    owed: defaultdict[tuple[int, int | None], Decimal] = defaultdict(Decimal)
    for one in company.books.lancamentos.values():
        plan = one.grupo_id is not None and (one.categoria_id == PLAN or "arcelamento" in (one.descricao or ""))
        if one.valor < 0 and not one.data_pagamento and (one.categoria_id in debts or plan):
            assert not one.lancamento_composto_id
            owed[one.categoria_id or 0, one.pessoa_id] += Decimal(one.valor).scaleb(-2)
    report = build(position)
    found = rows(report, "dividas", "categoria_id", "pessoa_id", "valor")
    assert {(key, person): value for key, person, value in found} == owed
    assert owed
