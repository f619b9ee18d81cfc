"""Golden books for the checks, loaded once per session."""

from __future__ import annotations

import pytest

from tests.marks import EACH_SHAPE
from tests.unit.quality.checked_books import Books, check_books, load_earlier, load_golden

_CACHE: dict[str, Books] = {}


@pytest.fixture(scope="session")
def books_of(tmp_path_factory: pytest.TempPathFactory):
    """Golden books by shape of the composite, loaded and reported once per session."""
    before = load_earlier(tmp_path_factory.mktemp("anterior"))

    def books(forma: str) -> Books:
        if forma not in _CACHE:
            _CACHE[forma] = load_golden(tmp_path_factory.mktemp(f"ouro{forma}"), forma, before)
        return _CACHE[forma]

    return books


@pytest.fixture(scope="session")
def books(books_of) -> Books:
    return books_of("A")


@pytest.fixture(params=EACH_SHAPE)
def each_shape(request: pytest.FixtureRequest, books_of) -> Books:
    return books_of(request.param)


@pytest.fixture(scope="session")
def verified(books: Books):
    return check_books(books)
