"""The hidden sheet of a `cobranca`: the file's id, headers, lists, and what was written into each row.

By it the next run tells what a person changed (`lastro.desk.reader`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lastro.export import cells
from lastro.export.layout import column_letter
from lastro.grid.desk import (
    BLANK,
    KEYS,
    MARK,
    MEMORY_SHEET,
    OF_COLUMNS,
    OF_LOOSE,
    OF_ROW,
    DeskBook,
    DeskTable,
    list_texts,
    write_text,
)

LISTS: Final = 30
"""Column of the first list on the hidden sheet."""


class DeskMemory:
    """What the hidden sheet holds: the mark and id, headers of each sheet, lists, and each row as it was written."""

    def __init__(self, book: DeskBook) -> None:
        self._rows: list[tuple[str, ...]] = [(MARK, book.arquivo_id)]
        self._lists: dict[tuple[str, ...], str] = {}
        self._kept: set[tuple[str, str]] = set()

    def keep(self, sheet: str, table: DeskTable) -> None:
        """Keep the headers of a table, and of each row its key and what stands in its cells, or all its texts."""
        headers = [column.header for column in table.columns]
        self._rows.append((OF_COLUMNS, sheet, *headers))
        if not table.keyed:
            self._rows += [(OF_LOOSE, sheet, *list_texts(row)) for row in table.rows]
            return
        key = headers.index(table.keyed)
        inputs = {column.field: (place, column.kind) for place, column in enumerate(table.columns) if column.field}
        for row, label in zip(table.rows, table.labels, strict=True):
            kept = (KEYS[table.keyed], str(row[key]))
            if kept not in self._kept:  # a título may stand on two sheets, with the same notes on both
                self._kept.add(kept)
                texts = [write_text(row[inputs[name][0]], inputs[name][1]) if name in inputs else "" for name in BLANK]
                self._rows.append((OF_ROW, *kept, label, *texts))

    def refer(self, choices: tuple[str, ...]) -> str:
        """Keep a list and return the formula of its cells."""
        if choices not in self._lists:
            column = column_letter(LISTS + len(self._lists))
            self._lists[choices] = f"{MEMORY_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    @property
    def area(self) -> str:
        """What the sheet uses."""
        width = LISTS - 1 + len(self._lists) if self._lists else max(map(len, self._rows))
        return f"A1:{column_letter(width)}{self._length}"

    @property
    def _length(self) -> int:
        return max(map(len, (self._rows, *self._lists)))

    def chunks(self) -> Iterator[str]:
        """Write the rows, texts alone; the lists stand beside them."""
        lists = [(column_letter(place), choices) for place, choices in enumerate(self._lists, LISTS)]
        letters = [column_letter(place) for place in range(1, LISTS)]
        rows = []
        for number in range(1, self._length + 1):
            texts = list(zip(letters, self._rows[number - 1], strict=False)) if number <= len(self._rows) else []
            texts += [(letter, choices[number - 1]) for letter, choices in lists if number <= len(choices)]
            written = [cells.text_cell(f"{letter}{number}", 0, text) for letter, text in texts if text]
            rows.append(f'<row r="{number}">{"".join(written)}</row>')
        yield "".join(rows)
