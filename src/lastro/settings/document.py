"""The settings file as it stands: where it is found, and what the parser of TOML makes of it.

Does not belong here: what its keys mean (`lastro.settings.reader`).
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from lastro.errors import ConfigError
from lastro.files import describe_denial
from lastro.settings.files import MAX_FILE_BYTES, read_text
from lastro.settings.parsers import FILE_NAME, NumberLiteral

_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DEEP_KEY = re.compile(rf"(?<![\w.\-\"']){_PART}(?:[ \t]*\.[ \t]*{_PART}){{32}}")
"""A key of many parts: the parser of TOML takes a quarter of a minute over 20,000 of them."""
_SLIPS: Final = {
    "Invalid value": "falta um valor, ou um texto sem aspas",
    "Unescaped": "barra invertida num texto; escreva / ou duas",
    "Cannot overwrite": "a mesma chave duas vezes",
    "Cannot declare": "a mesma tabela duas vezes",
    "Duplicate inline": "a mesma chave duas vezes",
    "Cannot mutate": "a mesma tabela de dois modos: entre chaves ou colchetes, e como [tabela]",
    "Expected '=' after a key": "falta o = depois da chave",
    "Expected newline": "algo depois do valor",
    "Illegal character": "aspas que não fecham, ou um caractere que não se imprime",
    "Found invalid character": "aspas que não fecham, ou um caractere que não se imprime",
    "Unterminated string": "aspas que não fecham",
    "Unclosed": "colchete ou chave que não fecha",
    "Invalid statement": "a linha não começa por uma chave nem por [tabela]",
    "Invalid initial character": "o nome de uma chave tem a-z, 0-9, _ e -, ou aspas",
    "Expected ']": "falta ] no fim de uma tabela",
}
"""How a message of `tomllib` begins -> what it means."""
_LOOK_ALIKE: Final = {
    **dict.fromkeys("“”„‟‘’‚‛″＂", "aspas tipográficas"),
    **dict.fromkeys("\u00a0\u2007\u202f\u200b\ufeff", "um espaço que não é o comum"),
    **dict.fromkeys("‐‑‒–—−", "um traço que não é o hífen"),
}
_PLAIN: Final = {
    "aspas tipográficas": 'aspas retas (")',
    "um espaço que não é o comum": "espaços comuns",
    "um traço que não é o hífen": "o hífen (-)",
}


def find_settings_file(config: Path | None, cwd: Path) -> Path:
    """Find the settings file: the one given, else that of the working folder, else of the nearest one above it.

    Where there is none, it is the one that could be made in the working folder.
    """
    if config is not None:
        return config
    return next((path for folder in (cwd, *cwd.parents) if stands(path := folder / FILE_NAME)), cwd / FILE_NAME)


def stands(path: Path) -> bool:
    """Tell whether there is something at a path; what may not be looked at is told by who opens it."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def demand_trust(path: Path) -> None:
    """Refuse a file above the working folder of which another user could say where the token goes.

    Raises:
        ConfigError: where it is neither this user's nor the system's.
    """
    with contextlib.suppress(OSError):
        if path.stat().st_uid not in (0, os.geteuid()):
            raise ConfigError(f"{path}: é de outro usuário, numa pasta acima desta. Se é esse mesmo, use --config.")


def read_document(path: Path) -> dict[str, Any]:
    """Read the file as TOML; numbers with a fraction stay as written.

    Raises:
        ConfigError: when it cannot be read, or is no TOML.
        ValueError, RecursionError: when something in it is beyond what can be read.
    """
    try:
        text = read_text(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        raise ConfigError(f"{path}: o arquivo não existe. Dê o caminho de um lastro.toml, ou tire --config.") from None
    except PermissionError as error:
        raise ConfigError(str(describe_denial(error))) from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ConfigError(f"{path}: não pode ser lido ({why}). Deve ser um arquivo de texto UTF-8.") from None
    except OverflowError:
        raise ConfigError(f"{path}: mais de {MAX_FILE_BYTES // 1000} kB; nenhuma configuração é tão grande.") from None
    if _DEEP_KEY.search(text):
        raise ConfigError(f"{path}: não vale aqui: uma chave de mais de 32 partes. Corrija essa linha.")
    try:
        return tomllib.loads(text, parse_float=NumberLiteral)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: não é TOML válido: {_describe_slip(str(error), text)}.") from None


def _describe_slip(told: str, text: str) -> str:
    """Say in Portuguese what the parser did not understand, and name signs that only look like those of TOML."""
    place = re.search(r" \(at line (\d+), column (\d+)\)$", told)
    what = next((said for begins, said in _SLIPS.items() if told.startswith(begins)), told[:100])
    if place is None:
        return "no fim do arquivo: " + what.removesuffix(" (at end of document)")
    line = text.replace("\r\n", "\n").split("\n")[int(place[1]) - 1]
    odd = next((char for char in line if char in _LOOK_ALIKE), "")
    if odd:
        what = f"o caractere {line.index(odd) + 1}, {_LOOK_ALIKE[odd]}; escreva {_PLAIN[_LOOK_ALIKE[odd]]}"
    return f"linha {place[1]}{'' if odd else f', coluna {place[2]}'}: {what.removesuffix(place[0])}"
