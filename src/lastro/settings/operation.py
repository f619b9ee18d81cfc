"""Settings of whoever runs lastro for years: who is told (`[avisos]`), and what is kept for how long (`[retencao]`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lastro.settings.files import read_certificates, read_secret
from lastro.settings.parse import (
    Wrong,
    is_unencrypted,
    parse_choice,
    parse_env_name,
    parse_host,
    parse_integer,
    parse_list_of,
    parse_path,
    parse_text,
    setting,
)
from lastro.settings.reader import Reader

STARTTLS, TLS, NENHUMA = "starttls", "tls", "nenhuma"
MAX_KEPT_DAYS: Final = 36_500
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")


def parse_address(value: object) -> str:
    """Read a mail address.

    >>> parse_address("financeiro@example.com")
    'financeiro@example.com'
    """
    text = parse_text(value)
    if not _ADDRESS.fullmatch(text) or len(text) > 254:
        raise Wrong("write mail addresses such as financeiro@example.com")
    return text


@dataclass(frozen=True)
class Email:
    """How notices go out as mail (`[avisos.email]`).

    Of `senha_env` and `senha_file` at most one is given, with `usuario`. Once read, `senha_file` is an absolute path,
    and `certificados` what stands in its file.
    """

    servidor: str = setting(parse_host, about="host of the mail server")
    de: str = setting(parse_address, about="sender")
    para: tuple[str, ...] = setting(parse_list_of(parse_address), about="recipients")
    porta: int = setting(parse_integer(1, 65_535), 587, about="port of the mail server")
    seguranca: str = setting(parse_choice(STARTTLS, TLS, NENHUMA), STARTTLS, about="how the way to it is encrypted")
    usuario: str = setting(parse_text, "", about="user, where the server asks for one")
    senha_env: str = setting(parse_env_name, "", about="environment variable that holds the password")
    senha_file: str = setting(parse_path, "", about="in the place of senha_env: file that holds it")
    certificados: str = setting(parse_path, "", about="file with the certificates (PEM) to trust")

    def read_password(self, env: Mapping[str, str]) -> str:
        """Read the password; empty where the server asks for none.

        Raises:
            Wrong: when it is not there.
        """
        return read_secret(self.senha_env, self.senha_file, env) if self.usuario else ""


@dataclass(frozen=True)
class Webhook:
    """How notices go out to a chat or a program (`[avisos.webhook]`): POST of JSON to an address, which is a secret."""

    endereco_env: str = setting(parse_env_name, "", about="environment variable that holds the address")
    endereco_file: str = setting(parse_path, "", about="in its place: file that holds the address")
    formato: str = setting(
        parse_choice("texto", "json"), "texto", about="only {text}, as chats take it; or json, with every cause apart"
    )
    certificados: str = setting(parse_path, "", about="file with the certificates (PEM) to trust")

    def read_target(self, env: Mapping[str, str]) -> str:
        """Read the address that notices are posted to.

        Raises:
            Wrong: when it is not there, or is no address; it is never quoted.
        """
        text = read_secret(self.endereco_env, self.endereco_file, env)
        if not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", text) or is_unencrypted(text):
            raise Wrong("holds no address that begins with https:// (or http:// on this machine)")
        return text


@dataclass(frozen=True)
class Avisos:
    """Who is told, and of what."""

    horas_sem_execucao: int = setting(
        parse_integer(1, 24 * 366), 26, about="hours without a published complete reading after which a company is late"
    )
    disco_minimo_mb: int = setting(parse_integer(1, 10**9), 1_024, about="free megabytes below which the disk is low")
    email: Email | None = None
    webhook: Webhook | None = None


@dataclass(frozen=True)
class Retencao:
    """For how many days what is kept (`lastro manual retencao`); what a report needs is kept whatever stands here."""

    paginas_dias: int = setting(parse_integer(0, MAX_KEPT_DAYS), 30, about="pages as received")
    copias: int = setting(parse_integer(2, 1_000), 2, about="published copies, the current one among them")
    planilhas_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS), 400, about="the last workbooks of a week; those of closings stay for ever"
    )
    diarias_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS), 7, about="workbooks of a day of whose week there is a later one"
    )
    refeitas_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS), 7, about="workbooks of a day of which there is a later one"
    )
    eventos_dias: int = setting(parse_integer(1, MAX_KEPT_DAYS), 30, about="Dagster's records of a run")
    quentes_dias: int = setting(parse_integer(1, MAX_KEPT_DAYS), 7, about="Dagster's records of a hot run")
    sobras_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS), 7, about="what failed runs left: damaged files, backups of migrations"
    )


@dataclass(frozen=True)
class Operation:
    """Both, as the file gives them."""

    avisos: Avisos = field(default_factory=Avisos)
    retencao: Retencao = field(default_factory=Retencao)


def read_operation(reader: Reader, document: Mapping[str, object], folder: Path) -> Operation:
    """Read `[avisos]` and `[retencao]`; mistakes go to the reader.

    Args:
        reader: collects mistakes.
        document: the settings file.
        folder: where relative paths begin.
    """
    before = len(reader.mistakes)
    table = document.get("avisos", {})
    values = reader.read(Avisos, table, "avisos", inner=("email", "webhook"))
    email = webhook = None
    if isinstance(table, dict) and "email" in table:
        email = _read_email(reader, table["email"], folder)
    if isinstance(table, dict) and "webhook" in table:
        webhook = _read_webhook(reader, table["webhook"], folder)
    kept = reader.read(Retencao, document.get("retencao", {}), "retencao")
    if len(reader.mistakes) > before:
        return Operation()
    return Operation(Avisos(**values, email=email, webhook=webhook), Retencao(**kept))


def _read_email(reader: Reader, table: object, folder: Path) -> Email | None:
    where, before = "avisos.email", len(reader.mistakes)
    values = reader.read(Email, table, where)
    _place_files(reader, values, where, folder, "senha_file")
    if "para" in values and not values["para"]:
        reader.wrong(f"{where}.para", "nobody would be told; write at least one address")
    given = [key for key in ("senha_env", "senha_file") if values.get(key)]
    if len(given) != (1 if values.get("usuario") else 0):
        reader.wrong(f"{where}.senha_env", "write usuario with one of senha_env and senha_file, or none of the three")
    if values.get("seguranca") == NENHUMA and values.get("usuario") and is_unencrypted(_web(values)):
        reader.wrong(f"{where}.seguranca", "the password would cross the network unencrypted; write starttls or tls")
    return Email(**values) if len(reader.mistakes) == before else None


def _read_webhook(reader: Reader, table: object, folder: Path) -> Webhook | None:
    where, before = "avisos.webhook", len(reader.mistakes)
    values = reader.read(Webhook, table, where)
    _place_files(reader, values, where, folder, "endereco_file")
    if bool(values.get("endereco_env")) == bool(values.get("endereco_file")):
        reader.wrong(f"{where}.endereco_env", "write one of endereco_env and endereco_file; the address is a secret")
    return Webhook(**values) if len(reader.mistakes) == before else None


def _place_files(reader: Reader, values: dict[str, Any], where: str, folder: Path, secret: str) -> None:
    if values.get(secret):
        values[secret] = str((folder / values[secret]).absolute())
    if "certificados" in values:
        try:
            values["certificados"] = read_certificates(folder / values["certificados"])
        except Wrong as wrong:
            reader.wrong(f"{where}.certificados", str(wrong))


def _web(values: Mapping[str, Any]) -> str:
    """Write the mail server as an address of the web, to ask whether it is this machine's."""
    host = values.get("servidor", "")
    return f"http://[{host}]" if ":" in host else f"http://{host}"
