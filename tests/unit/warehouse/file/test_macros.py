"""The macros stay while their text does, and so do their comments and those of tables that are never replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro.schema.tables import VERSIONED
from lastro.warehouse.file.blocks import USUAL, copy_to
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.file.store import Warehouse

MADE = """SELECT schema_name, function_name, function_oid FROM duckdb_functions()
WHERE database_name = current_database() AND NOT internal ORDER BY ALL"""
SAID = """SELECT schema_name || '.' || function_name, macro_definition, comment FROM duckdb_functions()
WHERE database_name = current_database() AND NOT internal UNION ALL
SELECT schema_name || '.' || table_name || '.' || column_name, data_type, comment FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name IN ('raw', 'ops', 'hist', 'banco') ORDER BY ALL"""


@pytest.fixture
def pasta(tmp_path: Path) -> Path:
    """A folder whose file has the macros of a company."""
    with Warehouse(tmp_path) as warehouse, warehouse.transaction():
        create_macros(warehouse, "ouro")
    return tmp_path


def test_macros_stay_while_they_would_be_the_same(pasta: Path) -> None:
    with Warehouse(pasta) as warehouse:
        made, said = warehouse.query(MADE), warehouse.query(SAID)
        assert len(made) == 2 * len([*VERSIONED, "linha_tags"]) + len(
            ["linhas", "titulos", "saldos", "entre", "data", "mudancas"]
        )
        assert not [name for name, _, comment in said if comment is None]
        create_macros(warehouse, "ouro")
        assert (warehouse.query(MADE), warehouse.query(SAID)) == (made, said)
        create_macros(warehouse, "prata")
        new = warehouse.query(MADE)
        assert [row[:2] for row in new] == [row[:2] for row in made]
        assert not {row[2] for row in new} & {row[2] for row in made}
        text = next(text for name, text, _ in warehouse.query(SAID) if name == "mart.data_base")
        assert "'prata'" in text


def test_a_file_that_is_written_anew_has_them_whole(pasta: Path) -> None:
    """A later run makes none of them again there: the copy says of which text they are."""
    with Warehouse(pasta) as warehouse:
        said = warehouse.query(SAID)
        copy_to(warehouse.con, pasta / "copia.duckdb", USUAL)
    (pasta / "copia.duckdb").replace(warehouse.path)
    with Warehouse(pasta) as copied:
        assert copied.query(SAID) == said


def test_what_was_rolled_back_is_made_again(pasta: Path) -> None:
    with Warehouse(pasta) as warehouse:
        said = warehouse.query(SAID)
        warehouse.con.execute("BEGIN")
        create_macros(warehouse, "prata")
        warehouse.con.execute("ROLLBACK")
        assert warehouse.query(SAID) == said
        create_macros(warehouse, "prata")
        assert warehouse.query(SAID) != said
