"""A real PostgreSQL in a folder of the test, where its binaries are installed."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

USER, PASSWORD, DATABASE = "lastro", "s3nha-Da/Base@e:ç", "dagster"
PASSWORD_VARIABLE = "DAGSTER_PG_PASSWORD"  # noqa: S105 - the name of a variable
SYSTEM_USER = "postgres"
"""Who runs the server when the test runs as root, which PostgreSQL refuses."""


def find_binaries() -> Path:
    """Find PostgreSQL's programs, those of the newest version; skip the test where there are none."""
    pytest.importorskip("dagster_postgres", reason="pip install dagster-postgres")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    path = found[-1] if found else shutil.which("initdb")
    if path is None:
        pytest.skip("PostgreSQL's initdb is not installed")
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            pytest.skip(f"PostgreSQL does not run as root, and there is no user {SYSTEM_USER}")
    return Path(path).resolve().parent


def free_port() -> int:
    """Return a port that nobody holds."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Database:
    """A server of its own: `start` and `stop` it; `port` stays the same."""

    def __init__(self, folder: Path) -> None:
        self._bin = find_binaries()
        self._data = folder / "pgdata"
        self._log = folder / "pg.log"
        self.port = free_port()
        password = folder / "senha"
        password.write_text(PASSWORD, encoding="utf-8")
        if os.geteuid() == 0:
            for path in (folder, password):
                shutil.chown(path, SYSTEM_USER)
        options = ["-U", USER, "--pwfile", str(password), "-A", "scram-sha-256", "-E", "UTF8", "--no-sync"]
        self._call("initdb", "-D", str(self._data), *options)
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n"
            )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._call("pg_ctl", "-D", str(self._data), "-l", str(self._log), "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is how a machine that loses power stops."""
        self._call("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")

    def storage(self) -> dict[str, Any]:
        """Write what a `dagster.yaml` says of it, as the manual shows."""
        return {
            "postgres": {
                "postgres_db": {
                    "scheme": "postgresql+psycopg2",
                    "hostname": "127.0.0.1",
                    "port": self.port,
                    "db_name": DATABASE,
                    "username": USER,
                    "password": {"env": PASSWORD_VARIABLE},
                    "params": {"connect_timeout": 10},
                }
            }
        }

    def _call(self, program: str, *arguments: str) -> None:
        as_user = {"user": SYSTEM_USER, "group": SYSTEM_USER, "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(  # type: ignore[call-overload] # noqa: S603 - PostgreSQL's own programs
            [str(self._bin / program), *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            **as_user,
        )


@contextmanager
def serve_database() -> Iterator[Database]:
    """Serve a new PostgreSQL with an empty database for Dagster, in a folder of its own user's."""
    find_binaries()
    import psycopg2

    with tempfile.TemporaryDirectory(prefix="lastro-pg-") as folder:
        database = Database(Path(folder))
        database.start()
        try:
            con = psycopg2.connect(
                host="127.0.0.1", port=database.port, user=USER, password=PASSWORD, dbname="postgres"
            )
            con.autocommit = True
            con.cursor().execute(f"CREATE DATABASE {DATABASE}")
            con.close()
            yield database
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                database.stop()
