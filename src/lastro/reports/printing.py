"""How reports are printed: their tables become sections and charts as declared (`lastro.grid.prints.Print`, `Plot`).

Belongs here: what many reports print alike. Does not belong here: figures, and words that one run alone calls for (the
functions of the reports).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pandas as pd

from lastro.grid.cells import Kind, Value
from lastro.grid.charts import Chart, ChartKind, Series, keep_drawable, shorten
from lastro.grid.pivot import build_total, list_dicts, show_row, show_totals
from lastro.grid.prints import Print, Remark
from lastro.grid.sections import Mark, Row, Section
from lastro.grid.storage import Array, Records, store_cells
from lastro.grid.table_rows import Leads, TableRows
from lastro.grid.tables import Table
from lastro.grid.words import month_label
from lastro.money import format_brl
from lastro.reports.shared.drill_down import find_entries

if TYPE_CHECKING:
    from lastro.reports.view import View

Tables: TypeAlias = Mapping[str, Table]
"""The tables of a report by name."""
Tabled: TypeAlias = "Print[View] | Callable[[View], Table | None]"
Charted: TypeAlias = "Plot | Callable[[View, Tables], Chart | None]"
STACKS: Final = (ChartKind.STACKED, ChartKind.STACKED_BAR)
Sectioned: TypeAlias = "Print[View] | Callable[[View, Tables], Section | None]"


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
    tables: Sequence[Tabled], sections: Sequence[Sectioned], charts: Sequence[Charted], view: View
) -> tuple[tuple[Section, ...], tuple[Table, ...], tuple[Chart, ...]]:
    """Make what a report declares (`ReportSpec`): its sections, its tables, and its charts that show anything."""
    found = ((own, own(view) if callable(own) else build_table(own, view)) for own in tables)
    kept = [(own, table) for own, table in found if table is not None]
    made = {table.name: table for _, table in kept}
    printed = [one(view, made) if callable(one) else _print(one, kept, made, view) for one in sections]
    drawn = [draw(one, made, view) if isinstance(one, Plot) else one(view, made) for one in charts]
    return tuple(filter(None, printed)), tuple(made.values()), keep_drawable(*filter(None, drawn))


def _print(own: Print[View], kept: Sequence[tuple[Tabled, Table]], made: Tables, view: View) -> Section | None:
    """Print a table; one that is none of the report's is the sheet's alone."""
    table = next((table for one, table in kept if one is own), None) or build_table(own, view)
    section = None if table is None else print_section(own, {**made, own.name: table}, view)
    return None if section is not None and own.optional and not section.rows else section


def build_table(own: Print[View], view: View) -> Table | None:
    """Make a declared table; None where this run does not have it."""
    columns = None if own.make is None else view.once(own.make)
    return None if columns is None else own.table(columns, view)


def print_section(own: Print[View], tables: Tables, view: View) -> Section:
    """Print a table as it is declared; of its columns those that only SQL has stand last, and unused ones nowhere."""
    table = _choose_columns(own, tables[own.name])
    return Section(
        own.name,
        table.columns,
        _list_rows(own, table, tables, view),
        title=(own.title(view) if callable(own.title) else own.title) or None,
        detail=own.detail,
        notes=tuple(_write_notes(own, tables, view)),
        anchors=own.anchors,
        empty=own.empty,
    )


def _choose_columns(own: Print[View], table: Table) -> Table:
    kept = (column for column in table.columns if column.shown or column.key not in own.used)
    columns = tuple(sorted(kept, key=lambda column: not column.shown))
    if columns == table.columns:
        return table
    return replace(table, columns=columns, rows=Records([table.data[column.key] for column in columns]))


def _list_rows(own: Print[View], table: Table, tables: Tables, view: View) -> Sequence[Row]:
    if own.rows is not None:
        return own.rows(view, table)
    marked = [(mark, tell(view, table)) for mark, tell in own.marks.items()]
    links, leads = own.links(view), _lead(own, table, view)
    if own.detail:
        return TableRows(table, label=leads, links=links, marks=marked[0] if marked else None)
    rows = TableRows(table, label=leads, links=links)
    listed = [
        replace(show_row(table.columns, row.cells), link=row.link, marks=_take_marks(marked, number))
        for number, row in enumerate(rows)
    ]
    return (*listed, *_list_below(own, table, listed, tables, view))


def _take_marks(marked: Sequence[tuple[Mark, Array]], number: int) -> frozenset[Mark]:
    return frozenset(mark for mark, has in marked if has[number])


def _list_below(own: Print[View], table: Table, listed: Sequence[Row], tables: Tables, view: View) -> Iterator[Row]:
    if own.total and listed:
        yield build_total(table.columns, listed, "Total", only=own.total)
    if callable(own.below):
        yield from own.below(view, table)
    elif own.below:
        totals = tables[own.below]
        for (code, *_), row in zip(totals.rows, show_totals(totals, table.columns), strict=True):
            yield replace(row, key=f"{own.name}-{code}")


def _lead(own: Print[View], table: Table, view: View) -> Leads | None:
    if not own.lead:
        return None
    ids = table.data[own.lead]
    if not own.sheet:
        return view.kept(find_entries).lead(own.lead, pd.Series(np.ma.filled(ids.data, 0)))
    targets = [None if record_id is None else own.sheet for record_id in ids.cells()]
    return Leads(store_cells(Kind.TEXT, targets), own.lead, ids)


def _write_notes(own: Print[View], tables: Tables, view: View) -> Iterator[str]:
    for note in own.notes:
        if isinstance(note, str):
            yield note
        elif isinstance(note, Remark):
            yield from _write_note(note, tables[note.table])
        else:
            yield from note(view)


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
