"""A whole run of one company in this process: what a terminal, a timer of the system and the demo start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from lastro.clock import utc_now
from lastro.extract.passes import SILENT, Progress
from lastro.run.ending import Stopped, is_never_stopped
from lastro.run.order import RunOrder, RunResult
from lastro.run.session import RunSession
from lastro.run.stages import read, report
from lastro.settings import Empresa, Settings, read_tokens

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy


def run_stages(session: RunSession, watch: Callable[[str], None] = lambda _: None) -> RunResult:
    """Read, unless the order is for reports alone, and report; `watch` hears of each stage. Raises as they do."""
    if session.order.reads:
        read(session, watch)
    *_, (_, result) = report(session, watch)
    if not isinstance(result, RunResult):
        raise TypeError("the last stage of a run is its publication")
    return result


def run_company(
    settings: Settings,
    empresa: Empresa,
    order: RunOrder,
    *,
    env: Mapping[str, str],
    clock: Callable[[], datetime] = utc_now,
    progress: Progress = SILENT,
    policy: RetryPolicy | None = None,
    stopped: Stopped = is_never_stopped,
) -> RunResult:
    """Run one company: read, unless the order is for reports alone, and report.

    Args:
        settings: all settings.
        empresa: the company.
        order: what is asked.
        env: the environment, for its token.
        clock: the clock.
        progress: who watches the reading.
        policy: how patient the client is; None takes the usual patience.
        stopped: whether somebody stops the run.

    Raises:
        LastroError: what stopped the run; nothing that was published is replaced.
        KeyboardInterrupt: when somebody stopped it.
    """

    def token() -> str:
        return read_tokens(settings, [empresa], env)[empresa.id]

    with RunSession(
        settings, empresa, token, order, clock=clock, progress=progress, policy=policy, stopped=stopped
    ) as session:
        return run_stages(session)
