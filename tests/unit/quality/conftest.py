"""Let the tests import `tests.books` and the golden data whatever the way pytest was started."""

import sys
from pathlib import Path

import pytest

_ROOT = str(Path(__file__).resolve().parents[3])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

from checked_books import Books, check_books, load_earlier, load_golden  # noqa: E402 - needs the path above

from tests.golden.dataset import FORMAS_COMPOSTO  # noqa: E402

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


@pytest.fixture(params=FORMAS_COMPOSTO)
def each_shape(request: pytest.FixtureRequest, books_of) -> Books:
    return books_of(request.param)


@pytest.fixture(scope="session")
def verified(books: Books):
    return check_books(books)
