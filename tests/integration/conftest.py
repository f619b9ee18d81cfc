"""What many of these tests begin with: a company that was read and published once."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lastro_sandbox import Running, create_app, golden_company, serve
from tests.served import TOKEN, copy_golden

if TYPE_CHECKING:
    import dagster as dg

    from lastro.settings import Settings


@pytest.fixture
def settings(first_run: Path, tmp_path: Path) -> Settings:
    """The golden company after its first run; nobody answers for its service."""
    return copy_golden(first_run, tmp_path, "http://127.0.0.1:1")


@pytest.fixture
def golden(first_run: Path, tmp_path: Path) -> Iterator[tuple[Settings, Running]]:
    """The golden company, read and published once, on a service that is still there."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        yield copy_golden(first_run, tmp_path, service.base_url), service


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the golden company is served, for all tests of a module."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        yield service.base_url


@pytest.fixture
def instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The Dagster of that company."""
    import dagster  # loaded by the tests that need it

    from lastro_pipelines.execution import prepare_home

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
