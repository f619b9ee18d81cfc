"""Matching of one account: cases by hand, and brute force over small pools (S20)."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastro.bank.identity import make_extrato_id
from lastro.bank.matching import (
    IGNORADA,
    LOTE,
    MANUAL,
    UM_A_UM,
    BookItem,
    ChargeItem,
    match_account,
    pair_days,
)
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankLine

FIRST = date(2026, 3, 1)
DAYS = st.lists(st.integers(0, 25), max_size=6).map(sorted)


def _line(day: int, valor: int, n: int = 1, texto: str = "") -> BankLine:
    dia = FIRST + timedelta(day)
    return BankLine(make_extrato_id(101, dia, valor, texto, n), 101, dia, valor, texto, "", "a.ofx", n, texto, n, dia)


def _item(titulo_id: int, day: int, valor: int, pessoa_id: int | None = None) -> BookItem:
    return BookItem(titulo_id, FIRST + timedelta(day), valor, pessoa_id)


def _try_all(bank: list[int], books: list[int]) -> tuple[int, int]:
    """Try every set of pairs, crossing ones too: the most pairs, and the fewest days of as many."""
    links = [(a, b) for a in range(len(bank)) for b in range(len(books)) if abs(bank[a] - books[b]) <= DAYS_APART]
    for count in range(min(len(bank), len(books)), 0, -1):
        costs = [
            sum(abs(bank[a] - books[b]) for a, b in some)
            for some in combinations(links, count)
            if len({a for a, _ in some}) == len({b for _, b in some}) == count
        ]
        if costs:
            return count, min(costs)
    return 0, 0


@settings(max_examples=150)
@given(DAYS.filter(lambda days: len(days) <= 4), DAYS.filter(lambda days: len(days) <= 4))
def test_of_one_value_as_many_pairs_as_can_be_and_of_these_the_nearest(bank: list[int], books: list[int]) -> None:
    pairs = pair_days(bank, books)
    assert (len(pairs), sum(abs(bank[a] - books[b]) for a, b in pairs)) == _try_all(bank, books)
    assert pairs == sorted(pairs)


@pytest.mark.parametrize(
    ("bank", "books", "pairs"),
    [
        ([5, 9], [1, 6], [(5, 1), (9, 6)]),  # case A of S20: the nearest first would lose a pair
        ([2, 3, 20], [1, 3, 5], [(2, 1), (3, 3)]),  # case B
        ([10], [5], [(10, 5)]),
        ([10], [4], []),
        ([3, 3], [3], [(3, 3)]),
    ],
)
def test_pairs_of_the_manual(bank: list[int], books: list[int], pairs: list[tuple[int, int]]) -> None:
    assert [(bank[a], books[b]) for a, b in pair_days(bank, books)] == pairs


def test_a_large_piece_is_swept_and_loses_no_pair() -> None:
    days = list(range(600))
    assert pair_days(days, [day + 1 for day in days]) == [(day, day) for day in days]


def test_ten_thousand_lines_and_titulos_of_few_values_find_each_other() -> None:
    lines = [_line(n % 360, 10_000 * (1 + n % 20), n) for n in range(10_000)]
    items = [_item(n, (n + 2) % 360, 10_000 * (1 + n % 20), n % 500) for n in range(10_000)]
    found = match_account(lines, items)
    assert len(found.pares) >= 9_900


def test_every_step_takes_what_is_still_free() -> None:
    lines = [_line(1, -700), _line(2, -500), _line(4, -300), _line(6, 9_000), _line(7, -250), _line(8, 1)]
    items = [
        _item(1, 1, -700),
        _item(2, 1, -200, 601),  # of one person and day: together -500
        _item(3, 1, -300, 601),
        _item(5, 2, 9_500, 501),  # a charge of 9500 less 500
        _item(6, 7, -100, 602),  # paid on one day: together -250
        _item(7, 7, -150, 603),
    ]
    found = match_account(lines, items, [ChargeItem(91, FIRST + timedelta(6), 9_000, (5,))])
    told = {
        (pair.linha.valor, pair.passo, tuple(one.titulo_id for one in pair.titulos)): pair.diferenca
        for pair in found.pares
    }
    assert told == {
        (-700, UM_A_UM, (1,)): 0,
        (-300, UM_A_UM, (3,)): 0,
        (9_000, LOTE, (5,)): -500,
        (-250, LOTE, (6, 7)): 0,
    }
    assert [one.valor for one in found.linhas] == [-500, 1]  # of its group one título is taken
    assert [one.titulo_id for one in found.titulos] == [2]


def test_titulos_of_one_person_and_day_are_one_line() -> None:
    found = match_account([_line(3, -500)], [_item(2, 1, -200, 601), _item(3, 1, -300, 601)])
    assert [one.titulo_id for one in found.pares[0].titulos] == [2, 3]


def test_a_day_of_charges_is_one_line_by_its_net_or_by_its_titulos() -> None:
    items = [_item(1, 0, 1_000), _item(2, 0, 2_000)]
    charges = [ChargeItem(90 + n, FIRST + timedelta(2), 900 * n, (n,)) for n in (1, 2)]
    (net,) = match_account([_line(3, 2_700)], items, charges).pares
    (gross,) = match_account([_line(3, 3_000)], items, charges).pares
    assert (net.diferenca, gross.diferenca) == (-300, 0)


def test_a_person_pairs_first_and_ignores() -> None:
    lines = [_line(1, -700), _line(2, -700), _line(3, 55), _line(4, 77)]
    items = [_item(1, 1, -700), _item(2, 9, -650)]
    typed = {lines[0].extrato_id: items[1], lines[3].extrato_id: items[1], lines[2].extrato_id: None}
    found = match_account(lines, items, por_mao=typed, ignoradas=[lines[2].extrato_id])
    assert [(one.linha.valor, one.passo, one.diferenca) for one in found.pares] == [
        (-700, MANUAL, -50),
        (-700, UM_A_UM, 0),
        (55, IGNORADA, 0),
    ]
    assert [line.valor for line in found.recusados] == [55, 77]
    assert [line.valor for line in found.linhas] == [77]


POOL = st.tuples(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([-300, -100, 100, 200, 300])), max_size=7),
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([-300, -100, 100, 200]), st.integers(1, 2)), max_size=7),
)


@settings(max_examples=150)
@given(POOL)
def test_every_line_and_titulo_stands_in_exactly_one_place(
    pool: tuple[list[tuple[int, int]], list[tuple[int, int, int]]],
) -> None:
    lines = [_line(day, valor, n) for n, (day, valor) in enumerate(pool[0])]
    items = [_item(n, *one) for n, one in enumerate(pool[1])]
    found = match_account(lines, items)
    assert found == match_account(lines[::-1], items[::-1])
    assert sorted(
        [*(one.linha.extrato_id for one in found.pares), *(one.extrato_id for one in found.linhas)]
    ) == sorted(line.extrato_id for line in lines)
    taken = [one.titulo_id for pair in found.pares for one in pair.titulos]
    assert sorted([*taken, *(one.titulo_id for one in found.titulos)]) == list(range(len(items)))
    for pair in found.pares:
        assert pair.diferenca == 0
        assert sum(one.valor for one in pair.titulos) == pair.linha.valor
        assert all(abs((one.dia - pair.linha.dia).days) <= DAYS_APART for one in pair.titulos)
    # None of one value and near is left on both sides.
    left = [(line, one) for line in found.linhas for one in found.titulos]
    assert not [1 for line, one in left if line.valor == one.valor and abs((line.dia - one.dia).days) <= DAYS_APART]
