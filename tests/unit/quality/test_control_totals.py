"""The control totals in SQL against the linhas in pandas (V10), by hand and of random companies."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pandas as pd
import pytest

from lastro.quality.runner import open_room
from lastro.transform.position import Position
from tests.books import read_books
from tests.golden import dataset
from tests.marks import thinned
from tests.random_companies import company
from tests.unit.quality.checked_books import check_control, read_control

SEEDS = thinned(range(60, 68), default=(61,))


def _control(payloads: dict[str, Any]) -> tuple[pd.DataFrame, Any]:
    with read_books(payloads) as read:
        return read_control(read), read.position


def _by_account(control: pd.DataFrame) -> dict[int | None, tuple[int, Decimal]]:
    return {
        None if pd.isna(conta) else int(conta): (int(count), Decimal(int(centavos)).scaleb(-2))
        for conta, count, centavos in zip(
            control["conta_id"], control["linhas"], control["valor_centavos"], strict=True
        )
    }


@pytest.mark.parametrize(
    ("forma", "saldo_inicial"),
    thinned(product(dataset.FORMAS_COMPOSTO, (False, True)), default=[("A", False), ("T", True)]),
)
def test_golden_accounts(forma: str, saldo_inicial: bool) -> None:
    control, _ = _control(dataset.payloads(forma, saldo_inicial=saldo_inicial))
    # 18 linhas, sum 8480.00; account 102 has 1006, 1016 and 1019: 800 - 900 - 600.
    assert _by_account(control) == {101: (15, Decimal("9180.00")), 102: (3, Decimal("-700.00"))}


@pytest.mark.parametrize("seed", SEEDS)
def test_those_of_a_random_company_are_those_of_its_linhas(seed: int) -> None:
    control, position = _control(company(seed))
    assert check_control(position, control).situacao == "ok"


def test_unreadable_records_and_items_stay_out() -> None:
    payloads = dataset.payloads("A")
    rows = {row["id"]: row for row in payloads["lancamentos"]}
    rows[1010]["valor"] = "12,00"
    rows[1016]["data_vencimento"] = "amanhã"
    rows[1007]["itens_adicionais"][0]["valor"] = "x"
    payloads["lancamentos"].append("não sou um objeto")
    control, position = _control(payloads)
    # 9180.00 + 120.00 (1010 out) + 250.00 (1008 out); -700.00 + 900.00 (1016 out)
    assert _by_account(control) == {101: (13, Decimal("9550.00")), 102: (2, Decimal("200.00"))}
    assert check_control(position, control).situacao == "ok"


def test_the_row_received_last_wins() -> None:
    payloads = dataset.payloads("A")
    stale = next(row for row in payloads["lancamentos"] if row["id"] == 1014)
    payloads["lancamentos"].append({**stale, "valor": "6000.01"})
    control, position = _control(payloads)
    assert _by_account(control)[101] == (15, Decimal("9180.01"))
    assert check_control(position, control).situacao == "ok"


def test_a_detail_replaces_its_row_and_joins_when_the_listing_lacks_it() -> None:
    payloads = dataset.payloads("A")
    row = next(row for row in payloads["lancamentos"] if row["id"] == 1014)
    payloads["detalhes"] = [{**row, "valor": "6000.05"}, {**row, "id": 1018, "valor": "-450.00", "conta_id": 102}]
    control, position = _control(payloads)
    assert _by_account(control) == {101: (15, Decimal("9180.05")), 102: (4, Decimal("-1150.00"))}
    assert check_control(position, control).situacao == "ok"


def test_a_parent_that_its_items_do_not_explain_keeps_the_difference() -> None:
    payloads = dataset.payloads("T")
    payloads["parametros"]["composto_valor_pai"] = "total"
    parent = next(row for row in payloads["lancamentos"] if row["id"] == 1007)
    parent["valor"] = "-3100.01"
    control, position = _control(payloads)
    assert _by_account(control)[101] == (16, Decimal("9179.99"))
    assert check_control(position, control).situacao == "ok"


def _sign(position: Position) -> dict[str, tuple[Any, ...]]:
    """The control totals of account 101 as the linhas have them."""
    answer = open_room(position, {}).ask("SELECT * FROM prova.assinaturas WHERE conta_id = 101")
    assert answer is not None
    names, [row] = answer
    return dict(zip(names, row, strict=True))


def test_signatures_notice_what_count_and_sum_do_not() -> None:
    control, position = _control(dataset.payloads("A"))
    linhas = position.linhas
    before = _sign(position)
    for left, right, name in (
        ("data_pagamento", "data_competencia", "pagamento"),
        ("categoria_id", "pessoa_id", "categoria"),
    ):
        changed = replace(position, linhas=linhas.assign(**{left: linhas[right], right: linhas[left]}))
        after = _sign(changed)
        assert (after["linhas"], after["valor"]) == (before["linhas"], before["valor"])
        assert after[name] != before[name]
        assert f"conta 101 · {name}" in check_control(changed, control).chaves


def test_nothing_received_gives_no_account() -> None:
    payloads = dataset.payloads("A")
    control, position = _control({**payloads, "lancamentos": [], "cobrancas": []})
    assert control.empty
    assert not check_control(position, control).failed
