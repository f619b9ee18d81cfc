"""The terminal as lastro prints to it."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Collection, Sequence
from typing import Any

from rich.console import Console

from lastro.grid.words import show_plainly


class Terminal(Console):
    """What people read: names and descriptions of the service can colour nothing, ring nothing, turn nothing around."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, soft_wrap=True, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, controls as their codes."""
        super().print(*(show_plainly(each) if isinstance(each, str) else each for each in objects), **options)


def speak_anywhere() -> None:
    """Let what is printed on any terminal be read: a character that its encoding lacks becomes "?", and ends nothing.

    Called once, where a process begins.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="replace")
        if codecs.lookup(stream.encoding).name == "ascii":
            # One of which click sees neither encoding nor bytes below: into a stream of ASCII it would write UTF-8.
            setattr(sys, name, codecs.getwriter("ascii")(stream.buffer, "replace"))


output = Terminal()
messages = Terminal(stderr=True)


def print_table(rows: Sequence[Sequence[str]], right: Collection[int]) -> None:
    """Print rows under their header, columns in line; those of `right` stand to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        output.print("  " + "  ".join(cells).rstrip())
