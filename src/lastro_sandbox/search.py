"""Finds a text in all entries at once: their folded texts lie behind one another in blocks that are searched whole.

A block holds the entries of ``_BLOCK`` neighbouring ids as one text, a line for each. It is made when first searched
and thrown away when one of its entries changes, so a search never folds again what it folded before.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import defaultdict
from typing import Final

from lastro_sandbox.indexes import Sliced
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry, format_money

_BLOCK: Final = 256
_FIELD_END, _LINE_END = "\x00", "\x01"
_MARKS: Final = str.maketrans({_FIELD_END: " ", _LINE_END: " "})

Block = tuple[str, list[int], list[int]]
"""The lines behind one another, where each begins, and whose it is."""


def fold_text(text: str) -> str:
    """Return text for approximate comparison: no accents, lower case."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()


class TextIndex:
    """The searchable texts of one set of books: amount, description and note; names are looked up among the people."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._blocks: dict[int, Block] = {}
        self._ids: dict[int, set[int]] | None = None
        books.watchers.append(self._forget)

    def _forget(self, kind: str, id_: int) -> None:
        if kind != "lancamentos":
            return
        self._blocks.pop(id_ // _BLOCK, None)
        if self._ids is not None:
            ids = self._ids.setdefault(id_ // _BLOCK, set())
            (ids.add if id_ in self._books.lancamentos else ids.discard)(id_)

    def clear(self) -> None:
        """Forget everything, after the books became others."""
        self._blocks.clear()
        self._ids = None

    def find(self, text: str) -> Sliced[set[int]]:
        """Return the ids of the entries that match, in slices of one block each."""
        needle = fold_text(text)
        found: set[int] = set()
        if _FIELD_END in needle or _LINE_END in needle:
            return found
        # an amount is found with a comma too, but a text with a comma is not found where a point stands
        amount = needle.replace(",", ".") if "," in needle and "." not in needle else None
        if self._ids is None:
            self._ids = defaultdict(set)
            for id_ in self._books.lancamentos:
                self._ids[id_ // _BLOCK].add(id_)
        for number in list(self._ids):
            lines, starts, ids = self._blocks.get(number) or self._make(number, sorted(self._ids[number]))
            place = lines.find(needle)
            while place >= 0:
                line = bisect_right(starts, place) - 1
                found.add(ids[line])
                place = lines.find(needle, starts[line + 1]) if line + 1 < len(starts) else -1
            if amount is not None:
                found.update(_find_amounts(lines, starts, ids, amount))
            yield
        for person in self._books.pessoas.values():
            if needle in fold_text(person.nome) or needle in fold_text(person.nome_fantasia or ""):
                found.update(id_ for _, id_ in self._books.indexes.rows_of("caixa", "pessoa_id", person.id))
        return found

    def _make(self, number: int, ids: list[int]) -> Block:
        entries = self._books.lancamentos
        starts, lines, place = [], [], 0
        for id_ in ids:
            starts.append(place)
            lines.append(_write_line(entries[id_]))
            place += len(lines[-1])
        block = ("".join(lines), starts, ids)
        self._blocks[number] = block
        return block


def _write_line(entry: Entry) -> str:
    texts = (format_money(abs(entry.valor)), fold_text(entry.descricao), fold_text(entry.observacao))
    return _FIELD_END.join(text.translate(_MARKS) for text in texts) + _LINE_END


def _find_amounts(lines: str, starts: list[int], ids: list[int], amount: str) -> list[int]:
    """Return whose amounts, the first field of each line, hold a text."""
    ends = (lines.find(_FIELD_END, start) for start in starts)
    return [id_ for start, end, id_ in zip(starts, ends, ids, strict=True) if amount in lines[start:end]]
