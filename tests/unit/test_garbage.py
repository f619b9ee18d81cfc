"""How often Python looks for cycles, and what the system gets back."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from lastro.garbage import ALLOCATED, collect_seldom, give_back


def test_only_the_youngest_are_left_longer() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, *before[1:])  # another test of this process may have asked for it
    try:
        collect_seldom()
        assert gc.get_threshold() == (ALLOCATED, *before[1:])
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)


@pytest.mark.parametrize(
    "code", ["from lastro.cli import main; main(['sql', '--help'], standalone_mode=False)", "import pipelines"]
)
def test_commands_and_dagsters_processes_do(code: str) -> None:
    told = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", f"{code}; import gc; print(gc.get_threshold()[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[-1] == str(ALLOCATED)


def resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what lies between used pieces")
def test_what_is_free_between_used_pieces_is_given_back() -> None:
    pieces = [bytes(8_000) for _ in range(8_000)]
    kept = pieces[::100]
    del pieces
    before = resident()
    give_back()
    assert before - resident() > 30_000_000
    assert len(kept) == 80
