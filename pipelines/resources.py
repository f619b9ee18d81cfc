"""The one resource: a company's run. A plain object: host, token and paths can't be overridden from the UI."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg

from lastro.errors import ConfigError, LastroError
from lastro.extract.passes import Progress
from lastro.runs import CompanyRun, RunOrder, RunResult, StageResult
from lastro.settings import Settings, load_settings, read_tokens

TAG_DATA_BASE = "lastro/data_base"
TAG_DATA_EXTRACAO = "lastro/data_extracao"
TAG_ACEITAR_EXCLUSOES = "lastro/aceitar_exclusoes"
TAG_QUENTE = "lastro/quente"
PARTITION_TAG = "dagster/partition"
CONFIG_VARIABLE = "LASTRO_CONFIG"
"""Names the settings file for the code location, whose working folder the UI chooses."""
RETRY_SECONDS = 300


def read_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Load the settings that the environment points at.

    Raises:
        ConfigError: naming every mistake.
    """
    env = os.environ if env is None else env
    config = env.get(CONFIG_VARIABLE)
    return load_settings(Path(config) if config else None, env, Path.cwd())


def utc_now() -> datetime:
    """Read the clock."""
    return datetime.now(UTC)


@dataclass
class Host:
    """What a process lends to the runs it executes, and where they leave their outcome.

    Attributes:
        env: the environment, for settings and tokens.
        settings: the settings, when the process has loaded them already.
        agora: the clock.
        progress: who watches the reading.
        retries: how often a stage that can be retried waits and tries again; scheduled runs only.
        result: what the last run left, or None.
        error: why it failed, or None.
        unexpected: an error that is a defect of lastro, or None.
    """

    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    settings: Settings | None = None
    agora: Callable[[], datetime] = utc_now
    progress: Progress | None = None
    retries: int = 0
    result: RunResult | None = None
    error: LastroError | None = None
    unexpected: Exception | None = None


class Session:
    """The run of one Dagster run: opened by its first stage, closed with the Dagster run."""

    def __init__(self, host: Host, empresa_id: str, tags: Mapping[str, str]) -> None:
        self._host = host
        self._empresa_id = empresa_id
        self._tags = tags
        self._run: CompanyRun | None = None
        self._failed: str | None = None

    def stage(
        self, context: dg.AssetExecutionContext, call: Callable[[CompanyRun], StageResult | RunResult]
    ) -> StageResult | RunResult:
        """Run one stage; an error that a user can cure becomes a Failure that says how, without a traceback."""
        if self._failed is not None:
            # Stages that do not depend on the failed one must not ask a service that refused or is down.
            raise dg.Failure(f"not run: an earlier stage failed: {self._failed}", allow_retries=False)
        try:
            outcome = call(self._open())
        except LastroError as error:
            self._host.error = error
            if self._run is not None:
                self._run.close_client()
            if error.retryable and context.retry_number < self._host.retries:
                raise dg.RetryRequested(self._host.retries, RETRY_SECONDS) from None
            self._failed = str(error)
            if self._run is not None:
                self._run.record_failure(error)
            raise dg.Failure(str(error), allow_retries=False) from None
        except Exception as error:
            self._host.unexpected = error
            self._failed = type(error).__name__
            if self._run is not None:
                self._run.record_failure(error)
            raise
        # A stage that a retry has cured is no failure of the run.
        self._host.error = None
        if isinstance(outcome, RunResult):
            self._host.result = outcome
        return outcome

    @property
    def run(self) -> CompanyRun:
        """The run under way."""
        if self._run is None:
            raise RuntimeError("a stage opens the run")
        return self._run

    def _open(self) -> CompanyRun:
        if self._run is None:
            settings = self._host.settings or read_settings(self._host.env)
            empresa = settings.empresa(self._empresa_id)
            token = read_tokens(settings, [empresa], self._host.env)[empresa.id]
            self._run = CompanyRun(
                settings, empresa, token, _read_order(self._tags), agora=self._host.agora, progress=self._host.progress
            )
        self._run.open()
        return self._run

    def close(self) -> None:
        """Give the company back."""
        if self._run is not None:
            self._run.close()


def _read_order(tags: Mapping[str, str]) -> RunOrder:
    """Read what is asked of the run from its tags; dates only: nothing that could lead a token elsewhere."""
    days: dict[str, date | None] = {}
    for name, tag in (("data_base", TAG_DATA_BASE), ("data_extracao", TAG_DATA_EXTRACAO)):
        try:
            days[name] = date.fromisoformat(tags[tag]) if tags.get(tag) else None
        except ValueError:
            raise ConfigError(f"run tag {tag}: write a date such as 2026-03-16.") from None
    return RunOrder(
        data_base=days["data_base"],
        data_extracao=days["data_extracao"],
        aceitar_exclusoes=tags.get(TAG_ACEITAR_EXCLUSOES) == "sim",
        quente=tags.get(TAG_QUENTE) == "sim",
    )


def build_run_resource(host: Host) -> dg.ResourceDefinition:
    """Build the resource `execucao`; it has no configuration, so nothing of it can be replaced from the UI."""

    # An empty schema, not an absent one: a configuration that somebody tries to pass is refused.
    @dg.resource(
        config_schema={}, description="A execução de uma empresa: trava, arquivo privado e cliente do serviço."
    )
    def execucao(context: dg.InitResourceContext) -> Iterator[Session]:
        tags = context.run.tags if context.run else {}
        session = Session(host, tags.get(PARTITION_TAG, ""), tags)
        try:
            yield session
        finally:
            session.close()

    return execucao
