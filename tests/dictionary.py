"""The page `dicionario` of the manual: the comments that the warehouse carries, and the columns as of D.

`python -m tests.consultas` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from lastro.schema.frames import DERIVED, FRAMES
from lastro.schema.tables import SCHEMAS

_HEAD = (
    "# Dicionário de dados",
    "",
    "Toda tabela, visão, coluna e macro, pelos comentários do armazém, que qualquer cliente de DuckDB também mostra.",
    "`lastro manual mart.a_receber` imprime uma só, `lastro manual mart` um esquema. Valores em dinheiro são",
    "DECIMAL(18,2) em reais, com sinal; percentuais dizem `pct`; sim e não são BOOLEAN. As macros de `mart` dão o",
    "estado em qualquer dia; as de `hist`, qualquer execução ou dia lido, por inteiro. Cada macro só responde quando o",
    "arquivo é o que se abriu, não um anexado.",
)
_POSITION = (
    "O que decorre da data-base D e só existe em pandas, enquanto se fazem os relatórios: às colunas de `core.linhas`",
    "e `core.titulos` juntam-se estas. `data_competencia_ef` e `competencia_presumida` são refeitas em D.",
)


def render_dictionary(published: Path) -> str:
    """Write the dictionary of a published warehouse: every table and view with its columns, types and comments."""
    lines = list(_HEAD)
    with duckdb.connect(str(published), read_only=True) as con:
        for schema, meaning in SCHEMAS.items():
            if schema == "rel":
                continue
            lines += ["", f"## {schema}", "", meaning[0].upper() + meaning[1:] + "."]
            tables = con.execute(
                "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = $1 AND NOT internal UNION ALL"
                " SELECT view_name, comment FROM duckdb_views() WHERE schema_name = $1 "
                "AND NOT internal ORDER BY 1",
                [schema],
            ).fetchall()
            for table, comment in tables:
                lines += ["", f"### {schema}.{table}", "", f"{comment}.", "", "| coluna | tipo | significado |"]
                lines.append("|---|---|---|")
                columns = con.execute(
                    "SELECT column_name, data_type, coalesce(comment, '') FROM duckdb_columns() WHERE schema_name = $1 "
                    "AND table_name = $2 ORDER BY column_index",
                    [schema, table],
                ).fetchall()
                lines += [f"| {name} | {type_} | {text} |" for name, type_, text in columns]
            macros = con.execute(
                "SELECT DISTINCT function_name, parameters, comment FROM duckdb_functions() WHERE schema_name = $1 AND "
                "NOT internal ORDER BY 1",
                [schema],
            ).fetchall()
            if macros:
                lines += ["", f"### Macros de {schema}", "", "| macro | dá |", "|---|---|"]
                lines += [
                    f"| {schema}.{name}({', '.join(one.removeprefix('p_') for one in parameters)}) | {text} |"
                    for name, parameters, text in macros
                ]
    return "\n".join([*lines, *_describe_position()]) + "\n"


def _describe_position() -> list[str]:
    """Write the chapter of what no table holds: what follows from D while reports are made."""
    lines = ["", "## position", "", *_POSITION]
    for name, columns in DERIVED.items():
        lines += [
            "",
            f"### {name}",
            "",
            f"{FRAMES[name].grain}.",
            "",
            "| coluna | tipo | significado |",
            "|---|---|---|",
        ]
        lines += [f"| {column.name} | {column.dtype} | {column.comment} |" for column in columns]
    return lines
