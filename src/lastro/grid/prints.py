"""One declaration a table: what it says of its columns otherwise than the dictionary, and how a sheet prints it.

Belongs here: `Print`, and the table that it makes of columns. Does not belong here: what a column says in every table
(`lastro.schema.dictionary`), sections and charts (`lastro.reports.printing`), figures (the reports).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from lastro.grid.cells import Kind
from lastro.grid.sections import Mark, Row, Style
from lastro.grid.storage import Array, Values
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Alert, Column, Table, describe_column
from lastro.schema.derivation import add_key

Columns: TypeAlias = Mapping[str, Values]
"""Key of a column -> its values, in the order of the table."""
T = TypeVar("T")
GivenT = TypeVar("GivenT", contravariant=True)
"""What the functions of a declaration are given: of a report its `View`, of a closing the closing."""
Notes: TypeAlias = "tuple[str | Remark | Callable[[GivenT], Iterable[str]], ...]"


class Remembering:
    """What the functions of a declaration are given: it keeps what they make of it."""

    @cached_property
    def made(self) -> dict[tuple[object, ...], Any]:
        """What was made of it, by what made it and of which values."""
        return {}

    def once(self, make: Callable[..., T], *given: object) -> T:
        """Give what a function makes of it and some values; it is made once."""
        key = (make, *given)
        if key not in self.made:
            self.made[key] = make(self, *given)
        return self.made[key]  # type: ignore[no-any-return]


class RowLook(NamedTuple):
    """How a row of a table is printed (`Row`)."""

    style: Style = Style.NORMAL
    level: int = 0
    key: str | None = None


def look_by(
    column: str, styles: Mapping[Any, Style], *, level: str = "", key: str = ""
) -> Callable[[object, Table], Iterable[RowLook]]:
    """Tell how rows look by what they say in a column.

    Args:
        column: whose values have styles; any other is an ordinary row.
        styles: value -> style.
        level: the column of outline levels, where there is one.
        key: of a row; `{}` stands for its value.
    """

    def look(_: object, table: Table) -> Iterable[RowLook]:
        values = table.data[column].cells()
        levels = table.data[level].cells() if level else [0] * len(values)
        for value, depth in zip(values, levels, strict=True):
            yield RowLook(styles.get(value, Style.NORMAL), depth, key.format(value) or None)

    return look


@dataclass(frozen=True)
class Remark:
    """A line below a table with a figure of this run; where that is zero or missing, there is no such line.

    Attributes:
        text: `{}` stands for the amount.
        table: whose figure it is.
        row: its row, by `codigo`.
        column: its column.
    """

    text: str
    table: str
    row: str
    column: str = "valor"


def list_columns(keys: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Make columns of rows, whose cells stand in the order of the keys.

    >>> list_columns(("lista", "registros"), [("contas", 2), ("pessoas", 3)])
    {'lista': ['contas', 'pessoas'], 'registros': [2, 3]}
    """
    listed = list(rows)
    return {key: [row[place] for row in listed] for place, key in enumerate(keys)}


