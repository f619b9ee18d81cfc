"""Every setting with its table, values, default, rule and purpose: the page `configuracao` of the manual (DEC61).

Rendered when asked, from the schema alone, so that it cannot fall behind it. What is said of a key (`about`) ends with
the rules that it belongs to; the sheet Parâmetros prints the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from datetime import date
from typing import Any, Final

from lastro.settings import addresses, parsers
from lastro.settings.loading import DEFAULT_DIR, DEFAULT_FUSO
from lastro.settings.model import (
    Atraso,
    Avulso,
    Cenario,
    Conta,
    Empresa,
    Grupo,
    GrupoTransferencia,
    Parametros,
    Queda,
    Recorte,
    SaldoConferido,
    Settings,
)
from lastro.settings.operation import Avisos, Email, Retencao, Webhook, parse_address

TABLES: Final[Mapping[str, type[Any]]] = {
    "Antes de qualquer tabela": Settings,
    "[[empresa]]": Empresa,
    "[[empresa.conta]]": Conta,
    "saldos_conferidos de [[empresa.conta]]": SaldoConferido,
    "[empresa.parametros]": Parametros,
    "[[empresa.cenario]]": Cenario,
    "atrasos de [[empresa.cenario]]": Atraso,
    "quedas de [[empresa.cenario]]": Queda,
    "avulsos de [[empresa.cenario]]": Avulso,
    "[[empresa.recorte]]": Recorte,
    "[grupo]": Grupo,
    "[[grupo.transferencia]]": GrupoTransferencia,
    "[avisos]": Avisos,
    "[avisos.email]": Email,
    "[avisos.webhook]": Webhook,
    "[retencao]": Retencao,
}
"""Where a key stands in `lastro.toml` -> the values that it is read into."""
_VALUES: Final[Mapping[object, str]] = {
    parsers.parse_text: "texto",
    parsers.parse_short_name: "nome curto",
    parsers.parse_path: "caminho",
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
_HOST: Final = {"dir": DEFAULT_DIR, "fuso": DEFAULT_FUSO}
"""Defaults that the reading knows and no field has."""
_HEAD: Final = """\
# Configuração: todas as chaves de lastro.toml

Cada chave com os valores que aceita, o que vale sem ela, a regra a que pertence (`lastro manual S7`) e para que serve.
Obrigatórias são `id`, `nome`, `base_url` e `token_env` (ou `token_file`) de cada `[[empresa]]`; todo o resto tem
padrão. Chave desconhecida ou valor errado é erro, todos de uma vez, cada um com arquivo, chave e o que escrever. Sem
arquivo, `LASTRO_BASE_URL`, `LASTRO_ACCESS_TOKEN`, `LASTRO_CONTAS` e `LASTRO_DIR` descrevem uma empresa.
"""


def list_settings() -> Iterator[tuple[str, Field[Any]]]:
    """List every key: the table it stands in, and its field."""
    for table, kind in TABLES.items():
        for item in fields(kind):
            if "parse" in item.metadata:
                yield table, item


def render_settings() -> str:
    """Write the page: a table of keys for each table of the file."""
    lines, last = [_HEAD], ""
    for table, item in list_settings():
        if table != last:
            lines.append(
                f"\n## {table}\n\n| chave | valores | padrão | regra | para que serve |\n|---|---|---|---|---|\n"
            )
            last = table
        about = str(item.metadata["about"])
        match = re.search(r" \(([A-Z]{1,3}\d\d?(?:, [A-Z]{1,3}\d\d?)*)\)$", about)
        purpose, rule = (about[: match.start()], match[1]) if match else (about, "")
        values, default = describe_values(item.metadata["parse"]), _describe_default(item)
        lines.append(f"| `{item.name}` | {values} | {default} | {rule} | {purpose} |\n")
    return "".join(lines)


def read_setting(name: str) -> str:
    """Return the lines of the settings page about a key; empty if it is none.

    >>> read_setting("nome").splitlines()[0]
    'nome, em [[empresa]]'
    """
    told = []
    for table, item in list_settings():
        if item.name == name:
            values, default = describe_values(item.metadata["parse"]), _describe_default(item)
            about = item.metadata["about"]
            told.append(f"{name}, em {table}\n  valores: {values}\n  padrão: {default}\n  para que serve: {about}\n")
    return "\n".join(told)


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
    return _VALUES.get(reads, "lista de tabelas")


def _describe_default(item: Field[Any]) -> str:
    if item.name in _HOST:
        return _as_toml(_HOST[item.name])
    if item.default is not MISSING:
        return _as_toml(item.default)
    return "obrigatória" if item.default_factory is MISSING else _as_toml(item.default_factory())


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
    return f'"{value}"' if isinstance(value, str | parsers.Window) else str(value)
