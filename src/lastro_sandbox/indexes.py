"""Sorted indexes of the rows, which make every page equally cheap."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal

from lastro_sandbox.model import Entry

Regime = Literal["caixa", "competencia"]
IndexField = Literal["conta_id", "pessoa_id"]
Key = tuple[str, int]


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
        self._built: dict[tuple[Regime, IndexField], dict[int, list[Key]]] = {}

    def clear(self) -> None:
        """Forget everything; what is asked for next is built anew."""
        self._built.clear()

    def rows_of(self, regime: Regime, field: IndexField, value: int) -> list[Key]:
        """Return the rows of one account or person. Never change the returned list."""
        return self._find(regime, field).get(value, [])

    def rows_of_all_accounts(self, regime: Regime) -> list[Key]:
        """Return the rows of all accounts."""
        keys = [key for keys in self._find(regime, "conta_id").values() for key in keys]
        keys.sort()  # sorted runs behind one another: this only merges them
        return keys

    def _find(self, regime: Regime, field: IndexField) -> dict[int, list[Key]]:
        """Return one index, built if it is not there."""
        built = self._built.get((regime, field))
        if built is None:
            built = self._built[regime, field] = defaultdict(list)
            for entry in self._entries.values():
                value = getattr(entry, field)
                if value is not None and (entry.item_de is None or self._items_are_rows):
                    built[value].append((regime_date(entry, regime), entry.id))
            for keys in built.values():
                keys.sort()
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
        for built, value, key in self._positions(entry):
            insort(built.setdefault(value, []), key)

    def leave(self, entry: Entry) -> None:
        """Take an entry from where it stands."""
        for built, value, key in self._positions(entry):
            keys = built[value]
            del keys[bisect_left(keys, key)]
