"""The page `dicionario` of the manual, rendered when it is asked for: what a company without records would publish.

Every table, view, column and macro stands in a file as lastro makes it, with the comments that the file carries; so the
page says what any client of DuckDB shows, and nothing is written down twice.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from lastro.bank.tables import list_lines
from lastro.calendar import BusinessCalendar
from lastro.catalogue import build_catalogue
from lastro.desk.tables import list_empty_tables
from lastro.grid.workbook import tables_of
from lastro.quality.queries import read_prelude
from lastro.reports.view import View
from lastro.schema.derivation import build_comments
from lastro.schema.frames import DERIVED, FRAMES
from lastro.schema.tables import SCHEMAS, TABLES
from lastro.settings import Empresa, Parametros
from lastro.transform.position import build_position
from lastro.warehouse.file.check_room import store_position, store_prelude, take_rows
from lastro.warehouse.file.dataset_views import store_datasets
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.file.report_tables import replace_report_tables
from lastro.warehouse.file.store import Warehouse

_HEAD = (
    "# Dicionário de dados",
    "",
    "Toda tabela, visão, coluna e macro, pelos comentários do armazém, que qualquer cliente de DuckDB 1.4 ou mais novo",
    "também mostra.",
    "`lastro manual mart.a_receber` imprime uma só, `lastro manual mart` um esquema. Valores em dinheiro são",
    "DECIMAL(18,2) em reais, com sinal; percentuais dizem `pct`; sim e não são BOOLEAN. As macros de `mart` dão o",
    "estado em qualquer dia; as de `hist`, qualquer execução ou dia lido, por inteiro. Cada macro só responde quando o",
    "arquivo é o que se abriu, não um anexado.",
)
_POSITION = (
    "O que decorre da data-base D e só existe em pandas, enquanto se fazem os relatórios: às colunas de `core.linhas`",
    "e `core.titulos` juntam-se estas. `data_competencia_ef` e `competencia_presumida` são refeitas em D.",
)


Query = Callable[..., Sequence[tuple[Any, ...]]]
_DAY = date(2000, 1, 3)


@cache
def render_dictionary() -> str:
    """Write the dictionary: every table, view and macro of a company's file, with its columns, types and comments."""
    with tempfile.TemporaryDirectory(prefix="lastro-") as folder, Warehouse(Path(folder)) as warehouse:
        _fill(warehouse)
        return describe_file(warehouse.query)


def _fill(warehouse: Warehouse) -> None:
    """Make what a run of a company without records makes."""
    parametros = Parametros()
    empresa = Empresa("vazia", "Vazia", "https://servico.exemplo", "TOKEN", parametros=parametros)
    position = build_position(
        warehouse.read_core(),
        data_base=_DAY,
        data_extracao=_DAY,
        parametros=parametros,
        calendario=BusinessCalendar(),
    )
    catalogue = build_catalogue(View(position, empresa))
    with warehouse.transaction():
        replace_report_tables(warehouse, [*tables_of(catalogue.reports), list_lines(None, None), *list_empty_tables()])
        report = {"execucao_id": 1, "empresa": empresa.id, "data_base": _DAY, "data_extracao": _DAY}
        store_prelude(warehouse, report, read_prelude())
        store_position(warehouse, take_rows(position))
        store_datasets(warehouse)
        create_macros(warehouse, empresa.id)
        for table in TABLES.values():
            warehouse.comment(build_comments(table))


def describe_file(query: Query) -> str:
    """Write the dictionary of an open file of a company, which answers questions in SQL with rows."""
    lines = list(_HEAD)
    columns: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for schema, table, *column in query(
        "SELECT schema_name, table_name, column_name, data_type, coalesce(comment, '') FROM duckdb_columns() "
        "WHERE NOT internal ORDER BY schema_name, table_name, column_index"
    ):
        columns.setdefault((schema, table), []).append((column[0], column[1], column[2]))
    for schema, meaning in SCHEMAS.items():
        if schema == "interno":
            continue
        lines += ["", f"## {schema}", "", meaning[0].upper() + meaning[1:] + "."]
        tables = query(
            "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = $1 AND NOT internal UNION ALL"
            " SELECT view_name, comment FROM duckdb_views() WHERE schema_name = $1 "
            "AND NOT internal ORDER BY 1",
            [schema],
        )
        for table, comment in tables:
            lines += ["", f"### {schema}.{table}", "", f"{comment}.", "", "| coluna | tipo | significado |"]
            lines.append("|---|---|---|")
            lines += [f"| {name} | {type_} | {text} |" for name, type_, text in columns[schema, table]]
        macros = query(
            "SELECT DISTINCT function_name, parameters, comment FROM duckdb_functions() WHERE schema_name = $1 AND "
            "NOT internal ORDER BY 1",
            [schema],
        )
        if macros:
            lines += ["", f"### Macros de {schema}", "", "| macro | dá |", "|---|---|"]
            lines += [
                f"| {schema}.{name}({', '.join(parameter.removeprefix('p_') for parameter in parameters)}) | {text} |"
                for name, parameters, text in macros
            ]
    return "\n".join([*lines, *_describe_position()]) + "\n"


def _describe_position() -> list[str]:
    """Write the chapter of columns that no table holds: those derived from D while reports are made."""
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
