"""The one resource: a company's run. What is asked of it is configuration; host, token and paths never are."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
from pydantic import Field

from lastro.api.retry import RetryPolicy
from lastro.clock import utc_now
from lastro.errors import ConfigError, LastroError
from lastro.extract.passes import Progress
from lastro.operation.attempts import find_next_attempt
from lastro.run.access import find_notices, keep_private
from lastro.run.ending import Stopped
from lastro.run.order import RunOrder, RunResult, StageResult
from lastro.schema.run_kinds import Etapa, Modo
from lastro.settings import Settings, load_settings, read_tokens

from .failures import describe_failure, end_as_stopped
from .names import LIMITS, PARTITION_TAG, RETRY_TAG, Names, add_partitions
from .private import keep_engines

if TYPE_CHECKING:
    from lastro.run.session import RunSession

CONFIG_VARIABLE = "LASTRO_CONFIG"
"""Names the settings file for the code location, whose working folder the UI chooses."""
RESOURCE = "execucao"
_Pedido = StrEnum("_Pedido", {modo.asked: modo.asked for modo in Modo})  # type: ignore[misc] # as many as there are


class Execucao(dg.ConfigurableResource["RunOfCompany"]):
    """A execução de uma empresa: trava, arquivo privado e cliente do serviço. Aqui se pede o mesmo que no terminal."""

    data_base: str | None = Field(
        default=None,
        description="Data-base dos relatórios, AAAA-MM-DD. Sem ela: o dia da leitura. Um dia passado vem da execução "
        "completa daquele dia ou é RECONSTITUÍDO; se for anterior ao publicado, vai para retro/.",
    )
    modo: _Pedido | None = Field(
        default=None,
        description="completa lê tudo, com prova; quente relê só o que está perto de hoje e não infere exclusões; "
        "recalculo não lê: calcula de novo a última leitura publicada. Sem ele: completa; o passo relatorios sozinho é "
        "da última leitura provada que espera relatório.",
    )
    aceitar_exclusoes: int | None = Field(
        default=None,
        description="Número da execução retida por exclusões que alguém conferiu: o que ela mostrou pode sair; mais "
        "que isso é retido de novo. Como os dois seguintes: escolha só o passo relatorios, e nada é lido de novo.",
    )
    aceitar_alteracoes: int | None = Field(
        default=None,
        description="Número da execução retida por alterações do passado que alguém conferiu: o que ela mostrou pode "
        "mudar; mais que isso é retido de novo.",
    )
    aceitar_origem: int | None = Field(
        default=None,
        description="Número da execução retida por outro endereço ou outras contas que alguém conferiu: o serviço que "
        "ela mostrou é o da empresa.",
    )
    fechamento: str | None = Field(
        default=None,
        description="Mês AAAA-MM, já acabado, cujo fechamento se escreve também; uma edição que existe nunca é trocada "
        "(S25).",
    )
    publicar_passado: bool = Field(
        default=False,
        description="Com data_base: publica esse dia passado no lugar de um posterior. Sem ele: vai para retro/ e o "
        "publicado não muda.",
    )


def read_location_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Load the settings that the environment points at.

    Raises:
        ConfigError: naming every mistake.
    """
    env = os.environ if env is None else env
    return load_settings(_find_config(env), env, Path.cwd())


def _find_config(env: Mapping[str, str]) -> Path | None:
    config = env.get(CONFIG_VARIABLE)
    return Path(config) if config else None


@dataclass
class Host:
    """What a process lends to the runs it executes.

    Attributes:
        env: the environment, for settings and tokens.
        settings: the settings, when the process has loaded them already.
        clock: the clock.
        data_extracao: date of the extraction, for rehearsals against a service whose clock was set.
        progress: who watches the reading.
        policy: how patient the client is.
    """

    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    settings: Settings | None = None
    clock: Callable[[], datetime] = utc_now
    data_extracao: date | None = None
    progress: Progress | None = None
    policy: RetryPolicy | None = None

    def load(self) -> Settings:
        """Return the settings, read anew unless the process lent them."""
        return self.settings or read_location_settings(self.env)


