"""How reports are printed: their tables become sections and charts as declared (`lastro.grid.prints.Print`, `Plot`).

Belongs here: what many reports print alike. Does not belong here: figures, and words that one run alone calls for (the
functions of the reports).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from lastro.grid.cells import Kind, Value
from lastro.grid.charts import Chart, ChartKind, Series, keep_drawable, shorten
from lastro.grid.pivot import build_total, list_dicts, show_row, show_totals
from lastro.grid.prints import GivenT, Print, Remark, Remembering, RowLook
from lastro.grid.sections import Mark, Row, Section
from lastro.grid.storage import Array, Records
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Table
from lastro.grid.words import month_label
from lastro.money import format_brl

if TYPE_CHECKING:
    from lastro.reports.view import View

Tables: TypeAlias = Mapping[str, Table]
"""The tables of a report by name."""
OwnT = TypeVar("OwnT", bound=Remembering)
"""What is printed: the view of a run, a closing, a group."""
Tabled: TypeAlias = "Print[GivenT] | Callable[[GivenT], Table | None]"
Charted: TypeAlias = "Plot | Callable[[Any, Tables], Chart | None]"
STACKS: Final = (ChartKind.STACKED, ChartKind.STACKED_BAR)
Sectioned: TypeAlias = "Print[GivenT] | Callable[[GivenT, Tables], Section | None]"


@dataclass(frozen=True)
class Plot:
    """A chart of a table.

    Attributes:
        title: above it.
        kind: what it draws.
        table: whose rows it draws.
        labels: the column of the categories.
        series: column -> name in the legend and colour; of a stack, a part without any figure is left out.
        lines: those that are lines over the columns of the others.
        after: the section below which it stands; when not given, that of the table.
        rows: tells which rows, as keys and cells, are drawn.
        most: how many of them.
        value_kind: decides the format of the axis.
        unsigned: amounts are drawn without their sign.
    """

    title: str
    kind: ChartKind
    table: str
    labels: str
    series: Mapping[str, tuple[str, str]]
    lines: tuple[str, ...] = ()
    after: str = ""
    rows: Callable[[View, Mapping[str, Any]], bool] = lambda *_: True
    most: int | None = None
    value_kind: Kind = Kind.MONEY
    unsigned: bool = False


def print_report(
    tables: Sequence[Tabled[View]], sections: Sequence[Sectioned[View]], charts: Sequence[Charted], view: View
) -> tuple[tuple[Section, ...], tuple[Table, ...], tuple[Chart, ...]]:
    """Make what a report declares (`ReportSpec`): its sections, its tables, and its charts that show anything."""
    found = ((own, own(view) if callable(own) else build_table(own, view)) for own in tables)
    kept = [(own, table) for own, table in found if table is not None]
    made = {table.name: table for _, table in kept}
    drawn = [draw(one, made, view) if isinstance(one, Plot) else one(view, made) for one in charts]
    return print_sections(sections, kept, view), tuple(made.values()), keep_drawable(*filter(None, drawn))


def print_sections(
    sections: Iterable[Sectioned[OwnT]], kept: Sequence[tuple[Tabled[OwnT], Table]], given: OwnT
) -> tuple[Section, ...]:
    """Print what is declared; `kept` are the tables that are made already, a table of none is the sheet's alone."""
    made = {table.name: table for _, table in kept}
    printed = [one(given, made) if callable(one) else _print(one, kept, made, given) for one in sections]
    return tuple(filter(None, printed))


def _print(own: Print[OwnT], kept: Sequence[tuple[Tabled[OwnT], Table]], made: Tables, given: OwnT) -> Section | None:
    table = next((table for one, table in kept if one is own), None) or build_table(own, given)
    section = None if table is None else print_section(own, {**made, own.name: table}, given)
    return None if section is not None and own.optional and not section.rows else section


def build_table(own: Print[OwnT], given: OwnT) -> Table | None:
    """Make a declared table; None where this run does not have it."""
    columns = None if own.make is None else given.once(own.make)
    return None if columns is None else own.table(columns, given)


def print_section(own: Print[OwnT], tables: Tables, given: OwnT) -> Section:
    """Print a table as it is declared; of its columns those that only SQL has stand last, and unused ones nowhere."""
    table = _choose_columns(own, tables[own.name])
    return Section(
        own.name,
        table.columns,
        _list_rows(own, table, tables, given),
        title=(own.title(given) if callable(own.title) else own.title) or None,
        detail=own.detail,
        notes=tuple(_write_notes(own, tables, given)),
        empty=own.empty,
    )


