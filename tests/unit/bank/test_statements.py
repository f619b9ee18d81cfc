"""What files say together: the union of lines, days covered, balances and what they are worth at an edge (S20, S23)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastro.bank.anchors import Eve, choose_balance, derive_eve, find_balance, join_blocks, list_balances, refuse_anchor
from lastro.bank.coverage import find_coverage, fix_moment, join_coverage
from lastro.bank.days import unite
from lastro.bank.identity import make_extrato_id
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import BankBalance, BankLine, Block, ReadStatement
from tests.bank import F1, F2, make_statement, read_stored, receive

D = date(2026, 3, 16)


def _unite(read: Iterable[ReadStatement]) -> list[BankLine]:
    return [line for account in unite(read).values() for line in account.linhas]


def test_the_two_statements_of_the_example_hold_nine_lines() -> None:
    read = [read_stored(F1), read_stored(F2)]
    (account,) = unite(read).values()
    lines = account.linhas
    assert (sum(len(each.linhas) for each in read), len(lines), sum(line.valor for line in lines)) == (11, 9, 384_878)
    assert {line.extrato_id for line in lines} >= {178139879615723, 104913938550329}
    assert [find_coverage(each, D) for each in read] == [
        Block(date(2026, 2, 1), date(2026, 2, 28)),
        Block(date(2026, 2, 20), D),
    ]
    blocks = join_coverage([block for each in read if (block := find_coverage(each, D))])
    assert blocks == [Block(date(2026, 2, 1), D)]
    balances = list_balances(account)
    assert balances == [BankBalance(date(2026, 2, 28), 800_468, False), BankBalance(D, 1_234_878, False)]
    assert choose_balance(blocks[0], balances) == balances[1]
    assert find_balance(blocks[0], lines, balances[1]) == (1_234_878, False)
    assert find_balance(blocks[0], lines, balances[0]) == (1_234_878, True)
    assert derive_eve(account, D) == Eve(date(2026, 1, 31), 850_000, provada=True)  # A5


def test_a_file_of_the_morning_anchors_nothing() -> None:
    read = [read_stored(F1, date(2026, 2, 28))]
    (account,) = unite(read).values()
    assert [each.parcial for each in list_balances(account)] == [True]
    assert derive_eve(account, D) is None


LINES = st.lists(st.tuples(st.integers(1, 5), st.sampled_from([-100, 100]), st.sampled_from("aÁb")), max_size=12)


@settings(max_examples=100)
@given(LINES, st.integers(0, 12), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_statement_cut_in_two_with_an_overlap_of_whole_days_is_the_statement(
    drawn: list[tuple[int, int, str]], day: int, overlap: int, lots: random.Random
) -> None:
    lines = [
        OfxLine(number, date(2026, 3, at), valor, text, "0")
        for number, (at, valor, text) in enumerate(sorted(drawn), 1)
    ]

    def part(name: str, some: list[OfxLine]) -> ReadStatement:
        return ReadStatement(name, name, 1, D, "1/1", 101, None, None, None, None, tuple(some))

    cut = date(2026, 3, max(1, min(day, 28)))
    parts = [
        part("a", [line for line in lines if line.dia <= cut]),
        part("b", [line for line in lines if (cut - line.dia).days <= overlap]),
    ]
    lots.shuffle(parts)
    whole = {(line.extrato_id, line.dia, line.valor) for line in _unite([part("inteiro", lines)])}
    assert {(line.extrato_id, line.dia, line.valor) for line in _unite(parts)} == whole
    assert len(whole) == len(lines)  # equal lines of one file are real


def test_days_without_banks_between_two_files_are_a_gap_for_a_pix_moves_on_saturday() -> None:
    friday, saturday, monday = date(2026, 3, 13), date(2026, 3, 14), date(2026, 3, 16)
    one = Block(date(2026, 3, 2), friday)
    assert join_coverage([Block(saturday, monday), one]) == [Block(one.inicio, monday)]
    assert join_coverage([Block(monday, monday), one]) == [one, Block(monday, monday)]


def test_a_balance_counts_within_the_block_or_on_its_eve() -> None:
    block = Block(date(2026, 3, 10), date(2026, 3, 13))
    lines = _unite([read_stored(F2)])

    def held(*balances: BankBalance) -> tuple[int, bool] | None:
        chosen = choose_balance(block, balances)
        return None if chosen is None else find_balance(block, lines, chosen)

    assert held(BankBalance(date(2026, 3, 9), 1_000_000)) == (1_000_000 - 12_000 - 3_590 - 150_000, True)
    assert held(BankBalance(date(2026, 3, 13), 7)) == (7, False)
    for away in (date(2026, 3, 6), date(2026, 3, 8), date(2026, 3, 14), date(2026, 3, 15)):
        assert held(BankBalance(away, 5)) is None
    assert held() is None


def test_the_number_of_a_line_is_what_any_language_computes() -> None:
    assert make_extrato_id(101, date(2026, 3, 12), -3590, "tarifa pacote p j", 1) == 178139879615723


SEEN = date(2026, 11, 26)


def _nov(day: int) -> date:
    return date(2026, 11, day)


def _file(*days: date, inicio: date | None, fim: date | None, **given: Any) -> ReadStatement:
    return make_statement("a", 101, [(day, -100, "x") for day in days], inicio=inicio, fim=fim, vista_em=SEEN, **given)


@pytest.mark.parametrize(
    ("days", "inicio", "fim", "saldo_em", "covered"),
    [
        ([3, 18], _nov(1), _nov(20), None, (1, 20)),
        ([3, 18], None, _nov(20), None, (3, 20)),
        ([3, 18], _nov(1), None, _nov(20), (1, 18)),
        ([3, 18], date(2026, 9, 2), _nov(20), None, ("2026-09-02", 20)),  # 62 days
        ([3, 18], date(2026, 9, 1), _nov(20), None, (3, 20)),
        ([3, 18], date(1970, 1, 1), _nov(20), None, (3, 20)),
        ([3, 18], _nov(1), date(2026, 12, 31), None, (1, 25)),  # the day before it was first seen
        ([3, 18], _nov(1), date(2026, 12, 31), _nov(20), (1, 20)),
        ([3, 22], _nov(1), date(2026, 12, 31), _nov(20), (1, 22)),
        ([3, 28], _nov(1), date(2026, 12, 31), _nov(20), (1, 20)),  # a line that was future when the file was seen
        ([], _nov(1), _nov(20), _nov(20), (1, 20)),
        ([], date(1970, 1, 1), _nov(20), _nov(20), (20, 20)),
    ],
)
def test_a_file_covers_what_it_can_have_seen(
    days: list[int], inicio: date | None, fim: date | None, saldo_em: date | None, covered: tuple[int | str, int]
) -> None:
    file = _file(*map(_nov, days), inicio=inicio, fim=fim, saldo=None if saldo_em is None else 5, saldo_em=saldo_em)
    first, last = covered
    assert find_coverage(file) == Block(
        date.fromisoformat(first) if isinstance(first, str) else _nov(first), _nov(last)
    )


@pytest.mark.parametrize(
    ("servidor", "vista_em", "covered", "saldo"),
    [
        ("20261112101500", 26, (1, 12), (12, True)),  # its last line is of that day
        ("20261115101500", 26, (1, 14), (15, True)),
        ("20261115000000", 26, (1, 14), (15, True)),  # of a later day's balance
        ("20261120", 26, (1, 20), (20, False)),
        ("20261119", 19, (1, 18), (19, True)),  # first seen on that day
        ("20261201090000", 26, (1, 20), (20, False)),  # later than it was first seen: no moment
        ("20261031090000", 26, (1, 20), (20, False)),  # before its period
    ],
)
def test_no_file_vouches_for_a_day_after_its_own_moment(
    servidor: str, vista_em: int, covered: tuple[int, int], saldo: tuple[int, bool]
) -> None:
    read = make_statement(
        "a", 101, [(_nov(3), -100, "x"), (_nov(12), -100, "y")], inicio=_nov(1), fim=date(2026, 11, 30), saldo=5,
        saldo_em=_nov(20), servidor=servidor, vista_em=_nov(vista_em),
    )  # fmt: skip
    settled = fix_moment(read)
    assert find_coverage(settled) == Block(*map(_nov, covered))
    assert settled.saldo_em is not None
    assert (settled.saldo_em.day, settled.parcial) == saldo
    assert fix_moment(settled) == settled


def test_a_period_that_is_the_moment_of_the_download_is_none() -> None:
    told = [(_nov(day), -100, "x") for day in (3, 12, 18)]
    moment = {"inicio": _nov(20), "fim": _nov(20), "vista_em": SEEN, "servidor": "20261120163858"}
    assert find_coverage(fix_moment(make_statement("a", 101, told, **moment))) == Block(_nov(3), _nov(19))
    one_day = make_statement("a", 101, [(_nov(20), -100, "x"), (_nov(19), -100, "y")], **moment)
    assert find_coverage(fix_moment(one_day)) == Block(_nov(20), _nov(20))
    text = (
        "<OFX><DTSERVER>20261120163858<STMTRS><BANKACCTFROM><BANKID>1<ACCTID>1</BANKACCTFROM><BANKTRANLIST>"
        "<DTSTART>20261120163858<DTEND>20261120163858<STMTTRN><DTPOSTED>20261119<TRNAMT>-1.00</STMTTRN>"
        "<STMTTRN><DTPOSTED>20261120<TRNAMT>-1.00</STMTTRN></BANKTRANLIST></STMTRS></OFX>"
    )
    (read,) = receive(text.encode(), "a", SEEN)  # half of its lines are of that day, but it says an hour
    assert find_coverage(fix_moment(read)) == Block(_nov(19), _nov(20))


def test_a_line_from_before_the_period_counts_in_the_balance_and_stretches_nothing() -> None:
    file = _file(date(2026, 6, 15), _nov(5), inicio=_nov(1), fim=_nov(20), saldo=1_000_000, saldo_em=_nov(20))
    (account,) = unite([file]).values()
    assert find_coverage(file) == Block(_nov(1), _nov(20))
    assert [line.conta_em for line in account.linhas] == [_nov(1), _nov(5)]
    opening = derive_eve(account, SEEN)
    assert opening is not None
    assert (opening.dia, opening.valor, opening.provada) == (date(2026, 10, 31), 1_000_200, False)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, ""),
        ({"saldo_em": _nov(22)}, "é de um dia que o arquivo não cobre"),
        ({"saldo_em": _nov(26), "fim": date(2026, 12, 31)}, "é de um dia que ainda não tinha acabado"),
        ({"recusadas": 1}, "o arquivo tem transações recusadas"),
        ({"saldo": 0}, "é 0,00"),
        ({"saldo": None, "duvida": "o arquivo diz mais de um saldo (LEDGERBAL)"}, "mais de um saldo"),
        ({"inicio": _nov(19), "fim": _nov(20)}, "fora do período"),
    ],
)
def test_what_opens_no_books_says_why(given: dict[str, Any], why: str) -> None:
    file = _file(
        _nov(3), _nov(5), _nov(10), **{"inicio": _nov(1), "fim": _nov(20), "saldo": 5, "saldo_em": _nov(20), **given}
    )
    assert why in refuse_anchor(file)
    assert bool(refuse_anchor(file)) == bool(why)
    (account,) = unite([file]).values()
    assert (derive_eve(account, SEEN) is None) == bool(why)


def test_a_zero_is_a_balance_only_where_lines_lead_to_it() -> None:
    first = _file(_nov(3), inicio=_nov(1), fim=_nov(10), saldo=100, saldo_em=_nov(10))
    second = make_statement(
        "b", 101, [(_nov(12), -100, "y")], inicio=_nov(11), fim=_nov(20), saldo=0, saldo_em=_nov(20)
    )
    (account,) = unite([first, second]).values()
    assert [each.valor for each in list_balances(account)] == [100, 0]
    (alone,) = unite([second]).values()
    assert list_balances(alone) == []


HOURS = [
    ("20261118100000[-3:BRT]", "20261105", True),
    ("20261118100000[-3:BRT]", "20261105100000[-3:BRT]", False),
    ("20261118000000", "20261105", False),
    ("20261118235959", "20261105", False),
    ("202611181000", "20261105143000", True),
]


@pytest.mark.parametrize(("at", "posted", "parcial"), HOURS)
def test_an_hour_of_the_balance_says_something_where_the_transactions_bear_another(
    at: str, posted: str, parcial: bool
) -> None:
    text = (
        f"<OFX><STMTRS>\n<BANKACCTFROM><BANKID>341<ACCTID>1</BANKACCTFROM>\n<DTSTART>20261101\n<DTEND>20261118\n"
        f"<STMTTRN>\n<DTPOSTED>{posted}\n<TRNAMT>-1.00\n<MEMO>x\n</STMTTRN>\n"
        f"<LEDGERBAL><BALAMT>5.00<DTASOF>{at}</LEDGERBAL>"
    )
    (read,) = receive(text.encode(), "a", SEEN)
    assert read.parcial == parcial


def _week(first: int, last: int, saldo: int, *lines: tuple[int, int], saldo_em: int | None = None) -> ReadStatement:
    return make_statement(
        f"{first}", 101, [(_nov(day), valor, "x") for day, valor in lines], inicio=_nov(first), fim=_nov(last),
        saldo=saldo, saldo_em=_nov(saldo_em or last), vista_em=SEEN,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first", "monday", "saldo", "blocks"),
    [
        (_week(2, 6, 1000, (3, 400)), 9, 1100, [Block(_nov(2), _nov(13))]),
        (_week(2, 6, 1000, (3, 400)), 9, 1200, [Block(_nov(2), _nov(6)), Block(_nov(9), _nov(13))]),  # Saturday's Pix
        (_week(2, 6, 1000, (3, 400)), 10, 1100, [Block(_nov(2), _nov(6)), Block(_nov(10), _nov(13))]),  # Monday
        (_week(2, 11, 1000, (3, 400), saldo_em=3), 12, 1100, [Block(_nov(2), _nov(13))]),  # its period has them
        (_week(2, 6, 0, (3, 400)), 9, 100, [Block(_nov(2), _nov(6)), Block(_nov(9), _nov(13))]),  # 0,00 is no balance
    ],
)
def test_days_without_banks_between_two_files_are_no_gap_where_the_balances_chain_through_them(
    first: ReadStatement, monday: int, saldo: int, blocks: list[Block]
) -> None:
    (account,) = unite([first, _week(monday, 13, saldo, (12, 100))]).values()
    assert list(join_blocks(account, list_balances(account), SEEN)) == blocks
    opening = derive_eve(account, SEEN)
    if first.saldo:
        assert opening is not None
        assert (opening.valor, opening.provada) == (600, len(blocks) == 1)


def test_a_balance_of_the_evening_chains_through_a_weekend_only_with_what_moved_that_night() -> None:
    friday = make_statement(
        "a", 101, [(_nov(6), 400, "x")], inicio=_nov(2), fim=_nov(6), saldo=1000, saldo_em=_nov(6), vista_em=_nov(6)
    )
    for saldo, count in ((1100, 1), (1150, 2)):
        (account,) = unite([friday, _week(9, 13, saldo, (12, 100))]).values()
        assert len(join_blocks(account, list_balances(account), SEEN)) == count


def test_a_period_that_was_future_when_its_file_was_seen_says_nothing() -> None:
    """An account that is swept every day ends with 1,00 whatever moved on the 9th and 10th."""
    first = make_statement(
        "a", 101, [(_nov(3), 40, "x")], inicio=_nov(2), fim=_nov(30), saldo=100, saldo_em=_nov(5), vista_em=_nov(6)
    )
    (account,) = unite([first, _week(11, 13, 100)]).values()
    assert len(join_blocks(account, list_balances(account), SEEN)) == 2
