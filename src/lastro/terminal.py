"""The terminal as lastro prints to it."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from lastro.grid.words import show_plainly


class Terminal(Console):
    """What people read: names and descriptions of the service can colour nothing, ring nothing, turn nothing around."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, controls as their codes."""
        super().print(*(show_plainly(each) if isinstance(each, str) else each for each in objects), **options)


output = Terminal(highlight=False, soft_wrap=True)
messages = Terminal(stderr=True, highlight=False, soft_wrap=True)
