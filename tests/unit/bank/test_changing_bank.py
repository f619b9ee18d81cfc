"""Banks that change what they say of a day: lines are the true ones, or it is told; never wrong under green (S20)."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise

import pytest

from lastro.bank.anchors import derive_eve, join_blocks, list_balances
from lastro.bank.days import unite
from lastro.bank.statements import BankAccount
from tests.changing_bank import HABITS, Drawn, draw
from tests.marks import thinned

SEEDS = 20
EXACT = {
    "moved": 0.9, "moved_noid": 0.8, "holds": 0.65, "scheduled": 0.95, "new": 0.9, "new_wide": 0.9, "cut": 0.2,
}  # fmt: skip
"""Share of accounts that must have every line, of habits that leave something open; of all others every one."""
DRAWN = [(habit, server, ledger) for habit in HABITS for server in (True, False) for ledger in (True, False)]


def _has_broken(account: BankAccount) -> bool:
    """Tell whether V24 speaks: two balances between which the lines do not add up."""
    whole = [each for each in list_balances(account) if not each.parcial]
    blocks = join_blocks(account, whole, date.max)
    return any(
        one.valor + account.sum_between(one.dia, two.dia) != two.valor
        and any(block.inicio <= one.dia and two.dia <= block.fim for block in blocks)
        for one, two in pairwise(whole)
    )


def _is_right(account: BankAccount, drawn: Drawn) -> bool:
    opening = derive_eve(account, date(2027, 1, 1))
    return Counter((line.dia, line.valor) for line in account.linhas) == drawn.lines and (
        opening is None or opening.valor == drawn.held(opening.dia)
    )


@pytest.mark.parametrize(("habit", "server", "ledger"), thinned(DRAWN, DRAWN[::7]))
def test_lines_are_the_banks_or_it_is_told(habit: str, server: bool, ledger: bool) -> None:
    exact = 0
    for seed in range(SEEDS):
        drawn = draw(habit, server=server, ledger=ledger, seed=seed)
        account = unite(drawn.read)[101]
        exact += Counter((line.dia, line.valor) for line in account.linhas) == drawn.lines
        if ledger:  # without a balance of the bank nothing is ever reconciled
            assert _is_right(account, drawn) or account.divergencias or _has_broken(account), seed
    assert exact >= SEEDS * EXACT.get(habit, 1)
