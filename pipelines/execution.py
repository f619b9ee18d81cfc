"""The same job from a terminal: a persistent instance, so that the run stands in the UI afterwards."""

import contextlib
import logging
import os
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

import dagster as dg
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.api.retry import RetryPolicy
from lastro.clock import utc_now
from lastro.errors import ConfigError, LastroError, StorageError
from lastro.extract.passes import Progress
from lastro.files import locked
from lastro.operation.records import CONFIG, records_unprinted, tell_of_records
from lastro.run.ending import Stopped, is_never_stopped
from lastro.run.order import RunOrder, RunResult
from lastro.settings import Empresa, Settings
from lastro.warehouse.file.faults import storage_error

from .failures import call_off
from .home import HOME_VARIABLE, OWN_VARIABLE, find_home, write_dagster_yaml
from .location import build_definitions
from .names import Names, add_partitions
from .private import keep_engines, place_runs
from .resources import CONFIG_VARIABLE, Host, write_order
from .sensors import sweep_dead_runs

LOCK: Final = ".dagster.trava"
"""File of the data folder that is held while Dagster's records are opened."""
BATCH_VARIABLE, BATCH_EVENTS = "DAGSTER_EVENT_BATCH_SIZE", "1000"
"""Dagster keeps what a run intends to make in one go where it is told so."""


def prepare_home(settings: Settings, env: Mapping[str, str] | None = None) -> Path:
    """Make Dagster ready: its home, a partition per company, the runs whose process is gone ended.

    Args:
        settings: all settings.
        env: where DAGSTER_HOME may name a home of somebody else's; there nothing is written but records of runs. None:
            the home below the data folder.

    Raises:
        ConfigError: when a dagster.yaml cannot be read, or the named home is not there.
        StorageError: when the folder cannot be written, or the database of the records does not answer.
    """
    home = _make_home(settings, env)
    with records_kept(home), open_records(home, settings):
        return home


def prepare_ui(settings: Settings, config: Path | None) -> None:
    """Make Dagster ready for a UI whose code location reads the settings file of a command, where one is named."""
    prepare_home(settings, os.environ)
    if config is not None:
        os.environ[CONFIG_VARIABLE] = str(config.absolute())


def _make_home(settings: Settings, env: Mapping[str, str] | None) -> Path:
    home, own = find_home(settings, env or {})
    if own:
        try:
            home.mkdir(parents=True, exist_ok=True)
            with _alone(settings):
                write_dagster_yaml(home)
        except OSError as error:
            raise storage_error(home, error) from None
    os.environ[HOME_VARIABLE] = str(home)
    if own:
        os.environ[OWN_VARIABLE] = str(home)
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault(BATCH_VARIABLE, BATCH_EVENTS)
    return home


@contextlib.contextmanager
def open_records(home: Path, settings: Settings) -> Iterator[dg.DagsterInstance]:
    """Open the records, with a partition for each company; end runs of ours whose process is gone."""
    with contextlib.ExitStack() as stack:
        with readable(home), _alone(settings):
            instance = stack.enter_context(dg.DagsterInstance.get())
            for file in (*home.glob("*.db"), *home.glob("*/*.db")):
                # Dagster opens and closes a file for each thing it asks; the last to close it writes back its log.
                stack.enter_context(contextlib.closing(sqlite3.connect(file))).execute("PRAGMA schema_version")
            keep_engines(instance)
            add_partitions(instance, Names(settings.local), settings.ids)
            sweep_dead_runs(instance, settings, utc_now)
        yield instance


@contextlib.contextmanager
def readable(home: Path) -> Iterator[None]:
    """Turn a `dagster.yaml` that Dagster does not take into an error that says so."""
    try:
        yield
    except (yaml.YAMLError, dg.DagsterInvalidConfigError) as error:
        # Of what Dagster says only that: it may quote the file, and somebody may have written a password there.
        unset = re.findall(r'environment variable "(\w+)" which is not set', str(error))
        why = f" (a variável {unset[0]} não está definida)" if unset else ""
        raise ConfigError(
            f"{home / CONFIG}: o Dagster não consegue ler{why}. Corrija, ou tire do lugar: a próxima execução "
            "escreve um novo."
        ) from None


@contextlib.contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Let one process at a time open the records: of several that find no database each would make its tables."""
    settings.dir.mkdir(parents=True, exist_ok=True)
    with locked(settings.dir / LOCK):
        yield


@contextlib.contextmanager
def records_kept(home: Path, host: Host | None = None) -> Iterator[None]:
    """Turn Dagster's failure to write its own records (disk full, database down) into an error that says so."""
    try:
        yield
    except LastroError:
        raise
    except Exception as error:
        if host is not None and host.error is not None:
            # What stopped the run was told already; that Dagster could not note it down is its consequence.
            raise host.error from None
        tell_of_records(home, error, OSError)
        raise


def run_recorded(
    settings: Settings,
    empresa: Empresa,
    order: RunOrder,
    *,
    env: Mapping[str, str],
    clock: Callable[[], datetime] = utc_now,
    progress: Progress | None = None,
    policy: RetryPolicy | None = None,
    stopped: Stopped = is_never_stopped,
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
        stopped: whether somebody stops the run; whoever calls hears the signals.

    Raises:
        LastroError: what stopped the run.
        KeyboardInterrupt: when the process was told to end; the run is recorded as interrupted.
    """
    host = Host(
        env=env, settings=settings, clock=clock, data_extracao=order.data_extracao, progress=progress, policy=policy,
        stopped=stopped,
    )  # fmt: skip
    home = _make_home(settings, env)
    logging.getLogger("dagster").setLevel(logging.ERROR)
    names, run_id = Names(settings.local), str(uuid.uuid4())
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with records_kept(home, host), records_unprinted(), open_records(home, settings) as instance:
        place_runs(instance, names.default_location)
        try:
            outcome = (
                build_definitions(host, only=empresa.id)
                .resolve_job_def(names.job(order.tipo))
                .execute_in_process(
                    instance=instance,
                    partition_key=empresa.id,
                    raise_on_error=False,
                    run_config={**write_order(order), **quiet},
                    run_id=run_id,
                )
            )
        except (dg.DagsterExecutionInterruptedError, KeyboardInterrupt):
            call_off(instance, run_id)
            raise KeyboardInterrupt from None
        if host.result is None and stopped():
            call_off(instance, run_id)
            raise KeyboardInterrupt
    # Dagster keeps the host, in circles: what the reports say must not stay with it.
    result, host.result = host.result, None
    if host.error is not None:
        raise host.error
    if host.unexpected is not None:
        tell_of_records(home, host.unexpected)
        raise host.unexpected
    if result is None:
        failed = ", ".join(event.step_key or "?" for event in outcome.all_events if event.is_step_failure)
        raise LastroError(
            f"empresa {empresa.id}: a execução não terminou ({failed or 'nenhum passo falhou'}); veja a execução "
            f"{outcome.run_id} em lastro dev."
        )
    if not outcome.success:
        raise StorageError(
            f"empresa {empresa.id}: a execução {result.execucao_id} está publicada e inteira, mas {home} "
            "não diz isso: o Dagster não conseguiu guardar os registros. Libere espaço em disco, e lugar "
            f"para mais arquivos, ou veja o banco que {CONFIG} nomeia; os valores podem ser usados."
        )
    return result
