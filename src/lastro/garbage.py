"""How often Python looks for cycles among objects: seldom, where much is loaded and millions of cells are made."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import Final

ALLOCATED: Final = 100_000
"""Containers made and not freed until the young are looked through; Python's own 700 is a fifth of the time of an
import, and a tenth of that of a run, in which nearly nothing is a cycle."""
OF_A_COMMAND: Final = 1_000_000
"""The same in a command, which ends: more than its imports make, whose objects stay to the end."""


def collect_seldom(allocated: int = ALLOCATED) -> None:
    """Let this process, and whatever it forks, look for cycles less often; what has none is freed at once as ever."""
    gc.set_threshold(max(allocated, gc.get_threshold()[0]))


@contextlib.contextmanager
def letting_go() -> Iterator[Callable[[], None]]:
    """Give what frees at once whatever is nothing but a cycle, such as what one company's run leaves before the next.

    What outlives the first time, most of all modules, is not looked through again until the end.
    """

    def let_go() -> None:
        gc.collect()
        if not gc.get_freeze_count():
            gc.freeze()

    try:
        yield let_go
    finally:
        gc.unfreeze()
