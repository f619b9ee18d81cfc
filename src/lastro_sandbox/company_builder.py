"""What the invention of a company works with: its calendar, its dice, and the entries made so far.

Days are counted as integers from the first day of the books and turned to text by one table, amounts are centavos, and
entries are made once and loaded in bulk, so that 200,000 of them take seconds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date

from lastro_sandbox.model import Entry

YEARS_BACK = 3
MONTHS_AHEAD = 6
MARGIN = 200  # days before the books begin that a competence date may reach
MAIN, SECOND, SAVINGS = 101, 102, 103


def first_of_month(day: date, months: int) -> date:
    """Return the first day of the month some months later."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


@dataclass(slots=True)
class Builder:
    """The state of one invention. Days are indexes into ``iso``; ``today`` is the index of the company's day."""

    rng: random.Random
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

    def pick(self, weighted: tuple[tuple[int, int], ...]) -> int:
        """Pick a category by weight."""
        return self.rng.choices([c for c, _ in weighted], [w for _, w in weighted])[0]

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
        rng = self.rng
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
            modified=f"{self.iso[touched]} {8 + rng.randrange(10):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}",
        )
        self.entries.append(entry)
        return entry
