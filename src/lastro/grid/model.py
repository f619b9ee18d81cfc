"""What a report is: a value that any writer can print.

Belongs here: the neutral grid (report, section, column, row). Does not belong here: what a cell can hold
(`lastro.grid.cells`), how it looks (`lastro.export`) and what stands in it (`lastro.reports.r00_cover` ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Final

from lastro.calendar import month_end, month_start
from lastro.grid.cells import Cell, Kind, Link, Value
from lastro.grid.forms import REPORT_SETUP, Input, Setup
from lastro.grid.storage import Array, Records, StoredColumn, Values, store_columns, store_rows
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
    BALANCE = "saldo"


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
    """How one figure is made of those of several periods: their sum, the first (opening) or the last (closing)."""

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

    SQL, checks, links and formulas know a column by its key; its header can be reworded without touching them.

    Attributes:
        header: the pt-BR text to print.
        kind: kind of its values.
        about: what SQL is told of its values, in Portuguese: domain, unit, sign, nulls; when not given, what is said of
            every column with its key (`lastro.schema.mart`).
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
        sums: how the rows above a total make one.
        input: what may be typed into its cells; None for what lastro writes.
        undefined: what a row of figures misses is a figure that does not exist: it prints "—" (`show_row`).
    """

    header: str
    kind: Kind
    about: str = ""
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
    sums: Sum = Sum.FLOW
    input: Input | None = None
    undefined: bool = False

    def __post_init__(self) -> None:
        """Derive the key from the header where none is given."""
        if not self.key:
            object.__setattr__(self, "key", column_name(self.header))


TableColumn = tuple[Column, Values]
"""A column of a table, and its values."""


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
    """

    cells: tuple[Value | Cell, ...]
    style: Style = Style.NORMAL
    level: int = 0
    key: str | None = None
    link: Link | None = None
    marks: frozenset[Mark] = frozenset()


SheetColumn = tuple[Column, Sequence[Value | Cell]]
"""A column of a section, and its cells."""


def join_columns(columns: Sequence[SheetColumn]) -> tuple[tuple[Column, ...], list[Row]]:
    """Join columns with their cells into what a section has: its columns, and its ordinary rows."""
    rows = [Row(cells) for cells in zip(*(cells for _, cells in columns), strict=True)]
    return tuple(column for column, _ in columns), rows


@dataclass(frozen=True)
class Section:
    """One table of a sheet, printed from one or two of the report's tables.

    It shows the rows of its table in order, or their months side by side, with totals and memo rows. Every figure is
    one of a table, or a sum of such figures.

    Attributes:
        name: that of its table, where it has one (`cobrancas_por_status`); unique over all reports.
        columns: the columns, in order.
        rows: the rows, in order, totals included.
        title: printed above the header unless it is the sheet's only section.
        detail: a detail table: gets an autofilter and a SUBTOTAL row over the columns with `total`.
        notes: lines printed below the table (formulas of ratios, what was left out).
        outline: rows carry outline levels.
        open_level: rows of a deeper level start folded.
        empty: what it says when it has no rows; when not given, that there are no records.
        anchors: pairs (id column, preferred column): a `Link` by an id (`row_key`) goes to the last row in which both
            are equal, else to the first with that id. Where the two are one column, it goes to the first.
        native: an Excel table of the section's name; a yes or no is a value there, not a word.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    title: str | None = None
    detail: bool = False
    notes: tuple[str, ...] = ()
    outline: bool = False
    open_level: int = 2
    anchors: tuple[tuple[str, str], ...] = ()
    empty: str = ""
    native: bool = False

    @cached_property
    def printed(self) -> tuple[Column, ...]:
        """The columns that the sheet shows; where it prints words for yes and no, BOOLEAN ones are of kind TEXT."""
        shown = tuple(column for column in self.columns if column.shown)
        if shown != self.columns[: len(shown)]:
            raise ValueError(f"section {self.name!r}: columns that only SQL has stand last")
        if self.native:
            return shown
        return tuple(replace(column, kind=Kind.TEXT) if column.kind is Kind.BOOLEAN else column for column in shown)

    def place(self, key: str) -> int:
        """Return the position of a column by its key (`find_place`)."""
        return find_place(self.columns, key)

    def cells_of(self, key: str, rows: Iterable[Row]) -> tuple[Value | Cell, ...]:
        """Return the cells of one column in some rows of the section."""
        place = self.place(key)
        return tuple(row.cells[place] for row in rows)


