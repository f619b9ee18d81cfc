"""What differs between the reports of two published copies, table by table, row by key and column: also what D moves.

A copy has the reports of the run that it shows and of no other. Does not belong here: the records of two runs
(`lastro.warehouse.publication.two_runs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import duckdb

from lastro.errors import ConfigError
from lastro.warehouse.publication.run_sources import Copies, RunInCopy

_IDS: Final = ("linha_id", "titulo_id", "cobranca_id", "pessoa_id")
"""What names a row of a table that promises no key, where no two rows that differ share it."""
_COUNTING: Final = {
    "parametros": "parametro NOT IN ('execucao_id', 'data_extracao', 'versao', 'historico') "
    "AND parametro NOT LIKE 'fechamento_%.xlsx'"
}
"""Table -> its rows that count: not those that say which run it was, or name the closings that stood before it."""
_TABLES: Final = (
    "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() WHERE database_name = ? AND "
    "schema_name = 'mart' GROUP BY table_name ORDER BY table_name"
)
Row = tuple[Any, ...]


def compare_tables(
    copies: Copies, a: RunInCopy, b: RunInCopy, keys: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Compare every table of the reports of two copies, each of which shows its run.

    Args:
        copies: where both were found.
        a: the first run.
        b: the second one.
        keys: table -> the columns that no two of its rows share.

    Returns:
        The tables that differ, by name: `tabela`, how many rows are `so_em_a` and `so_em_b` (of one that only one copy
        has, all), and `celulas`, what differs in rows that both have: what names the row (`linha`), `coluna`, `a`, `b`.

    Raises:
        ConfigError: when a file is not as lastro writes them.
    """
    try:
        columns_a, columns_b = (dict(copies.con.execute(_TABLES, [run.catalogo]).fetchall()) for run in (a, b))
        return [
            pair
            for name in sorted({*columns_a, *columns_b})
            if (pair := _compare_table(copies.con, (a, b), name, (columns_a, columns_b), keys.get(name, ())))
        ]
    except duckdb.Error as error:
        raise ConfigError(
            f"diff: os relatórios de {a.arquivo} e {b.arquivo} não se comparam ({type(error).__name__}): são de "
            "versões diferentes do lastro. Rode lastro run, ou compare sem --tudo."
        ) from None


def _compare_table(
    con: duckdb.DuckDBPyConnection,
    runs: tuple[RunInCopy, RunInCopy],
    name: str,
    columns: tuple[Mapping[str, list[str]], Mapping[str, list[str]]],
    key: tuple[str, ...],
) -> dict[str, Any] | None:
    shared = [column for column in columns[1].get(name, columns[0].get(name, ())) if _has(columns, name, column)]
    listed = ", ".join(f'"{column}"' for column in shared) or "*"
    sources = []
    for run, own in zip(runs, columns, strict=True):
        counting = _COUNTING.get(name, "true")
        sources.append(f'SELECT {listed} FROM {run.catalogo}.mart."{name}" WHERE {counting}' if name in own else "")
    if not all(sources):
        ((count,),) = con.execute(f"SELECT count(*) FROM ({''.join(sources)})").fetchall()
        only = {f"so_em_{side}": count if source else 0 for side, source in zip("ab", sources, strict=True)}
        return {"tabela": name, **only, "celulas": []} if count else None
    rows = [con.execute(f"{source} EXCEPT ALL {other}").fetchall() for source, other in (sources, reversed(sources))]
    if not any(rows):
        return None
    cells = [*_pair(rows, shared, _choose_key(rows, shared, key))]
    paired = len({cell["linha"] for cell in cells})
    only = {f"so_em_{side}": len(own) - paired for side, own in zip("ab", rows, strict=True)}
    return {"tabela": name, **only, "celulas": cells}


def _has(columns: Sequence[Mapping[str, list[str]]], name: str, column: str) -> bool:
    """Whether every copy that has the table has the column."""
    return all(name not in own or column in own[name] for own in columns)


def _choose_key(rows: Sequence[list[Row]], columns: Sequence[str], key: tuple[str, ...]) -> list[int]:
    """Choose the columns that name a row that differs; none where no row does."""
    for names in (key, *((name,) for name in _IDS)):
        if not names or not set(names) <= set(columns):
            continue
        places = [columns.index(name) for name in names]
        if all(max(Counter(_name(row, places) for row in side).values(), default=0) <= 1 for side in rows):
            return places
    return []


def _name(row: Row, places: Sequence[int]) -> str:
    return " · ".join("–" if row[place] is None else str(row[place]) for place in places)


def _pair(rows: Sequence[list[Row]], columns: Sequence[str], places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield the cells that differ of the rows that both sides have by their key."""
    if not places:
        return
    before = {_name(row, places): row for row in rows[0]}
    after = {_name(row, places): row for row in rows[1]}
    for name in sorted(before.keys() & after.keys()):
        for column, old, new in zip(columns, before[name], after[name], strict=True):
            if old != new:
                yield {"linha": name, "coluna": column, "a": old, "b": new}
