"""What the invention of a company works with: its calendar, its dice, and the entries made so far.

Days are counted as integers from the first day of the books and turned to text by one table, amounts are centavos, and
entries are made once and loaded in bulk, so that 200,000 of them take seconds.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from lastro_sandbox.model import Entry

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

T = TypeVar("T")

Weighted = tuple[tuple[int, int], ...]
"""Values and how often each is to come."""

YEARS_BACK = 3
MONTHS_AHEAD = 6
MARGIN = 200  # days before the books begin that a competence date may reach
MAIN, SECOND, SAVINGS = 101, 102, 103


def first_of_month(day: date, months: int) -> date:
    """Return the first day of the month some months later."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


class Dice(random.Random):
    """The library's dice without its checks of arguments: the same throws for the same seed, in half of the time."""

    def below(self, end: int) -> int:
        """Return a number from 0 to below ``end``, which is at least 1."""
        bits = end.bit_length()
        number = self.getrandbits(bits)
        while number >= end:
            number = self.getrandbits(bits)
        return number

    def choice(self, seq: SupportsLenAndGetItem[T]) -> T:
        """Return one of some things."""
        return seq[self.below(len(seq))]


@cache
def _sum_weights(weighted: Weighted) -> tuple[tuple[int, ...], list[int]]:
    """Return the values of a table of weights, and the sums of the weights up to each."""
    return tuple(value for value, _ in weighted), list(accumulate(weight for _, weight in weighted))


@dataclass(slots=True)
class Builder:
    """The state of one invention. Days are indexes into ``iso``; ``today`` is the index of the company's day."""

    rng: Dice
    total: int
    first: int
    today: int
    last: int
    iso: list[str]
    origin: date
    customers: list[int] = field(default_factory=list)
    suppliers: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    charged: list[Entry] = field(default_factory=list)
    group: int = 7000
    composite: int = 50000
    fees: bool = False

    @property
    def room(self) -> int:
        """How many entries are still wanted, one kept free for the fee of each charge where fees are booked."""
        return self.total - len(self.entries) - (len(self.charged) if self.fees else 0)

    def month_day(self, month_index: int, day: int) -> int:
        """Return the day index of a day (at most 28) of the n-th month of the books."""
        return (first_of_month(self.origin, month_index) - self.origin).days + MARGIN + day - 1

    def pick(self, weighted: Weighted) -> int:
        """Pick a category by weight, as ``random.choices`` does."""
        values, sums = _sum_weights(weighted)
        return values[bisect_right(sums, self.rng.random() * sums[-1])]

    def amount(self, low: int, high: int) -> int:
        """Return centavos between bounds, small ones more often."""
        return low + int((high - low) * self.rng.random() ** 3)

    def pay_day(self, due: int, *, receivable: bool) -> int | None:
        """Return when an item due on a day was paid: None while open; now and then forgotten, so overdue."""
        rng = self.rng
        if due > self.today:
            if rng.random() < 0.01:
                return self.today - rng.randrange(5)  # paid ahead of time
            return None
        forgotten = 0.08 if self.today - due < 150 else 0.004
        if rng.random() < forgotten * (1.6 if receivable else 0.6):
            return None
        delay = rng.choice((0, 0, 0, 0, 1, 1, 2, 3, 7, 18, -2, -1)) if receivable else rng.choice((0, 0, 0, 0, 0, 1, 3))
        paid = due + delay
        return paid if self.first <= paid <= self.today else max(due, self.first)

    def put(self, account: int, category: int | None, person: int | None, amount: int, text: str, due: int,
            paid: int | None, competence: int | None) -> Entry:  # fmt: skip
        """Make one entry and keep it."""
        below = self.rng.below
        # Yesterday at the latest: what is stamped with today looks to a careful reader as if it changed while he reads.
        touched = min(paid if paid is not None else due, self.today - 1)
        entry = Entry(
            id=len(self.entries) + 1001,
            conta_id=account,
            categoria_id=category,
            valor=amount,
            descricao=text,
            data_vencimento=self.iso[due],
            data_pagamento=None if paid is None else self.iso[paid],
            data_competencia=None if competence is None else self.iso[competence],
            pessoa_id=person,
            modified=f"{self.iso[touched]} {8 + below(10):02d}:{below(60):02d}:{below(60):02d}",
        )
        self.entries.append(entry)
        return entry
