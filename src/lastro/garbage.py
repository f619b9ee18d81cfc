"""How often Python looks for cycles among objects: seldom, where much is loaded and millions of cells are made."""

from __future__ import annotations

import gc
from typing import Final

ALLOCATED: Final = 100_000
"""Containers made and not freed until the young are looked through; Python's own 700 is a fifth of the time of an
import, and a twelfth of that of a run, in which nearly nothing is a cycle."""


def collect_seldom() -> None:
    """Make this process and its children collect cycles less often; all other objects are freed at once, as before."""
    gc.set_threshold(max(ALLOCATED, gc.get_threshold()[0]))
