"""What many of these tests begin with: a company that was read and published once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, run_served, write_golden


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the golden company after its first run: `copy_golden` copies it, nobody changes it."""
    folder = tmp_path_factory.mktemp("primeira")
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        run_served(write_golden(folder, service.base_url), expected.D)
    return folder
