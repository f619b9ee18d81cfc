"""Bars with pages and rows while a service is read, on a terminal; elsewhere a line for each long wait."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lastro.extract.passes import Progress as Watcher
from lastro.grid.words import count_text

LONG_SECONDS = 10.0
"""A shorter wait is not worth a line where no bar is drawn."""


class Bars(Watcher):
    """Draws one bar per listing, and one for each stage after the reading."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._pages = self._rows = 0

    def start(self, name: str, conta_id: int | None, total: int | None) -> None:
        """Begin a listing of so many rows (None: unknown)."""
        label = name if conta_id is None else f"{name} · conta {conta_id}"
        self._pages = self._rows = 0
        self._task = self._progress.add_task(label, total=total, veio="", espera="")

    def advance(self, pages: int, rows: int) -> None:
        """Count pages and rows received."""
        if self._task is not None:
            self._pages += pages
            self._rows += rows
            veio = f"{self._rows:>7} linhas · {count_text(self._pages, 'página', 'páginas')}"
            self._progress.update(self._task, advance=rows, veio=veio, espera="")

    def wait(self, seconds: float, why: str) -> None:
        """Show what holds the reading back, and for how long."""
        if self._task is not None and seconds >= 1:
            self._progress.update(self._task, espera=f"espera {seconds:.0f} s ({why})")

    def finish(self) -> None:
        """End the listing."""
        if self._task is not None:
            whole = max(self._rows, 1)
            self._progress.update(self._task, total=whole, completed=whole, espera="")
            self._task = None

    def tell(self, text: str) -> None:
        """Print it above the bars."""
        self._progress.console.print(f"lastro: {text}", style="yellow", markup=False)


class WaitLines(Watcher):
    """Say a line for each wait that somebody would wonder about, and else nothing.

    Args:
        say: takes the line; called from any thread.
        clock: a steady clock in seconds.
    """

    def __init__(self, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._quiet_until = -1.0
        self._lock = threading.Lock()

    def wait(self, seconds: float, why: str) -> None:
        """Say how long and why, once for what several threads wait for at the same time."""
        if seconds < LONG_SECONDS:
            return
        with self._lock:
            now = self._clock()
            if now < self._quiet_until:
                return
            self._quiet_until = now + seconds
        self._say(f"espera {seconds:.0f} s ({why})")

    def tell(self, text: str) -> None:
        """Say it."""
        self._say(text)


@contextlib.contextmanager
def open_progress(console: Console) -> Iterator[Watcher]:
    """Show bars on a console that is a terminal; anywhere else say what is waited for, line by line."""
    if not console.is_terminal:
        yield WaitLines(lambda line: console.print(f"lastro: {line}", markup=False))
        return
    columns = (
        TextColumn("{task.description:<26}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[veio]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[espera]}", style="yellow"),
    )
    with Progress(*columns, console=console) as progress:
        yield Bars(progress)
