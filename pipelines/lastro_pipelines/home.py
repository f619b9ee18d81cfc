"""Dagster's home: where it is, the `dagster.yaml` that lastro writes into a home of its own, and what one lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lastro.errors import ConfigError
from lastro.files import write_whole
from lastro.operation.records import CONFIG
from lastro.settings import Settings

from . import private
from .names import TAG_UMA_POR_VEZ

HOME_FOLDER: Final = "dagster"
HOME_VARIABLE: Final = "DAGSTER_HOME"
LIMIT: Final = f"""\
concurrency:
  runs:
    tag_concurrency_limits:
      - key: {TAG_UMA_POR_VEZ}
        value:
          applyLimitPerUniqueValue: true
        limit: 1
"""
"""All that lastro asks of a Dagster: a person's run and the morning's of one company never overlap. What else stands in
a `dagster.yaml` is everybody's whose code locations it shows."""
INSTANCE_SETTINGS: Final = f"""\
# Written once by lastro; yours from now on. Telemetry stays off, runs of one company never overlap.
telemetry:
  enabled: false
nux:
  enabled: false
{LIMIT}\
    max_concurrent_runs: 2
run_monitoring:
  enabled: true
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 2
      failure: 30
      success: 90
"""
"""What it writes into a home of its own."""
FILES_SETTINGS: Final = """\
event_log_storage:
  module: {}
  class: {}
  config:
    base_dir:
      env: DAGSTER_HOME
""".format(*private.EVENTS)
"""Records in files of this machine."""
_WRITE: Final = "Escreva o caminho inteiro, a partir de /, ou tire a variável."
OUTPUT_SETTINGS: Final = """\
compute_logs:
  module: {}
  class: {}
""".format(*private.OUTPUT)
"""What a run prints is whoever's who started it."""


def find_home(settings: Settings, env: Mapping[str, str]) -> tuple[Path, bool]:
    """Find Dagster's home, and tell whether it is lastro's own: one that the environment names is somebody else's.

    Raises:
        ConfigError: when it names none that Dagster takes (`read_home`).
    """
    own, named = settings.dir / HOME_FOLDER, env.get(HOME_VARIABLE, "")
    return (own, True) if named in ("", str(own)) else (read_home(named), False)


def read_home(named: str) -> Path:
    """Read what DAGSTER_HOME names, "~" expanded as Dagster does: files of units and containers hold it as it stands.

    Raises:
        ConfigError: when it is no absolute path, or no folder.
    """
    try:
        home = Path(named).expanduser()
    except RuntimeError:
        raise ConfigError(f"{HOME_VARIABLE}: {named} é de um usuário que esta máquina não tem. {_WRITE}") from None
    if not home.is_absolute():
        raise ConfigError(f"{HOME_VARIABLE}: {named} não é um caminho absoluto, e o Dagster só aceita um. {_WRITE}")
    if not home.is_dir():
        raise ConfigError(f"{HOME_VARIABLE}: {home} não é uma pasta. Crie-a, ou tire a variável.")
    return home


def write_dagster_yaml(home: Path) -> None:
    """Write `dagster.yaml` where there is none; what stands there is left as it is.

    Raises:
        OSError: when it cannot be written.
    """
    config = home / CONFIG
    if not config.exists():
        write_whole(config, (INSTANCE_SETTINGS + OUTPUT_SETTINGS + FILES_SETTINGS).encode())
