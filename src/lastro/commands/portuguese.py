"""What click says by itself, in Portuguese: the help of every command, and mistakes on the command line (DEC63).

Click has its sentences in English and no catalogue of others. Belongs here: those sentences, old and new; does not
belong here: what our commands say themselves, which is written in Portuguese where it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO, Any, Final

import click

_HEADINGS: Final = {"Options": "Opções", "Positional arguments": "Argumentos", "Commands": "Comandos"}
_HELP: Final = (
    ("Show this message and exit.", "Mostra esta ajuda e termina."),
    ("[default: ", "[padrão: "),
    ("; default: ", "; padrão: "),
    ("[required]", "[obrigatória]"),
    ("env var: ", "variável: "),
    ("INTEGER RANGE", "INTEIRO"),
    ("FLOAT RANGE", "NÚMERO"),
    ("INTEGER", "INTEIRO"),
    ("FLOAT", "NÚMERO"),
    ("DIRECTORY", "PASTA"),
    ("FILE", "ARQUIVO"),
    ("PATH", "CAMINHO"),
    ("TEXT", "TEXTO"),
    ("[%Y-%m-%d|%d/%m/%Y]", "AAAA-MM-DD"),
    ("[OPTIONS]", "[OPÇÕES]"),
    ("COMMAND [ARGS]...", "COMANDO [ARGUMENTOS]..."),
)
_MISTAKES: Final = (
    (r"No such option:? (.+?)\.?", r"não existe a opção \1."),
    (r"No such command (.+)\.", r"não existe o comando \1."),
    (r"Missing command\.", "falta o comando."),
    (r"Missing argument (.+?)\.", r"falta o argumento \1."),
    (r"Missing option (.+?)\.", r"falta a opção \1."),
    (r"Missing parameter:? (.+?)\.?", r"falta \1."),
    (r"Got unexpected extra arguments? \((.+)\)", r"sobra na linha: \1"),
    (r"Option (.+) requires an argument\.", r"a opção \1 precisa de um valor."),
    (r"Option (.+) does not take a value\.", r"a opção \1 não leva valor."),
    (r"Invalid value for (.+?): (.*)", r"\1: \2"),
    (r"Invalid value: (.*)", r"\1"),
)
_DETAILS: Final = (
    (r"Did you mean (.+?)\?", r"Seria \1?"),
    (r"\(Did you mean one of: (.+?)\?\)", r"(Seria uma destas: \1?)"),
    (r"(\S+) is not a valid integer(?: range)?\.", r"\1 não é um número inteiro."),
    (r"(\S+) is not a valid float(?: range)?\.", r"\1 não é um número."),
    (r"(\S+) is not in the range (.+)\.", r"\1 está fora de \2."),
    (r"(\S+) does not match the formats '%Y-%m-%d', '%d/%m/%Y'\.", r"\1 não é uma data: AAAA-MM-DD ou DD/MM/AAAA."),
    (r"(\S+) does not match the format '%Y-%m'\.", r"\1 não é um mês escrito AAAA-MM."),
    (r"(\S+) is not one of (.+)\.", r"\1 não é uma destas: \2."),
    (r"(\S+) is not (\S+)\.", r"\1 não é \2."),
    (r"File (.+) does not exist\.", r"o arquivo \1 não existe."),
    (r"(?:Directory|Path) (.+) does not exist\.", r"\1 não existe."),
    (r"(?:File|Directory|Path) (.+) is a directory\.", r"\1 é uma pasta."),
    (r"(?:File|Directory|Path) (.+) is a file\.", r"\1 é um arquivo."),
    (r"(?:File|Directory|Path) (.+) is not readable\.", r"\1 não pode ser lido."),
    (r"(?:File|Directory|Path) (.+) is not writable\.", r"não se pode escrever em \1."),
    (r"Choose from:", "Escolha entre:"),
)


class _Formatter(click.HelpFormatter):
    """Lays help out as click does, with the words of click in Portuguese."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, _exchange(args), prefix or "Uso: ")

    def write_heading(self, heading: str) -> None:
        super().write_heading(_HEADINGS.get(heading, heading))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(_exchange(name), _exchange(text)) for name, text in rows], col_max, col_spacing)


class PortugueseContext(click.Context):
    """The context of every command of ours."""

    formatter_class = _Formatter


class Mistake(click.UsageError):
    """A mistake on the command line, told in Portuguese."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(say_in_portuguese(error.format_message()), error.ctx)

    def show(self, file: IO[Any] | None = None) -> None:
        """Print what is wrong and where the help is."""
        if self.ctx is not None:
            click.echo(f"Ajuda: {self.ctx.command_path} --help", file=file, err=file is None)
        click.echo(f"lastro: {self.message}", file=file, err=file is None)


def say_in_portuguese(message: str) -> str:
    """Write a sentence of click in Portuguese; any other text stays as it is.

    >>> say_in_portuguese("No such command 'rum'. Did you mean 'run'?")
    "não existe o comando 'rum'. Seria 'run'?"
    >>> say_in_portuguese("Invalid value for '--porta': 'x' is not a valid integer range.")
    "'--porta': 'x' não é um número inteiro."
    """
    for english, portuguese in _DETAILS:
        message = re.sub(english, portuguese, message)
    head, mark, rest = message.partition(" Seria ")
    for english, portuguese in _MISTAKES:
        match = re.fullmatch(english, head.strip(), flags=re.DOTALL)
        if match is not None:
            return match.expand(portuguese) + mark + rest
    return message


def _exchange(text: str) -> str:
    for english, portuguese in _HELP:
        text = text.replace(english, portuguese)
    return text
