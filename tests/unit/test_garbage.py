"""How often Python looks for cycles."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

from lastro.garbage import ALLOCATED, OF_A_COMMAND, collect_seldom, letting_go


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
        (
            "from lastro.cli import main; main(['sql', '--help'], standalone_mode=False); import lastro.pipelines",
            OF_A_COMMAND,
        ),
        ("import lastro.pipelines", ALLOCATED),
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


class _Node:
    """What can hold itself."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_are_let_go_at_once_and_what_is_older_is_not_looked_through_again() -> None:
    with letting_go() as let_go:
        gone = weakref.ref(_Node())
        let_go()
        old = gc.get_freeze_count()
        assert gone() is None
        assert old > 0
        young = [[number] for number in range(1_000)]
        gone = weakref.ref(_Node())
        let_go()
        assert gone() is None
        assert gc.get_freeze_count() < old + len(young)
    assert gc.get_freeze_count() == 0
