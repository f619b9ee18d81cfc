"""What can be said of Dagster's home and records without Dagster: what a `dagster.yaml` lacks, why records fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from lastro.errors import StorageError

CONFIG: Final = "dagster.yaml"


def is_limited(home: Path, tags: Collection[str], *, own: bool = True) -> bool:
    """Tell whether a `dagster.yaml` lets runs of one company wait for each other.

    Args:
        home: Dagster's.
        tags: each of which a run has from its company alone.
        own: whether the home is lastro's; ours is given a `dagster.yaml` where it has none yet.

    Raises:
        ValueError: when it cannot be read.
    """
    if own and not (home / CONFIG).is_file():
        return True
    document = read_config(home)
    # An older form of the same, which Dagster refuses beside the newer one, stands in either of two places.
    places = (("concurrency", "runs"), ("run_queue",), ("run_coordinator", "config"))
    return any(
        _limits_runs(entry, tags) for place in places for entry in _look_up(document, *place, "tag_concurrency_limits")
    )


def _look_up(document: Any, *path: str) -> Sequence[Any]:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, list) else ()


def _limits_runs(entry: Any, tags: Collection[str]) -> bool:
    """Tell whether a limit is one run a company."""
    if not isinstance(entry, dict) or entry.get("key") not in tags:
        return False
    value = entry.get("value")
    return isinstance(value, dict) and value.get("applyLimitPerUniqueValue") is True and entry.get("limit") == 1


def read_config(home: Path) -> dict[str, Any]:
    """Read a `dagster.yaml`; empty where there is none, as Dagster takes it.

    Raises:
        ValueError: when it cannot be read.
    """
    import yaml  # type: ignore[import-untyped] # comes with Dagster; its stubs are not worth a dependency

    path = home / CONFIG
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {type(error).__name__}") from None
    return document if isinstance(document, dict) else {}


def tell_of_records(home: Path, error: Exception, *also: type[OSError]) -> None:
    """Raise what a database said below the layers of an exception: only Dagster uses such; nothing when none did.

    Args:
        home: Dagster's.
        error: the exception.
        *also: what else is of the records where only they were being written.

    Raises:
        StorageError: naming the home and what was said.
    """
    from sqlalchemy.exc import SQLAlchemyError

    seen: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in seen:
        if isinstance(step, (sqlite3.Error, SQLAlchemyError, *also)):
            # Its first line: what follows may repeat a statement, with everything in it.
            said = (
                str(getattr(step, "orig", None) or getattr(step, "strerror", None) or step).strip().partition("\n")[0]
            )
            raise StorageError(
                f"{home}: o Dagster não consegue guardar os registros ({said}). Libere espaço em disco, libere "
                f"a escrita na pasta ou inicie o banco que {CONFIG} nomeia, e rode de novo."
            ) from None
        seen.append(step)
        step = step.__cause__ or step.__context__
