"""What follows from the columns and tables: DDL, comments, dtypes, casts between SQL and pandas."""

from __future__ import annotations

from collections.abc import Iterable

from lastro.schema.dictionary import MONEY, ColumnDef
from lastro.schema.tables import TABLES, TableDef

CENTAVOS = "_centavos"
INTEGER, INTEGER_OR_NULL, FLAG, FLAG_OR_NULL = "int64", "Int64", "bool", "boolean"
DAY, OBJECT = "datetime64[us]", "object"
NOT_NULL_DTYPES = {INTEGER_OR_NULL: INTEGER, FLAG_OR_NULL: FLAG}
_DTYPES = {
    MONEY: INTEGER_OR_NULL,
    "BIGINT": INTEGER_OR_NULL,
    "INTEGER": INTEGER_OR_NULL,
    "DATE": DAY,
    "TIMESTAMP": DAY,
    "BOOLEAN": FLAG_OR_NULL,
}
"""SQL type -> dtype of a column that may be null; of all others `OBJECT`."""


def quote(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def build_ddl(table: TableDef) -> str:
    """Write the CREATE TABLE of a table."""
    return f"CREATE TABLE IF NOT EXISTS {table.name} ({build_columns(table)})"


def build_columns(table: TableDef) -> str:
    """Write the columns of a table as they are declared."""
    return ", ".join(f'"{column.name}" {_declare(column.type)}' for column in table.definitions)


def _declare(type_: str) -> str:
    """Write a type; whole records, long and alike, take a quarter of the room and of the time in zstd."""
    return f"{type_} USING COMPRESSION zstd" if type_ == "JSON" else type_


def build_comments(table: TableDef) -> dict[str, str]:
    """Write the comments of a table and its columns, each with its rule: what `COMMENT ON` names -> the text."""
    columns = {f'COLUMN {table.name}."{column.name}"': column.comment for column in table.definitions}
    return {f"TABLE {table.name}": add_key(table.comment, table.key), **columns}


def add_key(comment: str, key: Iterable[str]) -> str:
    """Say after what a row of a table is which columns no two rows share; nothing is added without a key."""
    return "; chave: ".join(filter(None, (comment, ", ".join(key))))


def frame_column(column: ColumnDef) -> str:
    """Name the pandas column of an SQL column: money carries its unit."""
    return column.name + CENTAVOS if column.type == MONEY else column.name


def frame_dtype(column: ColumnDef) -> str:
    """Name the pandas dtype of an SQL column: it follows from type and `nullable`, never from the data."""
    dtype = _DTYPES.get(column.type, OBJECT)
    return dtype if column.nullable else NOT_NULL_DTYPES.get(dtype, dtype)


def cast_from_frame(column: ColumnDef) -> str:
    """Write the SQL that turns a column of a registered frame into its stored type; money stays exact."""
    source = f'"{frame_column(column)}"'
    if column.type == MONEY:
        return f'({source}::DECIMAL(18,0) * 0.01::DECIMAL(3,2))::{MONEY} AS "{column.name}"'
    return f'{source}::{column.type} AS "{column.name}"'


def cast_to_frame(column: ColumnDef) -> str:
    """Write the SQL that turns a stored column into what pandas can hold exactly."""
    source = f'"{column.name}"'
    if column.type == MONEY:
        # Beyond eighteen digits DECIMAL takes four times as long, and only the largest amounts need as many.
        short, long = f"try_cast({source} AS DECIMAL(15,2)) * 100::DECIMAL(3,0)", f"{source}::DECIMAL(20,2) * 100"
        return f'coalesce(({short})::BIGINT, ({long})::BIGINT) AS "{frame_column(column)}"'
    if column.type == "DATE":
        return f"{source}::TIMESTAMP AS {source}"
    if column.type == "INTEGER":
        return f"{source}::BIGINT AS {source}"
    if column.type.startswith("DECIMAL"):
        return f"{source}::VARCHAR AS {source}"
    if column.type == "BOOLEAN" and not column.nullable:
        # A run older than the column has null there (`lastro.warehouse.file.migration`).
        return f"coalesce({source}, false) AS {source}"
    return source


def versions_at(name: str, execucao: int | str, *, tags: bool = False) -> str:
    """Return the SQL of a core table as a recorded run left it, its columns in the order of the core table.

    Args:
        name: the table, without `core.`.
        execucao: number of the run, or SQL of it.
        tags: of linhas the ids of their tags, too, ascending; null for none.
    """
    if name == "linha_tags":
        chosen, history = "DISTINCT origem, linha_id, unnest(tags) AS tag_id", "linhas"
    else:
        numbered = "execucao_id" in TABLES[f"core.{name}"].columns
        dropped = ["valido_de", "valido_ate", "execucao_id", *(["tags"] if name == "linhas" else [])]
        number = f", {execucao}::BIGINT AS execucao_id" if numbered else ""
        tagged = ", nullif(tags, []) AS tags" if tags else ""
        chosen, history = f"* EXCLUDE ({', '.join(dropped)}){number}{tagged}", name
    return (  # names come from the schema itself
        f"SELECT {chosen} FROM hist.{history} WHERE valido_de <= {execucao} AND "  # noqa: S608
        f"(valido_ate IS NULL OR valido_ate > {execucao})"
    )
