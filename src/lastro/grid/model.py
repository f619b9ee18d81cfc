"""What a report is: a value that any writer can print.

Belongs here: the neutral grid (report, section, column, row). Does not belong here: what a cell can hold
(`lastro.grid.cells`), how it looks (`lastro.export`) and what stands in it (`lastro.reports.r00_cover` ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Final

from lastro.calendar import month_end, month_start
from lastro.grid.cells import Cell, Formula, Kind, Link, Undefined, Value
from lastro.grid.words import column_name, month_label

if TYPE_CHECKING:
    from lastro.grid.cover import Cover

MAX_LEVEL: Final = 7
"""The deepest outline level that a sheet can have."""


class Style(StrEnum):
    """What a row is, so that a writer can choose its looks."""

    NORMAL = "normal"
    SECTION = "secao"
    SUBTOTAL = "subtotal"
    TOTAL = "total"
    MEMO = "memo"


class Mark(StrEnum):
    """Something about a row that a writer should make visible."""

    TODAY = "hoje"
    NON_BUSINESS_DAY = "dia_nao_util"
    LATE_90 = "atraso_90"
    PROVISIONAL = "provisorio"


@dataclass(frozen=True)
class Period:
    """What one column or row stands for.

    Attributes:
        label: text of the header.
        first: first day.
        last: last day.
        momento: "realizado", "a_realizar" (predicted only), "previsto" or "total" (both).
    """

    label: str
    first: date
    last: date
    momento: str = "total"

    @property
    def month(self) -> date:
        """First day of the month in which it begins."""
        return month_start(self.first)

    @property
    def key(self) -> str:
        """Identity of a column that stands for a month.

        >>> Period("mar/26 A realizar", date(2026, 3, 16), date(2026, 3, 31), "a_realizar").key
        '2026_03_a_realizar'
        """
        return f"{self.month:%Y_%m}_{self.momento}"


class Sum(Enum):
    """How the figures of several periods make one."""

    FLOW = auto()
    OPENING = auto()
    CLOSING = auto()


def id_columns(*keys: str) -> tuple[Column, ...]:
    """Return the columns of ids that only SQL has; the sheet prints the names.

    >>> [column.header for column in id_columns("pessoa_id")]
    ['Pessoa id']
    """
    return tuple(Column(key.replace("_", " ").capitalize(), Kind.INTEGER, key=key, shown=False) for key in keys)


def period_of_month(month: date) -> Period:
    """Return a whole month as a period."""
    return Period(month_label(month), month, month_end(month))


@dataclass(frozen=True)
class Column:
    """One column of a section.

    What it is called and what it prints are two things: SQL, checks, links and formulas know the key; the wording is
    free to change.

    Attributes:
        header: the pt-BR text to print.
        kind: kind of its values.
        dense: MONEY only; True prints without "R$" (wide tables).
        level: outline level of the column; above 0 it starts collapsed.
        show_zero: print a zero as 0,00 instead of "–" (Valor of Lançamentos); ids and counts always do.
        group: optional text of a band above the header ("mar/26").
        total: with `Section.detail`, add a SUBTOTAL(109, ..) for this column to the total row.
        alert: "saldo" = negative red and below the minimum amber (Saldo final); "situacao" = traffic-light icons;
            "variacao" = coloured by the tone of each cell alone.
        width: width in characters; None takes the kind's.
        key: what SQL, checks and formulas call it; unique in its section; when not given, what `column_name` makes of
            the header.
        period: the month and moment that the column stands for; a header that is just the month's name becomes a real
            date.
        shown: False for what only SQL has (keys of a thing and of its parents); such columns stand last.
        figure: key of the table's column that it prints; when not given its own, or `valor` where it stands for a
            period.
        sums: how the rows above a total make one (`Section.summed`).
    """

    header: str
    kind: Kind
    dense: bool = False
    level: int = 0
    show_zero: bool = False
    group: str | None = None
    total: bool = False
    alert: str | None = None
    width: int | None = None
    key: str = ""
    period: Period | None = None
    shown: bool = True
    figure: str = ""
    sums: Sum = Sum.FLOW

    def __post_init__(self) -> None:
        """Derive the key from the header where none is given."""
        if not self.key:
            object.__setattr__(self, "key", column_name(self.header))


@dataclass(frozen=True, slots=True)
class Origin:
    """Which row of its table, or which of all months, a printed row shows.

    Attributes:
        key: what the columns of `Section.names` hold there.
        figure: key of the one column that it prints over all periods, where rows stand for columns (R05).
        sums: how its figures of the moments of a month make the total.
    """

    key: tuple[Value, ...]
    figure: str = ""
    sums: Sum = Sum.FLOW


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a section.

    Attributes:
        cells: as many values as the section has columns.
        style: what the row is.
        level: outline level, 0 to `MAX_LEVEL`; summary rows stand above their children.
        key: what a `Link` elsewhere may point at; unique in the sheet.
        link: where the label (first cell) of the row leads, or None.
        marks: what should be made visible.
        origin: what of its table it shows, where the section spreads or reorders it (`Section.names`); None for what
            only the sheet has: totals, memo rows.
    """

    cells: tuple[Value | Cell, ...]
    style: Style = Style.NORMAL
    level: int = 0
    key: str | None = None
    link: Link | None = None
    marks: frozenset[Mark] = frozenset()
    origin: Origin | None = None


