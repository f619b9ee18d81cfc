"""Which line is which across files, which transactions are balances, whose statement it is (S20)."""

from __future__ import annotations

from datetime import date

import pytest

from lastro.bank.anchors import refuse_anchor
from lastro.bank.identity import link_account, list_numbers, part_balances, unite
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import BankAccount, BankBalance, ReadStatement
from tests.bank import make_statement

NOV = date(2026, 11, 1)
Told = tuple[int, int, str, str]


def _lines(*told: Told) -> tuple[OfxLine, ...]:
    return tuple(
        OfxLine(place, NOV.replace(day=day), valor, text, fitid)
        for place, (day, valor, text, fitid) in enumerate(told, 1)
    )


def _file(name: str, last: int, *told: Told, saldo: int | None = None) -> ReadStatement:
    at = None if saldo is None else NOV.replace(day=last)
    own = make_statement(name, 101, [], inicio=NOV, fim=NOV.replace(day=last), saldo=saldo, saldo_em=at)
    return ReadStatement(**{**vars(own), "linhas": _lines(*told)})


def _unite(*files: ReadStatement) -> BankAccount:
    accounts = [unite(some)[101] for some in (files, files[::-1])]
    assert accounts[0].linhas == accounts[1].linhas
    return accounts[0]


def _show(account: BankAccount) -> list[tuple[int, int, str]]:
    return [(line.dia.day, line.valor, line.historico) for line in account.linhas]


def test_a_number_that_says_something_joins_a_line_whose_text_and_day_moved() -> None:
    old = _file("a", 10, (3, 400_000, "PIX", "F2026110391"), (9, -500, "X", "F2026110977"))
    new = _file("b", 20, (4, 400_000, "PIX CLIENTE A", "F2026110391"), (15, -500, "X", "F2026110977"))
    account = _unite(old, new)
    assert _show(account) == [(4, 400_000, "PIX CLIENTE A"), (9, -500, "X"), (15, -500, "X")]  # six days apart: two
    first = unite([old])[101].linhas[0].extrato_id
    assert account.linhas[0].antes == (first,)  # what somebody typed beside it still finds it


def test_other_numbers_on_one_day_are_two_lines_and_equal_text_without_them_is_one() -> None:
    shop = (5, -10_000, "LOJA X")
    assert len(_unite(_file("a", 10, (*shop, "N2026101500009")), _file("b", 20, (*shop, "N2026111500013"))).linhas) == 2
    for fitid in ("", "0", "000000", "12345", "000012"):
        assert len(_unite(_file("a", 10, (*shop, fitid)), _file("b", 20, (*shop, "N2026111500013"))).linhas) == 1
    assert len(_unite(_file("a", 10, (*shop, ""), (*shop, "")), _file("b", 20, (*shop, ""))).linhas) == 2


@pytest.mark.parametrize(
    ("fitids", "telling"),
    [
        (["20261103001", "20261103002", "20261104001"], []),  # the place within the day
        (["LOTE000001", "LOTE000002", "LOTE000003"], []),
        (["100001", "100002", "100003"], ["100001", "100002", "100003"]),
        (["F20261103", "F20261104", "777777"], ["F20261103", "F20261104", "777777"]),
        (["888888", "888888", "999999"], ["999999"]),
        (["", "0", "54321"], []),
        (["0a1b2c3d-1", "9e8f7a6b-1", "77abcdef"], ["0a1b2c3d-1", "9e8f7a6b-1", "77abcdef"]),
    ],
)
def test_which_numbers_say_something(fitids: list[str], telling: list[str]) -> None:
    days = (3, 3, 4)
    lines = _lines(*((day, 100, "x", fitid) for day, fitid in zip(days, fitids, strict=True)))
    assert sorted(list_numbers(lines).values()) == sorted(telling)


def test_the_bank_takes_a_line_back_only_where_the_balances_say_so() -> None:
    kept, gone = (3, 400_000, "PIX", ""), (8, -7_700, "AGENDADO", "")
    new = _file("b", 20, kept, (15, -500, "TARIFA", ""), saldo=1_399_500)
    account = _unite(_file("a", 10, kept, gone, saldo=1_400_000), new)  # its balance never had the line
    assert [line.historico for line in account.retiradas] == ["AGENDADO"]
    assert [valor for _, valor, _ in _show(account)] == [400_000, -500]
    both = _unite(_file("a", 10, kept, gone, saldo=1_392_300), new)  # it had it: V24 tells
    assert (len(both.linhas), both.retiradas) == (3, ())
    assert len(_unite(_file("a", 10, kept, gone), new).linhas) == 3


