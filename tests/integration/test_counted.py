"""What a run of the smallest company does, by count: a morning that grows slower says so here, on any machine.

It is a second run. Who raises a bound says in the commit what it buys.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, TOKEN_VARIABLE, copy_golden

ROOT = Path(__file__).parents[2]
BOUNDS = {
    # 310 for the checks and what is laid out for them, 200 for the loading, 100 for the tables of reports.
    "statements": (990, "of DuckDB: each is parsed, bound and planned, a millisecond for however few rows"),
    "modules": (2050, "imported: a sixth of a small company's morning"),
    "rows": (3200, "made one by one of what is kept by column: what a report asks of few; of many it asks columns"),
}
"""What is counted -> how much of it a run may do, and what that is. A twentieth more than it did lately: a report or a
check that is added fits in, something done once a row or once a table does not."""


@pytest.fixture(scope="module")
def counts(told_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the second run of the golden company did."""
    place = tmp_path_factory.mktemp("contada")
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        copy_golden(told_run, place, service.base_url)
        command = ["-m", "tests.tools.counted", "contagem.json", "run", "--data-extracao", expected.D.isoformat()]
        env = {name: value for name, value in os.environ.items() if not name.startswith(("LASTRO_", "DAGSTER_"))}
        done = subprocess.run(  # noqa: S603 - our own interpreter and code
            [sys.executable, *command], cwd=place, env={**env, TOKEN_VARIABLE: TOKEN, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads((place / "contagem.json").read_text(encoding="utf-8"))
    return told


@pytest.mark.parametrize("name", BOUNDS)
def test_a_morning_does_no_more_than_it_is_known_to_need(counts: Mapping[str, Any], name: str) -> None:
    bound, why = BOUNDS[name]
    where = "\n".join(f"{times} {place}" for place, times in counts["places"].get(name, {}).items())
    assert counts[name] <= bound, f"{counts[name]} {name} {why}; most of them from\n{where}"


def test_nothing_of_the_company_is_open_when_it_ends(counts: Mapping[str, Any]) -> None:
    """What is left open at the end is closed by nobody (DEC129)."""
    assert counts["open"] == []
