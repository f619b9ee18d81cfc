"""What is given back of the memory that is no longer used."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from lastro.memory import DUCKDB_ALLOCATOR, keep_little

HOLES = """
from pathlib import Path
from lastro.memory import give_back
def held():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20
large, small = [], []
for _ in range(1_000):
    large.append(bytes(100_000))
    small.append(bytes(1_000))
large.clear()
before = held()
give_back()
print(before - held())
"""
WATCH = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "duckdb":
            print(os.environ.get("DUCKDB_JE_MALLOC_CONF"))
sys.meta_path.insert(0, Watch())
{code}
"""


def run(code: str, **more: str) -> str:
    return subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": "", **more}
    ).stdout.strip()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has no holes to give back, or no way")
def test_what_is_freed_between_what_is_in_use_is_given_back() -> None:
    assert int(run(HOLES)) > 60  # of the 95 MB freed


@pytest.mark.parametrize(
    "code",
    [
        "from lastro.cli import main; main(['estado', '--help'], standalone_mode=False)",
        "import pipelines.definitions",
    ],
)
def test_commands_and_dagsters_processes_tell_duckdb_before_it_is_loaded(code: str) -> None:
    told = run(WATCH.format(code=f"{code}; import lastro.warehouse.store")).splitlines()
    assert told[-1] == "dirty_decay_ms:0"
    assert "None" not in told


def test_what_the_environment_says_already_is_left() -> None:
    environ = {DUCKDB_ALLOCATOR: "narenas:1"}
    keep_little(environ)
    assert environ == {DUCKDB_ALLOCATOR: "narenas:1"}
