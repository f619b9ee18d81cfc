"""What many of these tests begin with: a company that was read and published once."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lastro.commands.demonstration import leave_typed
from lastro.settings import load_settings
from lastro_sandbox import add_life, create_app, describe_settings, make_company, serve
from tests.served import TOKEN, TOKEN_VARIABLE, copy_golden, make_once, run_served

DEMO_DAY = date(2026, 11, 23)

if TYPE_CHECKING:
    import dagster as dg

    from lastro.settings import Settings
    from lastro_sandbox import Books


@pytest.fixture(scope="session")
def told_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the golden company after `lastro run --json`, with what it told: copy it, nobody changes it."""
    from tests.integration.told import run_told  # loads Dagster

    return make_once(tmp_path_factory, "dita", run_told)


def make_demo_books() -> Books:
    return make_company(seed=1, lancamentos=2000, hoje=DEMO_DAY)


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the company of `lastro demo` after its run on 23/11/2026, with rows for every desk: copy it."""

    def run(folder: Path) -> None:
        books = make_demo_books()
        life = add_life(books)
        with serve(create_app(books, token=TOKEN)) as service:
            path = folder / "lastro.toml"
            path.write_text(describe_settings(books, service.base_url, TOKEN_VARIABLE, life), encoding="utf-8")
            settings = load_settings(path, {}, folder)
            leave_typed(settings, settings.empresas[0], books, life, DEMO_DAY)
            run_served(settings, DEMO_DAY, fechamento=date(2026, 10, 1))

    return make_once(tmp_path_factory, "demonstracao", run)


@pytest.fixture
def settings(first_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The golden company after its first run, and no other home of Dagster's; nobody answers for its service."""
    monkeypatch.setenv("DAGSTER_HOME", "")
    return copy_golden(first_run, tmp_path, "http://127.0.0.1:1")


@pytest.fixture
def instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The Dagster of that company."""
    import dagster  # loaded by the tests that need it

    from lastro.pipelines.execution import prepare_home

    prepare_home(settings)
    with dagster.DagsterInstance.get() as found:
        yield found


@pytest.fixture
def mount_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a file system of its own with options of tmpfs (`size=96m`), where the system lets us."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None or os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    with ExitStack() as mounted:

        def make(options: str) -> Path:
            folder = tmp_path / "disco"
            folder.mkdir()
            done = subprocess.run(  # noqa: S603 - a mount of our own
                [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
            )
            if done.returncode:
                pytest.skip("this system does not let us mount")
            mounted.callback(subprocess.run, [unmount, "-l", str(folder)], check=True)
            return folder

        yield make
