"""Sorted indexes of the rows, which make every page equally cheap, and the slicing of long work.

Long work is written as a generator that yields after each slice of a few hundred steps. Whoever can't wait drains it;
the service lets other requests through between two slices (``app``).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeVar

from lastro_sandbox.model import Entry

Regime = Literal["caixa", "competencia"]
IndexField = Literal["conta_id", "pessoa_id"]
Key = tuple[str, int]
T = TypeVar("T")
Sliced = Generator[None, None, T]
"""Work that yields between two slices and returns its result."""

SLICE: Final = 250
"""How many entries are looked at in one slice: some tenths of a millisecond."""
PATIENCE: Final = 2
"""How often sliced work begins again because of a change before it goes on without a pause."""


def drain(work: Sliced[T]) -> T:
    """Do sliced work without a pause and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def slices(things: Sequence[T]) -> Iterator[Sequence[T]]:
    """Cut a sequence into pieces of one slice each."""
    for start in range(0, len(things), SLICE):
        yield things[start : start + SLICE]


def regime_date(entry: Entry, regime: Regime) -> str:
    """Return the date by which an entry is listed.

    ``caixa``: the payment date of a settled entry, the due date of an open one. ``competencia``: the competence date;
    an entry without one stands at its due date.
    """
    if regime == "caixa":
        return entry.data_pagamento or entry.data_vencimento
    return entry.data_competencia or entry.data_vencimento


class Indexes:
    """For each regime and owner (account or person) the rows as sorted (date, id) pairs, built when first asked for.

    Args:
        entries: the entries by id; whoever changes one calls ``leave`` before and ``enter`` after it.
        items_are_rows: whether items of composites are rows of their own.
    """

    def __init__(self, entries: Mapping[int, Entry], *, items_are_rows: bool) -> None:
        self._entries = entries
        self._items_are_rows = items_are_rows
        self._changes = 0
        self._built: dict[tuple[Regime, IndexField], dict[int, list[Key]]] = {}

    def clear(self) -> None:
        """Forget everything; what is asked for next is built anew."""
        self._built.clear()
        self._changes += 1

    def rows_of(self, regime: Regime, field: IndexField, value: int) -> list[Key]:
        """Return the rows of one account or person. Never change the returned list."""
        return drain(self.prepare(regime, field)).get(value, [])

    def rows_of_all_accounts(self, regime: Regime) -> list[Key]:
        """Return the rows of all accounts."""
        keys = [key for keys in drain(self.prepare(regime, "conta_id")).values() for key in keys]
        keys.sort()  # sorted runs behind one another: this only merges them
        return keys

    def prepare(self, regime: Regime, field: IndexField) -> Sliced[dict[int, list[Key]]]:
        """Build one index in slices, if it is not there; a change meanwhile makes it begin again."""
        attempt = 0
        while (built := self._built.get((regime, field))) is None:
            attempt += 1
            begun, found = self._changes, defaultdict[int, list[Key]](list)
            for part in slices(list(self._entries.values())):
                for entry in part:
                    value = getattr(entry, field)
                    if value is not None and (entry.item_de is None or self._items_are_rows):
                        found[value].append((regime_date(entry, regime), entry.id))
                if attempt <= PATIENCE:
                    yield
                if begun != self._changes:
                    break
            else:
                for keys in found.values():
                    keys.sort()
                self._built[(regime, field)] = found
        return built

    def _positions(self, entry: Entry) -> Iterator[tuple[dict[int, list[Key]], int, Key]]:
        if entry.item_de is not None and not self._items_are_rows:
            return
        for (regime, field), built in self._built.items():
            value = getattr(entry, field)
            if value is not None:
                yield built, value, (regime_date(entry, regime), entry.id)

    def enter(self, entry: Entry) -> None:
        """Put an entry where it now belongs."""
        self._changes += 1
        for built, value, key in self._positions(entry):
            insort(built.setdefault(value, []), key)

    def leave(self, entry: Entry) -> None:
        """Take an entry from where it stands."""
        self._changes += 1
        for built, value, key in self._positions(entry):
            keys = built[value]
            del keys[bisect_left(keys, key)]
