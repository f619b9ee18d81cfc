"""Every setting with its table, values, default, rule and purpose: the page `configuracao` of the manual (DEC61).

Rendered when asked, from the schema alone, so that it cannot fall behind it. What is said of a key (`about`) ends with
the rules that it belongs to; the sheet Parâmetros prints the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro.settings.model import Settings
from lastro.settings.parsers import TAKES, Window
from lastro.settings.reader import Key, find_keys, walk_tables

_HEAD: Final = """\
# Configuração: todas as chaves de lastro.toml

Cada chave com os valores que aceita, o que vale sem ela, a regra a que pertence (`lastro manual S7`) e para que serve.
Obrigatórias são `id`, `nome`, `base_url` e `token_env` (ou `token_file`) de cada `[[empresa]]`; todo o resto tem
padrão. Chave desconhecida ou valor errado é erro, todos de uma vez, cada um com arquivo, chave e o que escrever. Vale o
arquivo de `--config`; senão o da pasta; senão `LASTRO_BASE_URL`, `LASTRO_ACCESS_TOKEN`, `LASTRO_CONTAS` e `LASTRO_DIR`,
que descrevem uma empresa; senão o da pasta mais próxima acima.
"""


def list_settings() -> Iterator[tuple[str, Key]]:
    """List every key: the table it stands in, and the key."""
    for table, _, kind in walk_tables(Settings):
        for key in find_keys(kind).values():
            if "about" in key.field.metadata:
                yield table, key


def render_settings() -> str:
    """Write the page: a table of keys for each table of the file."""
    lines, last = [_HEAD], ""
    for table, key in list_settings():
        if table != last:
            lines.append(
                f"\n## {table}\n\n| chave | valores | padrão | regra | para que serve |\n|---|---|---|---|---|\n"
            )
            last = table
        about = str(key.field.metadata["about"])
        match = re.search(r" \(([A-Z]{1,3}\d\d?(?:, [A-Z]{1,3}\d\d?)*)\)$", about)
        purpose, rule = (about[: match.start()], match[1]) if match else (about, "")
        values, default = describe_values(key.parse), _describe_default(key)
        lines.append(f"| `{key.name}` | {values} | {default} | {rule} | {purpose} |\n")
    return "".join(lines)


def read_setting(name: str) -> str:
    """Return the lines of the settings page about a key; empty if it is none.

    >>> read_setting("nome").splitlines()[0]
    'nome, em [[empresa]]'
    """
    return "\n".join(
        f"{name}, em {table}\n  valores: {describe_values(key.parse)}\n  padrão: {_describe_default(key)}\n"
        f"  para que serve: {key.field.metadata['about']}\n"
        for table, key in list_settings()
        if key.name == name
    )


def describe_values(reads: Any) -> str:
    """Say which values a parser takes.

    >>> from lastro.settings import parsers
    >>> describe_values(parsers.parse_list_of(parsers.parse_integer(1)))
    'lista de inteiro, 1 ou mais'
    """
    return "lista de tabelas" if reads is None else TAKES[reads]


def _describe_default(key: Key) -> str:
    return "obrigatória" if key.required else _as_toml(key.default)


def _as_toml(value: object) -> str:
    if value is None or value == "":
        return "nenhum"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_as_toml(element)}" for key, element in value.items()) or "{}"
    if isinstance(value, tuple):
        return ", ".join(_as_toml(element) for element in value) or "[]"
    if isinstance(value, date):
        return value.isoformat()
    return f'"{value}"' if isinstance(value, str | Path | Window) else str(value)
