"""What is printed of a table: rows with their looks, levels and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Final

from lastro.grid.cells import Cell, Kind, Link, Value
from lastro.grid.tables import Column, find_place

MAX_LEVEL: Final = 7
"""The deepest outline level that a sheet can have."""

SCREEN_ONLY: Final = "so_na_tela"
"""Key of the row with which what is not printed begins, on a sheet that prints its first page."""

MOST_SHOWN: Final = 10_000
"""Rows of a list of what is to be looked at one by one: nobody does more; SQL has all."""


MAX_ROWS: Final = 1_048_576
"""Rows of a sheet of Excel."""


@dataclass(frozen=True)
class SheetRows:
    """How many rows of data a sheet has.

    Attributes:
        usual: more are split by year: Excel slows down long before its last row.
        most: what a sheet has room for beside its head and its total; a year that has more is split by month.
    """

    usual: int = 200_000
    most: int = MAX_ROWS - 6


SHEET_ROWS: Final = SheetRows()


def say_more(rows: int, table: str, shown: int = MOST_SHOWN) -> tuple[str, ...]:
    """Say beside a list how many of its rows are elsewhere alone, and where; nothing where all are shown.

    >>> say_more(10_003, "mart.achados_itens"), say_more(10_000, "mart.achados_itens")
    (('e mais 3 em mart.achados_itens',), ())
    """
    return (f"e mais {rows - shown} em {table}",) if rows > shown else ()


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
