"""One company's run on the command line: whatever becomes of it is its own, and said in one `RunOutcome`."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from lastro.clock import utc_now
from lastro.errors import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, LastroError
from lastro.operation.outcome import RunOutcome
from lastro.operation.recorder import choose_runner
from lastro.settings import Empresa, Settings, read_tokens
from lastro.terminal import messages

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy
    from lastro.run.order import RunOrder


def run_one(
    settings: Settings,
    empresa_id: str,
    order: RunOrder,
    policy: RetryPolicy | None,
    received: Callable[[], frozenset[int]],
    *,
    recorded: bool = True,
) -> RunOutcome:
    """Run one company and say what became of it; its errors are its own and stop no other.

    Args:
        settings: all settings.
        empresa_id: the company.
        order: what is asked.
        policy: how patient its client is; None takes the usual patience.
        received: which signals came meanwhile.
        recorded: run it through Dagster, so that it stands in the UI.
    """
    began = time.monotonic()
    nome, result, error = empresa_id, None, None
    try:
        from lastro.progress import open_progress
        from lastro.warehouse.loading.kinds import Modo

        empresa = settings.empresa(empresa_id)
        nome = empresa.nome
        if order.modo is not Modo.RECALCULO:
            # Before anything is written; a recálculo asks the service nothing.
            _demand_token(settings, empresa, order)
        with open_progress(messages) as progress:
            result = choose_runner(recorded=recorded)(
                settings, empresa, order, env=os.environ, progress=progress, policy=policy
            )
        code = EXIT_CHECK_FAILED if result.failed else 0
    except LastroError as caught:
        error, code = caught, caught.exit_code
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception as defect:  # noqa: BLE001 - the border of one company: no defect ends the others
        # The other companies are none the worse for it. What it says may be anybody's data: only its frames are told.
        if recorded:
            where = "veja a execução em lastro dev e relate."
        else:
            where = f"relate:\n{''.join(traceback.format_tb(defect.__traceback__))}"
        error = LastroError(f"um defeito do lastro ({type(defect).__name__}); {where}")
        code = error.exit_code
    if result is None and received():
        # Whatever it ended with is what a signal leaves: a statement that was cut off, a run without its last step.
        error, code = None, EXIT_INTERRUPTED
    if error is not None:
        messages.print(f"lastro: {empresa_id}: {error}", style="red")
    return RunOutcome(empresa_id, nome, time.monotonic() - began, code, result, error)


def _demand_token(settings: Settings, empresa: Empresa, order: RunOrder) -> None:
    try:
        read_tokens(settings, [empresa], os.environ)
    except LastroError as error:
        from lastro.run.journal import note_unstarted

        note_unstarted(settings.pasta(empresa), order.tipo, error, utc_now())
        raise


def _hear(*_: object) -> None:
    """Do nothing: that it came stands in the pipe."""


@contextlib.contextmanager
def note_signals(*, interrupt: bool = True) -> Iterator[Callable[[], frozenset[int]]]:
    """Hear Ctrl+C and SIGTERM, and remember that they came: Dagster swallows those that meet its own work.

    Args:
        interrupt: whether they also interrupt what this process does; who only waits for others asks for them.
    """
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    heard: set[int] = set()

    def received() -> frozenset[int]:
        with contextlib.suppress(BlockingIOError):
            heard.update(signum for signum in os.read(reader, 64) if signum in (signal.SIGINT, signal.SIGTERM))
        return frozenset(heard)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # SIGINT too: a script in the background has it ignored, and Dagster would copy that to SIGTERM.
    handler: Callable[[int, FrameType | None], Any] = _hear
    if interrupt:
        handler = signal.default_int_handler
    previous = {signum: signal.signal(signum, handler) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for signum, earlier in previous.items():
            signal.signal(signum, earlier)
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