@dataclass(frozen=True)
class Table:
    """A report's figures for SQL: the rows of one view `mart.<name>`; months and accounts are rows, not columns.

    It keeps its rows by column, each column in the storage type of its kind (`lastro.grid.storage`); a value that
    cannot be stored exactly is refused.

    Attributes:
        name: `fluxo_mensal`, `cobrancas_por_status`; the view is `mart.<name>`, the table behind it `interno.<name>`.
        columns: their keys are the names of the view's columns.
        rows: plain values by kind, no links, no totals; `Table.of` takes columns, and rows are made when asked for.
        comment: what one row is, with the rule's number.
        data: the stored columns by key.

    Raises:
        TypeError, ValueError, AmountsTooLarge: a row does not fit its columns (`store_rows`): a float fits none.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    comment: str
    data: Mapping[str, StoredColumn] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the rows by column."""
        rows = self.rows
        if not isinstance(rows, Records):
            rows = store_rows(self.name, [(column.key, column.kind) for column in self.columns], rows)
            object.__setattr__(self, "rows", rows)
        data = dict(zip((column.key for column in self.columns), rows.columns, strict=True))
        object.__setattr__(self, "data", data)

    @classmethod
    def of(cls, name: str, columns: Sequence[TableColumn], comment: str) -> Table:
        """Make a table of columns with their values: plain cells, a series of a frame or a stored column.

        Raises:
            TypeError, AmountsTooLarge: values do not fit (`store_cells`, `store_series`): a float fits no column.
            ValueError: a column is of another kind or length than its values.
        """
        stored = store_columns(name, [(column.key, column.kind, values) for column, values in columns])
        return cls(name, tuple(column for column, _ in columns), stored, comment)

    def take(self, order: Array) -> Table:
        """Return the table with its rows in an order of places."""
        return replace(self, rows=Records([kept.take(order) for kept in self.data.values()]))

    def place(self, key: str) -> int:
        """Return the position of a column by its key (`find_place`)."""
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
SCENARIO_COLOUR: Final = "EF6C00"
"""Entradas green, Saídas red, Saldo blue; Previsto in the lighter tint, another assumption orange."""


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
        after: name of the section below which it stands, beside the other charts of that section.
    """

    title: str
    kind: ChartKind
    categories: tuple[str | date, ...]
    series: tuple[Series, ...]
    totals: frozenset[int] = frozenset()
    value_kind: Kind = Kind.MONEY
    after: str = ""


class Printing(StrEnum):
    """How much of a sheet is printed (manual: Planilha)."""

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
    """What one report computed: sections to print, tables for SQL, charts. `SHEETS` says on which sheet each stands.

    Attributes:
        code: `R04`.
        title: takes the place of the title of the sheet on which its first section stands; "" = that one stays.
        sections: what can be printed of it.
        tables: what the warehouse keeps.
        charts: native charts, two or three at most.
        family: what it is about.
        cover: the first page of the workbook; None for all but one.
        shown: shows a sheet that is hidden otherwise.
    """

    code: str
    title: str
    sections: tuple[Section, ...]
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    family: Family = Family.RECORDS
    cover: Cover | None = None
    shown: bool = False


def tables_of(reports: Iterable[Report]) -> list[Table]:
    """List what the warehouse keeps of reports, in their order."""
    return [table for report in reports for table in report.tables]


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook, whatever the workbook is for.

    Attributes:
        name: of its tab, at most 31 characters.
        title: printed in row 1.
        sections: what it shows, top to bottom.
        charts: native charts, each below its section.
        family: decides the colour of the tab.
        printing: how much of it is printed.
        hint: printed in row 3 beside the link back: what a reader of the sheet must know first.
        cover: the first page of the workbook, above the sections; None for any other sheet.
        setup: whether the sheet is read, filled in or hidden data, and what it has beside its sections.
        hidden: its tab is hidden; other sheets still link to it.
    """

    name: str
    title: str
    sections: tuple[Section, ...]
    charts: tuple[Chart, ...] = ()
    family: Family = Family.RECORDS
    printing: Printing = Printing.WHOLE
    hint: str = ""
    cover: Cover | None = None
    setup: Setup = REPORT_SETUP
    hidden: bool = False
