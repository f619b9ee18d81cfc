"""Optional parts of an installation: Dagster with its UI, the sandbox, the PDF writer."""

from __future__ import annotations

import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from lastro.errors import ConfigError

MODULES: Final = {
    "dagster": ("dagster", "dagster_webserver", "uvicorn", "websockets"),
    "delta": ("deltalake", "pyarrow"),
    "pdf": ("reportlab",),
    "sandbox": ("multipart", "starlette", "uvicorn"),
}
"""The modules that an extra of `pyproject.toml` brings."""


VERSIONS: Final = ((1, 12, 13), (1, 14))
"""Dagster's first version that has what we use of it, and the first that nobody has tried; as in the metadata.

1.12.13 is the first whose checks have partitions of their own.
"""


def is_installed(extra: str) -> bool:
    """Tell whether all modules of an extra are there."""
    return all(find_spec(module) is not None for module in MODULES[extra])


def demand(extra: str, what: str) -> None:
    """Refuse what cannot be done without an extra.

    Raises:
        ConfigError: naming the extra and how to install it.
    """
    if not is_installed(extra):
        raise ConfigError(f"{what} precisa de um extra: {write_install(extra)}.")
    if extra == "dagster":
        demand_dagster(version("dagster"))


def write_install(extra: str) -> str:
    """Write the command that brings an extra: from the repository that this is installed from, or by name."""
    if (Path(__file__).parents[2] / "constraints.txt").exists():
        return f"na pasta do repositório, pip install -c constraints.txt '.[{extra}]'"
    return f"pip install 'lastro[{extra}]'"


def write_bound() -> str:
    """Write the versions of Dagster that will do, as pip is asked for them."""
    first, after = (".".join(map(str, version)) for version in VERSIONS)
    return f">={first},<{after}"


def demand_dagster(version: str) -> None:
    """Refuse a Dagster that lastro was not made for.

    Raises:
        ConfigError: naming those that do, and the way without it.
    """
    first, after = VERSIONS
    parts = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if not first <= parts < after:
        wanted = write_bound()
        raise ConfigError(
            f"dagster {version}: este lastro trabalha com {wanted}. pip install 'dagster{wanted}' "
            f"'dagster-webserver{wanted}'; lastro run roda sem ele."
        )
