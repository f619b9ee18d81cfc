"""Accounts: configured ones win, listed and merely seen ones are there too; opening balances (S7, V21)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.settings import Conta
from tests.bare import build_contas
from tests.builders import make_contas, make_lancamentos

LISTED = ("conta_id", "descricao", "ativo", "permite_lancamento")
ALFA = Conta(101, "Banco Alfa", Decimal("10000.00"), date(2026, 1, 1))


def listed(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return make_contas([dict(zip(LISTED, row, strict=True)) for row in rows])


NO_OPENINGS = make_lancamentos([])


def test_configured_listed_and_seen_accounts_are_all_there() -> None:
    frame, conflicts = build_contas(
        [ALFA, Conta(103, tipo="cartao", ativa=False)],
        listed((101, "Alfa do serviço", True, True), (102, " Poupança ", False, False), (104, "", True, True)),
        {105, 101},
        NO_OPENINGS,
    )
    assert conflicts.empty
    rows = frame.set_index("conta_id")
    assert rows["descricao"].to_dict() == {
        101: "Banco Alfa", 102: "Poupança", 103: "Conta #103", 104: "Conta #104", 105: "Conta #105",
    }  # fmt: skip
    assert rows["configurada"].to_dict() == {101: True, 102: False, 103: True, 104: False, 105: False}
    assert rows["ativa"].to_dict() == {101: True, 102: False, 103: False, 104: True, 105: True}
    assert rows["permite_lancamento"].to_dict() == {101: True, 102: False, 103: True, 104: True, 105: True}
    assert rows["tipo"].to_dict() == {101: "conta", 102: "conta", 103: "cartao", 104: "conta", 105: "conta"}
    assert rows["provisoria"].to_dict() == {101: False, 102: True, 103: True, 104: True, 105: True}
    assert rows["valor_saldo_inicial_centavos"].to_dict() == {101: 1_000_000, 102: 0, 103: 0, 104: 0, 105: 0}
    assert rows["data_saldo_inicial"].notna().to_dict() == {101: True, 102: False, 103: False, 104: False, 105: False}


def test_a_balance_of_zero_is_a_balance() -> None:
    frame, _ = build_contas([Conta(1, valor_saldo_inicial=Decimal("0.00"))], listed(), (), NO_OPENINGS)
    assert frame["tem_saldo_inicial"].tolist() == [True]
    assert frame["provisoria"].tolist() == [False]


def opening(id_: int, valor: str, day: str, conta: int | None = 101) -> dict[str, Any]:
    return {"id": id_, "valor": valor, "data_pagamento": day, "conta_id": conta}


def test_an_entry_gives_the_opening_balance() -> None:
    entries = make_lancamentos([opening(1000, "10000.00", "2026-01-01"), opening(1001, "5.00", "2026-02-01", 102)])
    frame, conflicts = build_contas([ALFA, Conta(102)], listed(), (), entries)
    assert conflicts.empty
    assert frame["valor_saldo_inicial_centavos"].tolist() == [1_000_000, 500]
    assert frame["data_saldo_inicial"].dt.date.tolist() == [date(2026, 1, 1), date(2026, 2, 1)]
    assert frame["tem_saldo_inicial"].all()


def test_an_entry_that_differs_from_the_settings_is_a_conflict_and_the_entry_holds() -> None:
    for valor, day in (("9999.99", "2026-01-01"), ("10000.00", "2026-01-02")):
        frame, conflicts = build_contas([ALFA], listed(), (), make_lancamentos([opening(1000, valor, day)]))
        assert conflicts.to_dict("records") == [
            {"conta_id": 101, "motivo": "difere do saldo inicial configurado", "lancamentos": [1000]}
        ]
        assert frame["data_saldo_inicial"].dt.date.tolist() == [date.fromisoformat(day)]


def test_two_opening_entries_of_one_account_are_a_conflict() -> None:
    entries = make_lancamentos([opening(1002, "1.00", "2026-01-05"), opening(1000, "10000.00", "2026-01-01")])
    frame, conflicts = build_contas([ALFA], listed(), (), entries)
    assert conflicts["motivo"].tolist() == ["mais de um lançamento de saldo inicial"]
    assert conflicts["lancamentos"].tolist() == [[1000, 1002]]
    assert frame["valor_saldo_inicial_centavos"].tolist() == [1_000_000]
