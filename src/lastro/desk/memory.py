"""The hidden sheet of a file of a desk, written and read back: its id, headers, lists, and what each row began with.

By it the next run tells what a person changed (`lastro.desk.reader`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from lastro.desk.model import (
    Desk,
    Field,
    Key,
    Shown,
    describe_row,
    digest_texts,
    list_texts,
    place_inputs,
    write_text,
)
from lastro.entrada.typed_values import read_typed_id
from lastro.entrada.workbook import Cells
from lastro.export.heading import PERSONAL_NOTE, stamp_text
from lastro.export.layout import column_letter
from lastro.grid.cells import Formula, Kind, Value, inner_value
from lastro.grid.forms import Form, Setup
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet, Stamp
from lastro.money import parse_centavos
from lastro.secret_key import digest

MEMORY_SHEET: Final = "_lastro"
_OF_COLUMNS, _OF_ROW, _OF_LOOSE, _OF_LIVE, _OF_WHITE = "colunas", "linha", "solta", "viva", "brancas"
"""What its rows begin with, after the one with the desk's mark and the file's id: a sheet and its headers; a key and
what was written into its cells; a sheet without keys and the texts of one of its rows; such a sheet with formulas; a
sheet, a number of headers and those of its white cells, and the digests of what stands there, row after row."""
_A_CELL: Final = 32_000
"""Characters of digests in a cell, whole digests all."""
Complete = Callable[[Mapping[Key, Shown]], dict[Key, Shown]]
LISTS: Final = 60
"""Column of the first list on the hidden sheet."""


class DeskMemory:
    """What the hidden sheet holds: the mark and id, headers of each sheet, lists, and each row as it was written.

    Args:
        desk: whose file it is.
        place: company, desk and day, with which its id begins.
        key: the secret with which a digest of all that the file holds ends it; b"" for a file that nobody reads back.
        complete: adds to what rows show what is remembered of them.

    Attributes:
        arquivo_id: tells this file from every other one, and its copies from those of another run, once it is built.
        shown: what each row with a key is called, and its amount.
    """

    def __init__(self, desk: Desk, place: str, key: bytes = b"", complete: Complete = dict) -> None:
        self.desk, self.arquivo_id = desk, place
        self._key, self._complete = key, complete
        self._rows: list[Sequence[str]] = []
        self._typed: dict[Key, list[str]] = {}
        self._lists: dict[tuple[Value, ...], str] = {}
        self.shown: dict[Key, Shown] = {}

    def keep(self, sheet: str, table: Section) -> None:
        """Keep the headers of a table anchored by its key, and of each row key, name and what stands in its cells."""
        self._rows.append((_OF_COLUMNS, sheet, *(column.header for column in table.columns)))
        headers = [column.header.casefold() for column in table.columns]
        ((keyed, _),) = table.anchors
        key, kind = table.place(keyed), self.desk.keys[keyed]
        places = place_inputs(table.columns)
        moved = {place for row in table.rows for place, cell in enumerate(row.cells) if isinstance(cell, Formula)}
        white = [place for place in range(len(headers)) if place not in {*moved, *places.values()}]
        told = "".join(digest_texts(row.cells[place] for place in white) for row in table.rows)
        chunks = (told[at : at + _A_CELL] for at in range(0, len(told), _A_CELL))
        self._rows.append((_OF_WHITE, sheet, str(len(white)), *(headers[place] for place in white), *chunks))
        for row in table.rows:
            chave = int(str(inner_value(row.cells[key])))
            label, amount = describe_row(kind, headers, row.cells)
            # A título may stand on two sheets, with the same notes on both; a field that one lacks the other may have.
            known = self._typed.get((kind.name, chave))
            if known is None:
                self.shown[kind.name, chave] = Shown(label, parse_centavos(amount) if amount else None)
                known = self._typed[kind.name, chave] = [_OF_ROW, kind.name, str(chave), label, *kind.blank.values()]
                self._rows.append(known)
            first = len(known) - len(kind.fields)
            for place, each in enumerate(kind.fields, first):
                if each.name in places:
                    known[place] = _write_cell(row.cells[places[each.name]], each)

    def keep_all(self, sheets: Sequence[Sheet], stamp: Stamp, notice: str) -> None:
        """Keep what stands above the tables, the tables with a key, and every text of the sheets without one."""
        about = (f"{stamp_text(stamp)} · {PERSONAL_NOTE}", notice)
        self._rows.append((_OF_LOOSE, "", *about, *(f"{sheet.title} — {stamp.empresa}" for sheet in sheets)))
        for sheet in sheets:
            for section in sheet.sections:
                if section.anchors:
                    self.keep(sheet.name, section)
                    continue
                headers = tuple(column.header for column in section.columns)
                if any(isinstance(cell, Formula) for row in section.rows[:1] for cell in row.cells):
                    self._rows.append((_OF_LIVE, sheet.name))
                rows = (list_texts(cell for cell in row.cells if not isinstance(cell, Formula)) for row in section.rows)
                lines = ((section.title or "",), (section.empty,), headers, *rows)
                self._rows += [(_OF_LOOSE, sheet.name, *texts) for texts in lines]
            self._rows += [(_OF_LOOSE, sheet.name, text) for text, _ in sheet.setup.lines]

    def refer(self, choices: tuple[Value, ...]) -> str:
        """Keep a list and return the formula of its cells."""
        if choices not in self._lists:
            column = column_letter(LISTS + len(self._lists))
            self._lists[choices] = f"{MEMORY_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    def build(self) -> Sheet:
        """Give the file its id and build the sheet: the rows as texts, the lists beside them."""
        self.shown = self._complete(self.shown)
        if self._key:
            held = ([*map(list, self._rows)], sorted(self.shown.items()))
            self.arquivo_id += f"/{digest(self._key, repr(held))}"
        blank = (None,) * (LISTS - 1)
        beside = zip_longest(*self._lists)
        rows = [
            Row(((*own, *blank)[: LISTS - 1]) + (listed or (None,) * len(self._lists)))
            for own, listed in zip_longest([(self.desk.mark, self.arquivo_id), *self._rows], beside, fillvalue=())
        ]
        columns = tuple(Column("", Kind.TEXT, key=f"c{index}") for index in range(LISTS - 1 + len(self._lists)))
        table = Section("memoria", columns, rows)
        return Sheet(MEMORY_SHEET, "", (table,), setup=Setup(Form.MEMORY))


def _write_cell(value: object, each: Field) -> str:
    """Write what a row begins with, as it is read back; a text that was not understood stays that text."""
    return write_text(value, Kind.TEXT if isinstance(value, str) else each.kind, signed=each.signed)


@dataclass
class Memory:
    """What the hidden sheet of a file says that came back.

    Attributes:
        arquivo_id: of the file that lastro wrote.
        written: key -> field -> the text that lastro wrote there.
        labels: what the rows with a key are called.
        headers: sheet with a key column -> its headers, folded.
        live: sheets without one in whose rows formulas stand.
        white: sheet -> the headers of its white cells, folded, and the digest of each row of those.
        loose: sheet without keys -> the texts of each row that lastro wrote.
        heads: texts above the tables; none in a file of an older lastro, of which only `loose` tables are held against.
    """

    arquivo_id: str = ""
    written: dict[Key, dict[str, str]] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    headers: dict[str, set[str]] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)
    white: dict[str, tuple[Sequence[str], frozenset[str]]] = field(default_factory=dict)
    loose: dict[str, list[Counter[str]]] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)


def read_memory(desk: Desk, rows: Sequence[Cells]) -> Memory:
    """Read the hidden sheet; a row that is not as lastro wrote it says nothing, nor does the sheet of another desk."""
    memory = Memory()
    ours = any(row[:1] == (desk.mark,) for row in rows)
    for row in rows if ours else ():
        texts = ["" if value is None else str(value) for value in row[: LISTS - 1]]
        kind, first, second, *more = [*texts, "", "", ""]
        if kind == desk.mark:
            memory.arquivo_id = first
        elif kind == _OF_COLUMNS:
            headers = {text.casefold() for text in (second, *more) if text}
            if headers & desk.keys.keys():
                memory.headers[first] = headers
            else:
                memory.loose.setdefault(first, [])
        elif kind == _OF_LOOSE and not first:
            memory.heads.update((second, *more))
        elif kind == _OF_LIVE:
            memory.live.add(first)
        elif kind == _OF_WHITE and second.isdecimal():
            told = "".join(more[int(second) :])
            digests = frozenset(told[at : at + 8] for at in range(0, len(told), 8))
            memory.white[first] = more[: int(second)], digests
        elif kind == _OF_LOOSE:
            memory.loose.setdefault(first, []).append(Counter(text for text in (second, *more) if text))
        elif kind == _OF_ROW and (chave := read_typed_id(second)) is not None:
            blank = desk.kind(first).blank
            memory.written[(first, chave)] = dict(zip(blank, [*more[1:], *[""] * len(blank)], strict=False))
            memory.labels.add(more[0])
    return memory
