"""What the processes of a batch are forked with: a module that is missing there would be loaded by each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from lastro.run import needed, stages
from lastro.warehouse import runs


def imported_late(path: Path) -> Iterator[str]:
    """Name the modules that the functions of a module import when they are called."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and node.module:
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
                    yield from names if node.module == "lastro.warehouse" else [node.module]


def test_what_stages_load_when_it_is_their_turn_is_there_before() -> None:
    optional = "lastro.warehouse.delta"
    late = set(imported_late(Path(stages.__file__))) - {optional}
    brought = {runs.__name__}  # each of them stands on it
    assert {"lastro.run.read", "lastro.run.deliver", "lastro.run.begin"} < late
    assert late <= {part.__name__ for part in needed.PARTS} | brought
