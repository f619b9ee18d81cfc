"""A report's figures as a table and a view of `mart`, typed and commented; no Decimal passes through a float."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

import pandas as pd

from lastro.grid.model import Kind, Table, Value
from lastro.schema.derive import quote
from lastro.warehouse.store import Warehouse

_KIND_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.LINK: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.DATE: "DATE",
    Kind.MONTH: "DATE",
    # A total may be larger than any one amount; an int64 of centavos always fits.
    Kind.MONEY: "DECIMAL(20,2)",
    Kind.PERCENT: "DECIMAL(24,2)",
    Kind.NUMBER: "DECIMAL(18,1)",
    Kind.TIMESTAMP: "TIMESTAMP",
}


def write_report_table(warehouse: Warehouse, table: Table) -> None:
    """Replace `mart.<name>` by a report's figures and point `mart.vw_<name>` at it, typed and commented."""
    columns = table.columns
    names = [column.key for column in columns]
    types = [_KIND_TYPES[column.kind] for column in columns]
    cells = list(zip(*table.rows, strict=True)) or [()] * len(names)
    data = {name: _storable_column(values) for name, values in zip(names, cells, strict=True)}
    warehouse.con.register("entrada", pd.DataFrame(data, columns=names))
    casts = ", ".join(f'("{name}"::VARCHAR)::{type_} AS "{name}"' for name, type_ in zip(names, types, strict=True))
    warehouse.con.execute(f"CREATE OR REPLACE TABLE mart.{table.name} AS SELECT {casts} FROM entrada")
    warehouse.con.unregister("entrada")
    warehouse.con.execute(f"CREATE OR REPLACE VIEW mart.vw_{table.name} AS SELECT * FROM mart.{table.name}")
    rule = table.name.split("_")[0].upper()
    for kind, target in (("TABLE", f"mart.{table.name}"), ("VIEW", f"mart.vw_{table.name}")):
        warehouse.con.execute(f"COMMENT ON {kind} {target} IS {quote(table.comment)}")
        for column in columns:
            meaning = quote(f"{rule}: {column.header}")
            warehouse.con.execute(f'COMMENT ON COLUMN {target}."{column.key}" IS {meaning}')


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
