"""The two verbs of a run, `read` and `report`, and the stages that they are made of.

`read` leaves a proven reading in the company's private file, or a failed one, and nothing else. `report` makes of the
newest proven reading what people open, or leaves no trace; neither is ever gone on with: who wants it again calls it
again. Every stage is whole or leaves no trace: pages are landed before they are parsed, tables are replaced in one
transaction, workbooks are written aside and moved, the published link is flipped last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from lastro.clock import utc_now
from lastro.extract.passes import SILENT, Progress
from lastro.run import happened
from lastro.run.ending import Stopped, is_never_stopped
from lastro.run.identity import find_published_meanwhile
from lastro.run.order import RunOrder, RunResult, StageResult
from lastro.run.session import RunSession
from lastro.schema.run_kinds import Etapa
from lastro.settings import Empresa, Settings, read_tokens
from lastro.warehouse.loading import runs

if TYPE_CHECKING:
    from lastro.api.retry import RetryPolicy


@dataclass(frozen=True)
class Stage:
    """A stage: its name, what it runs, and its text for people; the reading tells of each list by itself.

    Attributes:
        runs: module and function, found when it is run, for a reading waits for the service before reports are loaded.
        begins: the same of what begins the verb whose first stage it is.
    """

    nome: Etapa
    runs: str
    label: str | None = None
    begins: str | None = None


STAGES = (
    Stage(Etapa.LEITURA, "lastro.run.reading:read_service", begins="lastro.run.identity:begin_reading"),
    Stage(Etapa.CORE, "lastro.run.loading:load_core", "carga", begins="lastro.run.identity:begin_report"),
    Stage(Etapa.MART, "lastro.run.computation:build_mart", "relatórios e verificações"),
    Stage(Etapa.PLANILHAS, "lastro.run.delivery:write_workbooks", "planilhas"),
    Stage(Etapa.PUBLICACAO, "lastro.run.delivery:publish_run", "publicação"),
)


def read(session: RunSession, watch: Callable[[str], None] = lambda _: None) -> StageResult:
    """Page through the service and prove that nothing is missing.

    Afterwards the private file has a proven reading (`lida`), with its pages, or a failed one, and nothing else has
    changed. What people typed is not read. Read again, it is another reading.

    Args:
        watch: hears the name of the stage.

    Raises:
        LastroError: what stopped it; the reading stands as failed, and nothing follows from it.
        KeyboardInterrupt: when somebody did.
    """
    ((_, result),) = _go_through(session, STAGES[:1], watch)
    if isinstance(result, RunResult):
        raise TypeError("a reading publishes nothing")
    happened.note_proven(session.pasta, session.execucao_id, session.run.iniciada_em.replace(tzinfo=UTC))
    return result


def report(
    session: RunSession, watch: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[Etapa, StageResult | RunResult]]:
    """Compute and publish the newest proven reading, or the published one again; asks the service nothing.

    Afterwards it is published, or every file that people open is as it was and the reading as proven as before.
    Made again on the same reading, it has the same figures and a number of its own.

    Args:
        watch: hears the name of each stage.

    Yields:
        What each stage left, last the `RunResult`; nothing where another run has published meanwhile what this one has
        read, or a newer reading: that is told.

    Raises:
        LastroError: what stopped it.
        KeyboardInterrupt: when somebody did, and the stage before did not notice.
    """
    meanwhile = find_published_meanwhile(session)
    if meanwhile is None:
        yield from _go_through(session, STAGES[1:], watch)
    else:
        session.progress.tell(f"{session.pasta.name}: já publicada pela execução {meanwhile}")


def _go_through(
    session: RunSession, stages: Sequence[Stage], watch: Callable[[str], None]
) -> Iterator[tuple[Etapa, StageResult | RunResult]]:
    for stage in stages:
        watch(stage.nome)
        if session.stopped():
            raise KeyboardInterrupt
        yield stage.nome, run_stage(session, stage)


def run_stage(session: RunSession, stage: Stage) -> StageResult | RunResult:
    """Run the next stage, the first of which begins its verb, and write down that it is done; raises as it does."""
    if stage.begins is not None:
        begin: Callable[[RunSession], None] = resolve_name(stage.begins)
        begin(session)
    function: Callable[[RunSession], StageResult | RunResult] = resolve_name(stage.runs)
    if stage.label is None:
        result = function(session)
    else:
        session.progress.start(stage.label, None, None)
        result = function(session)
        session.progress.finish()
    runs.mark_stage(session.warehouse, session.execucao_id, stage.nome, session.now())
    return result


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
        env: the environment, for its token.
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
