"""The same job from a terminal: a persistent instance, so that the run stands in the UI afterwards."""

import contextlib
import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import dagster as dg
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.api.retry import RetryPolicy
from lastro.clock import utc_now
from lastro.errors import ConfigError, LastroError, StorageError
from lastro.extract.passes import Progress
from lastro.run.order import Modo, RunOrder, RunResult
from lastro.settings import Empresa, Settings
from pipelines.definitions import build_definitions
from pipelines.instance import HOME_FOLDER, INSTANCE_SETTINGS
from pipelines.names import Names, register_companies
from pipelines.resources import Host, write_order
from pipelines.schedules import JOBS
from pipelines.sensors import sweep_dead_runs


def prepare_home(settings: Settings) -> Path:
    """Make Dagster's home below the data folder, with a partition per company; end runs whose process is gone.

    An existing dagster.yaml is left alone.

    Raises:
        ConfigError: when somebody's dagster.yaml cannot be read.
        StorageError: when the folder cannot be written.
    """
    home = settings.dir / HOME_FOLDER
    try:
        home.mkdir(parents=True, exist_ok=True)
        config = home / "dagster.yaml"
        if not config.exists():
            written = config.with_suffix(".novo")
            written.write_text(INSTANCE_SETTINGS, encoding="utf-8")
            written.replace(config)
    except OSError as error:
        raise StorageError(
            f"{home}: {error.strerror}. Free disk space or make the folder writable, then run again."
        ) from None
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    try:
        with _records_kept(home), dg.DagsterInstance.get() as instance:
            register_companies(instance, Names(settings.local), settings.ids)
            sweep_dead_runs(instance, settings, utc_now)
    except (yaml.YAMLError, dg.DagsterInvalidConfigError):
        raise ConfigError(
            f"{home / 'dagster.yaml'}: Dagster cannot read it. Mend it, or move it away: the next run writes a new one."
        ) from None
    return home


@contextlib.contextmanager
def _records_kept(home: Path, host: Host | None = None) -> Iterator[None]:
    """Turn Dagster's failure to write its own records (disk full, folder not writable) into an error that says so."""
    try:
        yield
    except LastroError:
        raise
    except Exception as error:
        if host is not None and host.error is not None:
            # What stopped the run was told already; that Dagster could not note it down is its consequence.
            raise host.error from None
        cause = _find_storage_cause(error)
        if cause is None:
            raise
        raise StorageError(
            f"{home}: Dagster cannot keep its records ({cause}). Free disk space or make the folder writable, then "
            "run again."
        ) from None


def _find_storage_cause(error: BaseException) -> str | None:
    """Find what SQLite or the system said below the layers of an exception; None when it is about something else."""
    for step in _layers(error):
        if isinstance(step, sqlite3.Error):
            return str(step)
        if isinstance(step, OSError):
            return step.strerror or type(step).__name__
    return None


def _is_of_records(error: BaseException) -> bool:
    """Tell whether a stage failed because Dagster could not note something down: only Dagster uses SQLite."""
    return any(isinstance(step, sqlite3.Error) for step in _layers(error))


def _layers(error: BaseException) -> Iterator[BaseException]:
    """Give an exception and those below it."""
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        yield step
        seen.add(id(step))
        step = step.__cause__ or step.__context__


def run_company(
    settings: Settings,
    empresa: Empresa,
    order: RunOrder,
    *,
    env: Mapping[str, str],
    clock: Callable[[], datetime] = utc_now,
    progress: Progress | None = None,
    policy: RetryPolicy | None = None,
) -> RunResult:
    """Execute the job for one company in this process and record it in the persistent instance.

    Args:
        settings: all settings.
        empresa: the company.
        order: what is asked; its `modo` chooses the job.
        env: the environment, for its token.
        clock: the clock.
        progress: who watches the reading.
        policy: how patient the client is; None takes the usual patience.

    Raises:
        LastroError: what stopped the run.
        KeyboardInterrupt: when the process was told to end; the run is recorded as interrupted.
    """
    host = Host(
        env=env, settings=settings, clock=clock, data_extracao=order.data_extracao, progress=progress, policy=policy
    )
    home = prepare_home(settings)
    logging.getLogger("dagster").setLevel(logging.ERROR)
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with _records_kept(home, host), records_unprinted(), dg.DagsterInstance.get() as instance:
        try:
            outcome = (
                build_definitions(host)
                .resolve_job_def(JOBS[order.modo or Modo.COMPLETA].name)
                .execute_in_process(
                    instance=instance,
                    partition_key=empresa.id,
                    raise_on_error=False,
                    run_config={**write_order(order), **quiet},
                )
            )
        except dg.DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
    if host.error is not None:
        raise host.error
    if host.unexpected is not None:
        with _records_kept(home) if _is_of_records(host.unexpected) else contextlib.nullcontext():
            raise host.unexpected
    if host.result is None:
        failed = ", ".join(event.step_key or "?" for event in outcome.all_events if event.is_step_failure)
        raise LastroError(
            f"company {empresa.id}: the run did not finish ({failed or 'no step failed'}); see run {outcome.run_id} in "
            "`lastro dev`."
        )
    if not outcome.success:
        raise StorageError(
            f"company {empresa.id}: run {host.result.execucao_id} is published and whole, but {home} does not say so: "
            "Dagster could not keep its records. Free disk space, and room for more files; the figures can be used."
        )
    return host.result


class _Sieve:
    """A stream without what Dagster prints when it cannot write a record: the statement, with everything in it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, unless it is such a print."""
        if text.startswith("Exception while writing logger call to event log"):
            return len(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def records_unprinted() -> Iterator[None]:
    """Keep Dagster's own account of a failed record from the terminal; what stops the run is told as ever."""
    with contextlib.redirect_stderr(_Sieve(sys.stderr)):
        yield
