"""Sheets with input cells, as values of the grid: columns, tables with a key, validations, colours.

Belongs here: `take`, by which a desk's tables of `mart` and its sheets get their columns. Does not belong here: what a
desk shows (`tables`, `book`, `payments`), and how a sheet becomes a file (`lastro.export`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from importlib import resources
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeVar

from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Field, read_typed
from lastro.export.layout import column_letter
from lastro.export.looks import RED, RED_FILL
from lastro.export.native import GROWTH
from lastro.grid.cells import Formula, Kind, sum_money
from lastro.grid.forms import Form, Highlight, Input, Setup
from lastro.grid.prints import Print
from lastro.grid.sections import Section, join_columns
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Sheet, Stamp, Workbook
from lastro.money import decimal_or_none

MOST_ROWS: Final = 5_000
"""Rows of a list to work through: nobody does more in a day, and each is paid for cell by cell."""
_Row = TypeVar("_Row")
_MONEY: Final = '"R$" #,##0.00'
_OR_NULL: Final = frozenset({"grupo", "aviso", "proposta", "motivo"})
"""Texts that are null where there is none."""
Parts: TypeAlias = dict[str, tuple[Column, Sequence[Any]]]
"""Key -> a column and its cells, in the order of the table."""


def take(own: Print[None], rows: Sequence[_Row], *keys: str, **tells: str | Callable[[_Row], Any]) -> Parts:
    """Take columns of rows: what a row says under the key itself, or by another name, or what is told of it.

    Of an amount it says centavos, or None. A key column is headed by its key: by it a file that comes back is read.
    """
    parts = Parts()
    for key, tell in {**dict.fromkeys(keys, ""), **tells}.items():
        column = own.describe(key)
        if key in own.keys:
            column = replace(column, header=key, shown=True, width=10)
        cells = [*map(tell if callable(tell) else attrgetter(tell or key), rows)]
        if column.kind is Kind.MONEY:
            cells = [*map(decimal_or_none, cells)]
        parts[key] = column, [cell or None for cell in cells] if key in _OR_NULL else cells
    return parts


def take_first(rows: Sequence[_Row], typed: Sequence[bool], most: int) -> tuple[tuple[_Row, ...], tuple[_Row, ...]]:
    """Take the first rows of a list, and all that somebody typed into; those that are left out come second.

    >>> take_first("abcde", [False, False, False, True, False], 3), take_first("ab", [True, True], 1)
    ((('a', 'b', 'd'), ('c', 'e')), (('a', 'b'), ()))
    """
    places = sorted(range(len(rows)), key=lambda place: not typed[place])
    chosen = {*places[: max(most, sum(typed))]}
    shown, left = (tuple(row for at, row in enumerate(rows) if (at in chosen) is wanted) for wanted in (True, False))
    return shown, left


def put_before(place: str, more: Parts, parts: Parts) -> Parts:
    """Put columns before another one; those that stand elsewhere already move."""
    rest = {key: part for key, part in parts.items() if key not in more}
    keys = [*rest]
    return {key: {**rest, **more}[key] for key in (*keys[: keys.index(place)], *more, *keys[keys.index(place) :])}


def make_view(own: Print[None], parts: Parts) -> Table:
    """Make the table by which SQL has columns."""
    own.check(parts)
    return Table.of(own.name, [*parts.values()], own.comment)


def head_field(each: Field, asked: Input | None = None) -> Column:
    """Make the column of a field."""
    return Column(each.header, each.kind, width=each.width, key=each.name, input=asked)


def make_inputs(
    memory: DeskMemory,
    fields: Sequence[Field],
    day: date,
    typed: Sequence[Mapping[str, str]],
    choices: Mapping[str, tuple[str, ...]] | None = None,
) -> Parts:
    """Make the columns that a person types into; `typed` is of each row field -> text, `choices` field -> its list.

    No day before D can be typed unless the field is of past days, and what lies before it is coloured.
    """
    today, parts = f"DATE({day.year},{day.month},{day.day})", Parts()
    for each in fields:
        offered, highlights = (choices or {}).get(each.name, ()), _choose_highlights(each.name, each.kind, today)
        listed, least = memory.refer(offered) if offered else "", "" if each.past else today
        column = head_field(each, Input(each.name, listed, least, highlights, each.signed))
        parts[each.name] = column, [read_typed(values, each) if values else None for values in typed]
    return parts


def _choose_highlights(name: str, kind: Kind, today: str) -> tuple[Highlight, ...]:
    before, after, until = (f"AND(ISNUMBER({{cell}}),{{cell}}{sign}{today})" for sign in ("<", ">=", "<="))
    of_field = {
        "promessa": (Highlight(before, RED, RED_FILL), Highlight(after, "757575", "EEEEEE", bold=False)),
        **dict.fromkeys(("pagar_em", "adiar_para"), (Highlight(before, RED, RED_FILL),)),
        "proximo_contato": (Highlight(until, "000000", "FFE082"),),
    }
    not_understood = () if kind is Kind.TEXT else (Highlight("ISTEXT({cell})", RED, RED_FILL),)
    return (*not_understood, *of_field.get(name, ()))


def make_table(own: Print[None], parts: Parts, name: str = "", rest: tuple[str, ...] = ()) -> Section:
    """Make an Excel table, called as `own` unless it has a name of its own; where it is typed into it has a key column.

    What was typed stands as it was typed, whatever the column's kind. The title says where the rest of the rows is.
    """
    own.check({*parts, *own.about, *own.hidden})  # which are of what SQL has
    columns, rows = join_columns([*parts.values()])
    anchors = tuple((key, key) for key in own.keys)
    title = "; ".join((str(own.title), *rest))
    return Section(name or own.name, columns, rows, title=title, anchors=anchors, native=True)


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
    """Make the live sum of a column over the rows with a day in a field, above the column of that day; by key."""
    place, of = table.place(name), table.place(summed)
    total = sum_money(row.cells[of] for row in table.rows if isinstance(row.cells[place], date))
    return {name: (Formula(f'SUMIF({_area(table, place)},">0",{_area(table, of)})', total), _MONEY)}


def count_inputs(table: Section) -> dict[str, tuple[Formula, str]]:
    """Make the live counters of the day above the columns of a table (`Setup.counters`): contacted, promised, missing.

    A result is of its day: the promised sum counts the rows with a result.
    """
    result, promise = table.place("resultado"), table.place("valor_prometido")
    called = [row for row in table.rows if row.cells[result] not in (None, "")]
    results, count, contacted = _area(table, result), len(table.rows), len(called)
    promised = sum_money(row.cells[promise] for row in called)
    return {
        "resultado": (Formula(f"COUNTA({results})", contacted), '0" contatados"'),
        "valor_prometido": (Formula(f'SUMIF({results},"<>",{_area(table, promise)})', promised), _MONEY),
        "anotacao": (Formula(f"MAX(0,{count}-COUNTA({results}))", count - contacted), '0" faltam"'),
    }


def _area(table: Section, place: int) -> str:
    """Write the cells of a column below the header, and those into which the table may grow."""
    letter, last = column_letter(place + 1), HEADER_ROW + max(len(table.rows), 1) + GROWTH
    return f"{letter}{HEADER_ROW + 1}:{letter}{last}"
