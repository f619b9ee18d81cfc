"""What becomes of memory that is no longer used: how often Python looks for cycles, and what the system gets back."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from typing import Final

ALLOCATED: Final = 100_000
"""Containers made and not freed until the young are looked through; Python's own 700 is a fifth of the time of an
import, and a tenth of that of a run, in which nearly nothing is a cycle."""


def collect_seldom() -> None:
    """Let this process, and whatever it forks, look for cycles less often; what has none is freed at once as ever."""
    gc.set_threshold(ALLOCATED)


def give_back() -> None:
    """Give the system back what is free among what is used: a hundred megabytes after the reports of a large company.

    The C library keeps it otherwise, for nobody: what comes next asks in other sizes. Only glibc has that.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
