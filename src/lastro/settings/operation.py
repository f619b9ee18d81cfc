"""Settings of whoever runs lastro for years: who is told (`[avisos]`), and what is kept for how long (`[retencao]`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from lastro.settings.addresses import is_unencrypted, parse_host
from lastro.settings.files import read_certificates, read_secret
from lastro.settings.parsers import (
    Placed,
    Wrong,
    count_given,
    parse_choice,
    parse_env_name,
    parse_integer,
    parse_text,
    setting,
    tables,
    takes,
)

STARTTLS, TLS, NENHUMA = "starttls", "tls", "nenhuma"
TEXTO, CARTAO = "texto", "cartao"
MAIL_PORT: Final = 587
TLS_PORT: Final = 465
"""Port of a mail server that encrypts from the first byte; at every other one STARTTLS is demanded."""
MAX_KEPT_DAYS: Final = 36_500
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")


@takes("e-mail")
def parse_address(value: object) -> str:
    """Read a mail address.

    >>> parse_address("financeiro@example.com")
    'financeiro@example.com'
    """
    text = parse_text(value)
    if not _ADDRESS.fullmatch(text) or len(text) > 254:
        raise Wrong("escreva endereços de e-mail, como financeiro@example.com")
    return text


Address = Annotated[str, parse_address]
EnvName = Annotated[str, parse_env_name]
File = Annotated[str, Placed(str)]
KeptDays = Annotated[int, parse_integer(1, MAX_KEPT_DAYS)]


@dataclass(frozen=True)
class Email:
    """How notices go out as mail (`[avisos.email]`).

    Of `senha_env` and `senha_file` at most one is given, with `usuario`. Once read, `senha_file` is an absolute path.
    """

    servidor: Annotated[str, parse_host] = setting(about="máquina do servidor de e-mail")
    de: Address = setting(about="remetente")
    para: tuple[Address, ...] = setting(about="destinatários")
    porta: Annotated[int, parse_integer(1, 65_535)] = setting(
        MAIL_PORT,
        about="porta do servidor de e-mail; a 465 é criptografada desde o começo, as outras por STARTTLS",
    )
    usuario: str = setting("", about="usuário, se o servidor pede um")
    senha_env: EnvName = setting("", about="nome da variável de ambiente que guarda a senha")
    senha_file: File = setting("", about="no lugar de senha_env: arquivo que a guarda")
    resumo: bool = setting(False, about="manda também o texto da capa, uma vez por data-base: nela há nomes de pessoas")

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield that nobody would be told, and a password without a user or the reverse."""
        if not self.para and "para" not in told:
            yield "para", "ninguém seria avisado; escreva ao menos um endereço"
        given = count_given(self, told, "senha_env", "senha_file")
        if "usuario" not in told and given != (1 if self.usuario else 0):
            yield "senha_env", "escreva usuario com um de senha_env e senha_file, ou nenhum dos três"

    def read_password(self, env: Mapping[str, str]) -> str:
        """Read the password; empty where the server asks for none.

        Raises:
            Wrong: when it is not there.
        """
        return read_secret(self.senha_env, self.senha_file, env) if self.usuario else ""


@dataclass(frozen=True)
class Webhook:
    """How notices go out to a chat (`[avisos.webhook]`): POST of JSON to an address, which is a secret."""

    endereco_env: EnvName = setting("", about="nome da variável de ambiente que guarda o endereço")
    endereco_file: File = setting("", about="no lugar dela: arquivo que guarda o endereço")
    formato: Annotated[str, parse_choice(TEXTO, CARTAO)] = setting(
        TEXTO, about="texto, ou cartao para um chat que só mostra cartões (um fluxo do Teams)"
    )

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield that there is no address, or two."""
        if count_given(self, told, "endereco_env", "endereco_file") != 1:
            yield "endereco_env", "escreva um de endereco_env e endereco_file; o endereço é um segredo"

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

    horas_sem_execucao: Annotated[int, parse_integer(1, 24 * 366)] = setting(
        26,
        about="horas sem leitura completa publicada depois das quais uma empresa está atrasada",
    )
    disco_minimo_mb: Annotated[int, parse_integer(1, 10**9)] = setting(
        1_024, about="megabytes livres abaixo dos quais o disco está no fim"
    )
    certificados: Annotated[str, Placed(read_certificates)] = setting(
        "",
        about="arquivo com os certificados (PEM) em que confiar no lugar dos públicos, nos dois caminhos",
    )
    email: Email | None = tables(None)
    webhook: Webhook | None = tables(None)

    @property
    def tells_anybody(self) -> bool:
        """Whether there is a way to tell anybody."""
        return self.email is not None or self.webhook is not None


@dataclass(frozen=True)
class Retencao:
    """Days that files and records are kept (`lastro manual retencao`); what a report needs is kept in any case."""

    paginas_dias: Annotated[int, parse_integer(0, MAX_KEPT_DAYS)] = setting(30, about="dias das páginas como recebidas")
    planilhas_dias: KeptDays = setting(
        400,
        about="dias das últimas planilhas de cada semana; as de fechamentos ficam para sempre",
    )
    diarias_dias: KeptDays = setting(
        7,
        about="dias das planilhas de um dia que tem outra mais nova, no mesmo dia ou na mesma semana",
    )


def find_security(servidor: str, porta: int) -> str:
    """Say how the way to a mail server is encrypted: not at all within this machine, else as its port is used.

    >>> find_security("localhost", 25), find_security("smtp.example.com", 465), find_security("smtp.example.com", 25)
    ('nenhuma', 'tls', 'starttls')
    """
    if not is_unencrypted(f"http://[{servidor}]" if ":" in servidor else f"http://{servidor}"):
        return NENHUMA
    return TLS if porta == TLS_PORT else STARTTLS
