"""The published file in DuckDB clients of 1.4 and 1.5: `pytest -n 0 -m maquinas tests/integration/test_clients.py`.

Needs a package index that pip can reach: each client is installed in an environment of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lastro.manual import read_page
from lastro.quality.queries import ROOMS, join_selects, read_findings, read_queries
from tests.golden.expected import D

pytestmark = [pytest.mark.maquinas, pytest.mark.timeout(900)]
README = Path(__file__).parents[2] / "README.md"
ANSWER = """
import hashlib, json, sys, duckdb
con = duckdb.connect(sys.argv[1], read_only=True)
told = {}
for name, sql in json.load(sys.stdin).items():
    try:
        rows = sorted(map(repr, con.execute(sql).fetchall()))
        told[name] = [len(rows), hashlib.sha256(chr(10).join(rows).encode()).hexdigest()]
    except duckdb.Error as error:
        told[name] = str(error)
json.dump({"cliente": duckdb.__version__, "respostas": told}, sys.stdout)
"""
"""What a client does: it asks everything of the file, and tells how many rows came and what they were."""
ARGUMENTS = {
    "p_data_base": f"DATE '{D}'", "p_dia": f"DATE '{D}'", "p_de": "DATE '2026-03-01'", "p_ate": f"DATE '{D}'",
    "p_execucao": "2", "p_a": "1", "p_b": "2",
}  # fmt: skip
"""Parameter of a macro -> what stands for it."""


def _gather_questions(file: Path) -> dict[str, str]:
    """Give all that a client may ask: views, tables and macros, the recipes of the manual, README's, and the checks."""
    with duckdb.connect(str(file), read_only=True) as con:
        views = con.execute(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal UNION "
            "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
        macros = con.execute(
            "SELECT DISTINCT schema_name || '.' || function_name, parameters, function_type FROM duckdb_functions() "
            "WHERE NOT internal"
        ).fetchall()
    asked = {name: f"FROM {name}" for (name,) in views}
    for name, parameters, kind in macros:
        call = f"{name}({', '.join(ARGUMENTS[parameter] for parameter in parameters)})"
        asked[f"{name}()"] = f"FROM {call}" if kind == "table_macro" else f"SELECT {call}"
    there = {name.removeprefix("mart.") for (name,) in views if name.startswith("mart.")}
    for page, text in {
        "consultas": read_page("consultas"),
        "README": README.read_text(encoding="utf-8"),
    }.items():
        for place, sql in enumerate(re.findall(r"```sql\n(.*?)```", text, re.DOTALL)):
            asked[f"{page} {place}"] = sql
    for rule, query in read_queries(*ROOMS).items():
        if (joined := join_selects(query, there, tudo=True)) is not None:
            asked[rule] = joined
    return asked | {rule: finding.selects[0] for rule, finding in read_findings(*ROOMS).items()}


def _answer(python: Path, file: Path, questions: dict[str, str]) -> dict[str, Any]:
    told = subprocess.run(  # noqa: S603 - our own programs
        [str(python), "-c", ANSWER, str(file)], input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    answers: dict[str, Any] = json.loads(told.stdout)
    return answers


@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_a_client_answers_all_that_the_file_can_be_asked(two_runs: Path, tmp_path: Path, version: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path)], check=True)  # noqa: S603 - our own interpreter
    python = tmp_path / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"duckdb=={version}.*"], check=True)  # noqa: S603
    file = two_runs / "dados" / "ouro" / "lastro.duckdb"
    questions = _gather_questions(file)
    ours, theirs = (_answer(program, file, questions) for program in (Path(sys.executable), python))
    assert theirs["cliente"].startswith(f"{version}.")
    assert ours["cliente"] != theirs["cliente"]
    assert {name: told for name, told in ours["respostas"].items() if isinstance(told, str)} == {}
    assert {
        name: (told, ours["respostas"][name])
        for name, told in theirs["respostas"].items()
        if told != ours["respostas"][name]
    } == {}
    assert len(questions) > 250