@dataclass(frozen=True)
class Section:
    """One table of a report, the projection of one or two of the report's tables.

    It shows either the rows of its table in order, totals and memo rows added, or with `names` what the origins of its
    rows say. A check reads every figure back (`lastro.quality.sheet_checks`).

    Attributes:
        name: that of its table, where it has one (`cobrancas_por_status`); unique over all reports.
        columns: the columns, in order.
        rows: the rows, in order, totals included.
        title: printed above the header unless it is the sheet's only section.
        detail: a detail table: gets an autofilter and a SUBTOTAL row over the columns with `total`.
        notes: lines printed below the table (formulas of ratios, what was left out).
        outline: rows carry outline levels.
        open_level: rows of a deeper level start folded.
        totalled: ends in one total row, whenever it has a row at all.
        summed: its total row adds the amounts above it, where it prints one; each subtotal those since the one before.
        tables: those that it shows; when not given, the one of its name.
        names: keys of the columns of its tables that name a printed row (`Row.origin`).
        empty: what it says when it has no rows; when not given, that there are no records.
        anchors: columns of ids by which a `Link` elsewhere finds a row (`row_key`), each with the column whose equal
            value makes a row the first choice among several (the carrier of a título); the first one is it otherwise.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    title: str | None = None
    detail: bool = False
    notes: tuple[str, ...] = ()
    outline: bool = False
    open_level: int = 2
    totalled: bool = False
    summed: bool = False
    tables: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    anchors: tuple[tuple[str, str], ...] = ()
    empty: str = ""

    @cached_property
    def printed(self) -> tuple[Column, ...]:
        """The columns of the sheet: those that only SQL has left out, a yes or no as the word it prints."""
        shown = tuple(column for column in self.columns if column.shown)
        if shown != self.columns[: len(shown)]:
            raise ValueError(f"section {self.name!r}: columns that only SQL has stand last")
        return tuple(replace(one, kind=Kind.TEXT) if one.kind is Kind.BOOLEAN else one for one in shown)

    def place(self, key: str) -> int:
        """Return the position of a column by its key.

        Raises:
            ValueError: the section has no such column.
        """
        return find_place(self.columns, key)

    def cells_of(self, key: str, rows: Iterable[Row]) -> tuple[Value | Cell, ...]:
        """Return the cells of one column in some rows of the section."""
        place = self.place(key)
        return tuple(row.cells[place] for row in rows)


@dataclass(frozen=True)
class Table:
    """A report's figures for SQL: the rows of one view `mart.<name>`; months and accounts are rows, not columns.

    Attributes:
        name: `fluxo_mensal`, `cobrancas_por_status`; the view is `mart.<name>`, the table behind it `rel.<name>`.
        columns: their keys are the names of the view's columns.
        rows: plain values by kind, no links, no totals.
        comment: what one row is, with the rule's number.
        key: columns that no two rows share.
        length: how many rows it has, unless it has none; None where the data decide.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    comment: str
    key: tuple[str, ...] = ()
    length: int | None = None

    def place(self, key: str) -> int:
        """Return the position of a column by its key.

        Raises:
            ValueError: the table has no such column.
        """
        return find_place(self.columns, key)


def find_place(columns: Sequence[Column], key: str) -> int:
    """Return the position of a column by its key.

    Raises:
        ValueError: there is no such column.
    """
    for place, column in enumerate(columns):
        if column.key == key:
            return place
    raise ValueError(f"no column {key!r} among {[column.key for column in columns]}")


class ChartKind(StrEnum):
    """What a chart draws; in a COLUMN or STACKED chart a series with `line` is drawn over the columns."""

    LINE = "linha"
    COLUMN = "colunas"
    STACKED = "colunas_empilhadas"
    BAR = "barras"
    STACKED_BAR = "barras_empilhadas"
    WATERFALL = "cascata"


