"""Golden books for the checks, loaded once per session."""

from __future__ import annotations

import pytest

from tests.marks import EACH_SHAPE
from tests.unit.quality.checked_books import Books, check_books, load_golden


@pytest.fixture(scope="session")
def books() -> Books:
    return load_golden("A")


@pytest.fixture(params=EACH_SHAPE)
def each_shape(request: pytest.FixtureRequest) -> Books:
    return load_golden(request.param)


@pytest.fixture(scope="session")
def verified(books: Books):
    return check_books(books)
