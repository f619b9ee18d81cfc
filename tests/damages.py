"""Damages of what a room of checks has laid out, in SQL: each is done, judged and given back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lastro.grid.verdict import Verification
from lastro.quality.queries import Query, read_queries
from lastro.quality.runner import run_query
from lastro.warehouse.file.check_room import CheckRoom

_ANOTHER = {
    "DECIMAL(18,2)": "{0} + 0.01", "VARCHAR": "coalesce({0}, '') || 'x'", "BOOLEAN": "NOT coalesce({0}, false)",
    "DATE": "coalesce({0} + 1, DATE '2025-01-01')",
}  # fmt: skip
_NUMBER = "coalesce({0} + 1, 7)"


def judge_damaged(query: Query, room: CheckRoom, damage: str) -> Verification:
    """Judge what SQL statements, apart by `;`, make of a room; afterwards it is what it was.

    Of a check only the selects run that name the damaged table of `mart` or `posicao`, or tell of it: no other sees it.
    What is derived must have been derived before, unless the damage is to be seen in it: the room is of no use then.

    Raises:
        AssertionError: a statement changes nothing.
    """
    names = re.findall(r"(?:UPDATE|INTO|FROM) ((?:mart|posicao)\.\w+)", damage)
    selects = [one for one in query.selects if "AS detalhe" in one or any(name in one for name in names)]
    room.ask("BEGIN")
    try:
        for statement in damage.split(";"):
            answer = room.ask(statement)
            assert answer is not None, statement
            assert answer[1][0][0], statement
        return run_query(replace(query, selects=tuple(selects)) if names else query, room)
    finally:
        room.ask("ROLLBACK")


def list_damages(room: CheckRoom, rows: str, column: str, *, of_rows: bool) -> Iterator[str]:
    """List the damages of a column: another value, and of an amount a centavo that is in the next row.

    Args:
        room: where the table is; its first row that is neither empty nor zero gets another value.
        rows: `<schema>.<table>`, or its rows that are meant: `<schema>.<table> WHERE <condition>`.
        column: its name.
        of_rows: whether a row is left out and stands twice as well.
    """
    table, _, where = rows.partition(" WHERE ")
    chosen = f"FROM {table} WHERE {where or 'true'}"
    ((kind, number, amounts),) = _ask(room, f"SELECT any_value(typeof({column})), count(*), count({column}) {chosen}")
    assert number, rows
    told = f"{column} IS NULL, TRY_CAST({column}::VARCHAR AS DECIMAL(18,2)) IS NOT DISTINCT FROM 0"
    ((row,), *_) = _ask(room, f"SELECT rowid {chosen} ORDER BY {told}, rowid")
    changed = _ANOTHER.get(kind, _NUMBER).format(column)
    yield f"UPDATE {table} SET {column} = {changed} WHERE rowid = {row}"
    if of_rows and kind.startswith("DECIMAL"):
        ((row,),) = _ask(room, f"SELECT rowid {chosen} ORDER BY rowid LIMIT 1 OFFSET {number // 2}")
        yield f"DELETE FROM {table} WHERE rowid = {row}"
        yield f"INSERT INTO {table} FROM {table} WHERE rowid = {row}"
    if kind.startswith("DECIMAL") and amounts > 1:
        (first,), (other,) = _ask(room, f"SELECT rowid {chosen} AND {column} IS NOT NULL ORDER BY rowid LIMIT 2")
        moved = f"CASE rowid WHEN {first} THEN -0.01 ELSE 0.01 END"
        yield f"UPDATE {table} SET {column} = {column} + {moved} WHERE rowid IN ({first}, {other})"


def list_unseen(rule: str, room: CheckRoom, rows: str, columns: str, *, of_rows: bool = True) -> list[str]:
    """List the damages of columns, and of the rows if it is said, that a check of the product does not see.

    Raises:
        AssertionError: the check fails without a damage.
    """
    query = read_queries()[rule]
    assert not run_query(query, room).failed
    first, *others = columns.split()
    damages = [*list_damages(room, rows, first, of_rows=of_rows)]
    damages += [damage for column in others for damage in list_damages(room, rows, column, of_rows=False)]
    return [damage for damage in damages if not judge_damaged(query, room, damage).failed]


def _ask(room: CheckRoom, question: str) -> list[tuple[Any, ...]]:
    answer = room.ask(question)
    assert answer is not None, question
    return answer[1]
