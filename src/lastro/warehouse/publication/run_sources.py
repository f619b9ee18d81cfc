"""A company's published copies opened to be compared, and where in them the records of a run stand.

Does not belong here: what differs between two runs (`lastro.warehouse.publication.two_runs`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import duckdb

from lastro.errors import ConfigError
from lastro.files import demand_passage, describe_denial
from lastro.schema.derivation import quote, versions_at
from lastro.schema.run_kinds import ENDED_WELL, Modo
from lastro.schema.tables import SCHEMA_VERSION
from lastro.warehouse.file.blocks import MEMORY
from lastro.warehouse.file.migration import OLDEST
from lastro.warehouse.file.store import LINHAS_WITH_TAGS, LINK_NAME
from lastro.warehouse.loading.runs import RUN_OF_DAY
from lastro.warehouse.publication.adhoc_queries import shut_off
from lastro.warehouse.publication.copies import COPY_NAME, PUBLISHED_FOLDER

_SHOWN: Final = "SELECT execucao_id FROM ops.relatorio"
_SCHEMA: Final = "SELECT coalesce(max(versao), 0) FROM ops.armazem"
_RUN: Final = (
    "SELECT e.situacao, coalesce(e.tipo_execucao, 'completa'), e.data_base, e.data_extracao, l.execucao_id, "
    "coalesce(l.tipo_execucao, 'completa') FROM ops.execucoes e LEFT JOIN ops.execucoes l "
    "ON l.execucao_id = coalesce(e.leitura_id, e.execucao_id) WHERE e.execucao_id = ?"
)


class RunNotHere(ConfigError):
    """A copy does not have a run, or not its records."""


@dataclass(frozen=True)
class RunInCopy:
    """A run, and where its records stand.

    Attributes:
        arquivo: the copy, links followed.
        catalogo: its name in the connection.
        execucao_id: number of the run.
        tipo: completa, quente or recálculo.
        data_base: D.
        data_extracao: the day on which its records were read.
        registros: number of the recorded run whose versions (`hist`) are its records; None where `core` has them.
        mostrada: whether the reports in the copy (`mart`) are this run's.
    """

    arquivo: Path
    catalogo: str
    execucao_id: int
    tipo: str
    data_base: date
    data_extracao: date
    registros: int | None
    mostrada: bool

    def relation(self, name: str) -> str:
        """Write the relation of a core table as the run had it, for whoever made `catalogo` the current one."""
        if self.registros is None:
            return f"core.{name}"
        return f"({versions_at(name, self.registros)})"

    @property
    def linhas(self) -> str:
        """The same for `core.linhas`, with the ids of its tags."""
        if self.registros is None:
            return LINHAS_WITH_TAGS
        return f"({versions_at('linhas', self.registros, tags=True)})"


class Copies:
    """The copies that are compared, in one connection that reads them and nothing else."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con
        self._attached: dict[Path, str] = {}

    def attach(self, given: Path) -> Path:
        """Attach a file, read-only; the same file once.

        Returns:
            The file, links followed.

        Raises:
            ConfigError: when there is no such file, or it is no database.
        """
        try:
            path = given.resolve(strict=True)
            if path not in self._attached:
                name = f"copia_{len(self._attached)}"
                self.con.execute(f"ATTACH {quote(str(path))} AS {name} (TYPE duckdb, READ_ONLY)")
                self._attached[path] = name
        except PermissionError as error:
            raise describe_denial(error) from None
        except (OSError, duckdb.Error):
            raise ConfigError(_no_copy(given)) from None
        return path

    def find_run(self, path: Path, execucao_id: int) -> RunInCopy:
        """Find a run in an attached copy.

        Args:
            path: what `attach` returned.
            execucao_id: the run.

        Raises:
            RunNotHere: when the copy does not know it, it did not end well, or its records are not kept.
        """
        self.con.execute(f"USE {self._attached[path]}")
        try:
            of_report = self.con.execute(_SHOWN).fetchall()
            ((schema,),) = self.con.execute(_SCHEMA).fetchall()
            if len(of_report) != 1 or not OLDEST <= schema <= SCHEMA_VERSION:
                raise ConfigError(_no_copy(path))
            ((shown,),) = of_report
            rows = self.con.execute(_RUN, [execucao_id]).fetchall()
            if not rows:
                raise RunNotHere(
                    f"diff: a execução {execucao_id} não está em {path}, que vai até a {shown}. Veja os números com: "
                    'lastro sql "SELECT execucao_id, tipo_execucao, data_base, situacao FROM ops.execucoes"'
                )
            records = self._find_records(path, execucao_id, rows[0], shown=execucao_id == shown)
        except duckdb.Error:
            raise ConfigError(_no_copy(path)) from None
        _, kind, day, read_on, reading, *_ = rows[0]
        given_back = records is not None and records != reading
        return RunInCopy(
            arquivo=path,
            catalogo=self._attached[path],
            execucao_id=execucao_id,
            tipo=kind,
            data_base=day,
            data_extracao=day if given_back else read_on,
            registros=records,
            mostrada=execucao_id == shown,
        )

    def _find_records(self, path: Path, execucao_id: int, row: Sequence[Any], *, shown: bool) -> int | None:
        """Find the recorded run whose versions are the records of a run; None where `core` has them."""
        state, kind, day, read_on, reading, kind_of_reading = row
        if state not in ENDED_WELL:
            raise RunNotHere(
                f"diff: a execução {execucao_id} não terminou bem (situação: {state}): não há o que comparar em "
                f"{path}. Escolha uma execução completa."
            )
        if shown:
            return None
        if day < read_on:
            ((exact,),) = self.con.execute(f"{RUN_OF_DAY} AND execucao_id <= ?", [day, execucao_id]).fetchall()
            if exact is not None:
                return int(exact)
        if kind_of_reading != Modo.COMPLETA:
            raise RunNotHere(
                f"diff: os registros da execução {execucao_id} ({kind}) não estão mais guardados em {path}: só a "
                f"leitura completa fica no histórico, e uma {Modo.QUENTE} só na própria cópia, que não está mais em "
                f"{PUBLISHED_FOLDER}. Compare com uma execução completa."
            )
        return int(reading)


