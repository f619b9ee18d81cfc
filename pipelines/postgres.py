"""Dagster's records in PostgreSQL, kept by its own `dagster-postgres`: what `dagster.yaml` says, and a look beforehand.

Needs the extra `[postgres]`.
"""

from __future__ import annotations

import os
from typing import Any

import psycopg2

from lastro.errors import StorageError
from lastro.settings import Settings
from lastro.settings.files import read_password
from lastro.settings.outside import SENHA_ENV, Postgres

SCHEME = "postgresql+psycopg2"
"""Said outright: the default driver of SQLAlchemy 2.1 is another one than dagster-postgres brings."""
SSL_MODES = {"se_houver": "prefer", "exigido": "require", "verificado": "verify-full"}
CONNECT_SECONDS = 10


def describe_storage(postgres: Postgres) -> dict[str, Any]:
    """Write what `dagster.yaml` says of the database: the variable of the password, never what it is."""
    params = {"sslmode": SSL_MODES[postgres.tls], "connect_timeout": CONNECT_SECONDS}
    if postgres.autoridade:
        params["sslrootcert"] = postgres.autoridade
    database = {
        "scheme": SCHEME,
        "hostname": postgres.servidor,
        "port": postgres.porta,
        "db_name": postgres.banco,
        "username": postgres.usuario,
        "password": {"env": _name_variable(postgres)},
        "params": params,
    }
    return {"postgres": {"postgres_db": database}}


def _name_variable(postgres: Postgres) -> str:
    """Name the variable that Dagster reads the password from; what stands in a file is put there by our processes."""
    return SENHA_ENV if postgres.senha_file else postgres.senha_env


def demand_database(settings: Settings) -> None:
    """Look whether the database answers, once, and lay out its password: Dagster itself tries for long.

    Raises:
        ConfigError: when the password is missing.
        StorageError: when the database does not answer, or lets nobody in.
    """
    postgres = settings.postgres
    if postgres is None:
        return
    password = os.environ[_name_variable(postgres)] = read_password(settings, os.environ)
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
