"""Where Dagster keeps its records when several machines share them: PostgreSQL, its connections kept open.

Named in `dagster.yaml` (`home`), so that every process of the instance keeps them alike, pods too. Dagster's
own keeper opens and closes a connection for each of the some 300 events of a run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import quote, urlencode

import dagster as dg
import psycopg2
from dagster._serdes import ConfigurableClassData
from dagster_postgres.event_log import PostgresEventLogStorage
from dagster_postgres.run_storage import PostgresRunStorage
from dagster_postgres.schedule_storage import PostgresScheduleStorage
from dagster_postgres.storage import DagsterPostgresStorage
from dagster_postgres.utils import create_pg_engine

from lastro.errors import StorageError
from lastro.settings import Settings
from lastro.settings.files import read_password, read_password_file
from lastro.settings.outside import Postgres

SCHEME = "postgresql+psycopg2"
"""Said outright: the default driver of SQLAlchemy 2.1 is another one than dagster-postgres brings."""
SSL_MODES = {"se_houver": "prefer", "exigido": "require", "verificado": "verify-full"}
CONNECT_SECONDS = 10
POOL = {"pool_size": 5, "max_overflow": 5, "pool_recycle": 3_600, "pool_pre_ping": True}
"""Calls are nested a few deep, and what exceeds the size is closed at once; what the database closed is opened anew."""


class PooledPostgresStorage(DagsterPostgresStorage):  # type: ignore[misc] # of an extra that types must not need
    """Dagster's records in PostgreSQL. The password comes from a variable or a file of the process, never from here."""

    def __init__(self, url: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(url, should_autocreate_tables=True, inst_data=inst_data)
        for storage in (self._run_storage, self._event_log_storage, self._schedule_storage):
            _keep_open(storage, url)

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Say what `dagster.yaml` gives."""
        return {
            "hostname": dg.Field(str),
            "port": dg.Field(int),
            "username": dg.Field(str),
            "db_name": dg.Field(str),
            "password": dg.Field(dg.StringSource, is_required=False),
            "password_file": dg.Field(str, is_required=False),
            "params": dg.Field(dg.Permissive(), is_required=False),
        }

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Make the keeper.

        Raises:
            ConfigError: when the file of the password cannot be read.
        """
        password = config_value.get("password") or read_password_file(config_value["password_file"])
        return cls(build_url(config_value, password), inst_data)


def build_url(config: Mapping[str, Any], password: str) -> str:
    """Write the address of a database, password included: never to be printed."""
    host = f"[{config['hostname']}]" if ":" in config["hostname"] else config["hostname"]
    params = urlencode({"connect_timeout": CONNECT_SECONDS, **config.get("params", {})}, quote_via=quote)
    user = f"{quote(config['username'], safe='')}:{quote(password, safe='')}"
    return f"{SCHEME}://{user}@{host}:{config['port']}/{config['db_name']}?{params}"


def describe_storage(postgres: Postgres) -> dict[str, Any]:
    """Write what `dagster.yaml` says of the database: where the password is, never what it is."""
    params = {"sslmode": SSL_MODES[postgres.tls]} | (
        {"sslrootcert": postgres.autoridade} if postgres.autoridade else {}
    )
    password = (
        {"password_file": postgres.senha_file} if postgres.senha_file else {"password": {"env": postgres.senha_env}}
    )
    config = {
        "hostname": postgres.servidor,
        "port": postgres.porta,
        "db_name": postgres.banco,
        "username": postgres.usuario,
        **password,
        "params": params,
    }
    return {"custom": {"module": __name__, "class": PooledPostgresStorage.__name__, "config": config}}


def demand_database(settings: Settings) -> None:
    """Look whether the database answers, once: Dagster itself tries for long and ends with a stack.

    Raises:
        ConfigError: when the password is missing.
        StorageError: when the database does not answer, or lets nobody in.
    """
    postgres = settings.postgres
    if postgres is None:
        return
    password = read_password(settings, os.environ)
    try:
        psycopg2.connect(
            host=postgres.servidor,
            port=postgres.porta,
            dbname=postgres.banco,
            user=postgres.usuario,
            password=password,
            sslmode=SSL_MODES[postgres.tls],
            connect_timeout=CONNECT_SECONDS,
            **({"sslrootcert": postgres.autoridade} if postgres.autoridade else {}),
        ).close()
    except psycopg2.Error as error:
        raise storage_down(postgres, error) from None


def storage_down(postgres: Postgres, error: BaseException | str) -> StorageError:
    """Say that the database does not keep Dagster's records: the first line of why, which names no password."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0].strip().rstrip(".")
    return StorageError(
        f"{postgres.nome}: Dagster cannot keep its records there ({first}). Start the database, or mend [postgres]; "
        "then run again."
    )


def _keep_open(storage: PostgresRunStorage | PostgresEventLogStorage | PostgresScheduleStorage, url: str) -> None:
    """Give a keeper an engine with a pool, as `optimize_for_webserver` does, and one that survives a restart."""
    storage._engine.dispose()
    storage._engine = create_pg_engine(url, isolation_level="AUTOCOMMIT", **POOL)
