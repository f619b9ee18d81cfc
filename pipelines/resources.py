"""The one resource: a company's run. What is asked of it is configuration; host, token and paths never are."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from lastro.run.stages import Stage, run_stage
from lastro.schema.run_kinds import Etapa, Modo
from lastro.settings import Settings, find_settings_file, load_settings, read_tokens

from .failures import describe_failure, end_as_stopped
from .names import (
    COMPLETE_ONLY,
    LISTS,
    PARTITION_TAG,
    TAG_EXECUCAO,
    TAG_LOCAL,
    TAG_UMA_POR_VEZ,
    UNNUMBERED,
    Names,
    add_partitions,
)
from .private import keep_engines

if TYPE_CHECKING:
    from lastro.run.session import RunSession

TAG_EMPRESA, TAG_MODO, TAG_VEREDITO = "lastro/empresa", "lastro/modo", "lastro/veredito"
TAG_DATA_BASE = "lastro/data_base"
"""What a run says of itself beside its number: name of the company, kind, verdict, D."""
NO_VERDICT = "–"
"""Verdict of a run that has published nothing yet."""
TAG_TENTATIVA, TAG_NOVA_TENTATIVA = "lastro/tentativa", "lastro/nova_tentativa"
"""How many runs this one tries again; since when another may (`sensors`)."""
KNOWN_TAGS = (
    TAG_EMPRESA, TAG_EXECUCAO, TAG_MODO, TAG_VEREDITO, TAG_DATA_BASE, TAG_TENTATIVA, TAG_NOVA_TENTATIVA, TAG_LOCAL,
    TAG_UMA_POR_VEZ,
)  # fmt: skip
CONFIG_VARIABLE = "LASTRO_CONFIG"
"""Names the settings file for the code location, whose working folder the UI chooses."""
RESOURCE = "execucao"
_Pedido = StrEnum("_Pedido", {modo.asked: modo.asked for modo in Modo})  # type: ignore[misc] # as many as there are


class Execucao(dg.ConfigurableResource["StageRunner"]):
    """A execução de uma empresa: trava, arquivo privado e cliente do serviço. Aqui se pede o mesmo que no terminal."""

    data_base: str | None = Field(
        default=None,
        description="Data-base dos relatórios, AAAA-MM-DD. Sem ela: o dia da leitura. Um dia passado vem da execução "
        "completa daquele dia ou é RECONSTITUÍDO; se for anterior ao publicado, vai para retro/.",
    )
    modo: _Pedido | None = Field(
        default=None,
        description="completa lê tudo, com prova; quente relê só o que está perto de hoje e não infere exclusões; "
        "recalculo não lê: calcula de novo a última leitura publicada. Sem ele: completa com a leitura, recalculo sem.",
    )
    aceitar_exclusoes: int | None = Field(
        default=None,
        description="Número da execução retida por exclusões que alguém conferiu: o que ela mostrou pode sair; mais "
        "que isso é retido de novo.",
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
    """What a process lends to the runs it executes, and where they leave their outcome.

    Attributes:
        env: the environment, for settings and tokens.
        settings: the settings, when the process has loaded them already.
        clock: the clock.
        data_extracao: date of the extraction, for rehearsals against a service whose clock was set.
        progress: who watches the reading.
        policy: how patient the client is.
        stopped: whether somebody stops the process, where it hears that itself; None listens while a stage runs.
        retries: whether further runs are asked for when the service or the company is not to be had.
        result: what the last run left, or None.
        error: why it failed, or None.
        unexpected: an error that is a defect of lastro, or None.
    """

    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    settings: Settings | None = None
    clock: Callable[[], datetime] = utc_now
    data_extracao: date | None = None
    progress: Progress | None = None
    policy: RetryPolicy | None = None
    stopped: Stopped | None = None
    retries: bool = False
    result: RunResult | None = None
    error: LastroError | None = None
    unexpected: Exception | None = None

    def load(self) -> Settings:
        """Return the settings, read anew unless the process lent them."""
        return self.settings or read_location_settings(self.env)

    @property
    def settings_file(self) -> Path:
        """The settings file, whether it can be read or not."""
        return find_settings_file(_find_config(self.env), Path.cwd())


class StageRunner:
    """The stages of one Dagster run: its session is opened by its first stage and closed with it."""

    def __init__(self, host: Host, names: Names, run: dg.DagsterRun, order: RunOrder) -> None:
        self._host = host
        self._names = names
        self._dagster = run
        self._order = order
        self._told = dict(run.tags)
        self._settings: Settings | None = None
        self._session: RunSession | None = None

    def run(self, context: dg.AssetExecutionContext, stage: Stage) -> StageResult | RunResult:
        """Run one stage; an error that a user can cure becomes a Failure that says how, without a stack.

        Raises:
            DagsterExecutionInterruptedError: when somebody stopped it, whatever it raised for that.
        """
        try:
            with end_as_stopped(context, self._host.stopped) as stopped:
                outcome = self._run(context, stage, stopped)
        except LastroError as error:
            self._host.error = error
            self._record(error)
            self._ask_again(context, error)
            raise describe_failure(error) from None
        except BaseException as error:
            if isinstance(error, Exception):
                self._host.unexpected = error
            self._record(error)
            raise
        if isinstance(outcome, RunResult):
            self._host.result = outcome
            self._tag(context, {TAG_VEREDITO: outcome.veredito})
        return outcome

    def _run(self, context: dg.AssetExecutionContext, stage: Stage, stopped: Stopped) -> StageResult | RunResult:
        # Loaded by whoever runs: the location is loaded by processes that only look.
        from lastro.run.identity import take_up

        session = self._open(context, stage)
        if stopped():  # before it, or unheard by the cluster of a run that somebody ended
            raise dg.DagsterExecutionInterruptedError
        take_up(session, stage.nome)
        self._tag(
            context,
            {
                TAG_EMPRESA: session.empresa.nome,
                TAG_EXECUCAO: str(session.execucao_id),
                TAG_MODO: session.run.tipo,
                TAG_DATA_BASE: session.run.data_base.isoformat(),
                TAG_VEREDITO: NO_VERDICT,
            },
        )
        outcome = run_stage(session, stage)
        if not isinstance(outcome, RunResult) and stopped():
            raise dg.DagsterExecutionInterruptedError  # which the stage did not notice
        return outcome

    def close(self) -> None:
        """Give the company back."""
        if self._session is not None:
            self._session.close()

    def _open(self, context: dg.AssetExecutionContext, stage: Stage) -> "RunSession":
        if self._session is None:
            from lastro.progress import WaitLines
            from lastro.run.session import RunSession

            keep_engines(context.instance)  # of a run that Dagster has started

            tags = self._read_run(context).tags
            if TAG_EXECUCAO not in tags:
                # Before anything can fail: by this the run is known as ours (`Names.owns`), and the next one waits.
                turns = self._names.take_turns(tags[PARTITION_TAG]) if PARTITION_TAG in tags else {}
                self._tag(context, {TAG_EXECUCAO: UNNUMBERED, **self._names.tags, **turns})
            _demand_known_tags(tags)
            _demand_stages(self._dagster, context.job_def, continued=TAG_EXECUCAO in tags)
            if stage.nome is Etapa.LEITURA:
                self._demand_lists(context)
            settings = self._settings = self._host.load()
            empresa = settings.empresa(_find_partition(self._dagster, settings))
            # Whoever starts a run by its tag in a fresh Dagster has not waited for the sensor of the partitions.
            add_partitions(context.instance, self._names, [empresa.id])
            for notice in find_notices(settings, [empresa]):
                context.log.warning(notice)
            self._session = RunSession(
                settings,
                empresa,
                lambda: read_tokens(settings, [empresa], self._host.env)[empresa.id],
                self._order,
                clock=self._host.clock,
                dagster_run_id=self._dagster.root_run_id or self._dagster.run_id,
                continues=read_tag_number(tags.get(TAG_EXECUCAO)),
                progress=self._host.progress or WaitLines(context.log.info),
                policy=self._host.policy,
            )
        self._session.open()
        return self._session

    def _demand_lists(self, context: dg.AssetExecutionContext) -> None:
        """Refuse a reading of which a part was chosen.

        Raises:
            ConfigError: saying what to choose.
        """
        unread = COMPLETE_ONLY if self._order.modo is Modo.QUENTE else ()
        wanted = {self._names.key("raw", lista) for lista in LISTS if lista not in unread}
        if not wanted <= set(context.selected_asset_keys):
            raise ConfigError(
                "a leitura é um passo só: uma parte dela não provaria nada. Rode lastro_diario ou lastro_quente."
            )

    def _read_run(self, context: dg.AssetExecutionContext) -> dg.DagsterRun:
        """Read the run as it is now: an earlier step in another process, or the parent, left its number in the tags."""
        return context.instance.get_run_by_id(self._dagster.run_id) or self._dagster

    def _record(self, error: BaseException) -> None:
        if self._session is not None:
            self._session.record_failure(error)

    def _ask_again(self, context: dg.AssetExecutionContext, error: LastroError) -> None:
        """Let another run try again later: this one must not hold its slot while it waits."""
        if not (error.retryable and self._host.retries) or self._settings is None:
            return
        tried = read_tag_number(self._dagster.tags.get(TAG_TENTATIVA)) or 0
        due = find_next_attempt(self._settings, tried, self._host.clock())
        if due is not None:
            # With the run's own id: a re-execution inherits the tags of its parent.
            moment = due.astimezone(UTC).isoformat(timespec="seconds")
            if self._session is not None and self._session.has_run:
                from lastro.run.journal import note_retry

                note_retry(self._session.pasta, due, tried)
            self._tag(context, {TAG_NOVA_TENTATIVA: f"{self._dagster.run_id} {moment}"})

    def _tag(self, context: dg.AssetExecutionContext, tags: dict[str, str]) -> None:
        fresh = {name: value for name, value in tags.items() if self._told.get(name) != value}
        if fresh:
            context.instance.add_run_tags(self._dagster.run_id, fresh)
            self._told |= fresh


def read_tag_number(tag: str | None) -> int | None:
    """Read a tag that holds a number; None when it holds something else."""
    return int(tag) if tag is not None and tag.isdecimal() else None


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


def _demand_known_tags(tags: Mapping[str, str]) -> None:
    known = {*KNOWN_TAGS} - (set() if TAG_EXECUCAO in tags else {TAG_DATA_BASE})  # inherited, or somebody's own
    unknown = sorted(tag for tag in tags if tag.startswith("lastro/") and tag not in known)
    if unknown:
        raise ConfigError(
            f"run tag {', '.join(unknown)}: desconhecida, e não teria efeito. O que se pede a uma execução "
            f"é a configuração dela: resources > {RESOURCE} > config: {', '.join(Execucao.model_fields)}."
        )


def _demand_stages(run: dg.DagsterRun, job: dg.JobDefinition, *, continued: bool) -> None:
    """Refuse a choice of stages that would leave something half: without publication, or with stages left out.

    Args:
        run: the Dagster run.
        job: its job.
        continued: whether it goes on with a run that failed; one of its own begins with the reports at the latest, for
            what is published would else be computed in a step that says another thing.

    Raises:
        ConfigError: saying what to choose.
    """
    chosen, every = run.step_keys_to_execute or [node.name for node in job.nodes], list(Etapa)
    first = min(every.index(etapa) for etapa in every if etapa in chosen)
    begin = first if continued else min(first, every.index(Etapa.MART))
    missing = [etapa for etapa in every[begin:] if etapa not in chosen]
    if missing:
        raise ConfigError(
            f"as etapas escolhidas deixam de fora {', '.join(missing)}: nada delas apareceria. Rode o job "
            "lastro_diario, ou lastro_recalculo (core, mart e planilhas) para um recálculo da última leitura "
            "publicada."
        )


def write_order(order: RunOrder) -> dict[str, Any]:
    """Write what is asked of a run as configuration of a Dagster run."""
    return {"resources": {RESOURCE: {"config": order.write()}}}


def build_run_resource(host: Host, names: Names) -> Execucao:
    """Build the resource `execucao`, with what its process lends; of that nothing can be given from the UI."""

    class Lent(Execucao):
        __doc__ = Execucao.__doc__

        @contextlib.contextmanager
        def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[StageRunner]:
            if context.run is None:
                raise ConfigError("o recurso execucao é de uma execução")
            order = RunOrder.read(dict(self), host.data_extracao)
            runner = StageRunner(host, names, context.run, order)
            # Whoever starts the process that executes the run may have any other umask.
            with keep_private():
                try:
                    yield runner
                finally:
                    runner.close()

    Lent.__qualname__ = Execucao.__qualname__
    return Lent()
