"""What `lastro codigo` becomes: the code server of one machine of several, whose runs stand in one Dagster."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from lastro.errors import ConfigError
from lastro.settings import Settings

from . import MODULE
from .execution import prepare_home
from .home import render_dagster_yaml
from .names import Names


def show_instance(settings: Settings) -> str:
    """Write the `dagster.yaml` of web server and daemon, where they are not those of `lastro dev`.

    Raises:
        ConfigError: when an extra is not installed.
    """
    return render_dagster_yaml(settings)


def serve_code(settings: Settings, host: str, port: int) -> NoReturn:
    """Prepare Dagster's home and become `dagster code-server start`, under the name of the setting `local`.

    Args:
        settings: all settings.
        host: address to listen on.
        port: port to listen on.

    Raises:
        ConfigError: when the settings do not say which machine this is, or where the common records are.
        StorageError: when the database of the records does not answer.
    """
    _demand_shared(settings)
    prepare_home(settings)
    command = ["-m", "dagster", "code-server", "start", "-m", MODULE, "-h", host, "-p", str(port)]
    # In the place of this process: whoever started it ends it by its own id.
    location = ["--location-name", Names(settings.local).default_location]
    os.execv(sys.executable, [sys.executable, *command, *location])  # noqa: S606 - no shell


def _demand_shared(settings: Settings) -> None:
    missing = [
        f"{settings.origem}: {key}: missing; {why}"
        for key, why, there in (
            # Pods are all of one location; several machines are one each.
            ("local", "the name of this machine, which no other one has", settings.local or settings.kubernetes),
            ("postgres", "the database of records that all machines share", settings.postgres),
        )
        if not there
    ]
    if missing:
        raise ConfigError(missing)