def _nothing(*_: object) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Print(Generic[GivenT]):
    """A table: its columns and its look.

    Attributes:
        name: of the table, of its view in `mart` and of its section.
        comment: what one row is, with the rule's number; only SQL is told it.
        make: makes its columns; None: there is no such table in this run.
        keys: the columns that no two of its rows share.
        about: key -> what its values mean here.
        headers: key -> its header here; a function where the run decides it.
        kinds: key -> its kind here.
        named: tells the columns of which the run decides (the scenarios of its settings, a month), by key.
        widths: key -> width in characters.
        alerts: key -> `Column.alert`.
        undefined: what is missing in them does not exist and prints "—".
        dense: amounts print without "R$" (wide tables).
        hidden: columns that only SQL has, besides ids (`*_id`).
        shown: ids that the sheet prints.
        used: columns that the sheet has where a row says anything there.
        title: above the section; a function where the run decides it.
        total: columns that a row Total adds up; in a detail the row above it adds up what the filter shows: where none
            are said, all that are money.
        below: the rows below: the name of a table of totals (`show_totals`), or what makes them.
        detail: a long list, with a filter.
        lead: where rows lead.
        links: key of a column -> where its cells lead.
        marks: a mark -> which rows have it; a detail has one at most.
        looks: how each row is printed; None: it is in SQL alone.
        rows: makes the rows in the place of those of the table, totals too.
        notes: below the table.
        empty: as in `Section`.
        optional: without rows there is no section.

    Raises:
        ValueError: a detail has several marks, or looks; its rows keep one mark alone.
    """

    name: str
    comment: str = ""
    make: Callable[[GivenT], Columns | None] | None = None
    keys: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] | Callable[[GivenT], Mapping[str, str]] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    named: Callable[[GivenT], Mapping[str, Column]] = _nothing
    widths: Mapping[str, int] = field(default_factory=dict)
    alerts: Mapping[str, Alert] = field(default_factory=dict)
    undefined: tuple[str, ...] = ()
    dense: bool = False
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    title: str | Callable[[GivenT], str] = ""
    total: tuple[str, ...] | None = None
    below: str | Callable[[GivenT, Table], Sequence[Row]] = ""
    detail: bool = False
    lead: Callable[[GivenT, Table], Leads | None] = lambda *_: None
    links: Callable[[GivenT], Mapping[str, Leads]] = _nothing
    marks: Mapping[Mark, Callable[[GivenT, Table], Array]] = field(default_factory=dict)
    looks: Callable[[GivenT, Table], Iterable[RowLook | None]] | None = None
    rows: Callable[[GivenT, Table], Sequence[Row]] | None = None
    notes: Notes[GivenT] = ()
    empty: str = ""
    optional: bool = False

    def __post_init__(self) -> None:
        """Refuse what would be lost without a word."""
        if self.detail and (len(self.marks) > 1 or self.looks is not None):
            raise ValueError(f"table {self.name!r}: a detail has one mark at most, not {[*self.marks]}, and no looks")

    @cached_property
    def _described(self) -> dict[str, Column]:
        return {}

    def describe(self, key: str) -> Column:
        """Describe a column of the table by its key."""
        if key not in self._described:
            self._described[key] = self._describe(key)
        return self._described[key]

    def _describe(self, key: str) -> Column:
        headers = {} if callable(self.headers) else self.headers
        differing = (("kind", self.kinds), ("header", headers), ("about", self.about))
        differs = {name: said[key] for name, said in differing if key in said}
        column = describe_column(
            key,
            width=self.widths.get(key),
            alert=self.alerts.get(key),
            undefined=key in self.undefined,
            shown=key in self.shown or not (key in self.hidden or key.endswith("_id")),
            **differs,
        )
        money = column.kind is Kind.MONEY
        added = money if self.total is None else key in self.total
        return replace(column, total=self.detail and added, dense=self.dense and money)

    @cached_property
    def _said(self) -> frozenset[str]:
        """The keys of which something is said, whatever the run."""
        headers = () if callable(self.headers) else self.headers
        looks = (headers, self.about, self.kinds, self.widths, self.alerts, self.undefined)
        told = (*looks, self.keys, self.hidden, self.shown, self.used, self.total or ())
        return frozenset(key for keys in told for key in keys)

    def check(self, keys: Iterable[str]) -> None:
        """Demand that the table has every column of which the declaration says something.

        Raises:
            ValueError: it has not: the key is misspelt, or the column gone.
        """
        if strange := self._said.difference(keys):
            raise ValueError(f"table {self.name!r}: says something of {sorted(strange)}, which it does not have")

    def table(self, columns: Columns, given: GivenT) -> Table:
        """Make the table of its columns.

        Args:
            columns: their values by key.
            given: what functions of this declaration are given.

        Raises:
            TypeError, ValueError, AmountsTooLarge: values do not fit their column (`Table.of`).
            ValueError: something is said of a column that it does not have (`check`).
        """
        self.check(columns)
        headers = self.headers(given) if callable(self.headers) else {}
        named = self.named(given)
        described = [(named.get(key) or self.describe(key), values) for key, values in columns.items()]
        if headers:
            described = [(replace(own, header=headers.get(own.key, own.header)), one) for own, one in described]
        table = Table.of(self.name, described, add_key(self.comment, self.keys) if self.comment else "")
        unused = {key for key in self.used if not any(table.data[key].cells())}
        if not unused:
            return table
        kept = tuple(replace(own, shown=own.shown and own.key not in unused) for own in table.columns)
        return replace(table, columns=kept)
