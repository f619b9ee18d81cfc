"""Several companies at a time, each in a process of its own: what hangs or dies is one company's.

The processes are forked from one that has imported what a run needs, which is a third of the time of a small company.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any, Final

from lastro.errors import EXIT_INTERRUPTED, LastroError
from lastro.extras import OPTIONS
from lastro.operation.outcome import RunOutcome
from lastro.run.order import RunOrder
from lastro.run.stages import STAGES

Work = Callable[[Mapping[str, Any], str], None]
"""Does what a child does: (what is asked, the file that takes the answer); it must be importable by its name."""
_LOOK_SECONDS: Final = 0.05
NEEDED: Final = (
    "lastro.progress",
    "lastro.operation.authorship",
    "lastro.operation.retention",
    "lastro.operation.state",
    "lastro.run.identity",
    "lastro.run.process",
    *dict.fromkeys(stage.module for stage in STAGES),
    *(f"lastro.{option}.option" for option in OPTIONS),
    "lastro.page.pdf",
)
"""What stages and commands load when it is their turn; one that is not there is left out."""


@dataclass
class _Child:
    empresa: str
    process: BaseProcess
    answer: IO[bytes]
    began: float


def run_children(
    work: Work,
    config: Path | None,
    ids: Sequence[str],
    order: RunOrder,
    *,
    most: int,
    received: Callable[[], frozenset[int]],
    needed: Sequence[str] = (),
) -> Iterator[RunOutcome]:
    """Run companies, so many at a time; yield what became of each as it ends.

    Args:
        work: what a child does.
        config: the settings file, as the command got it; children read it anew.
        ids: the companies.
        order: what is asked of each.
        most: how many at a time.
        received: which signals came; then those under way are told too, and no further one is begun.
        needed: modules that are imported once for all of them, besides `NEEDED`.
    """
    waiting, running = list(ids), list[_Child]()
    context = _prepare([*NEEDED, *needed])
    passed_on: frozenset[int] = frozenset()
    while running or (waiting and not received()):
        while waiting and len(running) < most and not received():
            running.append(_start(context, work, config, waiting.pop(0), order))
        new = received() - passed_on
        for signum in new:
            for child in running:
                # Ctrl+C reaches them by the terminal as well; twice is as good as once.
                _send(child.process, signal.SIGTERM if signum == signal.SIGTERM else signal.SIGINT)
        passed_on |= new
        for child in [child for child in running if child.process.exitcode is not None]:
            running.remove(child)
            yield _collect(child)
        time.sleep(_LOOK_SECONDS)


def _prepare(needed: Sequence[str]) -> Any:
    """Choose how processes are made; where they can be forked, from one that has imported what a run needs."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(needed))
    return context


def _start(context: Any, work: Work, config: Path | None, empresa: str, order: RunOrder) -> _Child:
    asked = {"config": config, "empresa": empresa, "order": order}
    # A file and no pipe: nobody empties a pipe while the child writes more than it holds.
    answer = tempfile.NamedTemporaryFile(prefix="lastro-")  # noqa: SIM115 - closed when the child has ended
    process = context.Process(target=work, args=(asked, answer.name))
    process.start()
    return _Child(empresa, process, answer, time.monotonic())


def _send(process: BaseProcess, signum: int) -> None:
    if process.pid is not None and process.exitcode is None:
        os.kill(process.pid, signum)


def _collect(child: _Child) -> RunOutcome:
    """Read what a child said; one that died without a word is told as such."""
    child.answer.seek(0)
    lines = child.answer.read().splitlines()
    child.answer.close()
    seconds = time.monotonic() - child.began
    try:
        told = json.loads(lines[-1])
        return RunOutcome(child.empresa, told["nome"], float(told["segundos"]), int(told["codigo"]), told=told)
    except (IndexError, ValueError, KeyError, TypeError):
        code = child.process.exitcode or 0
        if code < 0 and -code in (signal.SIGINT, signal.SIGTERM):
            return RunOutcome(child.empresa, child.empresa, seconds, EXIT_INTERRUPTED)
        error = LastroError(f"o processo terminou sem dizer nada (código {code}); o que ele disse está acima.")
        return RunOutcome(child.empresa, child.empresa, seconds, error.exit_code, error=error)
