"""No column of figures without a test or a check that names it: whoever adds one states a value of it by hand.

By names alone, which takes a second: that a value which is named is the right one, the tests themselves say.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from lastro.quality.queries import ROOMS, read_queries
from lastro.reports.registry import REPORTS
from lastro.schema.dictionary import read_dictionary

TESTS = Path(__file__).parents[2]
SURFACE = (TESTS / "golden/sql_surface.txt").read_text(encoding="utf-8")
FIGURES = {"MONEY", "PERCENT", "NUMBER", "DECIMAL", "INTEGER", "COUNT"}
OF_ROOMS = re.compile(r"unit/(desk|bank)/|integration/")
"""The tests of the views of no report: those of desks and of the bank."""
OTHERWISE = {
    "decisoes": {"valor_antes"},
    "pagamentos_decidir": {"saldo_antes"},
    "conferencias": {"na_execucao", "na_planilha"},
    "esquema": {"registros"},
    "rejeitados": {"pagina", "posicao"},
    "verificacoes": {"esperado", "registros"},
}
"""Columns that the tests of the payments desk call `antes`, and those of R15 read by their place in a row."""


@cache
def read_tests() -> dict[str, str]:
    paths = [path for room in ("golden", "unit", "integration") for path in (TESTS / room).rglob("*.py")]
    return {str(path.relative_to(TESTS.parent)): path.read_text(encoding="utf-8") for path in paths}


def find_report(view: str) -> str:
    """Find the report whose table a view is, of those that begin with its name the longest; "" is a room's."""
    own = [spec.code for spec in REPORTS if view in {getattr(table, "name", "") for table in spec.tables}]
    begun = sorted((len(spec.name), spec.code) for spec in REPORTS if f"{view}_".startswith(f"{spec.name}_"))
    return own[0] if own else begun[-1][1] if begun else ""


@cache
def find_tests(code: str) -> list[str]:
    """Find the tests that may state a figure: the golden ones, and each that imports the report."""
    imports = re.compile(rf"lastro\.reports(\.| import )r{code[1:]}_")
    return [
        path
        for path, text in read_tests().items()
        if "golden/" in path or (imports.search(text) if code else OF_ROOMS.search(path))
    ]


@cache
def read_words(code: str) -> set[str]:
    """Read what the tests of a report name: words, and what stands in quotes."""
    texts = [read_tests()[path] for path in find_tests(code)]
    return {word for text in texts for words in (r"\w+", r'"[^"\n]*"') for word in re.findall(words, text)}


def find_unstated(view: str, columns: list[str]) -> set[str]:
    """Find the columns of figures that no test names by key or header, and no check that asks the view by key."""
    asking = [select for query in read_queries(*ROOMS).values() for select in query.selects if f"mart.{view}" in select]
    named = read_words(find_report(view)).union(re.findall(r"\w+", " ".join(asking)))
    known = {key: read_dictionary()[key] for key in columns if key in read_dictionary() and not key.endswith("_id")}
    return {
        key for key, one in known.items() if one.kind in FIGURES and key not in named and f'"{one.header}"' not in named
    }


def test_a_column_of_figures_is_stated_by_hand_or_tied_by_a_check() -> None:
    views = dict(line.split(": ") for line in SURFACE.splitlines())
    found = {
        view: find_unstated(view, columns.split(", ")) - OTHERWISE.get(view, set()) for view, columns in views.items()
    }
    told = [f"{view}.{key}: in one of {find_tests(find_report(view))}" for view, keys in found.items() for key in keys]
    assert not told, "state a value of each by hand:\n" + "\n".join(told)


def test_what_is_said_to_be_stated_otherwise_is_named_nowhere() -> None:
    assert {view: find_unstated(view, sorted(keys)) for view, keys in OTHERWISE.items()} == OTHERWISE
