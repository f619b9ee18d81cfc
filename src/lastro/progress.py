"""Bars with pages and rows while a service is read: on a terminal; quiet when it is not one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lastro.extract.passes import NoProgress
from lastro.extract.passes import Progress as Watcher


class Bars:
    """Draws one bar per listing."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._pages = 0

    def start(self, name: str, conta_id: int | None, total: int | None) -> None:
        """Begin a listing of so many rows (None: unknown)."""
        label = name if conta_id is None else f"{name} · conta {conta_id}"
        self._pages = 0
        self._task = self._progress.add_task(label, total=total, paginas=0, espera="")

    def advance(self, pages: int, rows: int) -> None:
        """Count pages and rows received."""
        if self._task is not None:
            self._pages += pages
            self._progress.update(self._task, advance=rows, paginas=self._pages, espera="")

    def wait(self, seconds: float) -> None:
        """Show that the request limits hold the reading back."""
        if self._task is not None and seconds >= 1:
            self._progress.update(self._task, espera=f"espera {seconds:.0f} s (limite de pedidos)")

    def finish(self) -> None:
        """End the listing."""
        if self._task is not None:
            task = self._progress.tasks[self._progress.task_ids.index(self._task)]
            self._progress.update(self._task, total=task.completed, espera="")
            self._task = None


@contextlib.contextmanager
def open_progress(console: Console) -> Iterator[Watcher]:
    """Show bars on a console that is a terminal; anywhere else stay quiet."""
    if not console.is_terminal:
        yield NoProgress()
        return
    columns = (
        TextColumn("{task.description:<26}"),
        BarColumn(bar_width=30),
        TextColumn("{task.completed:>7.0f} linhas · {task.fields[paginas]} páginas"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[espera]}", style="yellow"),
    )
    with Progress(*columns, console=console) as progress:
        yield Bars(progress)
