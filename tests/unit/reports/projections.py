"""Holds sheets against their tables when every figure of every table is one of its own, so that each can be traced.

`mark_tables` gives each figure that a table keeps a value that no other has, before a sheet is printed from it; keys
and ids stay. `find_faults` then says of each printed figure whether it is the one of its row and column, once, or a sum
of such ones.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import pytest

from lastro.grid.cells import Cell, Kind
from lastro.grid.sections import Row, Section, Style
from lastro.grid.storage import Records, store_cells
from lastro.grid.tables import Column, Sum, Table
from lastro.grid.words import column_name
from lastro.reports.r19_explanation import ROWS_EXPLAINED
from lastro.reports.registry import REPORTS
from tests.unit.reports.readers import plain_value

WORDS: Final = frozenset({Kind.TEXT, Kind.DATE, Kind.MONTH})
FIGURES: Final = frozenset({Kind.MONEY, Kind.PERCENT, Kind.NUMBER, Kind.INTEGER})
KEYS: Final = {name: key for spec in REPORTS for name, key in spec.keys.items()}
ACROSS: Final = frozenset({"mes", "momento", "par", "coluna", "data_base"})
"""Columns of a table whose values a sheet may put side by side."""
TURNED: Final = frozenset({"saldos_por_conta", "fluxo_por_conta"})
"""Sections with an account a column: their rows are the columns of the table, in a block for each month or in none."""
CUT: Final = "comparativo_explicacao"
"""The section that prints the first rows of each pair alone, and the sums of all."""
DUE: Final = "previsto_realizado_vencimento"
"""The section that prints the last months alone."""
SUMS: Final = frozenset({Style.TOTAL, Style.SUBTOTAL})
TOTAL_OF_MONTHS: Final = "total"

Trace = tuple[str, str, int]
"""Table, key of the column, number of the row."""
Columns = frozenset[tuple[str, str]]
"""Section or table, key of a column or "*" for each."""


def is_marked(table: str, column: Column) -> bool:
    """Tell whether the figures of a column are exchanged: not those that name a row or lead somewhere."""
    return column.kind in FIGURES and column.key not in KEYS.get(table, ()) and not column.key.endswith("_id")


class Marks:
    """Figures that no two cells of tables share; a table that is made again of its own marks keeps them."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 - reproducible figures, no secret
        self.given: dict[Decimal | int, str] = {}

    def exchange(self, table: str, kind: Kind, value: Any) -> Any:
        """Exchange a figure for one of the same sign; a percentage for a whole one, which any kind can print."""
        if not value or self.given.get(value) == table:
            return value
        number = self._random.randrange(10**9, 10**12) * (1 if value > 0 else -1)
        mark = number if kind is Kind.INTEGER else Decimal(number).scaleb(-2 if kind is Kind.MONEY else 0)
        self.given[mark] = table
        return mark

    def mark(self, table: Table) -> Table:
        """Exchange the figures of a table, in place."""
        stored = [
            store_cells(column.kind, [self.exchange(table.name, column.kind, value) for value in kept.cells()])
            if is_marked(table.name, column)
            else kept
            for column, kept in zip(table.columns, table.data.values(), strict=True)
        ]
        object.__setattr__(table, "rows", Records(stored))
        object.__setattr__(table, "data", {one.key: kept for one, kept in zip(table.columns, stored, strict=True)})
        return table


@contextmanager
def mark_tables() -> Iterator[Marks]:
    """Mark every table that is made; nothing else can come between a table and the sheet printed from it."""
    marks, keep = Marks(), Table.__post_init__

    def keep_marked(table: Table) -> None:
        keep(table)
        marks.mark(table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "__post_init__", keep_marked)
        yield marks


@dataclass(frozen=True)
class Book:
    """Tables by name, and where each of their marks stands."""

    tables: Mapping[str, Table]
    traces: Mapping[Decimal | int, Trace]

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Book:
        traces = {
            value: (table.name, column.key, number)
            for table in tables
            for column in table.columns
            if is_marked(table.name, column)
            for number, value in enumerate(table.data[column.key].cells())
            if value
        }
        return cls({table.name: table for table in tables}, traces)

    def row_of(self, trace: Trace) -> dict[str, Any]:
        table = self.tables[trace[0]]
        return dict(zip((column.key for column in table.columns), table.rows[trace[2]], strict=True))

    def name_row(self, trace: Trace) -> tuple[Any, ...]:
        """What names the printed row of a figure: a row of the table, or all that a sheet puts side by side."""
        name, _, number = trace
        row = self.row_of(trace)
        if not ACROSS & row.keys():
            return (number,)
        words = [column.key for column in self.tables[name].columns if not is_marked(name, column)]
        return tuple(row[key] for key in KEYS.get(name, words) if key not in ACROSS)


