"""A file in memory with the schemas of a published one, where queries judge reports that are not published yet.

A run, each of its scopes and a day of the past are all judged alike: of the figures, what the queries name is laid out
once, typed as it is stored (`ops`, `mart`), and what they share is derived once (`prova`). The records of the whole are
asked where they are, in the private file (`core`); those of a scope are laid out too. The rows that reports add up, as
the position has them, stand in `posicao`, and are stored when all is judged. What was received is judged of the whole
alone: the views `prova` that rest on it are asked of the private file and handed over.
"""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd

from lastro.analysis.income_statement import find_dre_grupos
from lastro.calendar import add_months, iter_days, month_end, month_start
from lastro.grid.tables import Table
from lastro.schema.derivation import CENTAVOS, DAY, FLAG, INTEGER, INTEGER_OR_NULL, OBJECT, frame_column
from lastro.schema.dictionary import ColumnDef, read_dictionary
from lastro.schema.frames import FRAMES
from lastro.schema.tables import TABLES
from lastro.settings import typed_settings
from lastro.transform.position import Position
from lastro.warehouse.file.report_tables import fill_table
from lastro.warehouse.file.rows import fill_from_frame, insert_rows
from lastro.warehouse.file.store import (
    Warehouse,
    describe_days,
    list_labels,
    list_tags,
)

_RELATION: Final = re.compile(r"\b(core|raw|ops|banco|mart|posicao|prova)\.([a-z_][a-z0-9_]*)")
_OF_READING: Final = re.compile(r"\b(?:raw\.|ops\.(?!relatorio\b|calculo\b|notados\b))")
_OF_BANK: Final = re.compile(r"\bbanco\.")
_COLUMN: Final = "--   "
_NUMBERS: Final = itertools.count(1)
_SCHEMAS: Final = ("core", "raw", "ops", "mart", "posicao", "prova")
_PLANNED: Final = ("build_side_probe_side", "column_lifetime", "filter_pushdown", "unused_columns")
"""DuckDB's optimizers that stay on; the others cost more than these small queries take."""
_COLUMNS_OF_VIEWS: Final = """SELECT table_name, column_name FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'prova' ORDER BY table_name, column_index"""
_PARSED: Final[dict[str, duckdb.Statement]] = {}
"""Text of a check or of what checks share -> what was read of it; it is of no connection."""
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Relation:
    """What a view of the prelude came to on a file.

    Attributes:
        types: column -> SQL type, in order.
        rows: its rows, with Python's own values.
    """

    types: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]


