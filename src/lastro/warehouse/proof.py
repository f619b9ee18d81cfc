"""An in-memory file with the schemas of a published one, where queries judge reports that are not published yet.

A run, each of its scopes and a day of the past are all judged alike: of the records and figures, what the queries name
is laid out once, typed as it is stored (`core`, `ops`, `mart`), and what they share is derived once (`prova`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, Final

import duckdb
import pandas as pd

from lastro.calendar import add_months, iter_days, month_end
from lastro.grid.model import Table
from lastro.schema.columns import COLUMNS, ColumnDef
from lastro.schema.derive import frame_column, versions_at
from lastro.schema.tables import TABLES, VERSIONED
from lastro.settings import setting_rows
from lastro.transform.position import Position
from lastro.warehouse.report_tables import fill_table
from lastro.warehouse.store import Warehouse, columns_of, describe_days, fill_from_frame

_RELATION: Final = re.compile(r"\b(core|ops|mart|prova)\.([a-z_][a-z0-9_]*)")
_VERSIONED: Final = re.compile(rf"\bcore\.({'|'.join(VERSIONED)})\b")
_COLUMN: Final = "--   "
_WORD: Final = re.compile(r"[a-z_][a-z0-9_]*")
Rows = list[tuple[Any, ...]]


class Proof:
    """What queries judge: the records of a position and the tables of its reports.

    Nothing is laid out before a query names it, and of a table only the columns that some query may ask for.
    """

    def __init__(self, position: Position, prelude: Mapping[str, str], queries: Iterable[str]) -> None:
        """Take what is judged.

        Args:
            position: the position as of D; not mutated.
            prelude: the views `prova.<name>` that queries share: name -> SELECT.
            queries: every query that may come.
        """
        self._position = position
        self._prelude = prelude
        self._tables: dict[str, Table] = {}
        self._shown: dict[str, Table] = {}
        self._made: set[str] = set()
        self._words: dict[str, set[str]] = {}
        for text in (*prelude.values(), *queries):
            words = set(_WORD.findall(text))
            for schema, name in set(_RELATION.findall(text)):
                self._words.setdefault(f"{schema}.{name}", set()).update(words)
        # With one thread: of what is small, sharing out takes longer than doing it.
        self._con = duckdb.connect(config={"threads": 1})
        self._con.execute("; ".join(f"CREATE SCHEMA {name}" for name in ("core", "ops", "mart", "prova")))

    def show(self, tables: Iterable[Table]) -> None:
        """Take other reports of the same position; a table that stays the same is not laid out again."""
        self._tables = {table.name: table for table in tables}

    def ask(self, query: str) -> tuple[list[str], Rows] | None:
        """Ask what is judged.

        Returns:
            The names of the columns and the rows; None where the query names a table that the reports do not have.
        """
        if not self._provide(query):
            return None
        result = self._con.execute(query)
        return [column[0] for column in result.description or ()], result.fetchall()

    def _provide(self, query: str) -> bool:
        """Lay out what a query names; tell whether all of it is there."""
        for schema, name in dict.fromkeys(_RELATION.findall(query)):
            relation = f"{schema}.{name}"
            if schema == "mart":
                if name not in self._tables:
                    return False
                if self._shown.get(name) is not self._tables[name]:
                    self._shown[name] = self._tables[name]
                    fill_table(self._con, relation, self._tables[name], chosen=self._words[relation])
            elif relation not in self._made:
                self._made.add(relation)
                if schema == "prova":
                    self._provide(self._prelude[name])
                    self._con.execute(f"CREATE TABLE {relation} AS {self._prelude[name]}")
                else:
                    self._fill(relation)
        return True

    def _fill(self, relation: str) -> None:
        make = _MADE.get(relation)
        name = relation.partition(".")[2]
        frame = getattr(self._position, name) if make is None else make(self._position)
        fill_from_frame(self._con, f"CREATE TABLE {relation} AS", frame, self._choose(relation, frame))

    def _choose(self, relation: str, frame: pd.DataFrame) -> list[ColumnDef]:
        """Choose the columns that queries may ask for; which run it is a frame does not say."""
        words = self._words[relation]
        columns = [column for column in columns_of(TABLES[relation]) if frame_column(column) in frame.columns]
        return [column for column in columns if column.name in words]


def store_proof(
    warehouse: Warehouse, report: Mapping[str, Any], prelude: Mapping[str, str], exact: int | None = None
) -> None:
    """Store what queries need beside records and reports, so that anyone can ask the published file what a run asked.

    Args:
        warehouse: the private file, inside a transaction.
        report: the row of `ops.relatorio`.
        prelude: the views `prova.<name>`: name -> SELECT, which begins with what it and its columns are, in comments.
        exact: number of the recorded run whose records are judged; None for those of `core`.
    """
    warehouse.con.execute("DELETE FROM ops.relatorio")
    warehouse.insert("ops.relatorio", [report])
    made: dict[str, str] = {}

    def make(name: str) -> None:
        if name in made:
            return
        text = prelude[name]
        made[name] = text
        for _, needed in _RELATION.findall(text):
            if needed in prelude and f"prova.{needed}" in text:
                make(needed)
        if exact is not None:
            text = _VERSIONED.sub(lambda found: f"({versions_at(found[1], exact)})", text)
        warehouse.con.execute(f"CREATE OR REPLACE VIEW prova.{name} AS {text}")

    for name in prelude:
        make(name)
    for name, text in made.items():
        columns = warehouse.query("SELECT column_name FROM (DESCRIBE prova." + name + ")")
        warehouse.comment(_comment(name, text, [column for (column,) in columns]))


def _comment(name: str, text: str, columns: Iterable[str]) -> dict[str, str]:
    """Write the comments of a view: what it is in the comments that its text begins with, and what its columns are."""
    head = list(itertools.takewhile(lambda line: line.startswith("--"), text.splitlines()))
    meanings = dict(line.removeprefix(_COLUMN).split(": ", 1) for line in head if line.startswith(_COLUMN))
    about = " ".join(line.removeprefix("-- ") for line in head if not line.startswith(_COLUMN))
    return {
        f"VIEW prova.{name}": about.rstrip("."),
        **{f'COLUMN prova.{name}."{key}"': meanings.get(key) or COLUMNS[key].comment for key in columns},
    }


def _relatorio(position: Position) -> pd.DataFrame:
    days = {"data_base": [position.data_base], "data_extracao": [position.data_extracao]}
    return pd.DataFrame(days, dtype="datetime64[us]")


def _parametros(position: Position) -> pd.DataFrame:
    rows = [(0, name, text) for name, text, _ in setting_rows(position.parametros)]
    return pd.DataFrame(rows, columns=["execucao_id", "parametro", "valor_texto"])


def _calendario(position: Position) -> pd.DataFrame:
    """List the days on which something is due, and those of the projections (S10)."""
    linhas, day = position.linhas, position.data_base
    opened = linhas[~(linhas["data_pagamento"] <= pd.Timestamp(day))]
    due = pd.concat([opened["data_vencimento"], opened["data_pagamento"]]).dropna().unique()
    horizonte = position.parametros.horizonte
    longest = max(horizonte["dias"], 7 * horizonte["semanas"])
    end = max(date.fromordinal(day.toordinal() + longest), month_end(add_months(day, horizonte["meses"])))
    days = {*(pd.Timestamp(stamp).date() for stamp in due), *iter_days(day, end)}
    return describe_days(sorted(days), position.calendario)


_MADE: Final[Mapping[str, Callable[[Position], pd.DataFrame]]] = {
    "ops.relatorio": _relatorio,
    "ops.parametros": _parametros,
    "core.calendario": _calendario,
}
"""Relation -> what makes it of a position that has no frame of its name."""
