"""The examples in docstrings are true: every module of lastro and of the sandbox that has one."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import lastro
import lastro_sandbox

MODULES = sorted(
    info.name
    for package in (lastro, lastro_sandbox)
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    if not info.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))) > 20
