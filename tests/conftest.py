"""Say of each test whether it is quick, whether CI counts what it covers, and in which order modules are handed out.

And what no test may depend on: luck, and how busy the machine is.
"""

from __future__ import annotations

import atexit
import gc
import os
import ssl
import sys
from collections.abc import Iterator
from functools import cache
from inspect import signature
from pathlib import Path
from zlib import crc32

import certifi
import httpx
import hypothesis
import pytest

from lastro.garbage import collect_seldom
from tests.kept import make_once

# Else every process that a test starts would compile all of ours again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What Dagster and the settings of this machine say is nobody's here.
for _name in ("DAGSTER_HOME", "LASTRO_CONFIG"):
    os.environ.pop(_name, None)

# The same examples every time, however long each takes; `.ci/longo` draws others, and more.
hypothesis.settings.register_profile("lastro", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.register_profile("longo", deadline=None, max_examples=300, print_blob=True)
hypothesis.settings.load_profile("lastro")

# What a test asks by `httpx.get` and the like is waited for as long as what it asks by its own client.
_patience: httpx.Timeout = signature(httpx.get).parameters["timeout"].default
_patience.connect = _patience.read = _patience.write = _patience.pool = 60.0

TESTS = Path(__file__).parent
# Each client reads the world's authorities, 30 ms, and no test asks them: one whose key is gone stands for them all.
# What the tests' own clients read, which may be what this machine's variables name, is read once.
pytest.MonkeyPatch().setattr(ssl, "create_default_context", cache(ssl.create_default_context))
pytest.MonkeyPatch().setattr(certifi, "where", lambda: str(TESTS / "stored/tls/world.pem"))

UNIT, INTEGRATION = TESTS / "unit", TESTS / "integration"
AGAIN = tuple(
    TESTS / place
    for place in (
        "integration",
        "unit/export/test_golden_workbook.py",
        "unit/extract/test_drift.py",
        "unit/quality",
        "unit/reports",
        "unit/sandbox/test_sandbox_search.py",
        "unit/test_frames.py",
        "unit/transform/test_charges.py",
        "unit/transform/test_composites.py",
        "unit/transform/test_habits.py",
        "unit/transform/test_position.py",
        "unit/transform/test_scenarios_random.py",
        "unit/warehouse/loading/test_conformer.py",
        "unit/warehouse/loading/test_history.py",
        "unit/warehouse/test_history_absences.py",
        "unit/warehouse/test_opening_entries.py",
        "unit/warehouse/publication/test_copies.py",
    )
)
"""Folders and modules that walk what whole runs and others have walked, for other values: CI's coverage counts none of
their tests (6 lines of 1,000 are walked by them alone), which takes a third less long."""
COUNTED = frozenset(
    TESTS / place
    for place in (
        "integration/test_cli.py",
        "integration/test_first_steps.py",
        "integration/test_sql.py",
        "integration/test_statements.py",
        "integration/test_diff.py",
        "integration/test_dagster.py",
        "integration/test_dagster_jobs.py",
        "integration/test_doctor.py",
        "integration/test_group.py",
        "integration/test_bank.py",
        "integration/test_budget.py",
        "integration/test_closing.py",
        "integration/test_payments.py",
        "unit/quality/test_checks_random.py",
        "unit/quality/test_r15_data_quality.py",
        "unit/reports/test_r04_monthly_flow.py",
        "unit/reports/test_r06_income_statement.py",
        "unit/reports/test_r11_charges.py",
        "unit/reports/test_r12_people.py",
        "unit/reports/test_r14_sentences.py",
        "unit/reports/test_r10_overdue.py",
        "unit/reports/test_r16_entries.py",
        "unit/reports/test_r18_budget.py",
        "unit/reports/test_r23_forecast.py",
        "unit/reports/test_r19_comparatives.py",
    )
)
"""What it counts of them all the same."""

SECONDS = tuple(
    UNIT / place
    for place in (
        "analysis",
        "bank",
        "closing",
        "desk",
        "entrada/test_door.py",
        "export",
        "operation/test_hostile_peers.py",
        "operation/test_retention.py",
        "quality",
        "reports",
        "run",
        "sandbox",
        "test_cover.py",
        "test_doctests.py",
        "test_entry.py",
        "test_frames.py",
        "test_packaging.py",
        "transform",
        "warehouse",
    )
)
"""What serves, writes warehouses or workbooks, makes positions, starts processes, waits or opens hostile files.

It is `medio`, as what says so by itself."""

NOT_QUICK = frozenset({"medio", "longo", "maquinas"})

SHARES = range(10)
MINUTES = frozenset({INTEGRATION / "test_month.py"})
"""What is `longo` and in no share of it: 150 runs in one test. `.ci/longo` alone runs it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "of what is marked `longo`, and of properties, only the share of this number, from 0 to 9"
    parser.addoption("--decimo", type=int, choices=SHARES, help=help_text)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread what holds nothing that was asked for: reading all modules costs each worker ten seconds."""
    if config.option.markexpr != "rapido" or collection_path in UNIT.parents or collection_path == UNIT:
        return None
    return not stands_in(collection_path, (UNIT,)) or stands_in(collection_path, SECONDS) or None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share = config.getoption("decimo")
    if share is not None:
        items[:] = [item for item in items if share_of(item) in {share, None}]
    by_test = bool(config.getoption("cov_context", None))  # tests.tools.mutation asks who walks what
    for item in items:
        if stands_in(item.path, SECONDS):
            item.add_marker(pytest.mark.medio)
        if stands_in(item.path, (UNIT,)) and not NOT_QUICK & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.rapido)
        if not by_test and walks_again(item):
            item.add_marker(pytest.mark.no_cover)
    # Each worker takes a module at a time: the slow ones first, so that all end together.
    slow = {item.path for item in items if stands_in(item.path, (INTEGRATION,)) or any(item.iter_markers("medio"))}
    items.sort(key=lambda item: (not stands_in(item.path, (INTEGRATION,)), item.path not in slow))


