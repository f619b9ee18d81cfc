"""What is given back of the memory that is no longer used."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has no holes to give back, or no way")
def test_what_is_freed_between_what_is_in_use_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert int(told.stdout) > 60  # of the 95 MB freed
