"""Several companies at a time, each in a process of its own: what hangs or dies is one company's."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final

from lastro.errors import EXIT_INTERRUPTED, LastroError
from lastro.outcome import Outcome
from lastro.run.order import RunOrder

CHILD: Final = "lastro.commands.child"
_LOOK_SECONDS: Final = 0.05


@dataclass
class _Child:
    empresa: str
    process: subprocess.Popen[bytes]
    answer: IO[bytes]
    began: float


def run_children(
    config: Path | None,
    ids: Sequence[str],
    order: RunOrder,
    *,
    recorded: bool,
    most: int,
    received: Callable[[], frozenset[int]],
) -> Iterator[Outcome]:
    """Run companies, so many at a time; yield what became of each as it ends.

    Args:
        config: the settings file, as the command got it; children read it anew.
        ids: the companies.
        order: what is asked of each.
        recorded: run them through Dagster.
        most: how many at a time.
        received: which signals came; then those under way are told too, and no further one is begun.
    """
    waiting, running = list(ids), list[_Child]()
    passed_on: frozenset[int] = frozenset()
    while running or (waiting and not received()):
        while waiting and len(running) < most and not received():
            running.append(_start(config, waiting.pop(0), order, recorded=recorded))
        new = received() - passed_on
        for number in new:
            for child in running:
                # Ctrl+C reaches them by the terminal as well; twice is as good as once.
                child.process.send_signal(signal.SIGTERM if number == signal.SIGTERM else signal.SIGINT)
        passed_on |= new
        for child in [child for child in running if child.process.poll() is not None]:
            running.remove(child)
            yield _collect(child)
        time.sleep(_LOOK_SECONDS)


def _start(config: Path | None, empresa: str, order: RunOrder, *, recorded: bool) -> _Child:
    asked = {
        "config": None if config is None else str(config),
        "empresa": empresa,
        "order": {name: None if value is None else str(value) for name, value in asdict(order).items()},
        "recorded": recorded,
    }
    # A file and no pipe: nobody empties a pipe while the child writes more than it holds.
    answer = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the child has ended
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with our own arguments
        [sys.executable, "-m", CHILD], stdin=subprocess.PIPE, stdout=answer
    )
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked).encode())
            process.stdin.close()
    return _Child(empresa, process, answer, time.monotonic())


def _collect(child: _Child) -> Outcome:
    """Read what a child said; one that died without a word is told as such."""
    child.answer.seek(0)
    lines = child.answer.read().splitlines()
    child.answer.close()
    seconds = time.monotonic() - child.began
    try:
        told = json.loads(lines[-1])
        return Outcome(child.empresa, told["nome"], float(told["segundos"]), int(told["codigo"]), told=told)
    except (IndexError, ValueError, KeyError, TypeError):
        code = child.process.returncode
        if code < 0 and -code in (signal.SIGINT, signal.SIGTERM):
            return Outcome(child.empresa, child.empresa, seconds, EXIT_INTERRUPTED)
        error = LastroError(f"its process ended without a word (code {code}); what it said stands above.")
        return Outcome(child.empresa, child.empresa, seconds, error.exit_code, error=error)
