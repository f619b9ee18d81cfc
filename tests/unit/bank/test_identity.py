"""Which transactions are balances, and whose statement it is (S20)."""

from __future__ import annotations

import pytest

from lastro.bank.anchors import refuse_anchor
from lastro.bank.identity import link_account, list_file_accounts, part_balances
from lastro.bank.statements import BankBalance, ReadStatement
from lastro.settings.bank_keys import find_key_mistakes, write_file_key
from tests.bank import nov, november_file, november_lines

BALANCES = november_lines(
    (1, 1_000_000, "SALDO ANTERIOR", ""),
    (3, 400_000, "PIX RECEBIDO SALDO ANTERIOR ACERTO", ""),
    (3, 1_400_000, "S A L D O", ""),
    (5, -150_000, "ALUGUEL", ""),
    (5, 1_250_000, "Saldo Total Disponível Dia", ""),
)


def test_balances_among_the_transactions_are_balances_where_they_chain() -> None:
    for lines in (BALANCES, BALANCES[::-1]):
        moved, shown = part_balances(lines, None, None)
        assert {line.valor for line in moved} == {400_000, -150_000}
        assert shown == tuple(
            BankBalance(nov(day), valor) for day, valor in ((1, 1_000_000), (3, 1_400_000), (5, 1_250_000))
        )
    broken = (*BALANCES[:1], *november_lines((3, 400_001, "PIX", ""))[:1], *november_lines((5, 777, "SALDO FINAL", "")))
    assert part_balances(broken, None, None)[1] == ()
    one = november_lines((1, 1_000_000, "SALDO ANTERIOR", ""), (3, 400_000, "PIX", ""))
    assert part_balances(one, 1_400_000, nov(20))[1] == (BankBalance(nov(1), 1_000_000),)


@pytest.mark.parametrize("text", ["SALDO EM CONTA", "Saldo Anterior", "SDO DISPONIVEL", "SALDO DO DIA"])
def test_a_single_row_that_says_a_balance_and_no_more_is_no_line_and_proves_nothing(text: str) -> None:
    told = november_lines((3, 400_000, "PIX", ""), (18, 1_191_460, text, ""))
    for saldo in (None, 777):
        moved, shown = part_balances(told, saldo, None if saldo is None else nov(20))
        assert [line.valor for line in moved] == [400_000]
        assert shown == (BankBalance(nov(18), 1_191_460, parcial=True),)
    for other in ("SALDO", "SALDO EM CONTA DE JOAO", "PIX SALDO ANTERIOR"):
        assert len(part_balances(november_lines((3, 400, "PIX", ""), (18, 7, other, "")), None, None)[0]) == 2
    two = november_lines((3, 400, "PIX", ""), (17, 7, text, ""), (18, 9, text, ""))
    assert part_balances(two, None, None) == (two, ())  # two that chain with nothing are told as movements


@pytest.mark.parametrize(
    ("text", "amounts", "balances"),
    [
        ("SDO CTA/APL AUTOMATICAS", (1400, 1250), 2),
        ("SALDO BLOQUEADO", (1400, 1250), 2),
        ("SLD DISP", (1400, 1250), 2),
        ("Saldo na data", (1400, 1250), 2),
        ("SALDO CREDOR", (1400, 1250), 2),
        ("Saldo de Conta Corrente", (1400, 1250), 2),
        ("SALDO ANTONIO", (1400, 1250), 0),
        ("SALDO CONTA CORRENTE", (1400, 1251), 1),  # the last one is LEDGERBAL's
        ("SALDO DEVEDOR ACORDO", (1400, 1250), 0),
    ],
)
def test_balances_are_called_by_many_names_and_what_does_not_chain_opens_no_books(
    text: str, amounts: tuple[int, int], balances: int
) -> None:
    told = november_lines(
        (3, 400, "PIX", ""), (3, amounts[0], text, ""), (5, -150, "ALUGUEL", ""), (5, amounts[1], text, "")
    )
    moved, shown = part_balances(told, 1250, nov(5))
    assert len(shown) == balances
    file = november_file("a", 5, saldo=1250)
    why = refuse_anchor(ReadStatement(**{**vars(file), "linhas": moved, "saldos": shown}))
    assert ("texto de saldo" in why) == (balances == 1)


@pytest.mark.parametrize("text", ["SDO ANT", "SALDO ANT. 31/10", "SLD ANTERIOR", "Sldo Inicial", "(=) Saldo anterior"])
def test_the_balance_before_a_day_is_that_of_its_eve(text: str) -> None:
    told = november_lines((3, 1000, text, ""), (3, 400, "PIX", ""))
    assert part_balances(told, 1400, nov(5))[1] == (BankBalance(nov(2), 1000),)


def test_a_month_without_movement_between_two_balances_is_no_movement() -> None:
    still = november_lines((1, 1000, "Saldo Anterior", ""), (30, 1000, "S A L D O", ""))
    assert part_balances(still, None, None) == ((), tuple(BankBalance(nov(day), 1000) for day in (1, 30)))
    alike = november_lines((1, 1000, "SALDO FINAL OBRA", ""), (30, 1000, "SALDO FINAL OBRA", ""))
    assert part_balances(alike, None, None) == (alike, ())  # two equal payments


def test_lines_in_the_order_of_their_days_chain_only_in_that_order() -> None:
    paid = november_lines((3, 400, "PIX", ""), (10, 400, "SALDO FINAL OBRA", ""))
    assert part_balances(paid, 800, nov(20)) == (paid, ())


def test_a_key_has_the_kind_of_account_and_its_letters() -> None:
    linked = {101: ["341/123456"], 102: ["341/12345-6/poupança"], 103: ["001/1234-X"], 104: ["1/1234"], 105: ["998877"]}
    linked |= {106: ["nenhum"], 107: ["001/0099"]}
    keys = ("341/123456", "341/123456/poupanca", "1/1234X", "1/1234", "77/998877", "1/99")
    assert [link_account(key, linked) for key in keys] == [101, 102, 103, 104, 105, 107]
    assert {link_account(key, linked) for key in ("77/998877/poupanca", "341/ABC", "2/99", "/", "")} == {None}


def test_a_file_that_says_no_account_is_of_the_one_that_names_it() -> None:
    linked = {101: ["341/123456", "arquivo:Nubank*"], 102: ["arquivo:caixa 11.ofx"]}
    for name, conta_id in (("nubank_2026-11.ofx", 101), ("Caixa 11.OFX", 102), ("caixa 12.ofx", None)):
        key = write_file_key(name)
        assert link_account(key, linked, name) == conta_id
        assert link_account(key, {103: [key]}, name) == 103  # what is proposed works when pasted
    assert link_account("341/123456", linked, "caixa 11.ofx") == 101  # a file that says its account is of that
    assert list_file_accounts("nubank.ofx", linked | {104: ["arquivo:*"]}) == [101, 104]
    assert [*find_key_mistakes([(101, ["arquivo:a*"]), (102, ["arquivo:A*"])])] == [
        (102, '"arquivo:A*" já é da conta 101; cada extrato é de uma conta só')
    ]
