"""Every setting with its table, values, default, rule and purpose: the page `configuracao` of the manual (DEC61).

Rendered when asked, from the schema alone, so that it cannot fall behind it. What is said of a key (`about`) ends with
the rules that it belongs to; the sheet Parâmetros prints the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from lastro.settings import addresses, parsers
from lastro.settings.model import Settings
from lastro.settings.operation import parse_address
from lastro.settings.reader import Key, find_keys, walk_tables

_VALUES: Final[Mapping[object, str]] = {
    parsers.parse_text: "texto",
    parsers.parse_short_name: "nome curto",
    parsers.parse_file_name: "nome de arquivo",
    parsers.parse_env_name: "nome de variável",
    parsers.parse_boolean: "true ou false",
    parsers.parse_money: 'valor, como "10000.00"',
    parsers.parse_decimal: "número, como 2 ou 1.5",
    parsers.parse_percent: "% de 0 a 100",
    parsers.parse_date: "data, como 2026-01-31",
    parsers.parse_closing: 'data, ou regra como "dia_util:3"',
    parsers.parse_limite: 'limite, como "100/60s"',
    addresses.parse_base_url: "endereço https://",
    addresses.parse_origin: "endereço sem caminho",
    addresses.parse_host: "nome de máquina",
    parsers.parse_empresa_id: "a-z, 0-9, _ e -",
    parsers.parse_local: "a-z, 0-9, _ e -",
    parsers.parse_fuso: "fuso horário",
    parsers.parse_regua: "lista de { nome, ate_dias }",
    parsers.parse_letters: "tabela de etapa = texto",
    parsers.parse_horizonte: "tabela de dias, semanas, meses",
    parse_address: "e-mail",
}
"""Parser -> the values that it takes; those with parts of their own are described by them."""
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
    for table, kind in walk_tables(Settings):
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


def describe_values(reads: object) -> str:
    """Say which values a parser takes.

    >>> describe_values(parsers.parse_list_of(parsers.parse_integer(1)))
    'lista de inteiro, 1 ou mais'
    """
    if isinstance(reads, parsers.parse_choice):
        return " ou ".join(f'"{choice}"' for choice in reads.allowed)
    if isinstance(reads, parsers.parse_integer):
        most = "ou mais" if reads.most == parsers.MAX_INTEGER else f"a {reads.most}"
        return f"inteiro, {reads.least} {most}"
    if isinstance(reads, parsers.parse_list_of):
        return f"lista de {describe_values(reads.parse_one)}"
    if isinstance(reads, parsers.parse_map_of):
        return f"tabela de id = {describe_values(reads.parse_one)}"
    if isinstance(reads, parsers.parse_table_of):
        return f"tabela de {', '.join(reads.names)}: {describe_values(reads.parse_one)}"
    if isinstance(reads, parsers.parse_placed):
        return "caminho"
    return _VALUES.get(reads, "lista de tabelas")


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
    return f'"{value}"' if isinstance(value, str | Path | parsers.Window) else str(value)
