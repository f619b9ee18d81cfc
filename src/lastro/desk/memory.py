"""The hidden sheet of a file of a desk: the file's id, headers, lists, and what was written into each row.

By it the next run tells what a person changed (`lastro.desk.reader`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from lastro.desk.model import (
    MEMORY_SHEET,
    OF_COLUMNS,
    OF_LIVE,
    OF_LOOSE,
    OF_ROW,
    Desk,
    Field,
    Key,
    Shown,
    describe_row,
    list_texts,
    write_text,
)
from lastro.export.heading import PERSONAL_NOTE, stamp_text
from lastro.export.layout import column_letter
from lastro.grid.cells import Cell, Formula, Kind, Value, inner_value
from lastro.grid.forms import Form, Setup
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet, Stamp
from lastro.money import parse_centavos

LISTS: Final = 60
"""Column of the first list on the hidden sheet."""


class DeskMemory:
    """What the hidden sheet holds: the mark and id, headers of each sheet, lists, and each row as it was written.

    Args:
        desk: whose file it is.
        arquivo_id: tells this file from every other one, and its copies from those of another run.

    Attributes:
        desk: whose file it is.
        arquivo_id: of the file.
        shown: what each row with a key is called, and its amount.
    """

    def __init__(self, desk: Desk, arquivo_id: str) -> None:
        self.desk, self.arquivo_id = desk, arquivo_id
        self._rows: list[tuple[str, ...]] = [(desk.mark, arquivo_id)]
        self._lists: dict[tuple[Value, ...], str] = {}
        self.shown: dict[Key, Shown] = {}

    def keep(self, sheet: str, table: Section) -> None:
        """Keep the headers of a table with a key column, and of each row its key, name and what stands in its cells.

        Args:
            sheet: name of the sheet.
            table: on it; its key column is its anchor.
        """
        self._rows.append((OF_COLUMNS, sheet, *(column.header for column in table.columns)))
        headers = [column.header.casefold() for column in table.columns]
        ((keyed, _),) = table.anchors
        key, kind = table.place(keyed), self.desk.keys[keyed]
        places = {column.input.name: place for place, column in enumerate(table.columns) if column.input}
        for row in table.rows:
            chave = int(str(inner_value(row.cells[key])))
            label, amount = describe_row(kind, headers, row.cells) or ("", "")
            if (kind.name, chave) not in self.shown:  # a título may stand on two sheets, with the same notes on both
                self.shown[kind.name, chave] = Shown(label, parse_centavos(amount) if amount else None)
                texts = [
                    _write_cell(row.cells[places[each.name]], each) if each.name in places else ""
                    for each in kind.fields
                ]
                self._rows.append((OF_ROW, kind.name, str(chave), label, *texts))

    def keep_rest(self, sheets: Sequence[Sheet], stamp: Stamp, notice: str) -> None:
        """Keep what stands above the tables, and every text of the sheets without keys."""
        about = (f"{stamp_text(stamp)} · {PERSONAL_NOTE}", notice)
        self._rows.append((OF_LOOSE, "", *about, *(f"{sheet.title} — {stamp.empresa}" for sheet in sheets)))
        for sheet in sheets:
            if any(section.anchors for section in sheet.sections):
                continue
            for section in sheet.sections:
                headers = tuple(column.header for column in section.columns)
                if any(isinstance(cell, Formula) for row in section.rows[:1] for cell in row.cells):
                    self._rows.append((OF_LIVE, sheet.name))
                lines = [
                    (section.title or "",),
                    (section.empty,),
                    headers,
                    *(list_texts(map(_leave_live_out, row.cells)) for row in section.rows),
                ]
                self._rows += [(OF_LOOSE, sheet.name, *texts) for texts in lines]
            self._rows += [(OF_LOOSE, sheet.name, text) for text, _ in sheet.setup.lines]

    def refer(self, choices: tuple[Value, ...]) -> str:
        """Keep a list and return the formula of its cells."""
        if choices not in self._lists:
            column = column_letter(LISTS + len(self._lists))
            self._lists[choices] = f"{MEMORY_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    def build(self) -> Sheet:
        """Build the sheet: the rows as texts, the lists beside them."""
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


def _leave_live_out(cell: Value | Cell) -> Value | Cell:
    return None if isinstance(cell, Formula) else cell
