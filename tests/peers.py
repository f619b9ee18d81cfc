"""A peer on loopback that says what a script has it say: parts, drips, or nothing."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 60
"""Seconds until a test gives up."""
Script = Callable[[socket.socket], None]


@contextmanager
def peer(script: Script) -> Iterator[int]:
    """Accept one connection on loopback and do with it what the script says; what breaks it off is its end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)

        def run() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    connection.settimeout(PATIENCE)
                    script(connection)

        thread = threading.Thread(target=run)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the peer still talks to somebody"


def say(*parts: bytes) -> Script:
    """Say each part when something was heard, the first at once; then be silent until nobody is there."""

    def run(connection: socket.socket) -> None:
        for number, part in enumerate(parts):
            if number:
                connection.recv(65_536)
            connection.sendall(part)
        while connection.recv(65_536):
            pass

    return run


def drip(part: bytes, *before: bytes, pause: float = 0.01) -> Script:
    """Say the parts before as `say` does, then this one again and again."""

    def run(connection: socket.socket) -> None:
        for each in before:
            connection.sendall(each)
            connection.recv(65_536)
        while True:
            connection.sendall(part)
            time.sleep(pause)

    return run