BALANCES = _lines(
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
            BankBalance(NOV.replace(day=day), valor) for day, valor in ((1, 1_000_000), (3, 1_400_000), (5, 1_250_000))
        )
    broken = (*BALANCES[:1], *_lines((3, 400_001, "PIX", ""))[:1], *_lines((5, 777, "SALDO FINAL", "")))
    assert part_balances(broken, None, None)[1] == ()
    one = _lines((1, 1_000_000, "SALDO ANTERIOR", ""), (3, 400_000, "PIX", ""))
    assert part_balances(one, None, None)[1] == ()
    assert part_balances(one, 1_400_000, NOV.replace(day=20))[1] == (BankBalance(NOV, 1_000_000),)
    assert part_balances(one, 1_400_001, NOV.replace(day=20))[1] == ()


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
    told = _lines((3, 400, "PIX", ""), (3, amounts[0], text, ""), (5, -150, "ALUGUEL", ""), (5, amounts[1], text, ""))
    moved, shown = part_balances(told, 1250, NOV.replace(day=5))
    assert len(shown) == balances
    file = _file("a", 5, saldo=1250)
    why = refuse_anchor(ReadStatement(**{**vars(file), "linhas": moved, "saldos": shown}))
    assert ("texto de saldo" in why) == (balances == 1)


@pytest.mark.parametrize("text", ["SDO ANT", "SALDO ANT. 31/10", "SLD ANTERIOR", "Sldo Inicial", "(=) Saldo anterior"])
def test_the_balance_before_a_day_is_that_of_its_eve(text: str) -> None:
    told = _lines((3, 1000, text, ""), (3, 400, "PIX", ""))
    assert part_balances(told, 1400, NOV.replace(day=5))[1] == (BankBalance(NOV.replace(day=2), 1000),)


def test_a_month_without_movement_between_two_balances_is_no_movement() -> None:
    still = _lines((1, 1000, "Saldo Anterior", ""), (30, 1000, "S A L D O", ""))
    assert part_balances(still, None, None) == ((), tuple(BankBalance(NOV.replace(day=day), 1000) for day in (1, 30)))
    alike = _lines((1, 1000, "SALDO FINAL OBRA", ""), (30, 1000, "SALDO FINAL OBRA", ""))
    assert part_balances(alike, None, None) == (alike, ())  # two equal payments


def test_lines_in_the_order_of_their_days_chain_only_in_that_order() -> None:
    paid = _lines((3, 400, "PIX", ""), (10, 400, "SALDO FINAL OBRA", ""))
    assert part_balances(paid, 800, NOV.replace(day=20)) == (paid, ())


def test_a_bank_that_numbers_anew_with_every_file_has_its_lines_once() -> None:
    told = [(3, 400, "PIX"), (5, -150, "ALUGUEL"), (5, -150, "ALUGUEL")]
    old = _file("a", 10, *((*line, f"A7310{n}X") for n, line in enumerate(told)))
    new = _file("b", 20, *((*line, f"B9942{n}Y") for n, line in enumerate(told)), (18, 7, "NOVO", "B99427Y"))
    account = _unite(old, new)
    assert _show(account) == [(3, 400, "PIX"), (5, -150, "ALUGUEL"), (5, -150, "ALUGUEL"), (18, 7, "NOVO")]
    assert {line.extrato_id for line in unite([old])[101].linhas} < {line.extrato_id for line in account.linhas}
    one = _file("c", 20, (3, 400, "PIX", "C99420Y"))
    assert len(_show(_unite(old, one))) == 4  # a single one is another: a second Pix of that day


def test_a_key_has_the_kind_of_account_and_its_letters() -> None:
    linked = {101: ["341/123456"], 102: ["341/12345-6/poupança"], 103: ["001/1234-X"], 104: ["1/1234"], 105: ["998877"]}
    linked |= {106: ["nenhum"], 107: ["001/0099"]}
    keys = ("341/123456", "341/123456/poupanca", "1/1234X", "1/1234", "77/998877", "1/99")
    assert [link_account(key, linked) for key in keys] == [101, 102, 103, 104, 105, 107]
    assert {link_account(key, linked) for key in ("77/998877/poupanca", "341/ABC", "2/99", "/", "")} == {None}
