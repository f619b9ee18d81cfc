"""Turns answers into bytes of JSON; the rows of lists are kept as bytes until they change.

``Rows`` is what an operation answers instead of rendered entries: whoever only sends it joins the kept bytes, whoever
bends it (a fault) gets the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.responses import Response

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry
from lastro_sandbox.operations import Service
from lastro_sandbox.render import render_entry

ROWS_KEPT: Final = 250_000
"""How many rows are kept as bytes, about 900 bytes each; a company with more renders the others each time."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Entries to be listed as full records."""

    entries: Sequence[Entry]


class RowCache:
    """The rendered rows of one company in one dialect, by id; what changes is dropped at once."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._kept: dict[int, bytes] = {}
        books.watchers.append(self._forget)

    def _forget(self, kind: str, id_: int) -> None:
        """Drop what shows a record: its row, those of its composite, those of its charge."""
        kept, books = self._kept, self._books
        if kind == "lancamentos":
            kept.pop(id_, None)
            entry = books.lancamentos.get(id_)
            if entry is not None and entry.lancamento_composto_id is not None:
                for member in books.members(entry):
                    kept.pop(member.id, None)
        elif kind == "cobrancas" and id_ in books.cobrancas:
            for entry_id in books.cobrancas[id_].lancamento_ids:
                kept.pop(entry_id, None)

    def clear(self) -> None:
        """Forget everything, after the books became others."""
        self._kept.clear()

    def encode(self, service: Service, entries: Sequence[Entry]) -> bytes:
        """Return the JSON array of some entries."""
        kept, rows = self._kept, []
        for entry in entries:
            row = kept.get(entry.id)
            if row is None:
                row = orjson.dumps(render_entry(service, entry))
                if len(kept) < ROWS_KEPT:
                    kept[entry.id] = bytes(bytearray(row))  # a copy of its own length: the encoder's has much to spare
            rows.append(row)
        return b"[" + b",".join(rows) + b"]"


def answer_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in JSON."""
    return Response(orjson.dumps(value), status, headers, "application/json")
