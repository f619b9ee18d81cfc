"""Q01 to Q44 of the golden data; what is forgotten, told twice; edges of rules."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from lastro.entrada.door import RefusedPart
from lastro.grid.verdict import Finding
from lastro.transform.forgotten_titulos import find_questioned, list_forgotten
from tests.books import read_position
from tests.findings import find_all, find_by_rule, sides
from tests.golden import dataset, expected
from tests.marks import thinned
from tests.random_companies import company
from tests.unit.quality.checked_books import Books
from tests.unit.reports.positions import position_of

SEEDS = thinned((3, 13, 22, 41, 44, 57), default=(22,))


def _find(payloads: dict[str, Any], rule: str) -> Finding:
    return find_by_rule(position_of(payloads), rule)[rule]


def _rows(payloads: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {row["id"]: row for row in payloads["lancamentos"]}


def test_golden_findings_are_those_of_section_5(each_shape: Books) -> None:
    findings = find_all(each_shape.position).findings
    assert [finding.regra for finding in findings] == [
        *(f"Q{number:02d}" for number in (*range(1, 24), 30, 31, *range(33, 45))),
        "MEMO",
    ]
    nothing: dict[str, set[int]] = {
        rule: set() for rule in ("Q22", "Q23", "Q31", "Q35", "Q36", "Q37", "Q38", "Q39", "Q40", "Q41", "Q42")
    }
    assert {finding.regra: set(finding.ids) for finding in findings[:-1]} == {
        **expected.R15, **nothing, "Q30": {11, 12, 21, 22, 23},  # 20 and 24 are of later days, 30 is mapped
    }  # fmt: skip
    (settled,) = expected.BAIXAS_AUTOMATICAS.values()
    assert findings[-1].lados == sides("0.00", str(-settled))
    assert all(finding.qtde == len(finding.ids) for finding in findings)


def test_files_and_texts_of_people_are_told_by_name_and_number(books: Books) -> None:
    unread = [
        RefusedPart("não é um arquivo comum", arquivo="a.xlsx"),
        RefusedPart("danificado", arquivo="b.xlsx"),
    ]
    typed = [("pessoa", 501), ("pessoa", 501), ("titulo", 9)]
    found = {finding.regra: finding for finding in find_all(books.position, (), unread, typed).findings}
    assert (found["Q31"].qtde, found["Q31"].ids) == (2, ())
    assert found["Q31"].por_que.startswith("a.xlsx: não é um arquivo comum · b.xlsx: danificado. ")
    assert (found["Q39"].qtde, found["Q39"].ids, found["Q39"].lados) == (3, (9, 501), None)


def test_amounts_are_gross_and_each_side_apart(books: Books) -> None:
    found = find_by_rule(books.position)
    assert found["Q02"].lados == sides("0.00", "900.00")
    assert found["Q03"].lados == sides("6000.00", "3100.00")
    assert found["Q14"].lados == sides("150.00", "200.00")
    assert found["Q14"].bruto == Decimal("350.00")
    assert found["Q11"].lados is None


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_forgotten_or_asked_about_is_what_q33_names(seed: int) -> None:
    position = read_position(company(seed))
    forgotten = list_forgotten(position.titulos) | find_questioned(position)
    assert forgotten == set(find_by_rule(position, "Q33")["Q33"].ids)


def test_only_an_opening_balance_not_configured_is_an_error() -> None:
    payloads = dataset.payloads("A", saldo_inicial=True)
    assert _find(payloads, "Q19").qtde == 0
    payloads["parametros"]["saldo_inicial_lancamentos"] = []
    found = _find(payloads, "Q19")
    assert (found.ids, found.gravidade, found.lados) == ((1000,), "erro", sides("10000.00", "0.00"))
    _rows(payloads)[1000].update(descricao="Saldo Inicial do banco", valor="1.00")
    assert _find(payloads, "Q19").ids == (1000,)
    _rows(payloads)[1000]["descricao"] = "Aporte"
    assert _find(payloads, "Q19").ids == ()


def test_automatic_entries_that_should_have_settled_and_post_dated_ones() -> None:
    payloads = dataset.payloads("A")
    _rows(payloads)[1004]["pagamento_automatico"] = True
    _rows(payloads)[1016]["pagamento_automatico"] = True  # due later
    _rows(payloads)[1015]["data_pagamento"] = "2026-04-01"  # post-dated
    assert (_find(payloads, "Q07").ids, _find(payloads, "Q15").ids) == ((1004,), (1015,))
    # As of an earlier day nobody knows whether it settled meanwhile.
    assert _find({**payloads, "data_base": dataset.DATA_BASE_ANTERIOR}, "Q07").ids == ()
