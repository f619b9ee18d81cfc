"""The stages of a run, in order: what Dagster's assets go through for the UI, the terminal and the demo.

A run works on the company's private file and folder; nothing that anybody else opens changes before `publicacao`. Every
stage is whole or leaves no trace: pages are landed before they are parsed, tables are replaced in one transaction,
workbooks are written aside and moved, the published link is flipped last. A run that dies is begun anew and converges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from lastro.errors import IncompletePass
from lastro.schema.run_kinds import Etapa

if TYPE_CHECKING:
    from lastro.run.order import RunResult, StageResult
    from lastro.run.session import RunSession


@dataclass(frozen=True)
class Stage:
    """A stage: its name, what it runs, the stage whose results it reads from the files, and its text for people.

    The reading tells of each list by itself.

    Attributes:
        runs: module and function, found when it is run: Dagster's location and command lines only name the stages.
    """

    nome: Etapa
    runs: str
    precisa: Etapa | None
    label: str | None = None

    @property
    def module(self) -> str:
        """The module that is loaded when the stage is run."""
        return self.runs.partition(":")[0]

    def run(self, session: RunSession) -> StageResult | RunResult:
        """Do the stage's work; raises as its function does."""
        function: Callable[[RunSession], StageResult | RunResult] = resolve_name(self.runs)
        return function(session)


STAGES = (
    Stage(Etapa.LEITURA, "lastro.run.reading:read_service", None),
    Stage(Etapa.CORE, "lastro.run.loading:load_core", Etapa.LEITURA, "carga"),
    Stage(Etapa.MART, "lastro.run.computation:build_mart", Etapa.CORE, "relatórios e verificações"),
    Stage(Etapa.PLANILHAS, "lastro.run.delivery:write_workbooks", Etapa.MART, "planilhas"),
    Stage(Etapa.PUBLICACAO, "lastro.run.delivery:publish_run", Etapa.PLANILHAS, "publicação"),
)
STAGE_OF = {stage.nome: stage for stage in STAGES}
"""Name -> stage."""


def run_stage(session: RunSession, stage: Stage) -> StageResult | RunResult:
    """Run a stage of the run it belongs to and write down that it is done.

    A recálculo first does what the stage needs and nobody chose; of any other run that must be done already.

    Raises:
        IncompletePass: when what the stage needs was not done.
        LastroError: from the stage.
    """
    from lastro.run.identity import take_up
    from lastro.warehouse.loading import runs

    take_up(session, stage.nome)
    if stage.precisa is not None and not _is_done(session, stage.precisa):
        if not session.is_recalculation:
            raise IncompletePass(
                f"execução {session.execucao_id}: {stage.nome} precisa de {stage.precisa}, que não terminou. "
                "Nada foi trocado; rode o job inteiro."
            )
        run_stage(session, STAGE_OF[stage.precisa])
    if stage.label is None:
        result = stage.run(session)
    else:
        session.progress.start(stage.label, None, None)
        result = stage.run(session)
        session.progress.finish()
    runs.mark_stage(session.warehouse, session.execucao_id, stage.nome, session.now())
    return result


def _is_done(session: RunSession, etapa: Etapa) -> bool:
    # A recálculo's reading is a published one, so it ended; whether it is proved the loading asks for itself.
    if etapa is Etapa.LEITURA and session.is_recalculation:
        return True
    from lastro.warehouse.loading import runs

    return runs.is_stage_done(session.warehouse, session.execucao_id, etapa)
