"""One end for what is done with a peer: whatever it sends, drips or keeps to itself, the caller goes on in time.

The timeout of a socket is for one wait, and a peer can make as many waits as it likes; looking up a name has none at
all. So the work is done in a thread of its own, and when its time is over the connections are cut under it: what waits
on them fails, and with it the thread ends. Only the look-up of a name goes on until the system gives it up.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Connections:
    """The connections of one piece of work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: list[socket.socket] = []
        self._over = False

    def hold(self, connection: socket.socket) -> None:
        """Take a second hand on a connection, before TLS takes the first one over; cut it if the time is over."""
        own = connection.dup()
        with self._lock:
            self._held.append(own)
            over = self._over
        if over:
            self.cut()

    def cut(self) -> None:
        """Cut all of them, now and from now on."""
        with self._lock:
            self._over = True
            held, self._held = self._held, []
        for each in held:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def end_within(seconds: float, work: Callable[[Connections], T]) -> T:
    """Do something with a peer, and wait for it no longer than so many seconds.

    Args:
        seconds: the time for all of it.
        work: what to do; it hands in every connection as soon as that is open.

    Returns:
        What the work returned.

    Raises:
        TimeoutError: when the work came to no end.
        Exception: whatever the work raised.
    """
    connections = Connections()
    done: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            done.set_result(work(connections))
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            done.set_exception(error)

    try:  # an interrupt can come while the thread starts, which may have a connection by then
        threading.Thread(target=run, name="lastro-aviso", daemon=True).start()
        in_time, _ = concurrent.futures.wait([done], seconds)
    finally:
        connections.cut()
    if not in_time:
        raise TimeoutError
    return done.result()
