"""Opening balances by statement (S23): the golden cases A1 to A4 and A6, and each rule where it bends."""

from __future__ import annotations

from datetime import date
from typing import Any

from lastro.transform.openings import ARQUIVO, CONFIG, Statement, choose_statements, list_transit, sum_transit
from lastro.transform.position import Position
from tests.bare import store_statements
from tests.golden import dataset
from tests.unit.reports.positions import position_of

Typed = dict[int, list[tuple[str, str]]]


def read(typed: Typed, *, values: dict[int, str] | None = None, since: str | None = None, **changed: Any) -> Position:
    """The golden company whose accounts have statements and no opening but the given; `changed` replaces amounts."""
    payloads: dict[str, Any] = dataset.payloads()
    payloads["contas"] = [
        conta
        | {
            "data_saldo_inicial": since if conta["conta_id"] == 101 else None,
            "valor_saldo_inicial": (values or {}).get(conta["conta_id"]),
            "saldos_conferidos": [{"data": dia, "valor": valor} for dia, valor in typed.get(conta["conta_id"], [])],
        }
        for conta in payloads["contas"]
    ]
    for entry in payloads["lancamentos"]:
        entry["valor"] = changed.get(f"n{entry['id']}", entry["valor"])
    return position_of(payloads)


def openings(core: Position) -> dict[int, int]:
    contas = core.contas
    return dict(zip(contas["conta_id"].tolist(), contas["valor_saldo_inicial_centavos"].tolist(), strict=True))


def balance(core: Position, day: str, conta: int = 101) -> int:
    linhas = core.linhas
    paid = (linhas["conta_id"] == conta) & (linhas["data_pagamento"] <= day)
    return openings(core)[conta] + int(linhas.loc[paid, "valor_centavos"].sum())


A1: Typed = {101: [("2026-02-28", "7900.00")], 102: [("2026-03-16", "2200.00")]}


def test_a1_the_opening_follows_from_the_first_statement_and_the_balance_exists_on_every_day() -> None:
    core = read(A1)
    assert openings(core) == {101: 10_000_00, 102: 2_000_00}
    assert core.contas["origem_saldo"].tolist() == ["extrato", "extrato"]
    assert core.contas["provisoria"].tolist() == [False, False]
    assert core.contas["data_saldo_inicial"].isna().all()
    assert core.contas["ancora_dia"].dt.date.tolist() == [date(2026, 2, 28), date(2026, 3, 16)]
    assert core.contas["ancora_valor_centavos"].tolist() == [7_900_00, 2_200_00]
    assert core.extrato_saldos["papel"].tolist() == ["âncora", "âncora"]
    assert [balance(core, day) + balance(core, day, 102) for day in ("2025-12-31", "2026-01-31", "2026-02-28")] == [
        12_000_00, 10_500_00, 10_700_00,
    ]  # fmt: skip
    assert balance(core, "2026-03-16") + balance(core, "2026-03-16", 102) == 15_980_00


def test_a3_what_the_books_have_and_the_bank_has_not_is_in_transit() -> None:
    core = read({})
    transit = list_transit(core.titulos, core.cobrancas, core.cobranca_titulos)
    assert [sum_transit(transit, 101, date(2026, 2, day)) for day in (2, 4, 5)] == [0, 5_000_00, 0]
    assert sum_transit(transit, 102, date(2026, 2, 4)) == 0


def test_a4_an_entry_of_before_the_statement_moves_the_past_and_not_the_statements_day() -> None:
    core = read(A1, n1003="-1600.00")
    assert openings(core) == {101: 10_100_00, 102: 2_000_00}
    assert [balance(core, day) for day in ("2026-01-31", "2026-02-28", "2026-03-16")] == [
        8_600_00, 7_900_00, 13_780_00,
    ]  # fmt: skip


def test_a6_a_configured_opening_holds_and_its_statement_is_a_check() -> None:
    core = read({101: [("2026-02-28", "7900.00")]}, values={101: "9000.00"})
    assert openings(core)[101] == 9_000_00
    assert core.contas["origem_saldo"].tolist() == ["configurado", "nenhum"]
    assert core.contas["ancora_dia"].isna().all()
    assert core.extrato_saldos["papel"].tolist() == ["conferência"]
    assert balance(core, "2026-02-28") == 6_900_00


def test_control_that_begins_on_purpose_has_its_opening_from_the_statements_since() -> None:
    """7,900.00 on 28/02 less what was paid from 01/02 to then; the statement of January fixes nothing."""
    typed = {101: [("2026-01-31", "1.00"), ("2026-02-28", "7900.00")]}
    core = read(typed, since="2026-02-01")
    linhas = core.linhas[core.linhas["conta_id"] == 101]
    paid = linhas["data_pagamento"].between("2026-02-01", "2026-02-28")
    assert openings(core)[101] == 7_900_00 - int(linhas.loc[paid, "valor_centavos"].sum())
    assert core.extrato_saldos["papel"].tolist() == ["conferência", "âncora"]


def test_of_two_statements_of_one_day_the_stronger_source_counts_and_the_other_is_kept() -> None:
    day = date(2026, 2, 28)
    config, typed = Statement(101, day, 1, CONFIG), Statement(101, day, 2, ARQUIVO)
    again, other = Statement(101, day, 3, ARQUIVO), Statement(102, day, 2, CONFIG)
    assert choose_statements([typed, config, other]) == ([typed, other], [config])
    assert choose_statements([typed, again]) == ([again], [])
    assert store_statements([typed], {(101, day)}, overruled=[config])["papel"].tolist() == ["âncora", "preterido"]
