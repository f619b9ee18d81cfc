"""How often Python looks for cycles."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from lastro.garbage import ALLOCATED, OF_A_COMMAND, collect_seldom


def test_only_the_youngest_are_left_longer_and_nobody_shortens_it() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, *before[1:])  # another test of this process may have asked for it
    try:
        collect_seldom()
        assert gc.get_threshold() == (ALLOCATED, *before[1:])
        collect_seldom(OF_A_COMMAND)
        collect_seldom()
        assert gc.get_threshold() == (OF_A_COMMAND, *before[1:])
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("code", "allocated"),
    [
        ("from lastro.cli import main; main(['sql', '--help'], standalone_mode=False); import pipelines", OF_A_COMMAND),
        ("import pipelines", ALLOCATED),
    ],
)
def test_commands_and_dagsters_processes_do(code: str, allocated: int) -> None:
    told = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", f"{code}; import gc; print(gc.get_threshold()[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[-1] == str(allocated)