def _choose_columns(own: Print[OwnT], table: Table) -> Table:
    kept = (column for column in table.columns if column.shown or column.key not in own.used)
    columns = tuple(sorted(kept, key=lambda column: not column.shown))
    if columns == table.columns:
        return table
    return replace(table, columns=columns, rows=Records([table.data[column.key] for column in columns]))


def _list_rows(own: Print[OwnT], table: Table, tables: Tables, given: OwnT) -> Sequence[Row]:
    if own.rows is not None:
        return own.rows(given, table)
    marked = [(mark, tell(given, table)) for mark, tell in own.marks.items()]
    links, leads = own.links(given), own.lead(given, table)
    if own.detail:
        return TableRows(table, label=leads, links=links, marks=marked[0] if marked else None)
    rows = TableRows(table, label=leads, links=links)
    looks = repeat(RowLook(), len(rows)) if own.looks is None else own.looks(given, table)
    listed = [
        show_row(table.columns, row.cells, **look._asdict(), link=row.link, marks=_take_marks(marked, number))
        for number, (row, look) in enumerate(zip(rows, looks, strict=True))
        if look is not None
    ]
    return (*listed, *_list_below(own, table, listed, tables, given))


def _take_marks(marked: Sequence[tuple[Mark, Array]], number: int) -> frozenset[Mark]:
    return frozenset(mark for mark, has in marked if has[number])


def _list_below(own: Print[OwnT], table: Table, listed: Sequence[Row], tables: Tables, given: OwnT) -> Iterator[Row]:
    if own.total and listed:
        yield build_total(table.columns, listed, "Total", only=own.total)
    if callable(own.below):
        yield from own.below(given, table)
    elif own.below:
        totals = tables[own.below]
        for (code, *_), row in zip(totals.rows, show_totals(totals, table.columns), strict=True):
            yield replace(row, key=f"{own.name}-{code}")


def _write_notes(own: Print[OwnT], tables: Tables, given: OwnT) -> Iterator[str]:
    for note in own.notes:
        if isinstance(note, str):
            yield note
        elif isinstance(note, Remark):
            yield from _write_note(note, tables[note.table])
        else:
            yield from note(given)


def _write_note(note: Remark, table: Table) -> Iterator[str]:
    for row in list_dicts(table):
        amount = row[note.column]
        if row["codigo"] == note.row and isinstance(amount, Decimal) and amount:
            yield note.text.format(format_brl(amount))


def draw(own: Plot, tables: Tables, view: View) -> Chart:
    """Draw a chart as it is declared."""
    rows = [row for row in list_dicts(tables[own.table]) if own.rows(view, row)][: own.most]
    kind = tables[own.table].data[own.labels].kind
    series = []
    for key, (name, colour) in own.series.items():
        values = [row[key] for row in rows]
        if own.unsigned:
            values = [abs(value) if isinstance(value, Decimal) else value for value in values]
        if any(values) or own.kind not in STACKS:
            series.append(Series(name, tuple(values), colour, line=key in own.lines))  # type: ignore[arg-type]
    labels = tuple(_label(row[own.labels], kind) for row in rows)
    return Chart(own.title, own.kind, labels, tuple(series), value_kind=own.value_kind, after=own.after or own.table)


def _label(value: Value, kind: Kind) -> str | date:
    if isinstance(value, date):
        return month_label(value) if kind is Kind.MONTH else value
    return shorten(str(value))


def mark_above(key: str, days: int) -> Callable[[View, Table], Array]:
    """Mark the rows that have more than some days in a column."""
    return lambda _, table: np.ma.filled(table.data[key].data > days, fill_value=False)


def mark_days(key: str) -> Mapping[Mark, Callable[[View, Table], Array]]:
    """Mark the rows whose day is today, or no business day."""

    def is_today(view: View, table: Table) -> Array:
        return np.array([day == view.position.data_base for day in table.data[key].cells()], dtype=bool)

    def is_closed(view: View, table: Table) -> Array:
        is_open = view.position.calendario.is_business_day
        return np.array([not is_open(day) for day in table.data[key].cells()], dtype=bool)

    return {Mark.TODAY: is_today, Mark.NON_BUSINESS_DAY: is_closed}