class RunOfCompany:
    """A run of lastro within one Dagster run."""

    def __init__(self, host: Host, names: Names, run: dg.DagsterRun, order: RunOrder) -> None:
        self._host = host
        self._names = names
        self._dagster = run
        self._order = order

    def read(self, context: dg.AssetExecutionContext) -> StageResult:
        """Read the service; an error that a user can cure becomes a Failure that says how, without a stack."""
        from lastro.run.stages import read

        with self._open(context) as session:
            return read(session)

    def report(self, context: dg.AssetExecutionContext) -> "Iterator[tuple[Etapa, StageResult | RunResult]]":
        """Go through the stages of the report; raises as `read`."""
        from lastro.run.stages import report

        with self._open(context) as session:
            yield from report(session)

    @contextlib.contextmanager
    def _open(self, context: dg.AssetExecutionContext) -> "Iterator[RunSession]":
        """Open the company for a verb.

        Raises:
            DagsterExecutionInterruptedError: when somebody stopped it, whatever it raised for that.
        """
        try:
            with (
                end_as_stopped(context) as stopped,
                self._open_session(context, stopped) as session,
            ):
                yield session
        except LastroError as error:
            raise describe_failure(error, self._find_retry(error)) from None

    def _open_session(self, context: dg.AssetExecutionContext, stopped: Stopped) -> "RunSession":
        # Loaded by whoever runs: the location is loaded by processes that only look.
        from lastro.progress import WaitLines
        from lastro.run.session import RunSession

        keep_engines(context.instance)
        partition = self._dagster.tags.get(PARTITION_TAG)
        # Before anything can fail: by this the run is known as ours (`Names.owns`), and the next one waits.
        turns = {} if partition is None else self._names.take_turns(partition)
        context.instance.add_run_tags(self._dagster.run_id, {**LIMITS, **turns})
        settings = self._host.load()
        empresa = settings.empresa(_find_partition(self._dagster, settings))
        # Whoever starts a run by its tag in a fresh Dagster has not waited for the sensor of the partitions.
        add_partitions(context.instance, self._names, [empresa.id])
        for notice in find_notices(settings, [empresa]):
            context.log.warning(notice)
        return RunSession(
            settings,
            empresa,
            lambda: read_tokens(settings, [empresa], self._host.env)[empresa.id],
            self._order,
            clock=self._host.clock,
            dagster_run_id=self._dagster.run_id,
            progress=self._host.progress or WaitLines(context.log.info),
            policy=self._host.policy,
            stopped=stopped,
            begun=lambda run: context.log.info(f"{empresa.nome}: execução {run.execucao_id}, {run.tipo}"),
        )

    def _find_retry(self, error: LastroError) -> datetime | None:
        """Find when another run tries it again: this one must not hold its slot while it waits."""
        if not error.retryable:
            return None
        settings, tried = self._host.load(), count_retries(self._dagster)
        due = find_next_attempt(settings, tried, self._host.clock())
        if due is not None:
            from lastro.run.happened import try_again

            try_again(settings.pasta(settings.empresa(self._dagster.tags[PARTITION_TAG])), due, tried)
        return due


def count_retries(run: dg.DagsterRun) -> int:
    """Count the runs that a run tries again."""
    tag = run.tags.get(RETRY_TAG, "")
    return int(tag) if tag.isdecimal() else 0


def _find_partition(run: dg.DagsterRun, settings: Settings) -> str:
    """Find whose run it is.

    Raises:
        ConfigError: when nobody chose, saying what to choose from.
    """
    if PARTITION_TAG not in run.tags:
        raise ConfigError(
            f"nenhuma partição foi escolhida, e uma execução é de uma empresa. Escolha uma: {', '.join(settings.ids)}."
        )
    return run.tags[PARTITION_TAG]


def build_run_resource(host: Host, names: Names) -> Execucao:
    """Build the resource `execucao`, with what its process lends; of that nothing can be given from the UI."""

    class Lent(Execucao):
        __doc__ = Execucao.__doc__

        @contextlib.contextmanager
        def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[RunOfCompany]:
            if context.run is None:
                raise ConfigError("o recurso execucao é de uma execução")
            order = RunOrder.read(dict(self), host.data_extracao)
            # Whoever starts the process that executes the run may have any other umask.
            with keep_private():
                yield RunOfCompany(host, names, context.run, order)

    Lent.__qualname__ = Execucao.__qualname__
    return Lent()