class Printed:
    """The figures that a section prints, and the rows above each."""

    def __init__(self, section: Section) -> None:
        self.section = section
        self.rows = list(section.rows)
        self.figures = {
            (number, place): value
            for number, row in enumerate(self.rows)
            for place, (column, cell) in enumerate(zip(section.printed, row.cells, strict=False))
            if (cell.kind if isinstance(cell, Cell) else column.kind) in FIGURES
            and isinstance(value := plain_value(cell), Decimal | int)
            and value
        }

    def sums(self, number: int, place: int) -> Iterator[Decimal | int]:
        """Give what a figure may come to besides a figure of a table: of the rows above it, or of its own row's months.

        A total of moments is made of them; that of all months of each month once.
        """
        column = self.section.columns[place]
        period = column.period
        if (period is not None and period.momento == "total") or column.key == TOTAL_OF_MONTHS:
            months = [
                self.figures.get((number, other), 0)
                for other, one in enumerate(self.section.columns)
                if one.period is not None
                and one.period.momento != "total"
                and (period is None or one.period.month == period.month)
            ]
            yield from (sum(months), months[0], months[-1]) if months else ()
        for chosen in self._list_parts(number):
            values = [self.figures.get((other, place), 0) for other in chosen]
            if values:
                yield {Sum.FLOW: sum(values), Sum.OPENING: values[0], Sum.CLOSING: values[-1]}[column.sums]

    def _list_parts(self, number: int) -> Iterator[list[int]]:
        """Give the rows that one may add up: those above a total, or since the last one."""
        row = self.rows[number]
        above = [other for other in range(number) if self.rows[other].style is Style.NORMAL]
        if row.style in SUMS:
            yield above
            last = max((other for other in range(number) if self.rows[other].style is Style.SUBTOTAL), default=-1)
            yield [other for other in above if other > last]


def find_faults(sections: Sequence[Section], book: Book, *, untold: Columns, of_totals: Columns) -> list[str]:
    """List the printed figures that are not those of their tables, and the figures of tables that are not printed.

    Args:
        sections: the sections of one report or several, whole.
        book: the tables, marked.
        untold: columns of sections that no table has as figures, and columns of tables that no sheet prints whole.
        of_totals: columns of sections whose total no table has and which is no sum.
    """
    faults: list[str] = []
    shown: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    months: defaultdict[str, set[date]] = defaultdict(set)
    for section in sections:
        traced: dict[Trace, tuple[int, int]] = {}
        printed = Printed(section)
        for (number, place), value in printed.figures.items():
            column, row = section.columns[place], printed.rows[number]
            if _is_listed(untold, section.name, column.key) or _is_key(section, column):
                continue
            if value == _add_whole(section, row, column, book):
                continue
            where, trace = f"{section.name}, row {number}, {column.key}: {value}", book.traces.get(value)
            summed = value in set(printed.sums(number, place))
            if trace is None or trace in traced:
                if not summed and not (row.style is Style.TOTAL and _is_listed(of_totals, section.name, column.key)):
                    faults.append(f"{where} is no figure of a table" if trace is None else f"{where} comes twice")
                continue
            traced[trace] = (number, place)
            shown[trace[:2]].add(trace[2])
            if section.name in TURNED:
                right = _stands_turned(section, number, place, book.row_of(trace), trace)
            else:
                right = summed or _stands_right(column, row, trace, book)
            if not right:
                faults.append(f"{where} is {trace[1]} of {trace[0]}")
        faults += _find_mixed_rows(section, traced, book)
        periods = {column.period.month for column in section.columns if column.period is not None}
        named = {section.name} & book.tables.keys()
        named = named or {name for name in book.tables if section.name.startswith(f"{name}_")}
        for name in named | {name for name, _, _ in traced}:
            months[name] |= periods
            own = {column.key for column in book.tables[name].columns if is_marked(name, column)}
            if section.name in TURNED:
                own &= {_name_line(row) for row in section.rows}
            elif not periods or "mes" not in book.tables[name].data:
                own &= {column.key for column in section.printed}
            else:
                own &= {column_name(str(plain_value(row.cells[0]))) for row in section.rows}
            left = _list_left_out(section, book.tables[name])
            for key in own:
                shown[name, key] |= left
    missing = _find_missing(shown, months, book)
    return [*faults, *(text for column, text in missing if not _is_listed(untold, *column))]


def _is_listed(columns: Columns, name: str, key: str) -> bool:
    return (name, key) in columns or (name, "*") in columns


def _is_key(section: Section, column: Column) -> bool:
    """Tell whether a column names rows: its figures keep what they were."""
    return column.kind is Kind.INTEGER and (column.key.endswith("_id") or column.key in KEYS.get(section.name, ()))


def _name_line(row: Row) -> str:
    """Name the column of a table that a row of a turned section stands for."""
    return row.key or column_name(str(plain_value(row.cells[0])))


def _add_whole(section: Section, row: Row, column: Column, book: Book) -> Any:
    """Add up what the total of a list that is cut adds: every row of its pair."""
    if section.name != CUT or row.style is not Style.SUBTOTAL:
        return None
    table = book.tables[CUT]
    of_pair = zip(table.data["par_id"].cells(), table.data[column.key].cells(), strict=True)
    return sum(value for par, value in of_pair if row.key == f"r19-{par}")


