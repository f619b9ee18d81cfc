"""The reference calculation is worth something only while it shares nothing with what it judges."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import tests.golden
import tests.oracle


def test_only_the_standard_library_is_imported():
    # The data and the figures; the tests beside them run lastro on them.
    files = [
        path
        for package in (tests.oracle, tests.golden)
        for path in Path(package.__path__[0]).glob("*.py")
        if not path.name.startswith("test_")
    ]
    foreign = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                foreign |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                foreign.add((node.module or "").split(".")[0])
    assert len(files) > 15
    assert foreign <= set(sys.stdlib_module_names)


def test_no_amount_is_a_float():
    for path in Path(tests.oracle.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "float", path.name
