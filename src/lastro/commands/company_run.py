"""One company's run on the command line: whatever becomes of it is its own, and described at once."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.clock import utc_now
from lastro.errors import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, LastroError
from lastro.garbage import collect_seldom
from lastro.operation.outcome import describe_outcome
from lastro.run.access import keep_private
from lastro.run.ending import find_ending, note_signals
from lastro.settings import Empresa, Settings, load_settings, read_tokens
from lastro.terminal import messages, speak_anywhere

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy
    from lastro.run.order import RunOrder, RunResult


Show = Callable[[str, "RunResult"], None]
"""Shows what a run left, under the name of its company."""


def show_nothing(_nome: str, _result: RunResult) -> None:
    """Show nothing: it is described."""


def run_one(
    settings: Settings,
    empresa_id: str,
    order: RunOrder,
    policy: RetryPolicy | None,
    received: Callable[[], frozenset[int]],
    show: Show = show_nothing,
) -> Mapping[str, Any]:
    """Run one company and describe what became of it; its errors are its own and stop no other.

    A result holds every row of a company's reports, and is let go before the next company runs.

    Args:
        policy: how patient its client is; None takes the usual patience.
        received: which signals came meanwhile.
        show: is shown what the run left.
    """
    began = time.monotonic()
    nome, result, error = empresa_id, None, None

    def stopped() -> bool:
        return bool(received())

    try:
        from lastro.progress import open_progress
        from lastro.run.stages import run_company

        empresa = settings.empresa(empresa_id)
        nome = empresa.nome
        if order.reads:
            # Before anything is written.
            _demand_token(settings, empresa, order)
        with open_progress(messages) as progress:
            result = run_company(
                settings, empresa, order, env=os.environ, progress=progress, policy=policy, stopped=stopped
            )
        code = EXIT_CHECK_FAILED if result.failed else 0
    except (Exception, KeyboardInterrupt) as caught:  # noqa: BLE001 - the border of one company: none ends the others
        ending = find_ending(caught, stopped)
        error = _tell_defect(ending) if isinstance(ending, Exception) else None
        code = EXIT_INTERRUPTED if error is None else error.exit_code
    if error is not None:
        messages.print(f"lastro: {empresa_id}: {error}", style="red")
    if result is not None:
        show(nome, result)
    return describe_outcome(empresa_id, nome, time.monotonic() - began, code, result, error)


def run_apart(config: Path | None, order: RunOrder, empresa_id: str) -> Mapping[str, Any]:
    """Run one company in this process, a child of `lastro.operation.batch`; what it printed would be in nobody's JSON.

    What there is to tell of the settings file the parent has told.
    """
    for descriptor, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, 2)):
        os.dup2(source, descriptor)
    speak_anywhere()
    collect_seldom()
    with keep_private(), note_signals() as received:
        return run_one(load_settings(config, os.environ, Path.cwd()), empresa_id, order, None, received)


def _tell_defect(ending: Exception) -> LastroError:
    """Tell of a defect as of an error; what it says may be anybody's data, so only its frames are told."""
    if isinstance(ending, LastroError):
        return ending
    frames = "".join(traceback.format_tb(ending.__traceback__))
    return LastroError(f"um defeito do lastro ({type(ending).__name__}); relate:\n{frames}")


def _demand_token(settings: Settings, empresa: Empresa, order: RunOrder) -> None:
    try:
        read_tokens(settings, [empresa], os.environ)
    except LastroError as error:
        from lastro.run.happened import fail_unstarted

        fail_unstarted(settings.pasta(empresa), order.tipo, error, utc_now())
        raise