class CheckRoom:
    """What queries judge: the records of a position and the tables of its reports.

    Nothing is laid out before a query names it.
    """

    def __init__(
        self,
        position: Position,
        prelude: Mapping[str, str],
        received: Mapping[str, Relation],
        file: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        """Take what is judged.

        Args:
            position: the position as of D; not mutated.
            prelude: the views `prova.<name>` that queries share: name -> SELECT.
            received: what the views of `list_received` came to; one that is not there is absent, as a report can be.
            file: the private file, where its `core` is the position's: it is asked there, and what is laid out stands
                beside it, under the limit of memory of that file.
        """
        self._received = received
        self._position = position
        self._prelude = prelude
        self._tables: dict[str, Table] = {}
        self._shown: dict[str, Table] = {}
        self._made: set[str] = set()
        self._stored = file is not None
        engine = _start_engine() if file is None else file
        self._con, aside = engine.cursor(), f"juizo{next(_NUMBERS)}"
        ((threads, book),) = engine.execute("SELECT current_setting('threads'), current_database()").fetchall()
        rest = [name for (name,) in self._con.execute("FROM duckdb_optimizers()").fetchall() if name not in _PLANNED]
        path = [f"{aside}.{name}" for name in _SCHEMAS] + ([f"{book}.core"] if self._stored else [])
        restore = f"RESET disabled_optimizers; SET threads = {threads}" if self._stored else ""
        self._end = weakref.finalize(self, _forget, self._con, engine, aside, restore)
        self._end.atexit = False
        self._con.execute(
            "; ".join(
                (
                    f"ATTACH ':memory:' AS {aside}",
                    *(f"CREATE SCHEMA {aside}.{name}" for name in _SCHEMAS),
                    f"SET search_path = '{','.join(path)}'",
                    # To share queries out or plan the rest takes longer than it saves.
                    "SET threads = 1",
                    f"SET disabled_optimizers = '{','.join(rest)}'",
                )
            )
        )

    def close(self) -> None:
        """Drop what was laid out, as at the end of a room that nobody closes; the file works as before."""
        self._end()

    def show(self, tables: Iterable[Table]) -> None:
        """Take other reports of the same position; a table that stays the same is not laid out again."""
        self._tables = {table.name: table for table in tables}

    def ask(self, query: str) -> tuple[list[str], Rows] | None:
        """Ask what is judged.

        Returns:
            The names of the columns and the rows; None where the query names a table that the reports do not have, or
            what nobody received.
        """
        if not self._provide(query):
            return None
        result = self._con.execute(self._parse(query))
        return [column[0] for column in result.description or ()], result.fetchall()

    def ask_each(self, values: Iterable[str]) -> tuple[Any, ...]:
        """Ask for values in one go: SELECTs of one value each, in parentheses; what has no answer is left out."""
        asked = [value for value in values if self._provide(value)]
        answer = self.ask(f"SELECT {', '.join(asked)}") if asked else None
        return answer[1][0] if answer else ()

    def take(self, query: str) -> dict[str, np.ma.MaskedArray[Any, Any]]:
        """Ask for many rows, by columns; what a null is, the mask says. All that it names must be there."""
        self._provide(query)
        return {name: np.ma.asarray(values) for name, values in self._con.execute(query).fetchnumpy().items()}

    def derive(self, relation: str, query: str) -> None:
        """Keep what a query answers as a table of its own, which later ones may name."""
        self._provide(query)
        self._con.execute(f"CREATE TABLE {relation} AS {query}")
        self._made.add(relation)

    def _provide(self, query: str) -> bool:
        """Lay out what a query names; tell whether all of it is there."""
        for schema, name in dict.fromkeys(_RELATION.findall(query)):
            relation = f"{schema}.{name}"
            if schema == "mart" and relation not in self._made:
                if name not in self._tables:
                    return False
                if self._shown.get(name) is not self._tables[name]:
                    self._shown[name] = self._tables[name]
                    fill_table(self._con, relation, self._tables[name])
            elif relation not in self._made:
                if not (self._derive(name) if schema == "prova" else self._fill(relation)):
                    return False
                self._made.add(relation)
        return True

    def _derive(self, name: str) -> bool:
        """Lay out a view of the prelude; tell whether what it rests on is there."""
        given = self._received.get(name)
        if given is not None:
            self._lay(f"prova.{name}", given)
        elif self._provide(self._prelude[name]):
            self._con.execute(self._parse(f"CREATE TABLE prova.{name} AS {self._prelude[name]}"))
        else:
            return False
        return True

    def _parse(self, query: str) -> duckdb.Statement:
        """Parse a text of a check once for all rooms: that is a quarter of what it takes over few rows."""
        if query not in _PARSED:
            (_PARSED[query],) = self._con.extract_statements(query)
        return _PARSED[query]

    def _lay(self, relation: str, given: Relation) -> None:
        columns = ", ".join(f'"{column}" {type_}' for column, type_ in given.types.items())
        self._con.execute(f"CREATE TABLE {relation} ({columns})")
        insert_rows(self._con, relation, given.rows)

    def _fill(self, relation: str) -> bool:
        """Lay out a table of the position; tell whether it has it."""
        make = _MADE.get(relation)
        schema, name = relation.split(".")
        if make is None and schema != "core":
            return False
        if make is None and self._stored:
            return True
        frame = getattr(self._position, name) if make is None else make(self._position)
        if isinstance(frame, Relation):
            self._lay(relation, frame)
            return True
        defined = _ROWS[name] if schema == "posicao" else TABLES[relation].definitions
        # Which run it is of a frame does not say.
        columns = [column for column in defined if frame_column(column) in frame.columns]
        fill_from_frame(self._con, f"CREATE TABLE {relation} AS", frame, columns)
        return True


@cache
def _start_engine() -> duckdb.DuckDBPyConnection:
    """Start the engine of all rooms beside no file: one of its own costs more than most checks."""
    return duckdb.connect()


def _forget(con: duckdb.DuckDBPyConnection, engine: duckdb.DuckDBPyConnection, aside: str, restore: str) -> None:
    con.execute(restore)
    con.close()
    engine.execute(f"DETACH {aside}")


def list_received(prelude: Mapping[str, str], exact: int | None = None) -> list[str]:
    """Name the views of the prelude that read received records or notes about them, and no position.

    Args:
        prelude: the views `prova.<name>`: name -> SELECT.
        exact: number of the recorded run whose records are judged. What was received lately says nothing of them; the
            bank's side does, which is laid out as it was known on D (S20).
    """
    return [
        name for name, text in prelude.items() if _OF_BANK.search(text) or (exact is None and _OF_READING.search(text))
    ]


def read_received(
    warehouse: Warehouse, execucao_id: int, prelude: Mapping[str, str], exact: int | None = None
) -> dict[str, Relation]:
    """Read the views of `list_received` from the private file, before the run has written `ops.relatorio`."""
    relations = {}
    for name in list_received(prelude, exact):
        text = prelude[name].replace("ops.relatorio", f"(SELECT {execucao_id} AS execucao_id)")
        result = warehouse.con.execute(text)
        types = {column[0]: str(column[1]) for column in result.description or ()}
        relations[name] = Relation(types, result.fetchall())
    return relations


def store_noticed(warehouse: Warehouse, noticed: Iterable[tuple[str, int, str, int]]) -> None:
    """Store what a run noticed that its records do not say (`lastro.quality.findings.list_noticed`)."""
    warehouse.con.execute("DELETE FROM ops.notados")
    columns = TABLES["ops.notados"].columns
    warehouse.insert("ops.notados", [dict(zip(columns, row, strict=True)) for row in noticed])


def take_rows(position: Position) -> dict[str, pd.DataFrame]:
    """Take what checks ask of a position row by row: table of `posicao` -> the columns of it."""
    made = {"linhas": _posicao_linhas(position), "titulos": position.titulos}
    return {name: frame[[frame_column(column) for column in _ROWS[name]]] for name, frame in made.items()}


def store_position(warehouse: Warehouse, rows: Mapping[str, pd.DataFrame]) -> None:
    """Store what `take_rows` took, so that anyone can ask of the published file what a run asks.

    Args:
        warehouse: the private file, inside a transaction.
        rows: table of `posicao` -> its columns.
    """
    tables = [
        f"CREATE OR REPLACE TABLE posicao.{name} ({', '.join(f'{one.name} {one.type}' for one in columns)})"
        for name, columns in _ROWS.items()
    ]
    if warehouse.make_once("posicao", ";\n".join(tables)):
        warehouse.comment(
            {
                f'COLUMN posicao.{name}."{one.name}"': _tell_meaning(one.name, "")
                for name, columns in _ROWS.items()
                for one in columns
            }
            | {f"TABLE posicao.{name}": text for name, text in _ABOUT.items()}
        )
    for name, frame in rows.items():
        warehouse.con.execute(f"DELETE FROM posicao.{name}")
        fill_from_frame(warehouse.con, f"INSERT INTO posicao.{name}", frame, _ROWS[name])


def store_prelude(
    warehouse: Warehouse, report: Mapping[str, Any], prelude: Mapping[str, str], exact: int | None = None
) -> None:
    """Store the views that checks share, so that anyone can run the checks on the published file.

    Views that say what these would stay as they are.

    Args:
        warehouse: the private file, inside a transaction.
        report: the row of `ops.relatorio`.
        prelude: the views `prova.<name>`: name -> SELECT, which begins with what it and its columns are, in comments.
        exact: number of the recorded run that gave `core` back, if one did. What was received lately says nothing of
            it (`list_received`): there is none of it then.
    """
    warehouse.con.execute("DELETE FROM ops.relatorio")
    warehouse.insert("ops.relatorio", [report])
    made: dict[str, str] = {}
    views: list[str] = []
    unsaid = {*list_received(prelude)} - {*list_received(prelude, exact)}

    def make(name: str) -> None:
        if name in made:
            return
        text = prelude[name]
        made[name] = text
        for _, needed in _RELATION.findall(text):
            if needed in prelude and f"prova.{needed}" in text:
                make(needed)
        if name in unsaid:
            text = f"SELECT * FROM (\n{text}\n) WHERE false"
        views.append(f"CREATE OR REPLACE VIEW prova.{name} AS {text}")

    for name in prelude:
        make(name)
    if not warehouse.make_once("prova", ";\n".join(views)):
        return
    columns: dict[str, list[str]] = {}
    for name, column in warehouse.query(_COLUMNS_OF_VIEWS):
        columns.setdefault(name, []).append(column)
    comments = [_comment(name, text, columns[name]) for name, text in made.items()]
    warehouse.comment(dict(item for each in comments for item in each.items()))


def _comment(name: str, text: str, columns: Iterable[str]) -> dict[str, str]:
    """Write the comments of a view and of its columns, from the comments at the beginning of its text."""
    head = list(itertools.takewhile(lambda line: line.startswith("--"), text.splitlines()))
    meanings = dict(line.removeprefix(_COLUMN).split(": ", 1) for line in head if line.startswith(_COLUMN))
    about = " ".join(line.removeprefix("-- ") for line in head if not line.startswith(_COLUMN))
    return {
        f"VIEW prova.{name}": about.rstrip("."),
        **{f'COLUMN prova.{name}."{key}"': meanings.get(key) or _tell_meaning(key, text) for key in columns},
    }


def _tell_meaning(key: str, text: str) -> str:
    """Say what a column means where the head of its view does not: as the position, a table it names, or all say."""
    for frame in ("position.titulos", "position.linhas"):
        for column in FRAMES[frame].columns:
            if column.name.removesuffix(CENTAVOS) == key:
                return column.comment
    named = (TABLES.get(f"{schema}.{name}") for schema, name in _RELATION.findall(text))
    own = [table.overrides[key] for table in named if table is not None and key in table.overrides]
    return (own[0] if own else read_dictionary()[key]).comment


def _relatorio(position: Position) -> Relation:
    days = [(position.data_base, position.data_extracao)]
    return Relation({"data_base": "DATE", "data_extracao": "DATE"}, days)


def _calculo(position: Position) -> Relation:
    types, row = _types("ops.calculo"), {"execucao_id": 0, **typed_settings(position.parametros)}
    return Relation(types, [tuple(row[name] for name in types)])


def _notados(_: Position) -> Relation:
    return Relation(_types("ops.notados"), [])


def _formas(position: Position) -> Relation:
    return Relation({"dimensao": "VARCHAR", "id": "BIGINT", "rotulo": "VARCHAR"}, list_labels(position.rotulos))


def _types(table: str) -> dict[str, str]:
    return {column.name: column.type for column in TABLES[table].definitions}


def _calendario(position: Position) -> pd.DataFrame:
    """List the days on which what is open or its charge is due, and those of D's month and the projections (S24)."""
    linhas, day = position.linhas, position.data_base
    opened = linhas[["data_vencimento", "data_pagamento"]][~(linhas["data_pagamento"] <= pd.Timestamp(day))]
    charges = position.cobrancas.loc[
        position.cobrancas["cobranca_id"].isin(position.titulos["cobranca_id"][~position.titulos["pago"]].dropna()),
        "data_vencimento",
    ]
    due = np.unique(np.concatenate([opened.to_numpy("datetime64[D]").ravel(), charges.to_numpy("datetime64[D]")]))
    horizonte = position.parametros.horizonte
    longest = max(horizonte["dias"], 7 * horizonte["semanas"])
    end = max(date.fromordinal(day.toordinal() + longest), month_end(add_months(day, horizonte["meses"])))
    days = {*due[~np.isnat(due)].tolist(), *iter_days(month_start(day), end)}
    return describe_days(sorted(days), position.calendario)


def _posicao_linhas(position: Position) -> pd.DataFrame:
    return position.linhas.assign(grupo=find_dre_grupos(position, position.linhas))


_LINHAS: Final = (
    "conta_id", "categoria_id", "centro_custo_lucro_id", "transferencia", "classe", "pago", "caixa", "data_pagamento",
    "data_projetada", "mes_caixa", "data_competencia_ef", "mes_competencia", "valor_centavos",
)  # fmt: skip
_TITULOS: Final = (
    "titulo_id", "valor_centavos", "qtde_linhas", "pago", "caixa", "transferencia", "fora_resultado",
    "data_vencimento", "data_pagamento", "data_competencia_ef", "data_prevista", "data_efetiva", "data_ref",
    "data_projetada", "dias_de_atraso", "vencido", "vence_hoje", "em_carencia", "faixa", "situacao", "cobranca_id",
    "cobranca_paga", "dias_de_mora", "multa_centavos", "juros_centavos",
)  # fmt: skip
_KINDS: Final = {DAY: "DATE", FLAG: "BOOLEAN", INTEGER: "INTEGER", INTEGER_OR_NULL: "INTEGER", OBJECT: "TEXT"}


def _define(name: str, chosen: Collection[str]) -> list[ColumnDef]:
    """Define columns of a frame of the position as SQL has them."""
    columns = [column for column in FRAMES[f"position.{name}"].columns if column.name in chosen]
    money = {column.name for column in columns if column.name.endswith(CENTAVOS)}
    return [
        ColumnDef(one.name.removesuffix(CENTAVOS), "MONEY" if one.name in money else _KINDS[one.dtype], "", "")
        for one in columns
    ]


_ROWS: Final = {
    "linhas": [*_define("linhas", _LINHAS), ColumnDef("grupo", "TEXT", "", "")],
    "titulos": _define("titulos", _TITULOS),
}
"""Table of `posicao` -> its columns: those of the position that reports add up and decide by."""
_ABOUT: Final = {
    "linhas": "S1: cada linha na data-base, como os relatórios a somam; a V42 e a V43 a comparam com prova.linhas",
    "titulos": "S1, S8: cada título na data-base, como os relatórios o tomam; a V06 o compara com prova.titulos",
}
_MADE: Final[Mapping[str, Callable[[Position], pd.DataFrame | Relation]]] = {
    "ops.relatorio": _relatorio,
    "ops.calculo": _calculo,
    "core.calendario": _calendario,
    "core.linha_tags": lambda position: list_tags(position.linhas),
    "core.formas": _formas,
    "ops.notados": _notados,
    "posicao.linhas": _posicao_linhas,
    "posicao.titulos": lambda position: position.titulos,
}
"""Relation -> what makes it of a position that has no frame of its name."""
