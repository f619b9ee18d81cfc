"""A random bank: an account's movements in files of ten habits, overlapping, in any order, are what they were (S20)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import pytest

from lastro.bank.anchors import derive_eve, list_balances
from lastro.bank.days import unite
from lastro.bank.statements import BankAccount, ReadStatement
from tests.bank import receive
from tests.bank_files import HABITS, Bank, Habit, Written, draw_bank, draw_files
from tests.marks import thinned

FIRST, DAYS = date(2026, 5, 4), 75
UNTIL = FIRST + timedelta(DAYS + 5)


def _draw(seed: int, habit: Habit) -> tuple[random.Random, Bank, list[Written]]:
    lots = random.Random(f"{seed} {habit.nome}")  # noqa: S311 - repeated, not secret
    bank = draw_bank(lots, habit, FIRST, DAYS)
    return lots, bank, draw_files(lots, bank, FIRST, DAYS)


def _read(files: list[Written]) -> list[ReadStatement]:
    return [each for place, file in enumerate(files) for each in receive(file.conteudo, f"{place}.ofx", file.visto)]


def _unite(read: list[ReadStatement]) -> BankAccount:
    (account,) = unite(read).values()
    return account


SEEDS = [(habit, range(40 * part, 40 * part + (1 if not part else 40))) for part in range(6) for habit in HABITS]


@pytest.mark.parametrize(("habit", "seeds"), thinned(SEEDS, SEEDS[: len(HABITS)]))
def test_lines_balances_and_opening_are_the_true_ones(habit: Habit, seeds: range) -> None:
    for seed in seeds:
        lots, bank, files = _draw(seed, habit)
        account = _unite(_read(files))
        assert Counter((line.dia, line.valor) for line in account.linhas) == Counter(
            (move.dia, move.valor) for move in bank.moves
        ), seed
        assert not account.retiradas, seed
        balances = list_balances(account)
        assert {each.dia for each in balances} >= {file.fim for file in files if bank.held(file.fim)}, seed
        assert all(each.valor == bank.held(each.dia) and not each.parcial for each in balances), seed
        opening = derive_eve(account, UNTIL)
        assert opening is not None, seed
        assert (opening.dia, opening.valor) == (FIRST - timedelta(1), bank.antes), seed
        assert opening.provada == (len(files) > 1), seed
        shuffled = lots.sample(files, len(files))
        again = _unite(_read([*shuffled, *shuffled[:1]]))
        assert [replace(line, arquivo="") for line in again.linhas] == [
            replace(line, arquivo="") for line in account.linhas
        ], seed
        assert (list_balances(again), derive_eve(again, UNTIL)) == (balances, opening), seed
