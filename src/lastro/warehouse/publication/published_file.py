"""The one way in to a published file, for whoever reads one: opened read-only, or told what to run first.

Does not belong here: what is read (the readers beside it), and how files are published (`copies`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from lastro.errors import StorageError
from lastro.files import describe_denial
from lastro.warehouse.file.faults import guard


def find_published(link: Path, command: str = "lastro run") -> Path:
    """Return the published file that a link leads to.

    Args:
        link: of a company (`LINK_NAME` in its folder) or of the group.
        command: what publishes there, for the message.

    Raises:
        StorageError: when nothing is published there.
    """
    try:
        return link.resolve(strict=True)
    except PermissionError as error:
        raise describe_denial(error) from None
    except OSError:
        raise StorageError(f"{link}: ainda não há nada publicado. Rode antes {command}.") from None


@contextmanager
def open_published(link: Path, command: str = "lastro run") -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published file that a link leads to, read-only; it stays the same while another one is published.

    Args:
        link: as `find_published`.
        command: as `find_published`.

    Raises:
        StorageError: when nothing is published there, when another version of lastro published it (what is asked for
            is not in it), or when it cannot be read.
    """
    path = find_published(link, command)
    with guard(link), duckdb.connect(str(path), read_only=True) as con:
        try:
            yield con
        except (duckdb.CatalogException, duckdb.BinderException):
            raise StorageError(f"{link}: publicado por outra versão do lastro. Rode de novo {command}.") from None
