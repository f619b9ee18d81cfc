"""The dictionary of the columns of reports: each key once, with its kind, its header and what its values mean.

`dicionario.txt` has a line a key: `key | KIND | header | meaning`, the kinds being those of `lastro.grid.cells.Kind`.
What one table means otherwise it says itself (`lastro.grid.prints.Print`).
Does not belong here: columns of the warehouse (`lastro.schema.columns`), what a row is (the comment of its table), the
columns that views compute (`lastro.warehouse.file.computed_columns`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

FILE: Final = "dicionario.txt"


class DictionaryTerm(NamedTuple):
    """What every table says of a column with this key.

    Attributes:
        kind: name of its `Kind`: its unit, its form on a sheet and its type in SQL.
        header: the pt-BR text above it.
        meaning: what SQL is told of its values, in Portuguese: domain, sign, nulls.
    """

    kind: str
    header: str
    meaning: str


@cache
def read_dictionary() -> Mapping[str, DictionaryTerm]:
    """Read the terms by key, in the order of the file."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    lines = (line.split(" | ", 3) for line in text.splitlines() if line and not line.startswith("#"))
    return {key: DictionaryTerm(*said) for key, *said in lines}
