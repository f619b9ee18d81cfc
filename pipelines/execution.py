"""The same job from a terminal: a persistent instance, so that the run stands in the UI afterwards."""

import contextlib
import fcntl
import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import dagster as dg
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.api.retry import RetryPolicy
from lastro.clock import utc_now
from lastro.errors import ConfigError, LastroError, StorageError
from lastro.extract.passes import Progress
from lastro.run.order import Modo, RunOrder, RunResult
from lastro.settings import Empresa, Settings
from lastro.terminal import messages

from .home import CONFIG, HOME_VARIABLE, OWN_VARIABLE, find_home, write_dagster_yaml
from .location import build_definitions
from .names import REPOSITORY_TAG, Names, add_partitions
from .resources import Host, write_order
from .sensors import sweep_dead_runs

LOCK: Final = ".dagster.trava"
"""File of the data folder that is held while Dagster's records are opened."""
BATCH_VARIABLE, BATCH_EVENTS = "DAGSTER_EVENT_BATCH_SIZE", "1000"
"""Dagster keeps what a run intends to make in one go where it is told so."""
REPOSITORY: Final = "__repository__"
"""What Dagster calls the definitions of a module."""


def prepare_home(settings: Settings, env: Mapping[str, str] | None = None) -> Path:
    """Make Dagster ready: its home, a partition per company, the runs whose process is gone ended.

    Args:
        settings: all settings.
        env: where DAGSTER_HOME may name a home of somebody else's; there nothing is written but records of runs. None:
            the home below the data folder.

    Raises:
        ConfigError: when a dagster.yaml cannot be read or contradicts the settings, or the named home is not there.
        StorageError: when the folder cannot be written, or the database of the records does not answer.
    """
    home = _make_home(settings, env)
    with records_kept(home, settings), open_records(home, settings):
        return home


def _make_home(settings: Settings, env: Mapping[str, str] | None) -> Path:
    home, own = find_home(settings, env or {})
    if own:
        try:
            home.mkdir(parents=True, exist_ok=True)
            with _alone(settings):
                told = write_dagster_yaml(home, settings)
        except OSError as error:
            raise StorageError(
                f"{home}: {error.strerror}. Free disk space or make the folder writable, then run again."
            ) from None
        if told:
            messages.print(f"lastro: {told}", style="yellow", markup=False)
    elif not home.is_dir():
        raise ConfigError(f"{HOME_VARIABLE}: {home} is no folder. Make it, or take the variable away.")
    os.environ[HOME_VARIABLE] = str(home)
    if own:
        os.environ[OWN_VARIABLE] = str(home)
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault(BATCH_VARIABLE, BATCH_EVENTS)
    if own and settings.postgres is not None:
        from .postgres import demand_database

        demand_database(settings)
    return home


@contextlib.contextmanager
def open_records(home: Path, settings: Settings) -> Iterator[dg.DagsterInstance]:
    """Open the records, with a partition for each company; end runs of ours whose process is gone."""
    with contextlib.ExitStack() as stack:
        with _readable(home), _alone(settings):
            instance = stack.enter_context(dg.DagsterInstance.get())
            add_partitions(instance, Names(settings.local), settings.ids)
            sweep_dead_runs(instance, settings, utc_now)
        yield instance


@contextlib.contextmanager
def _readable(home: Path) -> Iterator[None]:
    """Turn a `dagster.yaml` that Dagster does not take into an error that says so."""
    try:
        yield
    except (yaml.YAMLError, dg.DagsterInvalidConfigError):
        raise ConfigError(
            f"{home / CONFIG}: Dagster cannot read it. Mend it, or move it away: the next run writes a new one."
        ) from None


@contextlib.contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Let one process at a time open the records: of several that find no database each would make its tables."""
    settings.dir.mkdir(parents=True, exist_ok=True)
    handle = os.open(settings.dir / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def records_kept(home: Path, settings: Settings, host: Host | None = None) -> Iterator[None]:
    """Turn Dagster's failure to write its own records (disk full, database down) into an error that says so."""
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
        if settings.postgres is not None:
            from .postgres import storage_down

            raise storage_down(settings.postgres, cause) from None
        raise StorageError(
            f"{home}: Dagster cannot keep its records ({cause}). Free disk space or make the folder writable, then "
            "run again."
        ) from None


def _find_storage_cause(error: BaseException) -> str | None:
    """Find what a database or the system said below the layers of an exception; None when it is about other things."""
    from sqlalchemy.exc import SQLAlchemyError

    for step in _layers(error):
        if isinstance(step, sqlite3.Error):
            return str(step)
        if isinstance(step, SQLAlchemyError):
            return str(getattr(step, "orig", None) or step)
        if isinstance(step, OSError):
            return step.strerror or type(step).__name__
    return None


def _is_of_records(error: BaseException) -> bool:
    """Tell whether a stage failed because Dagster could not note something down: only Dagster uses such databases."""
    from sqlalchemy.exc import SQLAlchemyError

    return any(isinstance(step, sqlite3.Error | SQLAlchemyError) for step in _layers(error))


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
        env: the environment, for its token and a home of Dagster's that somebody named.
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
    home = _make_home(settings, env)
    logging.getLogger("dagster").setLevel(logging.ERROR)
    names = Names(settings.local)
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with records_kept(home, settings, host), records_unprinted(), open_records(home, settings) as instance:
        try:
            outcome = (
                build_definitions(host)
                .resolve_job_def(names.job(order.modo or Modo.COMPLETA))
                .execute_in_process(
                    instance=instance,
                    partition_key=empresa.id,
                    raise_on_error=False,
                    run_config={**write_order(order), **quiet},
                    # What the UI shows a location and its jobs by.
                    tags={REPOSITORY_TAG: f"{REPOSITORY}@{names.default_location}"},
                )
            )
        except dg.DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
    # Dagster keeps the host, in circles: what the reports say must not stay with it.
    result, host.result = host.result, None
    if host.error is not None:
        raise host.error
    if host.unexpected is not None:
        with records_kept(home, settings) if _is_of_records(host.unexpected) else contextlib.nullcontext():
            raise host.unexpected
    if result is None:
        failed = ", ".join(event.step_key or "?" for event in outcome.all_events if event.is_step_failure)
        raise LastroError(
            f"company {empresa.id}: the run did not finish ({failed or 'no step failed'}); see run {outcome.run_id} in "
            "`lastro dev`."
        )
    if not outcome.success:
        where = home if settings.postgres is None else settings.postgres.nome
        cure = "Free disk space, and room for more files" if settings.postgres is None else "See to the database"
        raise StorageError(
            f"company {empresa.id}: run {result.execucao_id} is published and whole, but {where} does not say so: "
            f"Dagster could not keep its records. {cure}; the figures can be used."
        )
    return result


class _Sieve:
    """A stream without what Dagster prints when it cannot write a record: the statement, with everything in it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, unless it is such a print."""
        if text.startswith(("Exception while writing logger call to event log", "Exception while storing event batch")):
            return len(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def records_unprinted() -> Iterator[None]:
    """Keep Dagster's own account of a failed record from the terminal; what stops the run is told as ever."""
    root = logging.getLogger()
    root.addFilter(_is_no_retry)
    try:
        with contextlib.redirect_stderr(_Sieve(sys.stderr)):
            yield
    finally:
        root.removeFilter(_is_no_retry)


def _is_no_retry(record: logging.LogRecord) -> bool:
    """Tell a message from what dagster-postgres says of each of its attempts at a database that is down."""
    return not str(record.msg).startswith("Retrying failed database")
