"""Dagster's home made ready by who opens its UI: `lastro dev` and `lastro web`."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import dagster as dg
import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

from lastro.errors import ConfigError, StorageError
from lastro.operation.records import CONFIG
from lastro.settings import Settings

from .home import HOME_VARIABLE, find_home, write_dagster_yaml
from .names import Names, add_partitions
from .resources import CONFIG_VARIABLE

BATCH_VARIABLE, BATCH_EVENTS = "DAGSTER_EVENT_BATCH_SIZE", "1000"
"""Dagster keeps what a run intends to make in one go where it is told so."""


def prepare_home(settings: Settings, env: Mapping[str, str] | None = None) -> Path:
    """Make Dagster ready: its home, its records, whose tables are made once, and a partition per company.

    Args:
        settings: all settings.
        env: where DAGSTER_HOME may name a home of somebody else's; there nothing is written but records of runs. None:
            the home below the data folder.

    Raises:
        ConfigError: when a dagster.yaml cannot be read, or the named home is not there.
        StorageError: when the folder cannot be written, or the database of the records does not answer.
    """
    home, own = find_home(settings, env or {})
    os.environ |= {HOME_VARIABLE: str(home), "DAGSTER_DISABLE_TELEMETRY": "1"}
    os.environ.setdefault(BATCH_VARIABLE, BATCH_EVENTS)
    try:
        if own:
            home.mkdir(parents=True, exist_ok=True)
            write_dagster_yaml(home)
        with dg.DagsterInstance.get() as instance:
            add_partitions(instance, Names(settings.local), settings.ids)
    except (yaml.YAMLError, dg.DagsterInvalidConfigError) as error:
        # Of what Dagster says only that: it may quote the file, and somebody may have written a password there.
        unset = re.findall(r'environment variable "(\w+)" which is not set', str(error))
        why = f" (a variável {unset[0]} não está definida)" if unset else ""
        raise ConfigError(
            f"{home / CONFIG}: o Dagster não consegue ler{why}. Corrija, ou tire do lugar: a próxima execução "
            "escreve um novo."
        ) from None
    except Exception as error:
        raise StorageError(
            f"{home}: o Dagster não consegue guardar os registros ({_find_cause(error)}). Libere espaço em disco, "
            f"libere a escrita na pasta ou inicie o banco que {CONFIG} nomeia, e rode de novo."
        ) from error
    return home


def _find_cause(error: BaseException) -> str:
    """Say what a disk or a database said, below the layers of Dagster's, in one line: more may repeat a statement."""
    while (below := error.__cause__ or error.__context__) is not None:
        error = below
    return str(getattr(error, "strerror", None) or error).strip().partition("\n")[0] or type(error).__name__


def prepare_ui(settings: Settings, config: Path | None) -> None:
    """Make Dagster ready for a UI whose code location reads the settings file of a command, where one is named."""
    prepare_home(settings, os.environ)
    if config is not None:
        os.environ[CONFIG_VARIABLE] = str(config.absolute())
