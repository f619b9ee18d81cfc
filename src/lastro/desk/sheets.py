"""Sheets with input cells, as values of the grid: columns, tables with a key, validations, colours.

Does not belong here: what a desk shows (`lastro.desk.book`, `history`), the hidden sheet (`lastro.desk.memory`) and how
a sheet becomes a file (`lastro.export`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from importlib import resources
from typing import Final

from lastro.desk.memory import DeskMemory
from lastro.desk.model import HEADER_ROW, Field, read_typed
from lastro.export.layout import column_letter
from lastro.export.looks import RED, RED_FILL
from lastro.export.native import GROWTH
from lastro.grid.cells import Formula, Kind, sum_money
from lastro.grid.forms import Form, Highlight, Input, Setup
from lastro.grid.sections import Section, SheetColumn, join_columns
from lastro.grid.tables import Column
from lastro.grid.workbook import Sheet, Stamp, Workbook

USUAL_WIDTH: Final = 14
_PAST, _DUE = "757575", "FFE082"
_WIDTHS: Final = {
    "pagar_em": 15,
    "adiar_para": 15,
    "conta": 16,
    "aprovado_por": 14,
    "extrato_em": 12,
    "saldo_no_extrato": 16,
    "titulo": 10,
    "ignorar": 9,
    "resultado": 18,
    "promessa": 12,
    "valor_prometido": 15,
    "proximo_contato": 12,
    "responsavel": 16,
}
_NOTE_WIDTH: Final = 40
_MONEY: Final = '"R$" #,##0.00'


def make_column(header: str, kind: Kind = Kind.TEXT, width: int = USUAL_WIDTH, asked: Input | None = None) -> Column:
    """Make a column; the header of a key column is the name of its id, and its key."""
    key = header if header.endswith("_id") else ""
    return Column(header, kind, width=width, key=key, input=asked)


def make_inputs(
    memory: DeskMemory,
    fields: Sequence[Field],
    day: date,
    typed: Sequence[Mapping[str, str]],
    choices: Mapping[str, tuple[str, ...]] | None = None,
) -> list[SheetColumn]:
    """Make the columns that a person types into.

    Args:
        memory: keeps the lists.
        fields: of the kind of row.
        day: D: no day before it can be typed unless the field is of past days, and what lies before it is coloured.
        typed: of each row what stands in its fields: field -> text.
        choices: field -> what its list offers.
    """
    today = f"DATE({day.year},{day.month},{day.day})"
    parts: list[SheetColumn] = []
    for each in fields:
        offered = (choices or {}).get(each.name, ())
        asked = Input(
            each.name,
            memory.refer(offered) if offered else "",
            "" if each.past else today,
            _choose_highlights(each.name, each.kind, today),
            each.signed,
        )
        column = make_column(each.header, each.kind, _WIDTHS.get(each.name, _NOTE_WIDTH), asked)
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
    """Make a table.

    Args:
        name: of the Excel table, without blanks.
        parts: its columns, each with its cells; what was typed stands as it was typed, whatever the column's kind.
        title: printed above it.
        keyed: header of its key column, one of `Desk.keys`; "" where nothing is typed.
    """
    anchors = ((keyed, keyed),) if keyed else ()
    return Section(name, *join_columns(parts), title=title, anchors=anchors, native=True)


def make_sheet(
    name: str, tables: Sequence[Section], colour: str = "EF6C00", lines: tuple[tuple[str, bool], ...] = ()
) -> Sheet:
    """Make a sheet: one table, or several below each other where nothing is typed, or lines in their place.

    Args:
        name: of the sheet.
        tables: its tables; the title of the first one is the sheet's.
        colour: of the tab.
        lines: text and whether it is a heading.
    """
    title = tables[0].title if tables else name
    return Sheet(name, title or name, tuple(tables), setup=Setup(Form.DESK, lines, {}, colour))


def make_book(memory: DeskMemory, stamp: Stamp, sheets: Sequence[Sheet], unread: Sequence[str]) -> Workbook:
    """Make the workbook of a desk; files that could not be read are told before all."""
    notice = f"ATENÇÃO: {len(unread)} arquivo(s) não lido(s); veja o fim de Histórico." if unread else ""
    memory.keep_rest(sheets, stamp, notice)
    return Workbook(memory.desk.name, stamp, (*sheets, memory.build()), personal=True, notice=notice)


def make_instructions(file: str, words: Mapping[str, str]) -> Sheet:
    """Make the sheet Instruções of a text file of this folder; lines that begin with # are headings.

    Args:
        file: its name.
        words: what stands in the place of what.
    """
    text = resources.files("lastro.desk").joinpath(file).read_text(encoding="utf-8")
    for mark, own in words.items():
        text = text.replace(mark, own)
    lines = tuple((line.removeprefix("# "), line.startswith("# ")) for line in text.splitlines() if line)
    return make_sheet("Instruções", (), "424242", lines)


def count_sum(table: Section, name: str, summed: str) -> dict[str, tuple[Formula, str]]:
    """Make the live sum of a column over the rows in which a day was typed, above the column of that day.

    Args:
        table: the table.
        name: of the field with the day.
        summed: key of the column that is added up.
    """
    (place,) = (at for at, column in enumerate(table.columns) if column.input and column.input.name == name)
    of, last = table.place(summed), HEADER_ROW + max(len(table.rows), 1) + GROWTH
    days, amounts = (f"{letter}{HEADER_ROW + 1}:{letter}{last}" for letter in map(column_letter, (place + 1, of + 1)))
    chosen = [row.cells[of] for row in table.rows if isinstance(row.cells[place], date)]
    total = sum_money(chosen)
    return {table.columns[place].key: (Formula(f'SUMIF({days},">0",{amounts})', total), _MONEY)}


def count_inputs(table: Section) -> dict[str, tuple[Formula, str]]:
    """Make the live counters of the day above the columns of a table (`Setup.counters`): contacted, promised, missing.

    A result is of its day, so that what was promised is that of the rows with one.
    """
    places = {column.input.name: place for place, column in enumerate(table.columns) if column.input}
    keys = {name: table.columns[place].key for name, place in places.items()}
    last = HEADER_ROW + max(len(table.rows), 1) + GROWTH
    areas = {
        name: f"{column_letter(place + 1)}{HEADER_ROW + 1}:{column_letter(place + 1)}{last}"
        for name, place in places.items()
    }
    called = [row for row in table.rows if row.cells[places["resultado"]] not in (None, "")]
    promised = sum_money(row.cells[places["valor_prometido"]] for row in called)
    count, contacted, promise = len(table.rows), len(called), f'{areas["resultado"]},"<>",{areas["valor_prometido"]}'
    return {
        keys["resultado"]: (Formula(f"COUNTA({areas['resultado']})", contacted), '0" contatados"'),
        keys["valor_prometido"]: (Formula(f"SUMIF({promise})", promised), _MONEY),
        keys["anotacao"]: (Formula(f"MAX(0,{count}-COUNTA({areas['resultado']}))", count - contacted), '0" faltam"'),
    }
