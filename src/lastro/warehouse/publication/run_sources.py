"""Where in a company's published copy the records of a run stand.

Does not belong here: what differs between two runs (`lastro.warehouse.publication.two_runs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

import duckdb

from lastro.errors import ConfigError
from lastro.schema.derivation import versions_at
from lastro.schema.run_kinds import ENDED_WELL, Modo
from lastro.warehouse.file.store import LINHAS_WITH_TAGS
from lastro.warehouse.loading.runs import RUN_OF_DAY

_RUN: Final = (
    "SELECT e.situacao, coalesce(e.tipo_execucao, 'completa'), e.data_base, e.data_extracao, l.execucao_id, "
    "coalesce(l.tipo_execucao, 'completa'), r.execucao_id FROM ops.relatorio r LEFT JOIN ops.execucoes e "
    "ON e.execucao_id = ? LEFT JOIN ops.execucoes l ON l.execucao_id = coalesce(e.leitura_id, e.execucao_id)"
)


@dataclass(frozen=True)
class RunInCopy:
    """A run, and where its records stand.

    Attributes:
        execucao_id: number of the run.
        tipo: completa, quente or recálculo.
        data_base: D.
        data_extracao: the day on which its records were read.
        registros: number of the recorded run whose versions (`hist`) are its records; None where `core` has them.
        mostrada: whether the reports in the copy (`mart`) are this run's.
    """

    execucao_id: int
    tipo: str
    data_base: date
    data_extracao: date
    registros: int | None
    mostrada: bool

    def relation(self, name: str) -> str:
        """Write the relation of a core table as the run had it."""
        if self.registros is None:
            return f"core.{name}"
        return f"({versions_at(name, self.registros)})"

    @property
    def linhas(self) -> str:
        """The same for `core.linhas`, with the ids of its tags."""
        if self.registros is None:
            return LINHAS_WITH_TAGS
        return f"({versions_at('linhas', self.registros, tags=True)})"


def find_run(con: duckdb.DuckDBPyConnection, execucao_id: int) -> RunInCopy:
    """Find a run in a published copy.

    Raises:
        ConfigError: when the copy does not know it, it did not end well, or its records are not kept.
    """
    ((state, kind, day, read_on, reading, kind_of_reading, last),) = con.execute(_RUN, [execucao_id]).fetchall()
    if state is None:
        raise ConfigError(
            f"diff: a execução {execucao_id} não está no que se publicou, que vai até a {last}. Veja os números com: "
            'lastro sql "SELECT execucao_id, tipo_execucao, data_base, situacao FROM ops.execucoes"'
        )
    if state not in ENDED_WELL:
        raise ConfigError(
            f"diff: a execução {execucao_id} não terminou bem (situação: {state}): não há o que comparar. Escolha uma "
            "execução completa."
        )
    if execucao_id == last:
        return RunInCopy(execucao_id, kind, day, read_on, None, mostrada=True)
    if day < read_on:
        ((exact,),) = con.execute(f"{RUN_OF_DAY} AND execucao_id <= ?", [day, execucao_id]).fetchall()
        if exact is not None:
            return RunInCopy(execucao_id, kind, day, day if exact != reading else read_on, int(exact), mostrada=False)
    if kind_of_reading != Modo.COMPLETA:
        raise ConfigError(
            f"diff: os registros da execução {execucao_id} ({kind}) não estão mais guardados: só os de uma leitura "
            "completa ficam no histórico. Compare com uma execução completa."
        )
    return RunInCopy(execucao_id, kind, day, read_on, int(reading), mostrada=False)
