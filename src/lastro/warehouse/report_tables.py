"""A report's figures as a table of `rel` and a view of `mart`, typed and commented; no Decimal becomes a float."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

import pandas as pd

from lastro.grid.cells import Kind, Value
from lastro.grid.model import Table
from lastro.schema.derive import quote
from lastro.warehouse.store import Warehouse

_KIND_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.LINK: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.DATE: "DATE",
    Kind.MONTH: "DATE",
    # No sum of a list reaches it: `AmountsTooLarge` refuses the list before.
    Kind.MONEY: "DECIMAL(18,2)",
    Kind.PERCENT: "DECIMAL(24,2)",
    Kind.NUMBER: "DECIMAL(18,1)",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.BOOLEAN: "BOOLEAN",
}
_UNITS = {Kind.MONEY: " (reais)", Kind.PERCENT: " (por cento)"}


def replace_report_tables(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Replace every table of `rel` and every view of `mart` by those of this run; what it does not have goes.

    Analysts see the views; the tables behind them stand out of sight.
    """
    for kind, schema in (("VIEW", "mart"), ("TABLE", "rel")):
        names = warehouse.query(
            f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE schema_name = ? AND NOT internal", [schema]
        )
        for (name,) in names:
            warehouse.con.execute(f"DROP {kind} {schema}.{name}")
    for table in tables:
        write_report_table(warehouse, table)


def write_report_table(warehouse: Warehouse, table: Table) -> None:
    """Write the figures of a report as `rel.<name>` with the view `mart.<name>`, typed and commented."""
    columns = table.columns
    names = [column.key for column in columns]
    types = [_KIND_TYPES[column.kind] for column in columns]
    cells = list(zip(*table.rows, strict=True)) or [()] * len(names)
    data = {name: _storable_column(values) for name, values in zip(names, cells, strict=True)}
    warehouse.con.register("entrada", pd.DataFrame(data, columns=names))
    casts = ", ".join(f'("{name}"::VARCHAR)::{type_} AS "{name}"' for name, type_ in zip(names, types, strict=True))
    warehouse.con.execute(f"CREATE TABLE rel.{table.name} AS SELECT {casts} FROM entrada")
    warehouse.con.unregister("entrada")
    warehouse.con.execute(f"CREATE VIEW mart.{table.name} AS FROM rel.{table.name}")
    for kind, target in (("TABLE", f"rel.{table.name}"), ("VIEW", f"mart.{table.name}")):
        warehouse.con.execute(f"COMMENT ON {kind} {target} IS {quote(table.comment)}")
    for column in columns:
        meaning = quote(f"{column.header}{_UNITS.get(column.kind, '')}")
        warehouse.con.execute(f'COMMENT ON COLUMN mart.{table.name}."{column.key}" IS {meaning}')


def _storable_column(values: Sequence[Value]) -> pd.Series:
    """Give SQL a column that it casts exactly: integers as they are, the rest as text; no Decimal becomes a float."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {int}:
        return pd.Series(values, dtype="Int64")
    if kinds <= {str}:
        return pd.Series(values, dtype=object)
    if kinds <= {date, datetime}:
        # Days repeat: each is written once.
        texts = {value: None if value is None else str(value) for value in set(values)}
        return pd.Series([texts[value] for value in values], dtype=object)
    return pd.Series([_storable(value) for value in values], dtype=object)


def _storable(value: Value) -> str | None:
    """Write a cell as text that SQL casts exactly; Decimal never passes through a float."""
    if value is None:
        return None
    text = str(value)
    # str is a third of the time of a format; only an exponent needs one.
    return f"{value:f}" if isinstance(value, Decimal) and "E" in text else text
