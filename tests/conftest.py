"""Mark what is quick enough to run before every commit: `pytest -m rapido`."""

from __future__ import annotations

from pathlib import Path

import pytest

UNIT = Path(__file__).parent / "unit"


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if UNIT in item.path.parents and not any(item.iter_markers("medio")) and not any(item.iter_markers("longo")):
            item.add_marker(pytest.mark.rapido)
