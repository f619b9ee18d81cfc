"""Sheets with input cells, as values of the grid: columns, tables with a key, validations, colours.

Does not belong here: what a desk shows (`book`, `payments`), and how a sheet becomes a file (`lastro.export`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from importlib import resources
from typing import Any, Final, TypeVar

from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Field, place_inputs, read_typed
from lastro.export.layout import column_letter
from lastro.export.looks import RED, RED_FILL
from lastro.export.native import GROWTH
from lastro.grid.cells import Formula, Kind, sum_money
from lastro.grid.forms import Form, Highlight, Input, Setup
from lastro.grid.sections import Section, SheetColumn, join_columns
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import decimal_or_none

_PAST, _DUE = "757575", "FFE082"
_MONEY: Final = '"R$" #,##0.00'
T = TypeVar("T")


def make_column(header: str, kind: Kind = Kind.TEXT, width: int = 14, asked: Input | None = None) -> Column:
    """Make a column; the header of a key column is the name of its id, and its key."""
    key = header if header.endswith("_id") else ""
    return Column(header, kind, width=width, key=key, input=asked)


def take_columns(rows: Sequence[T], *asked: tuple[str, Kind, int, Callable[[T], Any]]) -> list[SheetColumn]:
    """Make columns of rows: header, kind, width, and what a row says there; of MONEY centavos, or None."""
    return [
        (
            make_column(header, kind, width),
            [decimal_or_none(tell(row)) if kind is Kind.MONEY else tell(row) for row in rows],
        )
        for header, kind, width, tell in asked
    ]


def make_inputs(
    memory: DeskMemory,
    fields: Sequence[Field],
    day: date,
    typed: Sequence[Mapping[str, str]],
    choices: Mapping[str, tuple[str, ...]] | None = None,
) -> list[SheetColumn]:
    """Make the columns that a person types into; `typed` is of each row field -> text, `choices` field -> its list.

    No day before D can be typed unless the field is of past days, and what lies before it is coloured.
    """
    today, parts = f"DATE({day.year},{day.month},{day.day})", list[SheetColumn]()
    for each in fields:
        offered, highlights = (choices or {}).get(each.name, ()), _choose_highlights(each.name, each.kind, today)
        listed, least = memory.refer(offered) if offered else "", "" if each.past else today
        asked = Input(each.name, listed, least, highlights, each.signed)
        column = make_column(each.header, each.kind, each.width, asked)
        parts.append((column, [read_typed(values, each) for values in typed]))
    return parts


def _choose_highlights(name: str, kind: Kind, today: str) -> tuple[Highlight, ...]:
    highlights = []
    if kind is not Kind.TEXT:
        highlights.append(Highlight("ISTEXT({cell})", RED, RED_FILL))  # not understood
    if name == "promessa":
        highlights.append(Highlight(f"AND(ISNUMBER({{cell}}),{{cell}}<{today})", RED, RED_FILL))
        highlights.append(Highlight(f"AND(ISNUMBER({{cell}}),{{cell}}>={today})", _PAST, "EEEEEE", bold=False))
    elif name in ("pagar_em", "adiar_para"):
        highlights.append(Highlight(f"AND(ISNUMBER({{cell}}),{{cell}}<{today})", RED, RED_FILL))
    elif name == "proximo_contato":
        highlights.append(Highlight(f"AND(ISNUMBER({{cell}}),{{cell}}<={today})", "000000", _DUE))
    return tuple(highlights)


def make_table(name: str, parts: Sequence[SheetColumn], title: str, keyed: str = "") -> Section:
    """Make an Excel table; `keyed` is the header of its key column, one of `Desk.keys`, "" where nothing is typed.

    What was typed stands as it was typed, whatever the column's kind.
    """
    anchors = ((keyed, keyed),) if keyed else ()
    return Section(name, *join_columns(parts), title=title, anchors=anchors, native=True)


def make_sheet(
    name: str,
    tables: Sequence[Section],
    colour: str = "EF6C00",
    lines: tuple[tuple[str, bool], ...] = (),
    counters: Mapping[str, tuple[Formula, str]] | None = None,
) -> Sheet:
    """Make a sheet: one table, or several below each other where nothing is typed, or lines in their place.

    The title of the first table is the sheet's; a line is a text and whether it is a heading.
    """
    title = tables[0].title if tables else name
    return Sheet(name, title or name, tuple(tables), setup=Setup(Form.DESK, lines, counters or {}, colour))


def make_book(memory: DeskMemory, stamp: Stamp, sheets: Sequence[Sheet], unread: Sequence[str]) -> Workbook:
    """Make the workbook of a desk with its hidden sheet; files that could not be read are told before all."""
    notice = f"ATENÇÃO: {len(unread)} arquivo(s) não lido(s); veja o fim de Histórico." if unread else ""
    memory.keep_all(sheets, stamp, notice)
    return Workbook(memory.desk.name, stamp, (*sheets, memory.build()), personal=True, notice=notice)


def make_instructions(file: str, words: Mapping[str, str]) -> Sheet:
    """Make the sheet Instruções of a text file of this folder, words replaced; lines that begin with # are headings."""
    text = resources.files("lastro.desk").joinpath(file).read_text(encoding="utf-8")
    for mark, own in words.items():
        text = text.replace(mark, own)
    lines = tuple((line.removeprefix("# "), line.startswith("# ")) for line in text.splitlines() if line)
    return make_sheet("Instruções", (), "424242", lines)


def count_sum(table: Section, name: str, summed: str) -> dict[str, tuple[Formula, str]]:
    """Make the live sum of a column, by key, over the rows with a day in a field, above the column of that day."""
    place, of = place_inputs(table.columns)[name], table.place(summed)
    total = sum_money(row.cells[of] for row in table.rows if isinstance(row.cells[place], date))
    formula = f'SUMIF({_area(table, place)},">0",{_area(table, of)})'
    return {table.columns[place].key: (Formula(formula, total), _MONEY)}


def count_inputs(table: Section) -> dict[str, tuple[Formula, str]]:
    """Make the live counters of the day above the columns of a table (`Setup.counters`): contacted, promised, missing.

    A result is of its day, so that what was promised is that of the rows with one.
    """
    places = place_inputs(table.columns)
    result, promise, note = (places[name] for name in ("resultado", "valor_prometido", "anotacao"))
    called = [row for row in table.rows if row.cells[result] not in (None, "")]
    results, count, contacted = _area(table, result), len(table.rows), len(called)
    promised = Formula(
        f'SUMIF({results},"<>",{_area(table, promise)})', sum_money(row.cells[promise] for row in called)
    )
    return {
        table.columns[result].key: (Formula(f"COUNTA({results})", contacted), '0" contatados"'),
        table.columns[promise].key: (promised, _MONEY),
        table.columns[note].key: (Formula(f"MAX(0,{count}-COUNTA({results}))", count - contacted), '0" faltam"'),
    }


def _area(table: Section, place: int) -> str:
    """Write the cells of a column below the header, and those into which the table may grow."""
    letter, last = column_letter(place + 1), HEADER_ROW + max(len(table.rows), 1) + GROWTH
    return f"{letter}{HEADER_ROW + 1}:{letter}{last}"
