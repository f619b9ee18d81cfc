"""Several companies at a time, each in a process of the standard library's: what hangs or dies is one company's.

A pool has one process, so that one that dies breaks no other company's. A process goes on with the next company, for
which everything is imported already, and ends with its parent, however that ended.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, Final

from lastro.errors import EXIT_INTERRUPTED, LastroError
from lastro.operation.outcome import describe_outcome

_LOOK_SECONDS: Final = 0.1


def run_children(
    work: Callable[[str], Mapping[str, Any]], ids: Sequence[str], *, most: int, received: Callable[[], frozenset[int]]
) -> Iterator[Mapping[str, Any]]:
    """Run companies, so many at a time; yield what became of each, described, as it ends.

    Args:
        work: what a process does for a company; it and what it returns can be pickled.
        most: how many at a time.
        received: which signals came; then those under way are told too, and no further one is begun.
    """
    idle, running = list[ProcessPoolExecutor](), set[int]()

    def run_child(empresa: str) -> Mapping[str, Any] | None:
        if received():
            return None
        pool = idle.pop() if idle else ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _end_with_parent)
        pid = 0
        try:
            pid = pool.submit(os.getpid).result()
            running.add(pid)
            outcome = pool.submit(partial(work, empresa)).result()
        except BrokenProcessPool:
            pool.shutdown()
            if received():
                return describe_outcome(empresa, empresa, 0.0, EXIT_INTERRUPTED)
            error = LastroError("o processo terminou sem dizer nada; o que ele disse está acima.")
            return describe_outcome(empresa, empresa, 0.0, error.exit_code, error=error)
        finally:
            running.discard(pid)
        idle.append(pool)
        return outcome

    told = set[tuple[int, int]]()
    with ThreadPoolExecutor(most) as threads:
        waiting = {threads.submit(run_child, each) for each in ids}
        while waiting:
            ended, waiting = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
            yield from (outcome for future in ended if (outcome := future.result()) is not None)
            # Ctrl+C reaches them by the terminal as well; twice is as good as once.
            for pid, signum in {(pid, signum) for pid in [*running] for signum in received()} - told:
                told.add((pid, signum))
                with suppress(ProcessLookupError):
                    os.kill(pid, signum)
    for pool in idle:
        pool.shutdown()


def _end_with_parent() -> None:
    """End this process when its parent ends, whatever it is doing; a signal is heard by what it runs alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(EXIT_INTERRUPTED)
