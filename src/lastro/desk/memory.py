"""The hidden sheet of a file of a desk: the file's id, headers, lists, and what was written into each row.

By it the next run tells what a person changed (`lastro.desk.reader`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from lastro.desk.model import MEMORY_SHEET, OF_COLUMNS, OF_LOOSE, OF_ROW, Desk, Field, list_texts, write_text
from lastro.export.layout import column_letter
from lastro.grid.cells import Kind
from lastro.grid.forms import Form, Setup
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet

LISTS: Final = 30
"""Column of the first list on the hidden sheet."""


class DeskMemory:
    """What the hidden sheet holds: the mark and id, headers of each sheet, lists, and each row as it was written.

    Args:
        desk: whose file it is.
        arquivo_id: tells this file from every other one, and its copies from those of another run.
    """

    def __init__(self, desk: Desk, arquivo_id: str) -> None:
        self._desk = desk
        self._rows: list[tuple[str, ...]] = [(desk.mark, arquivo_id)]
        self._lists: dict[tuple[str, ...], str] = {}
        self._kept: set[tuple[str, str]] = set()

    def keep(self, sheet: str, table: Section, labels: Sequence[str] = ()) -> None:
        """Keep the headers of a table, and of each row its key and what stands in its cells, or all its texts.

        Args:
            sheet: name of the sheet.
            table: on it; its key column is its anchor, where it has one.
            labels: of each row of a table with a key what it is called, for rows that come back without their key.
        """
        self._rows.append((OF_COLUMNS, sheet, *(column.header for column in table.columns)))
        if not table.anchors:
            self._rows += [(OF_LOOSE, sheet, *list_texts(row.cells)) for row in table.rows]
            return
        ((keyed, _),) = table.anchors
        key, kind = table.place(keyed), self._desk.keys[keyed]
        places = {column.input.name: place for place, column in enumerate(table.columns) if column.input}
        for row, label in zip(table.rows, labels, strict=True):
            kept = (kind.name, str(row.cells[key]))
            if kept not in self._kept:  # a título may stand on two sheets, with the same notes on both
                self._kept.add(kept)
                texts = [
                    _write_cell(row.cells[places[each.name]], each) if each.name in places else ""
                    for each in kind.fields
                ]
                self._rows.append((OF_ROW, *kept, label, *texts))

    def refer(self, choices: tuple[str, ...]) -> str:
        """Keep a list and return the formula of its cells."""
        if choices not in self._lists:
            column = column_letter(LISTS + len(self._lists))
            self._lists[choices] = f"{MEMORY_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    def build(self) -> Sheet:
        """Build the sheet: texts alone, the lists beside the rows."""
        blank = (None,) * (LISTS - 1)
        beside = zip_longest(*self._lists)
        rows = [
            Row(((*own, *blank)[: LISTS - 1]) + (listed or (None,) * len(self._lists)))
            for own, listed in zip_longest(self._rows, beside, fillvalue=())
        ]
        columns = tuple(Column("", Kind.TEXT, key=f"c{index}") for index in range(LISTS - 1 + len(self._lists)))
        table = Section("memoria", columns, rows)
        return Sheet(MEMORY_SHEET, "", (table,), setup=Setup(Form.MEMORY))


def _write_cell(value: object, each: Field) -> str:
    """Write what a row begins with, as it is read back; a text that was not understood stays that text."""
    return write_text(value, Kind.TEXT if isinstance(value, str) else each.kind, signed=each.signed)
