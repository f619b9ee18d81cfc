"""A whole run in this process, without Dagster: what a timer of the system starts where only the core is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from lastro.clock import utc_now
from lastro.extract.passes import SILENT, Progress
from lastro.run.ending import Stopped, is_never_stopped
from lastro.run.order import RunOrder, RunResult
from lastro.run.session import RunSession
from lastro.run.stages import STAGES, Stage, run_stage
from lastro.schema.run_kinds import Modo
from lastro.settings import Empresa, Settings, read_tokens

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy


def list_stages(order: RunOrder) -> tuple[Stage, ...]:
    """List the stages of a run: all of them, or those after the reading where nothing is read."""
    return STAGES[1:] if order.modo is Modo.RECALCULO else STAGES


def run_stages(
    session: RunSession, stages: Sequence[Stage] = STAGES, watch: Callable[[str], None] = lambda _: None
) -> RunResult:
    """Run stages in order, up to the publication; `watch` hears the name of each as it begins.

    Raises:
        LastroError: what stopped the run.
        KeyboardInterrupt: when somebody did, and the stage before did not notice.
    """
    for stage in stages:
        watch(stage.nome)
        if session.stopped():
            raise KeyboardInterrupt
        result = run_stage(session, stage)
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
    """Run one company from its reading to its publication.

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
        return run_stages(session, list_stages(order))
