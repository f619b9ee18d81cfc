"""`lastro iniciar`: the settings of a company, asked for or given, written to a new file, and examined."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from lastro.commands.doctor import print_diagnoses
from lastro.commands.invocation import config_option, read_settings
from lastro.errors import ConfigError, StorageError
from lastro.files import describe_denial
from lastro.folding import slug
from lastro.settings import FILE_NAME, find_settings_file
from lastro.settings.addresses import parse_base_url
from lastro.settings.parsers import Wrong, parse_empresa_id, parse_env_name, parse_text
from lastro.terminal import output

_TEXT: Final = """\
dir = "dados"  # aqui ficam armazéns, planilhas e a pasta do Dagster

[[empresa]]
id = "{id}"  # nomeia pasta, partição e arquivo; não mude depois
nome = "{nome}"
base_url = "{base_url}"
token_env = "{token_env}"  # o NOME da variável; o token nunca fica neste arquivo
"""


@click.command()
@config_option
@click.option("--base-url", help="Endereço do serviço, como https://financeiro.example.com.")
@click.option("--nome", help="Nome da empresa, como sai nas planilhas.")
@click.option("--token-env", help="NOME da variável que guarda o token; nunca o token.")
@click.option("--id", "empresa_id", help="Nome curto da empresa, a-z 0-9 _ -; padrão: feito do nome.")
def iniciar(
    config: Path | None, base_url: str | None, nome: str | None, token_env: str | None, empresa_id: str | None
) -> None:
    """Escreve a configuração da sua empresa (pergunta o que falta) e a examina; não troca arquivo nenhum."""
    path = find_settings_file(config, Path.cwd())
    if os.path.lexists(path):
        raise ConfigError(
            f"{path}: já existe e fica como está. Acrescente nele outra [[empresa]], ou dê --config com outro caminho."
        )
    asked = {
        "base_url": _ask("--base-url", "Endereço do serviço", base_url, parse_base_url),
        "nome": _ask("--nome", "Nome da empresa", nome, parse_text),
    }
    short = slug(asked["nome"])[:64] or "empresa"
    asked["id"] = _ask("--id", "Id, que nomeia pasta e arquivos e não muda depois", empresa_id, parse_empresa_id, short)
    variable = f"{asked['id'].upper().replace('-', '_')}_TOKEN"
    usual = variable if not variable[0].isdigit() else f"TOKEN_{asked['id'].upper()}"
    asked["token_env"] = _ask("--token-env", "Nome da variável do token", token_env, parse_env_name, usual)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_TEXT.format(**{key: _escape(value) for key, value in asked.items()}))
    except PermissionError as error:
        raise StorageError(f"{describe_denial(error)} Ou escolha outro lugar com --config.") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}. Escolha outro lugar com --config.") from None
    output.print(f"Escrito: {path}\n")
    unset = not os.environ.get(asked["token_env"])
    code = print_diagnoses(read_settings(config), awaited="token" if unset else "")
    print_next(asked["token_env"], config, sound=not code)
    sys.exit(code)


def print_next(variable: str, config: Path | None, *, sound: bool) -> None:
    """Say the next step: the token where it is not set, what is to mend, else the first run."""
    also = "" if config is None else f" --config {config}"
    if not os.environ.get(variable):
        step = f"export {variable}=... (o token de leitura que o serviço lhe deu), depois lastro doctor{also}"
    elif sound:
        step = f"lastro run{also}"
    else:
        step = f"corrija o que tem ✗ em {FILE_NAME if config is None else config}, depois lastro doctor{also}"
    output.print(f"\nPróximo passo: {step}")


def _ask(option: str, question: str, given: str | None, parse: Callable[[object], str], usual: str = "") -> str:
    """Read what was given, or ask for it at a terminal until it can be read.

    Raises:
        UsageError: when it is not given and nobody can be asked, or cannot be read.
    """
    while True:
        if given is None and not sys.stdin.isatty():
            if not usual:
                raise click.UsageError(f"falta {option}: aqui não há terminal a que perguntar.")
            given = usual
        text = given if given is not None else click.prompt(question, default=usual or None)
        try:
            return parse(text)
        except Wrong as wrong:
            if given is not None:
                what = option if parse is parse_env_name else f"{option} {given}"  # it may be the token itself
                raise click.UsageError(f"{what}: {wrong}.") from None
            output.print(f"  {wrong}.", style="yellow")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