def _list_left_out(section: Section, table: Table) -> set[int]:
    """List the rows a sheet leaves out: finished series, early months, all but the first of a pair, unlisted months."""
    if table.name == "recorrentes":
        return {place for place, lives in enumerate(table.data["viva"].cells()) if not lives}
    if section.name == table.name == DUE:
        begin = min(day for row in section.rows if isinstance(day := plain_value(row.cells[0]), date))
        return {place for place, month in enumerate(table.data["mes_de_vencimento"].cells()) if month < begin}
    if section.name == table.name == CUT:
        shown = {row.key for row in section.rows}
        rows = zip(table.data["par_id"].cells(), table.data["ordem"].cells(), strict=True)
        return {place for place, (par, order) in enumerate(rows) if f"r19-{par}" not in shown or order > ROWS_EXPLAINED}
    blocks = {row.key for row in section.rows if row.style is Style.SECTION}
    if section.name not in TURNED or not blocks:
        return set()
    moments = zip(table.data["mes"].cells(), table.data["momento"].cells(), strict=True)
    return {number for number, moment in enumerate(moments) if _name_block(section, *moment) not in blocks}


def _name_block(section: Section, mes: Any, momento: Any) -> str:
    return f"{section.name}-{mes:%Y_%m}_{momento}"


def _stands_turned(section: Section, number: int, place: int, kept: Mapping[str, Any], trace: Trace) -> bool:
    """Tell whether a figure stands in the line of its column, under its account, in the block of its month."""
    name, key, _ = trace
    account = kept.get("conta_id")
    own = kept.get("codigo", "total") if name == f"{section.name}_total" else f"conta_{account or 'sem'}"
    block = next((row.key for row in reversed(section.rows[:number]) if row.style is Style.SECTION), None)
    month = _name_block(section, kept["mes"], kept["momento"]) if "mes" in kept else None
    return (_name_line(section.rows[number]), section.columns[place].key, block) == (key, own, month)


def _stands_right(column: Column, row: Row, trace: Trace, book: Book) -> bool:
    """Tell whether a figure stands under its own heading: by key, by month and moment, or by what stands across."""
    _, key, _ = trace
    kept = book.row_of(trace)
    if column.period is not None:
        if (
            kept.get("mes") != column.period.month
            or kept.get("momento", column.period.momento) != column.period.momento
        ):
            return False
        part = column_name(column.header)
        return key == part or (column.key == column.period.key and key != "pago_recebido" and key != "em_aberto")
    own = [key, f"{kept.get('par')}_{key}", kept.get("coluna"), key.removeprefix("valor_")]
    if "data_base" in kept:
        own.append(f"em_{kept['data_base']:%Y_%m_%d}")
    return column.key in own or (row.style is Style.MEMO and key == "valor")


def _find_mixed_rows(section: Section, traced: Mapping[Trace, tuple[int, int]], book: Book) -> Iterator[str]:
    """Find printed rows with figures of several rows of a table, and rows with the words of another one."""
    if section.name in TURNED:
        return
    names: defaultdict[tuple[int, str], set[tuple[Any, ...]]] = defaultdict(set)
    keys: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for trace, (number, place) in traced.items():
        names[number, trace[0]].add(book.name_row(trace))
        if (period := section.columns[place].period) is not None:
            keys[number, section.columns[place].key.removeprefix(period.key)].add(trace[1])
        kept = book.row_of(trace)
        label = kept.get("memo") or (kept["linha"] if trace[0].endswith("_total") and "codigo" in kept else None)
        for column, cell in zip(section.printed, section.rows[number].cells, strict=False):
            told, said = kept.get(column.key, label if column is section.columns[0] else None), plain_value(cell)
            typed = isinstance(cell, Cell) and cell.kind is not Kind.TEXT
            named = column_name(str(said)) in (trace[1], kept.get("codigo"))
            if column.kind in WORDS and told and said and not typed and not named and not _says(said, told):
                yield f"{section.name}, row {number}, {column.key} is {cell}, and {told} in {trace[0]}"
    for (number, table), found in names.items():
        if len(found) > 1:
            yield f"{section.name}, row {number} has figures of several rows of {table}: {sorted(found, key=str)}"
    for (number, _), columns in keys.items():
        if len(columns) > 1:
            yield f"{section.name}, row {number} has figures of several columns: {sorted(columns)}"


def _says(shown: Any, told: Any) -> bool:
    """Tell whether a cell says what the table does: a sheet prints the last part of a path, "=" before a result."""
    if not isinstance(told, str):
        return bool(shown == told)
    return told.endswith(str(shown).removeprefix("= ")) or str(shown).startswith(told)


def _find_missing(
    shown: Mapping[tuple[str, str], set[int]], months: Mapping[str, set[date]], book: Book
) -> Iterator[tuple[tuple[str, str], str]]:
    """Find the figures of a printed column of a table that are not printed; a sheet may leave out whole months."""
    for (name, key), numbers in shown.items():
        data = book.tables[name].data
        of_rows = data["mes"].cells() if "mes" in data and months[name] else [None] * len(data[key])
        for number, (value, month) in enumerate(zip(data[key].cells(), of_rows, strict=True)):
            if value and number not in numbers and (month is None or month in months[name]):
                yield (name, key), f"{name}, row {number}, {key}: {value} is not printed"
