"""What `lastro codigo` becomes: the code server of one machine of several, whose runs stand in one Dagster."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from lastro.errors import ConfigError
from lastro.settings import Settings

from . import MODULE
from .execution import prepare_home


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
    missing = [
        f"{settings.origem}: {key}: missing; {why}"
        for key, why, there in (
            ("local", "the name of this machine, which no other one has", settings.local),
            ("postgres", "the database of records that all machines share", settings.postgres),
        )
        if not there
    ]
    if missing:
        raise ConfigError(missing)
    prepare_home(settings)
    command = ["-m", "dagster", "code-server", "start", "-m", MODULE, "-h", host, "-p", str(port)]
    # In the place of this process: whoever started it ends it by its own id.
    os.execv(sys.executable, [sys.executable, *command, "--location-name", settings.local])  # noqa: S606 - no shell
