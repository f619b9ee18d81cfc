"""Say of each test whether it is quick, whether CI counts what it covers, and in which order modules are handed out."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
UNIT, INTEGRATION = TESTS / "unit", TESTS / "integration"
COUNTED = frozenset({"test_cli.py", "test_dagster.py", "test_doctor.py", "test_group.py"})
"""The modules of `integration` that CI's coverage counts."""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if UNIT in item.path.parents and not any(item.iter_markers("medio")) and not any(item.iter_markers("longo")):
            item.add_marker(pytest.mark.rapido)
        if walks_again(item):
            item.add_marker(pytest.mark.no_cover)
    # Each worker takes a module at a time: the slow ones first, so that all end together.
    slow = {item.path for item in items if INTEGRATION in item.path.parents or any(item.iter_markers("medio"))}
    items.sort(key=lambda item: (INTEGRATION not in item.path.parents, item.path not in slow))


def walks_again(item: pytest.Item) -> bool:
    """Tell whether a test walks lines that others have walked: a whole run, or the same test for other seeds.

    Counting takes nearly as long again as the test itself.
    """
    if INTEGRATION in item.path.parents:
        return item.path.name not in COUNTED
    seeded = "seed" in getattr(getattr(item, "callspec", None), "params", ())
    return seeded or hasattr(getattr(item, "obj", None), "hypothesis")
