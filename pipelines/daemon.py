"""Dagster's daemon (schedules, sensors, the queue of runs) as a child of `lastro dev`: `python -m`.

It asks the code server that `lastro dev` started, and ends with it, however that one ends: its standard input is a pipe
that nobody writes to, so the end of it means that nobody is left to watch over this process.
"""

import os
import signal
import sys
import threading

import dagster as dg
from dagster._core.workspace.load_target import GrpcServerTarget
from dagster._daemon.controller import daemon_controller_from_instance
from dagster._utils.interrupts import capture_interrupts, setup_interrupt_handlers

from . import LOCATION


def served_location(socket: str) -> GrpcServerTarget:
    """Describe the code location as the code server at a socket serves it."""
    return GrpcServerTarget(host="localhost", port=None, socket=socket, location_name=LOCATION, use_ssl=False)


def main(socket: str) -> None:
    """Run until interrupted, or until whoever started this process is gone."""
    setup_interrupt_handlers()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with (
            capture_interrupts(),
            dg.DagsterInstance.get() as instance,
            daemon_controller_from_instance(instance, workspace_load_target=served_location(socket)) as controller,
        ):
            controller.check_daemon_loop()
    except KeyboardInterrupt:
        return


def _end_with_parent() -> None:
    # Without a buffer, whose lock this thread would hold when Ctrl+C ends the process before its standard input ends.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main(sys.argv[1])