IN_COLOUR: Final = "2E7D32"
OUT_COLOUR: Final = "C62828"
BALANCE_COLOUR: Final = "1565C0"
BALANCE_TINT: Final = "90CAF9"
"""Entradas green, Saídas red, Saldo blue; Previsto in the lighter tint."""


@dataclass(frozen=True)
class Series:
    """One series of a chart.

    Attributes:
        name: printed in the legend.
        values: one figure per category; None leaves a gap. A WATERFALL takes the steps, totals included.
        colour: RGB without "#"; a WATERFALL ignores it.
        line: drawn as a line over columns.
        dashed: the line is dashed (projections, limits).
        point: only its points are drawn, as a mark on the others' lines (today).
        light_from: number of the first category that is projected: columns from there on are lighter.
    """

    name: str
    values: tuple[Decimal | int | None, ...]
    colour: str
    line: bool = False
    dashed: bool = False
    point: bool = False
    light_from: int | None = None


@dataclass(frozen=True)
class Chart:
    """A native chart of a sheet. Its figures are stored on a hidden sheet of the workbook.

    Attributes:
        title: printed above it.
        kind: what it draws.
        categories: labels of the axis; a date prints as dd/mm.
        series: one or more; a WATERFALL has one.
        totals: WATERFALL only: positions of the steps that start at zero (their value is a level, not a change).
        value_kind: MONEY, PERCENT or INTEGER; decides the format of the axis.
        after: name of the section below which it stands, beside the other charts of that section; None = last.
    """

    title: str
    kind: ChartKind
    categories: tuple[str | date, ...]
    series: tuple[Series, ...]
    totals: frozenset[int] = frozenset()
    value_kind: Kind = Kind.MONEY
    after: str | None = None


class Printing(StrEnum):
    """How much of a sheet is printed (manual: Workbook)."""

    WHOLE = "inteira"
    FIRST_PAGE = "primeira página"
    NONE = "não impresso"


class Family(StrEnum):
    """What a sheet is about; sheets of one family share the colour of their tab."""

    COVER = "capa"
    CASH = "caixa"
    RESULT = "resultado"
    OPEN = "em aberto"
    HISTORY = "histórico"
    RECORDS = "registros"


@dataclass(frozen=True)
class Report:
    """One sheet: its sections in order, and the same figures as tables for SQL.

    Attributes:
        code: `R04`.
        sheet: sheet name, at most 31 characters.
        title: printed in row 1.
        question: what the reader wants to know; printed in the index.
        sections: what the sheet shows.
        tables: what the warehouse keeps.
        charts: native charts, two or three at most.
        family: decides the colour of the tab.
        printing: how much of it is printed.
        hint: printed in row 3 beside the link back: what a reader of the sheet must know first.
        cover: the first page of the workbook, above the sections; None for any other sheet.
    """

    code: str
    sheet: str
    title: str
    question: str
    sections: tuple[Section, ...]
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    family: Family = Family.RECORDS
    printing: Printing = Printing.WHOLE
    hint: str = ""
    cover: Cover | None = None


def table_of(section: Section, comment: str, *, skip: Iterable[Style] = (Style.TOTAL, Style.SUBTOTAL)) -> Table:
    """Turn a section without months as columns into its table: totals dropped, links as text."""
    skipped = frozenset(skip)
    rows = tuple(_unwrap_cells(row.cells) for row in section.rows if row.style not in skipped)
    return Table(section.name, section.columns, rows, comment)


def summary_table(section: Section, comment: str) -> Table:
    """Turn a summary section into its table: totals and memo rows repeat other rows and are left out."""
    return table_of(section, comment, skip=(Style.TOTAL, Style.SUBTOTAL, Style.MEMO))


def _unwrap_cells(cells: tuple[Value | Cell, ...]) -> tuple[Value, ...]:
    # Most rows of a long table have nothing to unwrap: the table then shares their cells.
    if _WRAPPED.isdisjoint(map(type, cells)):
        return cells  # type: ignore[return-value]
    return tuple([_unwrap(cell) if type(cell) in _WRAPPED else cell for cell in cells])  # type: ignore[misc]


_WRAPPED: Final = frozenset({Cell, Formula, Link, Undefined})


def _unwrap(cell: Value | Cell) -> Value:
    value = cell.value if isinstance(cell, Cell) else cell
    if isinstance(value, Link):
        return value.text
    if isinstance(value, Formula):
        return value.cached
    return None if isinstance(value, Undefined) else value
