"""What stops a run while DuckDB works: the stop comes when a query that has no end is under way, never before."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import duckdb

from lastro.extract.passes import Progress

Stop = Callable[[duckdb.DuckDBPyConnection], None]
_ENDLESS = "SELECT count(*) FROM range(1000000000000) a WHERE hash(a.range) = 1"


def by_signal(number: signal.Signals) -> Stop:
    """Stop as a terminal or a service manager does."""
    return lambda _: os.kill(os.getpid(), number)


def by_nobody(con: duckdb.DuckDBPyConnection) -> None:
    """Break the query off though nobody asked for it."""
    con.interrupt()


def run_endless(stop: Stop) -> None:
    """Run a query that only a stop ends."""
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0")

        def wait() -> None:
            while con.query_progress() < 0:  # nothing is under way yet
                time.sleep(0.005)
            stop(con)

        waiting = threading.Thread(target=wait)
        waiting.start()
        try:
            con.execute(_ENDLESS).fetchall()
        finally:
            waiting.join()


class Stopping(Progress):
    """Stops a run as the work of a stage begins."""

    def __init__(self, stop: Stop, label: str = "carga") -> None:
        self._stop, self._label = stop, label

    def start(self, name: str, _conta_id: int | None, _total: int | None) -> None:
        """Run what has no end, where the stage is the one."""
        if name == self._label:
            run_endless(self._stop)
