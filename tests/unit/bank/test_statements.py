"""What files say together: the union of lines, coverage, balances, the account they are of (S20, S23)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from lastro.bank.anchors import Eve, choose_balance, derive_eve, find_balance, list_balances
from lastro.bank.coverage import find_coverage, join_coverage
from lastro.bank.identity import count_kept, make_extrato_id, unite
from lastro.bank.ofx import OfxLine
from lastro.bank.statements import BankBalance, BankLine, Block, ReadStatement
from tests.bank import F1, F2, read_stored

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


def test_any_order_and_any_copy_of_the_files_give_the_same_lines() -> None:
    read = [
        read_stored(F1),
        read_stored(F2),
        read_stored(F2, as_name="z_copia.ofx"),
        read_stored(F1, as_name="z_outra.ofx"),
    ]
    lines = _unite(read)
    assert lines == _unite(read[::-1]) == _unite([read[0], read[1]])
    assert count_kept(lines) == {(F1, 101): 5, (F2, 101): 4}


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
