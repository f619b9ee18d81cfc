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

from lastro.settings import load_settings
from lastro_sandbox import create_app, make_company, serve
from tests.served import TOKEN, copy_golden, make_once, run_served, write_settings

DESK_DAY = date(2026, 11, 21)

if TYPE_CHECKING:
    import dagster as dg

    from lastro.settings import Settings


@pytest.fixture(scope="session")
def told_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the golden company after `lastro run --json`, with what it told: copy it, nobody changes it."""
    from tests.integration.told import run_told  # loads Dagster

    return make_once(tmp_path_factory, "dita", run_told)


@pytest.fixture(scope="session")
def desk_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a made-up company with rows for every desk, after its first run on 21/11/2026: copy it."""

    def run(folder: Path) -> None:
        books = make_company(seed=1, lancamentos=2000, hoje=DESK_DAY)
        with serve(create_app(books, token=TOKEN)) as service:
            write_settings(folder, books, service.base_url)
            path = folder / "lastro.toml"
            text = path.read_text(encoding="utf-8")
            path.write_text(
                text.replace("[[empresa]]", '[[empresa]]\nresponsaveis = ["Ana", "Bia"]', 1), encoding="utf-8"
            )
            run_served(load_settings(path, {}, folder), DESK_DAY)

    return make_once(tmp_path_factory, "mesas", run)


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
