"""Settings of whoever runs lastro for years: who is told (`[avisos]`), and what is kept for how long (`[retencao]`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lastro.settings.addresses import is_unencrypted, parse_host
from lastro.settings.files import read_secret
from lastro.settings.parsers import (
    Wrong,
    parse_env_name,
    parse_integer,
    parse_list_of,
    parse_path,
    parse_text,
    setting,
)
from lastro.settings.reader import Reader

STARTTLS, TLS, NENHUMA = "starttls", "tls", "nenhuma"
MAIL_PORT: Final = 587
TLS_PORT: Final = 465
"""Port of a mail server that encrypts from the first byte; at every other one STARTTLS is demanded."""
MAX_KEPT_DAYS: Final = 36_500
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")


def parse_address(value: object) -> str:
    """Read a mail address.

    >>> parse_address("financeiro@example.com")
    'financeiro@example.com'
    """
    text = parse_text(value)
    if not _ADDRESS.fullmatch(text) or len(text) > 254:
        raise Wrong("escreva endereços de e-mail, como financeiro@example.com")
    return text


@dataclass(frozen=True)
class Email:
    """How notices go out as mail (`[avisos.email]`).

    Of `senha_env` and `senha_file` at most one is given, with `usuario`. Once read, `senha_file` is an absolute path.
    """

    servidor: str = setting(parse_host, about="máquina do servidor de e-mail")
    de: str = setting(parse_address, about="remetente")
    para: tuple[str, ...] = setting(parse_list_of(parse_address), about="destinatários")
    porta: int = setting(
        parse_integer(1, 65_535),
        MAIL_PORT,
        about="porta do servidor de e-mail; a 465 é criptografada desde o começo, as outras por STARTTLS",
    )
    usuario: str = setting(parse_text, "", about="usuário, se o servidor pede um")
    senha_env: str = setting(parse_env_name, "", about="nome da variável de ambiente que guarda a senha")
    senha_file: str = setting(parse_path, "", about="no lugar de senha_env: arquivo que a guarda")

    def read_password(self, env: Mapping[str, str]) -> str:
        """Read the password; empty where the server asks for none.

        Raises:
            Wrong: when it is not there.
        """
        return read_secret(self.senha_env, self.senha_file, env) if self.usuario else ""


@dataclass(frozen=True)
class Webhook:
    """How notices go out to a chat (`[avisos.webhook]`): POST of `{"text": ...}` to an address, which is a secret."""

    endereco_env: str = setting(parse_env_name, "", about="nome da variável de ambiente que guarda o endereço")
    endereco_file: str = setting(parse_path, "", about="no lugar dela: arquivo que guarda o endereço")

    def read_target(self, env: Mapping[str, str]) -> str:
        """Read the address that notices are posted to.

        Raises:
            Wrong: when it is not there, or is no address; it is never quoted.
        """
        text = read_secret(self.endereco_env, self.endereco_file, env)
        if not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", text) or is_unencrypted(text):
            raise Wrong("não tem um endereço que comece com https:// (ou http:// nesta máquina)")
        return text


@dataclass(frozen=True)
class Avisos:
    """Who is told, and of what."""

    horas_sem_execucao: int = setting(
        parse_integer(1, 24 * 366),
        26,
        about="horas sem leitura completa publicada depois das quais uma empresa está atrasada",
    )
    disco_minimo_mb: int = setting(
        parse_integer(1, 10**9), 1_024, about="megabytes livres abaixo dos quais o disco está no fim"
    )
    certificados: str = setting(
        parse_path,
        "",
        about="arquivo com os certificados (PEM) em que confiar no lugar dos públicos, nos dois caminhos",
    )
    email: Email | None = None
    webhook: Webhook | None = None

    @property
    def tells_anybody(self) -> bool:
        """Whether there is a way to tell anybody."""
        return self.email is not None or self.webhook is not None


@dataclass(frozen=True)
class Retencao:
    """Days that files and records are kept (`lastro manual retencao`); what a report needs is kept in any case."""

    paginas_dias: int = setting(parse_integer(0, MAX_KEPT_DAYS), 30, about="dias das páginas como recebidas")
    planilhas_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS),
        400,
        about="dias das últimas planilhas de cada semana; as de fechamentos ficam para sempre",
    )
    diarias_dias: int = setting(
        parse_integer(1, MAX_KEPT_DAYS),
        7,
        about="dias das planilhas de um dia que tem outra mais nova, no mesmo dia ou na mesma semana",
    )


def read_operation(reader: Reader, document: Mapping[str, object], folder: Path) -> tuple[Avisos, Retencao]:
    """Read `[avisos]` and `[retencao]`; mistakes go to the reader, and what is usual stands for both then.

    Args:
        reader: collects mistakes.
        document: the settings file.
        folder: where relative paths begin.
    """
    before = len(reader.mistakes)
    table = document.get("avisos", {})
    values = reader.read(Avisos, table, "avisos", inner=("email", "webhook"))
    email = webhook = None
    reader.certificates(values, "avisos", folder)
    if isinstance(table, dict) and "email" in table:
        email = _read_email(reader, table["email"], folder)
    if isinstance(table, dict) and "webhook" in table:
        webhook = _read_webhook(reader, table["webhook"], folder)
    kept = reader.read(Retencao, document.get("retencao", {}), "retencao")
    if len(reader.mistakes) > before:
        return Avisos(), Retencao()
    return Avisos(**values, email=email, webhook=webhook), Retencao(**kept)


def _read_email(reader: Reader, table: object, folder: Path) -> Email | None:
    where, before = "avisos.email", len(reader.mistakes)
    values = reader.read(Email, table, where)
    _place_secret(values, folder, "senha_file")
    if "para" in values and not values["para"]:
        reader.wrong(f"{where}.para", "ninguém seria avisado; escreva ao menos um endereço")
    given = [key for key in ("senha_env", "senha_file") if values.get(key)]
    if len(given) != (1 if values.get("usuario") else 0):
        reader.wrong(f"{where}.senha_env", "escreva usuario com um de senha_env e senha_file, ou nenhum dos três")
    return Email(**values) if len(reader.mistakes) == before else None


def find_security(servidor: str, porta: int) -> str:
    """Say how the way to a mail server is encrypted: not at all within this machine, else as its port is used.

    >>> find_security("localhost", 25), find_security("smtp.example.com", 465), find_security("smtp.example.com", 25)
    ('nenhuma', 'tls', 'starttls')
    """
    if not is_unencrypted(f"http://[{servidor}]" if ":" in servidor else f"http://{servidor}"):
        return NENHUMA
    return TLS if porta == TLS_PORT else STARTTLS


def _read_webhook(reader: Reader, table: object, folder: Path) -> Webhook | None:
    where, before = "avisos.webhook", len(reader.mistakes)
    values = reader.read(Webhook, table, where)
    _place_secret(values, folder, "endereco_file")
    if bool(values.get("endereco_env")) == bool(values.get("endereco_file")):
        reader.wrong(f"{where}.endereco_env", "escreva um de endereco_env e endereco_file; o endereço é um segredo")
    return Webhook(**values) if len(reader.mistakes) == before else None


def _place_secret(values: dict[str, Any], folder: Path, secret: str) -> None:
    if values.get(secret):
        values[secret] = str((folder / values[secret]).absolute())
