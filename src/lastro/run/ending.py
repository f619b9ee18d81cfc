"""How a run ended, by what it raised: stopped by somebody, or for a reason of its own. The one place that tells.

DuckDB swallows what the handler of a signal raises and says that its query was interrupted; a write that was cut off
may say anything. So whatever a run raises after a signal, or while somebody ends it in Dagster, is what the stop left
behind. Without either the same words are a defect.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from lastro.files import describe_denial

Stopped = Callable[[], bool]
"""Tells whether somebody stops the run."""


def is_never_stopped() -> bool:
    """Say that nobody stops a run: for who hears of no signal."""
    return False


def find_ending(error: BaseException, stopped: Stopped) -> BaseException:
    """Find what ended a run: the interruption in the place of what it left behind, else the error itself.

    A file or folder of somebody else's is no defect, wherever it was met: it is told with its cure.

    Args:
        stopped: whether somebody stops the run.
    """
    if isinstance(error, Exception) and stopped():
        return KeyboardInterrupt()
    return describe_denial(error) if isinstance(error, PermissionError) else error


def _hear(*_: object) -> None:
    """Do nothing: that it came stands in the pipe."""


@contextlib.contextmanager
def note_signals(*, interrupt: bool | None = True) -> Iterator[Callable[[], frozenset[int]]]:
    """Hear Ctrl+C and SIGTERM, and remember that they came: Dagster swallows those that meet its own work.

    Args:
        interrupt: whether they also interrupt what this process does; who only waits for others asks for them. None
            leaves that to who handles them already.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone hears them
        yield frozenset
        return
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    heard: set[int] = set()

    def received() -> frozenset[int]:
        with contextlib.suppress(BlockingIOError):
            heard.update(signum for signum in os.read(reader, 64) if signum in (signal.SIGINT, signal.SIGTERM))
        return frozenset(heard)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    previous = {} if interrupt is None else _handle(interrupt=interrupt)
    try:
        yield received
    finally:
        for signum, earlier in previous.items():
            signal.signal(signum, earlier)
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def _handle(*, interrupt: bool) -> dict[signal.Signals, Any]:
    # SIGINT too: a script in the background has it ignored, and Dagster would copy that to SIGTERM.
    handler: Callable[[int, FrameType | None], Any] = _hear
    if interrupt:
        handler = signal.default_int_handler
    return {signum: signal.signal(signum, handler) for signum in (signal.SIGINT, signal.SIGTERM)}
