"""What the checks V of a run say of three random companies, and nobody else: a family of `tests.tools.mutation`.

The name of the module keeps pytest from collecting it: tests that run by default ask the same and more.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from lastro_sandbox import create_app, serve
from tests.random_companies import company
from tests.served import TOKEN
from tests.troubled import Mornings, make_company
from tests.unit.quality.checked_books import check_books, load_company

HOSTILE = {100: {"V12", "V13", "V16", "V20"}, 101: {"V12", "V16", "V19", "V20"}}
"""Seed -> the checks that its records fail while the source is whole."""
TROUBLED = 1


@pytest.mark.parametrize("seed", HOSTILE)
def test_a_hostile_company(seed: int) -> None:
    results = check_books(load_company(company(seed, duplicatas=False)))
    assert {result.id for result in results.values() if result.failed} <= HOSTILE[seed]


def test_a_company_in_trouble(tmp_path: Path) -> None:
    """Two mornings with every option: statements, both desks, a budget, scopes, a scenario."""
    troubled = make_company(TROUBLED)
    with serve(create_app(troubled.books, token=TOKEN)) as service:
        mornings = Mornings.begin(troubled, tmp_path, service.base_url)
        mornings.run("primeira")
        mornings.type_notes()
        mornings.pass_to(troubled.today + timedelta(3))
        mornings.run("segunda")
    assert [check.id for _, result in mornings.results for check in result.failed] == []
