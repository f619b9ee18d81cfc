"""What stands outside the data folder: the database of Dagster's records, and the tables for other engines."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lastro.settings.parse import (
    Wrong,
    parse_boolean,
    parse_choice,
    parse_env_name,
    parse_integer,
    parse_path,
    parse_text,
    setting,
)

SENHA_ENV = "DAGSTER_PG_PASSWORD"
"""Where the password is looked for unless the settings say otherwise; the name that Dagster's launchers use too."""
_HOST = re.compile(r"^[A-Za-z0-9:]([A-Za-z0-9.:_-]{0,252}[A-Za-z0-9])?$")
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,62}$")
_S3 = re.compile(r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]+)*/?$")


class _Reader(Protocol):
    """What reads tables of the file and collects mistakes (`lastro.settings.load`)."""

    mistakes: list[str]

    def wrong(self, key: str, what: str) -> None: ...

    def read(self, kind: type[object], table: object, where: str) -> dict[str, Any]: ...


def parse_host(value: object) -> str:
    """Read the name or address of a machine, without scheme, user or port."""
    text = parse_text(value)
    if not _HOST.fullmatch(text):
        raise Wrong("write the name or address of a machine, such as 127.0.0.1, without user, password and port")
    return text


def parse_name(value: object) -> str:
    """Read the name of a database or of its user."""
    text = parse_text(value)
    if not _NAME.fullmatch(text):
        raise Wrong("write a name of letters, digits, _ and -, at most 63")
    return text


def parse_destino(value: object) -> str:
    """Read where tables go: a folder, or a bucket with a path in it; never a key or a password."""
    text = parse_path(value)
    if "://" in text and not _S3.fullmatch(text):
        raise Wrong("write a folder or s3://bucket/path; its keys come from the environment")
    return text.rstrip("/") or "/"


@dataclass(frozen=True)
class Postgres:
    """The database in which Dagster keeps its records (extra `[postgres]`). The password is never a setting."""

    servidor: str = setting(parse_host, about="machine of the database")
    porta: int = setting(parse_integer(1, 65_535), 5432, about="port of the database")
    banco: str = setting(parse_name, "dagster", about="name of the database; its tables are made by Dagster")
    usuario: str = setting(parse_name, "lastro", about="user of the database")
    senha_env: str = setting(parse_env_name, SENHA_ENV, about="environment variable that holds the password")
    senha_file: str = setting(
        parse_path, "", about="in the place of senha_env: file that holds the password, read by each process"
    )
    tls: str = setting(
        parse_choice("se_houver", "exigido", "verificado"),
        "exigido",
        about="encryption of the way there: if offered (only on this machine by default), demanded, or with the name "
        "and authority of the server verified",
    )
    autoridade: str = setting(parse_path, "", about="with tls = verificado: file of the authority's certificate (PEM)")

    @property
    def nome(self) -> str:
        """Name the database in messages."""
        return f"PostgreSQL {self.servidor}:{self.porta}/{self.banco}"


@dataclass(frozen=True)
class Delta:
    """Open tables for other engines, written after each publication (extra `[delta]`)."""

    destino: str = setting(parse_destino, about="folder or s3://bucket/path of the tables")
    dados_pessoais: bool = setting(
        parse_boolean, False, about="also contacts and whole documents of persons; without it they are left out"
    )


def read_postgres(reader: _Reader, table: object, folder: Path) -> Postgres | None:
    """Read `[postgres]`; None when it is absent or has mistakes, which the reader keeps."""
    if table is None:
        return None
    before = len(reader.mistakes)
    values = reader.read(Postgres, table, "postgres")
    if isinstance(table, dict) and "senha_env" in table and "senha_file" in table:
        reader.wrong("postgres.senha_file", "senha_env is given too; keep one of them")
    if "autoridade" in values and values.get("tls") != "verificado":
        reader.wrong("postgres.autoridade", 'holds nothing by itself; write tls = "verificado" beside it')
    for key in ("senha_file", "autoridade"):
        if key in values:
            values[key] = str((folder / values[key]).absolute())
    if len(reader.mistakes) > before:
        return None
    if "tls" not in values and _is_here(values["servidor"]):
        values["tls"] = "se_houver"
    return Postgres(**values)


def read_delta(reader: _Reader, table: object, folder: Path) -> Delta | None:
    """Read `[delta]`; None when it is absent or has mistakes, which the reader keeps."""
    if table is None:
        return None
    before = len(reader.mistakes)
    values = reader.read(Delta, table, "delta")
    if len(reader.mistakes) > before:
        return None
    if "://" not in values["destino"]:
        values["destino"] = str((folder / values["destino"]).absolute())
    return Delta(**values)


def _is_here(host: str) -> bool:
    """Tell whether a name is this machine's own."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
