"""The sandbox's command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

START = [sys.executable, "-W", "error", "-c", "from lastro_sandbox.cli import sandbox; sandbox()", "--porta", "0"]


@contextmanager
def started(*options: str) -> Iterator[tuple[list[str], str]]:
    """Start the command; yield the lines it prints and its address; end it as Ctrl+C does."""
    command = [*START, *options]
    with subprocess.Popen(  # noqa: S603 - our own interpreter with our own arguments
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = []
        try:
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if line.startswith("Ctrl+C"):
                    break
            address = next(line.split()[1] for line in lines if line.startswith("base_url  "))
            yield lines, address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)
            errors = process.stderr.read()
    assert (process.returncode, errors) == (0, "")
