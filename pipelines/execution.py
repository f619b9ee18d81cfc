"""Dagster's home made ready by who opens its UI: `lastro dev` and `lastro web`."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.errors import ConfigError, LastroError
from lastro.operation.records import CONFIG, tell_of_records
from lastro.settings import Settings
from lastro.warehouse.file.faults import storage_error

from .home import HOME_VARIABLE, OWN_VARIABLE, find_home, write_dagster_yaml
from .names import Names, add_partitions
from .resources import CONFIG_VARIABLE

BATCH_VARIABLE, BATCH_EVENTS = "DAGSTER_EVENT_BATCH_SIZE", "1000"
"""Dagster keeps what a run intends to make in one go where it is told so."""


def prepare_home(settings: Settings, env: Mapping[str, str] | None = None) -> Path:
    """Make Dagster ready: its home, and a partition per company.

    Args:
        settings: all settings.
        env: where DAGSTER_HOME may name a home of somebody else's; there nothing is written but records of runs. None:
            the home below the data folder.

    Raises:
        ConfigError: when a dagster.yaml cannot be read, or the named home is not there.
        StorageError: when the folder cannot be written, or the database of the records does not answer.
    """
    home = _make_home(settings, env)
    with _records_kept(home):
        _open_records(home, settings)
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
            write_dagster_yaml(home)
        except OSError as error:
            raise storage_error(home, error) from None
    os.environ[HOME_VARIABLE] = str(home)
    if own:
        os.environ[OWN_VARIABLE] = str(home)
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault(BATCH_VARIABLE, BATCH_EVENTS)
    return home


def _open_records(home: Path, settings: Settings) -> None:
    """Open the records once, so that their tables are there, and add a partition for each company."""
    with _readable(home), dg.DagsterInstance.get() as instance:
        add_partitions(instance, Names(settings.local), settings.ids)


@contextlib.contextmanager
def _readable(home: Path) -> Iterator[None]:
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
def _records_kept(home: Path) -> Iterator[None]:
    """Turn Dagster's failure to write its own records (disk full, database down) into an error that says so."""
    try:
        yield
    except LastroError:
        raise
    except Exception as error:
        tell_of_records(home, error, OSError)
        raise
