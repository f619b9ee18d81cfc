"""What a table of the warehouse is: grain, key, columns and where a name means something else in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lastro.schema.dictionary import ColumnDef, read_dictionary


@dataclass(frozen=True)
class TableDef:
    """One table.

    Attributes:
        name: with its schema, `core.linhas`.
        comment: what one row is, with the rule's number.
        key: columns that identify a row.
        columns: keys of the dictionary, in order.
        overrides: column -> what this table means by it, where that is something else.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    overrides: Mapping[str, ColumnDef] = field(default_factory=dict)

    @property
    def definitions(self) -> tuple[ColumnDef, ...]:
        """The definitions of its columns, in order."""
        return tuple(map(self.column, self.columns))

    def column(self, name: str) -> ColumnDef:
        """Return the definition of one of the table's columns."""
        return self.overrides.get(name) or read_dictionary()[name]


def override(name: str, kind: str, rule: str, meaning: str, *, nullable: bool = True) -> dict[str, ColumnDef]:
    """Define what a name means in one table only."""
    return {name: ColumnDef(name, kind, rule, meaning, nullable=nullable)}
