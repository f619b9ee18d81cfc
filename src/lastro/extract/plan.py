"""Facts that a reading notices in passing, and the requests that follow from them; pure.

Here: which accounts the rows point at, which transfers lack their other leg, which composites V15 should look at, which
rows should be overdue. Not here: what any of it means for a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lastro.api.paging import parse_id

MAX_COMPOSITES: Final = 5
"""V15 looks at no more composites in a run (S2)."""
MAX_TRANSFERS: Final = 20
"""Look-ups of transfers whose other leg is in no listing, per run."""


@dataclass(frozen=True)
class Composto:
    """A composite entry as the listing shows it (S2).

    Attributes:
        key: `lancamento_composto_id` of the row, else of an item, else minus the row's id.
        row_id: lowest id among its rows: the one to ask in detail.
        components: rows plus nested items that are no row of it.
        modified: latest of its rows, as sent; empty when none is.
    """

    key: int
    row_id: int
    components: int
    modified: str


@dataclass
class Noticed:
    """What the rows of one account's listing point at; filled row by row.

    Attributes:
        contas: account ids that rows name.
        pairs: row id -> id of the other leg of its transfer.
        today: ISO date.
        overdue: `PA`/`RA` -> number of open rows due before `today` with that sign, transfers apart.
    """

    today: str
    contas: set[int] = field(default_factory=set)
    pairs: dict[int, int] = field(default_factory=dict)
    overdue: dict[str, int] = field(default_factory=lambda: {"PA": 0, "RA": 0})
    _conta: Any = None
    _compostos: dict[int, tuple[set[int], set[int], str]] = field(default_factory=dict)

    def note(self, row: Any, row_id: int) -> None:
        """Notice one row with a readable id."""
        get = row.get
        conta = get("conta_id")
        if conta != self._conta:  # hardly ever: a listing is one account's
            self._conta = conta
            if (conta_id := parse_id(conta)) is not None:
                self.contas.add(conta_id)
        pair = get("lancamento_transferencia_id")
        if pair and (pair := parse_id(pair)) is not None:
            self.pairs[row_id] = pair
        if get("lancamento_composto_id") or get("itens_adicionais"):
            self._note_composite(row, row_id)
        if not pair and not get("data_pagamento"):
            due = get("data_vencimento")
            if isinstance(due, str) and due[:10] < self.today:
                valor = str(get("valor"))
                if valor.strip("-+0."):  # zero-value rows are overdue for nobody (S16)
                    self.overdue["PA" if valor.startswith("-") else "RA"] += 1

    def _note_composite(self, row: Any, row_id: int) -> None:
        items = row.get("itens_adicionais")
        items = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        keys = (parse_id(part.get("lancamento_composto_id")) for part in (row, *items))
        key = next((key for key in keys if key is not None), -row_id)
        modified = row.get("modified")
        modified = modified if isinstance(modified, str) else ""
        rows, nested, latest = self._compostos.get(key, (set(), set(), ""))
        rows.add(row_id)
        nested.update(item_id for item in items if (item_id := parse_id(item.get("id"))) is not None)
        self._compostos[key] = (rows, nested, max(latest, modified))

    def list_compostos(self) -> list[Composto]:
        """List the composites seen, by key."""
        return [
            Composto(key, min(rows), len(rows | nested), modified)
            for key, (rows, nested, modified) in sorted(self._compostos.items())
        ]


def choose_composites(compostos: Iterable[Composto]) -> tuple[int, ...]:
    """Choose whose detail V15 compares: those with a single component first, then the most recently modified.

    A composite with one component is the sign of a listing that leaves items out, so these come first when the budget
    does not reach for all.

    Returns:
        Entry ids for `GET /v1/lancamentos/:id`, at most `MAX_COMPOSITES`.

    >>> choose_composites([Composto(1, 11, 3, "2026-03-02"), Composto(2, 12, 2, "2026-03-09"), Composto(3, 13, 1, "")])
    (13, 12, 11)
    """
    newest_first = sorted(compostos, key=lambda composto: composto.row_id)
    newest_first.sort(key=lambda composto: composto.modified, reverse=True)
    newest_first.sort(key=lambda composto: composto.components > 1)
    return tuple(composto.row_id for composto in newest_first[:MAX_COMPOSITES])


def find_missing_pairs(pairs: Mapping[int, int], read: set[int]) -> list[int]:
    """Find the transfers whose other leg is in no listing read; returns the ids of the legs we have, ascending."""
    return sorted(row_id for row_id, pair in pairs.items() if pair not in read)