def _no_copy(path: Path) -> str:
    return f"diff: {path} não se lê como a cópia publicada de uma empresa. Rode lastro run, que a escreve de novo."


@contextmanager
def open_copies(sides: Sequence[Sequence[Path]]) -> Iterator[tuple[Copies, list[list[Path]]]]:
    """Open copies for reading and shut DuckDB off from everything else, before any of them is asked anything.

    Args:
        sides: for each of the runs the copies in which it may be; the first must open, of the others those count
            that do.

    Yields:
        The copies, and of each side the files that opened, links followed.

    Raises:
        ConfigError: as `Copies.attach`.
    """
    with (
        tempfile.TemporaryDirectory(prefix="lastro-") as aside,
        duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": aside}) as con,
    ):
        copies, opened = Copies(con), []
        for first, *others in sides:
            paths = [copies.attach(first)]
            for path in others:
                with suppress(ConfigError):
                    paths.append(copies.attach(path))
            opened.append(paths)
        shut_off(con)
        yield copies, opened


def find_in(copies: Copies, paths: Sequence[Path], execucao_id: int) -> RunInCopy:
    """Find a run in the first of some copies that has it.

    Raises:
        RunNotHere: when none has; it says what the first one lacks.
    """
    missing: list[RunNotHere] = []
    for path in paths:
        try:
            return copies.find_run(path, execucao_id)
        except RunNotHere as error:
            missing.append(error)
    raise missing[0]


def list_copies_of(pasta: Path, execucao_id: int) -> list[Path]:
    """List the copies of a company in which a run may be: its own, else the published one and those of past days."""
    demand_passage(pasta)
    own = pasta / PUBLISHED_FOLDER / COPY_NAME.format(execucao_id)
    if own.exists():
        return [own]
    return [pasta / LINK_NAME, *sorted(pasta.glob(f"retro/*/{LINK_NAME}"))]
