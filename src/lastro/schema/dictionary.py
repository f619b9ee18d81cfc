"""The vocabulary of all columns: each key once, with its kind, its rule, its header and what its values mean.

`dicionario.txt` has a line a key. From the kind follow SQL type, dtype, cell and the `_centavos` of a frame; a money
column is signed as the service signs it unless its meaning says otherwise. What one table means otherwise it says
itself: `lastro.grid.prints.Print`, `override` of a table of the file, a `FrameColumn`, a `Dataset`.
Does not belong here: what a row is (the comment of its table), the columns that views compute
(`lastro.warehouse.file.computed_columns`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

FILE: Final = "dicionario.txt"
MONEY: Final = "DECIMAL(18,2)"
SQL_TYPES: Final = {
    **dict.fromkeys(("TEXT", "LINK"), "VARCHAR"),
    **dict.fromkeys(("DATE", "MONTH"), "DATE"),
    "TIMESTAMP": "TIMESTAMP",
    "BOOLEAN": "BOOLEAN",
    "INTEGER": "BIGINT",
    "MONEY": MONEY,
    "PERCENT": "DECIMAL(24,2)",
    "NUMBER": "DECIMAL(18,1)",
    "DECIMAL": "DECIMAL(18,4)",
    "COUNT": "INTEGER",
    "RATE": "DECIMAL(9,4)",
    "FACTOR": "DECIMAL(18,6)",
    "FIGURE": "DECIMAL(24,4)",
    "JSON": "JSON",
    "IDS": "BIGINT[]",
    "NAMES": "VARCHAR[]",
}
"""Kind -> its type in SQL; those from COUNT on have tables of the file alone."""
_CELLS: Final = {
    "COUNT": "INTEGER",
    **dict.fromkeys(("RATE", "FACTOR", "FIGURE"), "DECIMAL"),
    **dict.fromkeys(("JSON", "IDS", "NAMES"), "TEXT"),
}
"""Kind of tables of the file -> what its cells are in a report."""


@dataclass(frozen=True)
class ColumnDef:
    """What is said of a column, by the dictionary or by a table that means otherwise.

    Attributes:
        name: its key, as in SQL; pandas adds `_centavos` to money.
        kind: name of its kind (`SQL_TYPES`): its unit, its form on a sheet, its type in SQL.
        rule: what defines it; "" is the service's own field, or what a report makes.
        meaning: in Portuguese: domain, unit, sign, nulls.
        header: the pt-BR text above it; "" is its key, written out.
        nullable: it may be null in a table of the file. The DDL does not say so, for a migration adds columns to older
            rows; the frames do: their dtype follows from it (`lastro.schema.frames`).
    """

    name: str
    kind: str
    rule: str
    meaning: str
    header: str = ""
    nullable: bool = True

    @property
    def type(self) -> str:
        """Its type in SQL."""
        return SQL_TYPES[self.kind]

    @property
    def cell(self) -> str:
        """Name of the `Kind` of its cells in a report."""
        return _CELLS.get(self.kind, self.kind)

    @property
    def comment(self) -> str:
        """What `COMMENT ON COLUMN` says in the tables of the file."""
        return f"{self.rule}: {self.meaning}" if self.rule else self.meaning


def _read_line(line: str) -> ColumnDef:
    name, kind, rule, header, meaning = line.split(" | ", 4)
    return ColumnDef(name, kind.removesuffix("!"), rule, meaning, header, nullable=not kind.endswith("!"))


@cache
def read_dictionary() -> Mapping[str, ColumnDef]:
    """Read what is said of each key, in the order of the file."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    lines = (_read_line(line) for line in text.splitlines() if line and not line.startswith("#"))
    return {column.name: column for column in lines}
