"""What the tests of several runs begin with: a warehouse with one, loaded once per session."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.books import make_empresa
from tests.golden import dataset
from tests.histories import load_run


@pytest.fixture(scope="session")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the golden run of 27/02, recorded as run 1: to be copied, never changed."""
    pasta = tmp_path_factory.mktemp("uma")
    empresa = make_empresa(dataset.CONTAS, dataset.PARAMETROS)
    with load_run(pasta, dataset.payloads(anterior=True), empresa, date(2026, 2, 27), 1):
        pass
    return pasta