def give_back_environment() -> Iterator[None]:
    """Take back what is left in the environment: `prepare_home` names Dagster's home there for its process."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


own_environment = pytest.fixture(give_back_environment, autouse=True)
module_environment = pytest.fixture(give_back_environment, autouse=True, scope="module")
"""For what a module's fixtures leave: they begin before those of its tests."""


@pytest.fixture(scope="session")
def first_run(pytestconfig: pytest.Config) -> Path:
    """The folder of the golden company after its first run: `copy_golden` copies it, nobody changes it."""
    from tests.served import run_golden  # loaded by the tests that need it

    return make_once(pytestconfig, "primeira", run_golden)


@pytest.fixture(scope="session")
def two_runs(pytestconfig: pytest.Config) -> Path:
    """The folder of the golden company after its runs of 27/02 and, with a scope and a closing, of 16/03: copy it."""
    from tests.tools.consultas import run_twice  # loaded by the tests that need it

    return make_once(pytestconfig, "duas", run_twice)


@pytest.fixture(scope="session")
def told_run(pytestconfig: pytest.Config) -> Path:
    """The folder of a golden company after `lastro run --json` and a check that failed, with what it told: copy it."""
    from tests.integration.told import run_told  # loads Dagster

    return make_once(pytestconfig, "dita", run_told)


@pytest.fixture(scope="session")
def demo_run(pytestconfig: pytest.Config) -> Path:
    """The folder of the company of `lastro demo` after its run on 23/11/2026, with rows for every desk: copy it."""
    from tests.integration.shown import run_shown

    return make_once(pytestconfig, "demonstracao", run_shown)


@pytest.fixture(scope="session")
def monday_run(pytestconfig: pytest.Config) -> Path:
    """The folder of the golden company with its payments desk after its run of Monday 16/03: copy it."""
    from tests.payables import run_monday

    return make_once(pytestconfig, "segunda", run_monday)


@pytest.fixture(scope="session", autouse=True)
def made_side_by_side(request: pytest.FixtureRequest) -> None:
    """Have each worker make its share of the companies that are asked for, before any waits for another's."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if worker is not None:
        asked = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
        made = [name for name in ("first_run", "two_runs", "told_run", "demo_run", "monday_run") if name in asked]
        for name in made[int(worker.removeprefix("gw")) :: workers]:
            request.getfixturevalue(name)


def pytest_collection_finish() -> None:
    """Let what was loaded out of every search for cycles: a third of a second each, and some tests ask for one."""
    gc.collect()
    gc.freeze()
    collect_seldom()  # as every command does
    atexit.register(gc.unfreeze)  # else DuckDB's binding tells of objects that leak


def share_of(item: pytest.Item) -> int | None:
    """Draw the share of a `longo` test from its module and parameters: what a fixture gives to several is made once.

    Properties are drawn as well, which `.ci/longo` gives other examples. None for all other tests, and a share that
    nobody asks for for what takes minutes alone.
    """
    if not any(item.iter_markers("longo")) and not is_property(item):
        return None
    if item.path in MINUTES:
        return len(SHARES)
    parameters = getattr(getattr(item, "callspec", None), "id", item.name)
    return crc32(f"{item.path.name} {parameters}".encode()) % 10


def walks_again(item: pytest.Item) -> bool:
    """Tell whether a test walks lines that others have walked: of a module of `AGAIN`, for another seed, a property.

    Counting takes nearly half as long again as the test itself.
    """
    if stands_in(item.path, AGAIN) and item.path not in COUNTED:
        return True
    seeded = "seed" in getattr(getattr(item, "callspec", None), "params", ())
    return seeded or is_property(item)


def is_property(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "obj", None), "hypothesis")


@cache
def stands_in(module: Path, places: tuple[Path, ...]) -> bool:
    return any(module.is_relative_to(place) for place in places)
