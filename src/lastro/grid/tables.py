"""Columns, and the tables that reports keep for SQL: a report's figures, in storage types.

Does not belong here: what a cell can hold (`cells`), how columns are stored (`storage`), what is printed (`sections`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum, StrEnum, auto
from typing import Any

from lastro.calendar import month_end, month_start
from lastro.grid.cells import Kind, Value
from lastro.grid.forms import Input
from lastro.grid.storage import Array, Records, StoredColumn, Values, store_columns, store_rows
from lastro.grid.words import column_name, month_label
from lastro.schema.dictionary import ColumnDef, read_dictionary


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


class Alert(StrEnum):
    """How a column shows what calls for attention.

    SALDO: negative red, below the minimum amber; SITUACAO: traffic-light icons; VARIACAO: coloured by the tone of each
    cell alone; FALTA, on a DESK: red where anything is missing, amber where it is covered at a price.
    """

    SALDO = "saldo"
    SITUACAO = "situacao"
    VARIACAO = "variacao"
    FALTA = "falta"


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
            every column with its key (`lastro.schema.dictionary`).
        dense: MONEY only; True prints without "R$" (wide tables).
        level: outline level of the column; above 0 it starts collapsed.
        show_zero: print a zero as 0,00 instead of "–" (Valor of Lançamentos); ids and counts always do.
        group: optional text of a band above the header ("mar/26").
        total: with `Section.detail`, add a SUBTOTAL(109, ..) for this column to the total row.
        alert: how it shows what calls for attention.
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
    alert: Alert | None = None
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


_UNTOLD = ColumnDef("", "TEXT", "", "")


def describe_column(key: str, /, **differs: Any) -> Column:
    """Make a column as the dictionary says it (`lastro.schema.dictionary`).

    Args:
        key: of the column; one that the dictionary does not have is a text, and named by its key.
        differs: fields of `Column` that are otherwise here.

    >>> describe_column("pct_do_total").header, describe_column("valor", dense=True).kind
    ('% do total', <Kind.MONEY: 'M'>)
    """
    term = read_dictionary().get(key, _UNTOLD)
    told = {"header": term.header or key.replace("_", " ").capitalize(), "kind": Kind[term.cell], "about": term.meaning}
    return Column(**{**told, "key": key, **differs})


TableColumn = tuple[Column, Values]
"""A column of a table, and its values."""


@dataclass(frozen=True)
class Table:
    """A report's figures for SQL: the rows of one view `mart.<name>`; months and accounts are rows, not columns.

    It keeps its rows by column, each column in the storage type of its kind (`lastro.grid.storage`); a value that
    cannot be stored exactly is refused.

    Attributes:
        name: `fluxo_mensal`, `cobrancas_por_status`; in SQL it is `mart.<name>`.
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
